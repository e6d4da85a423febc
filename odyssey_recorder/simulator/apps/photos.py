"""Photos: the photographs by month and by album, with favourites, captions, a bin, and a search over the captions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from odyssey_recorder.simulator.apps.app import App, Page, System
from odyssey_recorder.simulator.apps.photographs import Photograph, photographs
from odyssey_recorder.simulator.ui.controls import Icon, Picture, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Grid, Place, Row, Spacer, Stack, Surface
from odyssey_recorder.simulator.ui.view import Action, Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    bottom_sheet,
    button,
    dialog,
    empty_page,
    icon_button,
    list_item,
    menu,
    page_frame,
    scroll_page,
    search_box,
    tabbed,
    text_box,
)

_TABS = (("image-multiple-outline", "Photos"), ("image-album", "Albums"), ("magnify", "Search"))
_FAVOURITES, _BIN = "Favourites", "Bin"
_LOW = 420


@dataclass(slots=True, eq=False)
class Photo:
    """A photograph in the library, with what its owner has made of it."""

    taken: Photograph
    caption: str
    favourite: bool = False
    binned: bool = False

    @property
    def words(self) -> str:
        """What a search looks at."""
        return f"{self.caption}\n{self.taken.place}\n{self.taken.album}\n{self.taken.day}".lower()


class Photos(App):
    """The library; captions, favourites and the bin are kept."""

    label = "Photos"
    package = "com.odyssey.photos"
    icon = "image-multiple"
    color = "#c2410c"
    category = "Media_Entertainment"

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.library = [Photo(taken, taken.caption) for taken in photographs()]

    @property
    def photos(self) -> list[Photo]:
        """All that are not in the bin."""
        return [photo for photo in self.library if not photo.binned]

    def album(self, name: str) -> list[Photo]:
        """What an album, the favourites or the bin hold."""
        if name == _BIN:
            return [photo for photo in self.library if photo.binned]
        if name == _FAVOURITES:
            return [photo for photo in self.photos if photo.favourite]
        return [photo for photo in self.photos if photo.taken.album == name]

    @property
    def albums(self) -> list[str]:
        """The names of the albums that hold something."""
        return sorted({photo.taken.album for photo in self.photos})

    def first_page(self) -> Page:
        return LibraryPage(self)


class PhotosPage(Page):
    """What every page of photographs does: a long press on one offers what can be done with it."""

    app: Photos
    chosen: Photo | None = None

    def tile(self, photo: Photo, among: Sequence[Photo]) -> View:
        picture: View = Picture(photo.taken.painter)
        if photo.favourite:
            picture = Stack((picture, Place(Icon("heart", 18, "#ffffff"), "bottom end", pad=6)))
        return Surface(
            picture,
            desc=photo.caption,
            on_tap=partial(self._open, photo, among),
            on_long_press=partial(self._choose, photo),
        )

    def tiles(self, photos: Sequence[Photo], look: Look) -> View:
        return Grid([self.tile(photo, photos) for photo in photos], min_cell=150 if look.wide else 100, gap=3)

    def by_month(self, photos: Sequence[Photo], look: Look) -> View:
        parts: list[View] = []
        for month, taken in groupby(photos, lambda photo: photo.taken.month):
            parts.append(Surface(Text(month, 16, 500), pad=(16, 18, 16, 8)))
            parts.append(self.tiles(list(taken), look))
        return scroll_page(*parts, key="photos", max_width=4_000)

    def build_overlay(self, look: Look) -> View | None:
        photo = self.chosen
        if photo is None:
            return None
        rows = [list_item(label, icon=icon, on_tap=act) for icon, label, act in self._offers(photo)]
        head = Row((Picture(photo.taken.painter, 56, 56, radius=8), Text(photo.caption, 16, 500, flex=1)), gap=14)
        return bottom_sheet(head, Column(rows))

    def _offers(self, photo: Photo) -> list[tuple[str, str, Action]]:
        if photo.binned:
            return [("restore", "Restore", partial(self._restore, photo))]
        favourite = "Remove from favourites" if photo.favourite else "Add to favourites"
        return [
            ("share-variant-outline", "Share", partial(self._share, photo)),
            ("heart-outline", favourite, partial(self._like, photo)),
            ("trash-can-outline", "Move to bin", partial(self._bin, photo)),
        ]

    def _choose(self, photo: Photo) -> None:
        self.chosen = photo
        self.show("photo")

    def _open(self, photo: Photo, among: Sequence[Photo]) -> None:
        self.go(PhotoPage(self.app, photo, list(among)))

    def _share(self, photo: Photo) -> None:
        self.system.share(f"{photo.caption} {photo.taken.address}", subject=photo.caption)

    def _like(self, photo: Photo) -> None:
        self.show("")
        photo.favourite = not photo.favourite

    def _bin(self, photo: Photo) -> None:
        self.show("")
        photo.binned = True
        self.system.toast("Moved to bin")

    def _restore(self, photo: Photo) -> None:
        self.show("")
        photo.binned = False
        self.system.toast("Restored")


class LibraryPage(PhotosPage):
    """The three tabs."""

    navigation_color = "surface_container"

    def __init__(self, app: Photos) -> None:
        super().__init__(app)
        self.tab = "Photos"
        self.query = ""

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
        rows = [self._shelf("heart-outline", _FAVOURITES), self._shelf("trash-can-outline", _BIN)]
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
        clear = icon_button("close", "Clear search", partial(self._search, "")) if self.query else None
        box = Surface(search_box(field, trail=clear), fill=True, max_width=720)
        bar = Row((box,), along="center", pad=(16, 10, 16, 10))
        wanted = self.query.strip().lower()
        if not wanted:
            places = sorted({photo.taken.place for photo in self.app.photos})
            rows = [
                list_item(place, icon="map-marker-outline", on_tap=partial(self._search, place)) for place in places
            ]
            return page_frame(bar, scroll_page(*rows, key="places"))
        photos = [photo for photo in self.app.photos if wanted in photo.words]
        if not photos:
            return page_frame(bar, empty_page("image-search-outline", "No photos found"))
        return page_frame(bar, self.by_month(photos, look))

    def _place(self, place: str) -> View:
        return list_item(place, icon="map-marker-outline", on_tap=partial(self._search, place))

    def _search(self, words: str) -> None:
        self.query = words


class AlbumPage(PhotosPage):
    """One album, the favourites, or the bin."""

    title = "Album"

    def __init__(self, app: Photos, name: str) -> None:
        super().__init__(app)
        self.name = name

    def build(self, look: Look) -> View:
        photos = self.app.album(self.name)
        empty = self.shows("empty")
        actions = (icon_button("delete-sweep-outline", "Empty bin", empty),) if self.name == _BIN and photos else ()
        bar = app_bar(self.name, *actions, on_up=self.close)
        if not photos:
            icon, words = {
                _BIN: ("trash-can-outline", "The bin is empty"),
                _FAVOURITES: ("heart-outline", "No favourites yet"),
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


class PhotoPage(PhotosPage):
    """One photograph, as large as it goes; a swipe goes to its neighbours."""

    title = "Photo"
    background = "#000000"
    status_color = "#000000"
    navigation_color = "#000000"
    bar_color = "#ffffff"

    def __init__(self, app: Photos, photo: Photo, among: list[Photo]) -> None:
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
        """The photograph as large as it fits into (width, height), `shape` times as wide as high."""
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
            field = TextField("caption", self.words, self._type, hint="Caption", on_action=self._keep)
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

    def _type(self, words: str) -> None:
        self.words = words

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
