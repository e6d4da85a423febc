"""Qwen2.5-VL: calls of its `mobile_use` tool, in pixels of the image as its processor resizes it.

Source: QwenLM/Qwen2.5-VL, cookbooks/mobile_agent. A server's own limit of pixels is unknown: images are sent in a
size that the smallest usual limit, 28 * 28 * 1280, leaves alone.
"""

import json
from collections.abc import Mapping

from odyssey_recorder.agents.adapter import Adapter, PromptWords, made
from odyssey_recorder.agents.frames import CoordinateFrame, Fit, path, sent_frame
from odyssey_recorder.agents.parsing import Fields, fields_of, json_objects, optional_text
from odyssey_recorder.model import action as actions

_SCREEN = """\
Use a touchscreen to interact with a mobile device, and take screenshots.
* This is an interface to a mobile device with touchscreen. You can perform actions like clicking, typing, swiping, etc.
* Some applications may take time to start or process actions, so you may need to wait and take successive screenshots \
to see the results of your actions.
* The screen's resolution is {}.
* Make sure to click any buttons, links, icons, etc with the cursor tip in the center of the element. Don't click \
boxes on their edges unless asked."""
_TOOLS = """\
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{{"name": <function-name>, "arguments": <args-json-object>}}
</tool_call>"""
CLICKS = {
    "click": "Click the point on the screen with coordinate (x, y).",
    "long_press": "Press the point on the screen with coordinate (x, y) for specified seconds.",
    "swipe": "Swipe from the starting point with coordinate (x, y) to the end point with coordinates2 (x2, y2).",
    "type": "Input the specified text into the activated input box.",
    "system_button": "Press the system button.",
    "wait": "Wait specified seconds for the change to happen.",
    "terminate": "Terminate the current task and report its completion status.",
}
_MORE = {"key": "Perform a key event on the mobile device.", "open": "Open an app on the device."}
_KINDS = {"click": "CLICK", "long_press": "LONG_PRESS", "type": "TYPE", "answer": "COMPLETE"}
_BUTTONS = {"HOME": "Home", "BACK": "Back", "RECENT": "Menu"}
_KEYS = {button: key for key, button in _BUTTONS.items()}
_ENDS = {"success": "COMPLETE", "failure": "IMPOSSIBLE"}


def tools(screen: str, named: Mapping[str, str]) -> str:
    """The system's message; `screen` is the size in whose coordinates the model answers, `named` its actions."""
    told = "\n".join(f"* `{name}`: {words}" for name, words in named.items())
    told = f"The action to perform. The available actions are:\n{told}"
    properties: dict[str, object] = {
        "action": {"description": told, "enum": list(named), "type": "string"},
        "coordinate": {"description": "(x, y): pixels from the left edge and from the top edge.", "type": "array"},
        "coordinate2": {"description": "(x, y), required only by `action=swipe`.", "type": "array"},
        "text": {"description": "Required by the actions with a text.", "type": "string"},
        "time": {"description": "The seconds to wait.", "type": "number"},
        "button": {"enum": ["Back", "Home", "Menu", "Enter"], "type": "string"},
        "status": {"enum": ["success", "failure"], "type": "string"},
    }
    parameters = {"properties": properties, "required": ["action"], "type": "object"}
    function = {"name": "mobile_use", "description": _SCREEN.format(screen), "parameters": parameters}
    return _TOOLS.format(json.dumps({"type": "function", "function": function}, ensure_ascii=False))


def query(told: PromptWords) -> str:
    done = told.listed("none", "Step {0}: {1};", " ")
    progress = "Task progress (You have done the following operation on the current device)"
    return f"The user query: {told.task}\n{progress}: {done}"


def _words(text: PromptWords) -> tuple[str, str]:
    return f"You are a helpful assistant.\n\n{tools(str(text.sent_size), CLICKS | _MORE)}", query(text)


def act(call: Fields, frame: CoordinateFrame) -> actions.Action:
    fields = fields_of(call.get("arguments", call))
    name = optional_text(fields.get("action"))
    if name == "swipe":
        return path(frame.at(fields.get("coordinate")), frame.at(fields.get("coordinate2")))
    if name == "system_button":
        name = optional_text(fields.get("button"))
    kinds = _KINDS if name in _KINDS else _KEYS
    if name == "terminate":
        name, kinds = optional_text(fields.get("status")), _ENDS
    return made(kinds.get(name), name, frame, fields.get("coordinate"), fields.get("text"))


def write(action: actions.Action, frame: CoordinateFrame, *, answers: bool = False) -> str:
    """With `answers`, the note of a COMPLETE is an answer."""
    fields: dict[str, object] = {"action": actions.action_type(action).lower()}
    match action:
        case actions.Click(point):
            fields["coordinate"] = frame.place(point)
        case actions.LongPress(point):
            fields |= {"coordinate": frame.place(point), "time": 2}
        case actions.Scroll(start, end):
            fields = {"action": "swipe", "coordinate": frame.place(start), "coordinate2": frame.place(end)}
        case actions.Type(text):
            fields["text"] = text
        case actions.Press(key):
            fields = {"action": "system_button", "button": _BUTTONS[key.value]}
        case actions.Complete(note) if note and answers:
            fields = {"action": "answer", "text": note}
        case actions.Complete() | actions.Impossible():
            status = "success" if isinstance(action, actions.Complete) else "failure"
            fields = {"action": "terminate", "status": status}
    call = json.dumps({"name": "mobile_use", "arguments": fields}, ensure_ascii=False)
    return f"<tool_call>\n{call}\n</tool_call>"


ADAPTERS = (
    Adapter("qwen2.5-vl", _words, json_objects, act, write, frame=sent_frame, fit=Fit(28 * 28 * 1280, factor=28)),
)
