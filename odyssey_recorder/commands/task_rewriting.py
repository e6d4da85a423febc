"""`tasks rewrite`, `check`, `propose`: the cost of a language model, and its results."""

import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import typer

from odyssey_recorder.commands.terminal import err, line, print_error, say
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.templates.filling import texts_of
from odyssey_recorder.tasks.templates.template import TemplateLibrary
from odyssey_recorder.tasks.templates.template_writing import write_template
from odyssey_recorder.tasks.wording.equivalence import bare_words, rule_faults
from odyssey_recorder.tasks.wording.proposing import Proposal
from odyssey_recorder.tasks.wording.rewriting import Rewritten, failures

_SHOWN = 20


Faulty = tuple[ListedTask, tuple[str, ...]]


def check_instructions(tasks: Sequence[ListedTask], library: TemplateLibrary) -> Iterator[Faulty]:
    seen: set[str] = set()
    for task in tasks:
        catalogue = library.catalogue_for(task.template, task.task.apps)
        names_apps = task.text is None or task.text.names_apps
        text = task.task.instruction
        faults = rule_faults(task, text, names_apps=names_apps, catalogue=catalogue, others=seen)
        seen.add(bare_words(text))
        if faults:
            yield task, faults


def print_faulty(faulty: Sequence[Faulty]) -> None:
    for task, faults in faulty[:_SHOWN]:
        say((task.task_id, "bold"), f"  {task.task.instruction}", to=err)
        for fault in faults:
            say(f"    {fault}", to=err)
    if len(faulty) > _SHOWN:
        err.print(line(f"... and {len(faulty) - _SHOWN} more"))


def print_rewritten(tasks: Sequence[ListedTask], done: Sequence[Rewritten]) -> bool:
    """Print the result; True if all tasks have instructions without problems."""
    pairs = zip(tasks, done, strict=True)
    worded = [rewritten.task for task, rewritten in pairs if rewritten.task != task or not rewritten.trouble]
    faulty = [(task, faults) for task in worded if (faults := _problems_of(task))]
    print_faulty(faulty)
    troubles = failures(done)
    for text, task_ids in troubles:
        print_error(f"{len(task_ids)} of {len(done)} ({', '.join(task_ids)}): {text}")
    say(f"{len(worded)} of {len(done)} rewritten, {len(faulty)} with faults to review", to=err)
    return len(worded) == len(done) and not faulty and not troubles


def decide(proposal: Proposal, folder: Path) -> None:
    """Show a proposed template, and save it below `folder` if the user agrees. Raises TaskError."""
    template = proposal.template
    say((template.meta_task, "bold"))
    for name, slot in template.slots.items():
        say(f"  {name}: {', '.join(texts_of(slot, date.today()))}")
    for text in (f"apps for {', '.join(role.name for role in template.roles)}", *template.phrasings):
        say(f"  {text}")
    say(f"  most like {proposal.nearest or 'none'} ({proposal.likeness:.2f})")
    for fault in proposal.faults:
        say((f"  cannot be used as it is: {fault}", "red"))
    if not proposal.faults and sys.stdin.isatty() and typer.confirm("Keep it?", err=True):
        say(f"  {write_template(folder, template)}")


def _problems_of(task: ListedTask) -> tuple[str, ...]:
    verdict = task.text.equivalence if task.text else None
    if verdict is None or verdict.holds:
        return ()
    missing, added = (f"Missing: {part}" for part in verdict.missing), (f"Added: {part}" for part in verdict.added)
    return (*verdict.faults, *missing, *added) or ("The judge finds that it does not mean the same.",)
