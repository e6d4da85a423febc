"""Preparing tasks in the window: review, decisions, edits and rewrites."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QTableView,
    QTextEdit,
    QToolButton,
)

from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.estimate_dialog import EstimateDialog
from odyssey_recorder.gui.frame.question_dialog import QuestionDialog, ReasonDialog
from odyssey_recorder.gui.kit.table import VALUE
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.coverage_view import CoverageView
from odyssey_recorder.gui.tasks.prepare_view import PrepareView
from odyssey_recorder.gui.tasks.queue_view import QueueView
from odyssey_recorder.gui.tasks.task_table import STATUS
from odyssey_recorder.llm.prices import ModelFacts, Prices
from odyssey_recorder.model.text_origin import Approval, Writer
from odyssey_recorder.tasks.queue.task_status import QueuedTask, Status
from tests.gui.pilot import button_in
from tests.gui.tasks.lead_driver import NO_MODEL, LeadDriver
from tests.llm.good_model import right
from tests.llm.stand_in import MODEL, StandIn, refuses, says
from tests.tasks.tasks import FakeEpisodes, queue_over

PRICES = Prices(date(2026, 11, 1), (ModelFacts(name=MODEL, input=1.0, output=2.0),))


@pytest.fixture
def task(lead: LeadDriver) -> QueuedTask:
    """The only one, to be approved."""
    return lead.generate(1)[0]


def test_approving_many_tasks_asks_first(lead: LeadDriver) -> None:
    def current() -> str:
        return str(lead.tasks.currentIndex().data(VALUE).task_id)

    first, second, third, *rest = lead.generate(6)
    lead.tasks.selectRow(1)
    lead.use(TasksCommand.APPROVE_TASKS)
    assert current() == third.task_id
    assert second.task_id not in [row.task_id for row in lead.rows]
    lead.wait_for(lambda: lead.task(second.task_id).status is Status.WAITING)
    lead.tasks.selectRow(2)
    lead.service.approve([third.listed])
    lead.use(TasksCommand.READ_TASKS)
    lead.wait_for(lambda: len(lead.rows) == 4)
    assert current() == rest[0].task_id
    lead.tasks.selectAll()
    lead.wait_for_text("4 tasks selected")
    lead.use(TasksCommand.APPROVE_TASKS)
    assert lead.task(first.task_id).status is Status.TO_APPROVE
    lead.press_in(lead.dialog_of(QuestionDialog), "Approve")
    lead.wait_for(lambda: all(lead.task(one.task_id).status is Status.WAITING for one in (first, *rest)))
    lead.wait_for(lambda: lead.rows == [])
    assert lead.says("Nothing left to approve.")


def test_task_changed_elsewhere_is_not_approved_unseen(lead: LeadDriver, task: QueuedTask) -> None:
    changed = replace(task.listed, notes="Use the account of the team")
    lead.setup.queue.amend([changed], "Grace")
    lead.use(TasksCommand.APPROVE_TASKS)
    lead.wait_for_text("The work failed.")
    lead.wait_for(lambda: [row.task.listed for row in lead.rows] == [changed])
    assert lead.task(task.task_id).status is Status.TO_APPROVE
    lead.use(TasksCommand.APPROVE_TASKS)
    lead.wait_for(lambda: lead.task(task.task_id).status is Status.WAITING)


def test_rejected_task_is_found_and_approved_again(lead: LeadDriver, task: QueuedTask) -> None:
    lead.use(TasksCommand.REJECT_TASKS)
    dialog = lead.dialog_of(ReasonDialog)
    for keys, reason in (("2", "the apps do not fit"), ("9", "9"), ("3", "makes no sense")):
        QTest.keyClicks(dialog.focusWidget(), keys)
        assert dialog.reason == reason
        dialog.findChildren(QRadioButton)[0].setFocus()
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    lead.wait_for(lambda: lead.task(task.task_id).status is Status.REJECTED)
    lead.wait_for_text("Nothing left to approve.")
    lead.choice("Status").setCurrentText("Rejected (1)")
    lead.wait_for_text("Rejected: makes no sense")
    lead.use(TasksCommand.APPROVE_TASKS)
    lead.wait_for(lambda: lead.task(task.task_id).status is Status.WAITING)


def test_edited_instruction_is_checked_and_approved_despite_faults(lead: LeadDriver, task: QueuedTask) -> None:
    QTest.keyClick(lead.tasks, Qt.Key.Key_Return)
    editor = lead.editor("Instruction in your words")
    assert editor.toPlainText() == task.listed.task.instruction
    editor.setPlainText("Do  whatever\nyou like.")
    assert not lead.commands[TasksCommand.APPROVE_TASKS].isEnabled()
    lead.use(TasksCommand.KEEP_WORDS)
    lead.wait_for(lambda: lead.rows[0].faults > 0)
    assert lead.task(task.task_id).listed.task.instruction == "Do whatever you like."
    assert lead.says("Edited by Ada.")
    assert lead.rows[0].writer == "Person"
    assert lead.tasks.hasFocus()
    lead.use(TasksCommand.APPROVE_TASKS)
    dialog = lead.dialog_of(QuestionDialog)
    assert any("Leaves out" in label.text() for label in dialog.findChildren(QLabel))
    lead.press_in(dialog, "Cancel")
    assert lead.task(task.task_id).status is Status.TO_APPROVE
    lead.use(TasksCommand.APPROVE_TASKS)
    lead.press_in(lead.dialog_of(QuestionDialog), "Approve")
    lead.wait_for(lambda: lead.task(task.task_id).status is Status.WAITING)


def test_unsaved_edit_is_kept_until_discarded(lead: LeadDriver) -> None:
    task, _ = lead.generate(2)
    closed: list[bool] = []
    assert not lead.page.asks_before_closing(lambda: closed.append(True))
    lead.use(TasksCommand.EDIT_TASK)
    lead.editor("Instruction in your words").setPlainText("Half a thought")
    lead.tasks.selectRow(1)
    lead.wait_for(lambda: lead.commands[TasksCommand.APPROVE_TASKS].isEnabled())
    lead.tasks.selectRow(0)
    lead.wait_for(lambda: not lead.commands[TasksCommand.APPROVE_TASKS].isEnabled())
    editor = lead.editor("Instruction in your words")
    assert editor.toPlainText() == "Half a thought"
    assert lead.page.asks_before_closing(lambda: closed.append(True))
    assert lead.says("Close and lose unsaved text of 1 task?")
    lead.press_in(lead.dialog_of(QuestionDialog), "Cancel")
    editor.setFocus()
    lead.use(TasksCommand.LEAVE_WORDS)
    assert not editor.isVisible()
    assert lead.task(task.task_id).listed == task.listed
    lead.use(TasksCommand.EDIT_TASK)
    editor.setPlainText("Another thought")
    assert lead.page.asks_before_closing(lambda: closed.append(True))
    assert closed == []
    lead.press_in(lead.dialog_of(QuestionDialog), "Close")
    assert closed == [True]
    assert not lead.page.asks_before_closing(lambda: closed.append(True))


def test_task_text_is_never_treated_as_markup(lead: LeadDriver, task: QueuedTask) -> None:
    info = replace(task.listed.task, instruction="<b>Bold</b> & <img src=x>")
    lead.setup.queue.amend([replace(task.listed, task=info)], "Ada")
    lead.use(TasksCommand.READ_TASKS)
    shown = lead.named(QTextEdit, "Instruction")
    lead.wait_for(lambda: shown.toPlainText() == "<b>Bold</b> & <img src=x>")
    labels = [label for label in lead.page.findChildren(QLabel) if label.text()]
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in labels)


def test_search_and_category_narrow_the_list(lead: LeadDriver) -> None:
    tasks = lead.generate(6)
    wanted = next(one for one in tasks if one.listed.task.category == "Multi_Apps")
    lead.use(TasksCommand.FIND_TASK)
    QTest.keyClicks(lead.line("Search tasks to prepare"), "phone_GIFT")
    lead.wait_for(lambda: [row.task_id for row in lead.rows] == [wanted.task_id])
    assert lead.tasks.selectionModel().isRowSelected(0)
    lead.choice("Task category").setCurrentText("General Tool (1)")
    assert lead.rows == []
    assert lead.says("No matching tasks.")


def test_rewrite_shows_its_budget_first_and_its_cost_at_the_end(lead: LeadDriver, model: StandIn) -> None:
    tasks = lead.generate(3)
    model.behaviour = lambda question: refuses() if tasks[1].listed.task.task in question.words else right(question)
    lead.tasks.selectAll()
    lead.use(TasksCommand.REWRITE_TASKS)
    dialog = lead.dialog_of(EstimateDialog)
    lead.wait_for_text("unknown: stand-in-1 has no price in the table")
    assert not dialog.findChildren(QLineEdit)[0].isEnabled()
    lead.press_in(dialog, "Cancel")
    lead.setup.prices = PRICES
    lead.use(TasksCommand.REWRITE_TASKS)
    dialog = lead.dialog_of(EstimateDialog)
    lead.wait_for(lambda: dialog.findChildren(QPushButton)[-1].isEnabled())
    assert lead.says("Have 3 tasks rewritten by a model?")
    assert lead.says(f"stand-in-1 at http://127.0.0.1:{model.port}")
    assert lead.says("by the prices of 2026-11-01")
    assert dialog.findChildren(QLineEdit)[0].text() == "0.01"
    assert model.questions == []
    lead.press_in(dialog, "Rewrite")
    lead.wait_for_text("2 tasks rewritten, 1 failed. $0.0")
    assert lead.says(" tokens.")
    assert lead.says(f"{tasks[1].task_id}: ")
    assert lead.says("I cannot help with that.")
    lead.wait_for(lambda: lead.choice("Status").findText("Not rewritten (1)") >= 0)
    lead.choice("Status").setCurrentText("Not rewritten (1)")
    lead.wait_for(lambda: [row.task_id for row in lead.rows] == [tasks[1].task_id])
    lead.wait_for_text("Not rewritten: ")


def test_rewritten_tasks_are_rewritten_again_or_reset(lead: LeadDriver, model: StandIn) -> None:
    task, other = lead.generate(2)
    assert not lead.says(NO_MODEL)
    assert lead.says("A phrasing that a person wrote with the template; no model was asked.")
    assert not lead.commands[TasksCommand.ASK_AGAIN].isEnabled()
    assert not lead.commands[TasksCommand.REPHRASE_TASKS].isEnabled()
    lead.tasks.selectAll()
    rewrite(lead, TasksCommand.REWRITE_TASKS)
    lead.wait_for_text("2 tasks rewritten.")
    lead.wait_for(lambda: [row.writer for row in lead.rows] == ["Model", "Model"])
    assert {lead.task(one.task_id).status for one in (task, other)} == {Status.TO_APPROVE}
    rewritten = lead.task(task.task_id).listed
    assert rewritten.text is not None
    assert (rewritten.text.writer, rewritten.text.approval) == (Writer.MODEL, Approval.OPEN)
    lead.tasks.selectRow(0)
    assert lead.says("Written by the model stand-in-1.")
    assert lead.says("finds that both ask for the same")
    assert "Added by the rewrite: " in lead.named(QTextEdit, "Instruction").accessibleDescription()

    other_wording = f"Well then: {rewritten.task.instruction}"
    model.behaviour = lambda question: (
        right(question) if "a_entails_b" in question.schema["properties"] else says({"instruction": other_wording})
    )
    lead.wait_for(lambda: lead.commands[TasksCommand.ASK_AGAIN].isEnabled())
    lead.use(TasksCommand.ASK_AGAIN)
    lead.wait_for(lambda: lead.task(task.task_id).listed.task.instruction == other_wording)
    lead.wait_for_text("1 task rewritten.")
    lead.wait_for(lambda: lead.commands[TasksCommand.REPHRASE_TASKS].isEnabled())
    lead.tasks.selectAll()
    lead.use(TasksCommand.REPHRASE_TASKS)
    lead.wait_for(lambda: [lead.task(one.task_id).listed for one in (task, other)] == [task.listed, other.listed])
    lead.wait_for(lambda: [row.writer for row in lead.rows] == ["Phrasing", "Phrasing"])


def test_page_works_during_a_rewrite_until_it_is_cancelled(lead: LeadDriver, model: StandIn) -> None:
    model.delay_s = 0.1
    tasks = lead.generate(6)
    rewrite(lead)
    lead.wait_for(lambda: any(row.writer == "Model" for row in lead.rows))
    assert not lead.commands[TasksCommand.REWRITE_ALL].isEnabled()
    lead.tasks.selectRow(5)
    lead.use(TasksCommand.APPROVE_TASKS)
    lead.press("Cancel")
    lead.wait_for_text("stopped. Answers so far are kept.")
    lead.wait_for(lambda: lead.task(tasks[5].task_id).status is Status.WAITING)
    writers = [lead.task(one.task_id).listed.text for one in tasks]
    assert {one.writer for one in writers if one is not None} == {Writer.MODEL, Writer.PHRASING}


def rewrite(lead: LeadDriver, command: Command = TasksCommand.REWRITE_ALL) -> None:
    lead.use(command)
    dialog = lead.dialog_of(EstimateDialog)
    lead.wait_for(button_in(dialog, "Rewrite").isEnabled)
    lead.press_in(dialog, "Rewrite")


def test_each_view_has_a_tab_and_a_shortcut(lead: LeadDriver) -> None:
    lead.page.enter()
    tabs = lead.page.findChildren(QToolButton)
    assert [tab.accessibleName() for tab in tabs] == ["Queue", "Templates", "Prepare", "Coverage"]
    lead.wait_for(lambda: all(tab.isVisible() for tab in tabs))
    for keys, view in ((TasksCommand.SHOW_PREPARE, PrepareView), (TasksCommand.SHOW_QUEUE, QueueView)):
        lead.use(keys)
        assert lead.page.findChildren(view)[0].isVisible()
    for number, shown in (("4", CoverageView), ("3", PrepareView), ("1", QueueView)):
        QTest.keyClicks(QApplication.focusWidget() or lead.window, number)
        assert lead.page.findChildren(shown)[0].isVisible()


def test_empty_view_says_what_to_do_next(lead: LeadDriver) -> None:
    lead.open_view(TasksCommand.SHOW_QUEUE)
    assert not lead.says("No language model is set up")
    lead.use(TasksCommand.SHOW_PREPARE)
    lead.wait_for_text("No tasks to prepare. Press “Generate…” to make some from the templates.")
    lead.wait_for_text("No language model is set up")
    lead.use(TasksCommand.SHOW_QUEUE)
    lead.wait_for(lambda: not lead.says("No language model is set up"))
    lead.generate(1)
    assert lead.says(NO_MODEL)
    assert not lead.commands[TasksCommand.REWRITE_TASKS].isEnabled()
    assert not lead.commands[TasksCommand.REWRITE_ALL].isEnabled()


def test_queue_shows_who_holds_a_task_and_since_when(lead: LeadDriver, task: QueuedTask) -> None:
    lead.use(TasksCommand.APPROVE_TASKS)
    lead.wait_for(lambda: lead.task(task.task_id).status is Status.WAITING)
    lead.use(TasksCommand.SHOW_QUEUE)
    table = lead.named(QTableView, "Tasks")
    lead.wait_for(lambda: table.model().index(0, STATUS).data() == "Waiting")
    lead.setup.queue.claim(task.task_id)
    (holder,) = lead.service.holders()
    lead.use(TasksCommand.READ_TASKS)
    since, until = f"{holder.since.astimezone():%H:%M}", f"{holder.until.astimezone():%H:%M}"
    lead.wait_for(lambda: table.model().index(0, STATUS).data() == f"Reserved\nAda, {since}")
    assert lead.says(f"Reserved for Ada on {holder.place} until {until}.")
    lead.bridge.choose(task.task_id)
    lead.wait_for_text("Reserved for you until")
    lead.use(TasksCommand.SHOW_QUEUE)
    lead.use(TasksCommand.FREE_TASK)
    dialog = lead.dialog_of(ReasonDialog)
    QTest.keyClicks(lead.line("Another reason"), "Bob knows this app")
    lead.press_in(dialog, "Release")
    lead.wait_for(lambda: lead.service.holders() == () and table.model().index(0, STATUS).data() == "Waiting")
    lead.wait_for(lambda: not lead.commands[TasksCommand.FREE_TASK].isVisible())
    lead.wait_for_text("Released by Ada: Bob knows this app")


def test_queue_is_live_and_tasks_are_assigned(lead: LeadDriver, task: QueuedTask, tmp_path: Path) -> None:
    lead.bridge.follow()
    lead.use(TasksCommand.APPROVE_TASKS)
    lead.use(TasksCommand.SHOW_QUEUE)
    table = lead.named(QTableView, "Tasks")
    lead.wait_for(lambda: table.model().index(0, STATUS).data() == "Waiting")
    bob = queue_over(tmp_path / "my_tasks.jsonl", tmp_path / "queue.sqlite", FakeEpisodes(), annotator=lambda: "Bob")
    bob.claim(task.task_id)
    lead.wait_for(lambda: table.model().index(0, STATUS).data().startswith("Reserved\nBob, "))
    bob.skip(task.task_id, "later")
    lead.wait_for(lambda: table.model().index(0, STATUS).data() == "Skipped")
    lead.use(TasksCommand.ASSIGN_TASK)
    lead.dialog_of(ReasonDialog).findChildren(QRadioButton)[0].click()
    lead.press_in(lead.dialog_of(ReasonDialog), "Assign")
    lead.wait_for(lambda: table.model().index(0, STATUS).data() == "Waiting\nfor Bob")
    assert lead.says("Only Bob can record this task.")
    assert not lead.commands[TasksCommand.RECORD_TASK].isEnabled()
    lead.use(TasksCommand.ASSIGN_TASK)
    choices = lead.dialog_of(ReasonDialog).findChildren(QRadioButton)
    assert [choice.accessibleName() for choice in choices] == ["everybody", "Ada"]
    choices[0].click()
    lead.press_in(lead.dialog_of(ReasonDialog), "Assign")
    lead.wait_for(lambda: lead.commands[TasksCommand.RECORD_TASK].isEnabled())
