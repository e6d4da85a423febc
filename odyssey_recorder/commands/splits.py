"""`splits`: the train and test splits of a dataset."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.model.plain_text import counted, few

if TYPE_CHECKING:
    from odyssey_recorder.services.splits import SplitsRecord, UsedEpisodes
    from odyssey_recorder.splits.leaks import LeakReport

app = terminal.CommandGroup("splits", "Make train and test splits, and check for leaks.")

UnitOption = Annotated[
    Literal["take", "episode"] | None,
    typer.Option(help="What the random split keeps together: all takes of a task, or nothing.", show_default="take"),
]
_STYLES = {"error": "red", "warning": "yellow", "note": "cyan"}


@app.command()
def make(  # noqa: PLR0913 - the options
    dataset: terminal.DatasetFolder,
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
    task_share: Annotated[
        float | None, typer.Option(min=0.01, max=0.99, help="The share of test in task.", show_default="1/7")
    ] = None,
    each_device: Annotated[
        bool, typer.Option("--each-device", help="Also make a split for each device, which is its test.")
    ] = False,
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

    The same episodes and options give the same files. Released episodes stay on their sides, and so do those of an
    earlier random split with these options.

    Exit code 0: all made; 1: some cannot be made; 2: none can.
    """
    from odyssey_recorder.services.splits import plan_splits, read_episodes, write_splits
    from odyssey_recorder.splits.drawing import DrawRules

    given = {"seed": seed, "share": share, "unit": unit, "devices": tuple(device) if device else None,
             "task_share": task_share, "each_device": each_device or None}  # fmt: skip
    changed: Any = {name: value for name, value in given.items() if value is not None}
    with terminal.progress_bar("Reading episodes") as progress:
        used = read_episodes(dataset, agents=agents, progress=progress)
    _print_left_out(used)
    planned = plan_splits(dataset, used, DrawRules(**changed) if changed else None, base=base, reshuffle=reshuffle)
    write_splits(dataset, planned)
    _print_record(planned.record, as_json=as_json)
    terminal.fail_if(planned.record.missing)


@app.command()
def check(  # noqa: PLR0913 - the options
    dataset: terminal.DatasetFolder,
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
    from odyssey_recorder.services.splits import find_leaks

    folder = None if splits is None else splits.resolve()
    with terminal.progress_bar("Reading episodes") as progress:
        report, used = find_leaks(
            dataset, folder, unit=unit, agents=agents, with_screenshots=screenshots, progress=progress
        )
    _print_left_out(used)
    if as_json:
        terminal.print_json(asdict(report))
    else:
        _print_leaks(report)
    terminal.fail_if(report.fails(fail_on))


@app.command()
def show(dataset: terminal.DatasetFolder, *, as_json: terminal.JsonOption = False) -> None:
    """Show how the splits were made, and their leaks.

    Exit code 0: success; 2: the dataset has no splits that were made here.
    """
    from odyssey_recorder.services.splits import read_made_splits

    record, _, changed = read_made_splits(dataset)
    _print_record(record, as_json=as_json)
    if not as_json and changed:
        count = counted(changed, "episode")
        terminal.say((f"{count} added or removed since. Make the splits again.", "yellow"))


def _print_left_out(used: "UsedEpisodes") -> None:
    terminal.print_retired(used.retired)
    terminal.print_unread(used.unread.values())


def _print_record(record: "SplitsRecord", *, as_json: bool) -> None:
    if as_json:
        terminal.print_json(record.model_dump(mode="json"))
        return
    width = max(7, *map(len, record.splits))
    for kind, split in record.splits.items():
        seed = "" if split.seed is None else f", seed {split.seed}"
        held = f", {len(split.held):,} held out" if split.held else ""
        terminal.say((f"{kind:{width}}", "bold"), f"{split.train:6,} train {split.test:6,} test{seed}{held}")
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
            names = few(leak.values or leak.ids)
            description = f"{leak.level}  {share}  {leak.found}{names and f': {names}'}"
            terminal.say((f"  {leak.severity:8}", _STYLES[leak.severity]), description)
        crossed = report.crossed.get(split.kind, {}).items()
        others = ", ".join(f"{other} {count / max(1, split.test):.1%}" for other, count in crossed)
        if others:
            terminal.say(f"  {'':8}L8  {'':6}  test is in the train part of {others}")
    if not report.with_screenshots:
        terminal.say("")
        terminal.say("Screenshots were not compared; splits check --screenshots does that.")
