"""AutoGLM-Phone: one call, `do(action="Tap", element=[500,250])`, on a grid to 999; each screen with the app in front.

Source: zai-org/Open-AutoGLM, phone_agent/config/prompts_en.py, model/client.py and agent.py (Apache-2.0). The whole
conversation is repeated, but only the newest screen is shown: more pictures make its clicks wrong. `Type` replaces what
is in the field. `finish` may also say that it gave up, which nobody can tell apart.
"""

import json
import re

from odyssey_recorder.agents.adapter import Adapter, Moment, PromptWords, Turns, made
from odyssey_recorder.agents.frames import CoordinateFrame, Fit, path
from odyssey_recorder.agents.parsing import FunctionCall, calls, name_of
from odyssey_recorder.agents.phrases import form, writer
from odyssey_recorder.model import action as actions

_SYSTEM = """\
{date}
You operate a phone for its user. For each screen, decide the next operation, and write exactly:
<think>why this is the next operation</think>
<answer>the operation</answer>

The operation is one of these calls. Coordinates go from [0,0], top left, to [999,999], bottom right.
- do(action="Tap", element=[x,y]): tap the screen.
- do(action="Type", text="xxx"): replace the text of the focused field.
- do(action="Swipe", start=[x1,y1], end=[x2,y2]): move the finger from start to end.
- do(action="Long Press", element=[x,y]): press for long.
- do(action="Launch", app="xxx"): open an app, faster than by its icon.
- do(action="Back"): go to the screen before.
- do(action="Home"): go to the home screen.
- do(action="Wait", duration="x seconds"): wait until a page has loaded.
- do(action="Take_over", message="xxx"): ask the user, for instance to log in.
- finish(message="xxx"): end the task; the message is its answer, or why it cannot be done.

Check first which app is in front, and whether the last operation worked. If it did not, try another way."""
_KINDS = {
    "tap": "CLICK", "long_press": "LONG_PRESS", "type": "TYPE", "type_name": "TYPE", "home": "HOME", "back": "BACK",
    "launch": "OPEN", "wait": "WAIT", "note": "NOTE", "take_over": "ASK", "interact": "ASK",
}  # fmt: skip
_TYPED = re.compile(r'do\(action="Type(?:_Name)?", text="(.*)"\)', re.DOTALL)


def _words(told: PromptWords) -> tuple[str, str, str]:
    day = told.moment.day
    date = "" if day is None else f"The current date: {day:%Y-%m-%d, %A}"
    return _SYSTEM.format(date=date).strip(), "", f"{told.task}\n\n{_screen(told.moment)}"


def _again(moment: Moment) -> tuple[str, str]:
    return "", f"** Screen Info **\n\n{_screen(moment)}"


def _screen(moment: Moment) -> str:
    return json.dumps({"current_app": moment.app}, ensure_ascii=False)


def _split(text: str) -> list[FunctionCall]:
    """The text of a Type is everything between its first quote and the last one: the models escape nothing in it."""
    answer = text.rpartition("<answer>")[2].strip().removesuffix("</answer>").rstrip()
    typed = _TYPED.fullmatch(answer)
    return [FunctionCall("do", {"action": "Type", "text": typed[1]})] if typed else calls(answer)


def _act(call: FunctionCall, frame: CoordinateFrame) -> actions.Action:
    given = call.arguments
    if name_of(call.name) == "finish":
        return made("COMPLETE", call.name, frame, text=given.get("message"))
    name = name_of(given.get("action"))
    if name == "swipe":
        return path(frame.at(given.get("start")), frame.at(given.get("end")))
    text = next((given[key] for key in ("text", "app", "duration", "message") if key in given), None)
    return made(_KINDS.get(name), name, frame, given.get("element"), text)


_write = writer(
    CLICK='do(action="Tap", element=[$x, $y])',
    LONG_PRESS='do(action="Long Press", element=[$x, $y])',
    SCROLL='do(action="Swipe", start=[$x, $y], end=[$x2, $y2])',
    TYPE='do(action="Type", text="$text")',
    HOME='do(action="Home")',
    BACK='do(action="Back")',
    COMPLETE="finish(message=$json)",
)


ADAPTERS = (
    Adapter(
        "autoglm-phone",
        _words,
        _split,
        _act,
        _write,
        form=form("<think>$thought</think><answer>$call</answer>"),
        fit=Fit(),
        turns=Turns(again=_again),
        sampling={"temperature": 0.0, "top_p": 0.85, "frequency_penalty": 0.2},
        source="zai-org/Open-AutoGLM 6b18d7b",
    ),
)
