"""The nine actions of a GUI-Odyssey episode, as values."""

from dataclasses import dataclass
from enum import Enum

from odyssey_recorder.model.geometry import Point


class SystemKey(Enum):
    """The three keys of Android's navigation bar that are actions of the dataset."""

    HOME = "HOME"
    BACK = "BACK"
    RECENT = "RECENT"


@dataclass(frozen=True, slots=True)
class Click:
    """A short press at one point."""

    point: Point


@dataclass(frozen=True, slots=True)
class LongPress:
    """A press at one point, held past the device's long-press time."""

    point: Point


@dataclass(frozen=True, slots=True)
class Scroll:
    """A finger dragged over the screen: where it touched, where it lifted, and its path, ends included."""

    start: Point
    end: Point
    path: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Type:
    """Text entered into the focused field."""

    text: str


@dataclass(frozen=True, slots=True)
class Press:
    """One of the system keys HOME, BACK, RECENT."""

    key: SystemKey


@dataclass(frozen=True, slots=True)
class Complete:
    """The task is done; `note` is what the annotator found or wants to say, often empty."""

    note: str = ""


@dataclass(frozen=True, slots=True)
class Impossible:
    """The task cannot be done here, and why."""

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
    """The action in a few words, as lists and reports show it: ``CLICK 432, 118``."""
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
    """Whether the action ends its episode."""
    return isinstance(action, Complete | Impossible)
