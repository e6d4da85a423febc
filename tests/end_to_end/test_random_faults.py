"""Random faults during a recording: no step is lost silently, no screenshot is wrong, recording continues.

The reference is the emulator's journal. Between two frames adb cannot notice a change; so over adb a fault that changes
the screen does so while the finger is held in mirror mode, and is seen before the finger comes in passive mode.
"""

import time
from pathlib import Path
from random import Random

import pytest

from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.emulator_finger import JUST_LIFTED
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.passive import DEAF
from odyssey_recorder.recording.raw_input import BLIND, NO_ANSWER, NO_PLACE, NO_SCREENSHOT
from odyssey_recorder.recording.raw_input_queue import DROPPED, LOST
from odyssey_recorder.recording.session import NOT_READY, OUT_OF_DATE
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView
from odyssey_simulator.journal import RecordedInput
from tests.dataset.drafts import ORIGIN
from tests.end_to_end import faults
from tests.end_to_end import journal_checks as journal
from tests.end_to_end.emulator_bench import EmulatorBench, tap_window
from tests.end_to_end.faults import OVER_ADB, OVER_GRPC, Fault
from tests.recording.recording_bench import PASSIVE, Recording, RecordingBench

ANSWER_S = 1.0
FOLLOWED_S = 0.2
BEFORE, DURING, AFTER = MOMENTS = ("before the touch", "during the touch", "after the touch")
REFUSALS = (NOT_READY, OUT_OF_DATE, JUST_LIFTED)
NOT_LISTENING = DEAF.partition("}")[2]
MISSES = (LOST.partition("{")[0], NOT_LISTENING, DROPPED, BLIND, NO_SCREENSHOT, NO_PLACE, NO_ANSWER)


class FaultyRecording:
    """A recording with faults, over `way`: "adb" or "gRPC".

    `unreported` are the taps that were lost, or removed a step, without a notice. A lost device was not restarted: the
    annotator accepts the screen with which it comes back.
    """

    def __init__(self, bench: EmulatorBench, device: Device, recording: Recording, way: str) -> None:
        self.trials: list[str] = []
        self.unreported: list[str] = []
        self._notices: list[int] = []  # how many there were before each trial
        self._bench = bench
        self._device = device
        self._recording = recording
        self._way = way
        self._taps_before = len(bench.touch_downs())
        recording.accept_all_screens()

    def taps(self) -> list[RecordedInput]:
        return self._bench.touch_downs()[self._taps_before :]

    @property
    def _view(self) -> RecordingView:
        return self._recording.recorder.view

    def _wait_for_frame(self, notices: int | None = None) -> None:
        """Until a new frame comes, or one more than `notices` says why none will."""
        now_ns, annotator = time.monotonic_ns(), self._recording.annotator

        def seen() -> bool:
            newest = annotator.newest
            is_new = newest is not None and newest.started_ns >= now_ns
            is_refused = notices is not None and len(annotator.notices) > notices
            return is_new or is_refused or self._view.state is State.DEVICE_LOST

        annotator.wait(seen)

    def _repair(self, fault: Fault) -> None:
        if self._way in fault.disconnects:
            self._recording.until(State.DEVICE_LOST)
        fault.repair(self._bench)


class FaultyMirrorRecording(FaultyRecording):
    def tap_with_fault(self, fault: Fault, moment: str, number: int) -> None:
        annotator, before = self._recording.annotator, self._recording.ready()
        notices, felt, seen = len(annotator.notices), len(self.taps()), len(annotator.views)
        self.trials.append(f"{fault.name} {moment}")
        frame = self._tap(fault, moment, self._bench.position(number))
        self._repair(fault)
        annotator.wait(lambda: self._is_over(frame, notices))
        after = self._recording.ready()
        most = max(len(view.steps) for view in [before, *annotator.views[seen:], after])
        taps, steps = len(self.taps()) - felt, len(after.steps) - len(before.steps)
        if (most > len(after.steps) or taps > steps) and len(annotator.notices) == notices:
            self.unreported.append(f"tap {number}, {fault.name} {moment}: {taps} felt, {steps} recorded")

    def complete(self) -> None:
        annotator, view = self._recording.annotator, self._recording.ready()
        while view.state is not State.FINISHED:
            notices = len(annotator.notices)
            self._recording.recorder.complete("done")
            annotator.wait(
                lambda notices=notices: len(annotator.notices) > notices or self._view.state is State.FINISHED  # type: ignore[misc]
            )
            view = self._recording.recorder.wait_for(lambda view: view.state in {State.READY, State.FINISHED}, 60)

    def _is_over(self, frame: int, notices: int) -> bool:
        """Whether a tap on `frame` became a step or was refused."""
        refused = any(notice in REFUSALS for notice in self._recording.annotator.notices[notices:])
        return refused or (self._view.state is State.READY and self._view.frame_number not in {None, frame})

    def _tap(self, fault: Fault, moment: str, at: Pixel) -> int:
        frame, felt = self._recording.ready().frame_number, len(self.taps())
        notices = len(self._recording.annotator.notices)
        assert frame is not None
        if moment == BEFORE:
            fault.inject(self._bench)
        self._recording.recorder.touch_down(frame, at)
        if moment == DURING:
            self._wait_for_finger(felt)
            fault.inject(self._bench)
            if fault.changes_screen:
                self._wait_for_frame(notices)
        self._recording.recorder.lift(TouchStroke.press(at))
        if moment == AFTER:
            fault.inject(self._bench)
        return frame

    def _wait_for_finger(self, felt: int) -> None:
        expires_s = time.monotonic() + FOLLOWED_S
        while self._device.follows_finger and len(self.taps()) == felt and time.monotonic() < expires_s:
            self._device.input_nodes()

    def assert_matches_journal(self, steps: list[StepRecord]) -> None:
        felt = {journal.tap_position(tap): tap.frame.rgb_sha256 for tap in self.taps()}
        positions = [journal.step_position(step) for step in steps]
        trials = dict(zip(self._bench.positions(0, len(self.trials)), self.trials, strict=True))
        in_order = [position for position in positions if position in felt]
        assert in_order == [position for position in felt if position in in_order]
        for number, (step, position) in enumerate(zip(steps, positions, strict=True)):
            message = f"step {number} ({trials[position]}) is not what the phone felt and showed: {step}"
            assert felt.get(position) == step.frame.rgb_sha256 or journal.has_any(step, journal.MIRROR_DOUBTS), message
        assert self.unreported == []


class FaultyPassiveRecording(FaultyRecording):
    def tap_with_fault(self, fault: Fault, moment: str, number: int) -> None:
        annotator, before = self._recording.annotator, self._recording.ready()
        notices = len(annotator.notices)
        self._notices.append(notices)
        self.trials.append(f"{fault.name} {moment}")
        self._tap(fault, moment, self._bench.position(number))
        if fault.stops_getevent:
            annotator.wait(lambda: any(NOT_LISTENING in notice for notice in annotator.notices[notices:]))
        self._repair(fault)
        annotator.wait(lambda: len(self._view.steps) > len(before.steps) or self._may_be_missing(notices))
        self._recording.ready()

    def complete(self) -> None:
        self._recording.ready()
        self._recording.finish("done")

    def _is_reported(self, tap: int) -> bool:
        """Whether a notice before the next tap but one says that this tap may be missing."""
        return self._may_be_missing(*self._notices[tap : tap + 3 : 2])

    def _may_be_missing(self, since: int, until: int | None = None) -> bool:
        return any(text in notice for notice in self._recording.annotator.notices[since:until] for text in MISSES)

    def _tap(self, fault: Fault, moment: str, at: Pixel) -> None:
        if moment == BEFORE:
            fault.inject(self._bench)
            if fault.changes_screen and self._device.capture_path != "gRPC":
                self._wait_for_frame()
        tap_window(self._bench.emulator, at, lambda: fault.inject(self._bench) if moment == DURING else None)
        if moment == AFTER:
            fault.inject(self._bench)

    def assert_matches_journal(self, steps: list[StepRecord]) -> None:
        taps, next_tap = self.taps(), 0
        missing: list[int] = []
        for number, step in enumerate(steps):
            found = next((tap for tap in range(next_tap, len(taps)) if journal.is_same_touch(step, taps[tap])), None)
            assert found is not None, f"step {number} is not a tap, or out of order: {step.flags}"
            missing += range(next_tap, found)
            next_tap = found + 1
            trials = self.trials[max(0, found - 1) : found + 2]
            message = f"step {number}, tap {found} ({trials}) is not what the phone showed: {step}, {taps[found]}"
            assert journal.is_same_screen(step, taps[found]) or journal.has_any(step, journal.PASSIVE_DOUBTS), message
        silent = [tap for tap in (*missing, *range(next_tap, len(taps))) if not self._is_reported(tap)]
        assert silent == [], "these taps are missing without a notice"
        assert len(steps) >= len(self.trials) // 6, "too few taps became steps"


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("seed", "count"), [(0, 8), *(pytest.param(seed, 200, marks=pytest.mark.soak) for seed in range(1, 4))]
)
@pytest.mark.parametrize("way", ["mirror over adb", "mirror over gRPC", "passive over adb", "passive over gRPC"])
def test_random_faults_lose_no_step_silently(
    bench: EmulatorBench, tmp_path: Path, way: str, seed: int, count: int
) -> None:
    mode, _, way = way.split()
    is_mirror = mode == "mirror"
    others = (faults.REFUSED,) if is_mirror else (faults.DROPPED, faults.SET_AHEAD)
    candidates = (*OVER_ADB, *others, *(OVER_GRPC if way == "gRPC" else ()))
    service, random = RecordingBench(tmp_path), Random(seed)
    device: Device = bench.adb_device(answer_s=ANSWER_S) if way == "adb" else bench.emulator_device(answer_s=ANSWER_S)
    with service.recording(device, service.draft(ORIGIN if is_mirror else PASSIVE)) as recording:
        kind = FaultyMirrorRecording if is_mirror else FaultyPassiveRecording
        run = kind(bench, device, recording, way)
        for number in range(count):
            fault = random.choice(candidates)
            must_be_seen = is_mirror and fault.changes_screen
            run.tap_with_fault(fault, random.choice(MOMENTS[:2] if must_be_seen else MOMENTS), number)
        run.complete()
        lost = [view.message for view in recording.annotator.views if view.state is State.DEVICE_LOST]
        assert lost, "no fault lost the device"
        assert all(bench.serial in message or "adb server" in message for message in lost), lost
        run.assert_matches_journal(journal.published_steps(service.store, recording.draft.episode_id))
