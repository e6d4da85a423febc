"""Drives the window like an annotator; finds controls by their accessible names."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, Self, TypeVar

from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListView,
    QMainWindow,
    QPlainTextEdit,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from odyssey_recorder.gui.bridges.recording import Phase, RecordingController
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.question_dialog import QuestionDialog
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.gui.record.status import StatusLine
from odyssey_recorder.gui.screen.viewport import FitScale
from odyssey_recorder.gui.window.main_window import MainWindow
from odyssey_recorder.gui.window.pages import all_commands
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView
from odyssey_recorder.services.recording import RecordingService
from tests.gui.fakes import TASK
from tests.gui.item_views import column_texts

W = TypeVar("W", bound=QWidget)

OpenAt = Callable[[Workplace], "Pilot"]

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
LONG_PRESS_MS = 400
"""QTest derives the timestamps of its events from its own pauses, not from a clock."""


def button_in(parent: QWidget, text: str) -> QAbstractButton:
    return next(button for button in parent.findChildren(QAbstractButton) if button.text() == text)


def texts_in(parent: QWidget) -> list[str]:
    """Of its visible labels."""
    return [label.text() for label in parent.findChildren(QLabel) if label.isVisible() and label.text()]


class WindowDriver:
    def __init__(self, qtbot: QtBot, window: QMainWindow) -> None:
        self.qtbot = qtbot
        self.window = window

    def activate(self) -> None:
        """There is no window manager to do it."""
        self.window.activateWindow()
        self.qtbot.waitUntil(self.window.isActiveWindow)

    def says(self, text: str) -> bool:
        return any(text in shown.replace("\u200b", "") for shown in texts_in(self.window))

    def wait_for_text(self, text: str) -> None:
        self.qtbot.waitUntil(lambda: self.says(text))

    def find(self, kind: type[W]) -> W:
        found = self.window.findChild(kind)
        assert found is not None
        return found

    def named(self, kind: type[W], name: str) -> W:
        found = [widget for widget in self.window.findChildren(kind) if widget.accessibleName() == name]
        assert found, f"no {kind.__name__} is called {name}"
        return next((widget for widget in found if widget.isVisible()), found[0])

    def button_named(self, name: str) -> QAbstractButton:
        return self.named(QAbstractButton, name)

    def line(self, name: str) -> QLineEdit:
        return self.named(QLineEdit, name)

    def editor(self, name: str) -> QPlainTextEdit:
        return self.named(QPlainTextEdit, name)

    def choice(self, name: str) -> QComboBox:
        return self.named(QComboBox, name)

    def rows_of(self, name: str) -> list[str]:
        """The accessible texts of a list's rows."""
        model, role = self.named(QListView, name).model(), Qt.ItemDataRole.AccessibleTextRole
        return [str(model.index(row, 0).data(role)) for row in range(model.rowCount())]

    def dialog(self) -> QDialog:
        self.qtbot.waitUntil(lambda: bool(self._open_dialogs()))
        return self._open_dialogs()[0]

    def _open_dialogs(self) -> list[QDialog]:
        return [dialog for dialog in self.window.findChildren(QDialog) if dialog.isVisible()]

    def wait_to_close(self, dialog: QDialog) -> None:
        """Qt may delete it at once."""
        self.qtbot.waitUntil(lambda: not (isValid(dialog) and dialog.isVisible()))

    @property
    def is_asked(self) -> bool:
        return bool(self._open_dialogs())

    def choose_file(self, path: Path) -> None:
        """In the newest file dialog."""
        chooser = self.window.findChildren(QFileDialog)[-1]
        chooser.fileSelected.emit(str(path))
        chooser.close()

    def press(self, name: str) -> None:
        QTest.mouseClick(self.named(QAbstractButton, name), LEFT)

    def press_in(self, dialog: QWidget, text: str) -> None:
        QTest.mouseClick(button_in(dialog, text), LEFT)

    def is_enabled(self, name: str) -> bool:
        return self.named(QAbstractButton, name).isEnabled()

    def wait_until_enabled(self, name: str) -> None:
        self.qtbot.waitUntil(lambda: self.is_enabled(name))


class WidgetPilot(WindowDriver):
    """A page or card alone in a window."""

    def __init__(self, qtbot: QtBot, background: Background) -> None:
        super().__init__(qtbot, QMainWindow())
        qtbot.addWidget(self.window, before_close_func=lambda _: self.stop_delivery())
        self.background = background
        self.commands = Commands(self.window, all_commands())

    def stop_delivery(self) -> None:
        """The widgets that wait for results are about to be deleted."""
        for one in (self.background, *self.background.findChildren(Background)):
            one.blockSignals(True)
            QCoreApplication.removePostedEvents(one)

    def show_widget(self, widget: QWidget, width: int = 1024, height: int = 700) -> None:
        self.window.setCentralWidget(widget)
        self.window.resize(width, height)
        self.window.show()
        self.activate()


class OpenWindow(Protocol):
    def __call__(self, service: RecordingService, workplace: Workplace | None = None) -> "Pilot": ...


class Pilot(WindowDriver):
    window: MainWindow

    def __init__(self, qtbot: QtBot, controller: RecordingController, workplace: Workplace | None) -> None:
        self.controller = controller
        self.views: list[RecordingView] = []
        controller.view_changed.connect(self.views.append)
        super().__init__(qtbot, MainWindow(controller, workplace))
        self.window.open_on(None)

    @property
    def mirror(self) -> MirrorView:
        return self.find(MirrorView)

    @property
    def status(self) -> StatusLine:
        return self.find(StatusLine)

    @property
    def steps(self) -> list[str]:
        return column_texts(self.named(QListView, "Steps"))

    @property
    def rail(self) -> list[str]:
        """The names of the pages in the rail."""
        buttons = [one for one in self.window.findChildren(QToolButton) if one.property("kind") == "rail"]
        names = [one.accessibleName() for one in buttons if one.isVisible()]
        return [name for name in names if name not in ("Help", "Doctor")]

    def has_closed(self) -> bool:
        """Closed, or without a job to wait for."""
        return not (self.window.isVisible() and self.controller.background.jobs)

    def wait_for_phase(self, phase: Phase) -> None:
        self.qtbot.waitUntil(lambda: self.controller.phase is phase, timeout=60_000)

    def watching(self) -> Self:
        """Wait until the device is shown."""
        self.wait_for_phase(Phase.WATCHING)
        return self

    def wait_for_state(self, state: State) -> RecordingView:
        self.qtbot.waitUntil(lambda: bool(self.views) and self.views[-1].state is state, timeout=60_000)
        return self.views[-1]

    def wait_for_steps(self, number: int) -> None:
        """Until `number` steps are recorded and the next action is possible."""
        self.qtbot.waitUntil(lambda: len(self.steps) == number, timeout=60_000)
        self.wait_for_state(State.READY)
        self.qtbot.waitUntil(lambda: self.mirror.takes_input, timeout=60_000)

    def write_task(self, task: TaskInfo = TASK) -> None:
        self.editor("Instruction").setPlainText(task.instruction)
        QTest.keyClicks(self.line("Apps"), ", ".join(task.apps))

    def start(self, task: TaskInfo = TASK) -> None:
        """Write the task, start recording, and wait until the first action is possible."""
        self.write_task(task)
        self.begin()

    def begin(self) -> None:
        self.wait_until_enabled("Start recording")
        self.press("Start recording")
        self.wait_for_phase(Phase.RECORDING)
        self.wait_for_steps(0)

    def stop(self) -> None:
        self.press("Stop")
        self.wait_for_phase(Phase.WATCHING)

    def wait_for(self, kind: type[W], name: str) -> W:
        self.qtbot.waitUntil(lambda: any(widget.accessibleName() == name for widget in self.window.findChildren(kind)))
        return self.named(kind, name)

    def shortcut(self, keys: str) -> QAction:
        return next(action for action in self.window.findChildren(QAction) if action.shortcut().toString() == keys)

    @property
    def fit(self) -> FitScale:
        fit = self.mirror.fit()
        assert fit is not None
        return fit

    def spot(self, x: int, y: int) -> QPoint:
        return self.fit.point_of(Pixel(x, y)).toPoint()

    def click(self, x: int, y: int) -> None:
        QTest.mouseClick(self.mirror, LEFT, NONE, self.spot(x, y))

    def put_finger_down(self, x: int, y: int) -> None:
        QTest.mousePress(self.mirror, LEFT, NONE, self.spot(x, y))

    def hold(self, x: int, y: int) -> None:
        self.put_finger_down(x, y)
        self.qtbot.waitUntil(lambda: self.mirror.gesture.startswith("Long press"))
        QTest.mouseRelease(self.mirror, LEFT, NONE, self.spot(x, y), LONG_PRESS_MS)

    def drag_up(self, x: int, *, low: int, high: int) -> None:
        self.put_finger_down(x, low)
        for tenth in range(1, 11):
            QTest.mouseMove(self.mirror, self.spot(x, low + (high - low) * tenth // 10))
        QTest.mouseRelease(self.mirror, LEFT, NONE, self.spot(x, high))

    def type_text(self, text: str) -> None:
        QTest.keyClicks(self.line("Text to type"), text)
        self.send_text()

    def send_text(self) -> None:
        """Press Return in the box; again if the program warns that the device has no text field."""
        box = self.line("Text to type")
        QTest.keyClick(box, Qt.Key.Key_Return)
        if self.status.hint.startswith("No text field"):
            QTest.keyClick(box, Qt.Key.Key_Return)

    def complete(self, note: str = "") -> None:
        self.press("Complete")
        dialog = self.dialog()
        QTest.keyClicks(self.line("Note"), note)
        self.finish(dialog)

    def publish(self, dialog: QDialog) -> None:
        """Without waiting for the checks."""
        assert isinstance(dialog, QuestionDialog)
        for _answer in ("Publish", "Publish unchecked"):
            if dialog in self._open_dialogs():
                QTest.mouseClick(dialog.ok, LEFT)

    def finish(self, dialog: QDialog) -> None:
        self.publish(dialog)
        self.wait_for_phase(Phase.FINISHED)
