"""`tasks`: the tasks of the queue, lists of tasks, and templates."""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from odyssey_recorder.commands.terminal import line
from odyssey_recorder.errors import OdysseyError, TaskError
from odyssey_recorder.model.episode import Category

if TYPE_CHECKING:
    from odyssey_recorder.settings import Settings
    from odyssey_recorder.task.fields import Problem
    from odyssey_recorder.task.queue.board import Board, QueuedTask
    from odyssey_recorder.task.queue.queue import TaskQueue

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Make tasks, and look at those of the queue.")

_MOST_FAULTS = 40

_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)

_AppsOption = Annotated[
    bool | None, typer.Option("--apps/--no-apps", help="Whether instructions name the apps.", show_default="settings")
]
_DatasetOption = Annotated[
    Path | None, typer.Option("--dataset", help="The dataset whose queue it is.", show_default="settings")
]
_OutOption = Annotated[Path | None, typer.Option(help="Where the list goes.", show_default="standard output")]
_JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_tasks(*, dataset: _DatasetOption = None, as_json: _JsonOption = False) -> None:
    """List the tasks of the queue, and how each stands.

    Exit code 0: listed; 2: the list, or what was done with it, cannot be read.
    """
    try:
        board = _board(dataset)
    except OdysseyError as error:
        raise _cannot(error) from error
    if as_json:
        typer.echo(json.dumps([_as_tree(task) for task in board.tasks], indent=2))
        return
    for task in board.tasks:
        told = task.listed.task
        _out.print(
            line(f"{task.task_id:24} {task.status.value:10} {told.category:23} {told.instruction}"), soft_wrap=True
        )
    _out.print(line(f"{board.name}: {_counted(board.tasks, 'task')}"), soft_wrap=True)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="The id of a task of the queue, or of a template.")],
    *,
    dataset: _DatasetOption = None,
    as_json: _JsonOption = False,
) -> None:
    """Show a task with where its words come from and what was done with it, or a template with what it can give.

    Exit code 0: shown; 2: there is none of this id, or it cannot be read.
    """
    from odyssey_recorder.commands.task_listing import shown_task, shown_template
    from odyssey_recorder.task.templates.template_files import load_library

    try:
        task = _board(dataset).task(name)
        library = load_library(_template_folders())
    except OdysseyError as error:
        raise _cannot(error) from error
    template = next((one for one in library.templates if one.template_id == name), None)
    if task is None and template is None:
        raise _cannot(TaskError(f"There is no task and no template {name}. “tasks list” names the tasks."))
    told = shown_task(task) if task is not None else shown_template(template, library)  # type: ignore[arg-type]
    if as_json:
        typer.echo(json.dumps(dict(told), indent=2))
        return
    for key, words in told.items():
        for text in words if isinstance(words, list) else [words]:
            _out.print(line((f"{key:16}", "bold"), str(text)), soft_wrap=True)


@app.command()
def validate(
    path: Annotated[
        Path | None,
        typer.Argument(help="A list of tasks, or a folder of templates.", show_default="the setting tasks"),
    ] = None,
    *,
    as_json: _JsonOption = False,
) -> None:
    """Check a list of tasks, or a folder of templates with its pools, catalogues and targets: file, line and key.

    The templates that come with the program are looked at, too.

    Exit code 0: all can be used; 1: there are faults; 2: it cannot be read.
    """
    from odyssey_recorder.task.generation.targets import read_targets
    from odyssey_recorder.task.listing import read_listing
    from odyssey_recorder.task.templates.template_files import read_library, shipped_templates

    things: Sequence[object]
    try:
        if path is not None and path.is_dir():
            folders = [shipped_templates(), path] if path.absolute() != shipped_templates() else [path]
            library = read_library(folders)
            _, of_targets = read_targets(folders)
            what, things, problems = "template", library.library.templates, (*library.problems, *of_targets)
        else:
            listing = read_listing(path or _source())
            what, things, problems = "task", listing.tasks, listing.problems
    except OdysseyError as error:
        raise _cannot(error) from error
    if as_json:
        typer.echo(json.dumps({f"{what}s": len(things), "problems": list(_problems(problems))}, indent=2))
    else:
        for problem in problems[:_MOST_FAULTS]:
            _err.print(line((str(problem), "red")), soft_wrap=True)
        if len(problems) > _MOST_FAULTS:
            _err.print(line(f"... and {len(problems) - _MOST_FAULTS} more: --json tells all"), soft_wrap=True)
        _out.print(line(f"{_counted(things, what)}, {_counted(problems, 'fault')}"), soft_wrap=True)
    if problems:
        raise typer.Exit(1)


_SeedOption = Annotated[int | None, typer.Option("--seed", help="The same seed, the same tasks.", show_default="any")]
_CategoriesOption = Annotated[
    list[str] | None,
    typer.Option(help="Only of this category, and its share: Multi_Apps=2. May be repeated.", show_default="all"),
]
_DevicesOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Each task for one device, and its share: pixel_fold=1. May be repeated.", show_default="any device"
    ),
]
_DayOption = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The first day of recording.", show_default="today")
]
_KnownOption = Annotated[
    list[Path] | None,
    typer.Option("--known", help="A list whose tasks must not come again. May be repeated.", show_default="none"),
]


@app.command()
def generate(  # noqa: PLR0913 - the flags
    count: Annotated[int, typer.Option("--count", min=1, help="How many tasks.")] = 10,
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
    queue: Annotated[bool, typer.Option("--queue", help="Put them into the queue, to be approved.")] = False,
) -> None:
    """Make tasks from templates: none twice, none that the queue has, in proportion over categories and devices.

    Exit code 0: made; 1: fewer than asked for, because no more are left; 2: nothing could be made.
    """
    from odyssey_recorder.commands.task_making import need_room_for, targets_of, told_batch, write_list
    from odyssey_recorder.task.generation.generator import GenerationOrder
    from odyssey_recorder.task.generation.generator import generate as generate_tasks
    from odyssey_recorder.task.listing import read_tasks
    from odyssey_recorder.task.templates.filling import identity
    from odyssey_recorder.task.templates.template_files import load_library

    try:
        if out is not None:
            need_room_for(out)
        library = load_library(_template_folders())
        targets = targets_of(category or [], device or [])
        have = (
            *(task.listed for task in _board(dataset).tasks),
            *(task for file in known or [] for task in read_tasks(file)),
        )
        order = GenerationOrder(
            count,
            seed=random.randrange(2**31) if seed is None else seed,
            day=day.date() if day else date.today(),
            catalogue=catalogue,
            targets=targets,
            names_apps=_settings().name_apps if apps is None else apps,
            categories=frozenset(targets.categories) or frozenset(Category),
            have=have,
            known=frozenset(identity(task.task.task) for task in have),
        )
        if catalogue not in library.catalogues:
            raise TaskError(f"There is no catalogue {catalogue}; there are {', '.join(sorted(library.catalogues))}.")
        batch = generate_tasks(library, order)
        if queue:
            with _queue(dataset) as opened:
                opened.add(batch.tasks, to_approve=True)
        if out is not None or not queue:
            write_list(batch.tasks, out, _out)
    except OdysseyError as error:
        raise _cannot(error) from error
    _err.print(told_batch(batch, library, order))
    _err.print(line(f"{_counted(batch.tasks, 'task')}, seed {order.seed}"), soft_wrap=True)
    if len(batch.tasks) < count:
        _err.print(line((f"Only {len(batch.tasks)} of {count}: no more distinct ones are left.", "yellow")))
        raise typer.Exit(1)


@app.command()
def rewrite(  # noqa: PLR0913 - the flags
    file: Annotated[Path, typer.Argument(help="A list of tasks.")],
    out: Annotated[Path, typer.Option(help="Where the rewritten list goes.")],
    budget: Annotated[
        float | None, typer.Option(min=0, help="What it may cost at most, in US dollars.", show_default="no bound")
    ] = None,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="How many questions are asked at a time.")] = 8,
    *,
    apps: _AppsOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to what it will take.")] = False,
) -> None:
    """Have a language model put tasks into words, and rules and a judge hold the words against the tasks.

    Says first what it will take. What was answered is kept: a run that was cut short goes on where it was. Tasks for
    which no words could be had stay as they were.

    Exit code 0: nothing speaks against any; 1: some are for a person to look at, or without words;
    2: nothing was asked.
    """
    from odyssey_recorder.commands.task_making import need_room_for, write_list
    from odyssey_recorder.commands.task_rewriting import agree_to, print_rewritten
    from odyssey_recorder.commands.task_rewriting import rewrite as rewrite_tasks
    from odyssey_recorder.task.listing import read_tasks
    from odyssey_recorder.task.templates.template_files import load_library
    from odyssey_recorder.task.wording.rewriting import Rewriting
    from odyssey_recorder.wiring import open_batch

    try:
        settings, tasks = _settings(), read_tasks(file)
        need_room_for(out)
        names_apps = settings.name_apps if apps is None else apps
        batch = open_batch(settings, budget, at_once=at_once)
        rewriting = Rewriting(batch, load_library(_template_folders()))
        likely = rewriting.likely_questions(tasks, names_apps=names_apps)
        agree_to(batch.estimate(likely), budget, is_agreed=yes, err=_err)
        done = rewrite_tasks(tasks, rewriting, names_apps=names_apps, err=_err)
        write_list([one.task for one in done], out, _out)
    except OdysseyError as error:
        raise _cannot(error) from error
    except KeyboardInterrupt as error:
        _err.print(line("Interrupted. What was answered is kept: the same command goes on where this one was."))
        raise typer.Exit(2) from error
    is_clear = print_rewritten(tasks, done, _err)
    _err.print(line(f"The list is in {out}."), soft_wrap=True)
    if not is_clear:
        raise typer.Exit(1)


@app.command()
def propose(
    category: Annotated[Category, typer.Argument(help="The category.")],
    count: Annotated[int, typer.Option(min=1, max=20, help="About how many.")] = 5,
    catalogue: Annotated[str, typer.Option(help="Whose apps: android or simulated_phone.")] = "android",
    again: Annotated[int, typer.Option(min=0, help="Ask for others than before: 1, 2 and so on.")] = 0,
) -> None:
    """Have a language model think of new templates; those too much like one there is are left out.

    Each is shown, and kept in the folder of your own templates where you say so.

    Exit code 0: done; 2: nothing could be asked.
    """
    from odyssey_recorder.commands.task_rewriting import decide
    from odyssey_recorder.task.templates.template_files import load_library
    from odyssey_recorder.task.wording.proposing import Proposing
    from odyssey_recorder.wiring import open_batch, own_templates

    try:
        proposing = Proposing(open_batch(_settings()), load_library(_template_folders()), catalogue)
        proposals = proposing.propose(category, count, again=again)
        for proposal in proposals:
            decide(proposal, own_templates(_settings()), _out)
    except OdysseyError as error:
        raise _cannot(error) from error
    if not proposals:
        _err.print(line("The model thought of nothing that no template says already: --again 1 asks for others."))
    _out.print(line(_counted(proposals, "proposal")), soft_wrap=True)


@app.command()
def check(file: Annotated[Path, typer.Argument(help="A list of tasks.")], *, as_json: _JsonOption = False) -> None:
    """Hold the instructions of a list against their tasks by the rules: nothing lost, nothing added, none twice.

    Whether plain words mean the same is a question for the judge, which `rewrite` asks, and for a person.

    Exit code 0: the rules find nothing; 1: they do; 2: the list cannot be used.
    """
    from odyssey_recorder.commands.task_rewriting import check_words, print_faulty
    from odyssey_recorder.task.listing import read_tasks
    from odyssey_recorder.task.templates.template_files import load_library

    try:
        tasks = read_tasks(file)
        faulty = list(check_words(tasks, load_library(_template_folders())))
    except OdysseyError as error:
        raise _cannot(error) from error
    if as_json:
        found = [{"task_id": one.task.task_id, "faults": one.faults} for one in faulty]
        typer.echo(json.dumps({"tasks": len(tasks), "faulty": found}, indent=2))
    else:
        print_faulty(faulty, _err)
        _out.print(line(f"{_counted(tasks, 'task')}, {len(faulty)} with faults"), soft_wrap=True)
    if faulty:
        raise typer.Exit(1)


@app.command("import")
def import_tasks(
    file: Annotated[Path, typer.Argument(help="A list of tasks.")],
    *,
    dataset: _DatasetOption = None,
    to_approve: Annotated[bool, typer.Option("--to-approve", help="A person looks at them first.")] = False,
) -> None:
    """Put the tasks of a list into the queue, behind those that are there; what the queue has stays as it is.

    Tasks whose words were rejected, or have known faults that nobody approved, are always to be approved first.

    Exit code 0: those that are new are in it; 2: the list or the queue cannot be used, and nothing was put in.
    """
    from odyssey_recorder.task.listing import read_tasks
    from odyssey_recorder.task.queue.board import Status, first_status

    try:
        tasks = read_tasks(file, new=True)
        with _queue(dataset) as queue:
            have = {task.task_id for task in queue.board().tasks}
            new = queue.add(tasks, to_approve=to_approve)
    except OdysseyError as error:
        raise _cannot(error) from error
    stand = (first_status(one, to_approve=to_approve) for one in tasks if one.task_id not in have)
    prepared = sum(status is Status.TO_APPROVE for status in stand)
    _out.print(line(f"{_counted(tasks, 'task')}, {new} of them new, {prepared} to be approved"), soft_wrap=True)


@app.command("export")
def export_tasks(
    status: Annotated[
        list[str] | None,
        typer.Option(help='Only those that stand so, such as "Waiting". May be repeated.', show_default="all"),
    ] = None,
    out: _OutOption = None,
    *,
    dataset: _DatasetOption = None,
) -> None:
    """Write the tasks of the queue as a list.

    Exit code 0: written; 2: the queue cannot be read, or the file not be written.
    """
    from odyssey_recorder.commands.task_making import write_list
    from odyssey_recorder.task.queue.board import Status

    try:
        names = {one.value.casefold(): one for one in Status}
        if unknown := [name for name in status or [] if name.casefold() not in names]:
            raise TaskError(f"No task stands as {unknown[0]}: a task is {', '.join(one.value for one in Status)}.")
        wanted = {names[name.casefold()] for name in status or []} or set(Status)
        tasks = [task.listed for task in _board(dataset).tasks if task.status in wanted]
        write_list(tasks, out, _out)
    except OdysseyError as error:
        raise _cannot(error) from error
    _err.print(line(_counted(tasks, "task")), soft_wrap=True)


def _settings(dataset: Path | None = None) -> "Settings":
    from odyssey_recorder.settings import read_settings

    return read_settings(dataset=dataset)


def _template_folders() -> list[Path]:
    from odyssey_recorder.wiring import template_folders

    return template_folders(_settings())


@contextmanager
def _queue(dataset: Path | None) -> Iterator["TaskQueue"]:
    from odyssey_recorder.wiring import annotator_tasks

    with closing(annotator_tasks(_settings(dataset))) as queue:
        yield queue


def _board(dataset: Path | None) -> "Board":
    with _queue(dataset) as queue:
        return queue.board()


def _source() -> Path:
    from odyssey_recorder.task.listing import shipped_tasks

    return _settings().tasks or shipped_tasks()


def _as_tree(task: "QueuedTask") -> dict[str, object]:
    from odyssey_recorder.task.queue.board import RECORDED

    told = task.listed.task
    return {
        "task_id": task.task_id,
        "status": task.status.value,
        "category": told.category,
        "instruction": told.instruction,
        "apps": told.apps,
        "episodes": [entry.episode_id for entry in task.history if entry.event in RECORDED],
        "reason": task.reason,
    }


def _problems(problems: "Sequence[Problem]") -> Iterable[dict[str, object]]:
    for one in problems:
        yield {"file": str(one.source), "line": one.line, "key": one.key, "problem": one.words}


def _counted(things: Sequence[object], word: str) -> str:
    return f"{len(things)} {word}" if len(things) == 1 else f"{len(things)} {word}s"


def _cannot(error: OdysseyError) -> typer.Exit:
    _err.print(line((str(error), "red")), soft_wrap=True)
    return typer.Exit(2)
