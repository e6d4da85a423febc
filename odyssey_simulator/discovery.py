"""The discovery file through which local programs find an emulator: location and content."""

import os
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from odyssey_simulator.errors import SimulatorError


def running_dir(environment: Mapping[str, str]) -> Path:
    home = Path(environment.get("HOME") or Path.home())
    if sys.platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "Temp" / "avd" / "running"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "TemporaryItems" / "avd" / "running"
    runtime = Path(environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}")
    if environment.get("XDG_RUNTIME_DIR") or runtime.is_dir():
        return runtime / "avd" / "running"
    return Path(environment.get("ANDROID_EMULATOR_HOME") or home / ".android") / "avd" / "running"


def write_secret(path: Path, text: str) -> None:
    """Atomic, readable by the user only; replaces even a link at `path` instead of following it. Raises OSError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    temporary.unlink(missing_ok=True)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    temporary.replace(path)


class DiscoveryFile:
    """`pid_<pid>.ini` in `folder`, readable by the user only.

    `pid` is that of this process. If a process runs several emulators, which no real one does, all but the first use
    the native id of a thread instead: on Linux it is as unique as a process id, and as alive.
    """

    _taken: ClassVar[set[Path]] = set()
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, folder: Path, thread_id: int) -> None:
        with self._lock:
            names = (folder / f"pid_{number}.ini" for number in (os.getpid(), thread_id))
            self.path = next(path for path in names if path not in self._taken)
            self._taken.add(self.path)

    @property
    def process_folder(self) -> Path:
        """Next to the file, for what else belongs to the process."""
        return self.path.with_name(self.path.stem.removeprefix("pid_"))

    def write(self, entries: Mapping[str, object]) -> None:
        """Raises SimulatorError."""
        lines = "".join(f"{key}={str(value).replace(chr(10), ' ')}\n" for key, value in entries.items())
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_secret(self.path, lines)
        except OSError as error:
            raise SimulatorError(
                f"The simulated emulator cannot write {self.path}, by which it is found: {error.strerror}. "
                "Make the folder writable, or run it with --no-grpc."
            ) from error

    def remove(self) -> None:
        with suppress(OSError):
            self.path.unlink()
        with self._lock:
            self._taken.discard(self.path)
