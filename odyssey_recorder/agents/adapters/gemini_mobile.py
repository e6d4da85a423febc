"""Gemini's computer use for mobile devices: function calls on a grid to 999, over generateContent.

Source: ai.google.dev/gemini-api/docs/computer-use, google-gemini/computer-use-preview, googleapis/python-genai. A turn
without a call is the answer. Which keys `press_key` takes is not listed there.
"""

from odyssey_recorder.agents.adapter import Adapter, Turns, made
from odyssey_recorder.agents.computer_tools import own_tools, split, words
from odyssey_recorder.agents.frames import CoordinateFrame, Fit, grid_frame, path
from odyssey_recorder.agents.phrases import writer
from odyssey_recorder.llm.tool_calls import ToolCall
from odyssey_recorder.model import action as actions

_KINDS = {
    "click": "CLICK", "long_press": "LONG_PRESS", "type": "TYPE", "go_back": "BACK", "press_key": "KEY",
    "open_app": "OPEN", "wait": "WAIT", "take_screenshot": "LOOK", "list_apps": "LOOK",
    "complete": "COMPLETE", "impossible": "IMPOSSIBLE",
}  # fmt: skip
_TEXTS = {"press_key": "key", "open_app": "app_name", "wait": "seconds"}


def _act(call: ToolCall, frame: CoordinateFrame) -> actions.Action:
    given = call.arguments
    if call.name == "drag_and_drop":
        return path(*(frame.at((given.get(f"{which}_x"), given.get(f"{which}_y"))) for which in ("start", "end")))
    text = given.get(_TEXTS.get(call.name, "text"), "")
    return made(_KINDS.get(call.name), call.name, frame, (given.get("x"), given.get("y")), text)


_write = writer(
    "<tool_call>\n%s\n</tool_call>",
    CLICK='{"name": "click", "arguments": {"y": $y, "x": $x}}',
    LONG_PRESS='{"name": "long_press", "arguments": {"y": $y, "x": $x}}',
    SCROLL='{"name": "drag_and_drop", "arguments": {"start_y": $y, "start_x": $x, "end_y": $y2, "end_x": $x2}}',
    TYPE='{"name": "type", "arguments": {"text": $json}}',
    HOME='{"name": "press_key", "arguments": {"key": "home"}}',
    BACK='{"name": "go_back", "arguments": {}}',
    RECENT='{"name": "press_key", "arguments": {"key": "app_switch"}}',
    COMPLETE='{"name": "complete", "arguments": {"text": $json}}',
    IMPOSSIBLE='{"name": "impossible", "arguments": {"text": $json}}',
)


ADAPTERS = (
    Adapter(
        "gemini-mobile",
        words,
        split,
        _act,
        _write,
        frame=grid_frame,
        fit=Fit(longest=2048),
        turns=Turns(of_pictured=True),
        pictures=2,
        sampling={"temperature": 1.0, "top_p": 0.95, "top_k": 40},
        wire="gemini",
        tools=(
            {"computerUse": {"environment": "ENVIRONMENT_MOBILE"}},
            {"functionDeclarations": list(own_tools("parametersJsonSchema", "complete", "impossible"))},
        ),
        source="googleapis/python-genai 3.6.1",
    ),
)
