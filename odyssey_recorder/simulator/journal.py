"""The simulated phone's own record of what it showed and what it was told, for tests to hold against."""

import hashlib
import json
import threading
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from odyssey_recorder.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Moment:
    """When an input happened: `t_ns` on the host's monotonic clock, `event_us` the stamp that `getevent` gives it.

    An input that did not come through the kernel has no such stamp.
    """

    t_ns: int
    event_us: int | None = None


class Journal:
    """Appends JSON lines to a file; each line is whole on disk when the call returns. Raises SettingsError."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise SettingsError(f"The journal {path} cannot be written: {error.strerror}.") from error
        self._lock = threading.Lock()
        self._inputs = 0

    def frame(self, t_ns: int, number: int, picture: Image.Image, cause: int | None) -> None:
        """A newly shown frame, with the SHA-256 of its RGB bytes (three a pixel), and the input that led to it."""
        digest = hashlib.sha256(picture.tobytes("raw", "RGB")).hexdigest()
        with self._lock:
            self._write({"t_ns": t_ns, "frame": number, "rgb_sha256": digest, "cause": cause})

    def input(self, moment: Moment, frame: int, words: str) -> int:
        """An input that came while `frame` was shown; its number, counted from 1."""
        entry = {"t_ns": moment.t_ns, "input": words, "frame": frame}
        if moment.event_us is not None:
            entry["event_us"] = moment.event_us
        with self._lock:
            self._inputs += 1
            self._write({**entry, "number": self._inputs})
            return self._inputs

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def _write(self, entry: dict[str, object]) -> None:
        if not self._file.closed:
            self._file.write(json.dumps(entry) + "\n")
            self._file.flush()
