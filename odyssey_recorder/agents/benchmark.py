"""The tasks of the simulated phone that can be judged: goals, the wanted answer, and a script that solves each.

A task may have parameters: names and the values that each may take. A seed chooses one value of each, and `{name}`
in a text stands for it, or `{name.key}` if the value has keys. A text that is only that becomes the value as it is,
and a list as value becomes a part of the list around it.
"""

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, JsonValue, ValidationError

from odyssey_recorder.dataset.goals import TaskGoal, in_path
from odyssey_recorder.errors import TaskError
from odyssey_recorder.files import Largest, read_text
from odyssey_recorder.recording.script import PressKey, TypeText
from odyssey_recorder.resources import data_folder
from odyssey_recorder.tasks.listing import ListedTask, parse_task_line
from odyssey_recorder.validation import ClosedModel, first_fault

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class OnText(ClosedModel):
    """Tap, or `hold`, the view with this text or description."""

    on: str
    hold: bool = False


class OnField(ClosedModel):
    """Tap, or `hold`, the text field with this resource id."""

    field: str
    hold: bool = False


class Reach(ClosedModel):
    """Scroll down until this text is visible; on the home screen that opens the app drawer."""

    reach: str


class DragBetween(ClosedModel):
    """Drag the view with the first text to where the second is."""

    drag: tuple[str, str]


Move = OnText | OnField | Reach | DragBetween | TypeText | PressKey


class Difficulty(StrEnum):
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"

    @classmethod
    def of(cls, *, moves: int, apps: int) -> "Difficulty":
        """Easy: one app and at most 8 moves of the gold script; hard: three apps, or more than 20 moves."""
        if apps >= _APPS_OF_HARD or moves > _MOVES_OF_MEDIUM:
            return cls.HARD
        return cls.EASY if apps == 1 and moves <= _MOVES_OF_EASY else cls.MEDIUM


_MOVES_OF_EASY = 8
_MOVES_OF_MEDIUM = 20
_APPS_OF_HARD = 3


class BenchmarkTask(ClosedModel):
    """`gold` solves the task on every profile; without `answer`, the note of COMPLETE may be anything.

    `task` has the keys of a line of a task list, but for `task_id`; None for a task of a list.
    """

    task_id: str
    goals: Annotated[tuple[TaskGoal, ...], Field(min_length=1)]
    answer: str = ""
    gold: tuple[Move, ...]
    task: dict[str, JsonValue] | None = None

    def difficulty(self, apps: int) -> Difficulty:
        return Difficulty.of(moves=len(self.gold), apps=apps)

    @property
    def listed(self) -> ListedTask | None:
        """Raises TaskError."""
        if self.task is None:
            return None
        return parse_task_line(json.dumps({**self.task, "task_id": self.task_id}))


class _Row(ClosedModel):
    task_id: str
    parameters: dict[str, Annotated[list[JsonValue], Field(min_length=1)]] = Field(default_factory=dict)
    goals: list[JsonValue]
    answer: JsonValue = ""
    gold: list[JsonValue]
    task: dict[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class TaskTemplate:
    """`source` names file and line in messages."""

    source: str
    row: _Row

    def filled(self, seed: int) -> BenchmarkTask:
        """The same for the same seed; different from all others until every combination has been used.

        Raises TaskError.
        """
        content = self.row.model_dump(exclude={"parameters"})
        if self.row.parameters:
            content = _Filling(self.source, self.chosen(seed)).of(content)
        try:
            task = BenchmarkTask.model_validate(content)
            _ = task.listed
        except ValidationError as error:
            raise TaskError(f"{self.source}: {first_fault(error)}.") from error
        except TaskError as error:
            raise TaskError(f"{self.source}: {error}") from error
        return task

    def chosen(self, seed: int) -> dict[str, Any]:
        """A value of each parameter."""
        total = math.prod(map(len, self.row.parameters.values()))
        drawn = int.from_bytes(hashlib.sha256(self.row.task_id.encode()).digest())
        stride = next(step for step in range(drawn % total + 1, 2 * total + 2) if math.gcd(step, total) == 1)
        place = (drawn // total + seed * stride) % total
        chosen = {}
        for name, values in self.row.parameters.items():
            place, index = divmod(place, len(values))
            chosen[name] = values[index]
        return chosen


@dataclass(frozen=True, slots=True)
class _Filling:
    source: str
    chosen: Mapping[str, Any]

    def of(self, template: Any, key: str = "") -> Any:
        """`key` is what holds the template in an object: in a `path`, values are escaped."""
        match template:
            case str():
                return self._text(template, in_path if key == "path" else str)
            case list():
                return [text for part in template for text in self._parts(part)]
            case dict():
                return {name: self.of(part, name) for name, part in template.items()}
            case _:
                return template

    def _parts(self, template: Any) -> Iterator[Any]:
        filled = self.of(template)
        if isinstance(template, str) and isinstance(filled, list):
            yield from filled
        else:
            yield filled

    def _text(self, template: str, written: Callable[[str], str]) -> Any:
        whole = _PLACEHOLDER.fullmatch(template)
        if whole and written is str:
            return self._value(whole[1])
        return _PLACEHOLDER.sub(lambda found: written(self._words(found[1])), template)

    def _words(self, name: str) -> str:
        value = self._value(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
        raise TaskError(
            f"{self.source}: {{{name}}} is neither a text nor a whole number, so it cannot be part of a text."
        )

    def _value(self, name: str) -> Any:
        first, dot, key = name.partition(".")
        value = self.chosen.get(first)
        if dot:
            value = value.get(key) if isinstance(value, Mapping) else None
        if value is None:
            raise TaskError(
                f"{self.source}: there is no parameter {{{name}}}. There are {', '.join(_names(self.chosen))}."
            )
        return value


def _names(chosen: Mapping[str, Any]) -> Iterator[str]:
    for name, value in chosen.items():
        yield from (f"{{{name}.{key}}}" for key in value) if isinstance(value, Mapping) else (f"{{{name}}}",)


def shipped_benchmark() -> Path:
    return data_folder("tasks") / "simulated_phone_goals.jsonl"


def read_benchmark(path: Path) -> Mapping[str, TaskTemplate]:
    """By task id; blank lines are skipped. Raises TaskError naming the line, also for what cannot be filled."""
    tasks: dict[str, TaskTemplate] = {}
    for number, line in enumerate(read_text(path, Largest.TASKS).split("\n"), 1):
        if not line.strip():
            continue
        source = f"{path}, line {number}"
        try:
            template = TaskTemplate(source, _Row.model_validate_json(line))
        except ValidationError as error:
            raise TaskError(f"{source}: {first_fault(error)}.") from error
        _ = template.filled(0)
        if template.row.task_id in tasks:
            raise TaskError(f"{source}: {template.row.task_id} is there twice.")
        tasks[template.row.task_id] = template
    return tasks
