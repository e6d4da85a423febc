"""Writes a post: text, and a photo from the Photos app."""

from functools import partial

from odyssey_recorder.simulator.apps.app import Page
from odyssey_recorder.simulator.apps.people import OWNER
from odyssey_recorder.simulator.apps.photographs import Photograph, photograph
from odyssey_recorder.simulator.apps.photos import Photos
from odyssey_recorder.simulator.apps.social_posts import Network
from odyssey_recorder.simulator.ui.controls import Picture, Text, TextField
from odyssey_recorder.simulator.ui.layout import Grid, Place, Row, Stack, Surface
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    avatar,
    bottom_sheet,
    button,
    centered,
    dialog,
    icon_button,
    page_frame,
    scroll_page,
)

_LONGEST = 280


class ComposePage(Page):
    app: Network
    title = "Compose"

    def __init__(self, app: Network, text: str = "", photo: int | None = None) -> None:
        super().__init__(app)
        self.text = text
        self.photo = photo

    def build(self, look: Look) -> View:
        left = _LONGEST - len(self.text)
        ready = bool(self.text.strip() or self.photo) and left >= 0
        post = Surface(button("Post", self._publish, enabled=ready), pad=(0, 0, 12, 0))
        field = TextField(
            "post", self.text, self.sets("text"), hint="What is new?", size=18, multiline=True, min_lines=3
        )
        words = Row((avatar(OWNER.name, OWNER.color), Surface(field, flex=1)), gap=14, across="start")
        parts: list[View] = [words]
        if self.photo:
            parts.append(self._picture(self.photo))
        tools = Row(
            (
                icon_button("image-plus", "Add picture", self._choose_picture, color="primary"),
                Text(str(left), 14, color="error" if left < 0 else "on_surface_variant", align="end", flex=1),
            ),
            pad=(8, 4, 20, 4),
        )
        body = scroll_page(*parts, key="compose", gap=16, pad=(16, 8, 16, 16), max_width=640)
        bottom = Surface(centered(tools, 640), color="surface_low")
        return page_frame(app_bar("New post", post, on_up=self._leave, up_icon="close"), body, bottom=bottom)

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay == "discard":
            return dialog(
                "Discard post?",
                Text("What you wrote will be lost.", color="on_surface_variant"),
                buttons=(
                    button("Keep writing", self.shows(""), kind="text"),
                    button("Discard", self.close, kind="text"),
                ),
            )
        library = next((app for app in self.system.installed() if isinstance(app, Photos)), None)
        cells = [self._offer(photo.taken) for photo in (library.photos if library else ())]
        return bottom_sheet(Text("Choose a picture", 20, 500), Grid(cells, min_cell=96, gap=6))

    def _offer(self, taken: Photograph) -> View:
        picture = Picture(taken.painter, radius=8)
        return Surface(picture, desc=taken.caption, on_tap=partial(self._attach, taken.number))

    def _picture(self, number: int) -> View:
        taken = photograph(number)
        remove = Surface(
            icon_button("close", "Remove picture", self._detach, color="#ffffff", size=20),
            color="#303030",
            radius=24,
        )
        picture = Surface(Picture(taken.painter, aspect=1.5, radius=16), desc=taken.caption)
        return Stack((picture, Place(remove, "top end", pad=8)))

    def on_back(self) -> bool:
        if self.text.strip() or self.photo:
            self.show("discard")
            return True
        return False

    def _leave(self) -> None:
        if not self.on_back():
            self.close()

    def _choose_picture(self) -> None:
        self.unfocus()
        self.show("pictures")

    def _attach(self, number: int) -> None:
        self.photo = number
        self.show("")

    def _detach(self) -> None:
        self.photo = None

    def _publish(self) -> None:
        self.app.publish(self.text.strip(), self.photo)
        self.system.toast("Posted")
        self.close()
