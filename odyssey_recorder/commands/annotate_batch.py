"""`annotate batch`: instructions through a Batch API."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.model_usage import (
    BudgetOption,
    ConsentOption,
    DatasetArgument,
    EffortOption,
    FilterOption,
    PromptOption,
    YesOption,
    confirm_sending,
    print_problems,
)
from odyssey_recorder.commands.terminal import say
from odyssey_recorder.model.plain_text import counted

if TYPE_CHECKING:
    from odyssey_recorder.annotation.batching import BatchedInstructions
    from odyssey_recorder.llm.batch_api import BatchReport


def batch(  # noqa: PLR0913 - the flags
    dataset: DatasetArgument,
    *,
    selection: FilterOption = "",
    effort: EffortOption = "",
    prompt: PromptOption = "ours",
    budget: BudgetOption = None,
    consent: ConsentOption = False,
    yes: YesOption = False,
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
    from odyssey_recorder.annotation.batching import BatchedInstructions
    from odyssey_recorder.annotation.step_text_writer import StepTextWriter
    from odyssey_recorder.commands.listing import selected_ids
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import open_batch, open_batch_api

    ids, settings = selected_ids(dataset, selection), read_settings(dataset=dataset)
    annotating = StepTextWriter(open_batch(settings), dataset, effort=effort, prompts=(f"instruction={prompt}",))
    batches = BatchedInstructions(annotating, open_batch_api(settings, dict([annotating.batched]), budget), ids)
    if write is not None or read is not None:
        _exchange_files(batches, write, read)
        return
    try:
        if forget:
            say(f"{forget} forgotten: {counted(batches.forget(forget), 'request')} may be asked again")
        report = batches.collect()
        _print_report(report)
        _submit(batches, dataset, budget, consent=consent, yes=yes)
        if wait:
            report = batches.wait()
            _print_report(report)
    except KeyboardInterrupt as error:
        say("Interrupted. Submitted batches go on. Run the same command to collect them.", to=terminal.err)
        raise typer.Exit(2) from error
    if report.lost:
        print_problems([("", why) for why in report.lost])
        say(
            "Check the API key and `model_url`: the key of another project sees no batch of this one. If it is gone, "
            "add --forget with its name, and what it did not answer is asked again.",
            to=terminal.err,
        )
        raise typer.Exit(1)


def _submit(batches: "BatchedInstructions", dataset: Path, budget: float | None, *, consent: bool, yes: bool) -> None:
    found = batches.plan()
    print_problems(list(found.problems.items()))
    if not found.estimate.calls:
        return
    confirm_sending(dataset, found, budget, consent=consent, yes=yes)
    _print_report(batches.submit())


def _exchange_files(batches: "BatchedInstructions", write: Path | None, read: Path | None) -> None:
    if read is not None:
        _print_report(batches.read(read))
    if write is not None:
        report, files = batches.write(write)
        for path in files:
            say(str(path))
        _print_report(report)


def _print_report(report: "BatchReport") -> None:
    """Raises Exit if some requests were not answered."""
    if report.submitted:
        requests = counted(report.requests, "request")
        say(f"{counted(report.submitted, 'batch', 'batches')} with {requests} submitted. Run again to collect.")
    for batch in report.open:
        say(batch)
    if report.answered:
        say(f"{counted(report.answered, 'answer')} received")
    if report.texts:
        say(f"{counted(report.texts, 'text')} added")
    if report.problems:
        print_problems([("", why) for why in report.problems])
        say("What is still missing is asked for by this command again, or by annotate run.", to=terminal.err)
        raise typer.Exit(1)
