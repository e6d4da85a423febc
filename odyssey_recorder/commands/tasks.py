"""`tasks`: the tasks of the queue, lists of tasks, and templates."""

import random
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.model_usage import (
    BudgetOption,
    PromptOption,
    YesOption,
    confirm_cost,
    interruptible,
    progress_bar,
)
from odyssey_recorder.commands.terminal import (
    CommandGroup,
    JsonOption,
    fail_if,
    print_json,
    print_warning,
    say,
)
from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.plain_text import counted

if TYPE_CHECKING:
    from odyssey_recorder.settings import Settings
    from odyssey_recorder.tasks.queue.queue import TaskQueue
    from odyssey_recorder.tasks.queue.task_status import QueueContents, QueuedTask
    from odyssey_recorder.tasks.templates.template import TemplateLibrary

app = CommandGroup("tasks", "Generate, rewrite and list tasks.")

_MOST_FAULTS = 40

_AppsOption = Annotated[
    bool | None, typer.Option("--apps/--no-apps", help="Name the apps in instructions.", show_default="settings")
]
_DatasetOption = Annotated[
    Path | None, typer.Option("--dataset", help="The dataset of the queue.", show_default="settings")
]
_OutOption = Annotated[Path | None, typer.Option(help="The output file.", show_default="standard output")]


@app.command("list")
def list_tasks(*, dataset: _DatasetOption = None, as_json: JsonOption = False) -> None:
    """List the tasks of the queue with their status.

    Exit code 0: success; 2: the queue cannot be read.
    """
    board = _board(dataset)
    if as_json:
        print_json([_as_tree(task) for task in board.tasks])
        return
    for task in board.tasks:
        details = task.listed.task
        say(f"{task.task_id:24} {task.status.value:10} {details.category:23} {details.instruction}")
    say(f"{board.name}: {counted(board.tasks, 'task')}")


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="ID", help="The id of a task or template.")],
    *,
    dataset: _DatasetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a task with its origin and history, or a template.

    Exit code 0: success; 2: there is no such task or template, or it cannot be read.
    """
    from odyssey_recorder.commands.task_listing import shown_task, shown_template

    task = _board(dataset).task(name)
    library = _library()
    template = next((known for known in library.templates if known.template_id == name), None)
    if task is None and template is None:
        raise TaskError(f"No task or template is named {name}. See `tasks list`.")
    details = shown_task(task) if task is not None else shown_template(template, library)  # type: ignore[arg-type]
    if as_json:
        print_json(dict(details))
        return
    for key, values in details.items():
        for text in values if isinstance(values, list) else [values]:
            say((f"{key:16}", "bold"), str(text))


@app.command()
def validate(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="PATH", help="A list of tasks, or a folder of templates.", show_default="settings"),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Check a list of tasks, or a folder of templates.

    Names the file, line and key of each problem. A folder is checked with its pools, catalogues and targets, together
    with the templates that come with the program.

    Exit code 0: no problems; 1: problems found; 2: the list or folder cannot be read.
    """
    from odyssey_recorder.dataset.layout import TEAM
    from odyssey_recorder.tasks.generation.targets import read_targets
    from odyssey_recorder.tasks.listing import read_listing, shipped_tasks
    from odyssey_recorder.tasks.templates.template_files import read_library, shipped_templates

    things: Sequence[object]
    if path is not None and path.is_dir():
        folders = [shipped_templates(), path] if path.absolute() != shipped_templates() else [path]
        library = read_library(folders, _settings().dataset / TEAM)
        _, of_targets = read_targets(folders)
        what, things, problems = "template", library.library.templates, (*library.problems, *of_targets)
    else:
        listing = read_listing(path or _settings().tasks or shipped_tasks())
        what, things, problems = "task", listing.tasks, listing.problems
    if as_json:
        details = [
            {"file": str(fault.source), "line": fault.line, "key": fault.key, "problem": fault.message}
            for fault in problems
        ]
        print_json({f"{what}s": len(things), "problems": details})
    else:
        for problem in problems[:_MOST_FAULTS]:
            terminal.print_error(str(problem))
        if len(problems) > _MOST_FAULTS:
            say(f"... and {len(problems) - _MOST_FAULTS} more. Use --json to see all.", to=terminal.err)
        say(f"{counted(things, what)}, {counted(problems, 'problem')}")
    fail_if(problems)


_SeedOption = Annotated[
    int | None, typer.Option("--seed", help="The same seed makes the same tasks.", show_default="any")
]
_CategoriesOption = Annotated[
    list[str] | None,
    typer.Option(help="Only this category, with an optional share: Multi_Apps=2. Repeatable.", show_default="all"),
]
_DevicesOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Assign tasks to this device, with an optional share: pixel_fold=1. Repeatable.", show_default="any device"
    ),
]
_DayOption = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The first day of recording.", show_default="today")
]
_KnownOption = Annotated[
    list[Path] | None, typer.Option("--known", help="A list of tasks to avoid. Repeatable.", show_default="none")
]


@app.command()
def generate(  # noqa: PLR0913 - the flags
    count: Annotated[int, typer.Option("--count", min=1, help="The number of tasks.")] = 10,
    seed: _SeedOption = None,
    catalogue: Annotated[str, typer.Option(help="Whose apps: android or simulated_phone.")] = "android",
    category: _CategoriesOption = None,
    device: _DevicesOption = None,
    apps: _AppsOption = None,
    day: _DayOption = None,
    known: _KnownOption = None,
    out: _OutOption = None,
    *,
    dataset: _DatasetOption = None,
    queue: Annotated[bool, typer.Option("--queue", help="Add the tasks to the queue, to be approved.")] = False,
) -> None:
    """Generate tasks from templates.

    The tasks repeat neither each other nor those of the queue. Categories and devices get their target shares.

    Exit code 0: success; 1: fewer tasks than --count, because no more are left; 2: no tasks can be generated.
    """
    from odyssey_recorder.commands.task_making import batch_table, check_writable, targets_of, write_list
    from odyssey_recorder.tasks.generation.generator import GenerationOrder
    from odyssey_recorder.tasks.generation.generator import generate as generate_tasks
    from odyssey_recorder.tasks.listing import read_tasks

    if out is not None:
        check_writable(out)
    library = _library(dataset)
    if catalogue not in library.catalogues:
        raise TaskError(f"No catalogue is named {catalogue}; choose {' or '.join(sorted(library.catalogues))}.")
    targets = targets_of(category or [], device or [])
    of_lists = (task for file in known or [] for task in read_tasks(file))
    order = GenerationOrder(
        count,
        seed=random.randrange(2**31) if seed is None else seed,
        day=day.date() if day else date.today(),
        catalogue=catalogue,
        targets=targets,
        names_apps=_settings().name_apps if apps is None else apps,
        categories=frozenset(targets.categories) or frozenset(Category),
        have=(*(task.listed for task in _board(dataset).tasks), *of_lists),
    )
    batch = generate_tasks(library, order)
    if queue:
        with _queue(dataset) as opened:
            opened.add(batch.tasks, to_approve=True)
    if out is not None or not queue:
        write_list(batch.tasks, out)
    terminal.err.print(batch_table(batch, library, order))
    say(f"{counted(batch.tasks, 'task')}, seed {order.seed}", to=terminal.err)
    if batch.left_out:
        say(batch.left_out, to=terminal.err)
    if len(batch.tasks) < count:
        print_warning(f"Only {len(batch.tasks)} of {count}. No more different tasks are available.")
        raise typer.Exit(1)


@app.command()
def rewrite(  # noqa: PLR0913 - the flags
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A list of tasks.")],
    out: Annotated[Path, typer.Option(help="The output file.")],
    budget: BudgetOption = None,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="The number of concurrent requests.")] = 8,
    prompt: PromptOption = "ours",
    temperature: Annotated[
        float | None, typer.Option(min=0, max=2, help="The model's temperature.", show_default="the server's own")
    ] = None,
    *,
    apps: _AppsOption = None,
    yes: YesOption = False,
) -> None:
    """Have a language model rewrite the instructions of tasks.

    Rules and a judge compare each new instruction with its task. Shows the estimated cost first. Answers are kept, so
    an interrupted run can be continued. A task that cannot be rewritten stays as it was.

    Exit code 0: all rewritten without faults; 1: some have faults or were not rewritten; 2: not started, or
    interrupted.
    """
    from odyssey_recorder.commands.task_making import check_writable, write_list
    from odyssey_recorder.commands.task_rewriting import print_rewritten
    from odyssey_recorder.tasks.listing import read_tasks
    from odyssey_recorder.tasks.wording.rewriting import Rewriting
    from odyssey_recorder.wiring.user import open_batch

    with interruptible():
        settings, tasks = _settings(), read_tasks(file)
        check_writable(out)
        names_apps = settings.name_apps if apps is None else apps
        batch = open_batch(settings, budget, at_once=at_once)
        rewriting = Rewriting(batch, _library(), prompt=prompt, temperature=temperature)
        likely = rewriting.likely_questions(tasks, names_apps=names_apps)
        confirm_cost(batch.estimate(likely), budget, is_agreed=yes)
        with progress_bar("Rewriting") as on_progress:
            done = rewriting.rewrite(tasks, names_apps=names_apps, progress=on_progress)
        write_list([rewritten.task for rewritten in done], out)
    is_clear = print_rewritten(tasks, done)
    say(f"The list is in {out}.", to=terminal.err)
    fail_if(not is_clear)


@app.command()
def propose(
    category: Annotated[Category, typer.Argument(metavar="CATEGORY", help="The category of the templates.")],
    count: Annotated[int, typer.Option(min=1, max=20, help="The approximate number of proposals.")] = 5,
    catalogue: Annotated[str, typer.Option(help="Whose apps: android or simulated_phone.")] = "android",
    again: Annotated[int, typer.Option(min=0, help="Ask for other proposals than before: 1, 2 and so on.")] = 0,
) -> None:
    """Have a language model propose new templates.

    Proposals too similar to an existing template are left out. Keep the ones you like in the folder of your own
    templates.

    Exit code 0: success; 2: the model cannot be asked.
    """
    from odyssey_recorder.commands.task_rewriting import decide
    from odyssey_recorder.tasks.wording.proposing import Proposing
    from odyssey_recorder.wiring.user import open_batch, own_templates

    proposing = Proposing(open_batch(_settings()), _library(), catalogue)
    proposals = proposing.propose(category, count, again=again)
    for proposal in proposals:
        decide(proposal, own_templates(_settings()))
    if not proposals:
        say("The model proposed nothing new. Try --again 1.", to=terminal.err)
    say(counted(proposals, "proposal"))


@app.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A list of tasks.")], *, as_json: JsonOption = False
) -> None:
    """Check the instructions of a list against their tasks.

    Rules find what is missing, added or repeated. Only the judge of `rewrite`, or a person, can say whether an
    instruction still means the same.

    Exit code 0: no faults; 1: faults found; 2: the list cannot be read.
    """
    from odyssey_recorder.commands.task_rewriting import check_instructions, print_faulty
    from odyssey_recorder.tasks.listing import read_tasks

    tasks = read_tasks(file)
    faulty = list(check_instructions(tasks, _library()))
    if as_json:
        found = [{"task_id": task.task_id, "faults": faults} for task, faults in faulty]
        print_json({"tasks": len(tasks), "faulty": found})
    else:
        print_faulty(faulty)
        say(f"{counted(tasks, 'task')}, {len(faulty)} with faults")
    fail_if(faulty)


@app.command("import")
def import_tasks(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A list of tasks.")],
    *,
    dataset: _DatasetOption = None,
    to_approve: Annotated[
        bool | None,
        typer.Option(
            "--to-approve/--approved",
            help="Whether a person must approve them first.",
            show_default="those that a model has rewritten",
        ),
    ] = None,
) -> None:
    """Add the tasks of a list to the end of the queue.

    Tasks that the queue already has do not change. A task must always be approved first if its instruction was
    rejected, or has known faults that nobody approved.

    Exit code 0: success; 2: the list or the queue cannot be used, and nothing was added.
    """
    from odyssey_recorder.tasks.listing import read_tasks
    from odyssey_recorder.tasks.queue.task_status import Status, first_status

    tasks = read_tasks(file, new=True)
    with _queue(dataset) as queue:
        have = {task.task_id for task in queue.board().tasks}
        new = queue.add(tasks, to_approve=to_approve)
    stand = (first_status(task, to_approve=to_approve) for task in tasks if task.task_id not in have)
    prepared = sum(status is Status.TO_APPROVE for status in stand)
    say(f"{counted(tasks, 'task')}, {new} new, {prepared} to be approved")


_TasksArgument = Annotated[list[str], typer.Argument(metavar="ID...", help="The ids of tasks.")]


@app.command()
def assign(
    task_ids: _TasksArgument,
    to: Annotated[str, typer.Option("--to", help="The annotator's name.", show_default="everybody")] = "",
    *,
    dataset: _DatasetOption = None,
) -> None:
    """Offer tasks to one annotator only.

    They come before all others. Whoever has one of the tasks on the Record page is told, and gets another.

    Exit code 0: success; 2: a task is in progress, recorded or unknown, and nothing was assigned.
    """
    with _queue(dataset) as queue:
        queue.assign(task_ids, to)
    say(f"{counted(task_ids, 'task')} assigned to {to or 'everybody'}")


@app.command()
def release(
    task_id: Annotated[str, typer.Argument(metavar="ID", help="The id of a reserved task.")],
    reason: Annotated[str, typer.Option(help="Shown to the annotator who has the task.")],
    *,
    dataset: _DatasetOption = None,
) -> None:
    """Take a reserved task from its annotator.

    It is offered to everybody again. The annotator's window tells the reason and shows another task.

    Exit code 0: success; 2: the task is not reserved, or is in progress.
    """
    with _queue(dataset) as queue:
        queue.free(task_id, reason)
    say(f"Task {task_id} released")


@app.command("export")
def export_tasks(
    status: Annotated[
        list[str] | None,
        typer.Option(help='Only tasks with this status, such as "Waiting". Repeatable.', show_default="all"),
    ] = None,
    out: _OutOption = None,
    *,
    dataset: _DatasetOption = None,
) -> None:
    """Write the tasks of the queue as a list.

    Exit code 0: success; 2: the queue cannot be read, or the list cannot be written.
    """
    from odyssey_recorder.commands.task_making import write_list
    from odyssey_recorder.tasks.queue.task_status import Status

    names = {member.value.casefold(): member for member in Status}
    if unknown := [name for name in status or [] if name.casefold() not in names]:
        raise TaskError(f"There is no status {unknown[0]}. Use one of {', '.join(member.value for member in Status)}.")
    statuses = {names[name.casefold()] for name in status or []} or set(Status)
    tasks = [task.listed for task in _board(dataset).tasks if task.status in statuses]
    write_list(tasks, out)
    say(counted(tasks, "task"), to=terminal.err)


def _settings(dataset: Path | None = None) -> "Settings":
    from odyssey_recorder.settings import read_settings

    return read_settings(dataset=dataset)


def _library(dataset: Path | None = None) -> "TemplateLibrary":
    from odyssey_recorder.wiring.user import user_library

    return user_library(_settings(dataset))


@contextmanager
def _queue(dataset: Path | None) -> Iterator["TaskQueue"]:
    from odyssey_recorder.wiring.user import annotator_tasks

    with closing(annotator_tasks(_settings(dataset))) as queue:
        yield queue


def _board(dataset: Path | None) -> "QueueContents":
    with _queue(dataset) as queue:
        return queue.board()


def _as_tree(task: "QueuedTask") -> dict[str, object]:
    from odyssey_recorder.tasks.queue.task_status import RECORDED

    details = task.listed.task
    return {
        "task_id": task.task_id,
        "status": task.status.value,
        "category": details.category,
        "instruction": details.instruction,
        "apps": details.apps,
        "episodes": [entry.episode_id for entry in task.history if entry.event in RECORDED],
        "reason": task.reason,
        "assignee": task.listed.assignee,
    }
