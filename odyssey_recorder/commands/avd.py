"""`avd`: the virtual devices of the Android SDK."""

from typing import TYPE_CHECKING, Annotated

import typer

from odyssey_recorder.commands.terminal import JsonOption, err, print_json, say
from odyssey_recorder.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from odyssey_recorder.device.avd import Avd, Start, VirtualDevices
    from odyssey_recorder.device.emulator_console import EmulatorConsole
    from odyssey_recorder.device.preflight import PreflightFinding

app = typer.Typer(
    name="avd", no_args_is_help=True, rich_markup_mode=None, help="Create, start and stop virtual devices (AVDs)."
)
snapshot_app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Save and load snapshots of a running device."
)
app.add_typer(snapshot_app, name="snapshot")

_Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the virtual device; see `avd list`.")]
_Running = Annotated[
    str | None,
    typer.Argument(metavar="DEVICE", help="The name or serial of a running device.", show_default="the only one"),
]
_DeviceOption = Annotated[
    str | None, typer.Option("--device", help="The name or serial of a running device.", show_default="the only one")
]
_WindowOption = Annotated[bool, typer.Option(help="Show the emulator's own window.")]
_AnimationsOption = Annotated[
    bool | None, typer.Option("--animations/--no-animations", help="Leave animations on.", show_default="settings")
]
_Snapshot = Annotated[str, typer.Argument(metavar="NAME", help="The name of the snapshot.")]


@app.command("list")
def list_devices(*, as_json: JsonOption = False) -> None:
    """List the virtual devices, and what the SDK is missing."""
    devices = _devices()
    listed, missing = devices.list(), devices.missing()
    if as_json:
        print_json(_as_tree(listed, missing))
        return
    for finding in missing:
        say(("missing  ", "yellow"), f"{finding.what}: {finding.found}. {finding.fix}")
    for avd in listed:
        state = (avd.serial, "green") if avd.serial else "stopped"
        say(f"{avd.name:24} {avd.profile or 'no profile':16} ", state)
        for problem in avd.problems:
            say((f"{'':4}{problem}", "yellow"))
    for key in _profiles_without(listed):
        say(f"{'-':24} {key:16} odyssey-recorder avd create {key}")


@app.command()
def create(
    profile: Annotated[
        str, typer.Argument(metavar="PROFILE", help="A profile, such as pixel_fold; `avd list` shows all.")
    ],
    *,
    name: Annotated[str, typer.Option(help="The name of the device.", show_default="the profile's name")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Replace a device of the same name.")] = False,
) -> None:
    """Create a virtual device from a profile."""
    say(f"Created: {_devices().create(profile, name=name, replace=replace).name}")


@app.command()
def amend(name: _Name) -> None:
    """Update the configuration of a device to match its profile.

    Takes effect at the next cold boot.
    """
    avd = _devices().amend(name)
    say(f"{avd.name} matches the profile {avd.profile}." if not avd.problems else " ".join((avd.name, *avd.problems)))


@app.command()
def start(  # noqa: PLR0913 - the parameters of a subcommand are its options
    name: _Name,
    *,
    cold: Annotated[bool, typer.Option("--cold", help="Boot from scratch instead of the last state.")] = False,
    snapshot: Annotated[str, typer.Option(help="Start from this snapshot.")] = "",
    window: _WindowOption = True,
    animations: _AnimationsOption = None,
    port: Annotated[int, typer.Option(min=0, max=65534, help="Console port (even); 0 picks a free one.")] = 0,
) -> None:
    """Start a device and prepare it for recording.

    Prints its serial once the home screen is up.
    """
    from odyssey_recorder.device.avd import Start

    options = Start(cold=cold, snapshot=snapshot, window=window, animations=_wants_animations(animations), port=port)
    _start(name, options)


@app.command()
def reset(
    name: _Name,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    window: _WindowOption = True,
    animations: _AnimationsOption = None,
) -> None:
    """Delete all data on a device and start it."""
    from odyssey_recorder.device.avd import Start

    if not yes:
        typer.confirm(f"All data on {name}, including its snapshots, will be deleted. Continue?", abort=True, err=True)
    _start(name, Start(wipe=True, window=window, animations=_wants_animations(animations)))


@app.command()
def stop(device: _Running = None) -> None:
    """Stop a virtual device."""
    devices = _devices()
    serial = running_serial(devices, device)
    devices.stop(serial)
    say(f"{serial} has stopped.")


@app.command()
def fold(device: _Running = None) -> None:
    """Fold a foldable device."""
    _console(device).fold()


@app.command()
def unfold(device: _Running = None) -> None:
    """Unfold a foldable device."""
    _console(device).unfold()


@app.command()
def rotate(device: _Running = None) -> None:
    """Rotate a device by 90 degrees."""
    _console(device).rotate()


@snapshot_app.command("list")
def list_snapshots(*, device: _DeviceOption = None) -> None:
    """List the snapshots of a running device."""
    for name in _console(device).snapshots():
        say(name)


@snapshot_app.command("save")
def save_snapshot(name: _Snapshot, *, device: _DeviceOption = None) -> None:
    """Save a snapshot; one of the same name is replaced."""
    _console(device).save_snapshot(name)


@snapshot_app.command("load")
def load_snapshot(name: _Snapshot, *, device: _DeviceOption = None) -> None:
    """Load a snapshot; the current state of the device is lost."""
    devices = _devices()
    devices.load_snapshot(running_serial(devices, device), name)


@snapshot_app.command("delete")
def delete_snapshot(name: _Snapshot, *, device: _DeviceOption = None) -> None:
    """Delete a snapshot."""
    _console(device).delete_snapshot(name)


def running_serial(devices: "VirtualDevices", named: str | None) -> str:
    """The serial of a device by its name or serial, otherwise of the only running one.

    A serial is accepted as it is: the simulated emulator is not a virtual device. Raises DeviceError.
    """
    running = {avd.name: avd.serial for avd in devices.list() if avd.serial is not None}
    if named is not None:
        if named not in running and not named.startswith("emulator-"):
            raise DeviceError(f"No virtual device {named} is running. Running: {', '.join(running) or 'none'}.")
        return running.get(named, named)
    match list(running.values()):
        case [only]:
            return only
        case []:
            raise DeviceError("No virtual device is running. Start one: odyssey-recorder avd start NAME")
        case _:
            raise DeviceError(f"There are {len(running)} running devices. Name one ({', '.join(running)}).")


def _wants_animations(animations: bool | None) -> bool:
    from odyssey_recorder.settings import read_settings

    return read_settings().animations if animations is None else animations


def _devices() -> "VirtualDevices":
    from odyssey_recorder.settings import read_settings
    from odyssey_recorder.wiring.user import user_connector, virtual_devices

    return virtual_devices(user_connector(read_settings()))


def _console(device: str | None) -> "EmulatorConsole":
    devices = _devices()
    return devices.console(running_serial(devices, device))


def _profiles_without(listed: "Sequence[Avd]") -> list[str]:
    from odyssey_recorder.device.profile import profiles

    made = {avd.profile for avd in listed}
    return [profile.key for profile in profiles() if profile.key not in made]


def _as_tree(listed: "Sequence[Avd]", missing: "Sequence[PreflightFinding]") -> object:
    return {
        "devices": [
            {"name": avd.name, "profile": avd.profile, "serial": avd.serial, "problems": avd.problems} for avd in listed
        ],
        "missing": [{"what": finding.what, "found": finding.found, "command": finding.command} for finding in missing],
    }


def _start(name: str, options: "Start") -> None:
    started = _devices().start(name, options, progress=lambda stage: say(f"{stage.value} …", to=err))
    for finding in started.findings:
        if finding.fix:
            say(f"{finding.what}: {finding.found}. {finding.fix}", to=err)
    say(started.serial)
