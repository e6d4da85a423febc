"""The `mobile_use` tool of Qwen's models and of those trained from them: what the model is told of it, and its calls.

Sources: QwenLM/Qwen2.5-VL and Qwen3-VL, cookbooks; X-PLUG/MobileAgent, Mobile-Agent-v3.5; Tongyi-MAI/MAI-UI. One reader
serves all of them; their prompts, frames and histories differ.
"""

import json
from collections.abc import Mapping, Sequence

from odyssey_recorder.agents.adapter import made
from odyssey_recorder.agents.frames import CoordinateFrame, finger_scroll, path
from odyssey_recorder.agents.parsing import Fields, fields_of, json_objects, name_of
from odyssey_recorder.agents.phrases import writer
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
_TOLD = {
    "key": "Perform a key event on the mobile device.\n    - This supports adb's `keyevent` syntax.\n"
    '    - Examples: "volume_up", "volume_down", "power", "camera", "clear".',
    "click": "Click the point on the screen with coordinate (x, y).",
    "long_press": "Press the point on the screen with coordinate (x, y) for specified seconds.",
    "swipe": "Swipe from the starting point with coordinate (x, y) to the end point with coordinates2 (x2, y2).",
    "type": "Input the specified text into the activated input box.",
    "answer": "Output the answer.",
    "system_button": "Press the system button.",
    "open": "Open an app on the device.",
    "wait": "Wait specified seconds for the change to happen.",
    "interact": "Ask the user to resolve what blocks the task.",
    "terminate": "Terminate the current task and report its completion status.",
}
_PLACE = "(x, y): the pixels from the left edge and from the top edge. Required only by {}."
_BUTTON = (
    "Back means returning to the previous interface, Home means returning to the desktop, Menu means opening the "
    "application background menu, and Enter means pressing the enter. Required only by `action=system_button`"
)
_KINDS = {
    "click": "CLICK", "tap": "CLICK", "long_press": "LONG_PRESS", "type": "TYPE", "answer": "COMPLETE", "key": "KEY",
    "open": "OPEN", "open_app": "OPEN", "awake": "OPEN", "wait": "WAIT", "interact": "ASK", "ask_user": "ASK",
    "call_user": "ASK", "calluser": "ASK", "info": "ASK",
}  # fmt: skip
_BUTTONS = {"back": "BACK", "home": "HOME", "menu": "RECENT", "enter": "KEY"}
_ENDS = {"success": "COMPLETE", "failure": "IMPOSSIBLE", "fail": "IMPOSSIBLE"}


def tools(screen: str, names: Sequence[str], *, older: bool = False) -> str:
    """The system's words about the tool with the actions `names`, in this order, on a screen of this size.

    `older` functions also have a name for people and a format of their arguments.
    """

    def of(*wanted: str) -> str:
        return ", ".join(f"`action={name}`" for name in wanted if name in names)

    told = "\n".join(f"* `{name}`: {_TOLD[name]}" for name in names)
    properties: dict[str, Mapping[str, object]] = {
        "action": {
            "description": f"The action to perform. The available actions are:\n{told}",
            "enum": names,
            "type": "string",
        },
        "coordinate": {"description": _PLACE.format(of("click", "long_press", "swipe")), "type": "array"},
        "coordinate2": {"description": _PLACE.format(of("swipe")), "type": "array"},
        "text": {
            "description": f"Required only by {of('key', 'type', 'open', 'answer', 'interact')}.",
            "type": "string",
        },
        "time": {"description": f"The seconds to wait. Required only by {of('long_press', 'wait')}.", "type": "number"},
        "button": {"description": _BUTTON, "enum": ["Back", "Home", "Menu", "Enter"], "type": "string"},
        "status": {
            "description": "The status of the task. Required only by `action=terminate`.",
            "type": "string",
            "enum": ["success", "failure"],
        },
    }
    parameters = {"properties": properties, "required": ["action"], "type": "object"}
    function = {"name": "mobile_use", "description": _SCREEN.format(screen), "parameters": parameters}
    if older:
        form = "Format the arguments as a JSON object."
        function = {"name_for_human": "mobile_use", **function, "args_format": form}
    return _TOOLS.format(json.dumps({"type": "function", "function": function}, ensure_ascii=False))


def split(text: str) -> Sequence[Fields]:
    """The calls; those in tags, if there are tags."""
    return json_objects(text[max(0, text.find("<tool_call>")) :])


def act(call: Fields, frame: CoordinateFrame) -> actions.Action:
    fields = fields_of(call.get("arguments", call))
    name = name_of(fields.get("action") or call.get("name"))
    start = fields.get("coordinate", fields.get("coordinate1", fields.get("start_coordinate")))
    text, kind = fields.get("text"), _KINDS.get(name)
    match name:
        case "swipe" | "scroll" | "drag" if "direction" in fields:
            return finger_scroll(fields["direction"], None if start is None else frame.at(start))
        case "swipe" | "scroll" | "drag":
            return path(frame.at(start), frame.at(fields.get("coordinate2", fields.get("end_coordinate"))))
        case "system_button":
            text = name = name_of(fields.get("button"))
            kind = _BUTTONS.get(name)
        case "terminate":
            name = name_of(fields.get("status"))
            kind = _ENDS.get(name)
        case "wait":
            text = fields.get("time")
        case _:
            pass
    return made(kind, name, frame, start, text)


_WRITTEN = {
    "CLICK": '{"action": "click", "coordinate": [$x, $y]}',
    "LONG_PRESS": '{"action": "long_press", "coordinate": [$x, $y], "time": 2}',
    "SCROLL": '{"action": "swipe", "coordinate": [$x, $y], "coordinate2": [$x2, $y2]}',
    "TYPE": '{"action": "type", "text": $json}',
    "HOME": '{"action": "system_button", "button": "Home"}',
    "BACK": '{"action": "system_button", "button": "Back"}',
    "RECENT": '{"action": "system_button", "button": "Menu"}',
    "COMPLETE": '{"action": "terminate", "status": "success"}',
    "IMPOSSIBLE": '{"action": "terminate", "status": "failure"}',
}
_CALL = '<tool_call>\n{"name": "mobile_use", "arguments": %s}\n</tool_call>'
write = writer(_CALL, **_WRITTEN, ANSWER='{"action": "answer", "text": $json}')
write_without_answers = writer(_CALL, **_WRITTEN)


def sentence_in(answer: str) -> str:
    """The words of `Action: …` before the call, on one line and without double quotes."""
    words = answer.partition("<tool_call>")[0].rpartition("Action:")[2]
    return " ".join(words.replace('"', "").split())
