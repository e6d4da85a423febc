"""OS-Atlas: `CLICK <point>[[500, 250]]</point>` after its thoughts.

Source: OS-Copilot/OS-Atlas, its prompt for GUI-Odyssey. That formats IMPOSSIBLE as WAIT: both are read so.
"""

import re

from odyssey_recorder.agents.adapter import Adapter, PromptWords, made
from odyssey_recorder.agents.adapters.odyssey_agent import COMMANDS, act, unread
from odyssey_recorder.agents.frames import CoordinateFrame
from odyssey_recorder.agents.parsing import UnreadableAnswerError, after_mark, bare
from odyssey_recorder.agents.phrases import form, writer
from odyssey_recorder.model import action as actions

_PROMPT = """
You are a foundational action model capable of automating tasks across various digital environments, including desktop \
systems like Windows, macOS, and Linux, as well as mobile platforms such as Android and iOS. You also excel in web \
browser environments. You will interact with digital devices in a human-like manner: by reading screenshots, analyzing \
them, and taking appropriate actions.

Your expertise covers two types of digital tasks:
    - Grounding: Given a screenshot and a description, you assist users in locating elements mentioned. Sometimes, you \
must infer which elements best fit the description when they aren't explicitly stated.
    - Executable Language Grounding: With a screenshot and task instruction, your goal is to determine the executable \
actions needed to complete the task.


You are now operating in Executable Language Grounding mode. Your goal is to help users accomplish tasks by suggesting \
executable actions that best fit their needs. Your skill set includes both basic and custom actions:

1. Basic Actions
Basic actions are standardized and available across all platforms. They provide essential functionality and are \
defined with a specific format, ensuring consistency and reliability.
Basic Action 1: CLICK
    - purpose: Click at the specified position.
    - format: CLICK <point>[[x-axis, y-axis]]</point>
    - example usage: CLICK <point>[[101, 872]]</point>

Basic Action 2: TYPE
    - purpose: Enter specified text at the designated location.
    - format: TYPE [input text]
    - example usage: TYPE [Shanghai shopping mall]

Basic Action 3: SCROLL
    - purpose: Scroll in the specified direction.
    - format: SCROLL [direction (UP/DOWN/LEFT/RIGHT)]
    - example usage: SCROLL [UP]

2.Custom Actions
Custom actions are unique to each user's platform and environment. They allow for flexibility and adaptability, \
enabling the model to support new and unseen actions defined by users. These actions extend the functionality of the \
basic set, making the model more versatile and capable of handling specific tasks.


Custom Action 1: LONG_PRESS
    - purpose: Long press at the specified position.
    - format: LONG_PRESS <point>[[x-axis, y-axis]]</point>
    - example usage: LONG_PRESS <point>[[101, 872]]</point>

Custom Action 2: PRESS_BACK
    - purpose: Press a back button to navigate to the previous screen.
    - format: PRESS_BACK
    - example usage: PRESS_BACK

Custom Action 3: PRESS_HOME
    - purpose: Press a home button to navigate to the home page.
    - format: PRESS_HOME
    - example usage: PRESS_HOME

Custom Action 4: PRESS_RECENT
    - purpose: Press the recent button to view or switch between recently used applications.
    - format: PRESS_RECENT
    - example usage: PRESS_RECENT

Custom Action 5: IMPOSSIBLE
    - purpose: Wait for the screen to load.
    - format: WAIT
    - example usage: WAIT

Custom Action 6: COMPLETE
    - purpose: Indicate the task is finished.
    - format: COMPLETE
    - example usage: COMPLETE


In most cases, task instructions are high-level and abstract. Carefully read the instruction and action history, then \
perform reasoning to determine the most appropriate next action. Ensure you strictly generate two sections: Thoughts \
and Actions.
Thoughts: Clearly outline your reasoning process for current step.
Actions: Specify the actual actions you will take based on your reasoning.

Your current task instruction, action history, and associated screenshot are as follows:
Screenshot: """
_COMMAND = re.compile(rf"^[ \t]*({COMMANDS}|OPEN_APP|WAIT)\b:?(.*)$", re.MULTILINE)


def _words(told: PromptWords) -> tuple[str, str, str]:
    """The screenshot is before the task."""
    return "", _PROMPT, f"\nTask: {told.task}\nHistory: \n{told.listed('None', 'Step {0}: {1}')}\n"


def _split(text: str) -> list[tuple[str, str]]:
    section = bare(after_mark(text, "actions?"))
    if section.startswith("TYPE"):
        return [("TYPE", section.removeprefix("TYPE"))]
    found = [(match[1], match[2]) for match in _COMMAND.finditer(section)]
    if not found:
        raise unread(section)
    return found


def _act(command: tuple[str, str], frame: CoordinateFrame) -> actions.Action:
    name, rest = command
    begin, end = rest.find("["), rest.rfind("]")
    if begin >= 0 and end < 0:
        raise UnreadableAnswerError("unreadable", f"{rest[:60]!r} is cut off")
    inside = rest[begin + 1 : end] if 0 <= begin < end else rest
    if name == "OPEN_APP":
        return made("OPEN", name, frame, None, inside.strip())
    return act(("IMPOSSIBLE" if name == "WAIT" else name, inside), frame)


_write = writer(
    CLICK="CLICK <point>[[$x, $y]]</point>",
    LONG_PRESS="LONG_PRESS <point>[[$x, $y]]</point>",
    SCROLL="SCROLL [$FINGER]",
    TYPE="TYPE [$text]",
    HOME="PRESS_HOME",
    BACK="PRESS_BACK",
    RECENT="PRESS_RECENT",
    COMPLETE="COMPLETE",
    IMPOSSIBLE="WAIT",
)


_form = form("thoughts:\n$thought $sentence\nactions:\n$call")
_SOURCE = "OS-Copilot/OS-Atlas bad0840"
ADAPTERS = (
    Adapter(
        "os-atlas",
        _words,
        _split,
        _act,
        _write,
        form=_form,
        source=_SOURCE,
    ),
)
