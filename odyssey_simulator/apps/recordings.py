"""The songs and albums on the device: titles, artists, lengths and covers."""

from dataclasses import dataclass
from functools import cache

from odyssey_simulator.apps.content import table
from odyssey_simulator.ui.controls import Painter
from odyssey_simulator.ui.images import cover


@dataclass(frozen=True, slots=True)
class Song:
    """A song is identified by its title. `length` is minutes and seconds: "3:42"."""

    title: str
    length: str
    album: str
    artist: str
    sleeve: int

    @property
    def painter(self) -> Painter:
        return cover(self.sleeve)

    @property
    def address(self) -> str:
        return f"music.example/s/{'-'.join(''.join(c for c in self.title.lower() if c.isalnum() or c == ' ').split())}"


@dataclass(frozen=True, slots=True)
class Album:
    title: str
    artist: str
    year: int
    sleeve: int
    songs: tuple[Song, ...]

    @property
    def painter(self) -> Painter:
        return cover(self.sleeve)


@cache
def albums() -> tuple[Album, ...]:
    shelf = []
    for entry in table("music")["album"]:
        title, artist, sleeve = entry["title"], entry["artist"], entry["sleeve"]
        songs = tuple(Song(name, length, title, artist, sleeve) for name, length in entry["songs"])
        shelf.append(Album(title, artist, entry["year"], sleeve, songs))
    return tuple(shelf)


@cache
def songs() -> tuple[Song, ...]:
    return tuple(sorted((song for album in albums() for song in album.songs), key=lambda song: song.title))


def song_called(title: str) -> Song:
    """Raises LookupError if no song has this title."""
    for song in songs():
        if song.title == title:
            return song
    raise LookupError(f"There is no song {title!r}.")
