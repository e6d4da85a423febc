"""The photographs on the device: their subjects, and the address under which one is shared."""

import re
from dataclasses import dataclass
from functools import cache

from odyssey_simulator.apps.content import table
from odyssey_simulator.ui.controls import Painter
from odyssey_simulator.ui.scenes import scene

_SITE = "photos.example/p/"


@dataclass(frozen=True, slots=True)
class Photograph:
    """`number` counts from 1 and identifies the photograph everywhere."""

    number: int
    scene: str
    caption: str
    day: str
    place: str
    album: str

    @property
    def month(self) -> str:
        return self.day.split(" ", 2)[2]

    @property
    def address(self) -> str:
        return f"{_SITE}{self.number}"

    @property
    def painter(self) -> Painter:
        return scene(self.scene, self.number)


@cache
def photographs() -> tuple[Photograph, ...]:
    return tuple(Photograph(number, **entry) for number, entry in enumerate(table("photos")["photo"], start=1))


def photograph(number: int) -> Photograph:
    """Raises LookupError if there is no such photograph."""
    if not 1 <= number <= len(photographs()):
        raise LookupError(f"There is no photograph {number}.")
    return photographs()[number - 1]


def photograph_in(text: str) -> Photograph | None:
    found = re.search(re.escape(_SITE) + r"(\d{1,3})\b", text)
    number = int(found[1]) if found else 0
    return photograph(number) if 1 <= number <= len(photographs()) else None


def without_address(text: str) -> str:
    found = photograph_in(text)
    return text.replace(found.address, "").strip() if found else text
