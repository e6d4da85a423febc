"""`annotate`: the texts of steps, written by a language model."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.annotate_boxes import boxes
from odyssey_recorder.commands.terminal import JsonOption, exits_with_2, line, print_json, say
from odyssey_recorder.errors import DatasetError, OdysseyError, ReviewError
from odyssey_recorder.model.wording import counted

if TYPE_CHECKING:
    from odyssey_recorder.annotation.batching import BatchedInstructions
    from odyssey_recorder.annotation.checking import CheckedText
    from odyssey_recorder.annotation.conversations import Conversations, Ended, Plan
    from odyssey_recorder.annotation.trust import TrustFigures
    from odyssey_recorder.llm.batch_api import BatchReport

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Write and check the texts of steps.")
app.command()(boxes)

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

_MemoryOption = Annotated[
    Literal["full", "cheap"] | None,
    typer.Option(
        help="Write Chain-of-Memory instead of texts. full: three candidates and a judging call for each part; cheap: "
        "one candidate, judged only if the recording contradicts it.",
        show_default="texts",
    ),
]
_BudgetOption = Annotated[
    float | None, typer.Option(min=0, help="The highest cost, in US dollars.", show_default="no limit")
]
_ConsentOption = Annotated[
    bool, typer.Option("--consent", help="The owner of the dataset agrees that the screenshots are sent.")
]
_YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


@app.command()
@exits_with_2()
def plan(  # noqa: PLR0913 - the flags
    dataset: _DatasetArgument,
    *,
    selection: _FilterOption = "",
    calls: _CallsOption = "three",
    memory: _MemoryOption = None,
    effort: _EffortOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show which texts are missing or stale, and the cost of a run.

    Asks the server for its models only. Nothing of the dataset leaves this computer.

    Exit code 0: success; 2: the dataset cannot be read, or no model is set.
    """
    ids = _selected(dataset, selection)
    with _asking(dataset, calls, memory, effort) as asking:
        found = asking.plan(ids)
    states = _states(dataset, ids, memory)
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
    tell_leaving(found)
    tell_problems(list(found.problems.items()))


@app.command()
@exits_with_2()
def run(  # noqa: PLR0913 - the flags
    dataset: _DatasetArgument,
    *,
    selection: _FilterOption = "",
    calls: _CallsOption = "three",
    memory: _MemoryOption = None,
    effort: _EffortOption = "",
    budget: _BudgetOption = None,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="The number of concurrent requests.")] = 16,
    consent: _ConsentOption = False,
    yes: _YesOption = False,
) -> None:
    """Have a language model write the texts that are missing or stale.

    Each becomes a suggestion in semantics/, for people to accept or edit; annotation files do not change. Shows the
    estimated cost first. Before screenshots leave this computer, the owner of the dataset must agree; what is drawn
    as redacted and password fields are black in them. An interrupted run is continued by the same command.

    Exit code 0: all texts are there; 1: some could not be written; 2: not started, or interrupted.
    """
    ids = _selected(dataset, selection)
    with _asking(dataset, calls, memory, effort, budget=budget, at_once=at_once) as asking:
        ended = _asked(asking, dataset, ids, budget, is_given=consent, is_agreed=yes)
    problems = _problems(ended)
    say(f"{counted(sum(one.texts for one in ended), 'text')} added for {counted(ids, 'episode')}")
    tell_problems(problems)
    if problems:
        raise typer.Exit(1)


@app.command()
@exits_with_2()
def batch(  # noqa: PLR0913 - the flags
    dataset: _DatasetArgument,
    *,
    selection: _FilterOption = "",
    effort: _EffortOption = "",
    budget: _BudgetOption = None,
    consent: _ConsentOption = False,
    yes: _YesOption = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until all batches are over, up to a day.")] = False,
    write: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write request files for vllm run-batch instead.")
    ] = None,
    read: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Take the answers from an output file of vllm run-batch instead."),
    ] = None,
    forget: Annotated[
        str, typer.Option(metavar="BATCH", help="Ask again for what this batch did not answer: the server lost it.")
    ] = "",
) -> None:
    """Write instructions through a Batch API at half the price.

    Submits requests for the low-level instructions that are missing or stale; they are answered within a day. Run
    it again to see the progress and to collect answers. The other texts build on each other: write them with
    `annotate run`, which asks nothing again. A batch that the server does not know is named; with --forget its
    requests are submitted again.

    Exit code 0: success; 1: some requests were not answered, or a batch is lost; 2: not started, or interrupted.
    """
    from odyssey_recorder.annotation.asking import BATCHED_ANSWERS, Annotating
    from odyssey_recorder.annotation.batching import BatchedInstructions
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring import open_batch, open_batch_api

    ids, settings = _selected(dataset, selection), read_settings(dataset=dataset)
    annotating = Annotating(open_batch(settings), dataset, effort=effort)
    batches = BatchedInstructions(annotating, open_batch_api(settings, BATCHED_ANSWERS, budget), ids)
    if write is not None or read is not None:
        _exchange_files(batches, write, read)
        return
    try:
        if forget:
            say(f"{forget} forgotten: {counted(batches.forget(forget), 'request')} may be asked again")
        report = batches.collect()
        _tell_batches(report)
        _submit(batches, dataset, budget, is_given=consent, is_agreed=yes)
        if wait:
            report = batches.wait()
            _tell_batches(report)
    except KeyboardInterrupt as error:
        say("Interrupted. Submitted batches go on. Run the same command to collect them.", to=terminal.err)
        raise typer.Exit(2) from error
    if report.lost:
        tell_problems([("", why) for why in report.lost])
        say(
            "Check the API key and `model_url`: the key of another project sees no batch of this one. If it is gone, "
            "add --forget with its name, and what it did not answer is asked again.",
            to=terminal.err,
        )
        raise typer.Exit(1)


@app.command()
@exits_with_2()
def check(  # noqa: PLR0913 - the flags
    dataset: _DatasetArgument,
    *,
    selection: _FilterOption = "",
    model: Annotated[
        str | None,
        typer.Option(help="Another model, which names the action that an instruction describes.", show_default="none"),
    ] = None,
    budget: _BudgetOption = None,
    consent: _ConsentOption = False,
    yes: _YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compare the texts with what was recorded.

    Each text is supported or contradicted by what was touched, typed and shown, or not comparable. With --model, a
    model also reads each instruction with its screenshot; if it reads another action, the instruction is flagged.
    Its answers are kept in semantics/, and asked for once.

    Exit code 0: nothing is contradicted; 1: some texts are, or could not be read; 2: the dataset cannot be read, or the
    model was not asked.
    """
    from odyssey_recorder.annotation.checking import checked_episodes
    from odyssey_recorder.wiring import user_checker

    ids = _selected(dataset, selection)
    problems = [] if model is None else _named(dataset, ids, model, budget, is_given=consent, is_agreed=yes)
    rows: list[dict[str, object]] = []
    verdicts: Counter[str] = Counter()
    with closing(user_checker()) as checker:
        for episode in checked_episodes(dataset, ids, checker.evidence):
            if episode.problem:
                problems.append((episode.episode_id, episode.problem))
            verdicts.update(one.verdict.value for one in episode.texts)
            rows += (_checked_row(episode.episode_id, one) for one in episode.texts)
            if not as_json:
                _tell_contradictions(episode.episode_id, episode.texts)
    if as_json:
        print_json(rows)
    else:
        told = ", ".join(f"{verdicts[one]:,} {words}" for one, words in _VERDICTS.items())
        say(f"{counted(verdicts.total(), 'text')} of {counted(ids, 'episode')}: {told}")
    tell_problems(problems)
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
    tell_problems(problems)
    if problems:
        raise typer.Exit(1)


@app.command("export")
@exits_with_2()
def export_texts(
    dataset: _DatasetArgument,
    *,
    selection: _FilterOption = "",
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
    from odyssey_recorder.annotation.semantics import State
    from odyssey_recorder.files import write_durably

    ids = _selected(dataset, selection)
    if memory is not None:
        _write_memory(dataset, ids, memory, out)
        return
    rows = (
        row
        for episode_id in ids
        for row in (
            *listed_texts(dataset, episode_id),
            *(one for one in listed_memory(dataset, episode_id) if one["state"] != State.MISSING.value),
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
    tell_problems(problems)
    if problems:
        raise typer.Exit(1)


@app.command()
@exits_with_2()
def figures(dataset: _DatasetArgument, *, as_json: JsonOption = False) -> None:
    """Show how far the texts that people accepted can be trusted.

    Counts decisions on the Annotate page: how much people accepted and changed, how long they looked, how many
    planted errors they noticed, and how alike their blind texts are to the suggestions.

    Exit code 0: success; 1: too few planted errors were noticed; 2: the dataset cannot be read.
    """
    from odyssey_recorder.annotation.semantics import SemanticsStore
    from odyssey_recorder.annotation.trust import Seen, trust_figures

    store = SemanticsStore(dataset)
    _selected(dataset, "")
    found = trust_figures(Seen.of(store.read(episode_id)) for episode_id in store.ids())
    if as_json:
        print_json([{**asdict(one), "accept_rate": one.accept_rate, "doubt": one.doubt} for one in found])
    elif not found:
        say("Nobody has decided on a text yet.")
    else:
        for one in found:
            _tell_trust(one)
    if any(one.doubt for one in found):
        raise typer.Exit(1)


def _tell_trust(one: "TrustFigures") -> None:
    told = (
        f"{counted(one.decided, 'suggestion')} decided one by one, {one.bulk:,} together",
        "" if one.accept_rate is None else f"{one.accept_rate:.0%} accepted",
        "" if one.edit_distance is None else f"edited ones changed by {one.edit_distance:.0%}",
        "" if one.seconds is None else f"{one.seconds:.1f} s for each",
        f"{one.caught} of {one.planted} planted errors caught",
        "" if one.agreement is None else f"{one.blind:,} written blind, {one.agreement:.0%} alike",
    )
    say(f"{line(one.by) or 'All'}: {'; '.join(filter(None, told))}")
    if one.doubt:
        say((f"  {one.doubt}", "yellow"))


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

    return sorted(selected_ids(dataset, selection))


@contextmanager
def _asking(  # noqa: PLR0913 - the flags
    dataset: Path,
    calls: Literal["three", "combined"],
    memory: Literal["full", "cheap"] | None,
    effort: str,
    *,
    budget: float | None = None,
    at_once: int = 16,
) -> "Iterator[Conversations]":
    from odyssey_recorder.annotation.writing import Wanted
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring import open_batch, user_checker

    batch = open_batch(read_settings(dataset=dataset), budget, at_once=at_once)
    with closing(user_checker()) as checker:
        yield Wanted(calls, memory, effort).asking(batch, dataset, checker.evidence)


def _named(  # noqa: PLR0913 - the flags
    dataset: Path, ids: Sequence[str], model: str, budget: float | None, *, is_given: bool, is_agreed: bool
) -> list[tuple[str, str]]:
    """Why some actions were not named, by episode."""
    from odyssey_recorder.agents.naming import Naming
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring import open_batch

    naming = Naming(open_batch(read_settings(dataset=dataset, model=model), budget), dataset, model)
    return _problems(_asked(naming, dataset, ids, budget, is_given=is_given, is_agreed=is_agreed))


def _problems(ended: "Sequence[Ended]") -> list[tuple[str, str]]:
    return [(one.episode_id, one.problem) for one in ended if one.problem]


def _states(dataset: Path, ids: Sequence[str], memory: str | None) -> Counter[str]:
    from odyssey_recorder.annotation.listing import listed_memory, listed_texts

    listed = listed_texts if memory is None else listed_memory
    states: Counter[str] = Counter()
    for episode_id in ids:
        try:
            states.update(str(row["state"]) for row in listed(dataset, episode_id))
        except OdysseyError:
            continue  # the plan says why
    return states


def _tell_states(ids: Sequence[str], states: Counter[str]) -> None:
    told = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
    say(f"{counted(ids, 'episode')}: {told or 'no texts'}")


def tell_leaving(found: "Plan") -> None:
    if found.screenshots:
        size = f"{found.bytes / 1e6:,.1f} MB"
        say(
            f"{counted(found.screenshots, 'screenshot')}, about {size}, would be sent to {found.estimate.host}",
            to=terminal.err,
        )


def obtain_consent(dataset: Path, found: "Plan", *, is_given: bool) -> None:
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


def _asked(  # noqa: PLR0913 - the flags
    asking: "Conversations",
    dataset: Path,
    ids: Sequence[str],
    budget: float | None,
    *,
    is_given: bool,
    is_agreed: bool,
) -> "list[Ended]":
    """Raises Exit if interrupted, and DatasetError without agreement."""
    from odyssey_recorder.commands.task_rewriting import agree_to, progress_bar

    found = asking.plan(ids)
    tell_leaving(found)
    agree_to(found.estimate, budget, is_agreed=is_agreed, err=terminal.err)
    obtain_consent(dataset, found, is_given=is_given)
    try:
        with progress_bar(terminal.err, "Asking") as tell:
            return asking.run(ids, progress=tell)
    except KeyboardInterrupt as error:
        say("Interrupted. Answers so far are kept. Run the same command to continue.", to=terminal.err)
        raise typer.Exit(2) from error


def _submit(
    batches: "BatchedInstructions", dataset: Path, budget: float | None, *, is_given: bool, is_agreed: bool
) -> None:
    from odyssey_recorder.commands.task_rewriting import agree_to

    found = batches.plan()
    tell_problems(list(found.problems.items()))
    if not found.estimate.calls:
        return
    tell_leaving(found)
    agree_to(found.estimate, budget, is_agreed=is_agreed, err=terminal.err)
    obtain_consent(dataset, found, is_given=is_given)
    _tell_batches(batches.submit())


def _exchange_files(batches: "BatchedInstructions", write: Path | None, read: Path | None) -> None:
    if read is not None:
        _tell_batches(batches.read(read))
    if write is not None:
        report, files = batches.write(write)
        for path in files:
            say(str(path))
        _tell_batches(report)


def _tell_batches(report: "BatchReport") -> None:
    """Raises Exit if some requests were not answered."""
    if report.submitted:
        requests = counted(report.requests, "request")
        say(f"{counted(report.submitted, 'batch', 'batches')} with {requests} submitted. Run again to collect.")
    for one in report.open:
        say(one)
    if report.answered:
        say(f"{counted(report.answered, 'answer')} received")
    if report.texts:
        say(f"{counted(report.texts, 'text')} added")
    if report.problems:
        tell_problems([("", why) for why in report.problems])
        say("What is still missing is asked for by this command again, or by annotate run.", to=terminal.err)
        raise typer.Exit(1)


def tell_problems(problems: Sequence[tuple[str, str]]) -> None:
    for episode_id, why in problems[:_TOLD]:
        named = why if episode_id in why else f"{episode_id}: {why}"
        say((named, "yellow"), to=terminal.err)
    if len(problems) > _TOLD:
        say(f"... and {len(problems) - _TOLD} more", to=terminal.err)
