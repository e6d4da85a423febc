"""The Tasks page as a whole: views, shortcuts, and who holds which task."""

from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QRadioButton, QTableView, QToolButton

from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.question_dialog import ReasonDialog
from odyssey_recorder.gui.tasks.confirm_dialog import ConfirmDialog
from odyssey_recorder.gui.tasks.prepare_view import PrepareView
from odyssey_recorder.gui.tasks.queue_view import QueueView
from odyssey_recorder.gui.tasks.task_table import STATUS
from odyssey_recorder.task.queue.board import Status
from tests.gui.tasks.bench_lead import LeadBench


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
    lead.service.approve([task.listed])
    lead.office.queue.claim(task.task_id)
    (holder,) = lead.service.holders()
    lead.press(Command.SHOW_QUEUE)
    lead.press(Command.READ_TASKS)
    table = lead.named(QTableView, "Tasks")
    since = f"{holder.since.astimezone():%H:%M}"
    lead.wait_for(lambda: table.model().index(0, STATUS).data() == f"Claimed\nAda, {since}")
    assert lead.says(f"Ada has it on {holder.place} since {since}")


def test_what_the_desk_refuses_is_told_and_the_list_shows_what_is_true(lead: LeadBench) -> None:
    (task,) = lead.prepared(1)
    lead.service.approve([task.listed])
    lead.office.queue.claim(task.task_id)
    lead.office.queue.mark_recorded(task.task_id, "0000000000000001")
    lead.press(Command.REJECT_TASKS)
    dialog = lead.dialog(ReasonDialog)
    dialog.findChildren(QRadioButton)[0].setChecked(True)
    lead.answer(dialog, "Reject")
    lead.wait_for(lambda: lead.says("That did not work."))
    stages = lead.named(QComboBox, "How far")
    lead.wait_for(lambda: stages.findText("Approved (1)") >= 0)


def test_the_window_asks_before_it_closes_over_words_that_are_not_saved(lead: LeadBench) -> None:
    lead.prepared(1)
    closed: list[bool] = []
    assert not lead.page.asks_before_closing(lambda: closed.append(True))
    lead.press(Command.EDIT_TASK)
    lead.named(QPlainTextEdit, "Instruction in your words").setPlainText("Half a thought")
    assert lead.page.asks_before_closing(lambda: closed.append(True))
    dialog = lead.dialog(ConfirmDialog)
    assert lead.says("Close, and lose what you typed of 1 task?")
    lead.answer(dialog, "Close")
    assert closed == [True]
    assert not lead.page.asks_before_closing(lambda: closed.append(True))
