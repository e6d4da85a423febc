"""What the pages of the music app share: rows of songs, their menu, and the mini player."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from odyssey_recorder.simulator.apps.app import App, Page
from odyssey_recorder.simulator.apps.recordings import Album, Song, albums
from odyssey_recorder.simulator.ui.controls import Picture, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Row, Spacer, Surface
from odyssey_recorder.simulator.ui.view import Action, Look, View
from odyssey_recorder.simulator.ui.widgets import bottom_sheet, button, dialog, icon_button, list_item, text_box


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

    def switch(self) -> None:
        self.playing = not self.playing

    def step(self, by: int) -> None:
        place = self.place + by
        if self.repeats:
            place %= max(1, len(self.songs))
        self.place = max(0, min(place, len(self.songs) - 1))

    def switch_repeat(self) -> None:
        self.repeats = not self.repeats


class Library(App):
    playlists: list[Playlist]
    liked_list: Playlist
    queue: Queue

    @property
    def liked(self) -> list[Song]:
        return self.liked_list.songs

    def turn_like(self, song: Song) -> None:
        if song in self.liked:
            self.liked.remove(song)
        else:
            self.liked.insert(0, song)

    def album_page(self, album: Album) -> Page:
        raise NotImplementedError

    def player_page(self) -> Page:
        raise NotImplementedError


class SongsPage(Page):
    app: Library
    navigation_color = "surface_container"
    chosen: Song | None = None
    name = ""

    def row(self, song: Song, among: Sequence[Song]) -> View:
        playing = self.app.queue.song == song
        words = Column(
            (
                Text(song.title, 16, 500 if playing else 400, "primary" if playing else "on_surface", lines=1),
                Text(f"{song.artist}  ·  {song.length}", 14, color="on_surface_variant", lines=1),
            ),
            gap=1,
            flex=1,
        )
        more = icon_button("dots-vertical", f"More about {song.title}", partial(self._choose, song))
        parts = (Picture(song.painter, 48, 48, radius=8), words, more)
        return Surface(
            Row(parts, gap=14, pad=(16, 6, 4, 6)),
            fill=True,
            on_tap=partial(self.play, song, among),
            on_long_press=partial(self._choose, song),
            desc="",
        )

    def rows(self, among: Sequence[Song]) -> list[View]:
        return [self.row(song, among) for song in among]

    def with_player(self, body: View) -> View:
        queue = self.app.queue
        if queue.song is None:
            return Surface(body)
        strip = _mini_player(queue, on_open=lambda: self.go(self.app.player_page()))
        return Column((Surface(body, flex=1), strip))

    def build_overlay(self, look: Look) -> View | None:
        song = self.chosen
        match self.overlay:
            case "song" if song is not None:
                return self._offers(song)
            case "playlists" if song is not None:
                return self._choice(song)
            case "new playlist":
                return self._naming()
            case _:
                return None

    def _offers(self, song: Song) -> View:
        head = Row(
            (
                Picture(song.painter, 56, 56, radius=8),
                Column((Text(song.title, 18, 500, lines=1), Text(song.artist, 14, color="on_surface_variant")), flex=1),
            ),
            gap=14,
        )
        like = "Remove from liked songs" if song in self.app.liked else "Like"
        rows = (
            list_item("Play next", icon="playlist-play", on_tap=partial(self._play_next, song)),
            list_item("Add to playlist", icon="playlist-plus", on_tap=self.shows("playlists")),
            list_item(like, icon="heart-outline", on_tap=partial(self._like, song)),
            list_item("Go to album", icon="album", on_tap=partial(self._open_album_of, song)),
            list_item("Share", icon="share-variant-outline", on_tap=partial(self.share, song)),
        )
        return bottom_sheet(head, Column(rows))

    def _choice(self, song: Song) -> View:
        rows = [
            list_item(
                playlist.name,
                playlist.count,
                icon="playlist-music",
                on_tap=partial(self._add, song, playlist),
            )
            for playlist in self.app.playlists
        ]
        new = list_item("New playlist", icon="plus", on_tap=self.ask_name)
        return bottom_sheet(Text("Add to playlist", 20, 500), Column((new, *rows)))

    def _naming(self) -> View:
        field = TextField("name", self.name, self.sets("name"), hint="Name of the playlist", on_action=self._create)
        buttons = (
            button("Cancel", self.shows(""), kind="text"),
            button("Create", self._create, kind="text", enabled=bool(self.name.strip())),
        )
        return dialog("New playlist", text_box(field, color="surface"), buttons=buttons)

    def ask_name(self) -> None:
        self.name = ""
        self.show("new playlist")
        self.focus("name")

    def share(self, song: Song) -> None:
        self.system.share(f"{song.title} by {song.artist} {song.address}", subject=song.title)

    def offer(self, song: Song, overlay: str) -> None:
        self.chosen = song
        self.show(overlay)

    def _choose(self, song: Song) -> None:
        self.offer(song, "song")

    def _create(self) -> None:
        if not self.name.strip():
            return
        playlist = Playlist(self.name.strip(), [])
        self.app.playlists.insert(0, playlist)
        self.show("")
        if self.chosen is not None:
            self._add(self.chosen, playlist)

    def _add(self, song: Song, playlist: Playlist) -> None:
        self.show("")
        self.chosen = None
        if song in playlist.songs:
            self.system.toast(f"Already in {playlist.name}")
        else:
            playlist.songs.append(song)
            self.system.toast(f"Added to {playlist.name}")

    def play(self, song: Song, among: Sequence[Song]) -> None:
        self.app.queue.play(song, among)

    def _play_next(self, song: Song) -> None:
        self.show("")
        self.app.queue.put_next(song)
        self.system.toast("Plays next")

    def _like(self, song: Song) -> None:
        self.show("")
        self.app.turn_like(song)

    def _open_album_of(self, song: Song) -> None:
        self.show("")
        self.go(self.app.album_page(next(album for album in albums() if song in album.songs)))


def _mini_player(queue: Queue, *, on_open: Action) -> View:
    song = queue.song
    if song is None:
        return Spacer()
    words = Column(
        (Text(song.title, 15, 500, lines=1), Text(song.artist, 13, color="on_surface_variant", lines=1)), flex=1
    )
    play = ("pause", "Pause") if queue.playing else ("play", "Play")
    row = Row(
        (
            Picture(song.painter, 44, 44, radius=8),
            words,
            icon_button(*play, queue.switch, color="on_surface", size=28),
            icon_button("skip-next", "Next song", partial(queue.step, 1), color="on_surface", size=28),
        ),
        gap=10,
        pad=(10, 8, 4, 8),
    )
    strip = Surface(row, color="primary_container", radius=14, fill=True, on_tap=on_open, desc="Now playing")
    return Surface(strip, pad=(8, 4, 8, 8))
