"""An emulator that is killed and started again during a recording: no step follows on a screen that it did not lead to.

It comes back with its home screen. The annotator restores the screen as after Resume.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

import pytest

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceError, RecordingError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.model.flag import FlagCode
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.end_to_end.journal_checks import published_steps, step_position, tap_position
from tests.end_to_end.phone_process import WAY, PhoneProcess
from tests.end_to_end.recording_setup import PATIENCE_S, TASK, ready
from tests.recording.recording_bench import Annotator

DOUBTS = {FlagCode.UNPROVEN, FlagCode.CHANGING, FlagCode.UNWATCHED, FlagCode.CONNECTION_BROKE, FlagCode.MOVING}
LONG_S = 60.0


@dataclass
class Loss:
    """A recording that has gone the first part of the way when its emulator is killed."""

    phone: PhoneProcess
    recorder: Recorder
    annotator: Annotator
    window: EmulatorDevice
    store: EpisodeStore
    random: Random

    @cached_property
    def is_passive(self) -> bool:
        return self.recorder.mode == "passive"

    @property
    def steps(self) -> int:
        return len(self.recorder.view.steps)

    def record(self, number: int) -> None:
        ready(self.recorder, number)
        self.begin_tap(number)
        self.end_tap(number)
        ready(self.recorder, number + 1)
        self.recorder.wait_for(lambda view: view.is_read or bool(view.no_tree), PATIENCE_S)

    def begin_tap(self, number: int) -> None:
        if self.is_passive:
            while not self.window.follows_finger:
                self.window.wait_until_ready(PATIENCE_S)
            self.window.put_finger(WAY[number])
        else:
            self.recorder.touch_down(ready(self.recorder).frame_number or 0, WAY[number])

    def end_tap(self, number: int) -> None:
        if self.is_passive:
            self.window.lift_finger()
        else:
            self.recorder.lift(TouchStroke.press(WAY[number]))

    def await_views(self, count: int, *states: State) -> None:
        """Wait for one of `states`, and for so many more views: the emulator is killed at different instants."""
        seen = len(self.annotator.views)
        self.annotator.wait(lambda: any(view.state in states for view in self.annotator.views[seen - 1 :]))
        seen = len(self.annotator.views)
        self.annotator.wait(
            lambda: len(self.annotator.views) >= seen + count or self.recorder.view.state is State.READY
        )

    def restart(self) -> None:
        self.recorder.wait_for(lambda view: view.state is State.DEVICE_LOST, LONG_S)
        self.phone.start()

    def restore(self, steps: int) -> None:
        """Go the way of so many steps in the emulator's own window."""
        for number in range(steps):
            before = capture(self.window)
            self.window.touch(TouchStroke.press(WAY[number]))
            while capture(self.window).pixels == before.pixels:
                pass

    def assert_follows(self, *, needs_person: bool) -> None:
        """Each step was felt on the screen that it has, in order; the first after the loss says what is not known."""
        recorded = published_steps(self.store, self.recorder.episode_id)
        assert [step_position(step) for step in recorded] == WAY[: len(recorded)]
        felt = [(tap_position(touch), touch.frame.rgb_sha256) for touch in self.phone.touch_downs()]
        for number, step in enumerate(recorded):
            is_proven = (step_position(step), step.frame.rgb_sha256) in felt
            assert is_proven or DOUBTS & {flag.code for flag in step.flags}, (number, step)
        assert (FlagCode.AFTER_LOSS in {flag.code for flag in recorded[-1].flags}) == needs_person


def capture(window: EmulatorDevice) -> Frame:
    """Tries until the emulator, which has just been started, answers."""
    while True:
        try:
            return window.capture()
        except DeviceError:
            window.wait_until_ready(PATIENCE_S)


def idle(loss: Loss) -> None:
    loss.phone.kill()


def during_a_gesture(loss: Loss) -> None:
    loss.begin_tap(2)
    loss.phone.kill()
    if not loss.is_passive:
        loss.end_tap(2)


def while_a_step_is_saved(loss: Loss) -> None:
    loss.begin_tap(2)
    loss.end_tap(2)
    if not loss.is_passive:
        loss.await_views(loss.random.randrange(3), State.CHECKING, State.INJECTING)
    loss.phone.kill()


def while_settling(loss: Loss) -> None:
    loss.begin_tap(2)
    loss.end_tap(2)
    loss.recorder.wait_for(lambda view: len(view.steps) == 3, PATIENCE_S)
    if not loss.is_passive:
        loss.await_views(loss.random.randrange(3), State.SETTLING, State.CAPTURING, State.READY)
    loss.phone.kill()


def after_undo(loss: Loss) -> None:
    loss.record(2)
    loss.recorder.undo()
    loss.recorder.wait_for(lambda view: len(view.steps) == 2, PATIENCE_S)
    loss.phone.kill()


INSTANTS: tuple[Callable[[Loss], None], ...] = idle, during_a_gesture, while_a_step_is_saved, while_settling, after_undo
SEEDS = [
    (0, "passive"),
    *(pytest.param(seed, mode, marks=pytest.mark.soak) for seed in range(1, 11) for mode in ("mirror", "passive")),
]


@pytest.fixture
def phone(adb_server: PrivateAdbServer, tmp_path: Path) -> Iterator[PhoneProcess]:
    phone = PhoneProcess(adb_server, tmp_path)
    phone.start()
    try:
        yield phone
    finally:
        phone.kill()


@contextmanager
def recording(folder: Path, phone: PhoneProcess, mode: Mode, seed: int) -> Iterator[Loss]:
    connector = phone.connector
    store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
    annotator = Annotator()
    with closing(connector.connect(phone.serial)) as device, closing(connector.connect(phone.serial)) as window:
        assert isinstance(window, EmulatorDevice)
        window.wait_until_ready(PATIENCE_S)
        service = RecordingService(connector, store, "Ada", snapshots="never")
        recorder = service.begin(device, Assignment(TASK), annotator, mode)
        recorder.start()
        try:
            yield Loss(phone, recorder, annotator, window, store, Random(seed))
        except RecordingError as error:
            error.add_note(f"Noticed: {annotator.notices}")
            raise
        finally:
            recorder.stop()
            recorder.join()


@pytest.mark.parametrize(("seed", "mode"), SEEDS)
def test_killed_emulator_is_restored_before_the_next_step(
    tmp_path: Path, phone: PhoneProcess, seed: int, mode: Mode
) -> None:
    with recording(tmp_path, phone, mode, seed) as loss:
        recorder = loss.recorder
        loss.record(0)
        loss.record(1)
        instant = INSTANTS[seed % len(INSTANTS)]
        instant(loss)
        felt = len(phone.touch_downs()) - (instant is after_undo)
        loss.restart()
        view = recorder.wait_for(lambda view: view.state in {State.READY, State.RESTORING}, LONG_S)
        assert view.state is State.RESTORING, "it shows its home screen"
        steps, needs_person = len(view.steps), view.goal in {Goal.UNKNOWN, Goal.UNCERTAIN}
        assert steps in {2, 3}
        assert steps >= felt or loss.annotator.notices, "an input that is not recorded is reported"
        loss.restore(steps)
        if needs_person:
            recorder.accept_screen()
        ready(recorder, steps)
        loss.record(steps)
        recorder.complete()
        recorder.wait_for(lambda view: view.published is not None, PATIENCE_S)
    phone.kill()
    loss.assert_follows(needs_person=needs_person)
