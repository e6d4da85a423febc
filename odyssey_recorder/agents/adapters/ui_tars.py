"""UI-TARS and Doubao: a thought and a call, `click(start_box='(500,250)')`.

Sources: bytedance/UI-TARS, README_v1.md and codes/ui_tars/prompt.py; the authors' prompt for GUI-Odyssey is in issue
164, whose `press_appselect` and `call_user` follow the makers' actions here. `scroll` names the direction of the view;
`drag` and a scroll between two boxes are the finger's. Newer Doubao models write tags, see `tagged_calls`.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from string import Template

from odyssey_recorder.agents.adapter import Adapter, PromptWords, Turns, made
from odyssey_recorder.agents.frames import CoordinateFrame, Fit, path, sent_frame, view_scroll
from odyssey_recorder.agents.parsing import FunctionCall, after_mark, calls, name_of, tagged_calls
from odyssey_recorder.agents.phrases import form, writer
from odyssey_recorder.model import action as actions

_PROMPT = """\
You are a GUI agent. You are given a task and your action history, with screenshots. You need to perform the next \
action to complete the task.
## Output Format
```
Thought: ...
Action: ...
```
## Action Space
{actions}
press_appselect() # Shows the recent apps.
call_user() # The task cannot be completed.

## Note
- Use English in `Thought` part.
- Write a small plan and finally summarize your next action (with its target element) in one sentence in `Thought` part.

## User Instruction
{task}"""
_OF_V1 = """\
click({place})
long_press({place}, time='')
type(content='')
scroll({way})
press_home()
press_back()
finished(content='') # Submit the task regardless of whether it succeeds or fails."""
_OF_V15 = """\
click({place})
long_press({place})
type(content='') #If you want to submit your input, use "\\n" at the end of `content`.
scroll({place}, direction='down or up or right or left')
open_app(app_name='')
drag({way})
press_home()
press_back()
finished(content='xxx') # Use escape characters \\', \\", and \\n in content part to ensure we can parse the content \
in normal python string format."""
_BOX = "start_box='<|box_start|>($x,$y)<|box_end|>'"
_BOXES = f"{_BOX}, end_box='<|box_start|>($x2,$y2)<|box_end|>'"
_POINT = "point='<point>$x $y</point>'"
_POINTS = f"start_{_POINT}, end_point='<point>$x2 $y2</point>'"
_KINDS = {
    "click": "CLICK", "long_press": "LONG_PRESS", "type": "TYPE", "press_home": "HOME", "press_back": "BACK",
    "press_appselect": "RECENT", "finished": "COMPLETE", "call_user": "IMPOSSIBLE", "open_app": "OPEN", "hotkey": "KEY",
    "wait": "WAIT",
}  # fmt: skip
_ENTER = FunctionCall("hotkey", {"key": "enter"})


def _words(of_model: str, place: str, way: str, told: PromptWords) -> tuple[str, str]:
    names = Template(of_model.format(place=place, way=way)).substitute(x="x1", y="y1", x2="x2", y2="y2")
    return "You are a helpful assistant.", _PROMPT.format(actions=names, task=told.task)


def _split(text: str) -> list[FunctionCall]:
    """A text with a line break at its end is followed by Enter."""
    answer = after_mark(text, "Action")
    first, *others = tagged_calls(answer) or calls(answer)
    is_entered = str(first.arguments.get("content", "")).endswith(("\n", r"\n")) and name_of(first.name) == "type"
    return [first, *[_ENTER][:is_entered], *others]


def _act(call: FunctionCall, frame: CoordinateFrame) -> actions.Action:
    name, given = name_of(call.name), call.arguments
    start = given.get("start_box") or given.get("start_point") or given.get("point")
    end = given.get("end_box") or given.get("end_point")
    if name in ("drag", "swipe", "scroll") and end:
        return path(frame.at(start), frame.at(end))
    if name == "scroll":
        return view_scroll(given.get("direction"), frame.at(start) if start else None)
    text = next((given[key] for key in ("content", "app_name", "key", "time") if key in given), None)
    if name == "type" and isinstance(text, str):
        text = text.removesuffix("\n").removesuffix(r"\n")
    return made(_KINDS.get(name), name, frame, start, text)


def _writer(way: str, place: str) -> Callable[[actions.Action, CoordinateFrame], str | None]:
    return writer(
        CLICK=f"click({place})",
        LONG_PRESS=f"long_press({place})",
        SCROLL=way,
        TYPE="type(content=$python)",
        HOME="press_home()",
        BACK="press_back()",
        RECENT="press_appselect()",
        COMPLETE="finished(content=$python)",
        IMPOSSIBLE="call_user()",
    )


_V1 = Adapter(
    "ui-tars-1.0",
    partial(_words, _OF_V1, _BOX, _BOXES),
    _split,
    _act,
    _writer(f"scroll({_BOXES})", _BOX),
    form=form("Thought: $thought $sentence\nAction: $call"),
    turns=Turns(is_apart=True),
    pictures=4,
    source="bytedance/UI-TARS 582f3a7",
)
_V15 = replace(
    _V1,
    name="ui-tars-1.5",
    words=partial(_words, _OF_V15, _BOX, _BOXES),
    write=_writer(f"drag({_BOXES})", _BOX),
    frame=sent_frame,
    fit=Fit(16384 * 28 * 28, factor=28, least=100 * 28 * 28),
)
_DOUBAO = replace(
    _V15,
    name="doubao-ui-tars",
    words=partial(_words, _OF_V15, _POINT, _POINTS),
    write=_writer(f"drag({_POINTS})", _POINT),
    frame=_V1.frame,
)
ADAPTERS = (_V1, _V15, _DOUBAO)
