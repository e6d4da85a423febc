"""Music: a library of songs, albums and playlists, with search."""

from functools import partial

from odyssey_recorder.simulator.apps.app import Page, System
from odyssey_recorder.simulator.apps.content import table
from odyssey_recorder.simulator.apps.music_player import PlayerPage
from odyssey_recorder.simulator.apps.music_songs import Library, Playlist, Queue, SongsPage
from odyssey_recorder.simulator.apps.recordings import Album, albums, song_called, songs
from odyssey_recorder.simulator.ui.controls import Icon, Picture, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Grid, Row, Surface
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    button,
    centered,
    empty_page,
    icon_button,
    list_item,
    menu,
    page_frame,
    scroll_page,
    search_box,
    section,
    tabbed,
)

_TABS = (("music-note", "Songs"), ("album", "Albums"), ("playlist-music", "Playlists"), ("magnify", "Search"))


class Music(Library):
    label = "Music"
    package = "com.odyssey.music"
    icon = "music-circle"
    color = "#c0266d"
    category = "Media_Entertainment"

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.playlists = [
            Playlist(entry["name"], [song_called(title) for title in entry["songs"]])
            for entry in table("music")["playlist"]
        ]
        self.queue = Queue()
        self.liked_list = Playlist("Liked songs", [song_called("Ferry"), song_called("Paper Boats")])

    def first_page(self) -> Page:
        return MusicPage(self)

    def album_page(self, album: Album) -> Page:
        return AlbumPage(self, album)

    def player_page(self) -> Page:
        return PlayerPage(self)


class MusicPage(SongsPage):
    tab = "Songs"
    query = ""

    def build(self, look: Look) -> View:
        bodies = {"Songs": self._songs, "Albums": self._albums, "Playlists": self._playlists, "Search": self._found}
        body = self.with_player(bodies[self.tab](look))
        return tabbed(look, body, _TABS, current=self.tab, choose=self.sets("tab"))

    def _songs(self, look: Look) -> View:
        shuffle = icon_button("shuffle", "Shuffle all", partial(self.app.queue.shuffle, songs(), self.system.seed))
        return page_frame(app_bar("Songs", shuffle), scroll_page(*self.rows(songs()), key="songs"))

    def _albums(self, look: Look) -> View:
        cells = [self._album(album) for album in albums()]
        grid = Grid(cells, min_cell=190 if look.wide else 140, gap=16)
        return page_frame(app_bar("Albums"), scroll_page(grid, key="albums", pad=(16, 4, 16, 24), max_width=1_200))

    def _album(self, album: Album) -> View:
        artist = Text(album.artist, 13, color="on_surface_variant", lines=1)
        words = Column((Text(album.title, 16, 500, lines=1), artist), pad=(4, 0))
        face = Column((Picture(album.painter, radius=12), words), gap=8)
        return Surface(face, desc=album.title, on_tap=lambda: self.go(AlbumPage(self.app, album)))

    def _playlists(self, look: Look) -> View:
        liked = list_item(
            self.app.liked_list.name,
            self.app.liked_list.count,
            lead=Surface(Icon("heart", 24, "#ffffff"), color="primary", radius=8, width=52, height=52, align="center"),
            on_tap=lambda: self.go(PlaylistPage(self.app, self.app.liked_list)),
        )
        rows = [self._playlist(playlist) for playlist in self.app.playlists]
        new = icon_button("plus", "New playlist", self._new)
        return page_frame(app_bar("Playlists", new), scroll_page(liked, *rows, key="playlists"))

    def _playlist(self, playlist: Playlist) -> View:
        blank = Surface(Icon("music-note", 24), color="surface_high", radius=8, width=52, height=52, align="center")
        lead = Picture(playlist.songs[0].painter, 52, 52, radius=8) if playlist.songs else blank
        page = PlaylistPage(self.app, playlist)
        return list_item(playlist.name, playlist.count, lead=lead, on_tap=partial(self.go, page))

    def _new(self) -> None:
        self.chosen = None
        self.ask_name()

    def _found(self, look: Look) -> View:
        field = TextField("search", self.query, self.sets("query"), hint="Songs, artists, albums", action="search")
        bar = centered(search_box(field), 728, pad=(16, 10))
        wanted = self.query.strip().lower()
        if not wanted:
            return page_frame(bar, empty_page("music-box-multiple-outline", "Search your library"))
        found = [song for song in songs() if wanted in f"{song.title}\n{song.artist}\n{song.album}".lower()]
        sleeves = [album for album in albums() if wanted in f"{album.title}\n{album.artist}".lower()]
        if not found:
            return page_frame(bar, empty_page("music-note-off-outline", f"Nothing found for “{self.query}”"))
        parts: list[View] = [section("Songs"), *self.rows(found)]
        if sleeves:
            parts += [section("Albums"), *(self._sleeve(album) for album in sleeves)]
        return page_frame(bar, scroll_page(*parts, key="found"))

    def _sleeve(self, album: Album) -> View:
        lead = Picture(album.painter, 48, 48, radius=8)
        return list_item(
            album.title, album.artist, lead=lead, on_tap=lambda: self.go(AlbumPage(self.app, album)), lines=1
        )


class AlbumPage(SongsPage):
    title = "Album"

    def __init__(self, app: Library, album: Album) -> None:
        super().__init__(app)
        self.album = album

    def build(self, look: Look) -> View:
        album = self.album
        play = button("Play", partial(self.play, album.songs[0], album.songs), icon="play")
        words = Column(
            (
                Text(album.title, 24, 500, lines=2),
                Text(f"{album.artist}  ·  {album.year}", 14, color="on_surface_variant", lines=2),
                Row((play,), pad=(0, 10, 0, 0)),
            ),
            gap=4,
            flex=1,
        )
        head = Row((Picture(album.painter, 132, 132, radius=14), words), gap=20, pad=(20, 8, 20, 16))
        return self.with_player(page_frame(app_bar("", on_up=self.close), scroll_page(head, *self.rows(album.songs))))


class PlaylistPage(SongsPage):
    title = "Playlist"

    def __init__(self, app: Library, playlist: Playlist) -> None:
        super().__init__(app)
        self.playlist = playlist

    def build(self, look: Look) -> View:
        found = self.playlist.songs
        own = self.playlist is not self.app.liked_list
        more = (icon_button("dots-vertical", "More options", self.shows("menu")),) if own else ()
        bar = app_bar(self.playlist.name, *more, on_up=self.close)
        if not found:
            return self.with_player(page_frame(bar, empty_page("playlist-music-outline", "No songs in it yet")))
        head = Row(
            (
                Text(self.playlist.count, 14, color="on_surface_variant", flex=1),
                button("Play", partial(self.play, found[0], found), icon="play"),
            ),
            pad=(20, 4, 16, 12),
        )
        return self.with_player(page_frame(bar, scroll_page(head, *self.rows(found))))

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay == "menu":
            return menu(
                ("share-variant-outline", "Share", self._share_all),
                ("trash-can-outline", "Delete", self._delete),
            )
        return super().build_overlay(look)

    def _share_all(self) -> None:
        lines = [f"{song.title} by {song.artist}" for song in self.playlist.songs]
        self.system.share("\n".join(lines) or self.playlist.name, subject=self.playlist.name)

    def _delete(self) -> None:
        self.app.playlists.remove(self.playlist)
        self.system.toast("Playlist deleted")
        self.close()
