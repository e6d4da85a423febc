"""Simulated emulators in processes of their own, and a laboratory where nothing of the user's own adb is touched."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from odyssey_recorder.errors import DeviceError
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.discovery import running_dir

_SERIAL = re.compile(r"\bemulator-\d+\b")
_STOP_TIMEOUT_S = 10


class PhoneProcesses:
    """The simulated emulators that this program started; they end with it, whatever way it ends.

    `environment` names the adb server that they announce themselves to (ANDROID_ADB_SERVER_PORT), their HOME, and
    by XDG_RUNTIME_DIR where their discovery files go. With `window` each has a window of its own, to work in.
    """

    def __init__(self, environment: Mapping[str, str], *, window: bool = False) -> None:
        self._environment = dict(environment)
        self._window = window
        self._running: list[subprocess.Popen[bytes]] = []

    @property
    def running_dir(self) -> Path:
        """Where these emulators put their discovery files, and where the recorder is to look for them."""
        return running_dir(self._environment)

    def start(self, profile: str, *, seed: int = 0, animation: bool = True, journal: Path | None = None) -> str:
        """Start an emulator and wait until it is up; its serial. Raises DeviceError."""
        command = [sys.executable, "-m", "odyssey_recorder", "simulate", "--profile", profile, "--seed", str(seed)]
        command += ["--console-port", "0", "--until-stdin-ends"]
        command += [] if animation else ["--no-animation"]
        command += ["--window"] if self._window else []
        command += ["--journal", str(journal)] if journal else []
        phone = subprocess.Popen(
            command,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self._running.append(phone)
        assert phone.stdout is not None
        said = ""
        for line in phone.stdout:
            said += line.decode(errors="replace")
            if serial := _SERIAL.search(said):
                return serial.group()
        raise DeviceError(f"The simulated {profile} did not start. {said.strip()[-400:]}")

    def stop(self) -> None:
        """End all emulators and wait until they are gone."""
        for phone in self._running:
            try:
                phone.communicate(timeout=_STOP_TIMEOUT_S)  # closes its standard input: it stops by itself
            except subprocess.TimeoutExpired:
                phone.kill()
                phone.communicate()
        self._running.clear()


class Lab:
    """Emulators with an adb server that nobody else uses, as a context manager; with `window` each has its own."""

    def __init__(self, adb: Path, *, window: bool = False) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="odyssey-lab-", ignore_cleanup_errors=True)
        self.server = PrivateAdbServer(adb, Path(self._folder.name))
        self.phones = PhoneProcesses(self.server.environment, window=window)

    def __enter__(self) -> "Lab":
        """Start the adb server. Raises DeviceError."""
        self.server.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End all that was started here, and remove its files."""
        self.phones.stop()
        self.server.stop()
        self._folder.cleanup()
