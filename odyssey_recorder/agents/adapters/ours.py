"""Any model that keeps to a JSON schema: our own prompt, for models that were not trained for phones."""

from typing import Literal, get_args

from pydantic import BaseModel

from odyssey_recorder.agents.adapter import Adapter, Kind, PromptWords, json_of, made
from odyssey_recorder.agents.frames import CoordinateFrame, finger_direction, finger_scroll
from odyssey_recorder.agents.parsing import Fields, json_objects, name_of
from odyssey_recorder.model import action as actions

FIELDS = """\
action: CLICK or LONG_PRESS at x, y; SCROLL, in the direction in which the finger moves; TYPE the text into the focused
field; HOME, BACK or RECENT for the system keys; COMPLETE when the task is done, with the answer as text if it asks for
one; IMPOSSIBLE when it cannot be done, with the reason as text.
x, y: whole numbers from 0 to 1000, of the screen's width and height, from its top left corner.
direction: UP, DOWN, LEFT or RIGHT.
What an action does not need is null."""
_SYSTEM = f"""\
You operate an Android phone. You see its screen and decide the next step of a task. Answer with one JSON object:
reason: one sentence that says why.
{FIELDS}"""
_NAMES = {kind: kind for kind in get_args(Kind)}


class _Step(BaseModel):
    """The next step."""

    reason: str
    action: Kind
    x: int | None
    y: int | None
    direction: Literal["UP", "DOWN", "LEFT", "RIGHT"] | None
    text: str | None


def _words(text: PromptWords) -> tuple[str, str]:
    return _SYSTEM, f"Task: {text.task}\nDone so far:\n{text.listed('nothing')}\nWhat is the next step?"


def _act(fields: Fields, frame: CoordinateFrame) -> actions.Action:
    kind = name_of(fields.get("action")).upper()
    if kind == "SCROLL":
        return finger_scroll(fields.get("direction"))
    return made(kind, kind, frame, (fields.get("x"), fields.get("y")), fields.get("text"))


def _write(action: actions.Action, frame: CoordinateFrame) -> str:
    more = {"direction": finger_direction(action)} if isinstance(action, actions.Scroll) else {}
    return json_of(action, frame, _NAMES, key="action", **more)


ADAPTERS = (Adapter("ours", _words, json_objects, _act, _write, answer=_Step),)
