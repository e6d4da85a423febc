"""One fault at a time, in mirror mode and passive mode: the annotator is told, and recording continues correctly."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from odyssey_recorder.dataset.provenance import StepRecord, StrokeRecord
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.device import Device
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.evidence import Clock
from odyssey_recorder.recording.passive import CLOCK_CHANGED, DEAF
from odyssey_recorder.recording.raw_input import BLIND, NO_PICTURE
from odyssey_recorder.recording.raw_input_queue import DROPPED
from odyssey_recorder.recording.session import BROKEN_OFF, CHANGED, NOT_READY, OUT_OF_DATE
from odyssey_recorder.recording.state import State
from odyssey_recorder.simulator.journal import FeltInput
from tests.device.scripted_adb_server import ScriptedAdbServer, block, fail
from tests.end_to_end.laboratory import Felt, Laboratory
from tests.recording.recording_bench import ORIGIN, Recording, RecordingBench, pixels

ANSWER_S = 1.5
LONG_S = 60.0
CLOCKS_US = 5_000
"""How far the host's two clocks may drift apart during a test."""
UNSEEN = {NO_PICTURE, BLIND}
REFUSALS = {NOT_READY, OUT_OF_DATE, CHANGED, *UNSEEN}
DOUBTS = {Flag(FlagCode.CLOCK_CHANGED), Flag(FlagCode.CHANGING)}

IS_DEAF = DEAF.partition("}")[2]
OLDER_SERVER = {
    "host:version": block("001f"),
    "host-serial:*": fail("device not found"),
    "host:tport:*": fail("device not found"),
}


class Hands:
    """Taps on a laboratory's emulator in one of three ways, and the taps that it felt.

    "mirror": sent over adb once the finger has lifted. "live": a live finger over gRPC. "passive": in the emulator's
    own window, seen over gRPC.
    """

    def __init__(
        self, lab: Laboratory, service: RecordingBench, device: Device, recording: Recording, way: str
    ) -> None:
        self.lab = lab
        self.device = device
        self.recording = recording
        self._service = service
        self._way = way
        self._used = 0
        self._before = len(lab.recorded().touch_downs())

    def tap(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        at = self.lab.place(self._used)
        self._used += 1
        if self._way == "passive":
            self.lab.emulator.guest.window_touch(at.x, at.y, pressed=True)
            meanwhile()
            self.lab.emulator.guest.window_touch(at.x, at.y, pressed=False)
            return
        frame = self.recording.ready().frame_number
        assert frame is not None
        if isinstance(self.device, Felt):
            self._put_down(self.device, frame, at)
        else:
            self.recording.recorder.touch_down(frame)
        meanwhile()
        self.recording.recorder.lift(TouchStroke.press(at))

    def _put_down(self, device: Felt, frame: int, at: Pixel) -> None:
        """Put a live finger down, until the device acknowledges it or the annotator is told why not."""
        answered, told = device.answered, len(self.recording.annotator.notices)
        self.recording.recorder.touch_down(frame, at)
        self.lab.wait_until(lambda: device.answered > answered or len(self.recording.annotator.notices) > told)

    def tap_and_wait(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        steps, annotator = len(self.recording.ready().steps), self.recording.annotator
        while len(self.recording.ready().steps) == steps:
            told = len(annotator.notices)
            self.tap(meanwhile)
            annotator.wait(lambda told=told: self.steps > steps or self._is_refused(told))  # type: ignore[misc]
        self.recording.ready(steps=steps + 1)

    def _is_refused(self, told: int) -> bool:
        return any(notice in REFUSALS for notice in self.recording.annotator.notices[told:])

    @property
    def steps(self) -> int:
        return len(self.recording.recorder.view.steps)

    @property
    def felt(self) -> int:
        return len(self.lab.recorded().touch_downs()) - self._before

    def publish(self, *, missing: tuple[int, ...] = ()) -> tuple[StepRecord, ...]:
        self.recording.ready()
        self.recording.recorder.complete("done")
        self.recording.until(State.FINISHED)
        episode = self._service.store.load(self.recording.draft.episode_id)
        provenance = self._service.store.provenance(episode.episode_id)
        assert provenance is not None
        felt = self.lab.recorded().touch_downs()[self._before :]
        recorded = [_felt_at(felt, step) for step in provenance.steps[:-1]]
        assert not {felt[number].number for number in missing} & {tap.number for tap in recorded}
        for number, (step, tap) in enumerate(zip(provenance.steps[:-1], recorded, strict=True)):
            picture = pixels(self._service.store.screenshot_path(episode, number))
            is_right = hashlib.sha256(picture.tobytes()).hexdigest() == tap.frame.rgb_sha256
            assert is_right or DOUBTS & {*step.flags}, f"step {number}: {step.flags}"
            assert _is_timed_right(step, tap) or Flag(FlagCode.CLOCK_CHANGED) in step.flags, (
                f"step {number}: {step.flags}"
            )
        return provenance.steps


def _felt_at(felt: Sequence[FeltInput], step: StepRecord) -> FeltInput:
    """The tap of a step, found by its position: no two taps share one."""
    assert isinstance(step.input, StrokeRecord)
    x, y, _ = step.input.samples[0]
    [tap] = [tap for tap in felt if _is_near(tap, x, y)]
    return tap


def _is_timed_right(step: StepRecord, tap: FeltInput) -> bool:
    """Whether a timestamp from the device's clock is within its stated uncertainty."""
    if step.clock_uncertainty_us is None:
        return True
    return abs(step.touched_us - Clock().epoch_us(tap.t_ns)) <= step.clock_uncertainty_us + CLOCKS_US


def _is_near(tap: FeltInput, x: int, y: int) -> bool:
    """Whether a tap was at a pixel, within the resolution of the kernel's axes."""
    at_x, at_y = map(float, tap.words.removeprefix("touch down ").split(","))
    return abs(at_x - x) <= 1 and abs(at_y - y) <= 1


@contextmanager
def at_work(lab: Laboratory, folder: Path, way: str, *, answer_s: float = ANSWER_S) -> Iterator[Hands]:
    service = RecordingBench(folder)
    device: Device = lab.device(answer_s=answer_s) if way == "mirror" else lab.emulator_device(answer_s=answer_s)
    origin = ORIGIN.model_copy(update={"mode": "passive"}) if way == "passive" else ORIGIN
    with service.recording(device, service.draft(origin)) as recording:
        hands = Hands(lab, service, device, recording, way)
        hands.tap_and_wait()
        hands.tap_and_wait()
        yield hands


every_way = pytest.mark.parametrize("way", ["mirror", "live", "passive"])


def is_lost_when_it_freezes(hands: Hands, frozen_s: float | None) -> None:
    hands.lab.emulator.faults.freeze(frozen_s)
    view = hands.recording.until(State.DEVICE_LOST)
    assert hands.lab.serial in view.message
    assert "did not answer" in view.message


@every_way
def test_an_emulator_that_freezes_until_that_was_noticed(lab: Laboratory, tmp_path: Path, way: str) -> None:
    with at_work(lab, tmp_path, way) as hands:
        is_lost_when_it_freezes(hands, None)
        lab.emulator.faults.thaw()
        hands.tap_and_wait()
        hands.publish()


@pytest.mark.soak
@every_way
def test_an_emulator_that_freezes_for_twenty_seconds(lab: Laboratory, tmp_path: Path, way: str) -> None:
    with at_work(lab, tmp_path, way, answer_s=5) as hands:
        is_lost_when_it_freezes(hands, 20)
        hands.recording.recorder.wait_for(lambda view: view.state is State.READY, LONG_S)
        hands.tap_and_wait()
        hands.publish()


def test_events_that_are_dropped_cost_the_tap_and_that_is_told(lab: Laboratory, tmp_path: Path) -> None:
    with at_work(lab, tmp_path, "passive") as hands:
        lab.emulator.guest.nodes.lose_reports(1)
        hands.tap()
        hands.recording.annotator.await_notice(DROPPED)
        hands.tap_and_wait()
        hands.tap(meanwhile=lambda: lab.emulator.guest.nodes.lose_reports(1))
        hands.recording.annotator.await_notice("dropped events of it")
        hands.tap_and_wait()
        hands.publish(missing=(2, 4))


def test_getevent_that_is_killed(lab: Laboratory, tmp_path: Path) -> None:
    with at_work(lab, tmp_path, "passive") as hands:
        lab.emulator.faults.kill_getevent()
        assert lab.serial in hands.recording.annotator.await_notice(IS_DEAF)
        hands.tap_and_wait()
        hands.publish()


@every_way
def test_a_snapshot_that_is_loaded_in_the_middle(lab: Laboratory, tmp_path: Path, way: str) -> None:
    with at_work(lab, tmp_path, way) as hands:
        before = hands.recording.ready().frame_number
        lab.load_snapshot()
        match way:
            case "mirror":
                assert lab.serial in hands.recording.until(State.DEVICE_LOST).message
            case "passive":
                hands.recording.annotator.await_notice(IS_DEAF)
            case _:
                pass  # the control service is unaffected; the next frame arrives at once
        lab.bring_back()
        hands.recording.ready(steps=2, after=before)
        hands.tap_and_wait()
        hands.publish()


@contextmanager
def another_adb_server(lab: Laboratory) -> Iterator[None]:
    """A server of another version on the port, which does not know the emulator."""
    lab.server.stop()
    try:
        with ScriptedAdbServer(OLDER_SERVER, port=lab.server.port):
            assert AdbServer(port=lab.server.port).version() == 31
            yield
    finally:
        lab.server.start()


@every_way
def test_an_adb_server_of_another_version_in_its_place(lab: Laboratory, tmp_path: Path, way: str) -> None:
    with at_work(lab, tmp_path, way) as hands:
        with another_adb_server(lab):
            match way:
                case "mirror":
                    hands.recording.recorder.wait_for(lambda view: "device not found" in view.message, LONG_S)
                case "passive":
                    assert lab.serial in hands.recording.annotator.await_notice(IS_DEAF)
                case _:
                    hands.tap_and_wait()
        lab.bring_back()
        hands.tap_and_wait()
        hands.publish()


def test_a_token_that_changes_under_the_finger(lab: Laboratory, tmp_path: Path) -> None:
    with at_work(lab, tmp_path, "live") as hands:
        hands.tap(meanwhile=lab.emulator.faults.control.renew_token)
        hands.recording.annotator.await_notice(BROKEN_OFF)
        lab.wait_until(lambda: hands.device.follows_finger)
        hands.tap_and_wait()
        hands.publish(missing=(2,))


def test_a_token_that_changes_while_the_work_is_done_in_the_emulator(lab: Laboratory, tmp_path: Path) -> None:
    with at_work(lab, tmp_path, "passive") as hands:
        lab.emulator.faults.control.renew_token()
        hands.tap_and_wait()
        hands.recording.recorder.wait_for(lambda view: view.capture_path == "gRPC", LONG_S)
        hands.tap_and_wait()
        hands.publish()


@pytest.mark.parametrize("way", ["live", "passive"])
def test_a_device_that_is_turned_under_the_finger(lab: Laboratory, tmp_path: Path, way: str) -> None:
    with at_work(lab, tmp_path, way) as hands:
        hands.tap_and_wait(meanwhile=lambda: lab.phone.set_rotation(1))
        before = hands.recording.ready().frame_number
        lab.phone.set_rotation(0)
        hands.recording.ready(after=before)
        hands.tap_and_wait()
        steps = hands.publish()
        assert not {Flag(FlagCode.CHANGING), Flag(FlagCode.UNWATCHED), Flag(FlagCode.UNPROVEN)} & {*steps[2].flags}, (
            "its picture is from before, and that is proved"
        )


def test_a_device_that_is_turned_under_a_finger_that_is_held_back(lab: Laboratory, tmp_path: Path) -> None:
    with at_work(lab, tmp_path, "mirror") as hands:
        annotator, upright = hands.recording.annotator, lab.phone.state().size

        def turn() -> None:
            lab.phone.set_rotation(1)
            annotator.wait(lambda: annotator.newest is not None and annotator.newest.size.width == upright.height)

        hands.tap(meanwhile=turn)
        annotator.await_notice(CHANGED)
        lab.phone.set_rotation(0)
        hands.recording.ready(steps=2)
        annotator.wait(lambda: annotator.newest is not None and annotator.newest.size.width == upright.width)
        hands.tap_and_wait()
        hands.publish()


@pytest.mark.parametrize("by_s", [-30.0, 30.0])
def test_a_device_whose_clock_is_changed(lab: Laboratory, tmp_path: Path, by_s: float) -> None:
    with at_work(lab, tmp_path, "passive") as hands:
        lab.emulator.guest.clock.jump(by_s)
        annotator = hands.recording.annotator
        hands.tap()
        annotator.await_notice(CLOCK_CHANGED)
        annotator.wait(lambda: hands.steps == 3 or bool(UNSEEN & {*annotator.notices}))
        is_recorded = hands.steps == 3
        hands.tap_and_wait()
        steps = hands.publish(missing=() if is_recorded else (2,))
        doubted = [number for number, step in enumerate(steps) if Flag(FlagCode.CLOCK_CHANGED) in step.flags]
        undated = [number for number, step in enumerate(steps[:-1]) if step.clock_offset_us is None]
        assert doubted == undated
        assert doubted in ([], [2]), "the clock may have been read anew just before the tap"
