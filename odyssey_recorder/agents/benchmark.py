"""The tasks of the simulated phone that can be judged: goals, the wanted answer, and a script that solves each."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from odyssey_recorder.agents.goals import Goal
from odyssey_recorder.errors import TaskError
from odyssey_recorder.files import Largest, read_text
from odyssey_recorder.recording.script import PressKey, TypeText
from odyssey_recorder.resources import data_folder
from odyssey_recorder.validation import ClosedModel, first_fault


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


class BenchmarkTask(ClosedModel):
    """`gold` solves the task on every profile; without `answer`, the note of COMPLETE may be anything."""

    task_id: str
    goals: Annotated[tuple[Goal, ...], Field(min_length=1)]
    answer: str = ""
    gold: tuple[Move, ...]


_TASK = TypeAdapter(BenchmarkTask)


def shipped_benchmark() -> Path:
    return data_folder("tasks") / "simulated_phone_goals.jsonl"


def read_benchmark(path: Path) -> Mapping[str, BenchmarkTask]:
    """By task id. Raises TaskError naming the line."""
    tasks: dict[str, BenchmarkTask] = {}
    for number, line in enumerate(read_text(path, Largest.TASKS).splitlines(), 1):
        try:
            task = _TASK.validate_json(line)
        except ValidationError as error:
            raise TaskError(f"{path}, line {number}: {first_fault(error)}.") from error
        if task.task_id in tasks:
            raise TaskError(f"{path}, line {number}: {task.task_id} is there twice.")
        tasks[task.task_id] = task
    return tasks
