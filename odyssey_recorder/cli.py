"""The subcommands: what can be asked of the program on a command line."""

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from odyssey_recorder import __version__
from odyssey_recorder.commands import (
    agent,
    annotate,
    avd,
    curate,
    datasets,
    devices,
    episodes,
    evaluate,
    merge,
    predict,
    releases,
    remote,
    reviews,
    splits,
    tasks,
    terminal,
    training,
)
from odyssey_recorder.errors import OdysseyError


def review(
    dataset: terminal.DatasetArgument = None,
    *,
    reviewer: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="The reviewer's name.", show_default="the annotator in the settings"),
    ] = None,
) -> None:
    """Open the window to review episodes recorded by others."""
    from odyssey_recorder.commands.window import run_window
    from odyssey_recorder.settings import SettingsStore

    if dataset is not None and not dataset.is_dir():
        raise typer.BadParameter(f"No folder {dataset}.")
    raise typer.Exit(run_window(SettingsStore(dataset=dataset, annotator=reviewer), to_review=True))


_USERS: dict[str, tuple[Callable[..., None] | typer.Typer, ...]] = {
    "Annotators": (episodes.record, episodes.replay, devices.app, devices.doctor, avd.app),
    "Reviewers": (review, reviews.app, datasets.quality_report),
    "Leads and researchers": (
        tasks.app,
        datasets.list_,
        datasets.check,
        annotate.app,
        curate.app,
        splits.app,
        datasets.stats,
        predict.predict,
        agent.app,
        agent.agents_app,
        evaluate.evaluate,
        training.train,
        training.serve,
        releases.app,
        merge.merge,
        datasets.export,
        remote.upload,
        remote.download,
        datasets.convert,
    ),
    "Trying out": (devices.demo, devices.simulate),
}
"""All commands in the order of the help, by who uses them. A function's command has its name, a group its own."""


def _name(command: Callable[..., None] | typer.Typer) -> str:
    name = command.info.name if isinstance(command, typer.Typer) else command.__name__
    return str(name).strip("_").replace("_", "-")


_WORDS = "odyssey_recorder.words"


class _ByUser(TyperGroup):
    """Lists the commands under the headings of `_USERS`; typer has headings for its rich help only."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        ctx.meta[_WORDS] = list(ctx.args)  # what follows the command; gone by the time the callback runs
        return super().invoke(ctx)

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return [_name(command) for commands in _USERS.values() for command in commands]

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        width = max(map(len, self.commands))
        for users, commands in _USERS.items():
            names = map(_name, commands)
            with formatter.section(users):
                told = ((name, self.commands[name].get_short_help_str(formatter.width)) for name in names)
                formatter.write_dl([(f"{name:{width}}", words) for name, words in told])


app = typer.Typer(name="odyssey-recorder", cls=_ByUser, rich_markup_mode=None, pretty_exceptions_enable=False)
for _command in chain.from_iterable(_USERS.values()):
    if isinstance(_command, typer.Typer):
        app.add_typer(_command)
    else:
        app.command(_name(_command))(_command)

FAULT = 3
"""The exit code of a command that an error ended which nobody expected; docs/exit-codes.md has them all."""


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"odyssey-recorder {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def odyssey_recorder(
    context: typer.Context,
    *,
    dataset: terminal.DatasetOption = None,
    device: terminal.DeviceOption = None,
    capture: terminal.CaptureOption = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Record GUI-Odyssey episodes on Android emulators, and replay them.

    Without a command, the window opens.

    Exit codes: 0 success; 1 problems found, or not completed; 2 wrong usage, or the input cannot be read; 3 a bug in
    the program; 130 interrupted.
    """
    if context.invoked_subcommand is not None:
        flags = {"dataset": dataset, "device": device, "capture": capture}
        given = {name: str(value) for name, value in flags.items() if value is not None}
        context.default_map = _defaults(context.command, given)
        words = [context.invoked_subcommand, *context.meta[_WORDS]]
        for name in given:
            command = _refusing(context.command, words, name)
            if command:
                raise typer.BadParameter(
                    f"{command} takes no --{name} before it. See odyssey-recorder {command} --help."
                )
        return
    from odyssey_recorder.commands.window import run_window
    from odyssey_recorder.settings import SettingsStore

    store = SettingsStore(dataset=dataset, capture=capture)
    raise typer.Exit(run_window(store, serial=device))


def _refusing(group: Any, words: Sequence[str], flag: str) -> str:
    """The command that `words` name in the group, if it does not take the flag before it; empty if it does."""
    name = next((word for word in words if word in group.commands), "")
    command, rest = group.commands.get(name), words[words.index(name) + 1 :] if name else ()
    if isinstance(command, TyperGroup) and any(word in command.commands for word in rest):
        refusing = _refusing(command, rest, flag)
        return f"{name} {refusing}" if refusing else ""
    return name if name not in _defaults(group, {flag: ""}) else ""


def _defaults(command: Any, given: Mapping[str, str]) -> dict[str, Any]:
    """The flags `given` before a command, as defaults of its parameters of these names that take a single value.

    An argument takes one only if it is the command's only argument: otherwise the next would be read in its place.
    """
    if isinstance(command, TyperGroup):
        return {name: defaults for name, sub in command.commands.items() if (defaults := _defaults(sub, given))}
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    return {
        str(parameter.name): given[parameter.name]
        for parameter in command.params
        if parameter.name in given and not parameter.multiple and (parameter not in arguments or len(arguments) == 1)
    }


@cache
def program() -> TyperGroup:
    """All commands, built once for a process that runs several: typer builds them anew with each call of its own."""
    command = get_command(app)
    assert isinstance(command, TyperGroup)
    return command


def main() -> None:
    """Run the command line."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr: a letter that it cannot show is no failure
    try:
        program()(prog_name="odyssey-recorder")
    except OdysseyError as error:
        terminal.print_error(str(error))
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the top: a fault of the program is not what a command found
        terminal.print_error(f"{type(error).__name__}: {error}")
        terminal.print_error(f"This is a bug. Report it with the end of {_log_fault()}.")
        sys.exit(FAULT)


def _log_fault() -> Path:
    """Write the error under way, with all that is known of it, to the log; where that is."""
    from odyssey_recorder.logs import logging_to
    from odyssey_recorder.settings import log_file

    with logging_to(log_file(), "WARNING"):
        logging.getLogger(__name__).critical("Unexpected error", exc_info=True)
    return log_file()
