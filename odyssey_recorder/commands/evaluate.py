"""`evaluate`: how well predictions match the recorded actions."""

from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.cluster import ClusterOption
from odyssey_recorder.commands.cluster import cluster as on_cluster
from odyssey_recorder.commands.model_usage import print_answers
from odyssey_recorder.evaluation.protocols import PROTOCOLS, Name, ScoringTerms
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.plain_text import on_one_line, step_number

if TYPE_CHECKING:
    from odyssey_recorder.evaluation.judged_steps import JudgedStep
    from odyssey_recorder.evaluation.placement import Fit
    from odyssey_recorder.evaluation.report import Evaluation
    from odyssey_recorder.services.evaluation import ScoredFiles

_PROBLEMS_SHOWN = 10
_ALL = "all"
_SPLITS = ("random", "task", "device", "app", "device_NAME")


@terminal.exits_with_2()
def evaluate(  # noqa: PLR0913 - the options
    predictions: Annotated[list[Path], typer.Argument(metavar="PREDICTIONS", help="Files of predictions.")],
    *,
    data: Annotated[Path, typer.Option("--data", metavar="DATASET", help="The dataset folder.")],
    split: Annotated[
        list[str] | None,
        typer.Option(
            metavar=f"[{'|'.join(_SPLITS)}]",
            callback=lambda values: _known(values, _SPLITS, _is_split),
            help="Score the test part of this split. Can be repeated.",
            show_default="all episodes",
        ),
    ] = None,
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            "--protocol",
            "--protocols",
            metavar="NAME",
            callback=lambda values: _known(values, (*PROTOCOLS, _ALL), (*PROTOCOLS, _ALL).__contains__),
            help=f"The rules that decide what is right: {', '.join(PROTOCOLS)}, or all. Can be repeated.",
            show_default="official",
        ),
    ] = None,
    level: Annotated[
        Literal["high", "low"] | None,
        typer.Option(help="The instructions the model was given; by default as the file says, or high."),
    ] = None,
    selection: Annotated[str, typer.Option("--filter", help="Only these episodes, as in `list`.")] = "",
    alternatives: Annotated[
        bool, typer.Option("--alternatives", help="Show the scores that count accepted alternatives too.")
    ] = False,
    against: Annotated[
        Path | None, typer.Option(metavar="OTHER", help="The predictions of another model, to compare with.")
    ] = None,
    wrong: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="List N wrong steps, the worst first.", show_default="none")
    ] = None,
    cluster: ClusterOption = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with pictures of wrong steps.")
    ] = None,
    leaderboard: Annotated[
        Path | None,
        typer.Option("--leaderboard", metavar="FILE", help="Write the table of scores: .md, .csv or .tex."),
    ] = None,
    log_samples: Annotated[
        Path | None,
        typer.Option("--log-samples", metavar="FILE", help="Write each step's verdict by every protocol: JSON Lines."),
    ] = None,
    as_json: terminal.JsonOption = False,
) -> None:
    """Score models' predictions on a dataset.

    Reads our JSON Lines and the files of the official evaluator, AgentCPM-GUI and OS-Atlas. The dataset's true actions
    count, not those in the file. Several files, splits or protocols give one table.

    Exit code 0: scored; 1: scored, but something in the file was not; 2: nothing could be scored.
    """
    from odyssey_recorder.services.evaluation import score_each, write_report, write_sample_log
    from odyssey_recorder.wiring.user import user_index

    asked = [
        ScoringTerms(str(data), str(file), cast(Name, rules), part, level or "", selection, alternatives)
        for part in dict.fromkeys(split or [""])
        for rules in (PROTOCOLS if _ALL in (protocol or ()) else dict.fromkeys(protocol or ["official"]))
        for file in dict.fromkeys(predictions)
    ]
    if len(asked) > 1 and (against or wrong or html):
        raise typer.BadParameter("--against, --wrong and --html are for one file, one split and one protocol.")
    on_workers = nullcontext() if cluster is None else on_cluster(cluster)
    with closing(user_index(data)) as index, on_workers as executor:
        scored = score_each(index, asked, against=against, executor=executor)
    terminal.print_left_out(scored[0].selection)
    from odyssey_recorder.evaluation.leaderboard import write_leaderboard

    found = [one.found for one in scored]
    if html is not None:
        write_report(html, scored[0])
    if leaderboard is not None:
        write_leaderboard(leaderboard, found)
    if log_samples is not None:
        write_sample_log(log_samples, scored)
    if len(scored) == 1:
        _print_one(scored[0], wrong, as_json=as_json)
    else:
        _print_several(found, as_json=as_json)
    fits = {name: fit for one in found for name, fit in one.fits}
    for name, fit in fits.items():
        _print_fit(name, fit)
    unread = [*dict.fromkeys(text for one in found for text in one.unread)]
    for text in unread[:_PROBLEMS_SHOWN]:
        terminal.print_warning(text)
    raise typer.Exit(0 if not unread and all(fit.is_clean for one in found for _, fit in one.fits) else 1)


def _is_split(name: str) -> bool:
    from odyssey_recorder.splits.drawing import is_kind

    return is_kind(name)


def _known(values: list[str] | None, known: Sequence[str], is_known: Callable[[str], bool]) -> list[str] | None:
    for value in values or ():
        if not is_known(value):
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(known)}.")
    return values


def _print_one(scored: "ScoredFiles", wrong: int | None, *, as_json: bool) -> None:
    from odyssey_recorder.evaluation.judged_steps import StepsWanted
    from odyssey_recorder.evaluation.report import as_json as report_of
    from odyssey_recorder.reports import report_json
    from odyssey_recorder.services.evaluation import judged

    steps = judged(scored, StepsWanted(), wrong) if wrong else None
    if as_json:
        listed = {} if steps is None else {"wrong": _wrong_as_json(*steps)}
        typer.echo(report_json({**report_of(scored.found), **listed}))
        return
    _print(scored.found)
    if steps is not None:
        _print_wrong(*steps, scored.found)


def _print_several(found: "Sequence[Evaluation]", *, as_json: bool) -> None:
    from rich import box
    from rich.table import Column, Table
    from rich.text import Text

    from odyssey_recorder.evaluation.leaderboard import TEXTS, brief
    from odyssey_recorder.evaluation.report import as_json as report_of
    from odyssey_recorder.reports import report_json

    if as_json:
        typer.echo(report_json({"evaluations": [report_of(one) for one in found]}))
        return
    heads, *rows = brief(found)
    columns = (Column(head, justify="left" if head in TEXTS else "right") for head in heads)
    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for cells in rows:
        table.add_row(*map(Text, cells))
    terminal.out.print(table)
    if "Change" in heads:
        terminal.say("Change is the AMS less that of the protocol official.")
    for note in dict.fromkeys(note for one in found for note in one.notes):
        terminal.say(note)


def _print(evaluation: "Evaluation") -> None:
    from odyssey_recorder.evaluation.report import shown

    terms, whole = evaluation.asked, evaluation.whole
    part = f"split {terms.split}, test" if terms.split else "all episodes"
    terminal.say((f"Protocol {terms.protocol}, {part}, {terms.level}-level instructions, in percent", "bold"))
    for name, value, note in evaluation.rows:
        terminal.say(f"{name:21} {shown(value):>8}{note and f'  ({note})'}")
    terminal.say(f"{whole.steps:,} steps judged; {whole.episodes:,} episodes count for SR")
    for note in evaluation.notes:
        terminal.say(note)
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
        values = ", ".join(f"{name} {shown(value)}" for name, value in row.values.items())
        terminal.say(f"Published: {row.model} ({row.source}): {values}")


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
    if fit.failures:
        print_answers(fit.failures, fit.predictions)
