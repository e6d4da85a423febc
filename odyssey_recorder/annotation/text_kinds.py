"""The texts of a step, named like their keys in the second release, its memory, and where a box comes from."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from odyssey_recorder.errors import SettingsError
from odyssey_recorder.model.action import Action, Complete, is_terminal

FIRST_CONTEXT = "Task just started, nothing has been done."
COMPLETED, NOT_COMPLETED = "Task completed.", "Task could not be completed."


class TextKind(StrEnum):
    INSTRUCTION = "low_level_instruction"
    DESCRIPTION = "description"
    CONTEXT = "context"
    INTENTION = "intention"


class MemoryKind(StrEnum):
    """What Chain-of-Memory keeps of a step: the result of the action before it, what matters on its screen, the part of
    that which is needed later, and the name of the app in front if the recording does not say it.
    """

    RESULT = "action_result"
    SCREEN = "screen_info"
    CORE = "core"
    APP = "app"


Semantic = Literal["SD", "CI", "DR", "AR", "SI", "CM"]
"""The papers' names of what can be trained on: screen description, contextual information, decision rationale; and, of
Chain-of-Memory, action result, screen information, core of the memory.
"""
SEMANTIC: Mapping[Semantic, TextKind | MemoryKind] = {
    "SD": TextKind.DESCRIPTION,
    "CI": TextKind.CONTEXT,
    "DR": TextKind.INTENTION,
    "AR": MemoryKind.RESULT,
    "SI": MemoryKind.SCREEN,
    "CM": MemoryKind.CORE,
}


def semantic_of(names: str) -> tuple[Semantic, ...]:
    """Names separated by commas; empty for none. Raises SettingsError."""
    given = [name.strip() for name in names.split(",")] if names else []
    if unknown := [name for name in given if name not in SEMANTIC]:
        raise SettingsError(f"--semantic: {unknown[0]!r} is unknown. Use {', '.join(SEMANTIC)}, with commas between.")
    return tuple(name for name in SEMANTIC if name in given)


class BoxSource(StrEnum):
    """From the most trusted to the least; `FILE` is the annotation file of a release, whose source is not known."""

    HUMAN = "human"
    FILE = "annotation file"
    HIERARCHY = "hierarchy"
    SAM2 = "sam2"
    POINT = "point"


def fixed_text(action: Action, number: int, kind: TextKind) -> str:
    """The text that follows from the format alone, which needs no model; empty if there is none.

    `number` is that of the step, from 0.
    """
    if is_terminal(action):
        return COMPLETED if isinstance(action, Complete) else NOT_COMPLETED
    return FIRST_CONTEXT if kind is TextKind.CONTEXT and number == 0 else ""
