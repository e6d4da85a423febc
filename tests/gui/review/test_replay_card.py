"""A replay from the Review page: choice of device, progress and outcome."""

import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtWidgets import QLabel, QMainWindow
from pytestqt.qtbot import QtBot

from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.errors import DeviceError, ReviewError
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import Choice
from odyssey_recorder.gui.record.recording_controller import Phase
from odyssey_recorder.gui.review.replay_card import ReplayCard
from odyssey_recorder.gui.workplace import Workplace, load_pages
from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.quality.reviewing.review import ReplayEvidence
from odyssey_recorder.quality.reviewing.views import OpenedReview
from odyssey_recorder.replay.compare import Comparison, StepVerdict
from odyssey_recorder.replay.player import StepResult
from tests.episodes import ID, episode
from tests.fakes import FakeDevice
from tests.gui.fakes import FakeRecordings
from tests.gui.pilot import Pilot
from tests.gui.review.bench_review import BenchReviewing
from tests.gui.review.opened import REVISION, reviewed
from tests.gui.review.reviewer import Reviewer

OTHER = "0006223132449497"
VERDICTS = (StepVerdict.MATCH, StepVerdict.DRIFT)


def evidence(*steps: str, revision: str = REVISION, serial: str = "emulator-5554") -> ReplayEvidence:
    return ReplayEvidence.model_validate(
        {
            "id": "a" * 32, "at": datetime(2026, 3, 2, 12, tzinfo=UTC), "by": "Rosa", "revision": revision,
            "serial": serial, "outcome": steps[-1] if steps else "failed", "steps": steps,
        }
    )  # fmt: skip


class ReplayBench(BenchReviewing):
    """Has one device; a replay reports its first step at once, and the second when released."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.listed: Sequence[ListedDevice] = (ListedDevice("emulator-5554", "device", "p", "Phone"),)
        self.refusal: Exception | None = None
        self.may_end = threading.Event()

    def devices(self) -> Sequence[ListedDevice]:
        if self.refusal is not None:
            raise self.refusal
        return self.listed

    def replay(
        self, episode_id: str, serial: str, on_step: Callable[[StepResult], None], cancelled: Callable[[], bool]
    ) -> ReplayEvidence:
        if self.refusal is not None:
            raise self.refusal
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


class Table:
    def __init__(self, qtbot: QtBot, root: Path) -> None:
        self.qtbot = qtbot
        self.bench = ReplayBench(root)
        self.window = QMainWindow()
        self.background, self.commands = Background(self.window), Commands(self.window)
        self.card = ReplayCard(self.bench, self.background, self.commands)
        self.window.setCentralWidget(self.card)
        self.window.show()
        self.badges: dict[int, str] = {}
        self.evidence: list[ReplayEvidence] = []
        self.card.badges_cleared.connect(self.badges.clear)
        self.card.step_came.connect(self.badges.__setitem__)
        self.card.evidence_came.connect(self.evidence.append)

    def show(self, *entries: ReplayEvidence, episode_id: str = ID) -> OpenedReview:
        made = episode(Click(Point(1, 1)), Complete(), episode_id=episode_id)
        review = reviewed(Path("shots"), made, entries=entries)
        self.card.show_review(review)
        return review

    def look(self) -> None:
        self.card.look_for_devices()
        self.qtbot.waitUntil(lambda: self.commands[Command.REPLAY_EPISODE].isEnabled())

    def begin(self) -> None:
        self.commands[Command.REPLAY_EPISODE].trigger()
        self.qtbot.waitUntil(lambda: bool(self.badges))

    def says(self, words: str) -> bool:
        return any(words in label.text() for label in self.card.findChildren(QLabel) if not label.isHidden())


@pytest.fixture
def table(qtbot: QtBot, tmp_path: Path) -> Iterator[Table]:
    made = Table(qtbot, tmp_path / "published")
    yield made
    made.bench.may_end.set()
    made.background.close()
    made.window.close()
    made.window.deleteLater()


def test_without_a_device_it_is_said_what_to_do(table: Table) -> None:
    table.show()
    assert table.says("No device. Start an emulator")
    assert not table.commands[Command.REPLAY_EPISODE].isEnabled()


def test_only_devices_that_answer_are_offered(table: Table, qtbot: QtBot) -> None:
    table.bench.listed = (*table.bench.listed, ListedDevice("emulator-5556", "offline", "", ""))
    table.show()
    table.look()
    choice = table.card.findChild(Choice)
    assert choice is not None
    assert [choice.itemText(place) for place in range(choice.count())] == ["emulator-5554 · Phone"]


def test_a_device_that_is_recorded_on_is_not_offered_until_that_has_ended(table: Table) -> None:
    table.bench.listed = (*table.bench.listed, ListedDevice("emulator-5556", "device", "p", "Phone"))
    table.show()
    table.look()
    choice = table.card.findChild(Choice)
    assert choice is not None
    table.card.show_recording("emulator-5554")
    assert [choice.itemText(place) for place in range(choice.count())] == ["emulator-5556 · Phone"]
    assert table.says("emulator-5554 is being recorded on")
    table.card.show_recording("emulator-5556")
    assert choice.value == "emulator-5554"
    table.card.show_recording("")
    assert choice.count() == 2
    assert not table.says("is being recorded on")


def test_where_the_only_device_is_recorded_on_nothing_can_be_replayed(table: Table) -> None:
    table.show()
    table.look()
    table.card.show_recording("emulator-5554")
    assert not table.commands[Command.REPLAY_EPISODE].isEnabled()
    table.commands[Command.REPLAY_EPISODE].trigger()
    assert table.background.jobs == ()
    table.card.show_recording("")
    assert table.commands[Command.REPLAY_EPISODE].isEnabled()


def test_why_devices_cannot_be_listed_is_said(table: Table, qtbot: QtBot) -> None:
    table.bench.refusal = DeviceError("adb does not answer.")
    table.show()
    table.card.look_for_devices()
    qtbot.waitUntil(lambda: table.says("adb does not answer."))


def test_badges_come_live_and_the_outcome_at_the_end(table: Table, qtbot: QtBot) -> None:
    table.show()
    table.look()
    table.begin()
    assert table.badges == {0: "match"}
    assert not table.commands[Command.REPLAY_EPISODE].isEnabled()
    table.bench.may_end.set()
    qtbot.waitUntil(lambda: bool(table.evidence))
    assert table.badges == {0: "match", 1: "drift"}
    assert "Replayed on emulator-5554: 1 match, 1 drift. By Rosa" in table.card.outcome
    assert table.commands[Command.REPLAY_EPISODE].isEnabled()


def test_a_replay_can_be_cancelled(table: Table, qtbot: QtBot) -> None:
    table.show()
    table.look()
    table.begin()
    table.background.cancel_jobs()
    qtbot.waitUntil(lambda: not table.background.jobs)
    assert table.evidence == []
    assert table.card.outcome.startswith("Not replayed yet")


def test_a_replay_that_fails_says_why(table: Table, qtbot: QtBot) -> None:
    table.show()
    table.look()
    table.bench.refusal = ReviewError("The device has another screen.")
    table.commands[Command.REPLAY_EPISODE].trigger()
    qtbot.waitUntil(lambda: table.says("The device has another screen."))
    assert table.evidence == []


def test_what_a_replay_tells_of_an_episode_that_was_left_is_not_shown(table: Table, qtbot: QtBot) -> None:
    table.show()
    table.look()
    table.begin()
    table.show(episode_id=OTHER)
    assert table.badges == {}
    table.bench.may_end.set()
    qtbot.waitUntil(lambda: not table.background.jobs)
    assert (table.badges, table.evidence) == ({}, [])
    assert table.card.outcome.startswith("Not replayed yet")


def test_whoever_comes_back_while_it_goes_on_sees_how_far_it_is(table: Table, qtbot: QtBot) -> None:
    table.show()
    table.look()
    table.begin()
    table.show(episode_id=OTHER)
    table.show(evidence("diverged"))
    assert table.badges == {0: "match"}
    table.bench.may_end.set()
    qtbot.waitUntil(lambda: bool(table.evidence))
    assert table.badges == {0: "match", 1: "drift"}


def test_the_last_replay_of_the_episode_as_it_is_now_is_shown(table: Table) -> None:
    table.show(evidence("diverged"), evidence("match", "match"), evidence("diverged", revision="0" * 64))
    assert table.badges == {0: "match", 1: "match"}
    assert "emulator-5554: all 2 steps match. By" in table.card.outcome


def test_the_window_tells_on_which_device_is_recorded(
    open_at: Callable[[Workplace], Pilot], service: FakeRecordings, device: FakeDevice, tmp_path: Path
) -> None:
    load_pages()
    bench = ReplayBench(tmp_path / "reviewed")
    bench.listed = (ListedDevice(device.serial, "device", "p", "Phone"),)
    bench.record("Set an alarm")
    service.devices_there.append(device)
    pilot = open_at(Workplace(review=lambda: bench))
    pilot.wait_for_phase(Phase.WATCHING)
    pilot.start()
    pilot.press("Review")
    reviewer = Reviewer(pilot)
    pilot.qtbot.waitUntil(lambda: len(reviewer.listed) == 1)
    reviewer.open(0)
    pilot.press("Replay")
    pilot.qtbot.waitUntil(lambda: pilot.says(f"{device.serial} is being recorded on"))
    assert pilot.named(Choice, "Device to replay on").value == ""
