"""Simulated emulators in processes of their own, announced to any adb server or to a private one."""

import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue

from odyssey_recorder.errors import CancelledError, DeviceError
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.discovery import running_dir
from odyssey_simulator.window_signals import HIDE_WINDOW, SHOW_WINDOW

_SERIAL = re.compile(r"\bemulator-\d+\b")
_STOP_TIMEOUT_S = 10
_PATIENCE_S = 0.1


class PhoneProcesses:
    """The simulated emulators started by this program; they end with it, however it ends.

    `environment` sets the adb server to announce to (ANDROID_ADB_SERVER_PORT), HOME, and the folder of the discovery
    files (XDG_RUNTIME_DIR). With `window` each emulator has an interactive window, hidden until `show_window`; with
    `animation` it moves between screens unless `start` says otherwise.
    """

    def __init__(self, environment: Mapping[str, str], *, window: bool = False, animation: bool = False) -> None:
        self._environment = dict(environment)
        self._window = window
        self._animation = animation
        self._running: list[_Phone] = []
        self._lock = threading.Lock()

    @property
    def running_dir(self) -> Path:
        return running_dir(self._environment)

    def start(
        self,
        profile: str,
        *,
        seed: int = 0,
        animation: bool | None = None,
        journal: Path | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> str:
        """Waits until the emulator is up; returns its serial. Raises DeviceError, CancelledError."""
        command = [sys.executable, "-m", "odyssey_recorder", "simulate", "--profile", profile, "--seed", str(seed)]
        command += ["--console-port", "0", "--until-stdin-ends"]
        animates = self._animation if animation is None else animation
        command += ["--animation"] if animates else []
        command += ["--window"] if self._window else []
        command += ["--journal", str(journal)] if journal else []
        phone = _Phone(command, self._environment)
        with self._lock:
            self._running = [*(started for started in self._running if started.is_alive()), phone]
        output = ""
        while (line := phone.next_line()) is not None:
            output += line
            if serial := _SERIAL.search(output):
                phone.serial = serial.group()
                return phone.serial
            if cancelled():
                phone.kill()
                raise CancelledError(f"The simulated {profile} was stopped before it was up.")
        raise DeviceError(f"The simulated {profile} did not start. {output.strip()[-400:]}")

    def show_window(self, serial: str, *, on: bool) -> None:
        """Does nothing for an emulator that was not started here, or that has ended."""
        with self._lock:
            for phone in self._running:
                if phone.serial == serial:
                    phone.send(SHOW_WINDOW if on else HIDE_WINDOW)

    def stop(self) -> None:
        with self._lock:
            running, self._running = self._running, []
        for phone in running:
            phone.stop()


class _Phone(threading.Thread):
    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        super().__init__(name="simulated emulator", daemon=True)
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.serial = ""  # until it is up
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self.start()

    def run(self) -> None:
        with self._process:
            assert self._process.stdout is not None
            for line in self._process.stdout:
                self._lines.put(line.decode(errors="replace"))
        self._lines.put(None)

    def next_line(self) -> str | None:
        """Empty after a timeout, None once the process has ended."""
        try:
            return self._lines.get(timeout=_PATIENCE_S)
        except Empty:
            return ""

    def send(self, command: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it has ended
            self._process.stdin.write(command)
            self._process.stdin.flush()

    def kill(self) -> None:
        self._process.kill()
        self.join()

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self.join(_STOP_TIMEOUT_S)
        if self.is_alive():
            self.kill()


class PrivateEmulators:
    """Those of one private adb server; with `window` each has its own window."""

    def __init__(self, adb: Path, *, window: bool = False) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="odyssey-emulators-", ignore_cleanup_errors=True)
        self.server = PrivateAdbServer(adb, Path(self._folder.name))
        self.phones = PhoneProcesses(self.server.environment, window=window)

    def __enter__(self) -> "PrivateEmulators":
        """Raises DeviceError."""
        self.server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.phones.stop()
        self.server.stop()
        self._folder.cleanup()
