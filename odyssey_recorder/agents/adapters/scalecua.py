"""ScaleCUA on Android: an operation in words and a call, `click(x=412, y=1180)`, in pixels of the image as resized.

Source: OpenGVLab/ScaleCUA, playground/config/prompt_template/ours_android.json and evaluation/AndroidWorld
(Apache-2.0). The models on InternVL write shares of the screen. `swipe` names the direction of the finger.
"""

import re
from functools import partial

from odyssey_recorder.agents.adapter import Adapter, PromptWords, made
from odyssey_recorder.agents.frames import CoordinateFrame, Fit, finger_scroll, path, sent_frame
from odyssey_recorder.agents.parsing import FunctionCall, UnreadableAnswerError, calls_in_tag, name_of, numbers
from odyssey_recorder.agents.phrases import form, writer
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.geometry import Point

_SYSTEM = """\
You are an agent that operates an Android phone. You get a screenshot, a task and your earlier operations, and decide
the next operation.

## Action Space
def click(x: float, y: float): Tap the screen.
def swipe(from_coord: tuple, to_coord: tuple, direction: str, amount: float = 0.5): Move the finger from one point to \
another, or in a direction: up, down, left or right.
def long_press(x: float, y: float): Press the screen for long.
def open_app(app_name: str): Open an app.
def navigate_home(): Press the home key.
def navigate_back(): Press the back key.
def write(message: str): Enter text into the focused field.
def call_user(): Ask the user to take over.
def wait(seconds: int = 3): Wait.
def response(answer: str): Answer the question of the task.
def terminate(status: str, info: str): End the task; the status is 'success' or 'failure'.

## Output Format
<operation>
one sentence that says what to do next
</operation>
<action>
one call from the action space
</action>

Coordinates are pixels of the screenshot."""
_KINDS = {
    "click": "CLICK", "long_press": "LONG_PRESS", "write": "TYPE", "navigate_home": "HOME", "navigate_back": "BACK",
    "response": "COMPLETE", "open_app": "OPEN", "wait": "WAIT", "call_user": "ASK",
}  # fmt: skip
_ENDS = {"success": "COMPLETE", "failure": "IMPOSSIBLE"}
_OPERATION = re.compile(r"<operation>\s*(.*?)\s*</operation>", re.DOTALL)


def _words(told: PromptWords) -> tuple[str, str, str]:
    done = told.listed("None", "Step {0}: {1}")
    return _SYSTEM, "", f"Write the next operation.\n\nTask:\n{told.task}\n\nPrevious operations:\n{done}"


def _at(place: object, frame: CoordinateFrame) -> Point:
    """Two fractions are shares of the screen; one fraction beside pixels may be either."""
    match numbers(place) if isinstance(place, str) and "." in place else ():
        case (x, y) if max(x, y) <= 1:
            return frame.point(x * frame.width, y * frame.height)
        case (x, y) if 0 < min(x, y) < 1:
            raise UnreadableAnswerError("unreadable", f"{place!r:.60} is not a point")
    return frame.at(place)


def _act(call: FunctionCall, frame: CoordinateFrame) -> actions.Action:
    name, given = name_of(call.name), call.arguments
    if name == "swipe" and "from_coord" in given:
        return path(_at(given["from_coord"], frame), _at(given.get("to_coord"), frame))
    if name == "swipe":
        return finger_scroll(given.get("direction"))
    if name in ("click", "long_press"):
        point = _at("({}, {})".format(given.get("x"), given.get("y")), frame)
        return actions.Click(point) if name == "click" else actions.LongPress(point)
    text = next((given[key] for key in ("message", "answer", "app_name", "seconds", "info") if key in given), None)
    kind = _ENDS.get(str(given.get("status")).lower()) if name == "terminate" else _KINDS.get(name)
    return made(kind, name, frame, text=text)


_write = writer(
    CLICK="click(x=$x, y=$y)",
    LONG_PRESS="long_press(x=$x, y=$y)",
    SCROLL="swipe(from_coord=($x, $y), to_coord=($x2, $y2))",
    TYPE="write(message=$python)",
    HOME="navigate_home()",
    BACK="navigate_back()",
    COMPLETE="terminate(status='success', info=$python)",
    IMPOSSIBLE="terminate(status='failure', info=$python)",
)


def _operation(answer: str) -> str:
    found = _OPERATION.search(answer)
    return found[1] if found else answer.strip()


ADAPTERS = (
    Adapter(
        "scalecua",
        _words,
        partial(calls_in_tag, "action"),
        _act,
        _write,
        form=form("<operation>\n$sentence\n</operation>\n<action>\n$call\n</action>"),
        frame=sent_frame,
        fit=Fit(2_109_744, factor=28),
        retold=_operation,
        sampling={},
        source="OpenGVLab/ScaleCUA 5d92fee",
    ),
)
