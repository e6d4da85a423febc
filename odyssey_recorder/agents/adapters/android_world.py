"""android_world's agents: `Action: {"action_type": "click", "x": 540, "y": 1200}`, in the device's own pixels.

Source: google-research/android_world, env/json_action.py and actuation.py. `scroll` moves the view, and so does `swipe`
to the left or right, but up and down it is the finger. Actions on elements by index cannot be read: no list of elements
is sent. Its `input_text` also presses Enter.
"""

from collections.abc import Sequence

from odyssey_recorder.agents.adapter import Adapter, PromptWords, made
from odyssey_recorder.agents.frames import CoordinateFrame, finger_scroll, true_frame, view_scroll
from odyssey_recorder.agents.parsing import Fields, after_mark, json_objects, name_of, optional_text
from odyssey_recorder.agents.phrases import form, writer
from odyssey_recorder.model import action as actions

_PROMPT = """\
You are an agent who can operate an Android phone on behalf of a user. You see its screen and decide the next action.
Available actions, as JSON; x and y are pixels of the device's screen of {size}:
{{"action_type": "status", "goal_status": "complete"}}, or "infeasible" if the task cannot be completed
{{"action_type": "answer", "text": "<answer_text>"}}: answer the user's question
{{"action_type": "click", "x": <x>, "y": <y>}}, {{"action_type": "long_press", "x": <x>, "y": <y>}}
{{"action_type": "input_text", "text": "<text_input>"}}: type into the focused field
{{"action_type": "scroll", "direction": "<up, down, left, right>"}}: scroll the content; down shows what is further down
{{"action_type": "navigate_home"}}, {{"action_type": "navigate_back"}}
The current user goal/request is: {task}
What was done so far:
{done}
Answer in this form:
Reason: ...
Action: {{"action_type": ...}}"""
_KINDS = {
    "click": "CLICK", "long_press": "LONG_PRESS", "input_text": "TYPE", "navigate_home": "HOME",
    "navigate_back": "BACK", "answer": "COMPLETE", "keyboard_enter": "KEY", "open_app": "OPEN", "wait": "WAIT",
}  # fmt: skip
_ACROSS = ("left", "right")
_GOALS = {"complete": "COMPLETE", "infeasible": "IMPOSSIBLE"}


def _words(text: PromptWords) -> tuple[str, str]:
    return "", _PROMPT.format(size=text.true_size, task=text.task, done=text.listed("nothing"))


def _split(text: str) -> Sequence[Fields]:
    return json_objects(after_mark(text, "Action"))


def _act(fields: Fields, frame: CoordinateFrame) -> actions.Action:
    name, place = name_of(fields.get("action_type")), (fields.get("x"), fields.get("y"))
    if name in ("scroll", "swipe"):
        direction = name_of(fields.get("direction"))
        scroll = view_scroll if name == "scroll" or direction in _ACROSS else finger_scroll
        return scroll(direction, None if place == (None, None) else frame.at(place))
    if name == "status":
        goal = optional_text(fields.get("goal_status")).strip().lower()
        return made(_GOALS.get(goal), goal, frame)
    by_index = "index" in fields and "x" not in fields
    text = "enter" if name == "keyboard_enter" else fields.get("text", fields.get("app_name"))
    return made(None if by_index else _KINDS.get(name), name, frame, place, text)


_write = writer(
    CLICK='{"action_type": "click", "x": $x, "y": $y}',
    LONG_PRESS='{"action_type": "long_press", "x": $x, "y": $y}',
    SCROLL='{"action_type": "scroll", "direction": "$view"}',
    TYPE='{"action_type": "input_text", "text": $json}',
    HOME='{"action_type": "navigate_home"}',
    BACK='{"action_type": "navigate_back"}',
    ANSWER='{"action_type": "answer", "text": $json}',
    COMPLETE='{"action_type": "status", "goal_status": "complete"}',
    IMPOSSIBLE='{"action_type": "status", "goal_status": "infeasible"}',
)


_form = form("Reason: $thought $sentence\nAction: $call")
_SOURCE = "google-research/android_world d9c569f"
ADAPTERS = (
    Adapter(
        "android-world",
        _words,
        _split,
        _act,
        _write,
        form=_form,
        frame=true_frame,
        source=_SOURCE,
    ),
)
