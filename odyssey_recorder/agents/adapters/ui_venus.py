"""UI-Venus 1.5: a thought, one call such as `Click(box=(731,88))`, and a conclusion, each in tags, on a grid to 999.

Source: inclusionAI/UI-Venus, models/navigation/utils.py and Venus_framework; its licence is unclear. The earlier steps
are listed with their thoughts. `CallUser` is its answer to a question. It cannot say that a task is impossible.
"""

import re
from functools import partial

from odyssey_recorder.agents.adapter import Adapter, PromptWords, made
from odyssey_recorder.agents.frames import CoordinateFrame, Fit, path
from odyssey_recorder.agents.parsing import FunctionCall, calls_in_tag, name_of
from odyssey_recorder.agents.phrases import form, writer
from odyssey_recorder.model import action as actions

_PROMPT = """\
You operate a phone for its user. Decide the next action from the task, the earlier steps and the screen.

### Available Actions
Click(box=(x,y))
Drag(start=(x1,y1), end=(x2,y2))
Scroll(start=(x1,y1), end=(x2,y2))
Type(content='')
Launch(app='')
Wait()
Finished(content='')
CallUser(content='')
LongPress(box=(x,y))
PressBack()
PressHome()
PressEnter()
PressRecent()
Coordinates go from 0 to 999 in both directions.

### User Task
{task}

### Previous Actions
{done}

### Output Format
<think>your reasoning</think>
<action>the next action</action>
<conclusion>what it does, in one sentence</conclusion>

### Instruction
- A click must meet its element in the middle.
- Before you type, the field must be focused.
- Scroll moves the finger from start to end.
- If the task asks a question, answer it with CallUser."""
_KINDS = {
    "click": "CLICK", "longpress": "LONG_PRESS", "type": "TYPE", "presshome": "HOME", "pressback": "BACK",
    "pressrecent": "RECENT", "finished": "COMPLETE", "calluser": "COMPLETE", "launch": "OPEN", "wait": "WAIT",
    "pressenter": "KEY",
}  # fmt: skip
_CONCLUSION = re.compile(r"\s*<conclusion>.*\Z", re.DOTALL)


def _words(told: PromptWords) -> tuple[str, str]:
    done = told.listed("", "Step {0}: {1}", first=0)
    return "", _PROMPT.format(task=told.task, done=done)


def _act(call: FunctionCall, frame: CoordinateFrame) -> actions.Action:
    name, given = name_of(call.name), call.arguments
    if name in ("scroll", "drag"):
        return path(frame.at(given.get("start")), frame.at(given.get("end")))
    text = "enter" if name == "pressenter" else given.get("content", given.get("app"))
    return made(_KINDS.get(name), name, frame, given.get("box"), text)


_write = writer(
    CLICK="Click(box=($x,$y))",
    LONG_PRESS="LongPress(box=($x,$y))",
    SCROLL="Scroll(start=($x,$y), end=($x2,$y2))",
    TYPE="Type(content=$python)",
    HOME="PressHome()",
    BACK="PressBack()",
    RECENT="PressRecent()",
    COMPLETE="Finished(content=$python)",
)


def _retold(answer: str) -> str:
    return _CONCLUSION.sub("", answer).replace("</think>\n", "</think>")


ADAPTERS = (
    Adapter(
        "ui-venus-1.5",
        _words,
        partial(calls_in_tag, "action"),
        _act,
        _write,
        form=form("<think>$thought</think>\n<action>$call</action>\n<conclusion>$sentence</conclusion>"),
        fit=Fit(12_845_056),
        retold=_retold,
        sampling={"temperature": 0.0, "top_p": 1.0, "top_k": -1, "repetition_penalty": 1.05},
        source="inclusionAI/UI-Venus c3a1442",
    ),
)
