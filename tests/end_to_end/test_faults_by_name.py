"""Faults one after the other, in every way of recording: the annotator is told, and recording continues correctly."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.emulator_finger import JUST_LIFTED
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.evidence import EpochClock
from odyssey_recorder.recording.passive import CLOCK_CHANGED, DEAF
from odyssey_recorder.recording.raw_input import BLIND, NO_PLACE, NO_SCREENSHOT
from odyssey_recorder.recording.raw_input_queue import DROPPED
from odyssey_recorder.recording.session import BROKEN_OFF, CHANGED, NOT_READY, OUT_OF_DATE
from odyssey_recorder.recording.state import State
from odyssey_recorder.simulator.faults import FrameFault
from odyssey_recorder.simulator.journal import RecordedInput
from tests.dataset.drafts import ORIGIN
from tests.device.scripted_adb_server import ScriptedAdbServer, block, fail
from tests.end_to_end import faults
from tests.end_to_end.laboratory import Felt, Laboratory
from tests.end_to_end.test_faults_in_a_row import is_at, start_of
from tests.recording.recording_bench import PASSIVE, Recording, RecordingBench, pixels

ANSWER_S = 1.5
LONG_S = 60.0
CLOCKS_US = 5_000
"""How far the host's two clocks may drift apart during a test."""
UNSEEN = {NO_SCREENSHOT, BLIND}
REFUSALS = {NOT_READY, OUT_OF_DATE, CHANGED, JUST_LIFTED, NO_PLACE, *UNSEEN}
DOUBTS = {Flag(FlagCode.CLOCK_CHANGED), Flag(FlagCode.CHANGING), Flag(FlagCode.UNWATCHED)}

IS_DEAF = DEAF.partition("}")[2]
OLDER_SERVER = {
    "host:version": block("001f"),
    "host-serial:*": fail("device not found"),
    "host:tport:*": fail("device not found"),
}


class Hands:
    """Taps on a laboratory's emulator in one of four ways, and the taps that it felt.

    "mirror": sent over adb once the finger has lifted. "live": a live finger over gRPC. "passive": in the emulator's
    own window, seen over gRPC. "passive over adb": seen over adb alone.
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
        if self._way.startswith("passive"):
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

    def tap_and_wait(
        self, meanwhile: Callable[[], None] = lambda: None, again: Callable[[], None] = lambda: None
    ) -> None:
        """Tap until a step is recorded; `again` prepares the phone for another tap after a refused one."""
        steps, annotator = len(self.recording.ready().steps), self.recording.annotator
        while len(self.recording.ready().steps) == steps:
            told = len(annotator.notices)
            self.tap(meanwhile)
            annotator.wait(lambda told=told: self.steps > steps or self._is_refused(told))  # type: ignore[misc]
            if self.steps == steps:
                again()
        self.recording.ready(steps=steps + 1)

    @contextmanager
    def told(self, words: str) -> Iterator[None]:
        """Wait for a notice with `words` of what is done inside."""
        annotator, before = self.recording.annotator, len(self.recording.annotator.notices)
        yield
        annotator.wait(lambda: any(words in notice for notice in annotator.notices[before:]))

    def lose(self, cause: Callable[[], object], *words: str) -> None:
        """Wait until `cause` has lost the device, if only for a moment, and the annotator was told in `words`."""
        annotator, before = self.recording.annotator, len(self.recording.annotator.views)
        cause()
        annotator.wait(
            lambda: any(
                view.state is State.DEVICE_LOST and all(some in view.message for some in words)
                for view in annotator.views[before:]
            ),
            LONG_S,
        )

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
            screenshot = pixels(self._service.store.screenshot_path(episode, number))
            is_right = hashlib.sha256(screenshot.tobytes()).hexdigest() == tap.frame.rgb_sha256
            assert is_right or DOUBTS & {*step.flags}, f"step {number}: {step.flags}"
            assert _is_timed_right(step, tap) or Flag(FlagCode.CLOCK_CHANGED) in step.flags, (
                f"step {number}: {step.flags}"
            )
        return provenance.steps


def _felt_at(felt: Sequence[RecordedInput], step: StepRecord) -> RecordedInput:
    """The tap of a step, found by its position: no two taps share one."""
    [tap] = [tap for tap in felt if is_at(tap, start_of(step))]
    return tap


def _is_timed_right(step: StepRecord, tap: RecordedInput) -> bool:
    """Whether a timestamp from the device's clock is within its stated uncertainty."""
    if step.clock_uncertainty_us is None:
        return True
    return abs(step.touched_us - EpochClock().epoch_us(tap.t_ns)) <= step.clock_uncertainty_us + CLOCKS_US


@contextmanager
def at_work(lab: Laboratory, folder: Path, way: str, *, answer_s: float = ANSWER_S) -> Iterator[Hands]:
    service = RecordingBench(folder)
    over_adb = way in {"mirror", "passive over adb"}
    device: Device = lab.device(answer_s=answer_s) if over_adb else lab.emulator_device(answer_s=answer_s)
    origin = PASSIVE if way.startswith("passive") else ORIGIN
    with service.recording(device, service.draft(origin)) as recording:
        hands = Hands(lab, service, device, recording, way)
        hands.tap_and_wait()
        hands.tap_and_wait()
        yield hands


@pytest.mark.parametrize("frozen_s", [None, pytest.param(20.0, marks=pytest.mark.soak)])
@pytest.mark.parametrize("way", ["mirror", "live", "passive"])
def test_an_emulator_that_freezes_is_waited_for(
    lab: Laboratory, tmp_path: Path, way: str, frozen_s: float | None
) -> None:
    with at_work(lab, tmp_path, way, answer_s=ANSWER_S if frozen_s is None else 5) as hands:
        hands.lose(lambda: lab.emulator.faults.freeze(frozen_s), lab.serial, "did not answer")
        if frozen_s is None:
            lab.emulator.faults.thaw()
        hands.recording.recorder.wait_for(lambda view: view.state is State.READY, LONG_S)
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
        lab.bring_back()


def test_a_device_that_is_lost_over_adb_is_named_with_the_cause_and_waited_for(lab: Laboratory, tmp_path: Path) -> None:
    causes = {
        faults.OFFLINE: (lab.serial, "tart it"),
        faults.SERVER: ("adb start-server",),
        faults.DROP: (lab.serial,),
        faults.CUT: (lab.serial, "bytes"),
    }
    with at_work(lab, tmp_path, "mirror") as hands:
        for fault, words in causes.items():
            hands.lose(partial(fault.strike, lab), *words)
            fault.mend(lab)
            hands.tap_and_wait()
        with ExitStack() as servers:
            hands.lose(lambda: servers.enter_context(another_adb_server(lab)), "device not found")
        hands.tap_and_wait()
        hands.publish()


def test_over_adb_a_snapshot_that_is_loaded_is_the_new_screen(lab: Laboratory, tmp_path: Path) -> None:
    """The emulator may be back before anyone notices that it was gone."""
    with at_work(lab, tmp_path, "mirror") as hands:
        before = hands.recording.ready().frame_number
        lab.load_snapshot()
        lab.bring_back()
        hands.recording.ready(after=before)
        hands.tap_and_wait()
        hands.publish()


def test_over_grpc_fingers_go_on_without_adb_and_one_whose_way_breaks_is_told(lab: Laboratory, tmp_path: Path) -> None:
    with at_work(lab, tmp_path, "live") as hands:
        with another_adb_server(lab):
            hands.tap_and_wait()
        before = hands.recording.ready().frame_number
        lab.load_snapshot()
        lab.bring_back()
        hands.recording.ready(steps=3, after=before)
        hands.tap_and_wait()
        missing = hands.felt
        with hands.told(BROKEN_OFF):
            hands.tap(meanwhile=lab.emulator.faults.control.renew_token)
        lab.wait_until(lambda: hands.device.follows_finger)
        hands.tap_and_wait()
        hands.publish(missing=(missing,))


@pytest.mark.parametrize("way", ["passive", "passive over adb"])
def test_input_that_is_not_heard_is_told_until_it_is_heard_again(lab: Laboratory, tmp_path: Path, way: str) -> None:
    with at_work(lab, tmp_path, way) as hands:
        for fault in (faults.KILLED, faults.SNAPSHOT, faults.OFFLINE):
            before = hands.recording.ready().frame_number
            with hands.told(IS_DEAF):
                fault.strike(lab)
            fault.mend(lab)
            hands.recording.ready(after=before if fault.changing else None)
            hands.tap_and_wait()
        with hands.told(IS_DEAF), another_adb_server(lab):
            pass
        hands.tap_and_wait()
        hands.publish()


def test_a_tap_whose_events_are_lost_is_not_recorded_and_that_is_told(lab: Laboratory, tmp_path: Path) -> None:
    with at_work(lab, tmp_path, "passive") as hands:
        lab.emulator.guest.nodes.lose_reports(1)
        with hands.told(DROPPED):
            hands.tap()
        hands.tap_and_wait()
        with hands.told("dropped events of it"):
            hands.tap(meanwhile=lambda: lab.emulator.guest.nodes.lose_reports(1))
        hands.tap_and_wait()
        with hands.told("the stream of touch events broke off"):
            hands.tap(meanwhile=lab.emulator.faults.kill_getevent)
        hands.tap_and_wait()
        hands.publish(missing=(2, 4, 6))


def test_a_token_that_changes_while_the_work_is_done_in_the_emulator(lab: Laboratory, tmp_path: Path) -> None:
    with at_work(lab, tmp_path, "passive") as hands:
        lab.emulator.faults.control.renew_token()
        hands.tap_and_wait()
        hands.recording.recorder.wait_for(lambda view: view.capture_path == "gRPC", LONG_S)
        hands.tap_and_wait()
        hands.publish()


@pytest.mark.parametrize("way", ["live", "passive", "passive over adb"])
def test_a_device_that_is_turned_under_the_finger(lab: Laboratory, tmp_path: Path, way: str) -> None:
    with at_work(lab, tmp_path, way) as hands:
        annotator, upright = hands.recording.annotator, lab.phone.state().size

        def turn_back() -> None:
            """On a turned phone, the places of the switches are its navigation buttons."""
            lab.phone.set_rotation(0)
            annotator.wait(lambda: annotator.newest is not None and annotator.newest.size.width == upright.width)

        hands.tap_and_wait(meanwhile=lambda: lab.phone.set_rotation(1), again=turn_back)
        before = hands.recording.ready().frame_number
        lab.phone.set_rotation(0)
        hands.recording.ready(after=before)
        hands.tap_and_wait()
        steps = hands.publish()
        unproved = {Flag(FlagCode.CHANGING), Flag(FlagCode.UNWATCHED), Flag(FlagCode.UNPROVEN)}
        assert way == "passive over adb" or not unproved & {*steps[2].flags}, (
            "its screenshot is from before, as is proved"
        )


def test_what_the_screen_or_the_device_refuses_under_a_finger_that_is_held_back_leaves_no_step(
    lab: Laboratory, tmp_path: Path
) -> None:
    with at_work(lab, tmp_path, "mirror") as hands:
        annotator, upright = hands.recording.annotator, lab.phone.state().size

        def turn() -> None:
            lab.phone.set_rotation(1)
            annotator.wait(lambda: annotator.newest is not None and annotator.newest.size.width == upright.height)

        def blacken() -> None:
            lab.emulator.faults.spoil_frames(FrameFault.BLACK)
            annotator.wait(lambda: _is_black(annotator.newest))

        for change in (turn, blacken):
            with hands.told(CHANGED):
                hands.tap(meanwhile=change)
            lab.phone.set_rotation(0)
            annotator.wait(lambda: annotator.newest is not None and annotator.newest.size.width == upright.width)
            hands.tap_and_wait()
        lab.emulator.faults.refuse_input(refuse=True)
        with hands.told(f"{lab.serial} refused the input"):
            hands.tap()
        hands.recording.ready(steps=4)
        lab.emulator.faults.refuse_input(refuse=False)
        hands.tap_and_wait()
        hands.publish()
        assert hands.felt == hands.steps - 1


def _is_black(frame: Frame | None) -> bool:
    return frame is not None and frame.image().getextrema() == ((0, 0),) * 3


def test_an_input_during_which_the_device_went_away_is_kept_or_taken_away_as_the_phone_felt_it(
    lab: Laboratory, tmp_path: Path
) -> None:
    with at_work(lab, tmp_path, "mirror") as hands:
        for _ in range(2):
            hands.tap()
            hands.recording.until(State.INJECTING)
            lab.emulator.faults.go_offline()
            hands.recording.until(State.DEVICE_LOST)
            lab.emulator.faults.go_online()
            lab.bring_back()
            hands.recording.ready()
            assert hands.steps == hands.felt
        hands.publish()


def test_a_device_whose_clock_is_changed(lab: Laboratory, tmp_path: Path) -> None:
    with at_work(lab, tmp_path, "passive") as hands:
        annotator, missing = hands.recording.annotator, list[int]()
        for by_s in (-30.0, 30.0):
            lab.emulator.guest.clock.jump(by_s)
            steps, told = hands.steps, len(annotator.notices)
            with hands.told(CLOCK_CHANGED):
                hands.tap()
            annotator.wait(lambda s=steps, t=told: hands.steps > s or bool(UNSEEN & {*annotator.notices[t:]}))  # type: ignore[misc]
            missing += [hands.felt - 1] if hands.steps == steps else []
            hands.tap_and_wait()
        records = hands.publish(missing=tuple(missing))
        doubted = [number for number, step in enumerate(records) if Flag(FlagCode.CLOCK_CHANGED) in step.flags]
        undated = [number for number, step in enumerate(records[:-1]) if step.clock_offset_us is None]
        assert doubted == undated
        assert {*doubted} <= {2, 3, 4}, "the clock may have been read again just before the tap"
