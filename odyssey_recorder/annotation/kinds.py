"""The four texts of a step, named like their keys in the second release."""

from enum import StrEnum


class TextKind(StrEnum):
    INSTRUCTION = "low_level_instruction"
    DESCRIPTION = "description"
    CONTEXT = "context"
    INTENTION = "intention"
