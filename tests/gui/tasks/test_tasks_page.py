"""The Tasks page: browsing tasks, choosing one, sending one back."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QMainWindow,
    QRadioButton,
    QTableView,
)
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.tasks.queue_bridge import QueueBridge
from odyssey_recorder.gui.tasks.task_table import CATEGORY, INSTRUCTION, STATUS, task_rows, task_table
from odyssey_recorder.gui.tasks.tasks_page import TasksPage
from odyssey_recorder.task.listing import read_tasks
from odyssey_recorder.task.queue.board import Board, QueuedTask, Status
from odyssey_recorder.task.queue.queue import TaskQueue
from tests.task.tasks import EPISODE, NotedEpisodes, NotedReturns, queue_of, row, write_list

ROWS = (
    row("a", instruction="Set an alarm", notes="For work"),
    row("b", instruction="Buy a kettle", category="Web_Shopping", apps=["Shop"]),
    row("c", instruction="Add a city"),
)


@dataclass
class Bench:
    qtbot: QtBot
    page: TasksPage
    bridge: QueueBridge
    queue: TaskQueue
    returns: NotedReturns
    commands: Commands

    def rows(self) -> list[str]:
        model = self.table.model()
        return [str(model.index(at, INSTRUCTION).data()) for at in range(model.rowCount())]

    @property
    def table(self) -> QTableView:
        found = self.page.findChild(QTableView)
        assert found is not None
        return found

    def says(self, words: str) -> bool:
        return any(words in label.text() for label in self.page.findChildren(QLabel) if label.isVisible())

    def button(self, name: str) -> QAbstractButton:
        buttons = self.page.findChildren(QAbstractButton)
        return next(button for button in buttons if name in (button.accessibleName(), button.text()))

    def choose(self, instruction: str) -> None:
        self.table.setCurrentIndex(self.table.model().index(self.rows().index(instruction), INSTRUCTION))

    def wait_for(self, *rows: str) -> None:
        self.qtbot.waitUntil(lambda: self.rows() == list(rows))


@pytest.fixture
def bench(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    window = QMainWindow()
    qtbot.addWidget(window)
    commands, background = Commands(window), Background(window)
    returns = NotedReturns()
    queue = queue_of(tmp_path, *ROWS, episodes=NotedEpisodes(), returns=returns)
    bridge = QueueBridge(lambda: queue, background, window)
    page = TasksPage(bridge, commands)
    window.setCentralWidget(page)
    window.show()
    made = Bench(qtbot, page, bridge, queue, returns, commands)
    page.enter()
    made.wait_for("Set an alarm", "Buy a kettle", "Add a city")
    yield made
    background.close()


def test_the_list_is_named_and_counted_by_category(bench: Bench) -> None:
    bench.queue.mark_recorded("a", EPISODE)
    bench.page.enter()
    bench.qtbot.waitUntil(lambda: bench.says("1 of 2"))
    assert bench.says("my tasks")
    assert bench.says("3 in all")


def test_words_category_and_status_narrow_the_list(bench: Bench) -> None:
    search = bench.page.findChild(QLineEdit)
    assert search is not None
    QTest.keyClicks(search, "work SET")
    bench.wait_for("Set an alarm")
    search.clear()
    bench.wait_for("Set an alarm", "Buy a kettle", "Add a city")
    boxes = {box.accessibleName(): box for box in bench.page.findChildren(QComboBox)}
    boxes["Show category"].setCurrentText("Web Shopping")
    assert bench.rows() == ["Buy a kettle"]
    boxes["Show status"].setCurrentText("Recorded")
    assert bench.rows() == []
    assert bench.says("No task is like this")


def test_the_list_is_narrowed_to_what_fits_a_device(bench: Bench, tmp_path: Path) -> None:
    rows = (row("a", instruction="Anywhere"), row("b", instruction="Open the book", devices=["pixel_fold"]))
    write_list(tmp_path / "my_tasks.jsonl", rows)
    bench.page.enter()
    bench.wait_for("Anywhere", "Open the book")
    boxes = {box.accessibleName(): box for box in bench.page.findChildren(QComboBox)}
    boxes["Show device"].setCurrentText("Small Phone")
    assert bench.rows() == ["Anywhere"]
    boxes["Show device"].setCurrentText("Pixel Fold")
    assert bench.rows() == ["Anywhere", "Open the book"]


def test_the_list_can_be_sorted_by_its_columns(bench: Bench) -> None:
    bench.table.sortByColumn(INSTRUCTION, Qt.SortOrder.AscendingOrder)
    assert bench.rows() == ["Add a city", "Buy a kettle", "Set an alarm"]
    bench.table.sortByColumn(CATEGORY, Qt.SortOrder.DescendingOrder)
    assert bench.rows()[0] == "Buy a kettle"


def test_the_detail_tells_who_skipped_a_task_and_why(bench: Bench) -> None:
    bench.queue.skip("c", "no such city")
    bench.page.enter()
    bench.choose("Add a city")
    bench.qtbot.waitUntil(lambda: bench.says("Skipped by Ada: no such city"))
    assert bench.says("Skipped before: no such city")


def test_the_chosen_task_stays_chosen_when_the_list_changes(bench: Bench) -> None:
    bench.choose("Add a city")
    bench.queue.skip("a", "later")
    bench.page.enter()
    bench.qtbot.waitUntil(lambda: bench.table.model().index(0, STATUS).data() == "Skipped")
    assert bench.page.chosen is not None
    assert bench.page.chosen.task_id == "c"


def test_recording_a_task_claims_it_and_leads_to_the_record_page(bench: Bench) -> None:
    bench.choose("Buy a kettle")
    with bench.qtbot.waitSignal(bench.commands[Command.RECORD_PAGE].triggered):
        QTest.mouseClick(bench.button("Record this task"), Qt.MouseButton.LeftButton)
    task = bench.queue.board().task("b")
    assert task is not None
    assert task.status is Status.CLAIMED


def test_a_recorded_task_is_not_recorded_again_before_it_is_sent_back(bench: Bench) -> None:
    bench.queue.mark_recorded("a", EPISODE)
    bench.page.enter()
    bench.qtbot.waitUntil(lambda: bench.table.model().index(0, STATUS).data() == "Recorded")
    bench.choose("Set an alarm")
    assert not bench.button("Record this task").isEnabled()
    QTest.mouseClick(bench.button("Send back"), Qt.MouseButton.LeftButton)
    dialog = bench.page.findChild(QDialog)
    assert dialog is not None
    dialog.findChildren(QRadioButton)[0].setChecked(True)
    answer = next(button for button in dialog.findChildren(QAbstractButton) if button.text() == "Send back")
    QTest.mouseClick(answer, Qt.MouseButton.LeftButton)
    bench.qtbot.waitUntil(lambda: bench.says("Sent back before: a step is wrong or missing"))
    assert bench.button("Record this task").isEnabled()


def test_what_a_review_sent_back_says_who_did_and_why_and_may_be_recorded_again(bench: Bench) -> None:
    bench.queue.mark_recorded("a", EPISODE)
    bench.returns.send_back("a", EPISODE)
    bench.page.enter()
    bench.qtbot.waitUntil(lambda: bench.table.model().index(0, STATUS).data() == "Sent back")
    bench.choose("Set an alarm")
    bench.qtbot.waitUntil(lambda: bench.says("Sent back by Bea: A step is missing, at step 3"))
    assert bench.button("Record this task").isEnabled()


def test_nothing_is_recorded_while_the_gate_is_shown(bench: Bench) -> None:
    bench.choose("Set an alarm")
    bench.bridge.show_gate("Two practice tasks are left.")
    assert bench.says("Two practice tasks are left.")
    assert not bench.button("Record this task").isEnabled()
    with bench.qtbot.waitSignal(bench.commands[Command.PRACTICE_PAGE].triggered):
        QTest.mouseClick(bench.button("Go on with practice"), Qt.MouseButton.LeftButton)
    bench.bridge.show_gate("")
    assert bench.button("Record this task").isEnabled()


def test_nothing_is_taken_while_another_task_is_recorded(bench: Bench) -> None:
    bench.choose("Set an alarm")
    bench.bridge.set_recording(True)
    assert not bench.button("Record this task").isEnabled()
    assert bench.says("Another task is being recorded now.")


def test_a_list_that_cannot_be_read_is_told_and_read_again(bench: Bench, tmp_path: Path) -> None:
    write_list(tmp_path / "my_tasks.jsonl", [row("a", apps=[])])
    bench.page.enter()
    bench.qtbot.waitUntil(lambda: bench.says("my_tasks.jsonl:1: apps"))
    write_list(tmp_path / "my_tasks.jsonl", [row("new", instruction="The new one")])
    QTest.mouseClick(bench.button("Read again"), Qt.MouseButton.LeftButton)
    bench.wait_for("The new one")
    assert not bench.says("my_tasks.jsonl:1: apps")


def test_ten_thousand_tasks_are_shown_narrowed_and_sorted(tmp_path: Path) -> None:
    rows = [row(f"t-{n}", instruction=f"Do the task {n:05} in the clock") for n in range(10_000)]
    tasks = read_tasks(write_list(tmp_path / "list.jsonl", rows[::-1]))
    table = task_table(lambda _task_id: None)
    table.show(task_rows(Board("list", tuple(QueuedTask(task, Status.WAITING) for task in tasks))))
    table.narrow(words="task 0999")
    assert table.rowCount() == 11
    table.narrow()
    assert table.rowCount() == 10_000
    table.sort(INSTRUCTION)
    assert "task 00000" in str(table.index(0, INSTRUCTION).data())
