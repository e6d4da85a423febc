"""Whether a task is done: goals over the facts that the apps of a phone tell about themselves.

Facts are JSON by app, as in ``{"notes": {"notes": [{"title": "Packing list", "body": "..."}]}}``. A goal's path leads
through names, in quotes if they have dots. It goes on from all entries of a list, or from those that a condition in
brackets selects: ``notes.notes[title=Packing list].body``, ``calendar.events[title~lunch].date``. A backslash before a
character makes it an ordinary one.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import JsonValue, field_validator, model_validator

from odyssey_recorder.validation import ClosedModel

Facts = Mapping[str, Any]

_SEGMENT = re.compile(
    r"""
    (?P<name>"(?:\\.|[^"\\])+"|(?:\\.|[^.\[\]=~"\\])+)
    (?:\[(?P<key>[\w.]+)(?P<how>[=~])(?P<wanted>(?:\\.|[^\]\\])*)\])?
    (?P<end>\.|\Z)
    """,
    re.VERBOSE | re.DOTALL,
)
_SPECIAL = re.compile(r'[\\".\[\]=~]')
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class TaskGoal(ClosedModel):
    """`equals`: a value found is `value`; `contains`: a text found contains it, or each text of a list, in any case.

    `any`: something is found; `count`: that many values are found; `unchanged`: the same values as at the start.
    """

    path: str
    op: Literal["equals", "contains", "any", "count", "unchanged"]
    value: JsonValue = None

    @field_validator("path")
    @classmethod
    def _is_path(cls, path: str) -> str:
        segments = list(_SEGMENT.finditer(path))
        if not path or "".join(segment[0] for segment in segments) != path or segments[-1]["end"]:
            raise ValueError('expected a path like "notes.notes[title=Packing list].body"')
        return path

    @model_validator(mode="after")
    def _fits(self) -> "TaskGoal":
        fits = {
            "equals": self.value is not None,
            "contains": isinstance(self.value, str) or _are_texts(self.value),
            "any": self.value is None,
            "count": isinstance(self.value, int) and not isinstance(self.value, bool),
            "unchanged": self.value is None,
        }
        if not fits[self.op]:
            raise ValueError(f'"{self.op}" cannot have the value {self.value!r}')
        return self

    def is_met(self, before: Facts, after: Facts) -> bool:
        found = values_at(self.path, after)
        match self.op:
            case "equals":
                return self.value in found or found == self.value
            case "contains":
                wanted = [self.value] if isinstance(self.value, str) else self.value
                assert isinstance(wanted, list)
                return any(_contains(leaf, wanted) for leaf in found)
            case "any":
                return bool(found)
            case "count":
                return len(found) == self.value
            case "unchanged":
                return found == values_at(self.path, before)

    @property
    def in_words(self) -> str:
        """For people, such as ``clock > alarms “Work” > on is true``."""
        place, said = _place_in_words(self.path), json.dumps(self.value, ensure_ascii=False)
        said = f"“{self.value}”" if isinstance(self.value, str) else said
        match self.op:
            case "equals" | "contains" if place == "screen":
                return f"The screen shows {said}" if self.op == "equals" else f"The screen shows a text with {said}"
            case "equals":
                return f"{place} is {said}"
            case "contains":
                return f"{place} contains {said}"
            case "any":
                return f"{place} exists"
            case "count":
                return f"{place} does not exist any more" if self.value == 0 else f"{place} exists {said} times"
            case "unchanged":
                return f"{place} is as it was at the start"


@dataclass(frozen=True, slots=True)
class GoalJudgement:
    """The goals that are not met at the end, and whether all others were met at the start already."""

    missed: tuple[TaskGoal, ...]
    was_done: bool
    lacks_answer: bool = False

    @property
    def succeeded(self) -> bool:
        return not self.missed and not self.lacks_answer


def judge(goals: Sequence[TaskGoal], answer: str, *, before: Facts, after: Facts, note: str) -> GoalJudgement:
    """`note` is that of COMPLETE, which must contain `answer`. A task that `was_done` at the start proves nothing."""
    return GoalJudgement(
        tuple(goal for goal in goals if not goal.is_met(before, after)),
        was_done=not answer and all(goal.is_met(before, before) for goal in goals),
        lacks_answer=answer.casefold() not in note.casefold(),
    )


def in_path(text: str) -> str:
    """`text` as a name or a wanted value in a path, or as a part of one, in quotes or not."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def source_of(path: str) -> tuple[str, str]:
    """The first two names of a path; the second one is empty if there is none."""
    names = [_name(segment) for segment in _SEGMENT.finditer(path)]
    return names[0], (*names, "")[1]


def _place_in_words(path: str) -> str:
    """Without the element's name on the screen, which nobody sees."""
    segments = list(_SEGMENT.finditer(path))
    if _name(segments[0]) == "screen":
        return "screen"
    return " > ".join(
        f"{_name(segment)} “{_plain(segment['wanted'])}”" if segment["key"] else _name(segment) for segment in segments
    )


def values_at(path: str, facts: Facts) -> list[Any]:
    """All values at the end of `path`, those of lists one by one; empty if it leads nowhere."""
    found: list[Any] = [facts]
    for segment in _SEGMENT.finditer(path):
        found = [entry for node in found for entry in _entries(node, _name(segment))]
        if segment["key"]:
            wanted = _plain(segment["wanted"])
            found = [node for node in found if _is_selected(node, segment["key"], segment["how"], wanted)]
    return found


def _name(segment: re.Match[str]) -> str:
    name = segment["name"]
    return _plain(name[1:-1] if name.startswith('"') else name)


def _plain(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _entries(value: object, name: str) -> Iterator[object]:
    if isinstance(value, Mapping) and name in value:
        yield from _flat(value[name])


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _is_selected(entry: Any, key: str, how: str, wanted: str) -> bool:
    texts = [json.dumps(leaf) if not isinstance(leaf, str) else leaf for leaf in values_at(key, entry)]
    wanted = wanted.casefold()
    return any(text.casefold() == wanted if how == "=" else wanted in text.casefold() for text in texts)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _contains(text: object, wanted: Sequence[object]) -> bool:
    return isinstance(text, str) and all(str(part).casefold() in text.casefold() for part in wanted)
