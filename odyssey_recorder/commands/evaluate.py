"""`evaluate`: how well predictions match the recorded actions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.cluster import ClusterOption
from odyssey_recorder.commands.cluster import cluster as on_cluster
from odyssey_recorder.errors import DatasetError

if TYPE_CHECKING:
    from odyssey_recorder.evaluation.placement import Fit
    from odyssey_recorder.evaluation.report import Evaluation

_PROBLEMS_SHOWN = 10


@terminal.exits_with_2()
def evaluate(  # noqa: PLR0913 - the options
    predictions: Annotated[Path, typer.Argument(metavar="PREDICTIONS", help="A file of predictions.")],
    *,
    data: Annotated[Path, typer.Option("--data", metavar="DATASET", help="The dataset folder.")],
    split: Annotated[
        Literal["random", "task", "device", "app"] | None, typer.Option(help="Score the test part of this split.")
    ] = None,
    protocol: Annotated[
        Literal["official", "official-v1", "strict", "agentcpm", "osatlas", "com"],
        typer.Option(help="The rules that decide what is right."),
    ] = "official",
    level: Annotated[
        Literal["high", "low"] | None,
        typer.Option(help="The instructions the model was given; by default as the file says, or high."),
    ] = None,
    selection: Annotated[str, typer.Option("--filter", help="Only these episodes, as in `list`.")] = "",
    against: Annotated[
        Path | None, typer.Option(metavar="OTHER", help="The predictions of another model, to compare with.")
    ] = None,
    cluster: ClusterOption = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page to this file.")] = None,
    as_json: terminal.JsonOption = False,
) -> None:
    """Score a model's predictions on a dataset.

    Reads our JSON Lines and the files of the official evaluator, AgentCPM-GUI and OS-Atlas. The dataset's true actions
    count, not those in the file.

    Exit code 0: scored; 1: scored, but something in the file was not; 2: nothing could be scored.
    """
    from odyssey_recorder.commands.listing import selected_ids

    try:
        from odyssey_recorder.evaluation import report
        from odyssey_recorder.evaluation.gold import read_gold
        from odyssey_recorder.evaluation.loading import load
    except ModuleNotFoundError as error:
        raise DatasetError("Scoring needs numpy. Install it: pip install 'odyssey-recorder[evaluation]'") from error
    loaded = load(predictions)
    selected_filter = f"{selection} split:{split}/test".strip() if split else selection
    ids = selected_ids(data, selected_filter)
    if cluster is None:
        gold, unread = read_gold(data, ids)
    else:
        with on_cluster(cluster) as executor:
            gold, unread = read_gold(data, ids, carry_out=executor.map)
    if not gold.episodes:
        raise DatasetError(f"{data} has no readable episode of this selection. Check --split and --filter.")
    terms = report.ScoringTerms(
        str(data), str(predictions), protocol, split or "", level or loaded.header.level or "high", selection
    )
    evaluation = report.evaluate(gold, loaded, terms, unread=unread)
    if against is not None:
        evaluation = report.with_difference(evaluation, load(against), str(against))
    if html is not None:
        report.write_report(html, evaluation)
    if as_json:
        from odyssey_recorder.reports import report_json

        typer.echo(report_json(report.as_json(evaluation)))
    else:
        _print(evaluation)
    for name, fit in evaluation.fits:
        _print_fit(name, fit)
    for text in unread[:_PROBLEMS_SHOWN]:
        terminal.print_warning(text)
    raise typer.Exit(0 if not unread and all(fit.is_clean for _, fit in evaluation.fits) else 1)


def _print(evaluation: "Evaluation") -> None:
    from odyssey_recorder.evaluation.report import shown

    terms, whole = evaluation.asked, evaluation.whole
    part = f"split {terms.split}, test" if terms.split else "all episodes"
    terminal.say((f"Protocol {terms.protocol}, {part}, {terms.level}-level instructions, in percent", "bold"))
    for name, value, note in (
        ("AMS, pooled", whole.ams, f"95%: {shown(evaluation.ams_interval)}, over {evaluation.units}"),
        ("AMS, category mean", evaluation.ams_category_mean, ""),
        ("SR", whole.sr, f"95%: {shown(evaluation.sr_interval)}"),
        ("Type match", whole.type_match, ""),
        ("Click accuracy", whole.click, "given the type"),
        ("Goal progress", whole.progress, ""),
        ("TSS", whole.tss, ""),
        ("Readable answers", whole.readable, ""),
    ):
        terminal.say(f"{name:21} {shown(value):>8}{note and f'  ({note})'}")
    terminal.say(f"{whole.steps:,} steps judged; {whole.episodes:,} episodes count for SR")
    for change in evaluation.changes:
        figures = f"AMS {shown(change.ams):>6}  SR {shown(change.sr):>6}"
        terminal.say(f"  {change.switch:14} {figures}  {change.changed:,} steps judged otherwise")
    if other := evaluation.against:
        terminal.say((f"{other.model}, protocol {terms.protocol}, {other.episodes:,} episodes in both", "bold"))
        more = f"difference {shown(other.ams_more)}  (95%: {shown(other.ams_interval)})"
        terminal.say(f"{'AMS':21} {shown(other.ams):>8}  {more}")
        more = f"difference {shown(other.sr_more)}  (95%: {shown(other.sr_interval)})"
        terminal.say(f"{'SR':21} {shown(other.sr):>8}  {more}")
    for row in evaluation.published:
        terminal.say(f"Published: {row.model} ({row.source}): AMS {shown(row.ams)}, SR {shown(row.sr)}")


def _print_fit(name: str, fit: "Fit") -> None:
    for text in fit.problems[:_PROBLEMS_SHOWN]:
        terminal.print_warning(f"{name}, {text}")
    if text := fit.counts:
        terminal.say(f"{name}: {text}" if fit.is_clean else (f"{name}: {text}", "yellow"), to=terminal.err)
