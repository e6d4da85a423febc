"""The window: a rail at the left that leads to the pages, and the pages."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QMainWindow, QToolButton, QVBoxLayout, QWidget

from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import named
from odyssey_recorder.gui.record_page import RecordPage
from odyssey_recorder.gui.recording_controller import RecordingController
from odyssey_recorder.gui.theme import Theme, style_sheet

SMALLEST = QSize(1100, 700)


class MainWindow(QMainWindow):
    """The one window of the program; closing it keeps a recording as a draft and asks nothing."""

    def __init__(self, controller: RecordingController) -> None:
        super().__init__()
        self.setWindowTitle("Odyssey Recorder")
        self._controller = controller
        controller.setParent(self)
        self._commands = Commands(self)
        self._page = RecordPage(controller, self._commands)
        self.setMinimumSize(SMALLEST)
        self.resize(1360, 860)
        self._lay_out()
        self._use_palette()

    def open_on(self, serial: str | None) -> None:
        """Show the window, look for devices and drafts, and connect to `serial` if one is given."""
        self.show()
        if serial is not None:
            self._controller.choose_device(serial)
        self._controller.list_devices()
        self._controller.list_drafts()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.hide()
        self._controller.close()
        super().closeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.ThemeChange:
            self._use_palette()
        super().changeEvent(event)

    def _use_palette(self) -> None:
        palette = QApplication.palette()
        self.setStyleSheet(style_sheet(Theme.current(), font_pt=QApplication.font().pointSizeF()))
        self._commands.use_palette(palette)
        self._page.repaint_icons()

    def _lay_out(self) -> None:
        record = named(QToolButton(), "Record")
        record.setDefaultAction(self._commands[Command.RECORD_PAGE])
        record.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        record.setProperty("kind", "rail")
        record.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        record.setFixedWidth(60)
        action = self._commands[Command.RECORD_PAGE]
        action.setCheckable(True)
        action.setChecked(True)
        action.triggered.connect(lambda: action.setChecked(True))
        rail = QFrame()
        rail.setProperty("kind", "rail")
        rail.setFixedWidth(76)
        column = QVBoxLayout(rail)
        column.setContentsMargins(8, 16, 8, 16)
        column.addWidget(record)
        column.addStretch()
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(rail)
        row.addWidget(self._page, 1)
        self.setCentralWidget(whole)
