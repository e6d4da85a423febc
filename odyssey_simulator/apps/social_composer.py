"""Writes a post: text, and a photo from the Photos app."""

from odyssey_simulator.apps.app import Page
from odyssey_simulator.apps.people import OWNER
from odyssey_simulator.apps.photographs import Photograph, photograph
from odyssey_simulator.apps.photos import Photos
from odyssey_simulator.apps.social_posts import Network, Post
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Picture, Text
from odyssey_simulator.ui.layout import Grid, Place, Stack, Surface, row
from odyssey_simulator.ui.view import Look, View

_LONGEST = 280


class ComposePage(Page):
    app: Network

    def __init__(self, app: Network, text: str = "", photo: int | None = None) -> None:
        super().__init__(app)
        self.text = text
        self.photo = photo

    def build(self, look: Look) -> View:
        left = _LONGEST - len(self.text)
        ready = bool(self.text.strip() or self.photo) and left >= 0
        post = Surface(ui.button("Post", self._publish, enabled=ready), pad=(0, 0, 12, 0))
        field = self.field("text", "What is new?", key="post", size=18, multiline=True, min_lines=3)
        text = row(ui.avatar(OWNER.name, OWNER.color), Surface(field, flex=1), gap=14, across="start")
        parts = [text, *([self._image(self.photo)] if self.photo else [])]
        tools = row(
            ui.icon_button("image-plus", "Add picture", self._choose_image, color="primary"),
            Text(str(left), 14, color="error" if left < 0 else "on_surface_variant", align="end", flex=1),
            pad=(8, 4, 20, 4),
        )
        body = ui.scroll_page(*parts, key="compose", gap=16, pad=(16, 8, 16, 16), max_width=640)
        bottom = Surface(ui.centered(tools, 640), color="surface_low")
        return ui.page_frame(ui.app_bar("New post", post, on_up=self._leave, up_icon="close"), body, bottom=bottom)

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay == "discard":
            text = "What you wrote will be lost."
            return self.question("Discard post?", text, "Discard", self.close, keep="Keep writing")
        library = next((app for app in self.system.installed() if isinstance(app, Photos)), None)
        cells = [self._offer(photo.taken) for photo in (library.photos if library else ())]
        return ui.bottom_sheet(Text("Choose a picture", 20, 500), Grid(cells, min_cell=96, gap=6))

    def _offer(self, taken: Photograph) -> View:
        attach = self.closing(self.puts("photo", taken.number))
        return Surface(Picture(taken.painter, radius=8), desc=taken.caption, on_tap=attach)

    def _image(self, number: int) -> View:
        taken = photograph(number)
        remove = ui.icon_button("close", "Remove picture", self.puts("photo", None), color="#ffffff", size=20)
        image = Surface(Picture(taken.painter, aspect=1.5, radius=16), desc=taken.caption)
        return Stack((image, Place(Surface(remove, color="#303030", radius=24), "top end", pad=8)))

    def on_back(self) -> bool:
        if self.text.strip() or self.photo:
            self.show("discard")
            return True
        return False

    def _leave(self) -> None:
        if not self.on_back():
            self.close()

    def _choose_image(self) -> None:
        self.memory.focus = None
        self.show("pictures")

    def _publish(self) -> None:
        self.app.posts.insert(0, Post(OWNER, "now", self.text.strip(), self.photo))
        self.system.toast("Posted")
        self.close()
