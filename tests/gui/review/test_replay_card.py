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
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.parts import Choice
from odyssey_recorder.gui.record.recording_controller import Phase
from odyssey_recorder.gui.review.replay_card import ReplayCard
from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.quality.reviewing.review import ReplayEvidence
from odyssey_recorder.quality.reviewing.views import OpenedReview
from odyssey_recorder.replay.compare import Comparison, StepVerdict
from odyssey_recorder.replay.player import StepResult
from tests.episodes import ID, episode
from tests.fakes import FakeDevice
from tests.gui.fakes import FakeRecordings
from tests.gui.pilot import WidgetPilot
from tests.gui.review.bench_review import BenchReviewing
from tests.gui.review.opened import REVISION, reviewed
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


class CardPilot(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, root: Path) -> None:
        super().__init__(qtbot, background)
        self.bench = ReplayBench(root)
        self.card = ReplayCard(self.bench, background, self.commands)
        self.show_widget(self.card)
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
        self.show()
        self.look()
        self.commands[Command.REPLAY_EPISODE].trigger()
        self.qtbot.waitUntil(lambda: bool(self.badges))


@pytest.fixture
def pilot(qtbot: QtBot, background: Background, tmp_path: Path) -> Iterator[CardPilot]:
    made = CardPilot(qtbot, background, tmp_path / "published")
    yield made
    made.bench.may_end.set()


def test_devices_that_answer_are_offered_but_not_one_that_is_recorded_on(pilot: CardPilot) -> None:
    busy, silent = ListedDevice("emulator-5556", "device", "p", "m", "Phone"), ListedDevice("5558", "offline", "", "")
    pilot.bench.listed = (*pilot.bench.listed, busy, silent)
    pilot.show()
    pilot.look()
    choice = pilot.find(Choice)
    assert [choice.itemText(place) for place in range(choice.count())] == ["emulator-5554", "Phone (emulator-5556)"]
    pilot.card.show_recording("emulator-5554")
    assert [choice.itemText(place) for place in range(choice.count())] == ["Phone (emulator-5556)"]
    assert pilot.says("emulator-5554 is in use by a recording")
    pilot.card.show_recording("emulator-5556")
    assert choice.value == "emulator-5554"
    pilot.card.show_recording("")
    assert choice.count() == 2
    assert not pilot.says("is in use by a recording")


def test_where_the_only_device_is_recorded_on_nothing_can_be_replayed(pilot: CardPilot) -> None:
    pilot.show()
    pilot.look()
    pilot.card.show_recording("emulator-5554")
    assert not pilot.commands[Command.REPLAY_EPISODE].isEnabled()
    pilot.commands[Command.REPLAY_EPISODE].trigger()
    assert pilot.background.jobs == ()
    pilot.card.show_recording("")
    assert pilot.commands[Command.REPLAY_EPISODE].isEnabled()


def test_without_a_device_it_is_said_what_to_do_and_why_none_can_be_listed(pilot: CardPilot) -> None:
    pilot.show()
    assert pilot.says("No device. Start an emulator")
    assert not pilot.commands[Command.REPLAY_EPISODE].isEnabled()
    pilot.bench.refusal = DeviceError("adb does not answer.")
    pilot.card.look_for_devices()
    pilot.wait_for_text("adb does not answer.")


def test_badges_come_live_and_the_outcome_at_the_end(pilot: CardPilot) -> None:
    pilot.begin()
    assert pilot.badges == {0: "match"}
    assert not pilot.commands[Command.REPLAY_EPISODE].isEnabled()
    pilot.bench.may_end.set()
    pilot.qtbot.waitUntil(lambda: bool(pilot.evidence))
    assert pilot.badges == {0: "match", 1: "drift"}
    assert "Replayed on emulator-5554: 1 match, 1 drift. By Rosa" in pilot.card.outcome
    assert pilot.commands[Command.REPLAY_EPISODE].isEnabled()


def test_a_replay_can_be_cancelled(pilot: CardPilot) -> None:
    pilot.begin()
    pilot.background.cancel_jobs()
    pilot.qtbot.waitUntil(lambda: not pilot.background.jobs)
    assert pilot.evidence == []
    assert pilot.card.outcome.startswith("Not replayed yet")


def test_a_replay_that_fails_says_why(pilot: CardPilot) -> None:
    pilot.show()
    pilot.look()
    pilot.bench.refusal = ReviewError("The device has another screen.")
    pilot.commands[Command.REPLAY_EPISODE].trigger()
    pilot.wait_for_text("The device has another screen.")
    assert pilot.evidence == []


def test_what_a_replay_tells_of_an_episode_that_was_left_is_not_shown(pilot: CardPilot) -> None:
    pilot.begin()
    pilot.show(episode_id=OTHER)
    assert pilot.badges == {}
    pilot.bench.may_end.set()
    pilot.qtbot.waitUntil(lambda: not pilot.background.jobs)
    assert (pilot.badges, pilot.evidence) == ({}, [])
    assert pilot.card.outcome.startswith("Not replayed yet")


def test_whoever_comes_back_while_it_goes_on_sees_how_far_it_is(pilot: CardPilot) -> None:
    pilot.begin()
    pilot.show(episode_id=OTHER)
    pilot.show(evidence("diverged"))
    assert pilot.badges == {0: "match"}
    pilot.bench.may_end.set()
    pilot.qtbot.waitUntil(lambda: bool(pilot.evidence))
    assert pilot.badges == {0: "match", 1: "drift"}


def test_the_last_replay_of_the_episode_as_it_is_now_is_shown(pilot: CardPilot) -> None:
    pilot.show(evidence("diverged"), evidence("match", "match"), evidence("diverged", revision="0" * 64))
    assert pilot.badges == {0: "match", 1: "match"}
    assert "emulator-5554: all 2 steps match. By" in pilot.card.outcome


def test_the_window_tells_on_which_device_is_recorded(
    open_reviews: OpenReviews, service: FakeRecordings, device: FakeDevice, tmp_path: Path
) -> None:
    bench = ReplayBench(tmp_path / "reviewed")
    bench.listed = (ListedDevice(device.serial, "device", "p", "Phone"),)
    bench.record("Set an alarm")
    reviewer = open_reviews(bench)
    pilot = reviewer.pilot
    pilot.wait_for_phase(Phase.WATCHING)
    pilot.press("Record")
    pilot.start()
    pilot.press("Review")
    reviewer.open(0)
    pilot.press("Replay")
    reviewer.wait_for_text(f"{device.serial} is in use by a recording")
    assert pilot.named(Choice, "Device to replay on").value == ""
