"""Connecting to devices: through which adb server, how frames are captured, and which device."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.device import Device, ListedDevice, state_advice
from odyssey_recorder.device.discovery import ControlEndpoint, find_control, running_avds
from odyssey_recorder.device.emulator_console import EmulatorConsole, console_of
from odyssey_recorder.device.measured import NOTHING_MEASURED, MeasuredDevices
from odyssey_recorder.device.profile import avd_title
from odyssey_recorder.device.state import Source, read_state
from odyssey_recorder.errors import DeviceError

CapturePolicy = Literal["auto", "adb", "grpc"]

_READY_S = 15.0


@dataclass(frozen=True, slots=True)
class DeviceConnector:
    """`running` are the folders of discovery files, `kept` the one that keeps how to undo changes of devices;
    `measured` has what `devices check` measured.

    Without `console_token`, the file with the token of the emulator consoles, there are no snapshots.
    """

    server: AdbServer
    capture: CapturePolicy = "auto"
    running: tuple[Path, ...] = ()
    shared_memory: bool = False
    kept: Path | None = None
    console_token: Path | None = None
    measured: MeasuredDevices = NOTHING_MEASURED

    def connect(self, serial: str) -> Device:
        console = self._console(serial)
        if console is not None and not console.exists():
            console = None
        from odyssey_recorder.device.adb import AdbDevice  # imported late: the window opens sooner
        from odyssey_recorder.device.adb_shell import AdbShell
        from odyssey_recorder.device.emulator import EmulatorDevice
        from odyssey_recorder.device.emulator_link import GrpcOptions
        from odyssey_recorder.device.keep_alive import keep_alive

        find = partial(self._find_control, serial)
        shell = AdbShell(serial, self.server, name=self._names().get(serial, ""))
        shell.avd = next((avd for avd in running_avds(self.running).values() if avd.serial == serial), shell.avd)
        if self.capture == "adb":
            device = AdbDevice(shell, kept=self.kept, console=console, known=self.measured)
        else:
            control = GrpcOptions(find, required=self.capture == "grpc", shares_memory=self.shared_memory)
            device = EmulatorDevice(shell, control, kept=self.kept, console=console, known=self.measured)
        try:
            device.wait_until_ready(_READY_S)
        except DeviceError:
            device.close()
            raise
        if self.capture == "adb" and console is not None:
            keep_alive(serial, find, shell.closed)
        return device

    def facts(self, serial: str, sources: Iterable[Source], *, lenient: bool = False) -> Mapping[str, Any]:
        """What a device says about itself, see `read_state`; with `lenient` what it refuses is left out.

        The apps of a simulated emulator also tell theirs, by app. Raises DeviceError.
        """
        console = self._console(serial)
        own: Mapping[str, Any] = {}
        if console is not None:
            with suppress(DeviceError):
                own = console.facts()
                sources = [source for source in sources if source[0] not in own]
        shell = AdbShell(serial, self.server)
        try:
            return {**own, **read_state(shell, sources, lenient=lenient)}
        finally:
            shell.close()

    def _console(self, serial: str) -> EmulatorConsole | None:
        return console_of(serial, self.console_token) if self.console_token is not None else None

    def _find_control(self, serial: str) -> ControlEndpoint | None:
        console = self._console(serial)
        return find_control(serial, self.running, told=console.discovery_file if console is not None else None)

    def devices(self) -> tuple[ListedDevice, ...]:
        """What adb lists, named after the virtual devices of this computer, or else after the model."""
        names = self._names()
        return tuple(
            replace(device, name=names.get(device.serial) or _model(device)) for device in self.server.devices()
        )

    def _names(self) -> Mapping[str, str]:
        return {running.serial: avd_title(avd) for avd, running in running_avds(self.running).items()}

    def capture_path(self, device: ListedDevice) -> str:
        """ "gRPC" or "screencap", without connecting; empty for a device that is not ready."""
        if not device.is_ready:
            return ""
        found = self._find_control(device.serial) if self.capture != "adb" else None
        return "gRPC" if found is not None else "screencap"

    def connect_chosen(self, serial: str | None) -> Device:
        return self.connect(chosen_device(self.devices(), serial))


def _model(device: ListedDevice) -> str:
    """Empty for an emulator, whose model is only that of its system image."""
    return "" if device.serial.startswith("emulator-") else device.model.replace("_", " ")


def chosen_device(listed: Sequence[ListedDevice], serial: str | None) -> str:
    """The given serial, or else that of the only ready device, or of the only one, which adb may not have reached yet.

    Raises DeviceError if there is none.
    """
    if serial is not None:
        if serial not in {device.serial for device in listed}:
            known = ", ".join(device.label for device in listed) or "no devices"
            raise DeviceError(f"adb does not list the device {serial}. It lists {known}.")
        return serial
    match [device for device in listed if device.is_ready]:
        case [only]:
            return only.serial
        case [] if [one.state for one in listed] == ["offline"]:
            return listed[0].serial
        case []:
            waiting = "".join(f" {device.label} is {device.state}. {state_advice(device.state)}" for device in listed)
            raise DeviceError(
                f"No device is ready.{waiting} Start an emulator in Android Studio, or the simulated one:"
                " odyssey-recorder simulate"
            )
        case ready:
            labels = ", ".join(device.label for device in ready)
            raise DeviceError(f"{len(ready)} devices are ready. Choose one with --device ({labels}).")
