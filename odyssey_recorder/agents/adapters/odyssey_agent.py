"""OdysseyAgent, and other models trained on the dataset's own commands: `CLICK: (500, 250)`.

The prompt is that of the official converter (OpenGVLab/GUI-Odyssey, data/format_converter.py). A server has no place
for its image history; earlier screens are images of the message.
"""
# ruff: noqa: RUF001 - a full-width colon

import re

from odyssey_recorder.agents.adapter import Adapter, PromptWords, made
from odyssey_recorder.agents.frames import CoordinateFrame, finger_direction, finger_scroll
from odyssey_recorder.agents.parsing import UnreadableAnswerError, bare
from odyssey_recorder.model import action as actions

COMMANDS = "CLICK|LONG_PRESS|SCROLL|TYPE|PRESS_HOME|PRESS_BACK|PRESS_RECENT|COMPLETE|IMPOSSIBLE"
_COMMAND = re.compile(rf"^[ \t]*({COMMANDS})\b[ \t]*(?:[:：]|$)", re.MULTILINE)
_LABEL = re.compile(r"\s*\[?([A-Z][A-Z_]{2,40})\b[ \t]*+(?:[\]:：(<[]|\s*$)")


def _words(text: PromptWords) -> tuple[str, str]:
    done = text.listed("None", "{0}. {1}\n", "")
    return "", (
        f"I'm looking for guidance on how to {text.task}\nPrevious Actions: {done}\n"
        "Provide the command-style action directly."
    )


def _split(text: str) -> list[tuple[str, str]]:
    """Commands and the line that follows; a text to type may contain lines that look like commands."""
    text = bare(text)
    found = list(_COMMAND.finditer(text))
    if not found:
        raise unread(text)
    if found[0][1] == "TYPE":
        return [("TYPE", text[found[0].end() :])]
    return [(match[1], text[match.end() :].partition("\n")[0].rstrip(" .")) for match in found]


def unread(text: str) -> UnreadableAnswerError:
    """Why there is no command in an answer: one that looks like a command names another action."""
    label = _LABEL.match(text)
    if label and label[1] not in COMMANDS.split("|"):
        return UnreadableAnswerError("unmapped", f"{label[1]} is none of the nine actions")
    return UnreadableAnswerError("unreadable", f"{text.strip()[:60]!r} is not a command")


def act(command: tuple[str, str], frame: CoordinateFrame) -> actions.Action:
    name, rest = command
    if name == "SCROLL":
        return finger_scroll(rest)
    text = rest.strip() if name == "TYPE" else ""
    return made(name.removeprefix("PRESS_"), name, frame, rest, text)


def _write(action: actions.Action, frame: CoordinateFrame) -> str:
    name = actions.action_type(action)
    match action:
        case actions.Click(point) | actions.LongPress(point):
            return f"{name}: {frame.place(point)}"
        case actions.Scroll():
            return f"SCROLL: {finger_direction(action)}"
        case actions.Type(text):
            return f"TYPE: {text}"
        case actions.Press():
            return f"PRESS_{name}"
        case actions.Complete() | actions.Impossible():
            return name


ADAPTERS = (Adapter("odyssey-agent", _words, _split, act, _write, source="OpenGVLab/GUI-Odyssey fefcbe9"),)
