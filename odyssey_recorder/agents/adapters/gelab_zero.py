"""GELab-Zero and Step-GUI: fields such as `action:CLICK`, separated by tabs, on a grid to 1000, after a thought.

Source: stepfun-ai/gelab-zero, copilot_tools/parser_0920_summary.py (MIT), the prompt of the released 4B model. Of the
history it is told its own last summary only. Some answers have the two characters `\\t` instead of tabs.
"""

import re

from odyssey_recorder.agents.adapter import Adapter, PromptWords, made
from odyssey_recorder.agents.frames import CoordinateFrame, Fit, path
from odyssey_recorder.agents.parsing import Fields, UnreadableAnswerError, name_of
from odyssey_recorder.agents.phrases import form, writer
from odyssey_recorder.model import action as actions

_PROMPT = """\
You operate a phone for its user. From the task, the history and the screen, decide the next action. The screen goes
from 0,0, top left, to 1000,1000, bottom right.

The actions and their fields, separated by tabs:
1. CLICK: tap the screen. action:CLICK\tpoint:x,y
2. TYPE: enter text into the field at the point. action:TYPE\tvalue:text\tpoint:x,y
3. COMPLETE: the task is done; tell the user its result. action:COMPLETE\treturn:text
4. WAIT: wait for some seconds. action:WAIT\tvalue:seconds
5. AWAKE: open an app. action:AWAKE\tvalue:app
6. INFO: ask the user. action:INFO\tvalue:question
7. ABORT: the task cannot be done. action:ABORT\tvalue:reason
8. SLIDE: move the finger from the first point to the second. action:SLIDE\tpoint1:x1,y1\tpoint2:x2,y2
9. LONGPRESS: press the screen for long. action:LONGPRESS\tpoint:x,y"""
_STATE = """
The task: {task}
The history: {done}
The screen:"""
_FORM = """\
First think, then write the fields in one line, separated by tabs; the summary is that of the history with this action:
<THINK> your thoughts </THINK>
explain:what the action is for\taction:the action and its fields\tsummary:all that has been done"""
_KINDS = {
    "click": "CLICK", "longpress": "LONG_PRESS", "type": "TYPE", "home": "HOME", "back": "BACK", "complete": "COMPLETE",
    "abort": "IMPOSSIBLE", "wait": "WAIT", "awake": "OPEN", "info": "ASK", "hot_key": "KEY",
}  # fmt: skip
_ACTION = re.compile(r"(?:^|\t) *(?P<name>action):", re.IGNORECASE | re.MULTILINE)
_SUMMARY = re.compile(r"\t *summary:", re.IGNORECASE)
_FIELD = re.compile(r"\s*(?P<name>action|point[12]?|value|return|key|note|verify):(?P<value>.*)", re.S | re.I)
_RUN_ON = re.compile(r"point\d?\W{1,4}\d+\W\d|(?:point\d?|value|return|summary)\W{0,4}:", re.I)
"""A tab is missing, so that a field runs into the next one."""


def _words(told: PromptWords) -> tuple[str, str, str]:
    done = told.memory or (told.done[-1] if told.done else "Nothing has been done yet.")
    return "", _PROMPT + _STATE.format(task=told.task, done=done), _FORM


def _tabbed(text: str) -> str:
    return text if "\t" in text else text.replace("\\t", "\t")


def _split(text: str) -> list[Fields]:
    """The fields from the action to the summary, which shows that none of them is cut off."""
    text = _tabbed(text)
    begin = _ACTION.search(text)
    end = _SUMMARY.search(text, begin.end()) if begin else None
    if not begin or not end:
        raise UnreadableAnswerError("unreadable", "there is no action, or no summary after it")
    found = [_FIELD.fullmatch(part) for part in text[begin.start("name") : end.start()].split("\t")]
    fields = {field["name"].lower(): field["value"] for field in found if field}
    if len(fields) < len(found) or any(map(_RUN_ON.search, fields.values())):
        raise UnreadableAnswerError("unreadable", "its fields cannot be told apart")
    return [fields]


def _act(given: Fields, frame: CoordinateFrame) -> actions.Action:
    name = name_of(given["action"])
    if name == "slide":
        return path(frame.at(given.get("point1")), frame.at(given.get("point2")))
    return made(_KINDS.get(name), name, frame, given.get("point"), given.get("return", given.get("value")))


_write = writer(
    "action:%s\tsummary:",
    CLICK="CLICK\tpoint:$x,$y",
    LONG_PRESS="LONGPRESS\tpoint:$x,$y",
    SCROLL="SLIDE\tpoint1:$x,$y\tpoint2:$x2,$y2",
    TYPE="TYPE\tvalue:$untabbed",
    HOME="HOME",
    BACK="BACK",
    COMPLETE="COMPLETE\treturn:$untabbed",
    IMPOSSIBLE="ABORT\tvalue:$untabbed",
)


def _summary(answer: str) -> str:
    _, *after = _SUMMARY.split(_tabbed(answer), maxsplit=1)
    return "".join(after).strip()


ADAPTERS = (
    Adapter(
        "gelab-zero",
        _words,
        _split,
        _act,
        _write,
        form=form("<THINK> $thought </THINK>\nexplain:$sentence\t$call$summary"),
        fit=Fit(),
        retold=_summary,
        sampling={"temperature": 0.1, "top_p": 0.95},
        source="stepfun-ai/gelab-zero 19465cf",
    ),
)
