"""The page of one photograph: the image, its caption, its details, and actions."""

from functools import partial

from odyssey_recorder.simulator.apps.photo_tiles import Photo, PhotoLibrary, PhotosPage
from odyssey_recorder.simulator.ui.controls import Icon, Picture, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Row, Spacer, Surface
from odyssey_recorder.simulator.ui.view import Action, Look, View
from odyssey_recorder.simulator.ui.widgets import (
    bottom_sheet,
    button,
    dialog,
    icon_button,
    list_item,
    menu,
    text_box,
)

_LOW = 420


class PhotoPage(PhotosPage):
    title = "Photo"
    background = "#000000"
    status_color = "#000000"
    navigation_color = "#000000"
    bar_color = "#ffffff"

    def __init__(self, app: PhotoLibrary, photo: Photo, among: list[Photo]) -> None:
        super().__init__(app)
        self.chosen: Photo = photo
        self.among = among
        self.words = ""

    def build(self, look: Look) -> View:
        photo = self.chosen
        heart = ("heart", "Remove from favourites") if photo.favourite else ("heart-outline", "Add to favourites")
        bar = Row(
            (
                icon_button("arrow-left", "Navigate up", self.close, color="#ffffff"),
                Spacer(flex=1),
                icon_button(*heart, partial(self._like, photo), color="#ffffff"),
                icon_button("dots-vertical", "More options", self.shows("menu"), color="#ffffff"),
            ),
            pad=(4, 8),
        )
        words = Column(
            (
                Text(photo.caption or "Add a caption", 18, 500, "#ffffff", lines=2, align="center"),
                Text(f"{photo.taken.day}  ·  {photo.taken.place}", 13, color="#c8c8c8", lines=2, align="center"),
            ),
            gap=4,
            pad=(20, 8),
        )
        below = Column((words, self._actions(photo)), along="center")
        if look.wide and look.height_dp < _LOW:
            room = (look.width_dp * 0.5, look.height_dp - 80)
            return Column((bar, Row((self._picture(room, 1.5), Surface(below, flex=1)), flex=1)))
        room = (look.width_dp, look.height_dp - 232)
        picture = self._picture(room, 1.5 if look.wide else 0.8)
        return Column((bar, Surface(picture, align="center", flex=1), words, self._actions(photo)))

    def _picture(self, room: tuple[float, float], shape: float) -> View:
        """Fitted into `room` (width, height); `shape` is the photograph's width divided by its height."""
        width = min(room[0], room[1] * shape)
        picture = Picture(self.chosen.taken.painter, width, width / shape)
        return Surface(picture, desc=self.chosen.caption, on_swipe=self._turn)

    def _actions(self, photo: Photo) -> View:
        offers: list[tuple[str, str, Action]] = [
            ("share-variant-outline", "Share", partial(self._share, photo)),
            ("pencil-outline", "Caption", self._write),
            ("trash-can-outline", "Delete", partial(self._bin, photo)),
        ]
        if photo.binned:
            offers = [("restore", "Restore", partial(self._restore, photo))]
        cells = [self._action(*offer) for offer in offers]
        return Row(cells, along="center", gap=8, pad=(0, 0, 0, 8))

    def _action(self, icon: str, label: str, act: Action) -> View:
        face = (Icon(icon, 24, "#ffffff"), Text(label, 12, color="#ffffff"))
        column = Column(face, gap=4, across="center", along="center")
        return Surface(column, width=96, height=64, desc=label, on_tap=act)

    def build_overlay(self, look: Look) -> View | None:
        photo = self.chosen
        if self.overlay == "menu":
            return menu(
                ("information-outline", "Details", self.shows("details")),
                ("link-variant", "Copy link", self._copy_link),
            )
        if self.overlay == "caption":
            field = TextField("caption", self.words, self.sets("words"), hint="Caption", on_action=self._keep)
            buttons = (button("Cancel", self.shows(""), kind="text"), button("Save", self._keep, kind="text"))
            return dialog("Edit caption", text_box(field, color="surface"), buttons=buttons)
        facts = (
            ("calendar-outline", photo.taken.day),
            ("map-marker-outline", photo.taken.place),
            ("image-album", f"Album {photo.taken.album}"),
            ("file-image-outline", f"IMG_{photo.taken.number:04}.jpg  ·  4080 x 3072"),
        )
        return bottom_sheet(Text("Details", 20, 500), Column([list_item(words, icon=icon) for icon, words in facts]))

    def _turn(self, direction: str) -> None:
        step = {"left": 1, "right": -1}.get(direction, 0)
        place = self.among.index(self.chosen) + step
        if 0 <= place < len(self.among):
            self.chosen = self.among[place]

    def _write(self) -> None:
        self.words = self.chosen.caption
        self.show("caption")
        self.focus("caption")

    def _keep(self) -> None:
        self.chosen.caption = self.words.strip()
        self.show("")

    def _copy_link(self) -> None:
        self.show("")
        self.system.copy(self.chosen.taken.address)

    def _bin(self, photo: Photo) -> None:
        super()._bin(photo)
        self.close()

    def _restore(self, photo: Photo) -> None:
        super()._restore(photo)
        self.close()
