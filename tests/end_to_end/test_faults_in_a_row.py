"""Random faults during a recording: no step is lost silently, no screenshot is wrong, recording continues.

The reference is the emulator's journal: where each finger was felt, when by `getevent`, and what was on the screen.
Between two frames adb cannot notice a change; so over adb a fault that changes the screen does so while the finger is
held in mirror mode, and is seen before the finger comes in passive mode.
"""

import hashlib
import time
from pathlib import Path
from random import Random

import pytest

from odyssey_recorder.dataset.provenance import Origin, StepRecord, StrokeRecord
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.emulator_finger import JUST_LIFTED
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.flag import FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.passive import DEAF
from odyssey_recorder.recording.raw_input import BLIND, NO_PLACE, NO_SCREENSHOT
from odyssey_recorder.recording.raw_input_queue import DROPPED, LOST
from odyssey_recorder.recording.session import NOT_READY, OUT_OF_DATE
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView
from odyssey_recorder.simulator.journal import RecordedInput
from tests.dataset.drafts import ORIGIN
from tests.end_to_end import faults
from tests.end_to_end.faults import OVER_ADB, OVER_GRPC, Fault
from tests.end_to_end.laboratory import Laboratory, place_of
from tests.recording.recording_bench import PASSIVE, Recording, RecordingBench, pixels

ANSWER_S = 1.0
FOLLOWED_S = 0.2
BEFORE, UNDER, AFTER = MOMENTS = ("before the finger", "under the finger", "after the finger")
MIRROR_DOUBTS = {FlagCode.CONNECTION_BROKE, FlagCode.UNPROVEN, FlagCode.CHANGING, FlagCode.NEWER}
PASSIVE_DOUBTS = {
    FlagCode.MOVING, FlagCode.CHANGING, FlagCode.UNWATCHED, FlagCode.CLOCK_CHANGED, FlagCode.CLOCK_UNREAD,
    FlagCode.OLDER, FlagCode.OLDER_THAN_LAST_ACTION,
}  # fmt: skip
REFUSALS = (NOT_READY, OUT_OF_DATE, JUST_LIFTED)
IS_DEAF = DEAF.partition("}")[2]
MISSES = (LOST.partition("{")[0], IS_DEAF, DROPPED, BLIND, NO_SCREENSHOT, NO_PLACE)


class Ordeal:
    """A recording under faults, over `way`: "adb" or "gRPC"."""

    def __init__(self, lab: Laboratory, device: Device, recording: Recording, way: str) -> None:
        self.trials: list[str] = []
        self._lab = lab
        self._device = device
        self._recording = recording
        self._way = way
        self._taps_before = len(lab.recorded().touch_downs())

    def taps(self) -> list[RecordedInput]:
        return list(self._lab.recorded().touch_downs()[self._taps_before :])

    @property
    def _view(self) -> RecordingView:
        return self._recording.recorder.view

    def _look(self, told: int | None = None) -> None:
        """Until a new frame comes, or a notice after `told` says why none will."""
        now_ns, annotator = time.monotonic_ns(), self._recording.annotator

        def seen() -> bool:
            newest = annotator.newest
            is_new = newest is not None and newest.started_ns >= now_ns
            is_refused = told is not None and len(annotator.notices) > told
            return is_new or is_refused or self._view.state is State.DEVICE_LOST

        annotator.wait(seen)

    def _mend(self, fault: Fault) -> None:
        if self._way in fault.cuts_off:
            self._recording.until(State.DEVICE_LOST)
        fault.mend(self._lab)


class MirrorOrdeal(Ordeal):
    """`unheard` are the taps that were lost, or removed a step, without a notice."""

    def __init__(self, lab: Laboratory, device: Device, recording: Recording, way: str) -> None:
        super().__init__(lab, device, recording, way)
        self.unheard: list[str] = []

    def go_through(self, fault: Fault, moment: str, number: int) -> None:
        annotator, before = self._recording.annotator, self._recording.ready()
        told, felt, seen = len(annotator.notices), len(self.taps()), len(annotator.views)
        self.trials.append(f"{fault.name} {moment}")
        frame = self._tap(fault, moment, self._lab.place(number))
        self._mend(fault)
        annotator.wait(lambda: self._is_over(frame, told))
        after = self._recording.ready()
        most = max(len(view.steps) for view in [before, *annotator.views[seen:], after])
        taps, steps = len(self.taps()) - felt, len(after.steps) - len(before.steps)
        if (most > len(after.steps) or taps > steps) and len(annotator.notices) == told:
            self.unheard.append(f"tap {number}, {fault.name} {moment}: {taps} felt, {steps} recorded")

    def complete(self) -> None:
        annotator, view = self._recording.annotator, self._recording.ready()
        while view.state is not State.FINISHED:
            told = len(annotator.notices)
            self._recording.recorder.complete("done")
            annotator.wait(
                lambda told=told: len(annotator.notices) > told or self._view.state is State.FINISHED  # type: ignore[misc]
            )
            view = self._recording.recorder.wait_for(lambda view: view.state in {State.READY, State.FINISHED}, 20)

    def _is_over(self, frame: int, told: int) -> bool:
        """Whether a tap on `frame` became a step or was refused."""
        refused = any(notice in REFUSALS for notice in self._recording.annotator.notices[told:])
        return refused or (self._view.state is State.READY and self._view.frame_number not in {None, frame})

    def _tap(self, fault: Fault, moment: str, place: Pixel) -> int:
        frame, felt = self._recording.ready().frame_number, len(self.taps())
        told = len(self._recording.annotator.notices)
        assert frame is not None
        if moment == BEFORE:
            fault.strike(self._lab)
        self._recording.recorder.touch_down(frame, place)
        if moment == UNDER:
            self._await_finger(felt)
            fault.strike(self._lab)
            if fault.changing:
                self._look(told)
        self._recording.recorder.lift(TouchStroke.press(place))
        if moment == AFTER:
            fault.strike(self._lab)
        return frame

    def _await_finger(self, felt: int) -> None:
        expires_s = time.monotonic() + FOLLOWED_S
        while self._device.follows_finger and len(self.taps()) == felt and time.monotonic() < expires_s:
            self._device.input_nodes()

    def assert_true(self, steps: list[StepRecord]) -> None:
        felt = {place_of(tap): tap.frame.rgb_sha256 for tap in self.taps()}
        places = [start_of(step) for step in steps]
        trials = dict(zip(self._lab.places(0, len(self.trials)), self.trials, strict=True))
        in_order = [place for place in places if place in felt]
        assert in_order == [place for place in felt if place in in_order]
        for number, (step, place) in enumerate(zip(steps, places, strict=True)):
            words = f"step {number} ({trials[place]}) is not what the phone felt and showed: {step}"
            assert felt.get(place) == step.frame.rgb_sha256 or has_any(step, MIRROR_DOUBTS), words
        assert self.unheard == []


class PassiveOrdeal(Ordeal):
    def __init__(self, lab: Laboratory, device: Device, recording: Recording, way: str) -> None:
        super().__init__(lab, device, recording, way)
        self._notices: list[int] = []

    def go_through(self, fault: Fault, moment: str, number: int) -> None:
        annotator, before = self._recording.annotator, self._recording.ready()
        told = len(annotator.notices)
        self._notices.append(told)
        self.trials.append(f"{fault.name} {moment}")
        self._tap(fault, moment, self._lab.place(number))
        if fault.deafens:
            annotator.wait(lambda: any(IS_DEAF in notice for notice in annotator.notices[told:]))
        self._mend(fault)
        annotator.wait(lambda: len(self._view.steps) > len(before.steps) or self._missed(told))
        self._recording.ready()

    def complete(self) -> None:
        self._recording.ready()
        self._recording.recorder.complete("done")
        self._recording.until(State.FINISHED)

    def _was_told(self, tap: int) -> bool:
        """Whether a notice before the next tap but one says that this tap may be missing."""
        return self._missed(*self._notices[tap : tap + 3 : 2])

    def _missed(self, since: int, until: int | None = None) -> bool:
        return any(words in notice for notice in self._recording.annotator.notices[since:until] for words in MISSES)

    def _tap(self, fault: Fault, moment: str, at: Pixel) -> None:
        touch = self._lab.emulator.guest.window_touch
        if moment == BEFORE:
            fault.strike(self._lab)
            if fault.changing and self._device.capture_path != "gRPC":
                self._look()
        touch(at.x, at.y, pressed=True)
        if moment == UNDER:
            fault.strike(self._lab)
        touch(at.x, at.y, pressed=False)
        if moment == AFTER:
            fault.strike(self._lab)

    def assert_true(self, steps: list[StepRecord]) -> None:
        taps, next_tap = self.taps(), 0
        missing: list[int] = []
        for number, step in enumerate(steps):
            found = next((tap for tap in range(next_tap, len(taps)) if is_of(step, taps[tap])), None)
            assert found is not None, f"step {number} is no tap, or not in its place: {step.flags}"
            missing += range(next_tap, found)
            next_tap = found + 1
            trials = self.trials[max(0, found - 1) : found + 2]
            words = f"step {number}, tap {found} ({trials}) is not what the phone showed: {step}, {taps[found]}"
            assert step.frame.rgb_sha256 == taps[found].frame.rgb_sha256 or has_any(step, PASSIVE_DOUBTS), words
        silent = [tap for tap in (*missing, *range(next_tap, len(taps))) if not self._was_told(tap)]
        assert silent == [], "these taps are missing, and nobody said so"
        assert len(steps) >= len(self.trials) // 6, "taps become steps, whatever goes wrong"


def start_of(step: StepRecord) -> Pixel:
    assert isinstance(step.input, StrokeRecord)
    x, y, _ = step.input.samples[0]
    return Pixel(x, y)


def is_at(tap: RecordedInput, start: Pixel) -> bool:
    """To a pixel, the resolution of the kernel's axes."""
    place = place_of(tap)
    return max(abs(place.x - start.x), abs(place.y - start.y)) <= 1


def is_of(step: StepRecord, tap: RecordedInput) -> bool:
    """Compare by the device clock's timestamp, or by position if that is uncertain."""
    if step.clock_offset_us is not None:
        return tap.event_us == step.touched_us - step.clock_offset_us
    return is_at(tap, start_of(step))


def has_any(step: StepRecord, doubts: set[FlagCode]) -> bool:
    return any(flag.code in doubts for flag in step.flags)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("seed", "count"), [(0, 12), *(pytest.param(seed, 200, marks=pytest.mark.soak) for seed in range(1, 4))]
)
@pytest.mark.parametrize("way", ["mirror over adb", "mirror over gRPC", "passive over adb", "passive over gRPC"])
def test_faults_in_a_row(lab: Laboratory, tmp_path: Path, way: str, seed: int, count: int) -> None:
    mode, _, way = way.split()
    ordeals: dict[str, tuple[type[MirrorOrdeal | PassiveOrdeal], Origin, tuple[Fault, ...]]] = {
        "mirror": (MirrorOrdeal, ORIGIN, (faults.REFUSED,)),
        "passive": (PassiveOrdeal, PASSIVE, (faults.DROPPED, faults.SET_AHEAD)),
    }
    kind, origin, others = ordeals[mode]
    kinds = (*OVER_ADB, *others, *(OVER_GRPC if way == "gRPC" else ()))
    service, random = RecordingBench(tmp_path), Random(seed)
    device: Device = lab.device(answer_s=ANSWER_S) if way == "adb" else lab.emulator_device(answer_s=ANSWER_S)
    with service.recording(device, service.draft(origin)) as recording:
        ordeal = kind(lab, device, recording, way)
        for number in range(count):
            fault = random.choice(kinds)
            only_seen = mode == "mirror" and fault.changing
            ordeal.go_through(fault, random.choice(MOMENTS[:2] if only_seen else MOMENTS), number)
        ordeal.complete()
        lost = [view.message for view in recording.annotator.views if view.state is State.DEVICE_LOST]
        assert lost, "something stopped the recording"
        assert all(lab.serial in message or "adb server" in message for message in lost), lost
        ordeal.assert_true(published_steps(service, recording))


def published_steps(service: RecordingBench, recording: Recording) -> list[StepRecord]:
    """The records of all steps but COMPLETE; their screenshots are as recorded."""
    episode = service.store.load(recording.draft.episode_id)
    provenance = service.store.provenance(episode.episode_id)
    assert provenance is not None
    *steps, end = provenance.steps
    assert end.input is None
    for number, step in enumerate(steps):
        screenshot = pixels(service.store.screenshot_path(episode, number))
        assert hashlib.sha256(screenshot.tobytes()).hexdigest() == step.frame.rgb_sha256
    return steps
