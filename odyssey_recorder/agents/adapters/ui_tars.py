"""UI-TARS and Doubao: a thought and a call, `click(start_box='(500,250)')`.

Sources: bytedance/UI-TARS, codes/ui_tars/prompt.py; the authors' prompt for GUI-Odyssey is in issue 164, whose
`press_appselect` and `call_user` are added to the actions here. `scroll` names the direction of the view, `drag` and
a scroll between two boxes are the finger's.
"""

from dataclasses import replace
from functools import partial

from odyssey_recorder.agents.adapter import Adapter, PromptWords, Turns, made
from odyssey_recorder.agents.frames import CoordinateFrame, Fit, path, sent_frame, view_direction, view_scroll
from odyssey_recorder.agents.parsing import FunctionCall, after_mark, calls, name_of, tagged_calls
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.geometry import Point

_PROMPT = """\
You are a GUI agent. You are given a task and your action history, with screenshots. You need to perform the next \
action to complete the task.
## Output Format
```
Thought: ...
Action: ...
```
## Action Space
click({place})
long_press({place})
type(content='') #If you want to submit your input, use "\\n" at the end of `content`.
scroll({place}, direction='down or up or right or left')
{more}open_app(app_name='')
press_home()
press_back()
press_appselect() # Shows the recent apps.
wait()
call_user() # The task cannot be completed.
finished(content='xxx') # Use escape characters \\', \\", and \\n in content part.

## Note
- Use English in `Thought` part.
- Write a small plan and finally summarize your next action (with its target element) in one sentence in `Thought` part.

## User Instruction
{task}"""
_BOX, _POINT = "start_box='<|box_start|>({},{})<|box_end|>'", "point='<point>{} {}</point>'"
_DRAG = "drag(start_point='<point>{} {}</point>', end_point='<point>{} {}</point>')"
_KINDS = {
    "click": "CLICK",
    "long_press": "LONG_PRESS",
    "type": "TYPE",
    "press_home": "HOME",
    "press_back": "BACK",
    "press_appselect": "RECENT",
    "finished": "COMPLETE",
    "call_user": "IMPOSSIBLE",
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def _words(place: str, text: PromptWords) -> tuple[str, str]:
    more = f"{_DRAG.format('x1', 'y1', 'x2', 'y2')}\n" if place == _POINT else ""
    words = _PROMPT.format(place=place.format("x1", "y1"), more=more, task=text.task)
    return "You are a helpful assistant.", words


def _split(text: str) -> list[FunctionCall]:
    answer = after_mark(text, "Action")
    return tagged_calls(answer) or calls(answer)


def _act(call: FunctionCall, frame: CoordinateFrame) -> actions.Action:
    name, given = name_of(call.name), call.arguments
    start = given.get("start_box") or given.get("start_point") or given.get("point")
    end = given.get("end_box") or given.get("end_point")
    if name in ("drag", "swipe", "scroll") and end:
        return path(frame.at(start), frame.at(end))
    if name == "scroll":
        return view_scroll(given.get("direction"), frame.at(start) if start else None)
    content = given.get("content")
    if name == "type" and isinstance(content, str):
        content = content.removesuffix("\n")  # Enter
    return made(_KINDS.get(name), name, frame, start, content)


def _write(place: str, action: actions.Action, frame: CoordinateFrame) -> str:
    def at(point: Point) -> str:
        return place.format(*frame.place(point))

    name = _NAMES.get(actions.action_type(action))
    match action:
        case actions.Click(point) | actions.LongPress(point):
            call = f"{name}({at(point)})"
        case actions.Scroll(start, end) if place == _POINT:
            call = _DRAG.format(*frame.place(start), *frame.place(end))
        case actions.Scroll(start):
            call = f"scroll({at(start)}, direction='{view_direction(action).lower()}')"
        case actions.Type(text) | actions.Complete(text):
            call = f"{name}(content={text!r})"
        case actions.Press() | actions.Impossible():
            call = f"{name}()"
    return f"Thought: This is the next step.\nAction: {call}"


_V1 = Adapter("ui-tars-1.0", partial(_words, _BOX), _split, _act, partial(_write, _BOX), turns=Turns(is_apart=True))
_V15 = replace(
    _V1,
    name="ui-tars-1.5",
    words=partial(_words, _POINT),
    write=partial(_write, _POINT),
    frame=sent_frame,
    fit=Fit(16384 * 28 * 28, factor=28, least=100 * 28 * 28),
)
_DOUBAO = replace(_V15, name="doubao-ui-tars", frame=_V1.frame)
ADAPTERS = (_V1, _V15, _DOUBAO)
