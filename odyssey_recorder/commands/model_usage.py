"""What commands that ask a language model share: options, cost, consent, progress."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.terminal import fail_if, print_warning, say
from odyssey_recorder.errors import DatasetError, TaskError
from odyssey_recorder.model.plain_text import counted

if TYPE_CHECKING:
    from rich.console import Console

    from odyssey_recorder.annotation.conversations import Plan
    from odyssey_recorder.llm.batch import BatchProgress, Estimate
    from odyssey_recorder.model.answer_failure import Failure

AdapterOption = Annotated[str, typer.Option(help="The kind of model, such as ours or qwen2.5-vl.")]
AgentOption = Annotated[
    Literal["model", "gold", "random"], typer.Option("--agent", help="What acts: a model, what is right, or chance.")
]
ModelOption = Annotated[str | None, typer.Option(help="The model's name at the server.", show_default="settings")]
PromptOption = Annotated[
    str, typer.Option(help="The words of the question: ours, paper (what the paper's prompt has), or a text file.")
]
PromptsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--prompt",
        metavar="[QUESTION=]PROMPT",
        help="The words of the questions: ours, paper (what the paper's prompts have), or a text file for one of them. "
        "Repeatable.",
        show_default="ours",
    ),
]
PromptFileOption = Annotated[
    Path | None,
    typer.Option("--prompt", metavar="FILE", help="Ask with this text instead of the adapter's.", show_default="none"),
]
DatasetArgument = Annotated[Path, typer.Argument(metavar="PATH", help="The dataset folder.")]
FilterOption = Annotated[str, typer.Option("--filter", help="Only episodes that this filter selects.")]
EffortOption = Annotated[
    str, typer.Option(help="The reasoning effort to ask for, such as low.", show_default="the model's own")
]
BudgetOption = Annotated[
    float | None, typer.Option(min=0, help="The highest cost, in US dollars.", show_default="no limit")
]
ConsentOption = Annotated[
    bool, typer.Option("--consent", help="The owner of the dataset agrees that the screenshots are sent.")
]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]

_MAX_PROBLEMS = 10


def confirm_sending(dataset: Path, plan: "Plan", budget: float | None, *, consent: bool, yes: bool) -> None:
    """Tell what would be sent and what it costs, and ask. Raises DatasetError without agreement."""
    print_upload_size(plan)
    confirm_cost(plan.estimate, budget, is_agreed=yes)
    _obtain_consent(dataset, plan, is_given=consent)


def confirm_cost(estimate: "Estimate", budget: float | None, *, is_agreed: bool) -> None:
    """Print the estimate and ask for agreement. Raises TaskError if it is refused."""
    print_cost(estimate, budget, to=terminal.err)
    if is_agreed or not estimate.calls:
        return
    if not sys.stdin.isatty():
        raise TaskError("Nobody can confirm this here. Add --yes.")
    if not typer.confirm("Continue?", err=True):
        raise TaskError("Nothing was sent to the model.")


def print_cost(estimate: "Estimate", budget: float | None = None, *, to: "Console") -> None:
    requests = f"{estimate.calls:,} requests, {estimate.kept:,} answers in the cache"
    say(f"{estimate.model} at {estimate.host}: {requests}", to=to)
    if estimate.calls:
        price = "; the price of this model is unknown"
        if estimate.cost is not None:
            price = f", about ${estimate.cost:.4f} by the prices of {estimate.priced_on}"
        say(f"about {estimate.tokens_in:,} tokens in, {estimate.tokens_out:,} out{price}", to=to)
        if budget is not None:
            say(f"It stops before the cost exceeds ${budget:.2f}.", to=to)
    for warning in estimate.warnings:
        say((warning, "yellow"), to=to)


def print_upload_size(plan: "Plan") -> None:
    if plan.screenshots:
        size = f"{plan.bytes / 1e6:,.1f} MB"
        say(
            f"{counted(plan.screenshots, 'screenshot')}, about {size}, would be sent to {plan.estimate.host}",
            to=terminal.err,
        )


def _obtain_consent(dataset: Path, plan: "Plan", *, is_given: bool) -> None:
    """Raises DatasetError if there is none and none is given."""
    from odyssey_recorder.annotation.consent import give_consent, needs_consent
    from odyssey_recorder.settings import read_settings

    host = plan.estimate.host
    if not needs_consent(dataset, host, plan.screenshots, plan.bytes):
        return
    if not is_given and sys.stdin.isatty():
        question = (
            f"Does the owner of {dataset} agree that {counted(plan.screenshots, 'screenshot')} are sent to {host}?"
        )
        is_given = typer.confirm(question, err=True)
    if not is_given:
        raise DatasetError(
            f"The owner of {dataset} has not agreed that its screenshots are sent to {host}. Nothing was sent. "
            "With their agreement, add --consent."
        )
    give_consent(dataset, host, plan.screenshots, plan.bytes, by=read_settings(dataset=dataset).annotator)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raises Exit if interrupted: the answers so far are kept."""
    try:
        yield
    except KeyboardInterrupt as error:
        say("Interrupted. Answers so far are kept. Run the same command to continue.", to=terminal.err)
        raise typer.Exit(2) from error


@contextmanager
def progress_bar(label: str = "Asking", *, shows_answers: bool = True) -> "Iterator[Callable[[BatchProgress], None]]":
    """Shows the progress passed to it, and in the end what was spent and, if wanted, what the answers were like."""
    last: BatchProgress | None = None
    with terminal.progress_bar(label) as bar:

        def show(progress: "BatchProgress") -> None:
            nonlocal last
            last = progress
            bar(progress.share, f"{label}: {progress.text}")

        yield show
    if last is not None:
        say(last.spent, to=terminal.err)
        if shows_answers and last.asked:
            print_answers(last.failures, last.asked)


def print_answers(failures: "Mapping[Failure, int]", of: int) -> None:
    """How many answers are usable, and what is wrong with the others, in columns."""
    from odyssey_recorder.model.answer_failure import columns, remarks

    table = [(title, f"{count:,}") for title, count in columns(failures, of)]
    widths = [max(map(len, column)) for column in table]
    for line in zip(*table, strict=True):
        say("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)), to=terminal.err)
    for remark in remarks(failures, of):
        print_warning(remark)


def exit_with_problems(problems: Sequence[tuple[str, str]]) -> None:
    """Print them. Raises Exit if there are any."""
    print_problems(problems)
    fail_if(problems)


def print_problems(problems: Sequence[tuple[str, str]]) -> None:
    for episode_id, problem in problems[:_MAX_PROBLEMS]:
        text = problem if episode_id in problem else f"{episode_id}: {problem}"
        print_warning(text)
    if len(problems) > _MAX_PROBLEMS:
        say(f"... and {len(problems) - _MAX_PROBLEMS} more", to=terminal.err)
