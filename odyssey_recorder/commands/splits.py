"""`splits`: the train and test splits of a dataset."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.model.plain_text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from odyssey_recorder.splits.episodes import SplitFacts
    from odyssey_recorder.splits.files import SplitsRecord
    from odyssey_recorder.splits.leaks import LeakReport

app = typer.Typer(
    name="splits", no_args_is_help=True, rich_markup_mode=None, help="Make train and test splits, and check for leaks."
)

DatasetArgument = Annotated[Path, typer.Argument(metavar="DATASET", help="The dataset folder.")]
UnitOption = Annotated[
    Literal["take", "episode"] | None,
    typer.Option(help="What the random split keeps together: all takes of a task, or nothing.", show_default="take"),
]
_NAMED = 3
_STYLES = {"error": "red", "warning": "yellow", "note": "cyan"}


@app.command()
@terminal.exits_with_2()
def make(  # noqa: PLR0913 - the options
    dataset: DatasetArgument,
    *,
    seed: Annotated[int | None, typer.Option(help="The first seed to try.", show_default="0")] = None,
    share: Annotated[
        float | None, typer.Option(min=0.01, max=0.99, help="The share of test in random.", show_default="0.2")
    ] = None,
    unit: UnitOption = None,
    device: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A device of test in device. Repeatable.", show_default="Pixel Tablet"),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="A released dataset whose splits are continued.", show_default="the newest release"
        ),
    ] = None,
    reshuffle: Annotated[bool, typer.Option("--reshuffle", help="Draw again what has a side already.")] = False,
    agents: terminal.AgentsOption = False,
    as_json: terminal.JsonOption = False,
) -> None:
    """Make the splits random, task, device and app.

    The same episodes and options give the same files. Released episodes stay on their sides.

    Exit code 0: all made; 1: some cannot be made; 2: none can.
    """
    from odyssey_recorder.releases.folder import base_of_splits
    from odyssey_recorder.splits.drawing import DrawRules
    from odyssey_recorder.splits.files import SplitsOrder, plan_splits, write_splits

    given = {"seed": seed, "share": share, "unit": unit, "devices": tuple(device) if device else None}
    changed: Any = {name: value for name, value in given.items() if value is not None}
    order = SplitsOrder(DrawRules(**changed) if changed else None, base or base_of_splits(dataset), reshuffle)
    planned = plan_splits(dataset, _facts(dataset, agents=agents)[0], order)
    write_splits(dataset, planned)
    _print_record(planned.record, as_json=as_json)
    if planned.record.missing:
        raise typer.Exit(1)


@app.command()
@terminal.exits_with_2()
def check(  # noqa: PLR0913 - the options
    dataset: DatasetArgument,
    *,
    splits: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="A folder with splits of these episodes.", show_default="DATASET/splits"),
    ] = None,
    unit: UnitOption = None,
    screenshots: Annotated[bool, typer.Option("--screenshots", help="Compare all screenshots too.")] = False,
    agents: terminal.AgentsOption = False,
    fail_on: Annotated[
        Literal["error", "warning"], typer.Option(help="Exit with 1 for leaks of this severity or above.")
    ] = "error",
    as_json: terminal.JsonOption = False,
) -> None:
    """Report what leaks between train and test.

    Reads any splits, also released ones.

    Exit code 0: no errors found (see --fail-on); 1: errors found; 2: the splits cannot be read.
    """
    from odyssey_recorder.curation.retired import without_retired
    from odyssey_recorder.dataset.layout import SPLITS
    from odyssey_recorder.splits.files import read_record, read_splits
    from odyssey_recorder.splits.leaks import leak_report

    read = read_splits(dataset / SPLITS if splits is None else splits.resolve())
    facts, left_out = _facts(dataset, agents=agents, with_screenshots=screenshots)
    found = [without_retired(split, left_out) for split in read]
    record = read_record(dataset) if splits is None else None
    unit = unit or ("take" if record is None else record.rules.unit)
    report = leak_report(found, facts, unit=unit)
    if as_json:
        terminal.print_json(asdict(report))
    else:
        _print_leaks(report)
    if report.fails(fail_on):
        raise typer.Exit(1)


@app.command()
@terminal.exits_with_2()
def show(dataset: DatasetArgument, *, as_json: terminal.JsonOption = False) -> None:
    """Show how the splits were made, and their leaks.

    Exit code 0: success; 2: the dataset has no splits that were made here.
    """
    from odyssey_recorder.curation.retired import read_retired
    from odyssey_recorder.dataset.layout import episode_ids
    from odyssey_recorder.dataset.provenance import by_agents
    from odyssey_recorder.splits.files import read_drawing

    record, drawing = read_drawing(dataset)
    _print_record(record, as_json=as_json)
    split = next(iter(drawing.drawn.values())).split
    there = episode_ids(dataset) - read_retired(dataset).keys()
    changed = there.symmetric_difference((*split.train, *split.test))
    changed -= by_agents(dataset, changed & there)
    if not as_json and changed:
        count = counted(changed, "episode")
        terminal.say((f"{count} added or removed since. Make the splits again.", "yellow"))


def _facts(dataset: Path, *, agents: bool, with_screenshots: bool = False) -> "tuple[list[SplitFacts], set[str]]":
    """Of the episodes, and the ids of those that are left out: retired, by agents, or unreadable."""
    from rich.progress import Progress

    from odyssey_recorder.curation.retired import read_retired
    from odyssey_recorder.dataset.layout import episode_ids
    from odyssey_recorder.splits.episodes import read_facts

    retired, unread = read_retired(dataset), dict[str, str]()
    terminal.print_retired(len(episode_ids(dataset) & retired.keys()))
    with Progress(console=terminal.err, transient=True, disable=not terminal.err.is_terminal) as progress:
        bar = progress.add_task("Reading episodes")
        facts = read_facts(
            dataset,
            without=retired,
            agents=agents,
            with_screenshots=with_screenshots,
            on_read=lambda done, count: progress.update(bar, completed=done, total=count),
            on_unread=unread.__setitem__,
        )
    terminal.print_unread(unread.values())
    return facts, {*retired, *unread}


def _print_record(record: "SplitsRecord", *, as_json: bool) -> None:
    if as_json:
        terminal.print_json(record.model_dump(mode="json"))
        return
    for kind, split in record.splits.items():
        seed = "" if split.seed is None else f", seed {split.seed}"
        held = f", {len(split.held):,} held out" if split.held else ""
        terminal.say((f"{kind:7}", "bold"), f"{split.train:6,} train {split.test:6,} test{seed}{held}")
        if not split.is_near and split.target is not None:
            terminal.say((f"{'':8}no draw came within 3 points of {split.target:.1%} in test", "yellow"))
        if kind in record.moved:
            terminal.say(f"{'':8}{counted(record.moved[kind], 'episode')} moved to the other side")
    for why in record.missing.values():
        terminal.say((why, "yellow"))
    _print_leaks(record.leaks)


def _print_leaks(report: "LeakReport") -> None:
    for split in report.splits:
        known = f": {split.known_templates} of the {split.templates} templates in test are in train too"
        terminal.say("")
        terminal.say((split.kind, "bold"), known)
        for leak in split.leaks:
            share = f"{leak.share:6.1%}" if leak.share else f"{'':6}"
            description = f"{leak.level}  {share}  {leak.found}{_few(leak.values or leak.ids)}"
            terminal.say((f"  {leak.severity:8}", _STYLES[leak.severity]), description)
        crossed = report.crossed.get(split.kind, {}).items()
        others = ", ".join(f"{other} {count / max(1, split.test):.1%}" for other, count in crossed)
        if others:
            terminal.say(f"  {'':8}L8  {'':6}  test is in the train part of {others}")
    if not report.with_screenshots:
        terminal.say("")
        terminal.say("Screenshots were not compared; splits check --screenshots does that.")


def _few(names: "Sequence[str]") -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f": {', '.join(names[:_NAMED])}{more}" if names else ""
