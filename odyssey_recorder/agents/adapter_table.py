"""The table of adapters. What it says of grammars is found by writing and reading, not told by hand."""

from typing import Any

from odyssey_recorder.agents.adapter import Adapter
from odyssey_recorder.agents.frames import FrameOf, finger_scroll, grid_999_frame, grid_frame, sent_frame, true_frame
from odyssey_recorder.model.action import (
    Action,
    Click,
    Complete,
    Impossible,
    LongPress,
    Press,
    SystemKey,
    Type,
    action_type,
)
from odyssey_recorder.model.geometry import Point, Size

HEADS = ("Adapter", "Cannot say", "Coordinates", "History of its maker", "Made from")
TRIED = (
    "Tried with answers that makers document or people reported, and by writing and reading every action. No model was "
    "run."
)
_FRAMES: dict[FrameOf, str] = {
    grid_frame: "0 to 1000",
    grid_999_frame: "0 to 999",
    sent_frame: "pixels as sent",
    true_frame: "pixels of the screen",
}
_SIZE = Size(1080, 2400)
_AT = Point(500, 500)
_ACTIONS: tuple[Action, ...] = (
    Click(_AT), LongPress(_AT), finger_scroll("UP", _AT), Type("a"), *map(Press, SystemKey), Complete("a"),
    Impossible("a"),
)  # fmt: skip


def row_of(adapter: Adapter[Any]) -> tuple[str, ...]:
    """In the order of HEADS."""
    unsaid, sent = [], adapter.fit(_SIZE)
    for action in _ACTIONS:
        written = adapter.written(action, adapter.frame(sent, _SIZE))
        if written is None:
            unsaid.append(action_type(action))
        elif isinstance(action, Complete | Impossible) and adapter.read(written, sent, _SIZE).action != action:
            unsaid.append(f"words of {action_type(action)}")
    way = "list" if adapter.turns is None else "turns"
    history = f"{way}, {adapter.pictures} screenshots" if adapter.pictures else way
    return adapter.name, ", ".join(unsaid), _FRAMES[adapter.frame], history, adapter.source or "this project"
