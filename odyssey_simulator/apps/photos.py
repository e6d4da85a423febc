"""Photos: photographs by month and album, with favourites, captions, a bin, and search in captions."""

from collections.abc import Sequence
from functools import partial

from odyssey_simulator.apps.app import Page, System
from odyssey_simulator.apps.photo_page import PhotoPage
from odyssey_simulator.apps.photo_tiles import BIN, FAVOURITES, Photo, PhotoLibrary, PhotosPage
from odyssey_simulator.apps.photographs import photographs
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Icon, Picture, Text
from odyssey_simulator.ui.layout import Grid, Surface, column, row
from odyssey_simulator.ui.view import Look, View

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

    def build(self, look: Look) -> View:
        body = {"Photos": self._months, "Albums": self._albums, "Search": self._found}[self.tab](look)
        return ui.tabbed(look, body, _TABS, current=self.tab, choose=self._choose_tab)

    def _choose_tab(self, tab: str) -> None:
        self.tab = tab
        if tab == "Search":
            self.focus("search")

    def _months(self, look: Look) -> View:
        photos = self.app.photos
        body = self.by_month(photos, look) if photos else ui.empty_page("image-off-outline", "No photos")
        return ui.page_frame(ui.app_bar("Photos"), body)

    def _albums(self, look: Look) -> View:
        cells = [self._album(name) for name in self.app.albums]
        rows = [self._shelf("heart-outline", FAVOURITES), self._shelf("trash-can-outline", BIN)]
        grid = Grid(cells, min_cell=150 if not look.wide else 200, gap=16)
        parts = (Grid(rows, columns=2, gap=12), grid)
        body = ui.scroll_page(*parts, key="albums", gap=20, pad=(16, 4, 16, 24), max_width=1_200)
        return ui.page_frame(ui.app_bar("Albums"), body)

    def _shelf(self, icon: str, name: str) -> View:
        count = ui.muted(str(len(self.app.album(name))))
        text = row(Icon(icon, 22), Text(name, 15, 500, lines=1, flex=1), count, gap=8, pad=(12, 0))
        act = partial(self._open_album, name)
        return Surface(text, color="surface_container", radius=12, height=56, on_tap=act, desc=name)

    def _album(self, name: str) -> View:
        photos = self.app.album(name)
        count = "1 item" if len(photos) == 1 else f"{len(photos)} items"
        text = column(Text(name, 16, 500, lines=1), ui.muted(count, 13), pad=(4, 0))
        face = column(Picture(photos[0].taken.painter, radius=16), text, gap=8)
        return Surface(face, desc=name, on_tap=partial(self._open_album, name))

    def _open_album(self, name: str) -> None:
        self.go(AlbumPage(self.app, name))

    def _found(self, look: Look) -> View:
        bar = ui.centered(ui.search_box(self.search_field("Search captions and places")), 720, pad=(16, 10))
        query = self.query.strip().lower()
        if not query:
            places = sorted({photo.taken.place for photo in self.app.photos})
            return ui.page_frame(bar, ui.scroll_page(*map(self._place, places), key="places"))
        photos = [photo for photo in self.app.photos if query in photo.words]
        if not photos:
            return ui.page_frame(bar, ui.empty_page("image-search-outline", "No photos found"))
        return ui.page_frame(bar, self.by_month(photos, look))

    def _place(self, place: str) -> View:
        return ui.list_item(place, icon="map-marker-outline", on_tap=self.puts("query", place))


class AlbumPage(PhotosPage):
    def __init__(self, app: PhotoLibrary, name: str) -> None:
        super().__init__(app)
        self.name = name

    def build(self, look: Look) -> View:
        photos = self.app.album(self.name)
        empty = ui.icon_button("delete-sweep-outline", "Empty bin", self.shows("empty"))
        bar = ui.app_bar(self.name, *((empty,) if self.name == BIN and photos else ()), on_up=self.close)
        if photos:
            return ui.page_frame(bar, ui.scroll_page(self.tiles(photos, look), key="album", max_width=4_000))
        icon, text = {
            BIN: ("trash-can-outline", "The bin is empty"),
            FAVOURITES: ("heart-outline", "No favourites yet"),
        }.get(self.name, ("image-off-outline", "No photos"))
        return ui.page_frame(bar, ui.empty_page(icon, text))

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay != "empty":
            return super().build_overlay(look)
        text = "The photos in it will be deleted for good."
        return self.question("Empty bin?", text, "Empty", self.puts("library", self.app.photos, of=self.app))
