"""The page of one photograph: the image, its caption, its details, and actions."""

from collections.abc import Callable
from functools import partial

from odyssey_simulator.apps.photo_tiles import Photo, PhotoLibrary, PhotosPage
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Icon, Picture, Text
from odyssey_simulator.ui.layout import Spacer, Surface, column, row
from odyssey_simulator.ui.view import Look, View

_LOW = 420


class PhotoPage(PhotosPage):
    background = "#000000"
    status_color = "#000000"
    navigation_color = "#000000"
    bar_color = "#ffffff"

    def __init__(self, app: PhotoLibrary, photo: Photo, among: list[Photo]) -> None:
        super().__init__(app)
        self.chosen: Photo = photo
        self.among = among
        self.caption = ""

    def build(self, look: Look) -> View:
        photo = self.chosen
        heart = ("heart", "Remove from favourites") if photo.favourite else ("heart-outline", "Add to favourites")
        bar = row(
            ui.icon_button("arrow-left", "Navigate up", self.close, color="#ffffff"),
            Spacer(flex=1),
            ui.icon_button(*heart, self.flips("favourite", of=photo), color="#ffffff"),
            ui.icon_button("dots-vertical", "More options", self.shows("menu"), color="#ffffff"),
            pad=(4, 8),
        )
        text = column(
            Text(photo.caption or "Add a caption", 18, 500, "#ffffff", lines=2, align="center"),
            Text(f"{photo.taken.day}  ·  {photo.taken.place}", 13, color="#c8c8c8", lines=2, align="center"),
            gap=4,
            pad=(20, 8),
        )
        if look.wide and look.height_dp < _LOW:
            image = self._image(look.width_dp * 0.5, look.height_dp - 80, 1.5)
            below = column(text, self._actions(photo), along="center")
            return column(bar, row(image, Surface(below, flex=1), flex=1))
        image = self._image(look.width_dp, look.height_dp - 232, 1.5 if look.wide else 0.8)
        return column(bar, Surface(image, align="center", flex=1), text, self._actions(photo))

    def _image(self, widest: float, highest: float, shape: float) -> View:
        """As large as fits; `shape` is the photograph's width divided by its height."""
        width = min(widest, highest * shape)
        image = Picture(self.chosen.taken.painter, width, width / shape)
        return Surface(image, desc=self.chosen.caption, on_swipe=self._turn)

    def _actions(self, photo: Photo) -> View:
        if photo.binned:
            cells = [self._action("restore", "Restore", self.restore)]
        else:
            cells = [
                self._action("share-variant-outline", "Share", self.share),
                self._action("pencil-outline", "Caption", self._write),
                self._action("trash-can-outline", "Delete", self.bin),
            ]
        return row(*cells, along="center", gap=8, pad=(0, 0, 0, 8))

    def _action(self, icon: str, label: str, act: Callable[[Photo], None]) -> View:
        sign, text = Icon(icon, 24, "#ffffff"), Text(label, 12, color="#ffffff")
        face = column(sign, text, gap=4, across="center", along="center")
        return Surface(face, width=96, height=64, desc=label, on_tap=partial(act, self.chosen))

    def build_overlay(self, look: Look) -> View | None:
        taken = self.chosen.taken
        if self.overlay == "menu":
            return self.menu(
                ("information-outline", "Details", self.shows("details")),
                ("link-variant", "Copy link", partial(self.system.copy, taken.address)),
            )
        if self.overlay == "caption":
            caption = self.field("caption", "Caption", on_action=self._keep)
            return self.form("Edit caption", caption, label="Save", act=self._keep)
        facts = {
            "calendar-outline": taken.day,
            "map-marker-outline": taken.place,
            "image-album": f"Album {taken.album}",
            "file-image-outline": f"IMG_{taken.number:04}.jpg  ·  4080 x 3072",
        }
        rows = [ui.list_item(text, icon=icon) for icon, text in facts.items()]
        return ui.bottom_sheet(Text("Details", 20, 500), column(*rows))

    def _turn(self, direction: str) -> None:
        place = self.among.index(self.chosen) + {"left": 1, "right": -1}.get(direction, 0)
        if 0 <= place < len(self.among):
            self.chosen = self.among[place]

    def _write(self, photo: Photo) -> None:
        self.caption = photo.caption
        self.show("caption")
        self.focus("caption")

    def _keep(self) -> None:
        self.chosen.caption = self.caption.strip()
        self.show("")

    def bin(self, photo: Photo) -> None:
        super().bin(photo)
        self.close()

    def restore(self, photo: Photo) -> None:
        super().restore(photo)
        self.close()
