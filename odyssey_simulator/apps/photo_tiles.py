"""A photograph in the library, and what all pages with tiles of photographs share."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from odyssey_simulator.apps.app import App, Page
from odyssey_simulator.apps.photographs import Photograph
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Icon, Picture, Text
from odyssey_simulator.ui.layout import Grid, Place, Stack, Surface, row
from odyssey_simulator.ui.view import Look, View

FAVOURITES, BIN = "Favourites", "Bin"


@dataclass(slots=True, eq=False)
class Photo:
    taken: Photograph
    caption: str
    favourite: bool = False
    binned: bool = False

    @property
    def words(self) -> str:
        return f"{self.caption}\n{self.taken.place}\n{self.taken.album}\n{self.taken.day}".lower()


class PhotoLibrary(App):
    library: list[Photo]

    @property
    def photos(self) -> list[Photo]:
        return [photo for photo in self.library if not photo.binned]

    def album(self, name: str) -> list[Photo]:
        if name == BIN:
            return [photo for photo in self.library if photo.binned]
        if name == FAVOURITES:
            return [photo for photo in self.photos if photo.favourite]
        return [photo for photo in self.photos if photo.taken.album == name]

    @property
    def albums(self) -> list[str]:
        return sorted({photo.taken.album for photo in self.photos})

    def photo_page(self, photo: Photo, among: Sequence[Photo]) -> Page:
        raise NotImplementedError


class PhotosPage(Page):
    app: PhotoLibrary

    def tile(self, photo: Photo, among: Sequence[Photo]) -> View:
        image: View = Picture(photo.taken.painter)
        if photo.favourite:
            image = Stack((image, Place(Icon("heart", 18, "#ffffff"), "bottom end", pad=6)))
        return Surface(
            image,
            desc=photo.caption,
            on_tap=lambda: self.go(self.app.photo_page(photo, among)),
            on_long_press=partial(self.offer, photo),
        )

    def tiles(self, photos: Sequence[Photo], look: Look) -> View:
        return Grid([self.tile(photo, photos) for photo in photos], min_cell=150 if look.wide else 100, gap=3)

    def by_month(self, photos: Sequence[Photo], look: Look) -> View:
        parts: list[View] = []
        for month, taken in groupby(photos, lambda photo: photo.taken.month):
            parts.append(Surface(Text(month, 16, 500), pad=(16, 18, 16, 8)))
            parts.append(self.tiles(list(taken), look))
        return ui.scroll_page(*parts, key="photos", max_width=4_000)

    def build_overlay(self, look: Look) -> View | None:
        photo: Photo = self.chosen
        head = row(Picture(photo.taken.painter, 56, 56, radius=8), Text(photo.caption, 16, 500, flex=1), gap=14)
        if photo.binned:
            return self.sheet(head, ("restore", "Restore", partial(self.restore, photo)))
        favourite = "Remove from favourites" if photo.favourite else "Add to favourites"
        return self.sheet(
            head,
            ("share-variant-outline", "Share", partial(self.share, photo)),
            ("heart-outline", favourite, self.flips("favourite", of=photo)),
            ("trash-can-outline", "Move to bin", partial(self.bin, photo)),
        )

    def share(self, photo: Photo) -> None:
        self.system.share(f"{photo.caption} {photo.taken.address}", subject=photo.caption)

    def bin(self, photo: Photo) -> None:
        photo.binned = True
        self.system.toast("Moved to bin")

    def restore(self, photo: Photo) -> None:
        photo.binned = False
        self.system.toast("Restored")
