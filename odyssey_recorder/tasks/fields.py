"""Field types of files that people write by hand, and error messages that name the place of a problem."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, ValidationError

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.assignment import AsFound, CleanHome, FromSnapshot, StartState
from odyssey_recorder.resources import data_folder
from odyssey_recorder.validation import faults

_START = re.compile(r"as_found|clean_home|clean_apps|snapshot:[A-Za-z0-9][A-Za-z0-9_.-]*")
_WORDS = {
    "dict_type": "must be a mapping",
    "extra_forbidden": "there is no such key",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "missing": "is missing",
    "model_type": "must be a mapping",
    "string_type": "must be a text",
    "too_short": "has too few entries",
    "tuple_type": "must be a list",
}


def _one_line(text: str) -> str:
    words = " ".join(text.split())
    if not words:
        raise ValueError("must not be empty")
    return words


def _start(text: str) -> str:
    if _START.fullmatch(text) is None:
        raise ValueError('expected "as_found", "clean_home", "clean_apps" or "snapshot:<name of the snapshot>"')
    return text


def _known_profile(name: str) -> str:
    if name not in _profiles():
        raise ValueError(f"there is no device profile of this name; there are {', '.join(sorted(_profiles()))}")
    return name


@cache
def _profiles() -> frozenset[str]:
    return frozenset(path.stem for path in data_folder("device_profiles").glob("*.toml"))


Words = Annotated[str, AfterValidator(_one_line)]
"""One line of text; runs of whitespace become one space."""

StartWords = Annotated[str, AfterValidator(_start)]
"""A start state as written in files: ``as_found``, ``clean_home``, ``clean_apps``, ``snapshot:<name>``."""

ProfileName = Annotated[str, AfterValidator(_known_profile)]


def start_text(start: StartState) -> str:
    match start:
        case AsFound():
            return "as_found"
        case CleanHome(clears_apps):
            return "clean_apps" if clears_apps else "clean_home"
        case FromSnapshot(name):
            return f"snapshot:{name}"


def start_state(text: str) -> StartState:
    if text == "as_found":
        return AsFound()
    if text in ("clean_home", "clean_apps"):
        return CleanHome(clears_apps=text == "clean_apps")
    return FromSnapshot(text.removeprefix("snapshot:"))


def faults_in(error: ValidationError) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for fault in faults(error):
        words = _WORDS.get(fault.type, fault.message)
        yield fault.place, words[:1].lower() + words[1:]


_MOST_TOLD = 3


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a file; `key` is empty for a whole line. Only new files are refused if it `is_usable`."""

    source: Path
    line: int
    key: str
    message: str
    is_usable: bool = False

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}"
        return f"{place}: {self.key}: {self.message}" if self.key else f"{place}: {self.message}"


def refuse(problems: Sequence[Problem]) -> None:
    """Raise TaskError with the first few problems, if there are any."""
    if problems:
        shown = "; ".join(str(problem) for problem in problems[:_MOST_TOLD])
        rest = len(problems) - _MOST_TOLD
        raise TaskError(f"{shown}{f'; and {rest} more' if rest > 0 else ''}.")
