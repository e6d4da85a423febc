"""The Tasks page: browsing tasks, choosing one, sending one back."""

from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QRadioButton, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.errors import TaskError
from odyssey_recorder.gui.bridges.queue import QueueBridge
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.preparation import TaskServiceBridge
from odyssey_recorder.gui.tasks.task_table import INSTRUCTION, STATUS
from odyssey_recorder.gui.tasks.tasks_page import TasksPage
from odyssey_recorder.services.tasks import TaskService
from odyssey_recorder.tasks.queue.queue import TaskQueue
from tests.gui.item_views import column_texts
from tests.gui.pilot import WidgetPilot
from tests.gui.tasks.lead_driver import TaskSetup
from tests.tasks.tasks import EPISODE, FakeEpisodes, FakeReviews, queue_of, row, write_list

ROWS = (
    row("a", instruction="Set an alarm", notes="For work"),
    row("b", instruction="Buy a kettle", category="Web_Shopping", apps=["Shop"]),
    row("c", instruction="Add a city"),
)


class PageDriver(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, folder: Path) -> None:
        super().__init__(qtbot, background)
        self.returns = FakeReviews()
        self.queue = queue_of(folder, *ROWS, episodes=FakeEpisodes(), returns=self.returns)
        self.bridge = QueueBridge(lambda: self.queue, background, self.window)
        self.page = TasksPage(self.bridge, self.commands)
        self.show_widget(self.page)
        self.page.enter()
        self.table = self.find(QTableView)

    def rows(self) -> list[str]:
        return column_texts(self.table, INSTRUCTION)

    def wait_for_status(self, status: str) -> None:
        """Of the first task, which is chosen then."""
        self.qtbot.waitUntil(lambda: column_texts(self.table, STATUS)[0] == status)
        self.choose("Set an alarm")

    def choose(self, instruction: str) -> None:
        self.table.setCurrentIndex(self.table.model().index(self.rows().index(instruction), INSTRUCTION))

    def may_record(self) -> bool:
        return self.is_enabled("Record this task")

    def wait_for(self, *rows: str) -> None:
        self.qtbot.waitUntil(lambda: self.rows() == list(rows))


@pytest.fixture
def driver(qtbot: QtBot, background: Background, tmp_path: Path) -> PageDriver:
    driver = PageDriver(qtbot, background, tmp_path)
    driver.wait_for("Set an alarm", "Buy a kettle", "Add a city")
    return driver


def test_search_category_status_and_device_narrow_the_list(driver: PageDriver, tmp_path: Path) -> None:
    search = driver.line("Search tasks")
    QTest.keyClicks(search, "work SET")
    driver.wait_for("Set an alarm")
    search.clear()
    driver.wait_for("Set an alarm", "Buy a kettle", "Add a city")
    driver.choice("Show category").setCurrentText("Web Shopping")
    assert driver.rows() == ["Buy a kettle"]
    driver.choice("Show status").setCurrentText("Recorded")
    assert driver.rows() == []
    assert driver.says("No matching tasks.")
    driver.choice("Show status").setCurrentText("Any status")
    driver.choice("Show category").setCurrentText("All categories")
    rows = (row("a", instruction="Anywhere"), row("b", instruction="Open the book", devices=["pixel_fold"]))
    write_list(tmp_path / "my_tasks.jsonl", rows)
    driver.page.enter()
    driver.wait_for("Anywhere", "Open the book")
    driver.choice("Show device").setCurrentText("Small Phone")
    assert driver.rows() == ["Anywhere"]
    driver.choice("Show device").setCurrentText("Pixel Fold")
    assert driver.rows() == ["Anywhere", "Open the book"]


def test_detail_shows_who_skipped_a_task_and_why(driver: PageDriver) -> None:
    driver.choose("Add a city")
    driver.queue.skip("c", "no such city")
    driver.page.enter()
    driver.wait_for_text("Skipped by Ada: no such city")
    assert driver.says("Skipped before: no such city")
    assert driver.says("Task c")


def test_recorded_task_must_be_sent_back_to_be_recorded_again(driver: PageDriver) -> None:
    driver.queue.mark_recorded("a", EPISODE)
    driver.page.enter()
    driver.wait_for_status("Recorded")
    assert not driver.may_record()
    for text in ("1 of 2", "my tasks", "3 in total"):
        assert driver.says(text)
    driver.press("Send back")
    dialog = driver.dialog()
    dialog.findChildren(QRadioButton)[0].setChecked(True)
    driver.press_in(dialog, "Send back")
    driver.wait_for_text("Sent back before: a step is wrong or missing")
    assert driver.may_record()

    again = "0000000000000002"
    driver.queue.mark_recorded("a", again)
    driver.returns.send_back("a", again)
    driver.page.enter()
    driver.wait_for_status("Sent back")
    driver.wait_for_text("Sent back by Bea: A step is missing, at step 3")
    assert driver.may_record()


def test_practice_or_another_recording_blocks_recording(driver: PageDriver) -> None:
    driver.choose("Set an alarm")
    driver.bridge.show_gate("Two practice tasks are left.")
    assert driver.says("Two practice tasks are left.")
    assert not driver.may_record()
    with driver.qtbot.waitSignal(driver.commands[CommonCommand.PRACTICE_PAGE].triggered):
        driver.press_in(driver.page, "Continue practice")
    driver.bridge.show_gate("")
    assert driver.may_record()
    driver.bridge.set_recording(True)
    assert not driver.may_record()
    assert driver.says("Another task is being recorded.")


def test_unreadable_list_is_reported_and_read_again(driver: PageDriver, tmp_path: Path) -> None:
    write_list(tmp_path / "my_tasks.jsonl", [row("a", apps=[])])
    driver.page.enter()
    driver.wait_for_text("my_tasks.jsonl:1: apps")
    write_list(tmp_path / "my_tasks.jsonl", [row("new", instruction="The new one")])
    driver.press("Refresh")
    driver.wait_for("The new one")
    assert not driver.says("my_tasks.jsonl:1: apps")


def test_unreachable_queue_is_reported_once_until_it_is_back(
    qtbot: QtBot, background: Background, setup: TaskSetup
) -> None:
    errors = [TaskError("The queue cannot be reached.")]

    def queue() -> TaskQueue:
        if errors:
            raise errors[0]
        return setup.queue

    def service() -> TaskService:
        queue()
        return setup.service()

    pilot, failed = WidgetPilot(qtbot, background), set[str]()
    bridge = QueueBridge(queue, background, pilot.window)
    lead = TaskServiceBridge(service, background, bridge)
    pilot.show_widget(TasksPage(bridge, pilot.commands, lead))
    bridge.failed.connect(lambda _: failed.add("queue"))
    lead.failed.connect(lambda _: failed.add("service"))
    pilot.find(TasksPage).enter()
    qtbot.waitUntil(lambda: failed == {"queue", "service"})
    labels = [one for one in pilot.window.findChildren(QLabel) if one.isVisible() and "cannot be" in one.text()]
    assert len(labels) == 1

    errors.clear()
    pilot.commands[TasksCommand.READ_TASKS].trigger()
    qtbot.waitUntil(lambda: not pilot.says("cannot be reached"))
