"""Random faults in passive mode: no screenshot is wrong, and no tap is lost silently.

The reference is the emulator's journal: what was shown at each touch-down, and its `getevent` timestamp. Between two
frames adb cannot notice a change; so over adb, a screen that is changed before the finger comes is seen before it
comes.
"""

import hashlib
import time
from pathlib import Path
from random import Random

import pytest

from odyssey_recorder.dataset.provenance import StepRecord, StrokeRecord
from odyssey_recorder.device.device import Device
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.passive import DEAF
from odyssey_recorder.recording.raw_input import BLIND, NO_PICTURE, NO_PLACE
from odyssey_recorder.recording.raw_input_queue import DROPPED, LOST
from odyssey_recorder.recording.state import State
from odyssey_recorder.simulator.journal import FeltInput
from tests.end_to_end import faults
from tests.end_to_end.faults import OVER_ADB, OVER_GRPC, Fault
from tests.end_to_end.laboratory import Laboratory
from tests.recording.recording_bench import ORIGIN, Recording, RecordingBench, pixels

ANSWER_S = 1.0
PASSIVE = ORIGIN.model_copy(update={"mode": "passive"})
MOMENTS = ("before the finger", "under the finger", "after the finger")
DOUBTS = {
    Flag(FlagCode.MOVING),
    Flag(FlagCode.CHANGING),
    Flag(FlagCode.UNWATCHED),
    Flag(FlagCode.CLOCK_CHANGED),
    Flag(FlagCode.CLOCK_UNREAD),
}
OLD = {FlagCode.OLDER, FlagCode.OLDER_THAN_LAST_ACTION}
MISSES = (LOST.partition("{")[0], DEAF.partition("}")[2], DROPPED, BLIND, NO_PICTURE, NO_PLACE)


class Ordeal:
    """A recording in passive mode under faults."""

    def __init__(self, lab: Laboratory, device: Device, recording: Recording) -> None:
        self._lab = lab
        self._device = device
        self._recording = recording
        self._taps_before = len(lab.recorded().touch_downs())
        self._notices: list[int] = []
        self.trials: list[str] = []
        self._ways = ("adb", "gRPC") if device.follows_finger else ("adb",)

    def go_through(self, fault: Fault, moment: str, number: int) -> None:
        annotator, before = self._recording.annotator, self._recording.ready()
        told = len(annotator.notices)
        self._notices.append(told)
        self.trials.append(f"{fault.name} {moment}")
        self._tap(fault, moment, self._lab.place(number))
        if self._ways[-1] in fault.cuts_off:
            self._recording.until(State.DEVICE_LOST)
        if fault.deafens:
            annotator.wait(lambda: any(MISSES[1] in notice for notice in annotator.notices[told:]))
        fault.mend(self._lab)
        annotator.wait(lambda: len(self._recording.recorder.view.steps) > len(before.steps) or self._missed(told))
        self._recording.ready()

    def complete(self) -> None:
        self._recording.ready()
        self._recording.recorder.complete("done")
        self._recording.until(State.FINISHED)

    def taps(self) -> list[FeltInput]:
        return list(self._lab.recorded().touch_downs()[self._taps_before :])

    def was_told(self, tap: int) -> bool:
        """Whether a notice before the next tap but one says that this tap may be missing."""
        return self._missed(*self._notices[tap : tap + 3 : 2])

    def _missed(self, since: int, until: int | None = None) -> bool:
        return any(words in notice for notice in self._recording.annotator.notices[since:until] for words in MISSES)

    def _tap(self, fault: Fault, moment: str, at: Pixel) -> None:
        touch = self._lab.emulator.guest.window_touch
        if moment == "before the finger":
            fault.strike(self._lab)
            if fault.changing and self._device.capture_path != "gRPC":
                self._look()
        touch(at.x, at.y, pressed=True)
        if moment == "under the finger":
            fault.strike(self._lab)
        touch(at.x, at.y, pressed=False)
        if moment == "after the finger":
            fault.strike(self._lab)

    def _look(self) -> None:
        now_ns, annotator = time.monotonic_ns(), self._recording.annotator

        def seen() -> bool:
            newest = annotator.newest
            is_new = newest is not None and newest.started_ns >= now_ns
            return is_new or self._recording.recorder.view.state is State.DEVICE_LOST

        annotator.wait(seen)


def is_of(step: StepRecord, tap: FeltInput) -> bool:
    """Compare by the device clock's timestamp, or by position if that is uncertain."""
    if step.clock_offset_us is not None and step.touched_us is not None:
        return tap.event_us == step.touched_us - step.clock_offset_us
    assert isinstance(step.input, StrokeRecord)
    x, y, _ = step.input.samples[0]
    felt_x, felt_y = (float(number) for number in tap.words.split()[-1].split(","))
    return max(abs(felt_x - x), abs(felt_y - y)) <= 1.5


def is_doubtful(step: StepRecord) -> bool:
    return any(flag in DOUBTS or flag.code in OLD for flag in step.flags)


def assert_true(service: RecordingBench, ordeal: Ordeal, recording: Recording) -> int:
    episode, taps = service.store.load(recording.draft.episode_id), ordeal.taps()
    provenance = service.store.provenance(episode.episode_id)
    assert provenance is not None
    steps, next_tap = provenance.steps[:-1], 0
    missing: list[int] = []
    for number, step in enumerate(steps):
        found = next((tap for tap in range(next_tap, len(taps)) if is_of(step, taps[tap])), None)
        assert found is not None, f"step {number} is no tap, or not in its place: {step.flags}"
        missing += range(next_tap, found)
        next_tap = found + 1
        digest = hashlib.sha256(pixels(service.store.screenshot_path(episode, number)).tobytes()).hexdigest()
        assert digest == step.frame.rgb_sha256
        is_right = digest == taps[found].frame.rgb_sha256
        trials = ordeal.trials[max(0, found - 1) : found + 2]
        words = f"step {number}, tap {found} ({trials}) is not what the phone showed: {step}, {taps[found]}"
        assert is_right or is_doubtful(step), words
    silent = [tap for tap in (*missing, *range(next_tap, len(taps))) if not ordeal.was_told(tap)]
    assert silent == [], "these taps are missing, and nobody said so"
    return len(steps)


def endure(service: RecordingBench, lab: Laboratory, way: str, seed: int, *, count: int) -> None:
    random = Random(seed)
    kinds = (*OVER_ADB, faults.DROPPED, faults.SET_AHEAD, *(OVER_GRPC if way == "gRPC" else ()))
    device: Device = lab.device(answer_s=ANSWER_S) if way == "adb" else lab.emulator_device(answer_s=ANSWER_S)
    with service.recording(device, service.draft(PASSIVE)) as recording:
        ordeal = Ordeal(lab, device, recording)
        for number in range(count):
            ordeal.go_through(random.choice(kinds), random.choice(MOMENTS), number)
        ordeal.complete()
        lost = [view.message for view in recording.annotator.views if view.state is State.DEVICE_LOST]
        assert all(lab.serial in message or "adb server" in message for message in lost), lost
        assert assert_true(service, ordeal, recording) >= count // 6, "taps become steps, whatever goes wrong"


@pytest.mark.parametrize(("way", "count"), [("adb", 12), ("gRPC", 18)])
def test_faults_in_a_row(lab: Laboratory, tmp_path: Path, way: str, count: int) -> None:
    endure(RecordingBench(tmp_path), lab, way, 0, count=count)


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("way", ["adb", "gRPC"])
@pytest.mark.parametrize("seed", range(1, 4))
def test_two_hundred_faults_in_a_row(lab: Laboratory, tmp_path: Path, way: str, seed: int) -> None:
    endure(RecordingBench(tmp_path), lab, way, seed, count=200)
