"""The Android virtual devices of this computer."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from odyssey_recorder.device import avd_config, emulator_launch, preflight
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.avd_config import AvdFolder, created_from, is_avd_name, wanted_entries
from odyssey_recorder.device.avd_tools import AvdTools
from odyssey_recorder.device.boot import Boot, BootStage, end_emulator
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.discovery import running_avds
from odyssey_recorder.device.emulator_console import EmulatorConsole, check_snapshot_name, console_of
from odyssey_recorder.device.preflight import IMAGE_LOCALE, PreflightFinding, prepare
from odyssey_recorder.device.profile import DeviceProfile, Preparation, profile_named, profiles
from odyssey_recorder.device.sdk import AndroidSdk, no_sdk
from odyssey_recorder.errors import CancelledError, DeviceError, SdkError

__all__ = ["Avd", "BootStage", "SdkEnvironment", "Start", "StartedDevice", "VirtualDevices"]

_CHANGE_LOCALE = "-change-locale"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Avd:
    """`profile` is a profile's key or None; `serial` is None while the device does not run.

    `problems` are sentences, one for each difference from the profile.
    """

    name: str
    profile: str | None
    serial: str | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """How to start a device.

    `cold` ignores the saved state; `snapshot` is empty for none; `wipe` erases all data and snapshots, of a running
    device too. `animations` leaves them on. `port` is the console's, an even number; 0 picks a free one.
    """

    cold: bool = False
    snapshot: str = ""
    wipe: bool = False
    window: bool = True
    animations: bool = False
    port: int = 0


@dataclass(frozen=True, slots=True)
class StartedDevice:
    serial: str
    findings: tuple[PreflightFinding, ...]


@dataclass(frozen=True, slots=True)
class SdkEnvironment:
    """The user's folders for virtual devices, and the environment for the SDK's tools.

    `running` are the folders of discovery files; `token` is the file with the console token.
    """

    avds: Path
    running: tuple[Path, ...]
    logs: Path
    token: Path
    environment: Mapping[str, str]
    console_ports: Iterable[int] = emulator_launch.CONSOLE_PORTS


class VirtualDevices:
    """The AVDs of this computer. Every call blocks, `start` for minutes.

    Raises `SdkError` with the command that installs a missing part of the SDK, and `DeviceError`.
    """

    def __init__(
        self,
        sdk: AndroidSdk | None,
        server: AdbServer,
        paths: SdkEnvironment,
        connect: Callable[[str], Device],
        *,
        without_sdk: PreflightFinding | None = None,
    ) -> None:
        """`connect` returns a device once it answers; `without_sdk` is reported if there is no SDK."""
        self._sdk = sdk
        self._without_sdk = without_sdk or no_sdk()
        self._server = server
        self._paths = paths
        self._connect = connect
        self._files = AvdFolder(paths.avds)
        self._known: tuple[object, frozenset[str]] | None = None

    def missing(self) -> tuple[PreflightFinding, ...]:
        if self._sdk is None:
            return (self._without_sdk,)
        return self._sdk.missing(self._image(profile) for profile in profiles())

    def list(self) -> tuple[Avd, ...]:
        """Including AVDs that the emulator does not know or whose files are broken."""
        try:
            known = self._known_to_emulator()
        except SdkError as error:
            avds = (self._avd(name, None) for name in self._files.names())
            return tuple(replace(avd, problems=(*avd.problems, str(error))) for avd in avds)
        return tuple(self._avd(name, known) for name in sorted({*self._files.names(), *(known or ())}))

    def create(self, profile: str, *, name: str = "", replace: bool = False) -> Avd:
        """Create an AVD for the profile with that key, by default named after it.

        Without `replace`, an existing AVD of that name is an error. Raises SettingsError for an unknown profile.
        """
        wanted, name, sdk = profile_named(profile), name or profile, self._required_sdk()
        if not is_avd_name(name):
            raise DeviceError(f"{name!r} is not a valid name. Use letters, digits, . _ and - only.")
        if name in self._files.names() and not replace:
            raise DeviceError(f"A virtual device named {name} already exists. Choose another name, or replace it.")
        self._refuse_running(name)
        image = self._image(wanted)
        sdk.require_package(image)
        AvdTools(sdk, self._environment(sdk)).create(name, image=image, device=wanted.avd_device, replace=replace)
        return self.amend(name, wanted)

    def amend(self, name: str, profile: DeviceProfile | None = None) -> Avd:
        """Update an AVD's configuration to `profile`, by default the one it was created from.

        A running device picks it up at its next cold boot. The system image does not change.
        """
        profile = profile or created_from(self._files.config(name))
        if profile is None:
            raise DeviceError(f"{name} was not created from one of the recorder's profiles. Create a new device.")
        self._files.amend(name, wanted_entries(profile))
        return self._avd(name, None)

    def start(
        self,
        name: str,
        options: Start = Start(),
        *,
        progress: Callable[[BootStage], object] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> StartedDevice:
        """Start an AVD, wait for its home screen and prepare it; the emulator outlives this program.

        If `cancelled` returns True, stops the emulator and raises `CancelledError`.
        """
        sdk, config = self._required_sdk(), self._files.config(name)
        if options.wipe and (running := self._serial(name)) is not None:
            self.stop(running)
        self._refuse_running(name)
        self._require_image(sdk, config)
        profile = created_from(config)
        preparation = profile.prepare if profile is not None else Preparation()
        ports = emulator_launch.free_ports((options.port,) if options.port else self._paths.console_ports)
        flags = _launch_flags(options, preparation)

        def boot(ports: emulator_launch.Ports) -> None:
            log = emulator_launch.new_log(self._paths.logs, name)
            command = emulator_launch.launch_command(sdk.require("emulator"), name, ports, flags)
            emulator = emulator_launch.LaunchedEmulator(command, self._environment(sdk), log)
            restarts = _CHANGE_LOCALE in flags
            try:
                Boot(name, ports.serial, emulator, self._server, cancelled, changes_locale=restarts).wait(progress)
            except (CancelledError, KeyboardInterrupt):
                self._stop_or_kill(ports.serial, emulator)
                raise

        progress(BootStage.STARTING)
        try:
            boot(ports)
        except emulator_launch.GrpcPortTakenError as error:
            _log.info("Started again on another port: %s", error)
            boot(replace(ports, control=emulator_launch.any_free()))
        return self._prepare(ports.serial, preparation, options, progress)

    def stop(self, serial: str) -> None:
        """Ends the emulator like closing its window, and waits until it is gone."""
        end_emulator(serial, self.console(serial).kill, self._server, self._paths.running)

    def load_snapshot(self, serial: str, name: str) -> None:
        self.console(serial).load_snapshot(name)
        self._connect(serial).close()

    def _serial(self, name: str) -> str | None:
        running = running_avds(self._paths.running).get(name)
        return running.serial if running is not None else None

    def _avd(self, name: str, known: "frozenset[str] | None") -> Avd:
        serial = self._serial(name)
        try:
            config = self._files.config(name)
        except DeviceError as error:
            return Avd(name, None, serial, (str(error),))
        profile = created_from(config)
        problems = avd_config.problems(config, profile) if profile is not None else ()
        if known is not None and name not in known:
            unknown = f"The emulator does not list it. Check the line path= in {self._paths.avds / name}.ini."
            problems = (*problems, unknown)
        return Avd(name, profile.key if profile is not None else None, serial, problems)

    def _known_to_emulator(self) -> "frozenset[str] | None":
        """None without an emulator. Cached until the files change."""
        if self._sdk is None or self._sdk.tool("emulator") is None:
            return None
        files = self._files.state()
        if self._known is None or self._known[0] != files:
            self._known = (files, AvdTools(self._sdk, self._environment(self._sdk)).names())
        return self._known[1]

    def _required_sdk(self) -> AndroidSdk:
        if self._sdk is None:
            raise SdkError(f"No Android SDK was found. {no_sdk().fix}")
        return self._sdk

    def _image(self, profile: DeviceProfile) -> str:
        return self._required_sdk().image_package(profile.android_sdk, profile.avd.image)

    def _require_image(self, sdk: AndroidSdk, config: Mapping[str, str]) -> None:
        folder = config.get("image.sysdir.1", "").replace("\\", "/").strip("/")
        if folder.startswith("system-images/"):
            sdk.require_package(folder.replace("/", ";"))

    def _refuse_running(self, name: str) -> None:
        serial = self._serial(name)
        if serial is not None:
            raise DeviceError(f"{name} is already running as {serial}. Stop it first.")

    def _environment(self, sdk: AndroidSdk) -> Mapping[str, str]:
        """All tools must find the same SDK, devices and adb server."""
        return {
            **self._paths.environment,
            "ANDROID_HOME": str(sdk.folder),
            "ANDROID_SDK_ROOT": str(sdk.folder),
            "ANDROID_AVD_HOME": str(self._paths.avds),
            "ANDROID_ADB_SERVER_PORT": str(self._server.port),
        }

    def console(self, serial: str) -> EmulatorConsole:
        console = console_of(serial, self._paths.token)
        if console is None:
            raise DeviceError(f"{serial} is not an emulator on this computer: it has no console.")
        return console

    def _stop_or_kill(self, serial: str, emulator: emulator_launch.LaunchedEmulator) -> None:
        try:
            self.stop(serial)
        except DeviceError:
            emulator.end()

    def _prepare(
        self, serial: str, preparation: Preparation, options: Start, progress: Callable[[BootStage], object]
    ) -> StartedDevice:
        device = self._connect(serial)
        try:
            progress(BootStage.PREPARING)
            refused = prepare(device, preparation, animations=options.animations)
            progress(BootStage.CHECKING)
            return StartedDevice(serial, (*refused, *preflight.findings(preflight.take_readings(device))))
        finally:
            device.close()


def _launch_flags(options: Start, preparation: Preparation) -> "list[str]":
    flags = [] if options.window else ["-no-window"]
    if options.snapshot:
        check_snapshot_name(options.snapshot)
        # By default the emulator saves into the snapshot it was started from when it ends.
        flags += ["-snapshot", options.snapshot, "-no-snapshot-save"]
    if options.wipe:
        flags += ["-wipe-data"]
    if options.cold or options.wipe:
        flags += ["-no-snapshot-load"]
        flags += [_CHANGE_LOCALE, preparation.locale] if preparation.locale != IMAGE_LOCALE else []
    return flags
