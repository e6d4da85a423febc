"""CogAgent-9B: `Grounded Operation: CLICK(box=[[a,b,c,d]])`, in thousandths of the image; scrolls move the view.

Source: THUDM/CogAgent, Action_space_en and its README. It has no long press, no system keys and no way to give up.
"""

from odyssey_recorder.agents.adapter import Adapter, PromptWords, made
from odyssey_recorder.agents.frames import CoordinateFrame, view_direction, view_scroll
from odyssey_recorder.agents.parsing import FunctionCall, after_mark, calls, name_of
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.geometry import GRID, Point

_OPERATION = "Grounded Operation"
_KINDS = {"click": "CLICK", "type": "TYPE", "end": "COMPLETE"}


def _words(text: PromptWords) -> tuple[str, str]:
    operations = [after_mark(action_text, _OPERATION).strip() for action_text in text.done]
    done = "".join(f"\n{number}. {operation}" for number, operation in enumerate(operations))
    task = f"Task: {text.task}\nHistory steps: {done}\n"
    return "", f"{task}(Platform: Mobile)\n(Answer in Action-Operation format.)\n"


def _split(text: str) -> list[FunctionCall]:
    return calls(after_mark(text, _OPERATION))


def _act(call: FunctionCall, frame: CoordinateFrame) -> actions.Action:
    name, box = name_of(call.name), call.arguments.get("box")
    if name.startswith("scroll_"):
        return view_scroll(name.removeprefix("scroll_"), None if box is None else frame.at(box))
    return made(_KINDS.get(name), name, frame, box, call.arguments.get("text"))


def _write(action: actions.Action, frame: CoordinateFrame) -> str | None:
    match action:
        case actions.Click(point):
            call = f"CLICK(box=[[{_box(point, frame)}]])"
        case actions.Type(text):
            call = f"TYPE(box=[[{_box(Point(GRID // 2, GRID // 2), frame)}]], text={text!r})"
        case actions.Scroll(start):
            call = f"SCROLL_{view_direction(action)}(box=[[{_box(start, frame)}]], step_count=5)"
        case actions.Complete():
            call = "END()"
        case _:
            return None
    return f"Action: This is the next step.\nGrounded Operation: {call}"


def _box(point: Point, frame: CoordinateFrame) -> str:
    """Without extent; three digits are all that it writes."""
    x, y = (min(coordinate, GRID - 1) for coordinate in frame.place(point))
    return f"{x:03},{y:03},{x:03},{y:03}"


ADAPTERS = (Adapter("cogagent", _words, _split, _act, _write),)
