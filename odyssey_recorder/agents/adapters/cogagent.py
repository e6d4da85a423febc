"""CogAgent-9B: `Grounded Operation: CLICK(box=[[a,b,c,d]])`, in thousandths of the image; scrolls move the view.

Source: THUDM/CogAgent, Action_space_en and its README. It has no long press, no system keys and no way to give up.
"""

from odyssey_recorder.agents.adapter import Adapter, PromptWords, Said, made
from odyssey_recorder.agents.frames import CoordinateFrame, view_direction, view_scroll
from odyssey_recorder.agents.parsing import FunctionCall, after_mark, calls, name_of
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.geometry import GRID, Point

_OPERATION = "Grounded Operation"
_KINDS = {"click": "CLICK", "type": "TYPE", "end": "COMPLETE", "key_press": "KEY", "launch": "OPEN"}
_KINDS |= dict.fromkeys(("quote_text", "quote_clipboard"), "NOTE")


def _words(text: PromptWords) -> tuple[str, str]:
    done = text.listed("", "\n{0}. {1}", "", first=0)
    task = f"Task: {text.task}\nHistory steps: {done}\n"
    return "", f"{task}(Platform: Mobile)\n(Answer in Action-Operation format.)\n"


def _split(text: str) -> list[FunctionCall]:
    return calls(after_mark(text, _OPERATION))


def _act(call: FunctionCall, frame: CoordinateFrame) -> actions.Action:
    name, given, box = name_of(call.name), call.arguments, call.arguments.get("box")
    if name.startswith("scroll_"):
        return view_scroll(name.removeprefix("scroll_"), None if box is None else frame.at(box))
    text = next((given[key] for key in ("text", "key", "app", "result") if given.get(key) is not None), None)
    return made(None if given.get("url") else _KINDS.get(name), name, frame, box, text)


def _write(action: actions.Action, frame: CoordinateFrame) -> str | None:
    match action:
        case actions.Click(point):
            return f"CLICK(box=[[{_box(point, frame)}]])"
        case actions.Type(text):
            return f"TYPE(box=[[{_box(Point(GRID // 2, GRID // 2), frame)}]], text={text!r})"
        case actions.Scroll(start):
            return f"SCROLL_{view_direction(action)}(box=[[{_box(start, frame)}]], step_count=5)"
        case actions.Complete():
            return "END()"
        case _:
            return None


def _form(call: str, said: Said) -> str:
    return f"Action: {said.sentence}\n{_OPERATION}: {call}"


def _retold(answer: str) -> str:
    """The operation, and the action in words."""
    sentence, _, _ = after_mark(answer, "Action").partition("\n")
    return f"{after_mark(answer, _OPERATION).partition(chr(10))[0].strip()}\t{sentence.strip()}"


def _box(point: Point, frame: CoordinateFrame) -> str:
    """Without extent; three digits are all that it writes."""
    x, y = (min(coordinate, GRID - 1) for coordinate in frame.place(point))
    return f"{x:03},{y:03},{x:03},{y:03}"


_SOURCE = "THUDM/CogAgent 5fde01e"
ADAPTERS = (Adapter("cogagent", _words, _split, _act, _write, form=_form, retold=_retold, source=_SOURCE),)
