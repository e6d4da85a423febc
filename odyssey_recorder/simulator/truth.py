"""What the simulated phone really showed and felt, read from its journal, to hold a recording against."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ShownFrame:
    """A frame: when it was shown on the host's monotonic clock, and the SHA-256 of its RGB bytes.

    `cause` is the number of the input that led to it; None where the screen changed by itself.
    """

    number: int
    t_ns: int
    rgb_sha256: str
    cause: int | None


@dataclass(frozen=True, slots=True)
class FeltInput:
    """An input in the journal's words ("touch down 360,640"), and the frame that was shown when it came.

    `event_us` is its stamp in `getevent`, in microseconds; None where it did not come through the kernel.
    """

    number: int
    t_ns: int
    words: str
    frame: ShownFrame
    event_us: int | None


@dataclass(frozen=True, slots=True)
class Truth:
    """A whole journal; frames by their numbers, inputs in the order in which they came."""

    frames: Mapping[int, ShownFrame]
    inputs: tuple[FeltInput, ...]

    @classmethod
    def read(cls, journal: Path) -> "Truth":
        """The journal of a phone that stands still or has stopped: each frame that an input names is in it."""
        entries = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
        frames = {
            entry["frame"]: ShownFrame(entry["frame"], entry["t_ns"], entry["rgb_sha256"], entry["cause"])
            for entry in entries
            if "rgb_sha256" in entry
        }
        inputs = tuple(
            FeltInput(entry["number"], entry["t_ns"], entry["input"], frames[entry["frame"]], entry.get("event_us"))
            for entry in entries
            if "input" in entry
        )
        return cls(frames, inputs)

    def touch_downs(self) -> tuple[FeltInput, ...]:
        return tuple(felt for felt in self.inputs if felt.words.startswith("touch down "))

    def gesture(self, down: FeltInput) -> tuple[FeltInput, ...]:
        """What belongs to the finger that came down: all inputs up to the next that comes down."""
        later = [felt for felt in self.inputs if felt.number > down.number]
        end = next((felt.number for felt in later if felt.words.startswith("touch down ")), len(self.inputs) + 1)
        return (down, *(felt for felt in later if felt.number < end))

    def changed_screen(self, *inputs: FeltInput) -> bool:
        """Whether one of these inputs led to another picture; what moves by itself does not count."""
        numbers = {felt.number for felt in inputs}
        return any(frame.cause in numbers for frame in self.frames.values())
