"""What the commands share: options, output, exit codes. Text of unknown origin is printed literally."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.logs import spelled_out
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Progress

if TYPE_CHECKING:
    from odyssey_recorder.services.episodes import Selection

Command = TypeVar("Command", bound=Callable[..., Any])

LINE_EVERY_S = 30.0
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

DatasetOption = Annotated[Path | None, typer.Option("--dataset", help="The dataset folder.", show_default="settings")]
DatasetArgument = Annotated[
    Path | None, typer.Argument(metavar="DATASET", help="The dataset folder.", show_default="settings")
]
DeviceOption = Annotated[
    str | None, typer.Option("--device", help="The serial of the device; see `devices`.", show_default="the only one")
]
DatasetFolder = Annotated[Path, typer.Argument(metavar="DATASET", help="The dataset folder.")]
CaptureName = Literal["auto", "adb", "grpc"]
CaptureOption = Annotated[
    CaptureName | None,
    typer.Option("--capture", help="How to take screenshots: over gRPC or adb.", show_default="auto"),
]
AgentsOption = Annotated[bool, typer.Option("--agents", help="Also episodes that agents recorded.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
NameOption = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="Your name.", show_default="the annotator in the settings")
]
ByOption = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="Your name.", show_default="the annotator in the settings")
]


def line(*parts: str | tuple[str, str]) -> Text:
    """A line for `Console.print`, of texts and of pairs of a text and its style; markup is not interpreted."""
    pairs = ((part, "") if isinstance(part, str) else part for part in parts)
    return Text.assemble(*((spelled_out(text), style) for text, style in pairs))


def say(*parts: str | tuple[str, str], to: Console = out) -> None:
    to.print(line(*parts), soft_wrap=True)


def print_error(text: str) -> None:
    say((text, "red"), to=err)


def print_warning(text: str) -> None:
    say((text, "yellow"), to=err)


def print_retired(count: int) -> None:
    if count:
        say((f"{counted(count, 'retired episode')} left out", "yellow"), to=err)


def print_left_out(selection: "Selection") -> None:
    print_retired(selection.retired)
    if selection.by_agents:
        print_warning(f"{counted(selection.by_agents, 'episode')} by agents left out")


def print_unread(problems: Iterable[str]) -> None:
    for problem in problems:
        print_warning(f"Left out: {problem}")


def print_json(tree: object) -> None:
    typer.echo(json.dumps(tree, indent=2))


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Shown while the work lasts; `title` until the work tells a text. Without a terminal, a line now and then."""
    from rich.markup import escape
    from rich.progress import Progress as Bar

    if not err.is_terminal:
        with _progress_lines(title) as told:
            yield told
        return
    with Bar(console=err, transient=True) as bar:
        task = bar.add_task(title)
        yield lambda share, text: bar.update(
            task,
            completed=share or 0,
            total=None if share is None else 1,
            description=escape(spelled_out(text or title)),
        )


@contextmanager
def _progress_lines(title: str) -> Iterator[Progress]:
    """For the logs of Slurm and CI, in which nothing for hours looks like a program that hangs."""
    latest, ended = title, threading.Event()

    def tell(share: float | None, text: str) -> None:
        nonlocal latest
        latest = text or title
        latest += "" if share is None or "%" in latest else f" ({share:.0%})"

    def write() -> None:
        while not ended.wait(LINE_EVERY_S):
            say(latest, to=err)

    writer = threading.Thread(target=write, name="progress lines", daemon=True)
    writer.start()
    try:
        yield tell
    finally:
        ended.set()
        writer.join()


@contextmanager
def exits_with_2() -> Iterator[None]:
    """A decorator for commands that prints expected errors and exits with 2."""
    try:
        yield
    except OdysseyError as error:
        print_error(str(error))
        raise typer.Exit(2) from error


def fail_if(found: object) -> None:
    """Exit with 1 if there is something that a command must report, as a list of problems."""
    if found:
        raise typer.Exit(1)


class CommandGroup(typer.Typer):
    """Commands that exit with 2 at an expected error."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name=name, help=description, no_args_is_help=True, rich_markup_mode=None)

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Command], Command]:
        add = super().command(name, **settings)
        return lambda command: add(exits_with_2()(command))
