"""`reviews`: the review files of a dataset."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from odyssey_recorder.commands.terminal import line
from odyssey_recorder.errors import OdysseyError

if TYPE_CHECKING:
    from odyssey_recorder.quality.reviewing.review_store import ReviewStore

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Look at the review files, and bring them together."
)

_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)

_DatasetOption = Annotated[Path | None, typer.Option("--dataset", help="The dataset folder.", show_default="settings")]
_JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def check(
    path: Annotated[
        Path | None,
        typer.Argument(help="A folder or file of reviews that is to be merged.", show_default="the dataset's own"),
    ] = None,
    *,
    dataset: _DatasetOption = None,
    as_json: _JsonOption = False,
) -> None:
    """Check review files, each fault with its file, entry and key.

    Exit code 0: all can be read and count; 1: there are faults; 2: they cannot be read at all.
    """
    from odyssey_recorder.quality.reviewing.review_merge import check_elsewhere, check_reviews

    try:
        faults = list(check_reviews(_store(dataset)) if path is None else check_elsewhere(path))
    except OdysseyError as error:
        raise _cannot(error) from error
    if as_json:
        typer.echo(json.dumps({"faults": faults}, indent=2))
    else:
        _print_faults(faults)
        _out.print(line(_counted(len(faults), "fault")), soft_wrap=True)
    if faults:
        raise typer.Exit(1)


@app.command()
def merge(
    path: Annotated[
        Path | None,
        typer.Argument(
            help="Another copy of the dataset, a folder of reviews, or a file.",
            show_default="the copies that a shared drive has left",
        ),
    ] = None,
    *,
    dataset: _DatasetOption = None,
) -> None:
    """Add reviews from elsewhere to those of the dataset, each once.

    Exit code 0: all came; 1: some could not be read or kept; 2: nothing could be read at all.
    """
    from odyssey_recorder.quality.reviewing.review_merge import merge_copies, merge_reviews

    try:
        store = _store(dataset)
        merged = merge_copies(store) if path is None else merge_reviews(store, path)
    except OdysseyError as error:
        raise _cannot(error) from error
    for episode_id, count in merged.came.items():
        _out.print(line(f"{episode_id}: {_counted(count, 'new entry', 'new entries')}"), soft_wrap=True)
    _print_faults(merged.problems)
    count = sum(merged.came.values())
    told = f"{_counted(count, 'new entry', 'new entries')} of {_counted(len(merged.came), 'episode')}"
    _out.print(line(f"{told}, {_counted(len(merged.problems), 'fault')}"), soft_wrap=True)
    if merged.problems:
        raise typer.Exit(1)


@app.command()
def policy(
    *,
    share: Annotated[
        float | None, typer.Option(min=0, max=1, help="The share of the episodes that is judged twice.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="What chooses them.")] = None,
    dataset: _DatasetOption = None,
) -> None:
    """Show how the dataset is reviewed, or set it for all who review it.

    Exit code 0: shown or set; 2: it cannot be read or written.
    """
    from odyssey_recorder.quality.reviewing.status import ReviewPolicy

    try:
        store = _store(dataset)
        now = store.policy()
        wanted = ReviewPolicy(now.seed if seed is None else seed, now.second_share if share is None else share)
        if wanted != now:
            store.set_policy(wanted)
    except OdysseyError as error:
        raise _cannot(error) from error
    told = f"{wanted.second_share * 100:.4g} % of the episodes of each category, device and annotator"
    _out.print(line(f"{told} are judged twice, chosen by lot (seed {wanted.seed})"), soft_wrap=True)


@app.command()
def restore(
    episode_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The episode.", show_default="list the trash")
    ] = None,
    *,
    why: Annotated[str, typer.Option(help="Why it comes back.")] = "",
    reviewer: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="Who says so.", show_default="the annotator of the settings"),
    ] = None,
    dataset: _DatasetOption = None,
) -> None:
    """Bring a rejected episode back, to be judged anew.

    Exit code 0: it is back, or the trash was listed; 2: that could not be done.
    """
    from odyssey_recorder.dataset.trash import Trash
    from odyssey_recorder.quality.checker import Checker
    from odyssey_recorder.review_service import ReviewService
    from odyssey_recorder.settings import read_settings

    settings = read_settings(dataset=dataset, annotator=reviewer)
    try:
        if episode_id is not None:
            ReviewService(settings.dataset, Checker(None), lambda: settings.annotator).restore(episode_id, why)
            _out.print(line(f"{episode_id} is back in {settings.dataset}, to be judged anew"), soft_wrap=True)
            return
        for trashed in (episodes := Trash(settings.dataset).episodes()):
            moved = trashed.moved_at.astimezone()
            _out.print(line(f"{trashed.episode_id}  since {moved:%Y-%m-%d %H:%M}"), soft_wrap=True)
        _out.print(line(f"{_counted(len(episodes), 'episode')} in the trash"), soft_wrap=True)
    except OdysseyError as error:
        raise _cannot(error) from error


def _store(dataset: Path | None) -> "ReviewStore":
    from odyssey_recorder.quality.reviewing.review_store import ReviewStore
    from odyssey_recorder.settings import read_settings

    return ReviewStore(read_settings(dataset=dataset).dataset)


def _print_faults(faults: list[str]) -> None:
    for fault in faults:
        _err.print(line((fault, "red")), soft_wrap=True)


def _counted(count: int, word: str, words: str = "") -> str:
    return f"{count} {word}" if count == 1 else f"{count} {words or word + 's'}"


def _cannot(error: OdysseyError) -> typer.Exit:
    _err.print(line((str(error), "red")), soft_wrap=True)
    return typer.Exit(2)
