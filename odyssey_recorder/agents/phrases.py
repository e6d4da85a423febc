"""How a grammar writes actions: a phrase for each kind that it has words for."""

import json
from collections.abc import Callable, Mapping
from string import Template

from odyssey_recorder.agents.frames import CoordinateFrame, finger_direction, view_direction
from odyssey_recorder.model.action import (
    Action,
    Click,
    Complete,
    Impossible,
    LongPress,
    Press,
    Scroll,
    Type,
    action_type,
)


def writer(around: str = "%s", **phrases: str) -> Callable[[Action, CoordinateFrame], str | None]:
    """Writes an action as the phrase of its kind; None for a kind without one. A COMPLETE with a text may be an ANSWER.

    In a phrase `$x` and `$y` are the place, `$x2` and `$y2` the end of a scroll, `$finger`, `$FINGER` and `$view` its
    direction. Its text is `$text` as it is, `$json` or `$python` as a literal, and `$untabbed` without tabs.
    """
    templates = {kind: Template(around % phrase) for kind, phrase in phrases.items()}

    def write(action: Action, frame: CoordinateFrame) -> str | None:
        kind = (
            "ANSWER" if "ANSWER" in templates and isinstance(action, Complete) and action.note else action_type(action)
        )
        return templates[kind].substitute(_values(action, frame)) if kind in templates else None

    return write


def _values(action: Action, frame: CoordinateFrame) -> Mapping[str, object]:
    match action:
        case Click(point) | LongPress(point):
            x, y = frame.place(point)
            return {"x": x, "y": y}
        case Scroll(start, end):
            (x, y), (x2, y2) = frame.place(start), frame.place(end)
            ways = {"finger": finger_direction(action).lower(), "view": view_direction(action).lower()}
            return {"x": x, "y": y, "x2": x2, "y2": y2, **ways, "FINGER": ways["finger"].upper()}
        case Type(text) | Complete(text) | Impossible(text):
            literals = {"json": json.dumps(text, ensure_ascii=False), "python": repr(text)}
            return {"text": text, "untabbed": text.replace("\t", " "), **literals}
        case Press():
            return {}
