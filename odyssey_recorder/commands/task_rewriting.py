"""`tasks rewrite`, `check`, `propose`: the cost of a language model, and its results."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from odyssey_recorder.commands.terminal import line, say
from odyssey_recorder.errors import TaskError
from odyssey_recorder.llm.batch import BatchProgress, Estimate
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.templates.filling import texts_of
from odyssey_recorder.task.templates.template import TemplateLibrary
from odyssey_recorder.task.templates.template_writing import write_template
from odyssey_recorder.task.wording.equivalence import bare_words, rule_faults
from odyssey_recorder.task.wording.proposing import Proposal
from odyssey_recorder.task.wording.rewriting import Rewriting, Rewritten

_SHOWN = 20
_TROUBLES = 5


@dataclass(frozen=True, slots=True)
class Faulty:
    task: ListedTask
    faults: tuple[str, ...]


def check_words(tasks: Sequence[ListedTask], library: TemplateLibrary) -> Iterator[Faulty]:
    seen: set[str] = set()
    for task in tasks:
        catalogue = library.catalogue_for(task.template, task.task.apps)
        names_apps = task.text is None or task.text.names_apps
        words = task.task.instruction
        faults = rule_faults(task, words, names_apps=names_apps, catalogue=catalogue, others=seen)
        seen.add(bare_words(words))
        if faults:
            yield Faulty(task, faults)


def print_faulty(faulty: Sequence[Faulty], out: Console) -> None:
    for one in faulty[:_SHOWN]:
        say((one.task.task_id, "bold"), f"  {one.task.task.instruction}", to=out)
        for fault in one.faults:
            say(f"    {fault}", to=out)
    if len(faulty) > _SHOWN:
        out.print(line(f"... and {len(faulty) - _SHOWN} more"))


def agree_to(estimate: Estimate, budget: float | None, *, is_agreed: bool, err: Console) -> None:
    """Print the estimate and ask for agreement. Raises TaskError if it is refused."""
    for words in _told(estimate, budget):
        say(words, to=err)
    for warning in estimate.warnings:
        say((warning, "yellow"), to=err)
    if is_agreed or not estimate.calls:
        return
    if not sys.stdin.isatty():
        raise TaskError("Nobody can confirm this here. Add --yes.")
    if not typer.confirm("Continue?", err=True):
        raise TaskError("Nothing was sent to the model.")


def _told(estimate: Estimate, budget: float | None) -> Iterator[str]:
    asked = f"{estimate.calls:,} requests, {estimate.kept:,} answers in the cache"
    yield f"{estimate.model} at {estimate.host}: {asked}"
    if not estimate.calls:
        return
    tokens = f"about {estimate.tokens_in:,} tokens in, {estimate.tokens_out:,} out"
    if estimate.cost is None:
        yield f"{tokens}; the price of this model is unknown"
    else:
        yield f"{tokens}, about ${estimate.cost:.4f} by the prices of {estimate.priced_on}"
    if budget is not None:
        yield f"It stops before the cost exceeds ${budget:.2f}."


def rewrite(tasks: Sequence[ListedTask], rewriting: Rewriting, *, names_apps: bool, err: Console) -> list[Rewritten]:
    with progress_bar(err, "Rewriting") as tell:
        return rewriting.rewrite(tasks, names_apps=names_apps, progress=tell)


@contextmanager
def progress_bar(err: Console, doing: str) -> Iterator[Callable[[BatchProgress], None]]:
    """Shows the progress that it is told, and in the end what was spent."""
    columns = (
        TextColumn(doing), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[cost]}"), TimeRemainingColumn(),
    )  # fmt: skip
    spent = ""
    with Bar(*columns, console=err, transient=True) as bar:
        shown = bar.add_task("", total=None, cost="")

        def tell(progress: BatchProgress) -> None:
            nonlocal spent
            spent = progress.spent
            cost = "" if progress.cost is None else f"${progress.cost:.4f}"
            failed = f", {progress.failed} failed" if progress.failed else ""
            bar.update(shown, completed=progress.done, total=progress.of, cost=f"{cost}{failed}")

        yield tell
    if spent:
        say(spent, to=err)


def print_rewritten(tasks: Sequence[ListedTask], done: Sequence[Rewritten], err: Console) -> bool:
    """Print the result; True if all tasks have instructions without problems."""
    worded = [one for task, one in zip(tasks, done, strict=True) if one.task != task or not one.trouble]
    faulty = [Faulty(one.task, _against(one.task)) for one in worded if _against(one.task)]
    print_faulty(faulty, err)
    troubles = Counter(one.trouble for one in done if one.trouble).most_common()
    for words, count in troubles[:_TROUBLES]:
        say((f"{count} of {len(done)}: {words}", "red"), to=err)
    if len(troubles) > _TROUBLES:
        err.print(line(f"... and {len(troubles) - _TROUBLES} other reasons"))
    told = f"{len(worded)} of {len(done)} rewritten, {len(faulty)} with faults to review"
    say(told, to=err)
    return len(worded) == len(done) and not faulty and not any(one.trouble for one in done)


def decide(proposal: Proposal, folder: Path, out: Console) -> None:
    """Show a proposed template, and save it below `folder` if the user agrees. Raises TaskError."""
    template = proposal.template
    say((template.meta_task, "bold"), to=out)
    for name, slot in template.slots.items():
        say(f"  {name}: {', '.join(texts_of(slot, date.today()))}", to=out)
    for words in (f"apps for {', '.join(role.name for role in template.roles)}", *template.phrasings):
        say(f"  {words}", to=out)
    say(f"  most like {proposal.nearest or 'none'} ({proposal.likeness:.2f})", to=out)
    for fault in proposal.faults:
        say((f"  cannot be used as it is: {fault}", "red"), to=out)
    if not proposal.faults and sys.stdin.isatty() and typer.confirm("Keep it?", err=True):
        say(f"  {write_template(folder, template)}", to=out)


def _against(task: ListedTask) -> tuple[str, ...]:
    verdict = task.text.equivalence if task.text else None
    if verdict is None or verdict.holds:
        return ()
    missing, added = (f"Missing: {one}" for one in verdict.missing), (f"Added: {one}" for one in verdict.added)
    return (*verdict.faults, *missing, *added) or ("The judge finds that it does not mean the same.",)
