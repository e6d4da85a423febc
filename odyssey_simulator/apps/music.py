"""Music: a library of songs, albums and playlists, with search."""

from functools import partial

from odyssey_simulator.apps.app import Page, System
from odyssey_simulator.apps.content import table
from odyssey_simulator.apps.music_player import PlayerPage
from odyssey_simulator.apps.music_songs import Library, Playlist, Queue, SongsPage
from odyssey_simulator.apps.recordings import Album, albums, song_called, songs
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Icon, Picture, Text
from odyssey_simulator.ui.layout import Grid, Surface, column, row
from odyssey_simulator.ui.view import Look, View

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

    def build(self, look: Look) -> View:
        bodies = {"Songs": self._songs, "Albums": self._albums, "Playlists": self._playlists, "Search": self._found}
        body = self.with_player(bodies[self.tab](look))
        return ui.tabbed(look, body, _TABS, current=self.tab, choose=self.sets("tab"))

    def _songs(self, look: Look) -> View:
        shuffle = ui.icon_button("shuffle", "Shuffle all", partial(self.app.queue.shuffle, songs(), self.system.seed))
        return ui.page_frame(ui.app_bar("Songs", shuffle), ui.scroll_page(*self.rows(songs()), key="songs"))

    def _albums(self, look: Look) -> View:
        cells = [self._album(album) for album in albums()]
        grid = Grid(cells, min_cell=190 if look.wide else 140, gap=16)
        return ui.page_frame(
            ui.app_bar("Albums"), ui.scroll_page(grid, key="albums", pad=(16, 4, 16, 24), max_width=1_200)
        )

    def _album(self, album: Album) -> View:
        text = column(Text(album.title, 16, 500, lines=1), ui.muted(album.artist, 13, lines=1), pad=(4, 0))
        face = column(Picture(album.painter, radius=12), text, gap=8)
        return Surface(face, desc=album.title, on_tap=lambda: self.go(AlbumPage(self.app, album)))

    def _playlists(self, look: Look) -> View:
        heart = _tile(Icon("heart", 24, "#ffffff"), "primary")
        rows = [self._playlist(self.app.liked_list, heart)]
        for playlist in self.app.playlists:
            blank = _tile(Icon("music-note", 24), "surface_high")
            lead = Picture(playlist.songs[0].painter, 52, 52, radius=8) if playlist.songs else blank
            rows.append(self._playlist(playlist, lead))
        new = ui.icon_button("plus", "New playlist", self._new)
        return ui.page_frame(ui.app_bar("Playlists", new), ui.scroll_page(*rows, key="playlists"))

    def _playlist(self, playlist: Playlist, lead: View) -> View:
        page = PlaylistPage(self.app, playlist)
        return ui.list_item(playlist.name, playlist.count, lead=lead, on_tap=partial(self.go, page))

    def _new(self) -> None:
        self.chosen = None
        self.ask_name()

    def _found(self, look: Look) -> View:
        bar = ui.centered(ui.search_box(self.search_field("Songs, artists, albums")), 728, pad=(16, 10))
        query = self.query.strip().lower()
        if not query:
            return ui.page_frame(bar, ui.empty_page("music-box-multiple-outline", "Search your library"))
        found = [song for song in songs() if query in f"{song.title}\n{song.artist}\n{song.album}".lower()]
        matching_albums = [album for album in albums() if query in f"{album.title}\n{album.artist}".lower()]
        if not found:
            return ui.page_frame(bar, ui.empty_page("music-note-off-outline", f"Nothing found for “{self.query}”"))
        parts: list[View] = [ui.section("Songs"), *self.rows(found)]
        if matching_albums:
            parts += [ui.section("Albums"), *(self._album_cover(album) for album in matching_albums)]
        return ui.page_frame(bar, ui.scroll_page(*parts, key="found"))

    def _album_cover(self, album: Album) -> View:
        lead = Picture(album.painter, 48, 48, radius=8)
        return ui.list_item(
            album.title, album.artist, lead=lead, on_tap=lambda: self.go(AlbumPage(self.app, album)), lines=1
        )


def _tile(face: View, color: str) -> View:
    return Surface(face, color=color, radius=8, width=52, height=52, align="center")


class AlbumPage(SongsPage):
    def __init__(self, app: Library, album: Album) -> None:
        super().__init__(app)
        self.album = album

    def build(self, look: Look) -> View:
        album = self.album
        play = ui.button("Play", partial(self.app.queue.play, album.songs[0], album.songs), icon="play")
        text = column(
            Text(album.title, 24, 500, lines=2),
            ui.muted(f"{album.artist}  ·  {album.year}", lines=2),
            row(play, pad=(0, 10, 0, 0)),
            gap=4,
            flex=1,
        )
        head = row(Picture(album.painter, 132, 132, radius=14), text, gap=20, pad=(20, 8, 20, 16))
        return self.with_player(
            ui.page_frame(ui.app_bar("", on_up=self.close), ui.scroll_page(head, *self.rows(album.songs)))
        )


class PlaylistPage(SongsPage):
    def __init__(self, app: Library, playlist: Playlist) -> None:
        super().__init__(app)
        self.playlist = playlist

    def build(self, look: Look) -> View:
        found = self.playlist.songs
        own = self.playlist is not self.app.liked_list
        more = (ui.icon_button("dots-vertical", "More options", self.shows("menu")),) if own else ()
        bar = ui.app_bar(self.playlist.name, *more, on_up=self.close)
        if not found:
            return self.with_player(ui.page_frame(bar, ui.empty_page("playlist-music-outline", "No songs in it yet")))
        head = row(
            Text(self.playlist.count, 14, color="on_surface_variant", flex=1),
            ui.button("Play", partial(self.app.queue.play, found[0], found), icon="play"),
            pad=(20, 4, 16, 12),
        )
        return self.with_player(ui.page_frame(bar, ui.scroll_page(head, *self.rows(found))))

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay == "menu":
            return self.menu(
                ("share-variant-outline", "Share", self._share_all), ("trash-can-outline", "Delete", self._delete)
            )
        return super().build_overlay(look)

    def _share_all(self) -> None:
        lines = [f"{song.title} by {song.artist}" for song in self.playlist.songs]
        self.system.share("\n".join(lines) or self.playlist.name, subject=self.playlist.name)

    def _delete(self) -> None:
        self.app.playlists.remove(self.playlist)
        self.system.toast("Playlist deleted")
        self.close()
