"""The main window: a rail at the left, and the page that is shown."""

from collections.abc import Iterator
from functools import cache, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QActionGroup, QCloseEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QMainWindow, QStackedWidget, QToolButton, QWidget

from odyssey_recorder.gui.bridges.practice import PracticeBridge
from odyssey_recorder.gui.bridges.queue import QueueBridge
from odyssey_recorder.gui.bridges.recording import Phase, RecordingController
from odyssey_recorder.gui.bridges.workplace import PageTools, Workplace
from odyssey_recorder.gui.frame.command import Command, CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.job_card import ClosingDialog
from odyssey_recorder.gui.frame.keyboard import Keyboard
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.frame.panels import Panels
from odyssey_recorder.gui.frame.roles import records, sees
from odyssey_recorder.gui.frame.shortcuts import Shortcuts
from odyssey_recorder.gui.frame.window_state import WindowState
from odyssey_recorder.gui.kit.parts import fill_column, fill_row, fix_width, tool_button
from odyssey_recorder.gui.kit.theme import Theme, style_sheet
from odyssey_recorder.gui.practice.first_use import FirstUse
from odyssey_recorder.gui.record.record_page import RecordPage
from odyssey_recorder.gui.screen.action_painter import prepare_other_threads
from odyssey_recorder.gui.window.help_dialog import HelpDialog
from odyssey_recorder.gui.window.idle import IdleQueue, make_classes
from odyssey_recorder.gui.window.pages import Pages, all_commands, commands_of_roles, load_pages
from odyssey_recorder.settings import Role

if TYPE_CHECKING:  # loaded on first use
    from odyssey_recorder.gui.window.doctor_dialog import DoctorDialog

SMALLEST = QSize(1100, 700)
_NAME = "Odyssey Recorder"
_REST_MS = 400
"""After the window opens, background preparation waits this long."""

_TO_RECORD = (CommonCommand.RECORD_PAGE, CommonCommand.TASKS_PAGE, CommonCommand.PRACTICE_PAGE)
"""Opening one of these means that the person is going to record."""

_AT_THE_BOTTOM = (CommonCommand.HELP, CommonCommand.DOCTOR, CommonCommand.SETTINGS_PAGE)


class MainWindow(QMainWindow):
    """The only window; closing it keeps a recording as a draft, and asks about unsaved changes.

    It opens on `first_page` if the role has it, otherwise on the page shown when it was last closed.
    """

    prepared = Signal()

    def __init__(
        self, controller: RecordingController, workplace: Workplace | None = None, first_page: Command | None = None
    ) -> None:
        super().__init__()
        self.setWindowTitle(_NAME)
        self._controller = controller
        controller.setParent(self)
        self._commands = Commands(self, all_commands())
        self._closing = ClosingDialog(controller.background, self)
        given = workplace or Workplace()
        queue = QueueBridge(given.tasks, controller.background, self) if given.tasks is not None else None
        coach = PracticeBridge(given.practice, controller, self) if given.practice is not None else None
        self._queue, self._coach = queue, coach
        self._shortcuts = Shortcuts(self._commands, given.shortcuts)
        review = None if given.review is None else cache(given.review)
        self._pages = Pages(
            PageTools(given, controller, self._commands, self._shortcuts, queue, coach, review, self._use_role)
        )
        record = self._pages[CommonCommand.RECORD_PAGE]
        assert isinstance(record, RecordPage)
        self._record = record
        self._doctor = given.doctor
        self._doctor_dialog: DoctorDialog | None = None
        self._first_use: FirstUse | None = None
        self._settings = given.settings
        self._next_role: Role | None = None  # once nothing is being recorded
        self._begins = False
        self._stack = QStackedWidget()
        self._page_actions = QActionGroup(self)
        self._keyboard = Keyboard(self, self._shown, self._commands[CommonCommand.HELP])
        self.setMinimumSize(SMALLEST)
        self.resize(1360, 860)
        self._offer_pages()
        self._lay_out()
        self._use_palette()
        self._state = WindowState(given.state)
        self._state.restore(self)
        self._record.viewport.recall(self._state.zoom)
        self._put_in(self._record)
        self._offer_for_role()
        self._connect(coach, queue)
        offered = self._pages.offered
        self._show_page(
            next((command for command in offered if command is first_page), self._state.page_among(offered))
        )

    def _connect(self, coach: PracticeBridge | None, queue: QueueBridge | None) -> None:
        self._controller.phase_changed.connect(self._tell_phase)
        self._closing.may_close.connect(self.close)
        if coach is not None:
            asks_role = self._settings is not None and not self._pages.role
            self._first_use = FirstUse(coach, self._commands, self, asks_role=asks_role)
            self._first_use.role_chosen.connect(self._choose_role)
            coach.opened.connect(self._commands[CommonCommand.RECORD_PAGE].trigger)
        if queue is not None:
            queue.follow()
        if coach is not None and queue is not None:
            coach.changed.connect(lambda: queue.show_gate(coach.closed(None)))
            queue.chosen.connect(lambda _task: coach.leave())
            queue.show_gate(coach.closed(None))

    @property
    def page(self) -> Command:
        return next(command for command in self._pages.openers if self._commands[command].isChecked())

    def open_on(self, serial: str | None) -> None:
        self.show()
        if serial is not None:
            self._controller.choose_device(serial)
        self._begins = True

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._begins:  # slow queries wait until there is something to see
            self._begins = False
            QTimer.singleShot(0, self._look_around)

    def closeEvent(self, event: QCloseEvent) -> None:
        if any(page.asks_before_closing(self.close) for page in self._pages.made) or self._closing.must_wait():
            event.ignore()
            return
        self.hide()
        self._state.page, self._state.zoom = self.page.name, self._record.viewport.kept
        self._state.panels |= {panels.objectName(): panels.kept for panels in self.findChildren(Panels)}
        self._state.keep(self)
        for page in self._pages.made:
            page.close_down()
        self._controller.close()
        super().closeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.ThemeChange, QEvent.Type.ApplicationFontChange):
            self._use_palette()
        super().changeEvent(event)

    def _look_around(self) -> None:
        self._prepare_to_record()
        if self._coach is not None:
            self._coach.look()
        QTimer.singleShot(_REST_MS, self, lambda: IdleQueue(self._loading(self._prepare_pages()), self))

    def _prepare_to_record(self) -> None:
        if records(self._pages.role):
            self._controller.list_devices()
            self._controller.list_drafts()
            if self._queue is not None:
                self._queue.take_next()

    def _open_page(self, command: Command) -> None:
        if self._pages.is_loaded(command):
            self._show_page(command)
        else:
            IdleQueue(self._loading(self._opening(command)), self)

    def _opening(self, command: Command) -> Iterator[None]:
        yield from self._making(command)
        if self._commands[command].isChecked():
            self._show_page(command)

    def _making(self, command: Command) -> Iterator[None]:
        page = self._pages[command]
        yield
        self._put_in(page)
        yield
        yield from page.fill()

    def _show_page(self, command: Command) -> None:
        page = self._pages[command]
        self._commands[command].setChecked(True)
        self._put_in(page)
        self._stack.setCurrentWidget(page)
        page.enter()
        for panels in page.findChildren(Panels):
            panels.recall(self._state.panels.pop(panels.objectName(), panels.kept))
        self._keyboard.go_home()
        if self._first_use is not None and command in _TO_RECORD and self._pages.role != "lead":
            self._first_use.expect_recording()

    def _shown(self) -> MainPage:
        return self._pages[self.page]

    def _put_in(self, page: MainPage) -> None:
        if self._stack.indexOf(page) < 0:
            self._stack.addWidget(page)

    def _loading(self, afterwards: Iterator[None]) -> Iterator[None]:
        yield from make_classes()
        self._controller.background.run(load_pages, lambda _: IdleQueue(afterwards, self))

    def _prepare_pages(self) -> Iterator[None]:
        prepare_other_threads()
        yield
        for command in self._pages.offered:
            yield from self._making(command)
        self.prepared.emit()

    def _tell_phase(self, phase: Phase) -> None:
        recording = phase in (Phase.STARTING, Phase.RECORDING)
        self.setWindowTitle(f"Recording: {self._record.instruction}" if recording else _NAME)
        if not recording and self._next_role is not None:
            role, self._next_role = self._next_role, None
            self._use_role(role)

    # Roles.

    def _choose_role(self, role: Role) -> None:
        self._use_role(role)
        if self._settings is not None:
            save = partial(self._settings.save, {"role": role})
            self._controller.background.run(
                save, lambda _: None, lambda error: self._controller.failed.emit(str(error))
            )

    def _use_role(self, role: Role) -> None:
        """Show what people of this role see, once nothing is being recorded."""
        if self._controller.phase in (Phase.STARTING, Phase.RECORDING):
            self._next_role = role
            return
        recorded = records(self._pages.role)
        self._pages.role = role
        self._offer_for_role()
        self._pages.show_for_role()
        if not self._commands[self.page].isVisible():
            self._show_page(self._pages.offered[0])
        if records(role) and not recorded:
            self._prepare_to_record()

    def _offer_for_role(self) -> None:
        role, offered = self._pages.role, self._pages.offered
        for command in commands_of_roles():
            self._commands[command].setVisible(sees(role, command))
        if self._coach is None:
            self._commands[CommonCommand.READ_CONSENT].setVisible(False)
        openers = self._pages.openers
        for command in openers:
            self._commands[command].setVisible(command in offered)
        self._shortcuts.number(openers, offered)
        self._controller.is_needed = records(role)
        if self._queue is not None:
            self._queue.offer_tasks(on=records(role))

    # Help.

    def _show_help(self) -> None:
        above = QApplication.activeWindow() or self
        if not isinstance(above, HelpDialog):
            HelpDialog(self.page, self._commands, self._pages.role, self._commands[CommonCommand.DOCTOR], above).open()

    def _turn_page(self, by: int) -> None:
        offered = self._pages.offered
        self._commands[offered[(offered.index(self.page) + by) % len(offered)]].trigger()

    def _use_palette(self) -> None:
        palette = QApplication.palette()
        self.setStyleSheet(style_sheet(Theme.current(), font_pt=QApplication.font().pointSizeF()))
        self._commands.use_palette(palette)
        parts = self.findChildren(QWidget)
        for part in parts:
            if isinstance(px := part.property("natural_px"), int):
                fix_width(part, px)
        for part in parts:
            if repaint_icons := getattr(part, "repaint_icons", None):
                repaint_icons()  # may delete other parts

    def _ask_doctor(self) -> None:
        if self._doctor is None:
            return
        if self._doctor_dialog is None:
            from odyssey_recorder.gui.window.doctor_dialog import DoctorDialog

            self._doctor_dialog = DoctorDialog(self._doctor, self._controller.background, self)
        self._doctor_dialog.open()

    def _offer_pages(self) -> None:
        for command in self._pages.openers:
            action = self._commands[command]
            action.setCheckable(True)
            self._page_actions.addAction(action)
            action.triggered.connect(lambda _checked, command=command: self._open_page(command))
        self._commands[CommonCommand.DOCTOR].setVisible(self._doctor is not None)
        self._commands[CommonCommand.DOCTOR].triggered.connect(self._ask_doctor)
        self._commands[CommonCommand.HELP].triggered.connect(self._show_help)
        self._commands[CommonCommand.NEXT_PAGE].triggered.connect(lambda: self._turn_page(1))
        self._commands[CommonCommand.PREVIOUS_PAGE].triggered.connect(lambda: self._turn_page(-1))

    def _lay_out(self) -> None:
        rail = QFrame()
        rail.setProperty("kind", "rail")
        fix_width(rail, 76)
        commands = (*self._pages.openers, CommonCommand.HELP, CommonCommand.DOCTOR)
        buttons = {command: self._rail_button(command) for command in commands}
        top = [button for command, button in buttons.items() if command not in _AT_THE_BOTTOM]
        bottom = [buttons[command] for command in _AT_THE_BOTTOM]
        fill_column(rail, *top, None, *bottom, margins=(8, 16, 8, 16), spacing=4)
        whole = QWidget()
        fill_row(whole, rail, (self._stack, 1), spacing=0)
        self.setCentralWidget(whole)

    def _rail_button(self, command: Command) -> QToolButton:
        style = Qt.ToolButtonStyle.ToolButtonTextUnderIcon
        button = tool_button(self._commands[command], command.value.label, "rail", style)
        return fix_width(button, 60)
