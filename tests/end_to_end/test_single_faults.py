"""Single faults in every way of recording: the annotator is notified, and recording continues correctly."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import screenshot_path
from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.emulator_finger import JUST_LIFTED
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.passive import CLOCK_CHANGED, DEAF
from odyssey_recorder.recording.provenance_records import EpochClock
from odyssey_recorder.recording.raw_input import BLIND, NO_ANSWER, NO_PLACE, NO_SCREENSHOT
from odyssey_recorder.recording.raw_input_queue import DROPPED
from odyssey_recorder.recording.session import BROKEN_OFF, CHANGED, NOT_READY, OUT_OF_DATE
from odyssey_recorder.recording.state import State
from odyssey_simulator.faults import FrameFault
from odyssey_simulator.journal import RecordedInput
from tests.dataset.drafts import ORIGIN
from tests.device.scripted_adb_server import ScriptedAdbServer, block, fail
from tests.end_to_end import faults
from tests.end_to_end.emulator_bench import CountingDevice, EmulatorBench, tap_window
from tests.end_to_end.journal_checks import is_same_position, is_same_touch, pixel_hash, published
from tests.recording.recording_bench import PASSIVE, Recording, RecordingBench

ANSWER_S = 1.5
LONG_S = 60.0
CLOCKS_US = 5_000
"""How far the host's two clocks may drift apart during a test."""
UNSEEN = {NO_SCREENSHOT, BLIND}
REFUSALS = {NOT_READY, OUT_OF_DATE, CHANGED, JUST_LIFTED, NO_PLACE, NO_ANSWER, *UNSEEN}
DOUBTS = {Flag(FlagCode.CLOCK_CHANGED), Flag(FlagCode.CHANGING), Flag(FlagCode.UNWATCHED)}

NOT_LISTENING = DEAF.partition("}")[2]
OLDER_SERVER = {
    "host:version": block("001f"),
    "host-serial:*": fail("device not found"),
    "host:tport:*": fail("device not found"),
}


class Tapper:
    """Taps on the emulator in one of four ways, and counts the taps that it felt.

    "mirror": sent over adb once the finger has lifted. "live": a live finger over gRPC. "passive": in the emulator's
    own window, seen over gRPC. "passive over adb": seen over adb alone.
    """

    def __init__(
        self, bench: EmulatorBench, service: RecordingBench, device: Device, recording: Recording, way: str
    ) -> None:
        self.bench = bench
        self.device = device
        self.recording = recording
        self._service = service
        self._way = way
        self._used = 0
        self._before = len(bench.touch_downs())

    def tap(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        at = self.bench.position(self._used)
        self._used += 1
        if self._way.startswith("passive"):
            tap_window(self.bench.emulator, at, meanwhile)
            return
        frame = self.recording.ready().frame_number
        assert frame is not None
        if isinstance(self.device, CountingDevice):
            self._put_down(self.device, frame, at)
        else:
            self.recording.recorder.touch_down(frame)
        meanwhile()
        self.recording.recorder.lift(TouchStroke.press(at))

    def _put_down(self, device: CountingDevice, frame: int, at: Pixel) -> None:
        """Put a live finger down, until the device acknowledges it or a notice says why not.

        After a rotation the device follows a finger only once its frames are known to be what apps see.
        """
        self.bench.wait_until(lambda: device.follows_finger)
        downs, notices = device.finger_downs, len(self.recording.annotator.notices)
        self.recording.recorder.touch_down(frame, at)
        self.bench.wait_until(lambda: device.finger_downs > downs or len(self.recording.annotator.notices) > notices)

    def tap_and_wait(
        self, meanwhile: Callable[[], None] = lambda: None, again: Callable[[], None] = lambda: None
    ) -> None:
        """Tap until a step is recorded; `again` prepares the phone for another tap after a refused one."""
        steps, annotator = len(self.recording.ready().steps), self.recording.annotator
        while len(self.recording.ready().steps) == steps:
            notices = len(annotator.notices)
            self.tap(meanwhile)
            annotator.wait(lambda since=notices: self.steps > steps or self._is_refused(since))  # type: ignore[misc]
            if self.steps == steps:
                again()
        self.recording.ready(steps=steps + 1)

    @contextmanager
    def expect_notice(self, text: str) -> Iterator[None]:
        """Wait for a notice with `text` about what happens inside."""
        annotator, before = self.recording.annotator, len(self.recording.annotator.notices)
        yield
        annotator.wait(lambda: any(text in notice for notice in annotator.notices[before:]))

    def lose_device(self, cause: Callable[[], object], *texts: str) -> None:
        """Wait until `cause` has lost the device, if only for a moment, with a message that contains all `texts`."""
        annotator, before = self.recording.annotator, len(self.recording.annotator.views)
        cause()
        annotator.wait(
            lambda: any(
                view.state is State.DEVICE_LOST and all(text in view.message for text in texts)
                for view in annotator.views[before:]
            ),
            LONG_S,
        )

    def restore(self) -> None:
        """Answer as an annotator does if the recorder asks whether the last tap was carried out."""
        recorder = self.recording.recorder
        view = recorder.wait_for(lambda view: view.state in {State.READY, State.RESTORING}, LONG_S)
        if view.state is State.RESTORING:
            recorder.accept_screen() if self.steps == self.felt else recorder.undo()
            self.recording.accept_all_screens()
        self.recording.ready()

    def _is_refused(self, since: int) -> bool:
        return any(notice in REFUSALS for notice in self.recording.annotator.notices[since:])

    @property
    def steps(self) -> int:
        return len(self.recording.recorder.view.steps)

    @property
    def felt(self) -> int:
        return len(self.bench.touch_downs()) - self._before

    def publish(self, *, missing: tuple[int, ...] = ()) -> tuple[StepRecord, ...]:
        self.recording.ready()
        self.recording.finish("done")
        episode, provenance = published(self._service.store, self.recording.draft.episode_id)
        felt = self.bench.touch_downs()[self._before :]
        lost = {felt[number].number for number in missing}
        for number, step in enumerate(provenance.steps[:-1]):
            [tap] = [tap for tap in felt if is_same_touch(step, tap)]  # no two taps share a position
            assert tap.number not in lost
            assert is_same_position(step, tap) or Flag(FlagCode.AREAS_CHANGED) in step.flags, f"step {number}: {step}"
            screenshot = self._service.store.root / screenshot_path(episode.episode_id, number)
            is_right = pixel_hash(screenshot) == tap.frame.rgb_sha256
            assert is_right or DOUBTS & {*step.flags}, f"step {number}: {step.flags}"
            assert _is_time_right(step, tap) or Flag(FlagCode.CLOCK_CHANGED) in step.flags, (
                f"step {number}: {step.flags}"
            )
        return provenance.steps


def _is_time_right(step: StepRecord, tap: RecordedInput) -> bool:
    """Whether a timestamp from the device's clock is within its stated uncertainty."""
    if step.clock_uncertainty_us is None:
        return True
    return abs(step.touched_us - EpochClock().epoch_us(tap.t_ns)) <= step.clock_uncertainty_us + CLOCKS_US


@contextmanager
def tapping(bench: EmulatorBench, folder: Path, way: str, *, answer_s: float = ANSWER_S) -> Iterator[Tapper]:
    service = RecordingBench(folder)
    over_adb = way in {"mirror", "passive over adb"}
    device: Device = bench.adb_device(answer_s=answer_s) if over_adb else bench.emulator_device(answer_s=answer_s)
    origin = PASSIVE if way.startswith("passive") else ORIGIN
    with service.recording(device, service.draft(origin)) as recording:
        tapper = Tapper(bench, service, device, recording, way)
        tapper.tap_and_wait()
        tapper.tap_and_wait()
        yield tapper


@pytest.mark.parametrize("frozen_s", [None, pytest.param(20.0, marks=pytest.mark.soak)])
@pytest.mark.parametrize("way", ["mirror", "live", "passive"])
def test_frozen_emulator_is_awaited(bench: EmulatorBench, tmp_path: Path, way: str, frozen_s: float | None) -> None:
    with tapping(bench, tmp_path, way, answer_s=ANSWER_S if frozen_s is None else 5) as tapper:
        tapper.lose_device(lambda: bench.emulator.faults.freeze(frozen_s), bench.serial, "did not answer")
        if frozen_s is None:
            bench.emulator.faults.thaw()
        tapper.recording.recorder.wait_for(lambda view: view.state is State.READY, LONG_S)
        tapper.tap_and_wait()
        tapper.publish()


@contextmanager
def other_adb_server(bench: EmulatorBench) -> Iterator[None]:
    """A server of another version on the port, which does not know the emulator."""
    bench.server.stop()
    try:
        with ScriptedAdbServer(OLDER_SERVER, port=bench.server.port):
            assert AdbServer(port=bench.server.port).version() == 31
            yield
    finally:
        bench.server.start()
        bench.reconnect()


def test_device_lost_over_adb_is_reported_and_awaited(bench: EmulatorBench, tmp_path: Path) -> None:
    causes = {
        faults.OFFLINE: (bench.serial, "tart it"),
        faults.SERVER: ("adb start-server",),
        faults.DROP: (bench.serial,),
        faults.CUT: (bench.serial, "bytes"),
    }
    with tapping(bench, tmp_path, "mirror") as tapper:
        for fault, texts in causes.items():
            tapper.lose_device(partial(fault.inject, bench), *texts)
            fault.repair(bench)
            tapper.tap_and_wait()
        with ExitStack() as servers:
            tapper.lose_device(lambda: servers.enter_context(other_adb_server(bench)), "device not found")
        tapper.tap_and_wait()
        tapper.publish()


def test_live_fingers_work_without_adb_and_report_lost_grpc(bench: EmulatorBench, tmp_path: Path) -> None:
    with tapping(bench, tmp_path, "live") as tapper:
        with other_adb_server(bench):
            tapper.tap_and_wait()
        before = tapper.recording.ready().frame_number
        bench.load_snapshot()
        bench.reconnect()
        tapper.recording.ready(steps=3, after=before)
        tapper.tap_and_wait()
        missing = tapper.felt
        with tapper.expect_notice(BROKEN_OFF):
            tapper.tap(meanwhile=bench.emulator.faults.control.renew_token)
        bench.wait_until(lambda: tapper.device.follows_finger)
        tapper.tap_and_wait()
        tapper.publish(missing=(missing,))


@pytest.mark.parametrize("way", ["passive", "passive over adb"])
def test_lost_getevent_is_reported_and_restarted(bench: EmulatorBench, tmp_path: Path, way: str) -> None:
    with tapping(bench, tmp_path, way) as tapper:
        tapper.recording.accept_all_screens()  # over adb the device is lost, and comes back with the snapshot's screen
        for fault in (faults.KILLED, faults.SNAPSHOT, faults.OFFLINE):
            before = tapper.recording.ready().frame_number
            with tapper.expect_notice(NOT_LISTENING):
                fault.inject(bench)
            fault.repair(bench)
            tapper.recording.ready(after=before if fault.changes_screen else None)
            tapper.tap_and_wait()
        with tapper.expect_notice(NOT_LISTENING), other_adb_server(bench):
            pass
        tapper.tap_and_wait()
        tapper.publish()


def test_tap_with_lost_events_is_reported_and_not_recorded(bench: EmulatorBench, tmp_path: Path) -> None:
    with tapping(bench, tmp_path, "passive") as tapper:
        bench.emulator.guest.nodes.lose_reports(1)
        with tapper.expect_notice(DROPPED):
            tapper.tap()
        tapper.tap_and_wait()
        with tapper.expect_notice("dropped events of it"):
            tapper.tap(meanwhile=lambda: bench.emulator.guest.nodes.lose_reports(1))
        tapper.tap_and_wait()
        with tapper.expect_notice("the stream of touch events broke off"):
            tapper.tap(meanwhile=bench.emulator.faults.kill_getevent)
        tapper.tap_and_wait()
        tapper.publish(missing=(2, 4, 6))


@pytest.mark.parametrize("way", ["live", "passive", "passive over adb"])
def test_device_rotated_during_a_tap(bench: EmulatorBench, tmp_path: Path, way: str) -> None:
    bench.emulator.faults.take_automation(taken=True)  # a dump of views would undo a rotation that happens meanwhile
    with tapping(bench, tmp_path, way) as tapper:
        annotator, upright = tapper.recording.annotator, bench.phone.state().size

        def rotate_back() -> None:
            """On a rotated phone the positions of the switches are its navigation buttons."""
            bench.phone.set_rotation(0)
            annotator.wait(lambda: annotator.newest is not None and annotator.newest.size.width == upright.width)

        tapper.tap_and_wait(meanwhile=lambda: bench.phone.set_rotation(1), again=rotate_back)
        annotator.wait(lambda: annotator.newest is not None and annotator.newest.size.width == upright.height)
        before = tapper.recording.ready().frame_number
        bench.phone.set_rotation(0)
        tapper.recording.ready(after=before)
        tapper.tap_and_wait()
        steps = tapper.publish()
        unproved = {Flag(FlagCode.CHANGING), Flag(FlagCode.UNWATCHED), Flag(FlagCode.UNPROVEN)}
        assert way == "passive over adb" or not unproved & {*steps[2].flags}, "proved to be from before the rotation"


def test_tap_refused_after_touch_down_leaves_no_step(bench: EmulatorBench, tmp_path: Path) -> None:
    bench.emulator.faults.take_automation(taken=True)  # a dump of views would undo a rotation that happens meanwhile
    with tapping(bench, tmp_path, "mirror") as tapper:
        annotator, upright = tapper.recording.annotator, bench.phone.state().size

        def rotate() -> None:
            bench.phone.set_rotation(1)
            annotator.wait(lambda: annotator.newest is not None and annotator.newest.size.width == upright.height)

        def blacken() -> None:
            bench.emulator.faults.spoil_frames(FrameFault.BLACK)
            annotator.wait(lambda: _is_black(annotator.newest))

        for change in (rotate, blacken):
            with tapper.expect_notice(CHANGED):
                tapper.tap(meanwhile=change)
            bench.phone.set_rotation(0)
            annotator.wait(lambda: annotator.newest is not None and annotator.newest.size.width == upright.width)
            tapper.tap_and_wait()
        bench.emulator.faults.refuse_input(refuse=True)
        with tapper.expect_notice(f"{bench.serial} refused the input"):
            tapper.tap()
        tapper.recording.ready(steps=4)
        bench.emulator.faults.refuse_input(refuse=False)
        tapper.tap_and_wait()
        tapper.publish()
        assert tapper.felt == tapper.steps - 1


def _is_black(frame: Frame | None) -> bool:
    return frame is not None and frame.image().getextrema() == ((0, 0),) * 3


def test_input_sent_while_device_is_lost_is_kept_only_if_felt(bench: EmulatorBench, tmp_path: Path) -> None:
    with tapping(bench, tmp_path, "mirror") as tapper:
        for _ in range(2):
            tapper.tap()
            tapper.recording.until(State.INJECTING)
            bench.emulator.faults.go_offline()
            tapper.recording.until(State.DEVICE_LOST)
            bench.emulator.faults.go_online()
            bench.reconnect()
            tapper.restore()
            assert tapper.steps == tapper.felt
        tapper.publish()


def test_changed_device_clock_is_reported_and_flagged(bench: EmulatorBench, tmp_path: Path) -> None:
    with tapping(bench, tmp_path, "passive") as tapper:
        annotator, missing = tapper.recording.annotator, list[int]()
        for by_s in (-30.0, 30.0):
            bench.emulator.guest.clock.jump(by_s)
            steps, notices = tapper.steps, len(annotator.notices)
            with tapper.expect_notice(CLOCK_CHANGED):
                tapper.tap()
            annotator.wait(lambda s=steps, n=notices: tapper.steps > s or bool(UNSEEN & {*annotator.notices[n:]}))  # type: ignore[misc]
            missing += [tapper.felt - 1] if tapper.steps == steps else []
            tapper.tap_and_wait()
        records = tapper.publish(missing=tuple(missing))
        doubted = [number for number, step in enumerate(records) if Flag(FlagCode.CLOCK_CHANGED) in step.flags]
        undated = [number for number, step in enumerate(records[:-1]) if step.clock_offset_us is None]
        assert doubted == undated
        assert {*doubted} <= {2, 3, 4}, "the clock may have been read again just before the tap"
