"""`record` and `replay`: one episode."""

import sys
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.model.episode import Category, Mode, TaskInfo
from odyssey_recorder.model.plain_text import step_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from odyssey_recorder.replay.player import StepResult
    from odyssey_recorder.replay.replay import PlannedStep
    from odyssey_recorder.settings import Settings

_VERDICT_STYLES = {"match": "green", "drift": "yellow", "diverged": "red"}


def record(
    *,
    mode: Annotated[
        Mode, typer.Option(help="mirror: play a script. passive: record what you do in the emulator's own window.")
    ] = "mirror",
    script: Annotated[
        Path | None, typer.Option(help="JSON lines with the annotator's actions; see docs/scripts.md.")
    ] = None,
    instruction: Annotated[str, typer.Option(help="The task, as a person would say it.")] = "",
    category: Annotated[
        Category | None,
        typer.Option(metavar="CATEGORY", help=f"One of {', '.join(member.value for member in Category)}."),
    ] = None,
    app_name: Annotated[
        list[str] | None, typer.Option("--app", metavar="NAME", help="An app that the task uses. Repeatable.")
    ] = None,
    meta_task: Annotated[str, typer.Option(help="The template of the task.", show_default="instruction")] = "",
    task: Annotated[str, typer.Option(help="The filled template.", show_default="instruction")] = "",
    dataset: terminal.DatasetOption = None,
    device: terminal.DeviceOption = None,
    capture: terminal.CaptureOption = None,
    resume: Annotated[str, typer.Option(metavar="ID", help="Continue this draft.")] = "",
    accept_screen: Annotated[
        bool,
        typer.Option(
            "--accept-screen", help="With --resume: continue from the current screen. The next step is flagged."
        ),
    ] = False,
) -> None:
    """Record without the window, by script or in passive mode.

    In passive mode, work in the emulator's own window and enter commands here. A new episode needs --instruction,
    --category and --app. Prints the path of the annotation file.
    """
    from odyssey_recorder.commands.listen import record_by_listening
    from odyssey_recorder.commands.record import RecordOptions, record_by_script
    from odyssey_recorder.settings import read_settings

    if (mode == "mirror") == (script is None):
        raise typer.BadParameter("--mode mirror needs a --script; --mode passive does not take one.")
    if not resume and not (instruction and category and app_name):
        raise typer.BadParameter("A new episode needs --instruction, --category and --app.")
    task_info = TaskInfo(
        category.value if category else "",
        tuple(app_name or ()),
        meta_task or instruction,
        task or instruction,
        instruction,
    )
    request = RecordOptions(task_info, serial=device, draft=resume, accepts_screen=accept_screen)
    settings = read_settings(dataset=dataset, capture=capture)
    with _logged(settings):
        if script is not None:
            annotation: Path | None = record_by_script(settings, request, script)
        else:
            annotation = record_by_listening(settings, request, sys.stdin)
    terminal.fail_if(annotation is None)
    terminal.say(str(annotation))


@contextmanager
def _logged(settings: "Settings") -> "Iterator[None]":
    """Write the log of the block, and what ends it if nobody expected that."""
    from odyssey_recorder.logs import log_unexpected, logging_to
    from odyssey_recorder.settings import log_file

    with logging_to(log_file(), settings.log_level), log_unexpected(OdysseyError, typer.Exit):
        yield


@terminal.exits_with_2()
def replay(
    episode: Annotated[Path, typer.Argument(metavar="EPISODE", help="An annotation file of a dataset folder.")],
    *,
    device: terminal.DeviceOption = None,
    capture: terminal.CaptureOption = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report to this file.")] = None,
    as_json: terminal.JsonOption = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the files and show the steps without a device.")
    ] = False,
    go_on: Annotated[bool, typer.Option("--go-on", help="Continue after the first divergence.")] = False,
    scale: Annotated[bool, typer.Option("--scale", help="Accept a device with another screen size.")] = False,
) -> None:
    """Replay an episode and compare the screens.

    Exit code 0: no screen diverged; 1: a screen diverged; 2: the episode cannot be replayed.
    """
    from odyssey_recorder.replay.player import PlayRules
    from odyssey_recorder.replay.recorded import check_screenshots, open_recorded
    from odyssey_recorder.replay.replay import plan_episode, replay_episode
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import user_connector

    if dry_run:
        _print_plan(plan_episode(episode), as_json=as_json)
        return
    rules = PlayRules(go_on=go_on, scale=scale)
    on_step = (lambda _: None) if as_json else _print_step
    check_screenshots(open_recorded(episode))  # before any device is needed
    with closing(user_connector(read_settings(capture=capture)).connect_chosen(device)) as connected:
        result = replay_episode(episode, connected, rules, report=report, on_step=on_step)
    if as_json:
        from odyssey_recorder.replay.report import result_as_json
        from odyssey_recorder.reports import report_json

        typer.echo(report_json(result_as_json(result)))
    else:
        terminal.say(". ".join(filter(None, (result.summary, result.advice))))
    raise typer.Exit(result.exit_code)


def _print_plan(plan: "Sequence[PlannedStep]", *, as_json: bool) -> None:
    if as_json:
        terminal.print_json([{"step_index": planned.number, "effect": planned.effect} for planned in plan])
        return
    for planned in plan:
        terminal.say(f"{step_number(planned.number):3}  {planned.effect}")


def _print_step(step: "StepResult") -> None:
    from odyssey_recorder.model.action import in_words_at

    verdict = step.comparison.verdict.value
    share = f"{step.comparison.pixel_share:.2%} changed"
    summary = terminal.line(
        f"{step_number(step.number):3}  ",
        (f"{verdict:8}", _VERDICT_STYLES[verdict]),
        f"  {share:15}  ",
        in_words_at(step.action),
    )
    terminal.out.print(summary, no_wrap=True, overflow="ellipsis")
