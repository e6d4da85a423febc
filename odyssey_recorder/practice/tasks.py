"""The practice tasks: what each teaches, its milestones, hints and files."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, ValidationError, model_validator
from pydantic.dataclasses import dataclass as checked_dataclass

from odyssey_recorder.errors import PracticeError
from odyssey_recorder.files import Largest, read_text
from odyssey_recorder.model.assignment import Assignment, CleanHome
from odyssey_recorder.model.episode import Category, TaskInfo
from odyssey_recorder.resources import data_folder
from odyssey_recorder.validation import ClosedModel, first_fault

Ending = Literal["COMPLETE", "IMPOSSIBLE"]


_Words = Annotated[str, Field(min_length=1)]


@checked_dataclass(frozen=True, slots=True, config=ConfigDict(extra="forbid"))
class Milestone:
    """One thing that an attempt must pass; `words` name it for the annotator.

    It is passed at a step in the app `app` (a package, empty for any) on whose screen all of `shows` can be read. With
    `typed`, that text must have been typed in the app by then; with `does`, the step must have that action type.
    """

    words: _Words
    app: str = ""
    shows: tuple[_Words, ...] = ()
    typed: str = ""
    does: str = ""

    @property
    def weight(self) -> int:
        """Typed text weighs three, an action two, a screen one."""
        if self.typed:
            return 3
        return 2 if self.does else 1


@dataclass(frozen=True, slots=True)
class PracticeTask:
    """One task; `answer` is what the note of its terminal step must contain, empty for none."""

    task_id: str
    teaches: str
    task: TaskInfo
    hints: tuple[str, ...]
    milestones: tuple[Milestone, ...]
    ending: Ending
    answer: str
    folder: Path

    @property
    def assignment(self) -> Assignment:
        """The task for recording, from a clean home screen."""
        return Assignment(self.task, self.task_id, CleanHome(), is_practice=True)

    @property
    def script_file(self) -> Path:
        """A recording script of the task; see docs/practice.md."""
        return self.folder / "script.jsonl"

    @property
    def gold_file(self) -> Path:
        return self.folder / "gold.json"


def practice_folder() -> Path:
    return data_folder("practice")


@cache
def practice_tasks(folder: Path | None = None) -> tuple[PracticeTask, ...]:
    """The tasks of `folder`, by default those of the program, sorted by folder name. Raises PracticeError."""
    return tuple(_read_task(file) for file in sorted((folder or practice_folder()).glob("*/task.toml")))


class _Task(ClosedModel):
    category: Category
    apps: Annotated[tuple[_Words, ...], Field(min_length=1)]
    meta_task: _Words
    task: _Words
    instruction: _Words

    @model_validator(mode="after")
    def _enough_apps(self) -> Self:
        if lack := self.category.lacks_apps(self.apps):
            raise ValueError(lack)
        return self


class _File(ClosedModel):
    teaches: _Words
    ending: Ending
    answer: str = ""
    hints: Annotated[tuple[_Words, ...], Field(min_length=1)]
    task: _Task
    milestones: Annotated[tuple[Milestone, ...], Field(min_length=1)]


def _read_task(path: Path) -> PracticeTask:
    try:
        read = _File.model_validate(tomllib.loads(read_text(path, Largest.WRITTEN_BY_HAND)))
    except ValidationError as error:
        raise PracticeError(f"The practice task {path} cannot be read: {first_fault(error)}.") from error
    except (OSError, ValueError) as error:
        raise PracticeError(f"The practice task {path} cannot be read: {error}.") from error
    info = read.task
    return PracticeTask(
        task_id=f"practice-{path.parent.name}",
        teaches=read.teaches,
        task=TaskInfo(info.category.value, info.apps, info.meta_task, info.task, info.instruction),
        hints=read.hints,
        milestones=read.milestones,
        ending=read.ending,
        answer=read.answer,
        folder=path.parent,
    )
