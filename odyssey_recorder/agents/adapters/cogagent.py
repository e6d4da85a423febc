"""CogAgent-9B: `Grounded Operation: CLICK(box=[[a,b,c,d]])`, in thousandths of the image; scrolls move the view.

Source: THUDM/CogAgent, Action_space_en and its README. It has no long press, no system keys and no way to give up.

`cogagent-v1` is the CogAgent of 2023, which GUI-Odyssey evaluated (its Fig. 7). It is offered the dataset's commands,
and answers with one, or as it was trained: `Grounded Operation: tap [[x,y]]`, `... -> CLICK at the box [[a,b,c,d]]`.
"""

import re
from dataclasses import replace

from odyssey_recorder.agents.adapter import ASKED, Adapter, PromptWords, Said, made
from odyssey_recorder.agents.adapters.odyssey_agent import ADAPTERS as OF_DATASET
from odyssey_recorder.agents.frames import CoordinateFrame, view_direction, view_scroll
from odyssey_recorder.agents.parsing import FunctionCall, UnreadableAnswerError, after_mark, calls, name_of
from odyssey_recorder.llm.prompts import read_slots
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.geometry import GRID, Point

_OPERATION = "Grounded Operation"
_KINDS = {"click": "CLICK", "type": "TYPE", "end": "COMPLETE", "key_press": "KEY", "launch": "OPEN"}
_COMMANDS = OF_DATASET[0]
_TRAINED = re.compile(r"\b(tap|click|long[ _]press|type)\b[: ]*([^\n]*)", re.IGNORECASE)
_BOX = re.compile(r"(?:\s*\bat the box)?\s*(\[\[[^\]\n]*\]\])\s*$")
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


def _split_v1(text: str) -> list[tuple[str, str]]:
    operation = after_mark(text, _OPERATION).strip()
    try:
        return list(_COMMANDS.split(operation))
    except UnreadableAnswerError:
        trained = _TRAINED.search(operation.rpartition("->")[2])
        if trained is None:
            raise
        return [(name_of(trained[1]).upper().replace("TAP", "CLICK"), trained[2])]


def _act_v1(command: tuple[str, str], frame: CoordinateFrame) -> actions.Action:
    name, rest = command
    box = _BOX.search(rest)
    if box is not None:
        rest = rest[: box.start()] if name == "TYPE" else box[1]
    if name == "TYPE" and not rest.strip():
        raise UnreadableAnswerError("unreadable", "there is no text to type")
    return _COMMANDS.act((name, rest), frame)


_SOURCE = "THUDM/CogAgent 5fde01e"
ADAPTERS = (
    Adapter("cogagent", _words, _split, _act, _write, form=_form, retold=_retold, source=_SOURCE),
    replace(
        _COMMANDS,
        name="cogagent-v1",
        split=_split_v1,
        act=_act_v1,
        asks=read_slots("paper_cogagent_v1/1", ASKED),
        source="arXiv 2406.08451v1, Fig. 7",
    ),
)
