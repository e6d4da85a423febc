"""A replay from the Review page: choice of device, progress and outcome."""

import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PIL import Image
from pytestqt.qtbot import QtBot

from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.errors import DeviceError, ReviewError
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.parts import Choice
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.review.replay_card import ReplayCard
from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.replay.compare import Comparison, StepVerdict
from odyssey_recorder.replay.player import StepResult
from odyssey_recorder.review.review import ReplayEvidence
from odyssey_recorder.review.views import OpenedReview
from tests.episodes import ID, episode
from tests.fakes import FakeDevice
from tests.gui.fakes import FakeRecordings
from tests.gui.pilot import WidgetPilot
from tests.gui.review.fake_reviewing import FakeReviewing
from tests.gui.review.opened_reviews import REVISION, opened_review
from tests.gui.review.reviewer import OpenReviews

OTHER = "0006223132449497"
VERDICTS = (StepVerdict.MATCH, StepVerdict.DRIFT)


def evidence(*steps: str, revision: str = REVISION, serial: str = "emulator-5554") -> ReplayEvidence:
    return ReplayEvidence.model_validate(
        {
            "id": "a" * 32, "at": datetime(2026, 3, 2, 12, tzinfo=UTC), "by": "Rosa", "revision": revision,
            "serial": serial, "outcome": steps[-1] if steps else "failed", "steps": steps,
        }
    )  # fmt: skip


class FakeReplaying(FakeReviewing):
    """Has one device; a replay reports its first step at once, and the second once `may_end` is set."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.listed: Sequence[ListedDevice] = (ListedDevice("emulator-5554", "device", "p", "Phone"),)
        self.error: Exception | None = None
        self.may_end = threading.Event()

    def devices(self) -> Sequence[ListedDevice]:
        if self.error is not None:
            raise self.error
        return self.listed

    def replay(
        self, episode_id: str, serial: str, on_step: Callable[[StepResult], object], cancelled: Callable[[], bool]
    ) -> ReplayEvidence:
        if self.error is not None:
            raise self.error
        on_step(result(0, VERDICTS[0]))
        while not self.may_end.wait(0.01):
            if cancelled():
                raise ReviewError("The replay was stopped.")
        on_step(result(1, VERDICTS[1]))
        return evidence(*(verdict.value for verdict in VERDICTS), serial=serial)


def result(number: int, verdict: StepVerdict) -> StepResult:
    comparison = Comparison(verdict, 0.0, 1.0, ())
    action = Click(Point(1, 1))
    return StepResult(number, action, comparison, Image.new("RGB", (4, 4)), Size(4, 4), Size(4, 4), settled=True)


class CardDriver(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, root: Path) -> None:
        super().__init__(qtbot, background)
        self.reviewing = FakeReplaying(root)
        self.card = ReplayCard(self.reviewing, background, self.commands)
        self.show_widget(self.card)
        self.badges: dict[int, str] = {}
        self.card.badges_cleared.connect(self.badges.clear)
        self.card.step_replayed.connect(self.badges.__setitem__)

    def show(self, *entries: ReplayEvidence, episode_id: str = ID) -> OpenedReview:
        recorded = episode(Click(Point(1, 1)), Complete(), episode_id=episode_id)
        review = opened_review(Path("shots"), recorded, entries=entries)
        self.card.show_review(review)
        return review

    def find_devices(self) -> None:
        self.card.look_for_devices()
        self.qtbot.waitUntil(lambda: self.commands[ReviewCommand.REPLAY_EPISODE].isEnabled())

    def begin(self) -> None:
        self.show()
        self.find_devices()
        self.commands[ReviewCommand.REPLAY_EPISODE].trigger()
        self.qtbot.waitUntil(lambda: bool(self.badges))


@pytest.fixture
def driver(qtbot: QtBot, background: Background, tmp_path: Path) -> Iterator[CardDriver]:
    driver = CardDriver(qtbot, background, tmp_path / "published")
    yield driver
    driver.reviewing.may_end.set()


def test_only_online_devices_that_do_not_record_are_offered(driver: CardDriver) -> None:
    phone = ListedDevice("emulator-5556", "device", "p", "m", "Phone")
    driver.reviewing.listed = (*driver.reviewing.listed, phone, ListedDevice("5558", "offline", "", ""))
    driver.show()
    driver.find_devices()
    choice = driver.find(Choice)
    assert [choice.itemText(item) for item in range(choice.count())] == ["emulator-5554", "Phone (emulator-5556)"]
    driver.card.show_recording("emulator-5554")
    assert [choice.itemText(item) for item in range(choice.count())] == ["Phone (emulator-5556)"]
    assert driver.says("emulator-5554 is in use by a recording")
    driver.card.show_recording("emulator-5556")
    assert choice.value == "emulator-5554"
    driver.card.show_recording("")
    assert choice.count() == 2
    assert not driver.says("is in use by a recording")


def test_no_replay_while_the_only_device_records(driver: CardDriver) -> None:
    driver.show()
    driver.find_devices()
    driver.card.show_recording("emulator-5554")
    assert not driver.commands[ReviewCommand.REPLAY_EPISODE].isEnabled()
    driver.commands[ReviewCommand.REPLAY_EPISODE].trigger()
    assert driver.background.jobs == ()
    driver.card.show_recording("")
    assert driver.commands[ReviewCommand.REPLAY_EPISODE].isEnabled()


def test_missing_device_is_explained(driver: CardDriver) -> None:
    driver.show()
    assert driver.says("No device. Start an emulator")
    assert not driver.commands[ReviewCommand.REPLAY_EPISODE].isEnabled()
    driver.reviewing.error = DeviceError("adb does not answer.")
    driver.card.look_for_devices()
    driver.wait_for_text("adb does not answer.")


def test_badges_appear_live_and_the_outcome_at_the_end(driver: CardDriver) -> None:
    driver.begin()
    assert driver.badges == {0: "match"}
    assert not driver.commands[ReviewCommand.REPLAY_EPISODE].isEnabled()
    driver.reviewing.may_end.set()
    driver.qtbot.waitUntil(lambda: driver.badges == {0: "match", 1: "drift"})
    assert driver.says("Replayed on emulator-5554: 1 match, 1 drift. By Rosa")
    assert driver.commands[ReviewCommand.REPLAY_EPISODE].isEnabled()


def test_replay_can_be_cancelled(driver: CardDriver) -> None:
    driver.begin()
    driver.background.cancel_jobs()
    driver.qtbot.waitUntil(lambda: not driver.background.jobs)
    assert driver.says("Not replayed yet")


def test_failed_replay_shows_the_reason(driver: CardDriver) -> None:
    driver.show()
    driver.find_devices()
    driver.reviewing.error = ReviewError("The device has another screen.")
    driver.commands[ReviewCommand.REPLAY_EPISODE].trigger()
    driver.wait_for_text("The device has another screen.")


def test_replay_of_another_episode_is_not_shown(driver: CardDriver) -> None:
    driver.begin()
    driver.show(episode_id=OTHER)
    assert driver.badges == {}
    driver.reviewing.may_end.set()
    driver.qtbot.waitUntil(lambda: not driver.background.jobs)
    assert driver.badges == {}
    assert driver.says("Not replayed yet")


def test_running_replay_is_shown_on_return(driver: CardDriver) -> None:
    driver.begin()
    driver.show(episode_id=OTHER)
    driver.show(evidence("diverged"))
    assert driver.badges == {0: "match"}
    driver.reviewing.may_end.set()
    driver.qtbot.waitUntil(lambda: driver.badges == {0: "match", 1: "drift"})


def test_last_replay_of_the_current_revision_is_shown(driver: CardDriver) -> None:
    driver.show(evidence("diverged"), evidence("match", "match"), evidence("diverged", revision="0" * 64))
    assert driver.badges == {0: "match", 1: "match"}
    assert driver.says("emulator-5554: all 2 steps match. By")


def test_recording_device_is_not_offered_for_replay(
    open_reviews: OpenReviews, service: FakeRecordings, device: FakeDevice, tmp_path: Path
) -> None:
    reviewing = FakeReplaying(tmp_path / "reviewed")
    reviewing.listed = (ListedDevice(device.serial, "device", "p", "Phone"),)
    reviewing.record("Set an alarm")
    reviewer = open_reviews(reviewing)
    pilot = reviewer.pilot
    pilot.wait_for_phase(Phase.WATCHING)
    pilot.press("Record")
    pilot.start()
    pilot.press("Review")
    reviewer.open(0)
    pilot.press("Replay")
    reviewer.wait_for_text(f"{device.serial} is in use by a recording")
    assert pilot.named(Choice, "Device to replay on").value == ""
