"""OS-Atlas: `CLICK <point>[[500, 250]]</point>` after its thoughts.

Source: OS-Copilot/OS-Atlas, its prompt for GUI-Odyssey. That formats IMPOSSIBLE as WAIT: both are read so.
"""

import re

from odyssey_recorder.agents.adapter import Adapter, PromptWords
from odyssey_recorder.agents.adapters.odyssey_agent import COMMANDS, act
from odyssey_recorder.agents.frames import CoordinateFrame, finger_direction
from odyssey_recorder.agents.parsing import UnreadableAnswerError, after_mark, bare
from odyssey_recorder.model import action as actions

_PROMPT = """
You are a foundational action model capable of automating tasks across various digital environments, including desktop \
systems like Windows, macOS, and Linux, as well as mobile platforms such as Android and iOS. You also excel in web \
browser environments. You will interact with digital devices in a human-like manner: by reading screenshots, analyzing \
them, and taking appropriate actions.

You are now operating in Executable Language Grounding mode. Your goal is to help users accomplish tasks by suggesting \
executable actions that best fit their needs. Your skill set includes both basic and custom actions:

1. Basic Actions
Basic Action 1: CLICK
    - purpose: Click at the specified position.
    - format: CLICK <point>[[x-axis, y-axis]]</point>
Basic Action 2: TYPE
    - purpose: Enter specified text at the designated location.
    - format: TYPE [input text]
Basic Action 3: SCROLL
    - purpose: Scroll in the specified direction.
    - format: SCROLL [direction (UP/DOWN/LEFT/RIGHT)]
2. Custom Actions
Custom Action 1: LONG_PRESS
    - purpose: Long press at the specified position.
    - format: LONG_PRESS <point>[[x-axis, y-axis]]</point>
Custom Action 2: PRESS_BACK
Custom Action 3: PRESS_HOME
Custom Action 4: PRESS_RECENT
    - purpose: Press the recent button to view or switch between recently used applications.
Custom Action 5: IMPOSSIBLE
    - purpose: Indicate that the task cannot be finished.
Custom Action 6: COMPLETE
    - purpose: Indicate the task is finished.

In most cases, task instructions are high-level and abstract. Carefully read the instruction and action history, then \
perform reasoning to determine the most appropriate next action. Ensure you strictly generate two sections: Thoughts \
and Actions.
Thoughts: Clearly outline your reasoning process for current step.
Actions: Specify the actual actions you will take based on your reasoning.

Your current task instruction, action history, and associated screenshot are as follows:
Task: {task}
History:
{done}
"""
_COMMAND = re.compile(rf"^[ \t]*({COMMANDS}|WAIT)\b(.*)$", re.MULTILINE)


def _words(text: PromptWords) -> tuple[str, str]:
    return "", _PROMPT.format(task=text.task, done=text.listed("None", "Step {0}: {1}"))


def _split(text: str) -> list[tuple[str, str]]:
    section = bare(after_mark(text, "actions?"))
    if section.startswith("TYPE"):
        return [("TYPE", section.removeprefix("TYPE"))]
    found = [(match[1], match[2]) for match in _COMMAND.finditer(section)]
    if not found:
        raise UnreadableAnswerError("unreadable", f"{section[:60]!r} is not an action")
    return found


def _act(command: tuple[str, str], frame: CoordinateFrame) -> actions.Action:
    name, rest = command
    begin, end = rest.find("["), rest.rfind("]")
    if begin >= 0 and end < 0:
        raise UnreadableAnswerError("unreadable", f"{rest[:60]!r} is cut off")
    inside = rest[begin + 1 : end] if 0 <= begin < end else rest
    return act(("IMPOSSIBLE" if name == "WAIT" else name, inside), frame)


def _write(action: actions.Action, frame: CoordinateFrame) -> str:
    name = command = actions.action_type(action)
    match action:
        case actions.Click(point) | actions.LongPress(point):
            command = "{} <point>[[{}, {}]]</point>".format(name, *frame.place(point))
        case actions.Type(text):
            command = f"TYPE [{text}]"
        case actions.Scroll():
            command = f"SCROLL [{finger_direction(action)}]"
        case actions.Press():
            command = f"PRESS_{name}"
        case actions.Complete() | actions.Impossible():
            pass
    return f"thoughts:\nThis is the next step.\nactions:\n{command}"


ADAPTERS = (Adapter("os-atlas", _words, _split, _act, _write),)
