"""Photos: photographs by month and album, with favourites, captions, a bin, and search in captions."""

from collections.abc import Sequence
from functools import partial

from odyssey_recorder.simulator.apps.app import Page, System
from odyssey_recorder.simulator.apps.photo_page import PhotoPage
from odyssey_recorder.simulator.apps.photo_tiles import BIN, FAVOURITES, Photo, PhotoLibrary, PhotosPage
from odyssey_recorder.simulator.apps.photographs import photographs
from odyssey_recorder.simulator.ui.controls import Icon, Picture, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Grid, Row, Surface
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    button,
    centered,
    dialog,
    empty_page,
    icon_button,
    list_item,
    page_frame,
    scroll_page,
    search_box,
    tabbed,
)

_TABS = (("image-multiple-outline", "Photos"), ("image-album", "Albums"), ("magnify", "Search"))


class Photos(PhotoLibrary):
    label = "Photos"
    package = "com.odyssey.photos"
    icon = "image-multiple"
    color = "#c2410c"
    category = "Media_Entertainment"

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.library = [Photo(taken, taken.caption) for taken in photographs()]

    def first_page(self) -> Page:
        return LibraryPage(self)

    def photo_page(self, photo: Photo, among: Sequence[Photo]) -> Page:
        return PhotoPage(self, photo, list(among))


class LibraryPage(PhotosPage):
    navigation_color = "surface_container"
    tab = "Photos"
    query = ""

    def build(self, look: Look) -> View:
        body = {"Photos": self._months, "Albums": self._albums, "Search": self._found}[self.tab](look)
        return tabbed(look, body, _TABS, current=self.tab, choose=self._choose_tab)

    def _choose_tab(self, tab: str) -> None:
        self.tab = tab
        if tab == "Search":
            self.focus("search")

    def _months(self, look: Look) -> View:
        photos = self.app.photos
        body = self.by_month(photos, look) if photos else empty_page("image-off-outline", "No photos")
        return page_frame(app_bar("Photos"), body)

    def _albums(self, look: Look) -> View:
        cells = [self._album(name) for name in self.app.albums]
        rows = [self._shelf("heart-outline", FAVOURITES), self._shelf("trash-can-outline", BIN)]
        grid = Grid(cells, min_cell=150 if not look.wide else 200, gap=16)
        body = scroll_page(
            Grid(rows, columns=2, gap=12), grid, key="albums", gap=20, pad=(16, 4, 16, 24), max_width=1_200
        )
        return page_frame(app_bar("Albums"), body)

    def _shelf(self, icon: str, name: str) -> View:
        count = Text(str(len(self.app.album(name))), 14, color="on_surface_variant")
        words = Row((Icon(icon, 22), Text(name, 15, 500, lines=1, flex=1), count), gap=8, pad=(12, 0))
        act = partial(self._open_album, name)
        return Surface(words, color="surface_container", radius=12, height=56, on_tap=act, desc=name)

    def _album(self, name: str) -> View:
        photos = self.app.album(name)
        count = "1 item" if len(photos) == 1 else f"{len(photos)} items"
        words = Column((Text(name, 16, 500, lines=1), Text(count, 13, color="on_surface_variant")), pad=(4, 0))
        face = Column((Picture(photos[0].taken.painter, radius=16), words), gap=8)
        return Surface(face, desc=name, on_tap=partial(self._open_album, name))

    def _open_album(self, name: str) -> None:
        self.go(AlbumPage(self.app, name))

    def _found(self, look: Look) -> View:
        field = TextField("search", self.query, self._search, hint="Search captions and places", action="search")
        bar = centered(search_box(field), 720, pad=(16, 10))
        wanted = self.query.strip().lower()
        if not wanted:
            places = sorted({photo.taken.place for photo in self.app.photos})
            return page_frame(bar, scroll_page(*map(self._place, places), key="places"))
        photos = [photo for photo in self.app.photos if wanted in photo.words]
        if not photos:
            return page_frame(bar, empty_page("image-search-outline", "No photos found"))
        return page_frame(bar, self.by_month(photos, look))

    def _place(self, place: str) -> View:
        return list_item(place, icon="map-marker-outline", on_tap=partial(self._search, place))

    def _search(self, words: str) -> None:
        self.query = words


class AlbumPage(PhotosPage):
    title = "Album"

    def __init__(self, app: PhotoLibrary, name: str) -> None:
        super().__init__(app)
        self.name = name

    def build(self, look: Look) -> View:
        photos = self.app.album(self.name)
        empty = self.shows("empty")
        actions = (icon_button("delete-sweep-outline", "Empty bin", empty),) if self.name == BIN and photos else ()
        bar = app_bar(self.name, *actions, on_up=self.close)
        if not photos:
            icon, words = {
                BIN: ("trash-can-outline", "The bin is empty"),
                FAVOURITES: ("heart-outline", "No favourites yet"),
            }.get(self.name, ("image-off-outline", "No photos"))
            return page_frame(bar, empty_page(icon, words))
        return page_frame(bar, scroll_page(self.tiles(photos, look), key="album", max_width=4_000))

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay != "empty":
            return super().build_overlay(look)
        return dialog(
            "Empty bin?",
            Text("The photos in it will be deleted for good.", color="on_surface_variant"),
            buttons=(button("Cancel", self.shows(""), kind="text"), button("Empty", self._empty, kind="text")),
        )

    def _empty(self) -> None:
        self.show("")
        self.app.library = self.app.photos
