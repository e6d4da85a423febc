"""`tasks`: the list of tasks on a command line."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from odyssey_recorder.commands.terminal import line
from odyssey_recorder.errors import OdysseyError

if TYPE_CHECKING:
    from odyssey_recorder.task.listing import Listing
    from odyssey_recorder.task.problem import Problem
    from odyssey_recorder.task.queue import Board, QueuedTask

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Look at the list of tasks.")

_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)

_JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_tasks(*, as_json: _JsonOption = False) -> None:
    """List the tasks of the queue, and how each stands.

    Exit code 0: listed; 2: the list, or what was done with it, cannot be read.
    """
    try:
        board = _board()
    except OdysseyError as error:
        raise _cannot(error) from error
    if as_json:
        typer.echo(json.dumps([_as_tree(task) for task in board.tasks], indent=2))
        return
    for task in board.tasks:
        told = task.listed.task
        _out.print(
            line(f"{task.task_id:24} {task.status.value:10} {told.category:23} {told.instruction}"), soft_wrap=True
        )
    _out.print(line(f"{board.name}: {_counted(board.tasks, 'task')}"), soft_wrap=True)


@app.command()
def validate(
    file: Annotated[Path | None, typer.Argument(help="A list of tasks.", show_default="the setting tasks")] = None,
    *,
    as_json: _JsonOption = False,
) -> None:
    """Check a list of tasks, each fault with file, line and key.

    Exit code 0: it can be used; 1: it has faults; 2: it cannot be read.
    """
    from odyssey_recorder.task.listing import read_listing

    try:
        listing = read_listing(file or _source())
    except OdysseyError as error:
        raise _cannot(error) from error
    if as_json:
        typer.echo(json.dumps(_verdict(listing), indent=2))
    else:
        for problem in listing.problems:
            _err.print(line((str(problem), "red")), soft_wrap=True)
        _out.print(line(f"{_counted(listing.tasks, 'task')}, {_counted(listing.problems, 'fault')}"), soft_wrap=True)
    if listing.problems:
        raise typer.Exit(1)


def _source() -> Path:
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.task.listing import shipped_tasks

    return read_settings().tasks or shipped_tasks()


def _board() -> "Board":
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring import annotator_tasks

    return annotator_tasks(read_settings()).board()


def _as_tree(task: "QueuedTask") -> dict[str, object]:
    told = task.listed.task
    return {
        "task_id": task.task_id,
        "status": task.status.value,
        "category": told.category,
        "instruction": told.instruction,
        "apps": told.apps,
        "episodes": [entry.episode_id for entry in task.history if entry.deed.value == "recorded"],
        "reason": task.reason,
    }


def _verdict(listing: "Listing") -> dict[str, object]:
    return {"tasks": len(listing.tasks), "problems": list(_problems(listing.problems))}


def _problems(problems: "Sequence[Problem]") -> Iterable[dict[str, object]]:
    for one in problems:
        yield {"file": str(one.source), "line": one.line, "key": one.key, "problem": one.words}


def _counted(things: Sequence[object], word: str) -> str:
    return f"{len(things)} {word}" if len(things) == 1 else f"{len(things)} {word}s"


def _cannot(error: OdysseyError) -> typer.Exit:
    _err.print(line((str(error), "red")), soft_wrap=True)
    return typer.Exit(2)
