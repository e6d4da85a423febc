"""OpenAI's computer tool, with functions of our own for what a phone has and a desk has not; in pixels as sent.

`scroll_y` is taken as a wheel has it: positive shows what is further down, as a finger that moves up does. The tool
itself exists in the Responses API only; over Chat Completions its actions are asked for as JSON.
"""

import json
from collections.abc import Iterable, Sequence
from typing import get_args

from odyssey_recorder.agents.adapter import Adapter, Kind, PromptWords, Turns, json_of, made
from odyssey_recorder.agents.computer_tools import own_tools, split, words
from odyssey_recorder.agents.frames import CoordinateFrame, Fit, path, sent_frame, view_direction, view_scroll
from odyssey_recorder.agents.parsing import Fields, UnreadableAnswerError, fields_of, json_objects, name_of, number
from odyssey_recorder.llm.responses_wire import COMPUTER
from odyssey_recorder.llm.tool_calls import ToolCall
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.geometry import Point

_SYSTEM = """\
You operate an Android phone through its touchscreen. The screen is {} pixels; coordinates are pixels from its top left
corner. Decide the next action of the task and answer with one JSON object:
{{"type": "click", "x": 0, "y": 0, "button": "left"}}
{{"type": "long_press", "x": 0, "y": 0}}
{{"type": "scroll", "x": 0, "y": 0, "scroll_x": 0, "scroll_y": 500}}: scroll the content from x, y; a positive scroll_y
shows what is further down, a positive scroll_x what is further right.
{{"type": "drag", "path": [{{"x": 0, "y": 0}}, {{"x": 0, "y": 0}}]}}: move the finger along a path.
{{"type": "type", "text": "..."}}: enter text into the focused field.
{{"type": "home"}}, {{"type": "back"}}, {{"type": "recent"}}: the system keys.
{{"type": "complete", "text": "..."}}: the task is done; text is its answer, if it asks for one.
{{"type": "impossible", "text": "..."}}: the task cannot be done; text says why."""
_NAMES = {kind: kind.lower() for kind in get_args(Kind)}
_KINDS = {name: kind for kind, name in _NAMES.items()} | {"screenshot": "LOOK", "wait": "WAIT"}
_SCROLLS = {"UP": (0, -500), "DOWN": (0, 500), "LEFT": (-500, 0), "RIGHT": (500, 0)}


def _words(text: PromptWords) -> tuple[str, str]:
    return _SYSTEM.format(text.sent_size), f"Task: {text.task}\nDone so far:\n{text.listed('nothing')}"


def _split(text: str) -> Sequence[object]:
    return _actions_of(json_objects(text))


def _actions_of(calls: Iterable[Fields]) -> Sequence[object]:
    """The tool's own calls have one action or several."""
    found: list[object] = []
    for call in calls:
        several = call.get("actions")
        found += several if isinstance(several, list) else [call.get("action", call)]
    return found or [{}]


def _act(call: object, frame: CoordinateFrame) -> actions.Action:
    fields = fields_of(call)
    name, place = name_of(fields.get("type")), (fields.get("x"), fields.get("y"))
    if name == "scroll":
        return _scrolled(fields, None if place == (None, None) else frame.at(place))
    if name == "drag":
        return _dragged(fields.get("path"), frame)
    kind, text, button = _KINDS.get(name), fields.get("text"), fields.get("button") or "left"
    if name == "keypress":
        keys = fields.get("keys")
        text = "+".join(map(str, keys)) if isinstance(keys, list) else keys
        kind = "BACK" if str(text).lower() in ("esc", "escape") else "KEY"
    if name == "click" and button != "left":
        kind = "BACK" if button == "back" else None
    return made(kind, name, frame, place, text)


def _scrolled(fields: Fields, start: Point | None) -> actions.Scroll:
    across, down = (number(fields.get(name, 0)) for name in ("scroll_x", "scroll_y"))
    if not across and not down:
        raise UnreadableAnswerError("unreadable", "it scrolls by nothing")
    way = ("RIGHT" if across > 0 else "LEFT") if abs(across) > abs(down) else ("DOWN" if down > 0 else "UP")
    return view_scroll(way, start)


def _dragged(value: object, frame: CoordinateFrame) -> actions.Scroll:
    match value:
        case [start, *_, end]:
            return path(frame.at(start), frame.at(end))
        case _:
            raise UnreadableAnswerError("unreadable", "it drags along no path")


def _write(action: actions.Action, frame: CoordinateFrame) -> str:
    if not isinstance(action, actions.Scroll):
        return json_of(action, frame, _NAMES, key="type")
    across, down = _SCROLLS[view_direction(action)]
    return json_of(action, frame, _NAMES, key="type", scroll_x=across, scroll_y=down)


# The tool itself, over the Responses API.


def _split_calls(text: str) -> Sequence[object]:
    return _actions_of({"type": call.name, **call.arguments} for call in split(text))


def _write_call(action: actions.Action, frame: CoordinateFrame) -> str:
    fields = json.loads(_write(action, frame))
    if fields["type"] in ("click", "scroll", "type"):
        return str(ToolCall(COMPUTER, {"actions": [fields]}))
    return str(ToolCall(fields.pop("type"), fields))


ADAPTERS = (
    Adapter(
        "openai-computer",
        _words,
        _split,
        _act,
        _write,
        frame=sent_frame,
        fit=Fit(10_240_000),
        detail="original",
        source="openai/openai-python e43b422",
    ),
    Adapter(
        "openai-computer-tool",
        words,
        _split_calls,
        _act,
        _write_call,
        frame=sent_frame,
        fit=Fit(most=10_240_000),
        detail="original",
        turns=Turns(of_pictured=True),
        pictures=4,
        sampling={},
        wire="responses",
        tools=({"type": "computer"}, *own_tools("parameters", type="function", strict=True)),
        source="openai/openai-python, guide tools-computer-use",
    ),
)
