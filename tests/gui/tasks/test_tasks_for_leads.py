"""The Tasks page as a whole: its views and their keys, who holds what, and what keeps a task held."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QRadioButton, QTableView, QToolButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.errors import TaskError
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.reason_dialog import ReasonDialog
from odyssey_recorder.gui.tasks.prepare_view import PrepareView
from odyssey_recorder.gui.tasks.queue_bridge import QueueBridge
from odyssey_recorder.gui.tasks.queue_view import QueueView
from odyssey_recorder.gui.tasks.sure_dialog import SureDialog
from odyssey_recorder.gui.tasks.task_table import STATUS
from odyssey_recorder.task.queue.claims import Leases
from odyssey_recorder.task.queue.queue import Board, QueuedTask, Status
from odyssey_recorder.task.queue.seat import Seat
from odyssey_recorder.task.queue.shared_queue import SharedQueue, Surroundings
from tests.gui.tasks.bench_lead import LeadBench
from tests.task.houses import House
from tests.task.tasks import NotedEpisodes, row


@dataclass
class Held:
    """A bridge that holds a task, and the queue of somebody else."""

    bridge: QueueBridge
    house: House
    other: SharedQueue
    boards: list[Board] = field(default_factory=list)


def test_each_view_has_a_tab_and_keys(lead: LeadBench) -> None:
    lead.page.enter()
    tabs = lead.page.findChildren(QToolButton)
    assert [tab.accessibleName() for tab in tabs] == ["Queue", "Templates", "Prepare", "Coverage"]
    lead.wait_for(lambda: all(tab.isVisible() for tab in tabs))
    for keys, view in ((Command.SHOW_PREPARE, PrepareView), (Command.SHOW_QUEUE, QueueView)):
        lead.press(keys)
        assert lead.page.findChildren(view)[0].isVisible()


def test_an_empty_view_says_what_to_do_next(lead: LeadBench) -> None:
    lead.enter(Command.SHOW_PREPARE)
    lead.wait_for(lambda: lead.says("No task is prepared yet. “Generate…” makes some from the templates."))


def test_annotators_are_not_told_that_no_model_can_be_asked(lead: LeadBench) -> None:
    lead.enter(Command.SHOW_QUEUE)
    assert not lead.says("No language model can be asked")
    lead.press(Command.SHOW_PREPARE)
    lead.wait_for(lambda: lead.says("No language model can be asked"))
    lead.press(Command.SHOW_QUEUE)
    lead.wait_for(lambda: not lead.says("No language model can be asked"))


def test_what_is_approved_waits_in_the_queue_view(lead: LeadBench) -> None:
    (task,) = lead.prepared(1)
    lead.press(Command.APPROVE_TASKS)
    lead.press(Command.SHOW_QUEUE)
    lead.wait_for(lambda: lead.task(task.task_id).status is Status.WAITING)
    table = lead.named(QTableView, "Tasks")
    lead.wait_for(lambda: table.model().index(0, STATUS).data() == "Waiting")


def test_the_queue_says_who_has_a_task_and_since_when(lead: LeadBench) -> None:
    (task,) = lead.prepared(1)
    lead.desk.approve([task.task_id])
    lead.office.queue.claim(task.task_id)
    (holder,) = lead.desk.holders()
    lead.press(Command.SHOW_QUEUE)
    lead.press(Command.READ_TASKS)
    table = lead.named(QTableView, "Tasks")
    since = f"{holder.since.astimezone():%H:%M}"
    lead.wait_for(lambda: table.model().index(0, STATUS).data() == f"Claimed\nAda, {since}")
    assert lead.says(f"Ada has it on {holder.place} since {since}")


def test_what_the_desk_refuses_is_told_and_the_list_shows_what_is_true(lead: LeadBench) -> None:
    (task,) = lead.prepared(1)
    lead.desk.approve([task.task_id])
    lead.office.queue.claim(task.task_id)
    lead.office.queue.mark_recorded(task.task_id, "0000000000000001")
    lead.press(Command.REJECT_TASKS)
    dialog = lead.dialog(ReasonDialog)
    dialog.findChildren(QRadioButton)[0].setChecked(True)
    lead.answer(dialog, "Reject")
    lead.wait_for(lambda: lead.says("That did not work."))
    stages = lead.named(QComboBox, "How far")
    lead.wait_for(lambda: stages.findText("Approved (1)") >= 0)


@pytest.fixture
def held(qtbot: QtBot, tmp_path: Path) -> Iterator[Held]:
    """A task that the bridge has claimed, in a queue with somebody else at it."""
    house = House(tmp_path)
    house.fill(row("a"))
    background = Background()
    bridge = QueueBridge(house.queue(), background)
    made = Held(bridge, house, house.queue(annotator="Grace"))
    bridge.board_changed.connect(made.boards.append)
    bridge.choose("a")
    qtbot.waitUntil(lambda: len(made.boards) == 1)
    yield made
    shiboken6.delete(bridge)
    background.close()
    house.close()


def test_a_task_is_kept_from_running_out_while_it_is_held(qtbot: QtBot, held: Held) -> None:
    assert [timer.isActive() for timer in held.bridge.findChildren(QTimer)] == [True]
    (first,) = held.other.holders()
    held.house.clock.pass_s(0.8 * Leases().claim_s)
    held.bridge.renew()
    qtbot.waitUntil(lambda: held.other.holders()[0].until > first.until)
    held.house.clock.pass_s(0.8 * Leases().claim_s)
    with pytest.raises(TaskError):
        held.other.claim("a")
    held.bridge.let_go()
    assert [timer.isActive() for timer in held.bridge.findChildren(QTimer)] == [False]


def test_a_task_that_ran_out_and_went_to_somebody_else_is_told(qtbot: QtBot, held: Held) -> None:
    held.house.clock.pass_s(2 * Leases().claim_s)
    held.other.claim("a")
    held.bridge.renew()
    qtbot.waitUntil(lambda: len(held.boards) == 2)


class Crowded(SharedQueue):
    """A queue at which somebody takes what is to be skipped as soon as it is free."""

    other: SharedQueue

    def skip(self, task_id: str, reason: str) -> None:
        self.other.claim(task_id)
        super().skip(task_id, reason)


def test_what_somebody_takes_while_it_is_skipped_is_theirs(qtbot: QtBot, tmp_path: Path) -> None:
    house = House(tmp_path)
    house.fill(row("a"), row("b"))
    queue = Crowded(house.database(house.clock), Seat.of("Ada", tmp_path), Surroundings(NotedEpisodes()))
    queue.other = house.queue(annotator="Grace", drafts="hers")
    background = Background()
    bridge = QueueBridge(queue, background)
    held: list[QueuedTask] = []
    bridge.held_changed.connect(held.append)
    bridge.choose("a")
    bridge.skip("a", "app not installed")
    qtbot.waitUntil(lambda: [task.task_id for task in held] == ["a", "b"])
    assert {one.task_id: one.annotator for one in queue.other.holders()} == {"a": "Grace", "b": "Ada"}
    shiboken6.delete(bridge)
    background.close()
    house.close()


def test_the_window_asks_before_it_closes_over_words_that_are_not_saved(lead: LeadBench) -> None:
    lead.prepared(1)
    closed: list[bool] = []
    assert not lead.page.asks_before_closing(lambda: closed.append(True))
    lead.press(Command.EDIT_TASK)
    lead.named(QPlainTextEdit, "Instruction in your words").setPlainText("Half a thought")
    assert lead.page.asks_before_closing(lambda: closed.append(True))
    dialog = lead.dialog(SureDialog)
    assert lead.says("Close, and lose what you typed of 1 task?")
    lead.answer(dialog, "Close")
    assert closed == [True]
    assert not lead.page.asks_before_closing(lambda: closed.append(True))
