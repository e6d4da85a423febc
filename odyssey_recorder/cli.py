"""The subcommands: what can be asked of the program on a command line."""

import logging
import sys
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from odyssey_recorder import __version__
from odyssey_recorder.commands import avd, curate, merge, releases, remote, reviews, splits, tasks, terminal
from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.model.episode import Category, Mode, TaskInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from odyssey_recorder.replay.player import ReplayResult, StepResult
    from odyssey_recorder.replay.replay import PlannedStep, ReplayOptions
    from odyssey_recorder.settings import Settings
    from odyssey_recorder.simulator.emulator import SimulatedEmulator

_USERS: dict[str, tuple[str, ...]] = {
    "Annotators": ("record", "replay", "devices", "doctor", "avd"),
    "Reviewers": ("review", "reviews", "quality-report"),
    "Leads and researchers": (
        "tasks",
        "list",
        "check",
        "curate",
        "splits",
        "stats",
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
app.add_typer(avd.app, name="avd")
app.add_typer(tasks.app, name="tasks")
app.add_typer(reviews.app, name="reviews")
app.add_typer(splits.app, name="splits")
app.add_typer(curate.app, name="curate")
app.add_typer(releases.app, name="release")
app.command("merge")(merge.merge)
app.command("upload")(remote.upload)
app.command("download")(remote.download)

FAULT = 3
"""The exit code of a command that an error ended which nobody expected; docs/exit-codes.md has them all."""

DatasetArgument = Annotated[
    Path | None, typer.Argument(metavar="DATASET", help="The dataset folder.", show_default="settings")
]
DeviceOption = Annotated[
    str | None, typer.Option("--device", help="The serial of the device; see `devices`.", show_default="the only one")
]
ProfileOption = Annotated[str, typer.Option("--profile", help="The simulated device, such as pixel_fold.")]


CaptureName = Literal["auto", "adb", "grpc"]
CaptureOption = Annotated[
    CaptureName | None,
    typer.Option("--capture", help="How to take screenshots: over gRPC or adb.", show_default="auto"),
]


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"odyssey-recorder {__version__}")
        raise typer.Exit


@contextmanager
def _logged(settings: "Settings") -> "Iterator[None]":
    """Write the log of the block, and what ends it if nobody expected that."""
    from odyssey_recorder.logs import log_unexpected, logging_to
    from odyssey_recorder.settings import log_file

    with logging_to(log_file(), settings.log_level), log_unexpected(OdysseyError, typer.Exit):
        yield


@app.callback(invoke_without_command=True)
def odyssey_recorder(
    context: typer.Context,
    *,
    dataset: terminal.DatasetOption = None,
    device: DeviceOption = None,
    capture: CaptureOption = None,
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


def _flags_before(dataset: Path | None, device: str | None, capture: CaptureName | None) -> dict[str, Any]:
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
        Category | None, typer.Option(metavar="CATEGORY", help=f"One of {', '.join(one.value for one in Category)}.")
    ] = None,
    app_name: Annotated[
        list[str] | None, typer.Option("--app", metavar="NAME", help="An app that the task uses. Repeatable.")
    ] = None,
    meta_task: Annotated[str, typer.Option(help="The template of the task.", show_default="instruction")] = "",
    task: Annotated[str, typer.Option(help="The filled template.", show_default="instruction")] = "",
    dataset: terminal.DatasetOption = None,
    device: DeviceOption = None,
    capture: CaptureOption = None,
    resume: Annotated[str, typer.Option(metavar="ID", help="Continue this draft.")] = "",
    accept_screen: Annotated[
        bool,
        typer.Option(
            "--accept-screen", help="With --resume: continue from the current screen. The next step is flagged."
        ),
    ] = False,
) -> None:
    """Record without the window, by script or by listening.

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
    told = TaskInfo(
        category.value if category else "",
        tuple(app_name or ()),
        meta_task or instruction,
        task or instruction,
        instruction,
    )
    request = RecordOptions(told, serial=device, draft=resume, accepts_screen=accept_screen)
    settings = read_settings(dataset=dataset, capture=capture)
    with _logged(settings):
        if script is not None:
            annotation: Path | None = record_by_script(settings, request, script, terminal.err)
        else:
            annotation = record_by_listening(settings, request, sys.stdin, terminal.err)
    if annotation is None:
        raise typer.Exit(1)
    terminal.say(str(annotation))


@app.command()
@terminal.exits_with_2()
def replay(
    episode: Annotated[Path, typer.Argument(metavar="EPISODE", help="An annotation file of a dataset folder.")],
    *,
    device: DeviceOption = None,
    capture: CaptureOption = None,
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
    from odyssey_recorder.replay.replay import ReplayOptions, plan_episode

    if dry_run:
        _print_plan(plan_episode(episode), as_json=as_json)
        return
    rules = PlayRules(go_on=go_on, scale=scale)
    on_step = (lambda _: None) if as_json else _print_step
    result = _replay(episode, device, capture, ReplayOptions(rules, report=report, on_step=on_step))
    if as_json:
        from odyssey_recorder.replay.report import result_as_json
        from odyssey_recorder.reports import report_json

        typer.echo(report_json(result_as_json(result)))
    else:
        terminal.say(result.summary)
    raise typer.Exit(result.exit_code)


def _replay(episode: Path, serial: str | None, capture: CaptureName | None, options: "ReplayOptions") -> "ReplayResult":
    from odyssey_recorder.replay.recorded import check_screenshots, open_recorded
    from odyssey_recorder.replay.replay import replay_episode
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring import user_connector

    check_screenshots(open_recorded(episode))  # before any device is needed
    device = user_connector(read_settings(capture=capture)).connect_chosen(serial)
    try:
        return replay_episode(episode, device, options)
    finally:
        device.close()


def _print_plan(plan: "Sequence[PlannedStep]", *, as_json: bool) -> None:
    if as_json:
        terminal.print_json([{"step": planned.number, "deed": planned.effect} for planned in plan])
        return
    for planned in plan:
        terminal.say(f"{planned.number + 1:3}  {planned.effect}")


_VERDICT_STYLES = {"match": "green", "drift": "yellow", "diverged": "red"}


def _print_step(step: "StepResult") -> None:
    from odyssey_recorder.model.action import in_words_at

    verdict = step.comparison.verdict.value
    share = f"{step.comparison.pixel_share:.2%} changed"
    words = terminal.line(
        f"{step.number + 1:3}  ",
        (f"{verdict:8}", _VERDICT_STYLES[verdict]),
        f"  {share:15}  ",
        in_words_at(step.action),
    )
    terminal.out.print(words, no_wrap=True, overflow="ellipsis")


@app.command()
def review(
    dataset: DatasetArgument = None,
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


@app.command("quality-report")
@terminal.exits_with_2()
def quality_report(
    dataset: DatasetArgument = None,
    *,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots to this file.")
    ] = None,
    as_json: terminal.JsonOption = False,
) -> None:
    """Show the share of accepted episodes and reviewer agreement.

    Episodes that have changed since their last check are checked first.

    Exit code 0: success; 2: the dataset or its reviews cannot be read, or the page cannot be written.
    """
    from odyssey_recorder.commands.quality_report import report_quality
    from odyssey_recorder.review_service import ReviewService
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring import user_checker

    service = ReviewService(dataset or read_settings().dataset, user_checker(), str)
    report_quality(service, terminal.out, html=html, as_json=as_json)


@app.command("list")
@terminal.exits_with_2()
def list_episodes(
    dataset: DatasetArgument = None,
    *,
    wanted: Annotated[
        str, typer.Option("--filter", metavar="FILTER", help="Which episodes; see docs/filters.md.")
    ] = "",
    saved: Annotated[str, typer.Option(metavar="NAME", help="Which episodes, by a saved filter.")] = "",
    save: Annotated[str, typer.Option(metavar="NAME", help="Save the filter by this name.")] = "",
    checked: Annotated[bool, typer.Option("--check", help="Check episodes that have changed first.")] = False,
    as_json: terminal.JsonOption = False,
) -> None:
    """List the episodes that a filter selects, or all.

    Exit code 0: success; 2: the dataset or the filter cannot be read.
    """
    from odyssey_recorder.commands.listing import ListOptions, list_episodes
    from odyssey_recorder.selection.saved import SavedFilters
    from odyssey_recorder.settings import filters_file, read_settings
    from odyssey_recorder.wiring import user_checker, user_index

    checker = user_checker()
    options = ListOptions(wanted, saved, save, checked=checked, as_json=as_json)
    with closing(user_index(dataset or read_settings().dataset, checker)) as index:
        list_episodes(index, checker, SavedFilters(filters_file()), options, (terminal.out, terminal.err))


FilterOption = Annotated[
    str, typer.Option("--filter", metavar="EXPR", help="Only these episodes, such as 'steps:>20 app:Chrome'.")
]


@app.command()
@terminal.exits_with_2()
def stats(
    dataset: Annotated[Path, typer.Argument(metavar="PATH", help="The dataset folder.")],
    *,
    selection: FilterOption = "",
    against: Annotated[
        str, typer.Option(metavar="NAME", help="What to compare with: v1, v2, or another dataset folder.")
    ] = "v2",
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page to this file.")] = None,
    png: Annotated[Path | None, typer.Option("--png", metavar="DIR", help="Write images to this folder.")] = None,
    as_json: terminal.JsonOption = False,
) -> None:
    """Show the figures of a dataset, beside the published ones.

    Exit code 0: success; 2: the dataset cannot be read, or a file cannot be written.
    """
    from odyssey_recorder.commands.stats import StatsOptions, show_figures

    show_figures(StatsOptions(dataset, selection, against, as_json, html, png), terminal.out)


@app.command()
@terminal.exits_with_2()
def export(
    dataset: Annotated[Path, typer.Argument(metavar="PATH", help="The dataset folder.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write. It must not exist.")],
    *,
    layout: Annotated[
        Literal["release", "parquet", "webdataset", "jsonl"], typer.Option("--as", help="The files' layout.")
    ],
    selection: FilterOption = "",
    every: Annotated[bool, typer.Option("--all", help="Also episodes that are not accepted, or have errors.")] = False,
    like: Annotated[
        Literal["v1", "v2"] | None,
        typer.Option(help="With --as release: the release to follow.", show_default="v2 if every step has its texts"),
    ] = None,
    per_step: Annotated[bool, typer.Option("--steps", help="With --as jsonl: a line per step.")] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=64, help="The number of processes.", show_default="one per CPU")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Work on this Dask cluster, such as tcp://host:8786.")
    ] = None,
) -> None:
    """Export accepted episodes for others to load.

    After an interruption, the same command continues. The same episodes give the same bytes.

    Exit code 0: success; 2: nothing can be exported, or OUT cannot be written.
    """
    from odyssey_recorder.admission import Admission
    from odyssey_recorder.commands.export import ExportOptions, export_dataset
    from odyssey_recorder.exporting.layouts import Options

    admission = Admission() if every else Admission(checked=True, accepted=True)
    options = Options(per_step=per_step)
    request = ExportOptions(dataset, out, layout, selection, admission, options, like, jobs, cluster)
    export_dataset(request, terminal.out, terminal.err)


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="An episode file or a dataset folder.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file or folder to write.")],
    *,
    dialect: Annotated[Literal["card", "release"], typer.Option(help="The output dialect.")],
    with_screenshots: Annotated[
        bool, typer.Option("--with-screenshots", help="Also copy the screenshots; episodes with errors are left out.")
    ] = False,
    accepted: Annotated[bool, typer.Option("--accepted", help="Convert accepted episodes only.")] = False,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="With --with-screenshots: keep episodes with errors.")
    ] = False,
) -> None:
    """Convert episodes to another dialect.

    `card` follows the dataset card, `release` the published files.

    Exit code 0: success; 1: some episodes cannot be converted, or none can.
    """
    from odyssey_recorder.admission import Admission
    from odyssey_recorder.commands.convert import convert_admitted
    from odyssey_recorder.dataset.codec import Dialect

    admission = Admission(checked=with_screenshots and not unchecked, accepted=accepted)
    result = convert_admitted(source, target, Dialect(dialect), admission, with_screenshots=with_screenshots)
    for failure in result.failures:
        terminal.complain(failure)
    terminal.say(f"{len(result.written)} written, {len(result.failures)} failed")
    if result.failures:
        raise typer.Exit(1)


@app.command()
@terminal.exits_with_2()
def check(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="An episode file, a folder of them, or a dataset folder.")
    ],
    *,
    as_json: terminal.JsonOption = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with all findings to this file.")] = None,
    fail_on: Annotated[
        Literal["error", "warning"], typer.Option(help="Exit with 1 for findings of this severity or above.")
    ] = "error",
    jobs: Annotated[
        int | None, typer.Option(min=1, max=64, help="The number of processes.", show_default="one per CPU")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Check everything again, without the cache.")] = False,
) -> None:
    """Check episodes, or a dataset as a whole.

    Covers screenshots, actions, instructions, duplicates, splits and files. Results are cached: only episodes that have
    changed are checked again.

    Exit code 0: no errors found (see --fail-on); 1: errors found; 2: nothing can be checked.
    """
    from odyssey_recorder.commands.check import CheckOptions, run_check
    from odyssey_recorder.quality.finding import Severity
    from odyssey_recorder.settings import checks_file

    cache = None if no_cache else checks_file()
    request = CheckOptions(path, Severity(fail_on), as_json=as_json, page=html, jobs=jobs, cache=cache)
    try:
        raise typer.Exit(run_check(request, terminal.out, terminal.err))
    except KeyboardInterrupt as error:
        terminal.complain("Interrupted. Results so far are cached.")
        raise typer.Exit(2) from error


@app.command()
def devices(*, as_json: terminal.JsonOption = False) -> None:
    """List the devices, and how screenshots are taken."""
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring import user_connector

    connector = user_connector(read_settings())
    listed = connector.devices()
    if as_json:
        terminal.print_json([{**asdict(one), "capture": connector.capture_path(one)} for one in listed])
        return
    if not listed:
        terminal.say("No device. Start an emulator in Android Studio, or a simulated one: odyssey-recorder simulate")
    for one in listed:
        terminal.say(
            f"{one.serial:20} {one.state:14} {connector.capture_path(one):10} {one.name or one.model}".rstrip()
        )


@app.command()
def doctor(*, as_json: terminal.JsonOption = False) -> None:
    """Check the setup, and show how to fix it.

    Exit code 0: nothing is missing; 1: something is missing.
    """
    from odyssey_recorder.commands.window import has_screen
    from odyssey_recorder.doctor import Doctor, Level
    from odyssey_recorder.doctor import as_json as report
    from odyssey_recorder.settings import log_file, read_settings

    styles = {Level.OK: "green", Level.NOTE: "yellow", Level.MISSING: "red"}
    findings = Doctor(read_settings, has_screen(), log_file()).examine()
    if as_json:
        print(report(findings), end="")
    else:
        for finding in findings:
            terminal.say((f"{finding.level.value:8}", styles[finding.level]), f"{finding.what:17} {finding.found}")
            if finding.fix:
                terminal.say(f"{'':8}{finding.fix}")
    if any(finding.level.fails for finding in findings):
        raise typer.Exit(1)


def _even(port: int) -> int:
    if port % 2:
        raise typer.BadParameter(f"{port} is odd, but the console port of an emulator is even.")
    return port


@app.command()
def simulate(
    *,
    profile: ProfileOption = "pixel_7_pro",
    console_port: Annotated[
        int,
        typer.Option(
            min=0, max=65534, callback=_even, help="Console port (even); adb uses the next one; 0 picks a free one."
        ),
    ] = 5554,
    seed: Annotated[int, typer.Option(help="The seed of the device's content.")] = 0,
    animation: Annotated[bool, typer.Option(help="Animate screen changes.")] = False,
    running_clock: Annotated[
        bool, typer.Option("--running-clock", help="Let the clock in the status bar run.")
    ] = False,
    journal: Annotated[
        Path | None, typer.Option(help="Write all frames and input to this file, as JSON lines.")
    ] = None,
    grpc: Annotated[bool, typer.Option(help="Serve the emulator's gRPC service.")] = True,
    keyboard: Annotated[bool, typer.Option(help="Simulate a hardware keyboard (hw.keyboard).")] = True,
    window: Annotated[bool, typer.Option("--window", help="Show the device in a window.")] = False,
    until_stdin_ends: Annotated[bool, typer.Option("--until-stdin-ends", hidden=True)] = False,
) -> None:
    """Run a simulated emulator until Ctrl-C.

    adb lists it like the emulators of Android Studio.
    """
    from odyssey_recorder.simulator.phone import Phone
    from odyssey_recorder.simulator.profile import profile_named
    from odyssey_recorder.simulator.server_main import run, run_until_killed, stop_when_stdin_ends

    window_wanted = Event()
    stay: Callable[[SimulatedEmulator], None] = run_until_killed
    if window:
        from odyssey_recorder.commands.window import require_screen

        require_screen()
        from odyssey_recorder.gui.phone.phone_window import show_phone

        stay = partial(show_phone, wanted=window_wanted)
    if until_stdin_ends:
        stop_when_stdin_ends(window_wanted)
    else:
        window_wanted.set()
    device = replace(profile_named(profile), keyboard=keyboard)
    phone = Phone(device, seed=seed, animation=animation, journal=journal, running_clock=running_clock)
    phone.prepare(animation=animation)
    run(phone, console_port, lambda words: print(words, flush=True), stay, grpc=grpc)


@app.command()
def demo(
    *,
    folder: Annotated[Path, typer.Option("--out", help="The folder of the demo's dataset.")] = Path("demo-out"),
    profile: ProfileOption = "pixel_7_pro",
    gui: Annotated[bool, typer.Option("--gui", help="Open the window with a simulated emulator instead.")] = False,
) -> None:
    """Record, publish and replay episodes on a simulated emulator."""
    from odyssey_recorder.commands.demo import open_window, run_demo

    if gui:
        raise typer.Exit(open_window(folder, profile))
    raise typer.Exit(0 if run_demo(folder, profile, terminal.out) else 1)


def main() -> None:
    """Run the command line."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr: a letter that it cannot show is no failure
    try:
        app()
    except OdysseyError as error:
        terminal.complain(str(error))
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the top: a fault of the program is not what a command found
        terminal.complain(f"{type(error).__name__}: {error}")
        terminal.complain(f"This is a bug. Report it with the end of {_log_fault()}.")
        sys.exit(FAULT)


def _log_fault() -> "Path":
    """Write the error under way, with all that is known of it, to the log; where that is."""
    from odyssey_recorder.logs import logging_to
    from odyssey_recorder.settings import log_file

    with logging_to(log_file(), "WARNING"):
        logging.getLogger(__name__).critical("Unexpected error", exc_info=True)
    return log_file()
