"""Random faults during a recording: no step is lost silently, no screenshot is wrong, recording continues.

The reference is the emulator's journal: where each finger was felt, and what was on the screen then. Between the last
frame and the input, adb cannot notice a change; so a fault that changes the screen under a finger does so while the
finger is held.
"""

import hashlib
import time
from pathlib import Path
from random import Random

import pytest

from odyssey_recorder.dataset.provenance import StepRecord, StrokeRecord
from odyssey_recorder.device.device import Device
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.session import NOT_READY, OUT_OF_DATE
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView
from tests.end_to_end.faults import OVER_ADB, OVER_GRPC, REFUSED, Fault
from tests.end_to_end.laboratory import Laboratory
from tests.recording.recording_bench import Recording, RecordingBench, pixels

ANSWER_S = 1.0
FOLLOWED_S = 0.2
DOUBTS = {Flag(FlagCode.CONNECTION_BROKE), Flag(FlagCode.UNPROVEN), Flag(FlagCode.CHANGING), Flag(FlagCode.NEWER)}
REFUSALS = (NOT_READY, OUT_OF_DATE)
MOMENTS = ("before the finger", "under the finger", "after the finger")


class Ordeal:
    """A recording under faults, over `way`: "adb" or "gRPC".

    `unheard` are the taps that were lost, or removed a step, without a notice.
    """

    def __init__(self, lab: Laboratory, device: Device, recording: Recording, way: str) -> None:
        self.unheard: list[str] = []
        self.trials: dict[Pixel, str] = {}
        self._lab = lab
        self._device = device
        self._recording = recording
        self._way = way
        self._taps_before = len(lab.taps())

    def go_through(self, fault: Fault, moment: str, number: int) -> None:
        annotator, before = self._recording.annotator, self._recording.ready()
        told, felt, seen = len(annotator.notices), len(self._lab.taps()), len(annotator.views)
        self.trials[self._lab.place(number)] = f"{fault.name} {moment}"
        frame = self._tap(fault, moment, self._lab.place(number))
        if self._way in fault.cuts_off:
            self._recording.until(State.DEVICE_LOST)
        fault.mend(self._lab)
        annotator.wait(lambda: self._is_over(frame, told))
        after = self._recording.ready()
        most = max(len(view.steps) for view in [before, *annotator.views[seen:], after])
        taps, steps = len(self._lab.taps()) - felt, len(after.steps) - len(before.steps)
        if (most > len(after.steps) or taps > steps) and len(annotator.notices) == told:
            self.unheard.append(f"tap {number}, {fault.name} {moment}: {taps} felt, {steps} recorded")

    def taps(self) -> dict[Pixel, str]:
        return {tap.at: tap.shown for tap in self._lab.taps()[self._taps_before :]}

    def complete(self) -> None:
        annotator, view = self._recording.annotator, self._recording.ready()
        while view.state is not State.FINISHED:
            told = len(annotator.notices)
            self._recording.recorder.complete("done")
            annotator.wait(
                lambda told=told: len(annotator.notices) > told or self._view.state is State.FINISHED  # type: ignore[misc]
            )
            view = self._recording.recorder.wait_for(lambda view: view.state in {State.READY, State.FINISHED}, 20)

    @property
    def _view(self) -> RecordingView:
        return self._recording.recorder.view

    def _is_over(self, frame: int, told: int) -> bool:
        """Whether a tap on `frame` became a step or was refused."""
        refused = any(notice in REFUSALS for notice in self._recording.annotator.notices[told:])
        return refused or (self._view.state is State.READY and self._view.frame_number not in {None, frame})

    def _tap(self, fault: Fault, moment: str, place: Pixel) -> int:
        frame, felt = self._recording.ready().frame_number, len(self._lab.taps())
        assert frame is not None
        if moment == "before the finger":
            fault.strike(self._lab)
        self._recording.recorder.touch_down(frame, place)
        if moment == "under the finger":
            self._await_finger(felt)
            fault.strike(self._lab)
            if fault.changing:
                self._look()
        self._recording.recorder.lift(TouchStroke.press(place))
        if moment == "after the finger":
            fault.strike(self._lab)
        return frame

    def _await_finger(self, felt: int) -> None:
        expires_s = time.monotonic() + FOLLOWED_S
        while self._device.follows_finger and len(self._lab.taps()) == felt and time.monotonic() < expires_s:
            self._device.input_nodes()

    def _look(self) -> None:
        now_ns, annotator = time.monotonic_ns(), self._recording.annotator

        def seen() -> bool:
            newest = annotator.newest
            is_new = newest is not None and newest.started_ns >= now_ns
            return is_new or self._view.state is State.DEVICE_LOST

        annotator.wait(seen)


def place_of(step: StepRecord) -> Pixel:
    assert isinstance(step.input, StrokeRecord)
    x, y, _ = step.input.samples[0]
    return Pixel(x, y)


def assert_true(service: RecordingBench, ordeal: Ordeal, recording: Recording) -> None:
    episode, felt = service.store.load(recording.draft.episode_id), ordeal.taps()
    provenance = service.store.provenance(episode.episode_id)
    assert provenance is not None
    *steps, terminal = provenance.steps
    assert terminal.input is None
    in_order = [place_of(step) for step in steps if place_of(step) in felt]
    assert in_order == [place for place in felt if place in in_order]
    for number, step in enumerate(steps):
        picture = pixels(service.store.screenshot_path(episode, number))
        digest = hashlib.sha256(picture.tobytes()).hexdigest()
        assert digest == step.frame.rgb_sha256
        place = place_of(step)
        words = f"step {number} ({ordeal.trials[place]}) is not what the phone felt and showed: {step}"
        assert felt.get(place) == digest or DOUBTS & set(step.flags), words


def endure(service: RecordingBench, lab: Laboratory, way: str, seed: int, *, count: int) -> None:
    random, faults = Random(seed), (*OVER_ADB, REFUSED, *(OVER_GRPC if way == "gRPC" else ()))
    device: Device = lab.device(answer_s=ANSWER_S) if way == "adb" else lab.emulator_device(answer_s=ANSWER_S)
    with service.recording(device) as recording:
        ordeal = Ordeal(lab, device, recording, way)
        for number in range(count):
            fault = random.choice(faults)
            ordeal.go_through(fault, random.choice(MOMENTS[: 2 if fault.changing else 3]), number)
        ordeal.complete()
        assert ordeal.unheard == []
        lost = [view.message for view in recording.annotator.views if view.state is State.DEVICE_LOST]
        assert lost, "something stopped the recording"
        assert all(lab.serial in message or "adb server" in message for message in lost), lost
        assert_true(service, ordeal, recording)


@pytest.mark.parametrize("way", ["adb", "gRPC"])
def test_faults_in_a_row(lab: Laboratory, tmp_path: Path, way: str) -> None:
    endure(RecordingBench(tmp_path), lab, way, 0, count=30)


@pytest.mark.soak
@pytest.mark.timeout(300)
@pytest.mark.parametrize("way", ["adb", "gRPC"])
@pytest.mark.parametrize("seed", range(1, 4))
def test_two_hundred_faults_in_a_row(lab: Laboratory, tmp_path: Path, way: str, seed: int) -> None:
    endure(RecordingBench(tmp_path), lab, way, seed, count=200)
