"""`doctor`: what the recorder needs on this computer, what was found, and how to mend what is missing."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from pathlib import Path

from odyssey_recorder import __version__
from odyssey_recorder.commands.window import has_screen
from odyssey_recorder.device import preflight
from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.errors import DeviceError, OdysseyError
from odyssey_recorder.settings import Settings
from odyssey_recorder.wiring import Reach, adb_program, user_reach

_ROOM_FOR_EPISODES = 2 * 1024**3
_QT_PACKAGES = (
    "libglib2.0-0 libgl1 libegl1 libxkbcommon0 libfontconfig1 libdbus-1-3"
    " libxcb-cursor0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
)
_QT_PROBE = "import PySide6.QtWidgets as w, PySide6; w.QApplication([]); print(PySide6.__version__)"
_LIBRARIES = ("adbutils", "grpcio", "PySide6-Essentials", "pillow", "pydantic")
_SDK_FOLDERS = ("~/Android/Sdk", "~/Library/Android/sdk", "~/AppData/Local/Android/Sdk")


class Level(Enum):
    """How bad a finding is."""

    OK = "ok"
    NOTE = "note"
    MISSING = "missing"

    @property
    def style(self) -> str:
        """Its colour on a terminal."""
        return {Level.OK: "green", Level.NOTE: "yellow", Level.MISSING: "red"}[self]

    @property
    def fails(self) -> bool:
        """Whether nothing can be recorded like this."""
        return self is Level.MISSING


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `mend` is empty where all is well."""

    what: str
    found: str
    level: Level = Level.OK
    mend: str = ""


def examine(settings: Settings) -> list[Finding]:
    """Look at everything; nothing is changed, but that the adb server is started if it is not up."""
    libraries = ", ".join(f"{name} {metadata.version(name)}" for name in _LIBRARIES)
    return [
        Finding("Odyssey Recorder", f"{__version__} on Python {platform.python_version()}, {platform.platform()}"),
        Finding("Libraries", libraries),
        *_adb(settings),
        _sdk(),
        _qt(),
        _room("Dataset", settings.dataset),
        _room("Drafts", settings.drafts),
    ]


def _adb(settings: Settings) -> list[Finding]:
    try:
        program = adb_program(settings)
        reach = user_reach(settings)
        version, devices = reach.server.version(), reach.server.devices()
    except OdysseyError as error:
        return [Finding("adb", str(error), Level.MISSING, "Set ODYSSEY_ADB to the adb of your Android SDK.")]
    found = [Finding("adb", f"{program}, server {version} on port {settings.adb_server_port}")]
    if not devices:
        mend = "Start an emulator in Android Studio, or: odyssey-recorder simulate --profile pixel_7_pro"
        return [*found, Finding("Devices", "none", Level.NOTE, mend)]
    for device in devices:
        level = Level.OK if device.is_ready else Level.NOTE
        mend = "" if device.is_ready else "Wait until it has started; allow debugging on its screen; or start it again."
        words = f"{device.serial} {device.state} {device.model}".strip()
        found.append(Finding("Device", f"{words}{_way_to_pictures(reach, device)}", level, mend))
        found += _passive_mode(reach, device.serial) if device.is_ready else []
    return found


def _way_to_pictures(reach: Reach, device: ListedDevice) -> str:
    path = reach.capture_path(device)
    return f", pictures by {path}" if path else ""


def _passive_mode(reach: Reach, serial: str) -> list[Finding]:
    """What a device lacks for passive mode."""
    try:
        device = reach.connect(serial)
    except DeviceError as error:
        return [Finding("Passive mode", str(error), Level.NOTE)]
    try:
        wanting = [finding for finding in preflight.findings(preflight.take_readings(device)) if finding.mend]
    except DeviceError as error:
        return [Finding("Passive mode", str(error), Level.NOTE)]
    finally:
        device.close()
    if not wanting:
        return [Finding("Passive mode", f"{serial} lacks nothing for it")]
    return [Finding("Passive mode", f"{one.what}: {one.found}", Level.NOTE, one.mend) for one in wanting]


def _sdk() -> Finding:
    named = [os.environ.get("ANDROID_HOME", ""), os.environ.get("ANDROID_SDK_ROOT", "")]
    folders = [Path(folder).expanduser() for folder in [*filter(None, named), *_SDK_FOLDERS]]
    sdk = next((folder for folder in folders if folder.is_dir()), None)
    if sdk is None:
        mend = "Only real emulators need it: install Android Studio, or set ANDROID_HOME to the SDK's folder."
        return Finding("Android SDK", "not found", Level.NOTE, mend)
    if shutil.which("emulator", path=str(sdk / "emulator")) is None:
        return Finding("Android SDK", f"{sdk}, without the emulator", Level.NOTE, 'Run: sdkmanager "emulator"')
    return Finding("Android SDK", f"{sdk}, with the emulator")


def _qt() -> Finding:
    """Whether the window's libraries load; tried in a process of its own, for Qt ends one that it cannot serve."""
    environment = {**os.environ}
    if not has_screen():
        environment["QT_QPA_PLATFORM"] = "offscreen"
    mend = f"On Debian or Ubuntu: apt-get install {_QT_PACKAGES}"
    try:
        probe = [sys.executable, "-c", _QT_PROBE]
        done = subprocess.run(probe, env=environment, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return Finding("Window (Qt)", "no answer within a minute", Level.MISSING, mend)
    if done.returncode != 0:
        words = " ".join(done.stderr.split()) or "it gave no reason"
        return Finding("Window (Qt)", words[-300:], Level.MISSING, mend)
    screen = "" if has_screen() else ", but this session has no screen"
    return Finding("Window (Qt)", f"Qt {done.stdout.strip()}{screen}")


def _room(what: str, folder: Path) -> Finding:
    """Whether `folder` can be written, tried where it is, or where it would be made."""
    try:
        existing = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
        with tempfile.TemporaryFile(dir=existing):
            free = shutil.disk_usage(existing).free
    except OSError as error:
        mend = "Make it a writable folder, or choose another: --dataset, ODYSSEY_DATASET, ODYSSEY_DRAFTS."
        return Finding(what, f"{folder} cannot be written: {error.strerror}", Level.MISSING, mend)
    found = f"{folder}, {free / 1024**3:.1f} GiB free"
    if free < _ROOM_FOR_EPISODES:
        return Finding(what, found, Level.NOTE, "Free some space: an episode takes about 20 MB.")
    return Finding(what, found)
