"""`tasks generate`: its options and its output."""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from rich.box import SIMPLE
from rich.table import Column, Table

from odyssey_recorder.commands import terminal
from odyssey_recorder.device.profile import profiles
from odyssey_recorder.errors import TaskError
from odyssey_recorder.files import write_durably
from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.generation.generator import GeneratedTasks, GenerationOrder, Targets
from odyssey_recorder.tasks.listing import ListedTask, task_line
from odyssey_recorder.tasks.templates.template import TemplateLibrary


def _shares(given: Sequence[str], known: Collection[str], what: str) -> Mapping[str, float]:
    shares: dict[str, float] = {}
    for option in given:
        name, _, share = option.partition("=")
        try:
            shares[name] = float(share or 1)
        except ValueError as error:
            raise TaskError(f"{option}: the share of a {what} must be a number, as in {name}=2.") from error
        if name not in known:
            raise TaskError(f"There is no {what} {name}. Use one of {', '.join(sorted(known))}.")
        if not 0 <= shares[name] < float("inf"):
            raise TaskError(f"{option}: a share cannot be negative.")
    if shares and not any(shares.values()):
        raise TaskError(f"Every {what} has a share of 0. At least one must be greater than 0.")
    return shares


def check_writable(file: Path) -> None:
    """Raise TaskError early if the list cannot be written there."""
    folder = file.absolute().parent
    if not folder.is_dir():
        raise TaskError(f"The list cannot be written to {file}: there is no folder {folder}.")
    if file.exists() and not file.is_file():
        raise TaskError(f"The list cannot be written to {file}: that is a folder, or a device.")
    if not os.access(folder, os.W_OK):
        raise TaskError(f"The list cannot be written to {file}: the folder {folder} is read-only for you.")


def write_list(tasks: Sequence[ListedTask], file: Path | None) -> None:
    """Write tasks as JSON lines atomically to a file, or print them. Raises OdysseyError."""
    lines = "".join(f"{task_line(task)}\n" for task in tasks)
    if file is None:
        try:
            terminal.out.file.write(lines)
            terminal.out.file.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise TaskError(f"The list cannot be printed: {error.strerror}. Free some space.") from error
    else:
        write_durably(file.absolute(), lines.encode())


def targets_of(categories: Sequence[str], devices: Sequence[str]) -> Targets:
    """Parse ``NAME`` and ``NAME=SHARE``. Raises TaskError."""
    of_categories = _shares(categories, {category.value for category in Category}, "category")
    of_devices = _shares(devices, {profile.key for profile in profiles()}, "device")
    return Targets({Category(name): share for name, share in of_categories.items()}, of_devices)


def batch_table(batch: GeneratedTasks, library: TemplateLibrary, order: GenerationOrder) -> Table:
    table = Table(
        Column("Category", no_wrap=True),
        Column("Made", justify="right"),
        Column("Templates", justify="right"),
        Column("Apps", justify="right"),
        Column("Left", justify="right"),
        box=SIMPLE,
    )
    of_catalogue = library.of(order.catalogue)
    for category in Category:
        tasks = [task for task in batch.tasks if task.task.category == category.value]
        templates = sum(template.category is category for template in of_catalogue)
        used = f"{len({task.template for task in tasks})} of {templates}"
        apps = len({app for task in tasks for app in task.task.apps})
        left = f"{batch.left[category]:,}" if category in order.categories else "not asked for"
        table.add_row(category.value, str(len(tasks)), used, str(apps), left)
    return table
