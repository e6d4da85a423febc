"""Browsing templates, generating tasks, and asking a model for new templates."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSpinBox, QTableView, QTextEdit

from odyssey_recorder.gui.kit.parts import CheckBox
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.generate_dialog import GenerateDialog, ProposeDialog
from odyssey_recorder.gui.tasks.template_table import LEFT, META_TASK, ROLES
from odyssey_recorder.tasks.queue.task_status import Status
from tests.gui.item_views import column_texts
from tests.gui.tasks.lead_driver import LeadDriver
from tests.llm.stand_in import StandIn, says

NEW = {
    "meta_task": "Put a reminder to water {plant} on the list and write down {amount} of water for it in a note.",
    "slots": [
        {"name": "plant", "items": ["the fern", "the cactus", "the basil", "the orchid", "the lemon tree", "the ivy"]},
        {"name": "amount", "items": ["half a litre", "a glass", "two cups", "a full can", "one litre", "a splash"]},
    ],
    "roles": ["todo", "notes"],
    "phrasings": [
        "I keep forgetting {plant}: remind me on my list, and note that it gets {amount} of water.",
        "Put watering {plant} on my list and write {amount} of water into a note.",
        "Could you list watering {plant} for me and keep a note saying {amount} of water?",
    ],
    "named_phrasings": [
        "Add watering {plant} to {todo} and write {amount} of water into a note in {notes}.",
        "In {todo}, list watering {plant}; in {notes}, note {amount} of water.",
    ],
    "notes": "",
}
"""A template of Information_Management unlike any other."""


def table(lead: LeadDriver) -> QTableView:
    return lead.named(QTableView, "Templates")


def cells(lead: LeadDriver, column: int) -> list[str]:
    return column_texts(table(lead), column)


def test_templates_show_roles_remaining_tasks_and_details(lead: LeadDriver) -> None:
    lead.open_view(TasksCommand.SHOW_TEMPLATES)
    left = lead.service.left()
    in_order = [one.template_id for one in lead.service.library().templates]
    assert cells(lead, LEFT) == [f"{left[one]:,}" for one in in_order]
    assert cells(lead, ROLES)[0] == "clock"
    assert lead.says(f"6 templates, {sum(left.values()):,} different tasks left")
    assert not lead.commands[TasksCommand.THINK_OF_TEMPLATES].isEnabled()
    assert lead.says("No language model is set up")
    table(lead).selectRow(0)
    assert lead.says("phone_alarm")
    text = lead.named(QTextEdit, "About the template").toPlainText()
    for part in (
        "Set an alarm for {time} with the label {label}.", "{label} is filled with one of",
        "Swimming · ", "clock: any of Clock", "I need an alarm at {time}, please label it {label}.",
        "In {clock}, set an alarm for {time}", "simulated_phone · every device", "Starts from a clean home screen.",
        "The alarm rings once",
    ):  # fmt: skip
        assert part in text, part
    QTest.keyClick(table(lead), Qt.Key.Key_Return)
    dialog = lead.dialog_of(GenerateDialog)
    assert [tick.text() for tick in dialog.findChildren(CheckBox) if tick.isChecked()] == ["General Tool"]


def test_templates_can_be_filtered_and_sorted(lead: LeadDriver) -> None:
    lead.open_view(TasksCommand.SHOW_TEMPLATES)
    lead.use(TasksCommand.FIND_TASK)
    search = lead.line("Search templates")
    QTest.keyClicks(search, "GIFT")
    lead.wait_for(lambda: len(cells(lead, META_TASK)) == 1)
    search.clear()
    lead.wait_for(lambda: len(cells(lead, META_TASK)) == 6)
    lead.choice("Templates of category").setCurrentText("Multi Apps")
    assert len(cells(lead, META_TASK)) == 1
    lead.choice("Templates of category").setCurrentText("All categories")
    table(lead).sortByColumn(LEFT, Qt.SortOrder.DescendingOrder)
    counts = [int(text.replace(",", "")) for text in cells(lead, LEFT)]
    assert counts == sorted(counts, reverse=True)


def test_generated_tasks_wait_for_approval(lead: LeadDriver) -> None:
    lead.open_view(TasksCommand.SHOW_TEMPLATES)
    lead.use(TasksCommand.GENERATE_TASKS)
    dialog = lead.dialog_of(GenerateDialog)
    for tick in dialog.findChildren(CheckBox):
        if tick.text() in ("General Tool", "Multi Apps"):
            tick.setChecked(False)
    assert lead.says("4 templates can make up to ")
    app_class = lead.choice("With kind of app")
    app_class.setCurrentText("Photos")
    assert lead.says("No template can make more tasks of this kind")
    app_class.setCurrentIndex(0)
    lead.named(QSpinBox, "Number of tasks").setValue(8)
    lead.press_in(dialog, "Generate")
    lead.wait_for_text("8 tasks generated. They wait to be approved.")
    lead.wait_for(lambda: len(lead.rows) == 8)
    generated = lead.service.board().tasks
    assert {task.status for task in generated} == {Status.TO_APPROVE}
    assert len({task.listed.task.task for task in generated}) == 8
    assert {task.listed.task.category for task in generated}.isdisjoint({"General_Tool", "Multi_Apps"})
    lead.wait_for(lambda: lead.commands[TasksCommand.SHOW_PREPARE].text() == "Prepare 8")


def test_unreadable_template_is_reported(lead: LeadDriver) -> None:
    lead.open_view(TasksCommand.SHOW_TEMPLATES)
    broken = lead.setup.folder / "own" / "General_Tool"
    broken.mkdir(parents=True)
    (broken / "mine.yaml").write_text("meta_task: Do it\n")
    lead.use(TasksCommand.READ_TASKS)
    lead.wait_for_text("mine.yaml:1")
    assert len(cells(lead, META_TASK)) == 6


def test_proposals_are_kept_or_dropped_but_faulty_ones_only_dropped(lead: LeadDriver, model: StandIn) -> None:
    faulty = {**NEW, "meta_task": "Book {plant} {amount} hours in a sauna for tomorrow.", "roles": ["todo", "sauna"]}
    model.behaviour = lambda _question: says({"templates": [NEW, faulty]})
    lead.open_view(TasksCommand.SHOW_TEMPLATES)
    lead.wait_for(lambda: lead.commands[TasksCommand.THINK_OF_TEMPLATES].isEnabled())
    lead.choice("Templates of category").setCurrentText("Information Management")
    lead.use(TasksCommand.THINK_OF_TEMPLATES)
    lead.press_in(lead.dialog_of(ProposeDialog), "Propose")
    lead.choice("Templates of category").setCurrentText("All categories")
    lead.wait_for(lambda: cells(lead, LEFT)[:2] == ["Proposed", "Has faults"])
    assert lead.says("Proposed by a model.")
    lead.use(TasksCommand.KEEP_TEMPLATE)
    lead.wait_for_text("saved in")
    lead.wait_for(lambda: len(cells(lead, META_TASK)) == 8 and "Proposed" not in cells(lead, LEFT))
    assert NEW["meta_task"] in [one.meta_task for one in lead.service.library().templates]
    table(lead).selectRow(cells(lead, LEFT).index("Has faults"))
    assert lead.says("sauna")
    assert not lead.commands[TasksCommand.KEEP_TEMPLATE].isEnabled()
    lead.use(TasksCommand.DROP_TEMPLATE)
    assert len(cells(lead, META_TASK)) == 7
