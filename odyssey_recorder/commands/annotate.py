"""`annotate`: the texts of steps, written by a language model."""

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.terminal import JsonOption, exits_with_2, line, print_json, say
from odyssey_recorder.errors import DatasetError, OdysseyError, ReviewError
from odyssey_recorder.model.wording import counted

if TYPE_CHECKING:
    from odyssey_recorder.annotation.asking import Annotating, Ended, Plan
    from odyssey_recorder.annotation.checking import CheckedText

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Write and check the texts of steps.")

_TOLD = 10

_DatasetArgument = Annotated[Path, typer.Argument(metavar="PATH", help="The dataset folder.")]
_FilterOption = Annotated[str, typer.Option("--filter", help="Only episodes that this filter selects.")]
_CallsOption = Annotated[
    Literal["three", "combined"],
    typer.Option(help="Requests per step: three as in the paper, or one for all texts, which is cheaper."),
]
_EffortOption = Annotated[
    str, typer.Option(help="The reasoning effort to ask for, such as low.", show_default="the model's own")
]


@app.command()
@exits_with_2()
def plan(
    dataset: _DatasetArgument,
    *,
    selection: _FilterOption = "",
    calls: _CallsOption = "three",
    effort: _EffortOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show which texts are missing or stale, and the cost of a run.

    Asks the server for its models only. Nothing of the dataset leaves this computer.

    Exit code 0: success; 2: the dataset cannot be read, or no model is set.
    """
    ids = _selected(dataset, selection)
    annotating = _annotating(dataset, calls, effort)
    found = annotating.plan(ids)
    states = _states(dataset, ids)
    if as_json:
        estimate = found.estimate
        print_json(
            {
                "episodes": len(ids),
                "texts": dict(states),
                "requests": estimate.calls,
                "cached": estimate.kept,
                "tokens_in": estimate.tokens_in,
                "tokens_out": estimate.tokens_out,
                "cost": estimate.cost,
                "model": estimate.model,
                "host": estimate.host,
                "screenshots": found.screenshots,
                "bytes": found.bytes,
                "problems": found.problems,
            }
        )
        return
    from odyssey_recorder.commands.task_rewriting import agree_to

    _tell_states(ids, states)
    agree_to(found.estimate, None, is_agreed=True, err=terminal.out)
    _tell_leaving(found)
    _tell_problems(list(found.problems.items()))


@app.command()
@exits_with_2()
def run(  # noqa: PLR0913 - the flags
    dataset: _DatasetArgument,
    *,
    selection: _FilterOption = "",
    calls: _CallsOption = "three",
    effort: _EffortOption = "",
    budget: Annotated[
        float | None, typer.Option(min=0, help="The highest cost, in US dollars.", show_default="no limit")
    ] = None,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="The number of concurrent requests.")] = 16,
    consent: Annotated[
        bool, typer.Option("--consent", help="The owner of the dataset agrees that the screenshots are sent.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Have a language model write the texts that are missing or stale.

    Each becomes a suggestion in semantics/, for people to accept or edit; annotation files do not change. Shows the
    estimated cost first. Before screenshots leave this computer, the owner of the dataset must agree; what is drawn
    as redacted and password fields are black in them. An interrupted run is continued by the same command.

    Exit code 0: all texts are there; 1: some could not be written; 2: not started, or interrupted.
    """
    from odyssey_recorder.commands.task_rewriting import agree_to

    ids = _selected(dataset, selection)
    annotating = _annotating(dataset, calls, effort, budget=budget, at_once=at_once)
    found = annotating.plan(ids)
    _tell_leaving(found)
    agree_to(found.estimate, budget, is_agreed=yes, err=terminal.err)
    _obtain_consent(dataset, found, is_given=consent)
    try:
        ended = _asked(annotating, ids)
    except KeyboardInterrupt as error:
        say("Interrupted. Answers so far are kept. Run the same command to continue.", to=terminal.err)
        raise typer.Exit(2) from error
    problems = [(one.episode_id, one.problem) for one in ended if one.problem]
    say(f"{counted(sum(one.texts for one in ended), 'text')} added for {counted(ids, 'episode')}")
    _tell_problems(problems)
    if problems:
        raise typer.Exit(1)


@app.command()
@exits_with_2()
def check(
    dataset: _DatasetArgument,
    *,
    selection: _FilterOption = "",
    as_json: JsonOption = False,
) -> None:
    """Compare the texts with what was recorded.

    By what was really touched, typed, shown and done before, each text is supported, contradicted, or could not be
    compared. No model is asked.

    Exit code 0: nothing is contradicted; 1: some texts are, or could not be read; 2: the dataset cannot be read.
    """
    from odyssey_recorder.annotation.checking import checked_texts
    from odyssey_recorder.annotation.recycled import SeenTexts
    from odyssey_recorder.dataset.layout import annotation_path
    from odyssey_recorder.wiring import user_checker

    ids, seen = _selected(dataset, selection), SeenTexts()
    problems: list[tuple[str, str]] = []
    rows: list[dict[str, object]] = []
    verdicts: Counter[str] = Counter()
    with closing(user_checker()) as checker:
        for episode_id in ids:
            try:
                evidence = checker.evidence(dataset / annotation_path(episode_id))
                found = checked_texts(dataset, episode_id, evidence, seen)
            except (DatasetError, ReviewError) as error:
                problems.append((episode_id, str(error)))
                continue
            verdicts.update(one.verdict.value for one in found)
            rows += (_checked_row(episode_id, one) for one in found)
            if not as_json:
                _tell_contradictions(episode_id, found)
    if as_json:
        print_json(rows)
    else:
        told = ", ".join(f"{verdicts[one]:,} {words}" for one, words in _VERDICTS.items())
        say(f"{counted(verdicts.total(), 'text')} of {counted(ids, 'episode')}: {told}")
    _tell_problems(problems)
    if problems or verdicts["contradicts"]:
        raise typer.Exit(1)


@app.command("import")
@exits_with_2()
def import_texts(
    dataset: _DatasetArgument,
    *,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="DIR", help="A released dataset with the same episodes.", show_default="PATH"),
    ] = None,
) -> None:
    """Take the texts of released annotation files as suggestions.

    Exit code 0: success; 1: the texts of some episodes could not be taken; 2: the dataset cannot be read.
    """
    from odyssey_recorder.annotation.exchange import import_released
    from odyssey_recorder.dataset.layout import episode_ids

    released = source or dataset
    ids = sorted(frozenset(_selected(dataset, "")) & episode_ids(released))
    if not ids:
        raise DatasetError(f"{released} has no episode of {dataset}. Check the folder.")
    count, problems = 0, []
    for episode_id in ids:
        try:
            count += import_released(dataset, released, episode_id)
        except (DatasetError, ReviewError) as error:
            problems.append((episode_id, str(error)))
    say(f"{counted(count, 'text')} imported from {counted(ids, 'episode')}")
    _tell_problems(problems)
    if problems:
        raise typer.Exit(1)


@app.command("export")
@exits_with_2()
def export_texts(
    dataset: _DatasetArgument,
    *,
    selection: _FilterOption = "",
    out: Annotated[Path | None, typer.Option(help="The output file.", show_default="standard output")] = None,
) -> None:
    """List the texts with their states and authors as JSON Lines.

    A release with texts is written by `export --texts`.

    Exit code 0: success; 2: the dataset cannot be read, or the file cannot be written.
    """
    import json

    from odyssey_recorder.annotation.listing import listed_texts
    from odyssey_recorder.files import write_durably

    rows = (row for episode_id in _selected(dataset, selection) for row in listed_texts(dataset, episode_id))
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    if out is None:
        typer.echo(lines, nl=False)
    else:
        write_durably(out, lines.encode())


_VERDICTS = {"supports": "supported", "contradicts": "contradicted", "could not look": "not comparable"}


def _checked_row(episode_id: str, one: "CheckedText") -> dict[str, object]:
    findings = [
        {
            "check": found.check,
            "verdict": found.verdict.value,
            "found": found.found,
            "evidence": [asdict(proof) for proof in found.evidence],
        }
        for found in one.findings
    ]
    return {
        "episode_id": episode_id,
        "step": one.step,
        "text": one.kind.value,
        "state": one.state.value,
        "words": one.words,
        "verdict": one.verdict.value,
        "findings": findings,
    }


def _tell_contradictions(episode_id: str, found: "Sequence[CheckedText]") -> None:
    for one in found:
        for said in one.contradictions:
            say(f"{episode_id} step {one.step + 1} {one.kind.value}: {said.found} ({said.check})")
            say(f"  {line(one.words)}")


def _selected(dataset: Path, selection: str) -> list[str]:
    from odyssey_recorder.commands.listing import selected_ids
    from odyssey_recorder.dataset.layout import annotation_files

    files = annotation_files(dataset)
    if not files:
        raise DatasetError(f"{dataset} is not a dataset folder: annotations/ with episode files is missing.")
    chosen = selected_ids(dataset, selection)
    return sorted(file.stem for file in files if file.stem in chosen)


def _annotating(
    dataset: Path,
    calls: Literal["three", "combined"],
    effort: str,
    *,
    budget: float | None = None,
    at_once: int = 16,
) -> "Annotating":
    from odyssey_recorder.annotation.asking import Annotating
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring import open_batch

    batch = open_batch(read_settings(dataset=dataset), budget, at_once=at_once)
    return Annotating(batch, dataset, calls=calls, effort=effort)


def _states(dataset: Path, ids: Sequence[str]) -> Counter[str]:
    from odyssey_recorder.annotation.listing import listed_texts

    states: Counter[str] = Counter()
    for episode_id in ids:
        try:
            states.update(str(row["state"]) for row in listed_texts(dataset, episode_id))
        except OdysseyError:
            continue  # the plan says why
    return states


def _tell_states(ids: Sequence[str], states: Counter[str]) -> None:
    told = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
    say(f"{counted(ids, 'episode')}: {told or 'no texts'}")


def _tell_leaving(found: "Plan") -> None:
    if found.screenshots:
        size = f"{found.bytes / 1e6:,.1f} MB"
        say(
            f"{counted(found.screenshots, 'screenshot')}, about {size}, would be sent to {found.estimate.host}",
            to=terminal.err,
        )


def _obtain_consent(dataset: Path, found: "Plan", *, is_given: bool) -> None:
    """Raises DatasetError if there is none and none is given."""
    from odyssey_recorder.annotation.consent import give_consent, needs_consent
    from odyssey_recorder.settings import read_settings

    host = found.estimate.host
    if not needs_consent(dataset, host, found.screenshots, found.bytes):
        return
    if not is_given and sys.stdin.isatty():
        words = f"Does the owner of {dataset} agree that {counted(found.screenshots, 'screenshot')} are sent to {host}?"
        is_given = typer.confirm(words, err=True)
    if not is_given:
        raise DatasetError(
            f"The owner of {dataset} has not agreed that its screenshots are sent to {host}. Nothing was sent. "
            "With their agreement, add --consent."
        )
    give_consent(dataset, host, found.screenshots, found.bytes, by=read_settings(dataset=dataset).annotator)


def _asked(annotating: "Annotating", ids: Sequence[str]) -> "list[Ended]":
    from odyssey_recorder.commands.task_rewriting import progress_bar

    with progress_bar(terminal.err, "Asking") as tell:
        return annotating.run(ids, progress=tell)


def _tell_problems(problems: Sequence[tuple[str, str]]) -> None:
    for episode_id, why in problems[:_TOLD]:
        named = why if episode_id in why else f"{episode_id}: {why}"
        say((named, "yellow"), to=terminal.err)
    if len(problems) > _TOLD:
        say(f"... and {len(problems) - _TOLD} more", to=terminal.err)
