"""On every page: whether a field or the page gets a key, and the focus after each action."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from shutil import copytree

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)
from pytestqt.exceptions import TimeoutError
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.dataset.commands import DatasetCommand
from odyssey_recorder.gui.frame.command import Command, CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.keyboard import offer_focus
from odyssey_recorder.gui.frame.question_dialog import ReasonDialog
from odyssey_recorder.gui.kit.table import VALUE
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.gui.review.answers import QUESTIONS
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.model.action import Type
from odyssey_recorder.recording.state import State
from odyssey_recorder.review.review import Decision
from odyssey_recorder.services.tasks import ModelChoice
from tests.fakes import FakeDevice
from tests.gui.pilot import OpenAt, Pilot
from tests.gui.review.fake_reviewing import FakeReviewing
from tests.gui.review.reviewer import Reviewer
from tests.gui.tasks.lead_driver import TaskSetup, copy_templates
from tests.tasks.tasks import queue_of, row

_, STEPS, _ = QUESTIONS.values()
NOTE = "Note on the verdict"
TEXT_TO_TYPE = "Text to type"
SCREEN = "Device screen"

FIELD_TAKES_KEY = None
"""The key triggers no command."""

KeyTarget = Command | None
KEYS: dict[Command, Sequence[tuple[str, str, str, KeyTarget]]] = {
    # Page: field, its content, keys, and the command that each triggers.
    CommonCommand.RECORD_PAGE: (
        (TEXT_TO_TYPE, "", "Ctrl+Z", RecordCommand.UNDO),
        (TEXT_TO_TYPE, "", "Ctrl+Shift+Z", RecordCommand.REDO),
        (TEXT_TO_TYPE, "milk", "Ctrl+Z Ctrl+Shift+Z e Home Ctrl+Left Ctrl+Backspace Ctrl+A Ctrl+V", FIELD_TAKES_KEY),
        (TEXT_TO_TYPE, "milk", "Ctrl+E", RecordCommand.NOTE),
        (TEXT_TO_TYPE, "milk", "Ctrl+K", RecordCommand.SKIP_TASK),
        (TEXT_TO_TYPE, "milk", "Ctrl+Return", RecordCommand.COMPLETE),
        (TEXT_TO_TYPE, "milk", "Ctrl+Shift+S", RecordCommand.STOP),
        (TEXT_TO_TYPE, "milk", "F2", RecordCommand.BACK),
        (TEXT_TO_TYPE, "milk", "Ctrl+4", DatasetCommand.DATASET_PAGE),
    ),
    ReviewCommand.REVIEW_PAGE: (
        (NOTE, "", "r 1 Shift+R", FIELD_TAKES_KEY),
        (NOTE, "late", "Left End Ctrl+Z", FIELD_TAKES_KEY),
        (NOTE, "", "Ctrl+Z", ReviewCommand.UNDO_VERDICT),
        (NOTE, "late", "Ctrl+E", ReviewCommand.REVIEW_NOTE),
        (NOTE, "late", "Ctrl+J", ReviewCommand.NEXT_REVIEW),
        (NOTE, "late", "Alt+2", ReviewCommand.SHOW_FINDINGS),
        (NOTE, "late", "Ctrl+L", ReviewCommand.REVIEW_LIST),
        (f"Words: {STEPS}", "", "r ,", FIELD_TAKES_KEY),
        (f"Step: {STEPS}", "", "2 r", FIELD_TAKES_KEY),
        (f"Step: {STEPS}", "", "Ctrl+J", ReviewCommand.NEXT_REVIEW),
    ),
    CommonCommand.TASKS_PAGE: (
        ("Search tasks to prepare", "", "a x", FIELD_TAKES_KEY),
        ("Search tasks to prepare", "mi", "Ctrl+Shift+R", TasksCommand.REWRITE_ALL),
        ("Search tasks to prepare", "mi", "F8", TasksCommand.READ_TASKS),
        ("Search tasks to prepare", "mi", "Alt+1", TasksCommand.SHOW_QUEUE),
        ("Instruction in your words", "", "e", FIELD_TAKES_KEY),
        ("Instruction in your words", "Buy", "Return", FIELD_TAKES_KEY),
        ("Instruction in your words", "Buy", "Ctrl+Return", TasksCommand.KEEP_WORDS),
        ("Instruction in your words", "Buy", "Esc", TasksCommand.LEAVE_WORDS),
        ("Instruction in your words", "Buy", "Ctrl+G", TasksCommand.GENERATE_TASKS),
    ),
    DatasetCommand.DATASET_PAGE: (
        ("Filter episodes", "milk", "Ctrl+C 1", FIELD_TAKES_KEY),
        ("Filter episodes", "milk", "Ctrl+O", DatasetCommand.EPISODE_FOLDER),
        ("Filter episodes", "milk", "Ctrl+Shift+F", DatasetCommand.CLEAR_FILTERS),
    ),
}


class CommandListener(QObject):
    """Notes the commands that keys trigger, and blocks them."""

    def __init__(self, commands: Commands) -> None:
        super().__init__(commands)
        self._commands = {commands[command]: command for command in commands}
        self.triggered: list[Command] = []
        for action in self._commands:
            action.installEventFilter(self)

    def offer_all(self) -> None:
        """Enable every command, to find all keys of the page."""
        self.triggered.clear()
        for action in self._commands:
            action.setEnabled(True)
            action.setVisible(True)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's spelling
        if event.type() is QEvent.Type.Shortcut:
            self.triggered.append(next(one for action, one in self._commands.items() if action is watched))
            return True
        return False


@pytest.fixture
def reviewing(tmp_path: Path) -> FakeReviewing:
    return FakeReviewing(tmp_path / "under review")


def office_in(folder: Path) -> TaskSetup:
    return TaskSetup(folder / "templates", folder, queue_of(folder, row("a")))


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An office with tasks to prepare; not to be changed."""
    folder = copy_templates(tmp_path_factory.mktemp("office")).parent
    office_in(folder).service().generate(ModelChoice(2, 1, "simulated_phone", frozenset(), names_apps=False))
    return folder


@pytest.fixture
def office(generated: Path, tmp_path: Path) -> TaskSetup:
    return office_in(copytree(generated, tmp_path, dirs_exist_ok=True))


@pytest.fixture
def pilot(open_at: OpenAt, reviewing: FakeReviewing, office: TaskSetup) -> Pilot:
    reviewing.record("Buy milk")
    reviewing.record("Buy bread")
    opened = open_at(
        Workplace(
            review=lambda: reviewing,
            dataset=lambda: EpisodeIndex(reviewing.root, None),
            tasks=lambda: office.queue,
            task_service=office.service,
        )
    )
    opened.wait_for_phase(Phase.WATCHING)
    opened.activate()
    return opened


def press(*keys: str) -> None:
    for key in keys:
        focus = QApplication.focusWidget()
        assert focus is not None, f"nothing has the focus when {key} is pressed"
        QTest.keySequence(focus, QKeySequence(key))


def write(text: str) -> None:
    for letter in text:
        focus = QApplication.focusWidget()
        assert focus is not None, f"nothing has the focus when {letter} is typed"
        QTest.keyClicks(focus, letter)


def focused() -> str:
    focus = QApplication.focusWidget()
    return "nothing" if focus is None else focus.accessibleName() or focus.property("text") or type(focus).__name__


def is_focused(name: str) -> bool:
    return focused() == name


def clear(entry: QWidget) -> None:
    """Clear a field and its undo history."""
    if isinstance(entry, QLineEdit):
        entry.setText("")
    elif isinstance(entry, QPlainTextEdit):
        entry.setPlainText("")


def show_fields(pilot: Pilot, page: Command) -> None:
    pilot.press(page.value.label)
    if page is CommonCommand.RECORD_PAGE:
        record(pilot)
    elif page is ReviewCommand.REVIEW_PAGE:
        open_review(pilot).press("s3")
    elif page is CommonCommand.TASKS_PAGE:
        press("Alt+3")
        pilot.wait_until_enabled("Edit")
        write("e")


def record(pilot: Pilot) -> None:
    pilot.wait_until_enabled("Start recording")
    press("Ctrl+R")
    pilot.wait_for_phase(Phase.RECORDING)
    pilot.wait_for_steps(0)
    press("Ctrl+T")
    write("seven")
    pilot.send_text()
    pilot.wait_for_steps(1)


def open_review(pilot: Pilot) -> Reviewer:
    reviewer = Reviewer(pilot)
    pilot.qtbot.waitUntil(lambda: "Buy milk" in reviewer.listed)
    reviewer.open(reviewer.listed.index("Buy milk"))
    return reviewer


@pytest.mark.parametrize("page", KEYS, ids=lambda page: page.value.label)
def test_keys_in_fields(pilot: Pilot, page: Command) -> None:
    show_fields(pilot, page)
    commands = pilot.window.findChild(Commands)
    assert commands is not None
    listener = CommandListener(commands)
    wrong = []
    for name, text, pressed, command in KEYS[page]:
        for key in pressed.split():
            listener.offer_all()
            entry = pilot.named(QWidget, name)
            assert entry.isVisible(), f"no field {name} is shown"
            entry.setFocus()
            clear(entry)
            write(text)
            listener.offer_all()
            press(key)
            if listener.triggered != ([] if command is FIELD_TAKES_KEY else [command]):
                wrong.append((name, text, key, listener.triggered))
    commands[TasksCommand.LEAVE_WORDS].trigger()  # otherwise the window asks before it closes
    assert not wrong, wrong


# Focus after each action.


Action = Callable[[Pilot], object]


def after(*actions: Action) -> Action:
    return lambda pilot: [action(pilot) for action in actions]


def click(name: str) -> Action:
    return lambda pilot: pilot.press(name)


def keys(*pressed: str) -> Action:
    return lambda _pilot: press(*pressed)


def letters(text: str) -> Action:
    return lambda _pilot: write(text)


def answer(dialog: str, button: str) -> Action:
    """Press a button of the dialog with this title; activates the window, since no window manager does."""

    def press_button(pilot: Pilot) -> None:
        opened = pilot.dialog()
        assert opened.windowTitle() == dialog
        pilot.press_in(opened, button)
        pilot.activate()

    return press_button


def send(pilot: Pilot, text: str) -> None:
    press("Ctrl+T")
    pilot.line(TEXT_TO_TYPE).setText(text)
    pilot.send_text()


def undo(pilot: Pilot) -> None:
    left = len(pilot.steps) - 1
    click("Undo last")(pilot)
    pilot.wait_for_state(State.RESTORING)
    press("Ctrl+Shift+Return")
    pilot.wait_for_steps(left)


FOCUS: dict[Command, Sequence[tuple[str, Action, str]]] = {
    # Page: actions in order, and the focus afterwards.
    CommonCommand.RECORD_PAGE: (
        ("a recording begins and a text was typed", record, SCREEN),
        ("letters", letters("milk"), TEXT_TO_TYPE),
        ("Write", keys("Ctrl+T"), TEXT_TO_TYPE),
        ("Esc in the field", keys("Esc"), SCREEN),
        ("a text that cannot be typed", lambda p: send(p, "grüße"), TEXT_TO_TYPE),
        ("a text that can", after(lambda p: send(p, "u"), lambda p: p.wait_for_steps(2)), SCREEN),
        ("a text and the button", after(keys("Ctrl+T"), letters("v")), TEXT_TO_TYPE),
        ("its button", after(click("Type"), lambda pilot: pilot.send_text()), SCREEN),
        ("the step is there", lambda p: p.wait_for_steps(3), SCREEN),
        ("Write a note", keys("Ctrl+E"), "Note of step 3"),
        ("the note is written", after(letters("why"), keys("Return")), "Steps"),
        ("a note is left", keys("Ctrl+E", "Esc"), "Steps"),
        ("Undo by its button", undo, "Undo last"),
        ("Undo of the first: nothing is left to undo", after(undo, undo), SCREEN),
        ("Pause", click("Pause"), "Pause"),
        ("Resume", click("Pause"), SCREEN),
        ("Impossible", keys("Ctrl+I"), "no results"),
        ("letters at the reasons", letters("gone"), "Another reason"),
        ("Cancel", answer("Task impossible", "Cancel"), SCREEN),
        ("Complete", keys("Ctrl+Return"), "Note"),
        ("the note of the end", letters("done"), "Note"),
        ("the end", after(lambda p: p.finish(p.dialog()), Pilot.activate), SCREEN),
        ("Record another", keys("Ctrl+N"), SCREEN),
        ("Write my own", keys("Ctrl+Shift+W"), "Instruction"),
        ("Return to the queue", keys("Ctrl+Shift+Q"), SCREEN),
        ("another page and back", keys("Ctrl+4", "Ctrl+1"), SCREEN),
    ),
    ReviewCommand.REVIEW_PAGE: (
        ("the page", lambda _: None, "Episodes to review"),
        ("Find", keys("Ctrl+F"), "Search episodes"),
        ("Esc in the search", keys("Esc"), "Episodes to review"),
        ("an episode is opened", open_review, "Steps"),
        ("Fail", keys("S"), "Steps"),
        ("a reason", keys("3"), "Steps"),
        ("Add details", keys("T"), f"Words: {STEPS}"),
        ("Return ends the words", keys("Return"), "Steps"),
        ("Something else", keys("9"), f"Words: {STEPS}"),
        ("its words", letters("rax9"), f"Words: {STEPS}"),
        ("Esc ends them", keys("Esc"), "Steps"),
        ("Something else once more", keys("9"), f"Words: {STEPS}"),
        ("another answer takes the field away", click(f"Pass: {STEPS}"), f"Pass: {STEPS}"),
        ("Write a note", keys("Ctrl+E"), NOTE),
        ("Return in the note", keys("Return"), NOTE),
        ("Esc in the note", keys("Esc"), "Steps"),
        ("the list", keys("Ctrl+L"), "Episodes to review"),
        ("the episode again", keys("Ctrl+L"), "Steps"),
        ("the field of the note, then the list", keys("Ctrl+E", "Ctrl+L"), "Episodes to review"),
    ),
    CommonCommand.TASKS_PAGE: (
        ("the page", lambda _: None, "Tasks"),
        ("Prepare", after(keys("Alt+3"), lambda p: p.wait_until_enabled("Edit")), "Tasks to prepare"),
        ("Edit", keys("E"), "Instruction in your words"),
        ("Save", after(letters(" now"), keys("Ctrl+Return")), "Tasks to prepare"),
        ("Edit again and discard", keys("E", "Esc"), "Tasks to prepare"),
        ("Find", keys("Ctrl+F"), "Search tasks to prepare"),
        ("Esc in the search", keys("Esc"), "Tasks to prepare"),
        ("Reject", keys("X"), "cannot be done on the device"),
        ("letters at the reasons", letters("not clear"), "Another reason"),
        ("Reject it", answer("Reject", "Reject"), "Tasks to prepare"),
        ("the queue", keys("Alt+1"), "Tasks"),
    ),
    DatasetCommand.DATASET_PAGE: (
        ("the page", lambda p: p.qtbot.waitUntil(lambda: p.says("2 episodes")), "Episodes"),
        ("Find", keys("Ctrl+F"), "Filter episodes"),
        ("words that find nothing", letters("zzz"), "Filter episodes"),
        ("Esc leaves the search", keys("Esc"), "DatasetPage"),
        ("Show all by its button", click("Show all"), "Episodes"),
    ),
}


@pytest.mark.parametrize("page", FOCUS, ids=lambda page: page.value.label)
def test_focus_after_actions(pilot: Pilot, page: Command) -> None:
    pilot.press(page.value.label)
    wrong = []
    for what, action, expected in FOCUS[page]:
        action(pilot)
        try:
            pilot.qtbot.waitUntil(partial(is_focused, expected))
        except TimeoutError:
            wrong.append((what, expected, focused()))
    assert not wrong, wrong


# Regressions.


def test_note_right_after_text_is_not_sent_to_device(pilot: Pilot, device: FakeDevice) -> None:
    record(pilot)
    send(pilot, "eight")
    press("Ctrl+E")  # while the step is still being made
    pilot.qtbot.waitUntil(lambda: focused() == "Note of step 2")
    write("why eight")
    press("Return")
    pilot.qtbot.waitUntil(lambda: [step.note for step in pilot.views[-1].steps] == ["", "why eight"])
    assert device.performed == ["seven", "eight"]
    write("and more")
    press("Return")
    press("Ctrl+Z")
    pilot.wait_for_state(State.RESTORING)
    assert [step.action for step in pilot.views[-1].steps] == [Type("seven")]


def test_letters_in_the_list_of_steps_are_not_sent_to_device(pilot: Pilot, device: FakeDevice) -> None:
    record(pilot)
    pilot.named(QListView, "Steps").setFocus()
    write("milk")
    press("Return")
    assert pilot.line(TEXT_TO_TYPE).text() == ""
    assert device.performed == ["seven"]


def test_note_editor_survives_loaded_screenshot_and_new_step(pilot: Pilot) -> None:
    record(pilot)
    press("Ctrl+E")
    write("half ")
    pilot.named(QListView, "Steps").model().dataChanged.emit(*[pilot.named(QListView, "Steps").currentIndex()] * 2)
    press("F2")
    pilot.wait_for_steps(2)
    write("and half")
    press("Return")
    pilot.qtbot.waitUntil(lambda: [step.note for step in pilot.views[-1].steps] == ["half and half", ""])


def test_note_is_kept_while_others_judge_the_episode(pilot: Pilot, reviewing: FakeReviewing) -> None:
    pilot.press("Review")
    reviewer = open_review(pilot)
    press("Ctrl+E")
    write("Late ")
    episode = reviewer.ids[reviewer.listed.index("Buy milk")]
    reviewing.add_verdict(episode, "Omar", Decision.ACCEPT)
    reviewing.add_to_sample(episode)
    reviewing.publish_rows(episode)
    reviewer.wait_for_text("Second review.")
    write("arrival")
    assert pilot.editor(NOTE).toPlainText() == "Late arrival"
    assert reviewing.submitted == []


def test_typing_into_removed_field_triggers_no_page_keys(pilot: Pilot, office: TaskSetup) -> None:
    pilot.press("Tasks")
    press("Alt+3")
    pilot.wait_until_enabled("Edit")
    tasks = pilot.named(QTableView, "Tasks to prepare").model()
    press("E")
    write("Bu")
    office.service().approve([tasks.index(0, 0).data(VALUE).task.listed])
    press("F8")
    pilot.qtbot.waitUntil(lambda: tasks.rowCount() == 1)
    pilot.qtbot.waitUntil(lambda: focused() == "Tasks to prepare")
    write("y a xylophone")
    assert tasks.rowCount() == 1
    assert focused() == "Tasks to prepare"
    assert pilot.window.findChildren(ReasonDialog) == []


def test_offered_focus_is_not_taken_from_a_field(qtbot: QtBot) -> None:
    line, button = QLineEdit(), QPushButton()
    page = QWidget()
    layout = QVBoxLayout(page)
    for part in (line, button):
        layout.addWidget(part)
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    line.setFocus()
    offer_focus(button)
    assert line.hasFocus()
    line.setReadOnly(True)
    offer_focus(button)
    assert button.hasFocus()
