"""The nine actions of a GUI-Odyssey episode, as values."""

from dataclasses import dataclass
from enum import Enum

from odyssey_recorder.model.geometry import Point
from odyssey_recorder.model.plain_text import on_one_line

_LONGEST_ELEMENT = 48
"""In characters; a paragraph that was clicked says no more than its beginning."""


class SystemKey(Enum):
    HOME = "HOME"
    BACK = "BACK"
    RECENT = "RECENT"


@dataclass(frozen=True, slots=True)
class Click:
    point: Point


@dataclass(frozen=True, slots=True)
class LongPress:
    point: Point


@dataclass(frozen=True, slots=True)
class Scroll:
    """`path` includes both ends."""

    start: Point
    end: Point
    path: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Type:
    text: str


@dataclass(frozen=True, slots=True)
class Press:
    key: SystemKey


@dataclass(frozen=True, slots=True)
class Complete:
    """`note` is the annotator's answer or remark, often empty."""

    note: str = ""


@dataclass(frozen=True, slots=True)
class Impossible:
    reason: str


Action = Click | LongPress | Scroll | Type | Press | Complete | Impossible


def action_type(action: Action) -> str:
    """The action's name in the paper: one of the nine, a system key by its own name (HOME, BACK, RECENT)."""
    match action:
        case Click():
            return "CLICK"
        case LongPress():
            return "LONG_PRESS"
        case Scroll():
            return "SCROLL"
        case Type():
            return "TYPE"
        case Press(key):
            return key.value
        case Complete():
            return "COMPLETE"
        case Impossible():
            return "IMPOSSIBLE"


def in_words(action: Action, element: str = "") -> str:
    """What the action does: ``Click “Search”``, ``Scroll down``.

    `element` is the text of the touched element or the name of the field, as the device gave it.
    """
    name = _shortened(element)
    match action:
        case Click():
            return f"Click “{name}”" if name else "Click"
        case LongPress():
            return f"Long press “{name}”" if name else "Long press"
        case Scroll(start, end):
            return f"Scroll {scroll_direction(start, end)}"
        case Type(text):
            return f"Type “{text}” into “{name}”" if name else f"Type “{text}”"
        case Press(key):
            return f"Press {key.value.capitalize()}"
        case Complete(words) | Impossible(words):
            ending = action_type(action).capitalize()
            return f"{ending}: {words}" if words else ending


def place_text(action: Action) -> str:
    """Where on the dataset's grid, or empty: ``at 432, 118``."""
    match action:
        case Click(point) | LongPress(point):
            return f"at {point.x}, {point.y}"
        case Scroll(start, end):
            return f"from {start.x}, {start.y} to {end.x}, {end.y}"
        case _:
            return ""


def in_words_at(action: Action) -> str:
    """What the action does, and where."""
    return f"{in_words(action)} {place_text(action)}".rstrip()


def describe(action: Action) -> str:
    """The action as the dataset has it: its type and values."""
    name = action_type(action)
    match action:
        case Click(point) | LongPress(point):
            return f"{name} {point.x}, {point.y}"
        case Scroll(start, end):
            return f"{name} {start.x}, {start.y} → {end.x}, {end.y}"
        case Type(text):
            return f"{name} “{text}”"
        case Complete(words) | Impossible(words):
            return f"{name} {words}".rstrip()
        case Press():
            return name


def scroll_direction(start: Point, end: Point) -> str:
    """The direction in which the view moves: a finger that moves up scrolls down."""
    across, down = end.x - start.x, end.y - start.y
    if abs(across) > abs(down):
        return "left" if across > 0 else "right"
    return "up" if down > 0 else "down"


def _shortened(words: str) -> str:
    line = on_one_line(words[: _LONGEST_ELEMENT * 4])
    return line if len(line) <= _LONGEST_ELEMENT else f"{line[: _LONGEST_ELEMENT - 1].rstrip()}…"


def is_terminal(action: Action) -> bool:
    return isinstance(action, Complete | Impossible)
