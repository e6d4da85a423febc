"""What is visible in the program's window at one moment, as values passed between processes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rect:
    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2

    @property
    def is_empty(self) -> bool:
        return self.width <= 0 or self.height <= 0


@dataclass(frozen=True, slots=True)
class Seen:
    """An accessible object: its role, name, place and ancestors.

    `is_whole`: all of it is visible; `is_cut`: its text needs more space than it has.
    """

    role: str
    name: str
    value: str
    rect: Rect
    within: tuple[str, ...]
    is_enabled: bool
    is_whole: bool
    is_checked: bool
    has_focus: bool
    is_cut: bool
    takes_focus: bool


@dataclass(frozen=True, slots=True)
class Mirror:
    """Where the device's screen is on the display, its size in device pixels, and whether it accepts input.

    `gesture` is what lifting the finger now would record.
    """

    area: Rect
    screenshot: tuple[int, int]
    takes_input: bool
    gesture: str
    frame: int

    def place_of(self, x: int, y: int) -> tuple[int, int]:
        width, height = self.screenshot
        return (
            self.area.x + int((x + 0.5) * self.area.width / width),
            self.area.y + int((y + 0.5) * self.area.height / height),
        )


@dataclass(frozen=True, slots=True)
class Sight:
    """Everything visible in the window that takes input: the newest dialog, otherwise the main window."""

    title: str
    window: int
    has_focus: bool
    mirror: Mirror | None
    seen: tuple[Seen, ...]

    @property
    def is_dialog(self) -> bool:
        return not self.title.startswith(("Odyssey", "Recording"))

    def named(self, name: str) -> Iterator[Seen]:
        return (one for one in self.seen if one.name == name)

    def items(self, of: str) -> list[Seen]:
        return [one for one in self.seen if of in one.within and one.role in {"ListItem", "Cell"}]

    def says(self, words: str) -> bool:
        return any(words in one.name for one in self.seen)


def sight_of(told: dict[str, Any]) -> Sight:
    seen = tuple(Seen(**{**one, "rect": Rect(**one["rect"]), "within": tuple(one["within"])}) for one in told["seen"])
    mirror = told["mirror"]
    shown = mirror and Mirror(**{**mirror, "area": Rect(**mirror["area"]), "screenshot": tuple(mirror["screenshot"])})
    return Sight(**{**told, "seen": seen, "mirror": shown})
