"""The subcommands: what can be asked of the program on a command line."""

import logging
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

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

_USERS: dict[str, tuple[str, ...]] = {
    "Annotators": ("record", "replay", "devices", "doctor", "avd"),
    "Reviewers": ("review", "reviews", "quality-report"),
    "Leads and researchers": (
        "tasks",
        "list",
        "check",
        "annotate",
        "curate",
        "splits",
        "stats",
        "predict",
        "agent",
        "evaluate",
        "train",
        "serve",
        "release",
        "merge",
        "export",
        "upload",
        "download",
        "convert",
    ),
    "Trying out": ("demo", "simulate"),
}
"""The commands in the order of the help, by who uses them."""


class _ByUser(TyperGroup):
    """Lists the commands under the headings of `_USERS`; typer has headings for its rich help only."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return [name for names in _USERS.values() for name in names]

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        width = max(map(len, self.commands))
        for users, names in _USERS.items():
            with formatter.section(users):
                told = ((name, self.commands[name].get_short_help_str(formatter.width)) for name in names)
                formatter.write_dl([(f"{name:{width}}", words) for name, words in told])


app = typer.Typer(name="odyssey-recorder", cls=_ByUser, rich_markup_mode=None, pretty_exceptions_enable=False)
for _command in (
    episodes.record,
    episodes.replay,
    datasets.check,
    datasets.stats,
    datasets.export,
    datasets.convert,
    devices.devices,
    devices.doctor,
    devices.simulate,
    devices.demo,
):
    app.command()(_command)
app.command("list")(datasets.list_episodes)
app.command("quality-report")(datasets.quality_report)
app.add_typer(annotate.app, name="annotate")
app.add_typer(avd.app, name="avd")
app.add_typer(tasks.app, name="tasks")
app.add_typer(reviews.app, name="reviews")
app.add_typer(splits.app, name="splits")
app.add_typer(curate.app, name="curate")
app.add_typer(releases.app, name="release")
app.command("merge")(merge.merge)
app.add_typer(agent.app, name="agent")
app.command("predict")(predict.predict)
app.command("evaluate")(evaluate.evaluate)
app.command("train")(training.train)
app.command("serve")(training.serve)
app.command("upload")(remote.upload)
app.command("download")(remote.download)

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
        context.default_map = _flags_before(dataset, device, capture)
        return
    from odyssey_recorder.commands.window import run_window
    from odyssey_recorder.settings import SettingsStore

    store = SettingsStore(dataset=dataset, capture=capture)
    raise typer.Exit(run_window(store, serial=device))


def _flags_before(dataset: Path | None, device: str | None, capture: terminal.CaptureName | None) -> dict[str, Any]:
    """What the flags before a command give it, for each command that has them as well."""
    flags = {"dataset": dataset, "device": device, "capture": capture}
    given = {name: str(value) for name, value in flags.items() if value is not None}
    of_dataset = {"dataset": given["dataset"]} if dataset is not None else {}
    groups = {
        "tasks": ("list", "show", "generate", "import", "export"),
        "reviews": ("check", "merge", "policy", "restore"),
    }
    return {
        **dict.fromkeys(("record", "replay", "review", "list", "quality-report"), given),
        **{group: dict.fromkeys(names, of_dataset) for group, names in groups.items()},
    }


@app.command()
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


def main() -> None:
    """Run the command line."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr: a letter that it cannot show is no failure
    try:
        app(prog_name="odyssey-recorder")
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
