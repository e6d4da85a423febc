"""The simulated phone's own record of what it showed and what it was told, for tests to hold against."""

import hashlib
import json
import threading
from pathlib import Path

from PIL import Image

from odyssey_recorder.errors import SettingsError


class Journal:
    """Appends JSON lines to a file; each line is whole on disk when the call returns. Raises SettingsError."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise SettingsError(f"The journal {path} cannot be written: {error.strerror}.") from error
        self._lock = threading.Lock()

    def frame(self, t_ns: int, number: int, picture: Image.Image) -> None:
        """A newly shown frame, with the SHA-256 of its RGB bytes (three a pixel)."""
        digest = hashlib.sha256(picture.tobytes("raw", "RGB")).hexdigest()
        self._write({"t_ns": t_ns, "frame": number, "rgb_sha256": digest})

    def input(self, t_ns: int, number: int, words: str) -> None:
        """An input that came in while frame `number` was shown."""
        self._write({"t_ns": t_ns, "input": words, "frame": number})

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def _write(self, entry: dict[str, object]) -> None:
        with self._lock:
            if not self._file.closed:
                self._file.write(json.dumps(entry) + "\n")
                self._file.flush()
