"""What the music player keeps: playlists, and the songs that play one after the other."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from odyssey_recorder.simulator.apps.recordings import Song


@dataclass(slots=True, eq=False)
class Playlist:
    name: str
    songs: list[Song]

    @property
    def count(self) -> str:
        return "1 song" if len(self.songs) == 1 else f"{len(self.songs)} songs"


@dataclass(slots=True)
class Queue:
    """The songs that play one after the other; without a clock of its own none ever ends."""

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
        """To the next song or the one before; around the ends while it repeats."""
        place = self.place + by
        if self.repeats:
            place %= max(1, len(self.songs))
        self.place = max(0, min(place, len(self.songs) - 1))

    def switch_repeat(self) -> None:
        self.repeats = not self.repeats
