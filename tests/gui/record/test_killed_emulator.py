"""A recording in the window whose emulator is killed at some instant and started again on its port.

It comes back with its home screen. No step may follow on a screen that it did not lead to, and no answer may be lost.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest

from odyssey_recorder.dataset.layout import episode_ids, screenshot_path
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.frame.question_dialog import QuestionDialog
from odyssey_recorder.model.action import Complete
from odyssey_recorder.model.flag import FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.provenance_records import frame_of
from odyssey_recorder.recording.session import NOT_SENT
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.recording.view import RecordingView
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.dataset.drafts import store_in
from tests.device.bench import BUNDLED_ADB
from tests.end_to_end.journal_checks import is_same_position, published, step_position
from tests.end_to_end.phone_process import WAY, PhoneProcess
from tests.gui.pilot import OpenWindow, Pilot

ANSWER = "It is dark, then light"
LAST_VIEW = 22
"""A whole recording has about 19 views; an emulator that is not killed before is killed at the end question."""
LATEST_MS = 400
"""How long after a view, at most, the emulator is killed."""
DOUBTS = {FlagCode.UNPROVEN, FlagCode.CHANGING, FlagCode.UNWATCHED, FlagCode.CONNECTION_BROKE, FlagCode.MOVING}
LONG_MS = 60_000
ROUNDED_PX = 3
"""A click in the mirror meets a pixel of the device only nearly."""
STATUS_BAR_PX = 48
SEEDS = [seed if seed == 5 else pytest.param(seed, marks=pytest.mark.soak) for seed in range(20)]


@pytest.fixture
def phone(tmp_path: Path) -> Iterator[PhoneProcess]:
    with PrivateAdbServer(BUNDLED_ADB, tmp_path) as server:
        phone = PhoneProcess(server, tmp_path)
        phone.start()
        try:
            yield phone
        finally:
            phone.kill()


class Day:
    """An annotator who records the whole way, whatever happens to the emulator, which is killed at a random instant."""

    def __init__(self, pilot: Pilot, phone: PhoneProcess, random: Random) -> None:
        self.pilot = pilot
        self.needs_person = False
        self.typed = 0
        self.notices: list[str] = []
        self._phone = phone
        self._views_left = random.randrange(LAST_VIEW)
        self._delay_ms = random.randrange(LATEST_MS)
        self._is_killed = False
        pilot.controller.noticed.connect(lambda notice: self.notices.append(notice.text))
        pilot.controller.view_changed.connect(self._kill_in_time)

    def record(self) -> None:
        while self.pilot.controller.phase is not Phase.FINISHED:
            match self._settled().state:
                case State.DEVICE_LOST:
                    self._phone.start()
                    self._wait(lambda: self._view.state in {State.RESTORING, State.READY})
                    assert self._view.state is State.RESTORING or not self._view.steps, "it shows its home screen"
                case State.RESTORING:
                    self._restore()
                case State.READY if len(self._view.steps) < len(WAY):
                    self._act(self._click)
                case State.READY:
                    self._answer()
                case _:
                    pass  # it is over

    @property
    def _view(self) -> RecordingView:
        return self.pilot.views[-1]

    def _wait(self, condition: Callable[[], bool]) -> None:
        self.pilot.qtbot.waitUntil(condition, timeout=LONG_MS)

    def _settled(self) -> RecordingView:
        """Wait until it can go on: a killed emulator is noticed first."""
        running = {State.READY, State.RESTORING, State.FINISHED}
        killed = {State.DEVICE_LOST, State.FINISHED}
        self._wait(lambda: self._view.state in (killed if self._is_lost else running))
        if self._view.state is State.READY:
            self._wait(lambda: self.pilot.mirror.takes_input or self._view.state is not State.READY)
        return self._view

    @property
    def _is_lost(self) -> bool:
        return self._is_killed and not self._phone.is_running

    def _kill_in_time(self, _view: RecordingView) -> None:
        self._views_left -= 1
        if self._views_left == 0:
            QTimer.singleShot(self._delay_ms, self._kill)

    def _kill(self) -> None:
        if not self._is_killed:
            self._is_killed = True
            self._phone.kill()

    def _act(self, act: Callable[[], None]) -> None:
        """Wait until it has an effect: another state, a refusal, or a killed emulator."""
        notices, views = len(self.notices), len(self.pilot.views)
        act()
        self._wait(
            lambda: (
                any(view.state is not State.READY for view in self.pilot.views[views:])
                or len(self.notices) > notices
                or self._is_lost
            )
        )

    def _click(self) -> None:
        at = WAY[len(self._view.steps)]
        self.pilot.click(at.x, at.y)

    def _restore(self) -> None:
        """Go the way of the recorded steps in the emulator's own window, and say that the screens match if asked."""
        steps, goal = len(self._view.steps), self._view.goal
        with closing(self._phone.connector.connect(self._phone.serial)) as hand, ThreadPoolExecutor() as pool:
            assert isinstance(hand, EmulatorDevice)
            going = pool.submit(go_the_way, hand, WAY[:steps])
            self._wait(going.done)
            going.result()
        if goal in {Goal.UNKNOWN, Goal.UNCERTAIN}:
            self.needs_person = True
            self.pilot.press("Screens match, continue")
        self._wait(lambda: self._view.state is State.READY)

    def _answer(self) -> None:
        """Type the answer unless it is still there; the emulator is killed now at the latest."""
        if not self.pilot.is_asked:
            self.pilot.press("Complete")
        dialog, note = self.pilot.dialog(), self.pilot.line("Note")
        assert isinstance(dialog, QuestionDialog)
        if note.text() != ANSWER:
            QTest.keyClicks(note, ANSWER)
            self.typed += 1
        if not self._is_killed:
            self._kill()
            return
        self._act(lambda: self.pilot.publish(dialog))


def go_the_way(hand: EmulatorDevice, way: Sequence[Pixel]) -> None:
    """Tap in the emulator's own window; each tap changes its screen."""
    hand.wait_until_ready(LONG_MS / 1000)
    for at in way:
        before = hand.capture()
        hand.touch(TouchStroke.press(at))
        while hand.capture().pixels == before.pixels:
            pass


@pytest.mark.parametrize("seed", SEEDS)
def test_recording_goes_on_after_its_emulator_is_killed(
    seed: int, phone: PhoneProcess, open_window: OpenWindow, tmp_path: Path
) -> None:
    store = store_in(tmp_path)
    pilot = open_window(RecordingService(phone.connector, store, "Ada", snapshots="never")).watching()
    pilot.start()
    day = Day(pilot, phone, Random(seed))
    day.record()
    phone.kill()

    (episode_id,) = episode_ids(store.root)
    episode, provenance = published(store, episode_id)
    assert episode.steps[-1].action == Complete(ANSWER)
    assert day.typed == 1 or NOT_SENT in day.notices, "an answer that is lost is reported"
    steps = provenance.steps[:-1]
    shown = [frame_of(store.root / screenshot_path(episode_id, number)) for number in range(len(steps))]
    felt = phone.touch_downs()
    for number, (step, at) in enumerate(zip(steps, WAY, strict=True)):
        clicked = step_position(step)
        assert max(abs(clicked.x - at.x), abs(clicked.y - at.y)) <= ROUNDED_PX
        met = any(is_same_position(step, tap) and step.frame.rgb_sha256 == tap.frame.rgb_sha256 for tap in felt)
        assert met or DOUBTS & {flag.code for flag in step.flags}, (number, step)
        assert not any(shown[number].shows_same_as(before, ignore_top_px=STATUS_BAR_PX) for before in shown[:number])
    has_doubt = any(flag.code is FlagCode.AFTER_LOSS for step in provenance.steps for flag in step.flags)
    assert has_doubt == day.needs_person
