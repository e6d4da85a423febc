"""`devices`, `doctor`, `simulate` and `demo`: what there is to record on."""

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.files import write_durably

if TYPE_CHECKING:
    from collections.abc import Callable

    from odyssey_simulator.emulator import SimulatedEmulator

ProfileOption = Annotated[str, typer.Option("--profile", help="The simulated device, such as pixel_fold.")]


app = typer.Typer(name="devices", rich_markup_mode=None, invoke_without_command=True)


@app.callback()
def devices(context: typer.Context, *, as_json: terminal.JsonOption = False) -> None:
    """List the devices, or check one."""
    if context.invoked_subcommand is not None:
        return
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import user_connector

    connector = user_connector(read_settings())
    listed = connector.devices()
    if as_json:
        terminal.print_json([{**asdict(device), "capture": connector.capture_path(device)} for device in listed])
        return
    if not listed:
        terminal.say("No device. Start an emulator in Android Studio, or a simulated one: odyssey-recorder simulate")
    for device in listed:
        name, capture = device.name or device.model, connector.capture_path(device)
        terminal.say(f"{device.serial:20} {device.state:14} {capture:10} {name}".rstrip())


@app.command()
@terminal.exits_with_2()
def check(
    device: Annotated[
        str | None, typer.Argument(metavar="SERIAL", help="The serial of the device.", show_default="the only one")
    ] = None,
    *,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report to this file.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results to this file, as JSON.")] = None,
) -> None:
    """Find out in up to three minutes what a device does differently.

    It opens Settings, touches it and types into it. Afterwards the device is as it was.

    Exit code 0: nothing differs; 1: something does; 2: the check could not be carried out.
    """
    from odyssey_recorder.device.connector import chosen_device
    from odyssey_recorder.services.device_check import DeviceCheck, Outcome
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import user_connector

    styles = {Outcome.EXPECTED: "green", Outcome.DIFFERENT: "yellow", Outcome.NOT_POSSIBLE: ""}
    connector = user_connector(read_settings())
    serial = chosen_device(connector.devices(), device)
    with terminal.progress_bar("Checking the device") as progress:
        found = DeviceCheck(connector).run(serial, progress)
    for name, value in found.facts.items():
        terminal.say(f"{name:18} {value}")
    for line in found.lines:
        terminal.say((f"{line.outcome.value:18} ", styles[line.outcome]), f"{line.what}: {line.found}")
        if line.todo:
            terminal.say(f"{'':18} {line.todo}")
    if report is not None:
        found.write(report)
    if json_file is not None:
        write_durably(json_file, found.as_json().encode())
    terminal.say(found.summary + ".", to=terminal.err)
    raise typer.Exit(1 if found.count(Outcome.DIFFERENT) else 0)


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
    grpc_access: Annotated[
        Literal["token", "jwt", "both", "open"],
        typer.Option(help="What the gRPC service asks for: its token, a signed token (jwt), either, or nothing."),
    ] = "token",
    keyboard: Annotated[bool, typer.Option(help="Simulate a hardware keyboard (hw.keyboard).")] = True,
    window: Annotated[bool, typer.Option("--window", help="Show the device in a window.")] = False,
    until_stdin_ends: Annotated[bool, typer.Option("--until-stdin-ends", hidden=True)] = False,
) -> None:
    """Run a simulated emulator until Ctrl-C.

    adb lists it like the emulators of Android Studio.
    """
    from odyssey_recorder.errors import DeviceError
    from odyssey_simulator.errors import SimulatorError
    from odyssey_simulator.phone import Phone
    from odyssey_simulator.profile import profile_named
    from odyssey_simulator.server_main import run, run_until_killed, stop_when_stdin_ends

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
    try:
        device = replace(profile_named(profile), keyboard=keyboard)
        phone = Phone(device, seed=seed, animation=animation, journal=journal, running_clock=running_clock)
        phone.prepare(animation=animation)
        run(phone, console_port, lambda line: print(line, flush=True), stay, grpc=grpc_access if grpc else None)
    except SimulatorError as error:
        raise DeviceError(str(error)) from error


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
