"""The file `targets.yaml`: how many tasks are wanted, and in which shares by category and device."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.fields import Problem, ProfileName, refuse
from odyssey_recorder.tasks.generation.generator import Targets
from odyssey_recorder.tasks.templates.source import read_file
from odyssey_recorder.validation import ClosedModel

_NAME = "targets.yaml"
_MOST_TASKS = 10_000_000

_Share = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _TargetsFile(ClosedModel):
    """Shares of any sum, such as ``Multi_Apps: 2``."""

    categories: dict[Category, _Share] = Field(default_factory=dict)
    devices: dict[ProfileName, _Share] = Field(default_factory=dict)
    tasks: int = Field(default=0, ge=0, le=_MOST_TASKS)


def read_targets(folders: Sequence[Path]) -> tuple[Targets, Sequence[Problem]]:
    """The targets from the last folder that has a `targets.yaml`, and the problems of that file."""
    files = [folder / _NAME for folder in folders if (folder / _NAME).is_file()]
    if not files:
        return Targets(), ()
    found = read_file(files[-1], _TargetsFile)
    if isinstance(found, list):
        return Targets(), found
    _, targets = found
    return Targets(targets.categories, targets.devices, targets.tasks), ()


def load_targets(folders: Sequence[Path]) -> Targets:
    """Raises TaskError with file, line and key of each problem."""
    targets, problems = read_targets(folders)
    refuse(problems)
    return targets
