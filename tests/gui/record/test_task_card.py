"""The task card of the Record page with a queue."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtWidgets import QListWidget, QRadioButton, QTableView

from odyssey_recorder.errors import TaskError
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.record.recording_controller import Phase
from odyssey_recorder.gui.tasks.queue_bridge import QueueBridge
from odyssey_recorder.gui.workplace import Workplace
from odyssey_recorder.task.queue.board import Status
from odyssey_recorder.task.queue.database import QueueDatabase
from odyssey_recorder.task.queue.queue import QueueEnvironment, TaskQueue
from odyssey_recorder.task.queue.transaction import Leases
from tests.fakes import FakeDevice
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fakes import FakePractice, FakeRecordings
from tests.gui.pilot import OpenAt, Pilot, button_in
from tests.task.queues import Queues
from tests.task.tasks import EPISODE, NotedEpisodes, NotedReturns, queue_of, queue_over, row, write_list

ROWS = (
    row("a", instruction="Set an alarm", meta_task="Set {item}", item="an alarm", notes="For work", start="clean_home"),
    row("b", instruction="Start a timer"),
    row("c", instruction="Add a city"),
)


@dataclass
class Bench:
    """A window with tasks from a queue."""

    pilot: Pilot
    queue: TaskQueue

    def shows(self, words: str) -> None:
        self.pilot.wait_for_text(words)

    def status(self, task_id: str) -> Status | None:
        task = self.queue.board().task(task_id)
        return None if task is None else task.status


@pytest.fixture
def returns() -> NotedReturns:
    return NotedReturns()


@pytest.fixture
def bench(open_at: OpenAt, service: FakeRecordings, returns: NotedReturns, tmp_path: Path) -> Bench:
    source = write_list(tmp_path / "tasks.jsonl", ROWS)
    queue = queue_over(source, tmp_path / "queue.sqlite", service.store, returns)
    made = Bench(open_at(Workplace(tasks=lambda: queue)), queue)
    made.pilot.wait_for_phase(Phase.WATCHING)
    made.shows("Set an alarm")
    return made


def test_the_first_task_that_waits_is_shown_and_next_goes_through_the_queue_and_begins_again(bench: Bench) -> None:
    for words in ("General Tool", "For work", "Starts from a clean home screen."):
        bench.shows(words)
    bench.shows("0 of 3 recorded, 0 skipped")
    assert bench.status("a") is Status.CLAIMED
    for words in ("Start a timer", "Add a city", "Set an alarm"):
        bench.pilot.press("Next")
        bench.shows(words)


def test_a_task_is_skipped_with_a_reason_and_comes_last(bench: Bench) -> None:
    bench.pilot.press("Skip")
    dialog = bench.pilot.dialog()
    assert not button_in(dialog, "Skip").isEnabled()
    dialog.findChildren(QRadioButton)[0].setChecked(True)
    bench.pilot.press_in(dialog, "Skip")
    bench.shows("Start a timer")
    bench.shows("0 of 3 recorded, 1 skipped")
    assert bench.status("a") is Status.SKIPPED
    for words in ("Add a city", "Set an alarm"):
        bench.pilot.press("Next")
        bench.shows(words)
    bench.shows("Skipped before: app not installed")


def test_a_published_episode_marks_its_task_and_another_brings_the_next(bench: Bench) -> None:
    bench.pilot.begin()
    bench.pilot.complete()
    bench.pilot.qtbot.waitUntil(lambda: bench.status("a") is Status.RECORDED)
    bench.pilot.press("Record another")
    bench.shows("Start a timer")
    bench.shows("1 of 3 recorded, 0 skipped")
    bench.pilot.begin()
    assert bench.status("b") is Status.UNDER_WAY


def test_a_task_of_a_draft_is_under_way_and_shown_when_resumed(bench: Bench, service: FakeRecordings) -> None:
    bench.pilot.begin()
    bench.pilot.press("Stop")
    bench.shows("Start a timer")
    assert bench.status("a") is Status.UNDER_WAY
    assert bench.queue.board().count(Status.WAITING) == 1
    bench.pilot.wait_until_enabled("Show drafts")
    bench.pilot.press("Show drafts")
    bench.pilot.press_in(bench.pilot.dialog(), "Resume")
    bench.pilot.wait_for_phase(Phase.RECORDING)
    bench.shows("For work")
    bench.pilot.wait_for_steps(0)
    bench.pilot.complete()
    bench.pilot.qtbot.waitUntil(lambda: bench.status("a") is Status.RECORDED)
    bench.pilot.qtbot.waitUntil(bench.pilot.button_named("Show drafts").isHidden)
    assert service.drafts() == []
    bench.pilot.press("Record another")
    bench.shows("Start a timer")


def test_a_task_that_is_chosen_after_an_episode_is_the_next_to_record(bench: Bench) -> None:
    bench.pilot.begin()
    bench.pilot.complete()
    bench.pilot.press("Tasks")
    bench.pilot.qtbot.waitUntil(lambda: bench.pilot.window.findChild(QTableView) is not None)
    table = bench.pilot.find(QTableView)
    bench.pilot.qtbot.waitUntil(lambda: table.model().rowCount() == len(ROWS))
    table.setCurrentIndex(table.model().index(2, 0))
    bench.pilot.press("Record this task")
    bench.pilot.qtbot.waitUntil(lambda: bench.pilot.window.page is Command.RECORD_PAGE)
    bench.pilot.wait_for_phase(Phase.WATCHING)
    bench.shows("Add a city")
    bench.pilot.begin()
    assert bench.status("c") is Status.UNDER_WAY


def test_a_recording_that_is_thrown_away_leaves_its_task_waiting(bench: Bench) -> None:
    bench.pilot.begin()
    bench.pilot.press("Discard")
    bench.pilot.press_in(bench.pilot.dialog(), "Discard")
    bench.pilot.wait_for_phase(Phase.WATCHING)
    bench.shows("Set an alarm")
    bench.pilot.wait_until_enabled("Start recording")
    bench.pilot.qtbot.waitUntil(lambda: bench.status("a") is Status.CLAIMED)


@dataclass
class SleepingComputer:
    """`bench` has the window of one annotator and the queue of another."""

    bench: Bench
    queues: Queues

    def sleep(self) -> None:
        self.queues.clock.pass_s(2 * Leases().claim_s)

    def meanwhile(self, change: Callable[[], object]) -> None:
        """Let someone else change a task while the computer sleeps."""

        def is_done() -> bool:
            self.sleep()
            try:
                change()
            except TaskError:
                return False  # the window has just renewed its claim
            return True

        self.bench.pilot.qtbot.waitUntil(is_done)


@pytest.fixture
def queues(tmp_path: Path) -> Iterator[Queues]:
    queues = Queues(tmp_path)
    queues.fill(*ROWS)
    yield queues
    queues.close()


@pytest.fixture
def asleep(queues: Queues, open_at: OpenAt) -> SleepingComputer:
    queue = queues.queue()
    bench = Bench(open_at(Workplace(tasks=lambda: queue)), queues.queue(annotator="Grace", drafts="hers"))
    bench.shows("Set an alarm")
    bench.pilot.wait_for_phase(Phase.WATCHING)
    bench.pilot.wait_until_enabled("Start recording")
    (bridge,) = bench.pilot.window.findChildren(QueueBridge)
    with bench.pilot.qtbot.waitSignal(bridge.sure, timeout=PATIENCE_MS):  # so all that was asked before is answered
        bridge.make_sure("a")
    return SleepingComputer(bench, queues)


def test_a_task_that_ran_out_and_went_to_somebody_else_is_recorded_by_them_alone(asleep: SleepingComputer) -> None:
    asleep.meanwhile(lambda: asleep.bench.queue.claim("a"))
    (bridge,) = asleep.bench.pilot.window.findChildren(QueueBridge)
    bridge.renew()
    asleep.bench.shows("Start a timer")
    asleep.bench.shows("This task is no longer reserved for you.")


def test_start_asks_first_who_has_the_task_by_now(asleep: SleepingComputer, service: FakeRecordings) -> None:
    bench = asleep.bench
    asleep.meanwhile(lambda: bench.queue.claim("a"))
    bench.pilot.press("Start recording")
    bench.shows("This task is no longer reserved for you.")
    bench.shows("it is reserved, by Grace on ")
    bench.shows("Start a timer")
    assert bench.pilot.controller.phase is Phase.WATCHING
    assert service.store.drafts() == []
    bench.pilot.begin()
    assert bench.pilot.controller.assignment is not None
    assert bench.pilot.controller.assignment.task_id == "b"


def test_a_task_that_ran_out_and_that_nobody_took_is_recorded(asleep: SleepingComputer) -> None:
    asleep.sleep()
    asleep.bench.pilot.begin()
    with pytest.raises(TaskError):
        asleep.bench.queue.claim("a")


def test_a_task_that_was_changed_meanwhile_is_read_before_it_is_recorded(asleep: SleepingComputer) -> None:
    bench, changed = asleep.bench, asleep.queues.listed(row("a", instruction="Set two alarms"))
    asleep.meanwhile(lambda: bench.queue.amend(changed, "Grace"))
    bench.pilot.press("Start recording")
    bench.shows("The task has changed. Read it again, then start.")
    bench.shows("Set two alarms")
    assert bench.pilot.controller.phase is Phase.WATCHING
    bench.pilot.begin()
    assert bench.pilot.controller.assignment is not None
    assert bench.pilot.controller.assignment.task.instruction == "Set two alarms"


def test_a_recording_begins_without_the_queue_and_says_so(bench: Bench, tmp_path: Path) -> None:
    bench.pilot.wait_until_enabled("Start recording")
    write_list(tmp_path / "tasks.jsonl", [row("a", priority=50)])
    bench.pilot.begin()
    bench.shows(
        "The queue cannot be reached, so this task may no longer be reserved for you and could be recorded twice."
    )
    bench.shows("tasks.jsonl:1: priority")


def test_a_draft_says_that_somebody_else_recorded_its_task_meanwhile(bench: Bench, tmp_path: Path) -> None:
    bench.pilot.begin()
    bench.pilot.press("Stop")
    bench.shows("Start a timer")
    database = QueueDatabase.in_file(tmp_path / "queue.sqlite")
    environment = QueueEnvironment(NotedEpisodes(), source=tmp_path / "tasks.jsonl")
    hers = TaskQueue(database, lambda: "Grace", tmp_path / "hers", environment)
    drafts = bench.pilot.named(QListWidget, "Unfinished recordings")

    def draft_says(words: str) -> bool:
        bench.pilot.press("Show drafts")
        said = words in drafts.item(0).text()
        bench.pilot.press_in(bench.pilot.dialog(), "Decide later")
        return said

    bench.pilot.wait_until_enabled("Show drafts")
    assert not draft_says("recorded this task")
    hers.mark_recorded("a", EPISODE)
    words = "Grace recorded this task on {0.day} {0:%b}. Finish it only if the dataset should contain it twice."
    bench.pilot.qtbot.waitUntil(lambda: draft_says(words.format(datetime.now().astimezone())))
    hers.send_back("a", "a step is missing")
    bench.pilot.qtbot.waitUntil(lambda: not draft_says("recorded this task"))
    hers.close()


def test_an_annotator_may_write_a_task_and_come_back_to_the_queue(bench: Bench) -> None:
    bench.pilot.press("Write my own")
    assert bench.pilot.editor("Instruction").isVisible()
    bench.pilot.qtbot.waitUntil(lambda: bench.status("a") is Status.WAITING)
    bench.pilot.press("Return to the queue")
    bench.shows("Set an alarm")


def test_when_all_tasks_are_recorded_the_card_says_so(bench: Bench) -> None:
    for number, task_id in enumerate(("b", "c")):
        bench.queue.mark_recorded(task_id, f"{number:016}")
    bench.pilot.begin()
    bench.pilot.complete()
    bench.pilot.press("Record another")
    bench.shows("No task is waiting")
    assert not bench.pilot.is_enabled("Start recording")
    assert not bench.pilot.is_enabled("Next")


def test_tasks_for_other_devices_are_left_out_and_told_of(open_at: OpenAt, device: FakeDevice, tmp_path: Path) -> None:
    device.avd_name = "Pixel_7_Pro"
    rows = (
        row("fold", instruction="Open the book", devices=["pixel_fold"]),
        row("any", instruction="Set an alarm"),
        row("tablet", instruction="Turn it", devices=["pixel_tablet", "pixel_fold"]),
    )
    queue = queue_of(tmp_path, *rows)
    pilot = open_at(Workplace(tasks=lambda: queue))
    bench = Bench(pilot, queue)
    pilot.wait_for_phase(Phase.WATCHING)
    bench.shows("Set an alarm")
    pilot.press("Next")
    bench.shows("Set an alarm")

    pilot.wait_until_enabled("Next")
    queue.mark_recorded("any", EPISODE)
    pilot.press("Next")
    bench.shows("No waiting task fits this device. There are 2 for Pixel Fold, 1 for Pixel Tablet.")
    assert not bench.pilot.is_enabled("Start recording")

    pilot.press("Tasks")
    table = pilot.find(QTableView)
    pilot.qtbot.waitUntil(lambda: table.model().rowCount() == len(rows))
    table.setCurrentIndex(table.model().index(2, 0))
    bench.shows("This task is for Pixel Tablet or Pixel Fold. Choose such a device first.")
    pilot.press("Record this task")
    bench.shows("Turn it")
    bench.shows("This task is for Pixel Tablet or Pixel Fold. Choose such a device first.")
    assert not bench.pilot.is_enabled("Start recording")


def test_the_name_of_first_use_is_that_of_the_queue(open_at: OpenAt, service: FakeRecordings, tmp_path: Path) -> None:
    practice = FakePractice(agrees=None, wanted=0)
    source = write_list(tmp_path / "tasks.jsonl", ROWS)
    file = tmp_path / "queue.sqlite"
    hers = queue_over(source, file, service.store, annotator=lambda: "Ada Lovelace")
    queue = queue_over(source, file, service.store, annotator=lambda: practice.name)
    pilot = open_at(Workplace(practice=practice, tasks=lambda: queue))
    bench = Bench(pilot, hers)
    bench.shows("Set an alarm")
    dialog = pilot.dialog()
    pilot.line("Your name").setText("Ada Lovelace")
    pilot.press_in(dialog, "I agree")
    pilot.qtbot.waitUntil(lambda: [(one.task_id, one.annotator) for one in hers.holders()] == [("a", "Ada Lovelace")])


def test_any_queue_is_told_of_a_published_episode(open_at: OpenAt, service: FakeRecordings, tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS, episodes=NotedEpisodes())
    bench = Bench(open_at(Workplace(tasks=lambda: queue)), queue)
    bench.pilot.begin()
    bench.pilot.complete()
    bench.pilot.qtbot.waitUntil(lambda: bench.status("a") is Status.RECORDED)
    task = queue.board().task("a")
    assert task is not None
    assert [entry.episode_id for entry in task.history] == service.store.episodes()


def test_an_unreadable_list_is_told_on_the_card(open_at: OpenAt, service: FakeRecordings, tmp_path: Path) -> None:
    source = write_list(tmp_path / "tasks.jsonl", [row("a", priority=50)])
    queue = queue_over(source, tmp_path / "queue.sqlite", service.store)
    bench = Bench(open_at(Workplace(tasks=lambda: queue)), queue)
    bench.shows("tasks.jsonl:1: priority")
    write_list(tmp_path / "tasks.jsonl", ROWS)
    bench.pilot.press("Next")
    bench.shows("Set an alarm")
