"""Claude's computer tool, with tools of our own for what a phone has and a desk has not; in pixels as sent.

Its scrolls move the view. A Chat Completions server has no computer tool: there its inputs are asked for as JSON.
"""

import json
from collections.abc import Sequence
from typing import get_args

from odyssey_recorder.agents.adapter import Adapter, Kind, PromptWords, Turns, json_of, made
from odyssey_recorder.agents.computer_tools import own_tools, split, words
from odyssey_recorder.agents.frames import CoordinateFrame, Fit, path, sent_frame, view_direction, view_scroll
from odyssey_recorder.agents.parsing import Fields, fields_of, json_objects, name_of
from odyssey_recorder.llm.tool_calls import ToolCall
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.episode import Json

_SYSTEM = """\
You operate an Android phone through its touchscreen. The screen is {} pixels; coordinates are pixels from its top left
corner. Decide the next action of the task and answer with one JSON object, the input of one of these tools:
{{"action": "left_click", "coordinate": [x, y]}}
{{"action": "long_press", "coordinate": [x, y]}}
{{"action": "scroll", "coordinate": [x, y], "scroll_direction": "up|down|left|right", "scroll_amount": 5}}: scroll the
content; down shows what is further down.
{{"action": "left_click_drag", "start_coordinate": [x, y], "coordinate": [x, y]}}: move the finger.
{{"action": "type", "text": "..."}}: enter text into the focused field.
{{"action": "home"}}, {{"action": "back"}}, {{"action": "recent"}}: the system keys.
{{"action": "complete", "text": "..."}}: the task is done; text is its answer, if it asks for one.
{{"action": "impossible", "text": "..."}}: the task cannot be done; text says why."""
_NAMES = {kind: kind.lower() for kind in get_args(Kind)} | {"CLICK": "left_click"}
_KINDS = {name: kind for kind, name in _NAMES.items()} | {"key": "KEY", "hold_key": "KEY", "wait": "WAIT"}
_KINDS |= dict.fromkeys(("screenshot", "zoom"), "LOOK")
_NOTCHES = 5
"""Of a wheel, for a scroll of usual length."""


def _words(text: PromptWords) -> tuple[str, str]:
    return _SYSTEM.format(text.sent_size), f"Task: {text.task}\nDone so far:\n{text.listed('nothing')}"


def _split(text: str) -> Sequence[Fields]:
    """A tool call has its fields in `input`; tools of our own are named by the call."""
    objects = json_objects(text)
    return [{"action": call.get("name"), **fields_of(call["input"])} if "input" in call else call for call in objects]


def _act(fields: Fields, frame: CoordinateFrame) -> actions.Action:
    name, place = name_of(fields.get("action")), fields.get("coordinate")
    if name == "scroll":
        return view_scroll(fields.get("scroll_direction"), None if place is None else frame.at(place))
    if name == "left_click_drag":
        return path(frame.at(fields.get("start_coordinate")), frame.at(place))
    return made(_KINDS.get(name), name, frame, place, fields.get("text", fields.get("duration")))


def _write(action: actions.Action, frame: CoordinateFrame) -> str:
    more = {"scroll_direction": view_direction(action).lower()} if isinstance(action, actions.Scroll) else {}
    return json_of(action, frame, _NAMES, key="action", pair="coordinate", **more)


# The tool itself, over the Messages API.

_OFF = (
    "right_click", "middle_click", "double_click", "triple_click", "mouse_move", "left_mouse_down", "left_mouse_up",
    "cursor_position", "hold_key", "zoom",
)  # fmt: skip
_TOOLSET: Json = {"type": "computer_toolset_20260801", "configs": {name: {"enabled": False} for name in _OFF}}
"""Without what a finger cannot do."""


def _act_call(call: ToolCall, frame: CoordinateFrame) -> actions.Action:
    given = call.arguments
    place = given["coordinate"] if "coordinate" in given else (given.get("x"), given.get("y"))
    is_placed = "coordinate" in given or "x" in given
    return _act({**given, "action": call.name, "coordinate": place if is_placed else None}, frame)


def _write_call(action: actions.Action, frame: CoordinateFrame) -> str:
    fields = json.loads(_write(action, frame))
    name = fields.pop("action")
    match action:
        case actions.LongPress():
            fields["x"], fields["y"] = fields.pop("coordinate")
        case actions.Scroll():
            fields["scroll_amount"] = _NOTCHES
        case _:
            pass
    return str(ToolCall(name, fields))


_SOURCE = "platform.claude.com, computer use tool, 2026-08"
ADAPTERS = (
    Adapter("claude", _words, _split, _act, _write, frame=sent_frame, fit=Fit(longest=1366), source=_SOURCE),
    Adapter(
        "claude-computer-tool",
        words,
        split,
        _act_call,
        _write_call,
        frame=sent_frame,
        fit=Fit(longest=1568, most=1568 * 28 * 28),
        turns=Turns(of_pictured=True),
        pictures=4,
        sampling={},
        wire="messages",
        tools=(_TOOLSET, *own_tools("input_schema")),
        source="anthropics/anthropic-sdk-python 2.14.0",
    ),
)
