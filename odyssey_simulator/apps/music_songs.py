"""What the pages of the music app share: rows of songs, their menu, and the mini player."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from odyssey_simulator.apps.app import App, Page
from odyssey_simulator.apps.recordings import Album, Song, albums
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Picture, Text
from odyssey_simulator.ui.layout import Surface, column, row
from odyssey_simulator.ui.view import Action, Look, View


@dataclass(slots=True, eq=False)
class Playlist:
    name: str
    songs: list[Song]

    @property
    def count(self) -> str:
        return "1 song" if len(self.songs) == 1 else f"{len(self.songs)} songs"


@dataclass(slots=True)
class Queue:
    songs: list[Song] = field(default_factory=list)
    place: int = 0
    playing: bool = False
    repeats: bool = False

    @property
    def song(self) -> Song | None:
        return self.songs[self.place] if self.songs else None

    @property
    def coming(self) -> list[Song]:
        return self.songs[self.place + 1 :]

    def play(self, song: Song, among: Sequence[Song]) -> None:
        self.songs, self.place, self.playing = list(among), list(among).index(song), True

    def shuffle(self, among: Sequence[Song], seed: int) -> None:
        self.songs, self.place, self.playing = random.Random(seed).sample(list(among), len(among)), 0, True

    def put_next(self, song: Song) -> None:
        self.songs.insert(self.place + 1, song)

    def step(self, by: int) -> None:
        place = self.place + by
        if self.repeats:
            place %= max(1, len(self.songs))
        self.place = max(0, min(place, len(self.songs) - 1))


class Library(App):
    playlists: list[Playlist]
    liked_list: Playlist
    queue: Queue

    @property
    def liked(self) -> list[Song]:
        return self.liked_list.songs

    def album_page(self, album: Album) -> Page:
        raise NotImplementedError

    def player_page(self) -> Page:
        raise NotImplementedError


class SongsPage(Page):
    app: Library
    navigation_color = "surface_container"
    name = ""

    def row(self, song: Song, among: Sequence[Song]) -> View:
        playing = self.app.queue.song == song
        title = Text(song.title, 16, 500 if playing else 400, "primary" if playing else "on_surface", lines=1)
        text = column(title, ui.muted(f"{song.artist}  ·  {song.length}", lines=1), gap=1, flex=1)
        offer = partial(self.offer, song, "song")
        more = ui.icon_button("dots-vertical", f"More about {song.title}", offer)
        return Surface(
            row(Picture(song.painter, 48, 48, radius=8), text, more, gap=14, pad=(16, 6, 4, 6)),
            fill=True,
            on_tap=partial(self.app.queue.play, song, among),
            on_long_press=offer,
        )

    def rows(self, among: Sequence[Song]) -> list[View]:
        return [self.row(song, among) for song in among]

    def with_player(self, body: View) -> View:
        song = self.app.queue.song
        return Surface(body) if song is None else column(Surface(body, flex=1), self._mini_player(song))

    def play_button(self) -> tuple[str, str, Action]:
        queue = self.app.queue
        icon, desc = ("pause", "Pause") if queue.playing else ("play", "Play")
        return icon, desc, self.flips("playing", of=queue)

    def _mini_player(self, song: Song) -> View:
        line = row(
            Picture(song.painter, 44, 44, radius=8),
            column(Text(song.title, 15, 500, lines=1), ui.muted(song.artist, 13, lines=1), flex=1),
            ui.icon_button(*self.play_button(), color="on_surface", size=28),
            ui.icon_button("skip-next", "Next song", partial(self.app.queue.step, 1), color="on_surface", size=28),
            gap=10,
            pad=(10, 8, 4, 8),
        )
        strip = Surface(
            line,
            color="primary_container",
            radius=14,
            fill=True,
            on_tap=lambda: self.go(self.app.player_page()),
            desc="Now playing",
        )
        return Surface(strip, pad=(8, 4, 8, 8))

    def build_overlay(self, look: Look) -> View | None:
        match self.overlay:
            case "song":
                return self._offers(self.chosen)
            case "playlists":
                return self._choice(self.chosen)
            case _:
                name = self.field("name", "Name of the playlist", on_action=self._create)
                enabled = bool(self.name.strip())
                return self.form("New playlist", name, label="Create", act=self._create, enabled=enabled)

    def _offers(self, song: Song) -> View:
        text = column(Text(song.title, 18, 500, lines=1), ui.muted(song.artist), flex=1)
        like = "Remove from liked songs" if song in self.app.liked else "Like"
        return self.sheet(
            row(Picture(song.painter, 56, 56, radius=8), text, gap=14),
            ("playlist-play", "Play next", partial(self._play_next, song)),
            ("playlist-plus", "Add to playlist", self.shows("playlists")),
            ("heart-outline", like, self.switches(song, among=self.app.liked)),
            ("album", "Go to album", partial(self._open_album_of, song)),
            ("share-variant-outline", "Share", partial(self.share, song)),
        )

    def _choice(self, song: Song) -> View:
        rows = [
            ui.list_item(
                playlist.name,
                playlist.count,
                icon="playlist-music",
                on_tap=self.closing(partial(self._add, song, playlist)),
            )
            for playlist in self.app.playlists
        ]
        new = ui.list_item("New playlist", icon="plus", on_tap=self.ask_name)
        return ui.bottom_sheet(Text("Add to playlist", 20, 500), column(new, *rows))

    def ask_name(self) -> None:
        self.name = ""
        self.show("new playlist")
        self.focus("name")

    def share(self, song: Song) -> None:
        self.system.share(f"{song.title} by {song.artist} {song.address}", subject=song.title)

    def _create(self) -> None:
        if not self.name.strip():
            return
        playlist = Playlist(self.name.strip(), [])
        self.app.playlists.insert(0, playlist)
        self.show("")
        if self.chosen is not None:
            self._add(self.chosen, playlist)

    def _add(self, song: Song, playlist: Playlist) -> None:
        self.chosen = None
        if song in playlist.songs:
            self.system.toast(f"Already in {playlist.name}")
        else:
            playlist.songs.append(song)
            self.system.toast(f"Added to {playlist.name}")

    def _play_next(self, song: Song) -> None:
        self.app.queue.put_next(song)
        self.system.toast("Plays next")

    def _open_album_of(self, song: Song) -> None:
        self.go(self.app.album_page(next(album for album in albums() if song in album.songs)))
