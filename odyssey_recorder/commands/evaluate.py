"""`evaluate`: how well predictions match the recorded actions."""

from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.cluster import ClusterOption
from odyssey_recorder.commands.cluster import cluster as on_cluster
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.plain_text import on_one_line, step_number

if TYPE_CHECKING:
    from odyssey_recorder.evaluation.judged_steps import JudgedStep
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
    wrong: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="List N wrong steps, the worst first.", show_default="none")
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
    from odyssey_recorder.evaluation.protocols import ScoringTerms
    from odyssey_recorder.services.evaluation import judged, score_files
    from odyssey_recorder.wiring.user import user_index

    asked = ScoringTerms(str(data), str(predictions), protocol, split or "", level or "", selection)
    on_workers = nullcontext() if cluster is None else on_cluster(cluster)
    with closing(user_index(data)) as index, on_workers as executor:
        scored = score_files(index, asked, against=against, executor=executor)
    terminal.print_left_out(scored.selection)
    from odyssey_recorder.evaluation import report
    from odyssey_recorder.evaluation.judged_steps import StepsWanted

    evaluation = scored.found
    steps = judged(scored, StepsWanted(), wrong) if wrong else None
    if html is not None:
        report.write_report(html, evaluation)
    if as_json:
        from odyssey_recorder.reports import report_json

        listed = {} if steps is None else {"wrong": _wrong_as_json(*steps)}
        typer.echo(report_json({**report.as_json(evaluation), **listed}))
    else:
        _print(evaluation)
        if steps is not None:
            _print_wrong(*steps, evaluation)
    for name, fit in evaluation.fits:
        _print_fit(name, fit)
    for text in evaluation.unread[:_PROBLEMS_SHOWN]:
        terminal.print_warning(text)
    raise typer.Exit(0 if not evaluation.unread and all(fit.is_clean for _, fit in evaluation.fits) else 1)


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


def _print_wrong(steps: "Sequence[JudgedStep]", count: int, evaluation: "Evaluation") -> None:
    few = f", the worst {len(steps):,} of {count:,}" if len(steps) < count else f": {count:,}"
    terminal.say((f"Wrong steps{few}", "bold"))
    for step in steps:
        verdict = step.verdict[:1].lower() + step.verdict[1:]
        said = verdict if step.said is None else f"predicted {on_one_line(step.said)} ({verdict})"
        if evaluation.against is not None and step.other_right is not None:
            right = "right" if step.other_right else "wrong"
            other = "nothing" if step.other_said is None else on_one_line(step.other_said)
            said += f"; {on_one_line(evaluation.against.model)}: {other} ({right})"
        terminal.say(f"{step.episode_id}, step {step_number(step.step)}: {on_one_line(step.truth)}; {said}")


def _wrong_as_json(steps: "Sequence[JudgedStep]", count: int) -> Json:
    listed: list[Json] = [
        {
            "episode_id": step.episode_id, "step_index": step.step, "truth": step.truth, "predicted": step.said,
            "verdict": step.verdict, "apart": step.apart, "other_predicted": step.other_said,
            "other_right": step.other_right,
        }
        for step in steps
    ]  # fmt: skip
    return {"count": count, "steps": listed}


def _print_fit(name: str, fit: "Fit") -> None:
    for text in fit.problems[:_PROBLEMS_SHOWN]:
        terminal.print_warning(f"{name}, {text}")
    if text := fit.counts:
        terminal.say(f"{name}: {text}" if fit.is_clean else (f"{name}: {text}", "yellow"), to=terminal.err)
