"""`annotate import` and `annotate export`: texts and memory from and to files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from odyssey_recorder.commands.model_usage import DatasetArgument, FilterOption, exit_with_problems
from odyssey_recorder.commands.terminal import say
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.model.plain_text import counted


def import_texts(
    dataset: DatasetArgument,
    *,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="DIR", help="A released dataset with the same episodes.", show_default="PATH"),
    ] = None,
) -> None:
    """Take the texts of released annotation files as suggestions.

    Exit code 0: success; 1: the texts of some episodes could not be taken; 2: the dataset cannot be read.
    """
    from odyssey_recorder.annotation.released_texts import import_released
    from odyssey_recorder.commands.listing import selected_ids
    from odyssey_recorder.dataset.layout import episode_ids

    released = source or dataset
    ids = sorted(frozenset(selected_ids(dataset, "")) & episode_ids(released))
    if not ids:
        raise DatasetError(f"{released} has no episode of {dataset}. Check the folder.")
    count, problems = 0, []
    for episode_id in ids:
        try:
            count += import_released(dataset, released, episode_id)
        except (DatasetError, ReviewError) as error:
            problems.append((episode_id, str(error)))
    say(f"{counted(count, 'text')} imported from {counted(ids, 'episode')}")
    exit_with_problems(problems)


def export_texts(
    dataset: DatasetArgument,
    *,
    selection: FilterOption = "",
    memory: Annotated[
        Literal["paper", "kept"] | None,
        typer.Option(
            help="Write chain_of_memory/<id>.json for each episode into the folder --out instead. paper: the long-term "
            "memory as in the paper, which can lose entries; kept: an entry replaces only one of the same app.",
            show_default="none",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The output file, or folder with --memory.", show_default="standard output")
    ] = None,
) -> None:
    """List the texts and the memory, or write Chain-of-Memory files.

    The list is JSON Lines, with states and authors. A release with texts is written by `export --texts`.

    Exit code 0: success; 1: some episodes lack memory; 2: the dataset cannot be read, or the file cannot be written.
    """
    import json

    from odyssey_recorder.annotation.listing import listed_memory, listed_texts
    from odyssey_recorder.annotation.semantics import TextState
    from odyssey_recorder.commands.listing import selected_ids
    from odyssey_recorder.files import write_durably

    ids = selected_ids(dataset, selection)
    if memory is not None:
        _write_memory(dataset, ids, memory, out)
        return
    rows = (
        row
        for episode_id in ids
        for row in (
            *listed_texts(dataset, episode_id),
            *(listed for listed in listed_memory(dataset, episode_id) if listed["state"] != TextState.MISSING.value),
        )
    )
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    if out is None:
        typer.echo(lines, nl=False)
    else:
        write_durably(out, lines.encode())


def _write_memory(dataset: Path, ids: Sequence[str], rule: Literal["paper", "kept"], out: Path | None) -> None:
    """Raises Exit if some episodes lack memory."""
    from odyssey_recorder.annotation.listing import write_memory

    if out is None:
        raise DatasetError("Say with --out which folder the memory is written to.")
    problems = []
    for episode_id in ids:
        try:
            write_memory(dataset, episode_id, rule, out)
        except (DatasetError, ReviewError) as error:
            problems.append((episode_id, str(error)))
    say(f"Memory of {counted(len(ids) - len(problems), 'episode')} written to {out}")
    exit_with_problems(problems)
