"""The nine actions of a GUI-Odyssey episode, as values."""

from dataclasses import dataclass
from enum import Enum

from odyssey_recorder.model.geometry import Point


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


def describe(action: Action) -> str:
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


def is_terminal(action: Action) -> bool:
    return isinstance(action, Complete | Impossible)
