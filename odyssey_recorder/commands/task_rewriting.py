"""`tasks rewrite`, `check`, `propose`: the cost of a language model, and its results."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import typer
from rich.console import Console

from odyssey_recorder.commands.model_usage import progress_bar
from odyssey_recorder.commands.terminal import line, print_error, say
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.templates.filling import texts_of
from odyssey_recorder.tasks.templates.template import TemplateLibrary
from odyssey_recorder.tasks.templates.template_writing import write_template
from odyssey_recorder.tasks.wording.equivalence import bare_words, rule_faults
from odyssey_recorder.tasks.wording.proposing import Proposal
from odyssey_recorder.tasks.wording.rewriting import Rewriting, Rewritten

_SHOWN = 20
_TROUBLES = 5


@dataclass(frozen=True, slots=True)
class Faulty:
    task: ListedTask
    faults: tuple[str, ...]


def check_instructions(tasks: Sequence[ListedTask], library: TemplateLibrary) -> Iterator[Faulty]:
    seen: set[str] = set()
    for task in tasks:
        catalogue = library.catalogue_for(task.template, task.task.apps)
        names_apps = task.text is None or task.text.names_apps
        text = task.task.instruction
        faults = rule_faults(task, text, names_apps=names_apps, catalogue=catalogue, others=seen)
        seen.add(bare_words(text))
        if faults:
            yield Faulty(task, faults)


def print_faulty(faulty: Sequence[Faulty], out: Console) -> None:
    for entry in faulty[:_SHOWN]:
        say((entry.task.task_id, "bold"), f"  {entry.task.task.instruction}", to=out)
        for fault in entry.faults:
            say(f"    {fault}", to=out)
    if len(faulty) > _SHOWN:
        out.print(line(f"... and {len(faulty) - _SHOWN} more"))


def rewrite(tasks: Sequence[ListedTask], rewriting: Rewriting, *, names_apps: bool) -> list[Rewritten]:
    with progress_bar("Rewriting") as show_progress:
        return rewriting.rewrite(tasks, names_apps=names_apps, progress=show_progress)


def print_rewritten(tasks: Sequence[ListedTask], done: Sequence[Rewritten], err: Console) -> bool:
    """Print the result; True if all tasks have instructions without problems."""
    worded = [
        rewritten
        for task, rewritten in zip(tasks, done, strict=True)
        if rewritten.task != task or not rewritten.trouble
    ]
    faulty = [
        Faulty(rewritten.task, _problems_of(rewritten.task)) for rewritten in worded if _problems_of(rewritten.task)
    ]
    print_faulty(faulty, err)
    troubles = Counter(rewritten.trouble for rewritten in done if rewritten.trouble).most_common()
    for text, count in troubles[:_TROUBLES]:
        print_error(f"{count} of {len(done)}: {text}")
    if len(troubles) > _TROUBLES:
        err.print(line(f"... and {len(troubles) - _TROUBLES} other reasons"))
    summary = f"{len(worded)} of {len(done)} rewritten, {len(faulty)} with faults to review"
    say(summary, to=err)
    return len(worded) == len(done) and not faulty and not any(rewritten.trouble for rewritten in done)


def decide(proposal: Proposal, folder: Path, out: Console) -> None:
    """Show a proposed template, and save it below `folder` if the user agrees. Raises TaskError."""
    template = proposal.template
    say((template.meta_task, "bold"), to=out)
    for name, slot in template.slots.items():
        say(f"  {name}: {', '.join(texts_of(slot, date.today()))}", to=out)
    for text in (f"apps for {', '.join(role.name for role in template.roles)}", *template.phrasings):
        say(f"  {text}", to=out)
    say(f"  most like {proposal.nearest or 'none'} ({proposal.likeness:.2f})", to=out)
    for fault in proposal.faults:
        say((f"  cannot be used as it is: {fault}", "red"), to=out)
    if not proposal.faults and sys.stdin.isatty() and typer.confirm("Keep it?", err=True):
        say(f"  {write_template(folder, template)}", to=out)


def _problems_of(task: ListedTask) -> tuple[str, ...]:
    verdict = task.text.equivalence if task.text else None
    if verdict is None or verdict.holds:
        return ()
    missing, added = (f"Missing: {part}" for part in verdict.missing), (f"Added: {part}" for part in verdict.added)
    return (*verdict.faults, *missing, *added) or ("The judge finds that it does not mean the same.",)
