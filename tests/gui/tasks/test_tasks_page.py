"""The Tasks page: browsing tasks, choosing one, sending one back."""

from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QRadioButton, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.errors import TaskError
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.tasks.queue_bridge import QueueBridge
from odyssey_recorder.gui.tasks.service_bridge import TaskServiceBridge
from odyssey_recorder.gui.tasks.task_table import INSTRUCTION, STATUS
from odyssey_recorder.gui.tasks.tasks_page import TasksPage
from odyssey_recorder.task.queue.queue import TaskQueue
from odyssey_recorder.task_service import TaskService
from tests.gui.pilot import WidgetPilot
from tests.gui.tasks.bench_lead import Office
from tests.task.tasks import EPISODE, NotedEpisodes, NotedReturns, queue_of, row, write_list

ROWS = (
    row("a", instruction="Set an alarm", notes="For work"),
    row("b", instruction="Buy a kettle", category="Web_Shopping", apps=["Shop"]),
    row("c", instruction="Add a city"),
)


class Bench(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, folder: Path) -> None:
        super().__init__(qtbot, background)
        self.returns = NotedReturns()
        self.queue = queue_of(folder, *ROWS, episodes=NotedEpisodes(), returns=self.returns)
        self.bridge = QueueBridge(lambda: self.queue, background, self.window)
        self.page = TasksPage(self.bridge, self.commands)
        self.show_widget(self.page)
        self.page.enter()
        self.table = self.find(QTableView)

    def rows(self) -> list[str]:
        model = self.table.model()
        return [str(model.index(at, INSTRUCTION).data()) for at in range(model.rowCount())]

    def statuses(self) -> list[str]:
        model = self.table.model()
        return [str(model.index(at, STATUS).data()) for at in range(model.rowCount())]

    def narrow(self, box: str, words: str) -> None:
        self.choice(box).setCurrentText(words)

    def choose(self, instruction: str) -> None:
        self.table.setCurrentIndex(self.table.model().index(self.rows().index(instruction), INSTRUCTION))

    def may_record(self) -> bool:
        return self.is_enabled("Record this task")

    def wait_for(self, *rows: str) -> None:
        self.qtbot.waitUntil(lambda: self.rows() == list(rows))


@pytest.fixture
def bench(qtbot: QtBot, background: Background, tmp_path: Path) -> Bench:
    made = Bench(qtbot, background, tmp_path)
    made.wait_for("Set an alarm", "Buy a kettle", "Add a city")
    return made


def test_the_list_is_named_and_counted_by_category(bench: Bench) -> None:
    bench.queue.mark_recorded("a", EPISODE)
    bench.page.enter()
    bench.wait_for_text("1 of 2")
    assert bench.says("my tasks")
    assert bench.says("3 in all")


def test_words_category_status_and_device_narrow_the_list(bench: Bench, tmp_path: Path) -> None:
    search = bench.line("Search tasks")
    QTest.keyClicks(search, "work SET")
    bench.wait_for("Set an alarm")
    search.clear()
    bench.wait_for("Set an alarm", "Buy a kettle", "Add a city")
    bench.narrow("Show category", "Web Shopping")
    assert bench.rows() == ["Buy a kettle"]
    bench.narrow("Show status", "Recorded")
    assert bench.rows() == []
    assert bench.says("No matching tasks.")
    bench.narrow("Show status", "Any status")
    bench.narrow("Show category", "All categories")
    rows = (row("a", instruction="Anywhere"), row("b", instruction="Open the book", devices=["pixel_fold"]))
    write_list(tmp_path / "my_tasks.jsonl", rows)
    bench.page.enter()
    bench.wait_for("Anywhere", "Open the book")
    bench.narrow("Show device", "Small Phone")
    assert bench.rows() == ["Anywhere"]
    bench.narrow("Show device", "Pixel Fold")
    assert bench.rows() == ["Anywhere", "Open the book"]


def test_the_detail_tells_who_skipped_a_task_and_why_and_the_task_stays_chosen(bench: Bench) -> None:
    bench.choose("Add a city")
    bench.queue.skip("c", "no such city")
    bench.page.enter()
    bench.wait_for_text("Skipped by Ada: no such city")
    assert bench.says("Skipped before: no such city")
    assert bench.page.chosen is not None
    assert bench.page.chosen.task_id == "c"


def test_a_recorded_task_is_not_recorded_again_before_it_is_sent_back(bench: Bench) -> None:
    bench.queue.mark_recorded("a", EPISODE)
    bench.page.enter()
    bench.qtbot.waitUntil(lambda: bench.statuses()[0] == "Recorded")
    bench.choose("Set an alarm")
    assert not bench.may_record()
    bench.press("Send back")
    dialog = bench.dialog()
    dialog.findChildren(QRadioButton)[0].setChecked(True)
    bench.press_in(dialog, "Send back")
    bench.wait_for_text("Sent back before: a step is wrong or missing")
    assert bench.may_record()


def test_what_a_review_sent_back_says_who_did_and_why_and_may_be_recorded_again(bench: Bench) -> None:
    bench.queue.mark_recorded("a", EPISODE)
    bench.returns.send_back("a", EPISODE)
    bench.page.enter()
    bench.qtbot.waitUntil(lambda: bench.statuses()[0] == "Sent back")
    bench.choose("Set an alarm")
    bench.wait_for_text("Sent back by Bea: A step is missing, at step 3")
    assert bench.may_record()


def test_nothing_is_recorded_while_the_gate_is_shown_or_another_task_is_recorded(bench: Bench) -> None:
    bench.choose("Set an alarm")
    bench.bridge.show_gate("Two practice tasks are left.")
    assert bench.says("Two practice tasks are left.")
    assert not bench.may_record()
    with bench.qtbot.waitSignal(bench.commands[Command.PRACTICE_PAGE].triggered):
        bench.press_in(bench.page, "Continue practice")
    bench.bridge.show_gate("")
    assert bench.may_record()
    bench.bridge.set_recording(True)
    assert not bench.may_record()
    assert bench.says("Another task is being recorded.")


def test_a_list_that_cannot_be_read_is_told_and_read_again(bench: Bench, tmp_path: Path) -> None:
    write_list(tmp_path / "my_tasks.jsonl", [row("a", apps=[])])
    bench.page.enter()
    bench.wait_for_text("my_tasks.jsonl:1: apps")
    write_list(tmp_path / "my_tasks.jsonl", [row("new", instruction="The new one")])
    bench.press("Refresh")
    bench.wait_for("The new one")
    assert not bench.says("my_tasks.jsonl:1: apps")


def test_a_queue_that_cannot_be_reached_is_told_once_and_until_it_can_be(
    qtbot: QtBot, background: Background, office: Office
) -> None:
    trouble = [TaskError("The queue cannot be reached.")]

    def queue() -> TaskQueue:
        if trouble:
            raise trouble[0]
        return office.queue

    def service() -> TaskService:
        queue()
        return office.service()

    pilot, told = WidgetPilot(qtbot, background), set[str]()
    bridge = QueueBridge(queue, background, pilot.window)
    lead = TaskServiceBridge(service, background, bridge)
    pilot.show_widget(TasksPage(bridge, pilot.commands, lead))
    bridge.failed.connect(lambda _: told.add("queue"))
    lead.failed.connect(lambda _: told.add("service"))
    pilot.find(TasksPage).enter()
    qtbot.waitUntil(lambda: told == {"queue", "service"})
    labels = [one for one in pilot.window.findChildren(QLabel) if one.isVisible() and "cannot be" in one.text()]
    assert len(labels) == 1

    trouble.clear()
    pilot.commands[Command.READ_TASKS].trigger()
    qtbot.waitUntil(lambda: not pilot.says("cannot be reached"))
