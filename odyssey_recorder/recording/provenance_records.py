"""Frames, inputs and screens as records of the provenance."""

import hashlib
import time
from io import BytesIO
from pathlib import Path

from odyssey_recorder.dataset import provenance
from odyssey_recorder.dataset.png import read_png
from odyssey_recorder.device.device import ScreenState
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.model.action import Complete, Impossible, SystemKey
from odyssey_recorder.model.geometry import Pixel, Size
from odyssey_recorder.recording.events import Intent, KeyPress, TextEntered, Touch


class EpochClock:
    """Converts monotonic time to epoch time with one fixed offset, so that differences stay exact."""

    def __init__(self) -> None:
        self._offset_ns = time.time_ns() - time.monotonic_ns()

    def epoch_us(self, monotonic_ns: int) -> int:
        return (monotonic_ns + self._offset_ns) // 1000


def encode_frame(frame: Frame, clock: EpochClock) -> tuple[bytes, provenance.FrameRecord]:
    """The frame as a lossless PNG, and its record with both hashes; marked as settled until proved otherwise."""
    image = frame.image()
    buffer = BytesIO()
    image.save(buffer, "PNG", compress_level=1)
    png = buffer.getvalue()
    record = provenance.FrameRecord(
        number=frame.number,
        source=frame.source,
        started_us=clock.epoch_us(frame.started_ns),
        arrived_us=clock.epoch_us(frame.arrived_ns),
        settled=True,
        width=frame.size.width,
        height=frame.size.height,
        png_sha256=hashlib.sha256(png).hexdigest(),
        rgb_sha256=hashlib.sha256(image.tobytes()).hexdigest(),
        streamed=frame.streamed,
    )
    return png, record


def check_record(frame: Frame, clock: EpochClock) -> provenance.CheckRecord:
    return provenance.CheckRecord(
        number=frame.number, started_us=clock.epoch_us(frame.started_ns), arrived_us=clock.epoch_us(frame.arrived_ns)
    )


def input_record(intent: Intent) -> provenance.StrokeRecord | provenance.KeyRecord | provenance.TextRecord | None:
    """What is sent to the device for `intent`; None if it ends the episode."""
    match intent:
        case Touch(stroke):
            samples = tuple((sample.at.x, sample.at.y, sample.time_us) for sample in stroke.samples)
            return provenance.StrokeRecord(samples=samples, duration_us=stroke.duration_us)
        case KeyPress(key):
            return provenance.KeyRecord(key=key.value)
        case TextEntered(text):
            return provenance.TextRecord(text=text)
        case Complete() | Impossible():
            return None


def intent_of(record: provenance.StepRecord) -> Intent | None:
    """What `input_record` was made of; None if nothing was sent."""
    match record.input:
        case provenance.StrokeRecord(samples=samples, duration_us=duration_us):
            return Touch(TouchStroke(tuple(TouchSample(Pixel(x, y), at_us) for x, y, at_us in samples), duration_us))
        case provenance.KeyRecord(key=key):
            return KeyPress(SystemKey(key))
        case provenance.TextRecord(text=text):
            return TextEntered(text)
        case None:
            return None


def end_record(intent: Intent) -> provenance.EndRecord | None:
    match intent:
        case Complete(note):
            return provenance.EndRecord(action="COMPLETE", words=note)
        case Impossible(reason):
            return provenance.EndRecord(action="IMPOSSIBLE", words=reason)
        case _:
            return None


def screen_record(state: ScreenState) -> provenance.ScreenRecord:
    return provenance.ScreenRecord(
        rotation=state.rotation.value,
        posture=state.posture,
        package=state.package,
        activity=state.activity,
        keyboard_shown=state.keyboard_shown,
        app_version=state.app_version,
    )


def frame_of(screenshot: Path) -> Frame:
    """A frame from a screenshot that another process may have recorded. Raises OSError."""
    image = read_png(screenshot, within=screenshot.parent)
    return Frame(0, Size(*image.size), image.convert("RGBA").tobytes(), 0, 0, "draft")
