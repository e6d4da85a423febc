"""The task card of the Record page with a queue."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QListWidget, QRadioButton, QScrollArea, QTableView

from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.errors import TaskError
from odyssey_recorder.gui.bridges.queue import QueueBridge
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.review.review import Move
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.services.review_files import add_reply
from odyssey_recorder.tasks.queue.queue import TaskQueue
from odyssey_recorder.tasks.queue.task_status import Status
from odyssey_recorder.tasks.queue.transaction import Leases
from tests.fakes import FakeDevice
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fakes import FakePractice, FakeRecordings
from tests.gui.pilot import OpenAt, Pilot, button_in, texts_in
from tests.tasks.queues import Queues, queued_task, status
from tests.tasks.tasks import EPISODE, FakeEpisodes, queue_of, queue_over, row, write_list

ROWS = (
    row("a", instruction="Set an alarm", meta_task="Set {item}", item="an alarm", notes="For work", start="clean_home"),
    row("b", instruction="Start a timer"),
    row("c", instruction="Add a city"),
)


@pytest.fixture
def queue(service: FakeRecordings, tmp_path: Path) -> TaskQueue:
    source = write_list(tmp_path / "tasks.jsonl", ROWS)
    return queue_over(source, tmp_path / "queue.sqlite", service.store)


@pytest.fixture
def pilot(open_at: OpenAt, queue: TaskQueue) -> Pilot:
    pilot = open_at(Workplace(tasks=lambda: queue)).watching()
    pilot.wait_for_text("Set an alarm")
    return pilot


def test_data_of_the_apps_is_deleted_after_one_question(
    open_at: OpenAt, service: FakeRecordings, device: FakeDevice, tmp_path: Path
) -> None:
    queue = queue_of(tmp_path, row("a", instruction="Set an alarm", apps=["Clock", "Scribbles"], start="clean_apps"))
    pilot = open_at(Workplace(tasks=lambda: queue)).watching()
    pilot.wait_for_text("after the data of its apps is deleted")
    for answer in ("Cancel", "Delete and start"):
        pilot.wait_until_enabled("Start recording")
        assert (device.asked_to_clear, pilot.controller.phase) == ([], Phase.WATCHING)
        pilot.press("Start recording")
        dialog = pilot.dialog()
        assert "Delete all data of Clock, Scribbles on this device?" in texts_in(dialog)
        pilot.press_in(dialog, answer)
        pilot.wait_to_close(dialog)
    pilot.wait_for_phase(Phase.RECORDING)
    pilot.wait_for_text("These apps keep their data: Scribbles.")
    pilot.wait_for_steps(0)
    pilot.complete()
    pilot.qtbot.waitUntil(lambda: status(queue, "a") is Status.RECORDED)
    known = service.store.provenance(service.episode.episode_id)
    assert known is not None
    assert known.origin.start.cleared == ("com.google.android.deskclock",)
    assert known.origin.start.kept == ("Scribbles",)


def test_next_or_own_task_releases_the_reserved_one(pilot: Pilot, queue: TaskQueue) -> None:
    for text in ("General Tool", "For work", "Starts from a clean home screen.", "0 of 3 recorded, 0 skipped"):
        pilot.wait_for_text(text)
    assert status(queue, "a") is Status.CLAIMED
    for instruction in ("Start a timer", "Add a city", "Set an alarm"):
        pilot.press("Next")
        pilot.wait_for_text(instruction)
    pilot.press("Write my own")
    assert pilot.editor("Instruction").isVisible()
    pilot.qtbot.waitUntil(lambda: status(queue, "a") is Status.WAITING)
    pilot.press("Return to the queue")
    pilot.wait_for_text("Set an alarm")


def test_released_task_is_replaced_and_the_reason_is_shown(pilot: Pilot, queue: TaskQueue, tmp_path: Path) -> None:
    lea = queue_over(tmp_path / "tasks.jsonl", tmp_path / "queue.sqlite", FakeEpisodes(), annotator=lambda: "Lea")
    lea.free("a", "Bob knows this app")
    pilot.wait_for_text("Released by Lea: Bob knows this app")
    pilot.wait_for_text("This task is no longer reserved for you.")
    pilot.wait_for_text("Start a timer")
    lea.assign(["b", "c"], "Bob")
    pilot.wait_for_text("Assigned by Lea to Bob")
    pilot.wait_for_text("Set an alarm")
    assert [holder.task_id for holder in lea.holders()] == ["a"]


def test_published_task_is_followed_by_the_next(open_at: OpenAt, service: FakeRecordings, tmp_path: Path) -> None:
    queue = queue_of(tmp_path, *ROWS[:2], episodes=FakeEpisodes())
    pilot = open_at(Workplace(tasks=lambda: queue))
    pilot.begin()
    pilot.complete()
    pilot.qtbot.waitUntil(lambda: status(queue, "a") is Status.RECORDED)
    assert [entry.episode_id for entry in queued_task(queue, "a").history] == sorted(episode_ids(service.store.root))
    pilot.press("Record another")
    pilot.wait_for_text("Start a timer")
    pilot.wait_for_text("1 of 2 recorded, 0 skipped")
    queue.mark_recorded("b", EPISODE)
    pilot.wait_until_enabled("Next")
    pilot.press("Next")
    pilot.wait_for_text("No task is waiting")
    assert not pilot.is_enabled("Start recording")
    assert not pilot.is_enabled("Next")


def test_skipped_task_needs_a_reason_and_comes_last(pilot: Pilot, queue: TaskQueue) -> None:
    pilot.press("Skip")
    dialog = pilot.dialog()
    assert not button_in(dialog, "Skip").isEnabled()
    dialog.findChildren(QRadioButton)[0].setChecked(True)
    pilot.press_in(dialog, "Skip")
    pilot.wait_for_text("Start a timer")
    pilot.wait_for_text("0 of 3 recorded, 1 skipped")
    assert status(queue, "a") is Status.SKIPPED
    for instruction in ("Add a city", "Set an alarm"):
        pilot.press("Next")
        pilot.wait_for_text(instruction)
    pilot.wait_for_text("Skipped before: app not installed")


def test_resumed_draft_shows_its_task(pilot: Pilot, queue: TaskQueue, service: FakeRecordings) -> None:
    pilot.begin()
    pilot.press("Stop")
    pilot.wait_for_text("Start a timer")
    assert status(queue, "a") is Status.UNDER_WAY
    assert queue.board().count(Status.WAITING) == 1
    pilot.wait_until_enabled("Show drafts")
    pilot.press("Show drafts")
    pilot.press_in(pilot.dialog(), "Resume")
    pilot.wait_for_phase(Phase.RECORDING)
    pilot.wait_for_text("For work")
    pilot.wait_for_steps(0)
    pilot.complete()
    pilot.qtbot.waitUntil(lambda: status(queue, "a") is Status.RECORDED)
    pilot.qtbot.waitUntil(pilot.button_named("Show drafts").isHidden)
    assert service.drafts() == []
    pilot.press("Record another")
    pilot.wait_for_text("Start a timer")


def choose_third_task(pilot: Pilot) -> None:
    pilot.press("Tasks")
    pilot.qtbot.waitUntil(lambda: pilot.window.findChild(QTableView) is not None)
    table = pilot.find(QTableView)
    pilot.qtbot.waitUntil(lambda: table.model().rowCount() == 3)
    table.setCurrentIndex(table.model().index(2, 0))


def test_task_chosen_on_the_tasks_page_is_recorded_next(pilot: Pilot, queue: TaskQueue) -> None:
    pilot.begin()
    pilot.complete()
    choose_third_task(pilot)
    pilot.press("Record this task")
    pilot.qtbot.waitUntil(lambda: pilot.window.page is CommonCommand.RECORD_PAGE)
    pilot.wait_for_phase(Phase.WATCHING)
    pilot.wait_for_text("Add a city")
    pilot.begin()
    assert status(queue, "c") is Status.UNDER_WAY


def test_discarded_recording_keeps_its_task_reserved(pilot: Pilot, queue: TaskQueue) -> None:
    pilot.begin()
    pilot.press("Discard")
    pilot.press_in(pilot.dialog(), "Discard")
    pilot.wait_for_phase(Phase.WATCHING)
    pilot.wait_for_text("Set an alarm")
    pilot.wait_until_enabled("Start recording")
    pilot.qtbot.waitUntil(lambda: status(queue, "a") is Status.CLAIMED)


@pytest.fixture
def queues(tmp_path: Path) -> Iterator[Queues]:
    queues = Queues(tmp_path)
    queues.fill(*ROWS)
    yield queues
    queues.close()


@pytest.fixture
def grace(queues: Queues) -> TaskQueue:
    """The queue of another annotator."""
    return queues.queue(annotator="Grace", drafts="graces_drafts")


@pytest.fixture
def ada(queues: Queues, open_at: OpenAt) -> Pilot:
    """The window of an annotator who has reserved the first task."""
    queue = queues.queue()
    pilot = open_at(Workplace(tasks=lambda: queue)).watching()
    pilot.wait_for_text("Set an alarm")
    pilot.wait_until_enabled("Start recording")
    (bridge,) = pilot.window.findChildren(QueueBridge)
    with pilot.qtbot.waitSignal(bridge.claim_confirmed, timeout=PATIENCE_MS):
        bridge.confirm_claim("a")  # all earlier requests are answered by then
    return pilot


def change_after_expiry(pilot: Pilot, queues: Queues, change: Callable[[], object]) -> None:
    """Let another annotator change a task once Ada's claim has expired."""

    def is_done() -> bool:
        queues.clock.advance_s(2 * Leases().claim_s)
        try:
            change()
        except TaskError:
            return False  # the window has just renewed its claim
        return True

    pilot.qtbot.waitUntil(is_done)


def test_expired_claim_taken_by_another_brings_the_next_task(ada: Pilot, grace: TaskQueue, queues: Queues) -> None:
    change_after_expiry(ada, queues, lambda: grace.claim("a"))
    (bridge,) = ada.window.findChildren(QueueBridge)
    bridge.renew()
    ada.wait_for_text("Start a timer")
    ada.wait_for_text("This task is no longer reserved for you.")


def test_start_is_denied_without_claim(ada: Pilot, grace: TaskQueue, queues: Queues, service: FakeRecordings) -> None:
    change_after_expiry(ada, queues, lambda: grace.claim("a"))
    ada.press("Start recording")
    ada.wait_for_text("This task is no longer reserved for you.")
    ada.wait_for_text("it is reserved, by Grace on ")
    ada.wait_for_text("Start a timer")
    assert ada.controller.phase is Phase.WATCHING
    assert service.store.drafts() == []
    ada.begin()
    assert ada.controller.assignment is not None
    assert ada.controller.assignment.task_id == "b"


def test_start_renews_an_expired_claim(ada: Pilot, grace: TaskQueue, queues: Queues) -> None:
    queues.clock.advance_s(2 * Leases().claim_s)
    ada.begin()
    with pytest.raises(TaskError):
        grace.claim("a")


def test_changed_task_is_shown_again_before_recording(ada: Pilot, grace: TaskQueue, queues: Queues) -> None:
    changed = queues.listed(row("a", instruction="Set two alarms"))
    change_after_expiry(ada, queues, lambda: grace.amend(changed, "Grace"))
    ada.press("Start recording")
    ada.wait_for_text("The task has changed. Read it again, then start.")
    ada.wait_for_text("Set two alarms")
    assert ada.controller.phase is Phase.WATCHING
    ada.begin()
    assert ada.controller.assignment is not None
    assert ada.controller.assignment.task.instruction == "Set two alarms"


def test_recording_starts_with_a_warning_without_the_queue(pilot: Pilot, tmp_path: Path) -> None:
    pilot.wait_until_enabled("Start recording")
    write_list(tmp_path / "tasks.jsonl", [row("a", priority=50)])
    pilot.begin()
    pilot.wait_for_text("Can't reach the team queue. You can record, but somebody else may record the same task.")
    pilot.wait_for_text("tasks.jsonl:1: priority")


def test_draft_warns_that_another_recorded_its_task(pilot: Pilot, tmp_path: Path) -> None:
    pilot.begin()
    pilot.press("Stop")
    pilot.wait_for_text("Start a timer")
    grace = queue_over(tmp_path / "tasks.jsonl", tmp_path / "queue.sqlite", FakeEpisodes(), annotator=lambda: "Grace")
    drafts = pilot.named(QListWidget, "Unfinished recordings")

    def draft_text() -> str:
        pilot.press("Show drafts")
        text = drafts.item(0).text()
        pilot.press_in(pilot.dialog(), "Decide later")
        return text

    pilot.wait_until_enabled("Show drafts")
    assert "recorded this task" not in draft_text()
    grace.mark_recorded("a", EPISODE)
    warning = "Grace recorded this task on {0.day} {0:%b}. Continue only if a second recording is wanted."
    pilot.qtbot.waitUntil(lambda: warning.format(datetime.now().astimezone()) in draft_text())
    grace.send_back("a", "a step is missing")
    pilot.qtbot.waitUntil(lambda: "recorded this task" not in draft_text())
    grace.close()


def test_annotator_replies_to_the_reviewer_who_sent_the_task_back(
    open_at: OpenAt, service: FakeRecordings, tmp_path: Path
) -> None:
    source, reviews = write_list(tmp_path / "tasks.jsonl", ROWS[:2]), ReviewStore(service.store.root)
    queue = queue_over(source, tmp_path / "queue.sqlite", service.store, reviews, annotator=lambda: "Tester")
    pilot = open_at(Workplace(tasks=lambda: queue))
    pilot.begin()
    pilot.complete()
    pilot.qtbot.waitUntil(lambda: status(queue, "a") is Status.RECORDED)
    assert not pilot.named(QAbstractButton, "Reply").isVisible()
    episode_id = service.episode.episode_id
    reviews.append(
        episode_id, Move(id="a" * 32, at=datetime.now(UTC), by="Bea", to="annotator", why="A step is missing")
    )
    pilot.press("Record another")
    pilot.wait_for_text("Sent back before:\nBea, ")
    button = pilot.named(QAbstractButton, "Reply")
    areas = pilot.window.findChildren(QScrollArea)
    assert not any(area.isAncestorOf(button) for area in areas), "a long task would scroll it away"
    pilot.press("Reply")
    dialog = pilot.dialog()
    assert any(text.startswith("Bea, ") and text.endswith(": A step is missing") for text in texts_in(dialog))
    pilot.press_in(dialog, "1   I did what the task says")
    pilot.press_in(dialog, "Reply")
    pilot.wait_for_text("Your reply is saved. The reviewers see it.")
    (reply,) = reviews.read(episode_id).replies
    assert (reply.by, reply.words) == ("Tester", "I did what the task says")
    add_reply(service.store.root, "Bea", episode_id, "Then show the list")
    pilot.wait_for_text(": Then show the list")
    pilot.press("Reply")
    assert "\nTester, " in "\n".join(texts_in(pilot.dialog())), "all that was said"


def test_tasks_for_other_devices_are_counted_not_offered(open_at: OpenAt, device: FakeDevice, tmp_path: Path) -> None:
    device.avd_name = "Pixel_7_Pro"
    queue = queue_of(
        tmp_path,
        row("fold", instruction="Open the book", devices=["pixel_fold"]),
        row("any", instruction="Set an alarm"),
        row("tablet", instruction="Turn it", devices=["pixel_tablet", "pixel_fold"]),
    )
    pilot = open_at(Workplace(tasks=lambda: queue)).watching()
    pilot.wait_for_text("Set an alarm")
    pilot.press("Next")
    pilot.wait_for_text("Set an alarm")

    pilot.wait_until_enabled("Next")
    queue.mark_recorded("any", EPISODE)
    pilot.press("Next")
    pilot.wait_for_text("No tasks left for this device. Waiting: 2 for Pixel Fold, 1 for Pixel Tablet.")
    assert not pilot.is_enabled("Start recording")

    choose_third_task(pilot)
    pilot.wait_for_text("This task is for Pixel Tablet or Pixel Fold. Choose such a device first.")
    pilot.press("Record this task")
    pilot.wait_for_text("Turn it")
    pilot.wait_for_text("This task is for Pixel Tablet or Pixel Fold. Choose such a device first.")
    assert not pilot.is_enabled("Start recording")


def test_queue_uses_the_name_entered_on_first_use(open_at: OpenAt, service: FakeRecordings, tmp_path: Path) -> None:
    practice = FakePractice(agrees=None, wanted=0)
    source = write_list(tmp_path / "tasks.jsonl", ROWS)
    file = tmp_path / "queue.sqlite"
    adas_queue = queue_over(source, file, service.store, annotator=lambda: "Ada Lovelace")
    queue = queue_over(source, file, service.store, annotator=lambda: practice.name)
    pilot = open_at(Workplace(practice=practice, tasks=lambda: queue))
    pilot.wait_for_text("Set an alarm")
    dialog = pilot.dialog()
    pilot.line("Your name").setText("Ada Lovelace")
    pilot.press_in(dialog, "I agree")
    pilot.qtbot.waitUntil(lambda: {one.task_id: one.annotator for one in adas_queue.holders()} == {"a": "Ada Lovelace"})


def test_unreadable_task_list_is_reported_on_the_card(open_at: OpenAt, queue: TaskQueue, tmp_path: Path) -> None:
    write_list(tmp_path / "tasks.jsonl", [row("a", priority=50)])
    pilot = open_at(Workplace(tasks=lambda: queue))
    pilot.wait_for_text("tasks.jsonl:1: priority")
    write_list(tmp_path / "tasks.jsonl", ROWS)
    pilot.press("Next")
    pilot.wait_for_text("Set an alarm")
