"""The journal of a simulated emulator: frames with time and hash, and inputs with the frame shown at the time."""

import hashlib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from odyssey_simulator.errors import SimulatorError


@dataclass(frozen=True, slots=True)
class ShownFrame:
    """Time on the host's monotonic clock, SHA-256 of the RGB bytes; `cause` is None if no input led to the frame."""

    number: int
    t_ns: int
    rgb_sha256: str
    cause: int | None


@dataclass(frozen=True, slots=True)
class RecordedInput:
    """`text` such as "touch down 360,640"; `event_us` (`getevent`'s µs) is None for input that bypassed the kernel."""

    number: int
    t_ns: int
    text: str
    frame: ShownFrame
    event_us: int | None


@dataclass(frozen=True, slots=True)
class RecordedJournal:
    frames: Mapping[int, ShownFrame]
    inputs: tuple[RecordedInput, ...]

    @classmethod
    def read(cls, journal: Path) -> "RecordedJournal":
        entries = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
        frames = {
            entry["frame"]: ShownFrame(entry["frame"], entry["t_ns"], entry["rgb_sha256"], entry["cause"])
            for entry in entries
            if "rgb_sha256" in entry
        }
        inputs = tuple(
            RecordedInput(entry["number"], entry["t_ns"], entry["input"], frames[entry["frame"]], entry.get("event_us"))
            for entry in entries
            if "input" in entry
        )
        return cls(frames, inputs)

    def touch_downs(self) -> tuple[RecordedInput, ...]:
        return tuple(event for event in self.inputs if event.text.startswith("touch down "))

    def gesture(self, down: RecordedInput) -> tuple[RecordedInput, ...]:
        later = [event for event in self.inputs if event.number > down.number]
        end = next((event.number for event in later if event.text.startswith("touch down ")), len(self.inputs) + 1)
        return (down, *(event for event in later if event.number < end))

    def changed_screen(self, *inputs: RecordedInput) -> bool:
        numbers = {event.number for event in inputs}
        return any(frame.cause in numbers for frame in self.frames.values())


@dataclass(frozen=True, slots=True)
class Moment:
    """On the host's monotonic clock, and in `getevent` (µs; None for input that bypassed the kernel).

    Whoever lifts a finger waits for what it does, unless it is not `is_awaited`.
    """

    t_ns: int
    event_us: int | None = None
    is_awaited: bool = True


class PhoneJournal:
    """Each JSON line is on disk when the call returns. Raises SimulatorError."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise SimulatorError(f"The journal {path} cannot be written: {error.strerror}.") from error
        self._lock = threading.Lock()
        self._inputs = 0

    def frame(self, t_ns: int, number: int, image: Image.Image, cause: int | None) -> None:
        digest = hashlib.sha256(image.tobytes("raw", "RGB")).hexdigest()
        with self._lock:
            self._write({"t_ns": t_ns, "frame": number, "rgb_sha256": digest, "cause": cause})

    def input(self, moment: Moment, frame: int, text: str) -> int:
        """Returns the input's number, from 1; `frame` was shown when it arrived."""
        entry = {"t_ns": moment.t_ns, "input": text, "frame": frame}
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
