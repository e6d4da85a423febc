"""Checks whether this computer has what the recorder needs."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import partial
from pathlib import Path

from odyssey_recorder import __version__
from odyssey_recorder.device import preflight
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.device import ListedDevice, state_advice
from odyssey_recorder.device.sdk import find_sdk, no_sdk, sdk_folders
from odyssey_recorder.errors import DeviceError, OdysseyError
from odyssey_recorder.files import write_durably
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.settings import Settings
from odyssey_recorder.wiring.user import adb_program, user_connector

_SPACE_FOR_EPISODES = 2 * 1024**3
_QT_PACKAGES = (
    "libglib2.0-0 libgl1 libegl1 libxkbcommon0 libfontconfig1 libdbus-1-3"
    " libxcb-cursor0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
)
_QT_PROBE = "import PySide6.QtWidgets as w, PySide6; w.QApplication([]); print(PySide6.__version__)"
_LIBRARIES = ("adbutils", "grpcio", "PySide6-Essentials", "pillow", "pydantic", "watchdog")


_NO_SNAPSHOTS = (
    "Only emulators of the Android SDK on this computer keep snapshots. After an undo, bring the device back by hand."
)

_SIMULATE = ("simulate", "--profile", "pixel_7_pro")


class Level(Enum):
    OK = "ok"
    NOTE = "note"
    MISSING = "missing"

    @property
    def fails(self) -> bool:
        return self is Level.MISSING


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """`fix` is empty if the check passed, `command` if no command fixes it."""

    what: str
    found: str
    level: Level = Level.OK
    fix: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Doctor:
    """Changes nothing, but starts the adb server if it is not running; `on_screen` is False without a display."""

    read_settings: Callable[[], Settings]
    on_screen: bool
    log: Path | None = None

    def examine(self, progress: Progress = untold, cancelled: Cancelled = never) -> list[DoctorFinding]:
        settings = self.read_settings()
        checks: tuple[tuple[str, Callable[[], list[DoctorFinding]]], ...] = (
            ("the program", self._program),
            ("adb and the devices", partial(_adb, settings)),
            ("the Android SDK", _sdk),
            ("the window", partial(_qt, on_screen=self.on_screen)),
            ("the folders", lambda: [_free_space("Dataset", settings.dataset), _free_space("Drafts", settings.drafts)]),
        )
        found: list[DoctorFinding] = []
        for number, (label, check) in enumerate(checks):
            if cancelled():
                break
            progress(number / len(checks), f"Checking {label}…")
            found += check()
        return found

    def save(self, findings: Sequence[DoctorFinding], file: Path) -> None:
        """As JSON for a ``.json`` file, otherwise as text. Raises DatasetError."""
        render = as_json if file.suffix.lower() == ".json" else as_text
        write_durably(file, render(findings).encode())

    def _program(self) -> list[DoctorFinding]:
        from importlib import metadata  # imported late: the window opens sooner

        libraries = ", ".join(f"{name} {metadata.version(name)}" for name in _LIBRARIES)
        found = [
            DoctorFinding(
                "Odyssey Recorder", f"{__version__} on Python {platform.python_version()}, {platform.platform()}"
            ),
            DoctorFinding("Libraries", libraries),
        ]
        return found if self.log is None else [*found, DoctorFinding("Log file", str(self.log))]


def as_json(findings: Sequence[DoctorFinding]) -> str:
    return json.dumps([_as_tree(finding) for finding in findings], indent=2) + "\n"


def _as_tree(finding: DoctorFinding) -> dict[str, str]:
    return {
        "what": finding.what,
        "found": finding.found,
        "level": finding.level.value,
        "mend": finding.fix,
        "command": finding.command,
    }


def as_text(findings: Sequence[DoctorFinding]) -> str:
    """Leaves out the path of the user's home folder, so that it can be shared."""
    lines = [f"Report of Odyssey Recorder's doctor, {datetime.now().astimezone():%Y-%m-%d %H:%M %z}", ""]
    for finding in findings:
        lines.append(f"{finding.level.value:8} {finding.what}: {finding.found}")
        if finding.fix:
            lines.append(f"{'':8} {finding.fix}")
    return "\n".join(lines).replace(str(Path.home()), "~") + "\n"


def _adb(settings: Settings) -> list[DoctorFinding]:
    try:
        program = adb_program(settings)
        connector = user_connector(settings)
        version, devices = connector.server.version(), connector.devices()
    except OdysseyError as error:
        return [DoctorFinding("adb", str(error), Level.MISSING, "Set ODYSSEY_ADB to the adb of your Android SDK.")]
    found = [DoctorFinding("adb", f"{program}, server {version} on port {settings.adb_server_port}")]
    if not devices:
        command = preflight.terminal_line((sys.executable, "-m", "odyssey_recorder", *_SIMULATE))
        fix = f"Start an emulator in Android Studio, or: odyssey-recorder {' '.join(_SIMULATE)}"
        return [*found, DoctorFinding("Devices", "none", Level.NOTE, fix, command)]
    for device in devices:
        level = Level.OK if device.is_ready else Level.NOTE
        fix = "" if device.is_ready else state_advice(device.state)
        state = "ready" if device.is_ready else device.state
        path = connector.capture_path(device)
        by = f", screenshots by {path}" if path else ""
        found.append(DoctorFinding("Device", f"{device.label}: {state}{by}", level, fix))
        found += _preflight(connector, device) if device.is_ready else []
    return found


def _preflight(connector: DeviceConnector, listed: ListedDevice) -> list[DoctorFinding]:
    try:
        device = connector.connect(listed.serial)
    except DeviceError as error:
        return [DoctorFinding("Preflight", str(error), Level.NOTE)]
    try:
        wanting = [finding for finding in preflight.findings(preflight.take_readings(device)) if finding.fix]
        if not device.keeps_snapshots:
            wanting.append(preflight.PreflightFinding("Snapshots", "not kept", _NO_SNAPSHOTS))
    except DeviceError as error:
        return [DoctorFinding("Preflight", str(error), Level.NOTE)]
    finally:
        device.close()
    if not wanting:
        return [DoctorFinding("Preflight", f"{listed.label} is ready")]
    return [_as_note("Preflight", f"{listed.label}, {finding.what}: {finding.found}", finding) for finding in wanting]


def _sdk() -> list[DoctorFinding]:
    sdk = find_sdk(sdk_folders(os.environ, sys.platform, Path.home()))
    if sdk is None:
        lacking = no_sdk()
        return [_as_note(lacking.what, lacking.found, lacking)]
    missing = [_as_note("Android SDK", finding.found, finding) for finding in sdk.missing(())]
    return [DoctorFinding("Android SDK", str(sdk.folder)), *missing]


def _as_note(what: str, found: str, finding: preflight.PreflightFinding) -> DoctorFinding:
    return DoctorFinding(what, found, Level.NOTE, finding.fix, finding.command)


def _qt(*, on_screen: bool) -> list[DoctorFinding]:
    """Checked in another process, because Qt aborts on failure."""
    environment = {**os.environ}
    if not on_screen:
        environment["QT_QPA_PLATFORM"] = "offscreen"
    command = f"{'' if hasattr(os, 'geteuid') and os.geteuid() == 0 else 'sudo '}apt-get install {_QT_PACKAGES}"
    fix = f"On Debian or Ubuntu: {command}"
    what = "Window (Qt)"
    try:
        probe = [sys.executable, "-c", _QT_PROBE]
        done = subprocess.run(probe, env=environment, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return [DoctorFinding(what, "no answer within 1 minute", Level.MISSING, fix, command)]
    if done.returncode != 0:
        label = " ".join(done.stderr.split()) or "no reason given"
        return [DoctorFinding(what, label[-300:], Level.MISSING, fix, command)]
    screen = "" if on_screen else ", but this session has no screen"
    return [DoctorFinding(what, f"Qt {done.stdout.strip()}{screen}")]


def _free_space(what: str, folder: Path) -> DoctorFinding:
    try:
        existing = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
        with tempfile.TemporaryFile(dir=existing):
            free = shutil.disk_usage(existing).free
    except OSError as error:
        fix = "Make it writable, or choose another folder: --dataset, ODYSSEY_DATASET, ODYSSEY_DRAFTS."
        return DoctorFinding(what, f"{folder} cannot be written: {error.strerror}", Level.MISSING, fix)
    found = f"{folder}, {free / 1024**3:.1f} GiB free"
    if free < _SPACE_FOR_EPISODES:
        return DoctorFinding(what, found, Level.NOTE, "Free some space: an episode takes about 20 MB.")
    return DoctorFinding(what, found)
