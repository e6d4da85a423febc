"""The simulated emulator's window: the phone's screen, and tools beside it as in a real emulator's window."""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from threading import Event

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QFrame, QMainWindow, QWidget

from odyssey_recorder.gui.frame.application import ErrorHook, application
from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.parts import fill_column, fill_grid, text_label, tool_button
from odyssey_recorder.gui.kit.theme import Theme, style_sheet
from odyssey_recorder.gui.phone.phone_input import PhoneInput
from odyssey_recorder.gui.phone.phone_screen import PhoneFrame, PhoneFrames, PhoneScreen
from odyssey_recorder.model.geometry import Size
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.server_main import ENDING_SIGNALS

_KEY_POWER, _KEY_HOME, _KEY_BACK, _KEY_APPSELECT = 0x74, 0x66, 0x9E, 0x244
_RAIL_PX, _FOOT_PX = 76, 28
_SHARE_OF_MONITOR = 0.85
_NOTICE_MS = 6000
_WATCH_MS = 200


@dataclass(frozen=True, slots=True)
class _ToolText:
    label: str
    tip: str
    icon: str
    keys: str


class Tool(Enum):
    """Its keys are those of the real emulator."""

    POWER = _ToolText("Power", "Press the power key", "power", "Ctrl+P")
    TURN_LEFT = _ToolText("Turn left", "Turn the phone counterclockwise", "rotate_left", "Ctrl+Left")
    TURN_RIGHT = _ToolText("Turn right", "Turn the phone clockwise", "rotate_right", "Ctrl+Right")
    FOLD = _ToolText("Fold", "Fold the phone", "book_outline", "Ctrl+F")
    UNFOLD = _ToolText("Unfold", "Unfold the phone", "book_open_outline", "Ctrl+U")
    BACK = _ToolText("Back", "Press Back (also the right mouse button)", "arrow_left", "Ctrl+Backspace")
    HOME = _ToolText("Home", "Press Home", "circle_outline", "Ctrl+H")
    OVERVIEW = _ToolText("Overview", "Show the recent apps", "square_outline", "Ctrl+O")


_FOLDING = (Tool.FOLD, Tool.UNFOLD)


class PhoneWindow(QMainWindow):
    def __init__(self, emulator: SimulatedEmulator) -> None:
        super().__init__()
        profile = emulator.phone.profile
        self._name = f"Simulated {profile.title}"
        self._shape = Size(profile.size.width, profile.size.height)
        self._input = PhoneInput(emulator.guest, self)
        self._screenshots = PhoneFrames(emulator.phone, self)
        self._screen = PhoneScreen()
        self._status = text_label(kind="hint")
        self._notice_timer = QTimer(self, interval=_NOTICE_MS, singleShot=True)
        self._tools = {tool: self._action(tool) for tool in Tool if profile.postures or tool not in _FOLDING}
        self.setWindowTitle(f"{self._name} · {emulator.serial}")
        self._lay_out()
        self._connect()
        self._use_palette()
        self._show_about()
        self.resize(self._size_that_fits())
        self._screen.setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.hide()
        self._screenshots.close()
        self._input.close()
        super().closeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.ThemeChange:
            self._use_palette()
        super().changeEvent(event)

    def _show_screenshot(self, frame: PhoneFrame) -> None:
        self._screen.show_frame(frame)
        if frame.size == self._shape:
            return
        self._shape = frame.size
        self._show_about()
        if not self.isMaximized() and not self.isFullScreen():
            self.resize(self._size_that_fits())

    def _show_about(self) -> None:
        self._status.setText(f"{self._name} · {self._shape}")

    def _show_refusal(self, text: str) -> None:
        self._status.setText(text)
        self._notice_timer.start()

    def _size_that_fits(self) -> QSize:
        """The size at which the image has its own size, or fits a small monitor."""
        frame = QSize(self._shape.width, self._shape.height) / self.devicePixelRatioF()
        beside = QSize(_RAIL_PX, _FOOT_PX)
        room = self.screen().availableSize() * _SHARE_OF_MONITOR - beside
        return frame.scaled(room, Qt.AspectRatioMode.KeepAspectRatio).boundedTo(frame) + beside

    # Wiring.

    def _calls(self) -> dict[Tool, Callable[[], None]]:
        phone_input = self._input
        return {
            Tool.POWER: partial(phone_input.press, _KEY_POWER),
            Tool.TURN_LEFT: partial(phone_input.turn, 1),
            Tool.TURN_RIGHT: partial(phone_input.turn, -1),
            Tool.FOLD: partial(phone_input.hold, "CLOSED"),
            Tool.UNFOLD: partial(phone_input.hold, "OPENED"),
            Tool.BACK: partial(phone_input.press, _KEY_BACK),
            Tool.HOME: partial(phone_input.press, _KEY_HOME),
            Tool.OVERVIEW: partial(phone_input.press, _KEY_APPSELECT),
        }

    def _action(self, tool: Tool) -> QAction:
        text = tool.value
        action = QAction(text.label, self)
        keys = QKeySequence(text.keys)
        action.setShortcut(keys)
        action.setToolTip(f"{text.tip} ({keys.toString(QKeySequence.SequenceFormat.NativeText)})")
        self.addAction(action)
        return action

    def _connect(self) -> None:
        calls = self._calls()
        for tool, action in self._tools.items():
            action.triggered.connect(lambda _checked, call=calls[tool]: call())
        screen, phone_input = self._screen, self._input
        screen.room_changed.connect(self._screenshots.fit_into)
        screen.fingers_down.connect(phone_input.put_down)
        screen.fingers_moved.connect(phone_input.move)
        screen.fingers_lifted.connect(phone_input.lift)
        screen.wheel_turned.connect(phone_input.turn_wheel)
        screen.back_asked.connect(calls[Tool.BACK])
        screen.text_typed.connect(phone_input.write)
        screen.key_typed.connect(phone_input.press)
        phone_input.refused.connect(self._show_refusal)
        self._screenshots.frame_came.connect(self._show_screenshot)
        self._notice_timer.timeout.connect(self._show_about)

    def _use_palette(self) -> None:
        theme = Theme.current()
        self.setStyleSheet(style_sheet(theme, font_pt=QApplication.font().pointSizeF()))
        for tool, action in self._tools.items():
            action.setIcon(icon(tool.value.icon, theme.text))

    def _lay_out(self) -> None:
        self._status.setFixedHeight(_FOOT_PX)
        self._status.setWordWrap(False)
        self._status.setContentsMargins(10, 0, 10, 0)
        whole = QWidget()
        grid = fill_grid(whole, across=0, down=0, stretched=0)
        grid.addWidget(self._screen, 0, 0)
        grid.addWidget(self._status, 1, 0)
        grid.addWidget(self._rail(), 0, 1, 2, 1)
        grid.setRowStretch(0, 1)
        self.setCentralWidget(whole)

    def _rail(self) -> QFrame:
        rail = QFrame()
        rail.setProperty("kind", "tools")
        rail.setFixedWidth(_RAIL_PX)
        column = fill_column(rail, margins=(6, 10, 6, 10), spacing=4)
        for tool, action in self._tools.items():
            button = tool_button(action, tool.value.label, "rail", Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # typing goes to the phone
            button.setFixedWidth(_RAIL_PX - 12)
            column.addWidget(button)
        column.addStretch()
        return rail


def show_phone(emulator: SimulatedEmulator, wanted: Event) -> None:
    """Returns once the emulator ends or its window is closed; the window is shown while it is `wanted`."""
    for name in ENDING_SIGNALS:
        signal.signal(getattr(signal, name), lambda _number, _frame: emulator.killed.set())
    app = application()
    window = PhoneWindow(emulator)
    ErrorHook(window).install()
    watch = QTimer(window, interval=_WATCH_MS)

    def look() -> None:
        if emulator.killed.is_set():
            app.quit()
        elif wanted.is_set() is window.isHidden():
            window.setVisible(wanted.is_set())

    watch.timeout.connect(look)
    watch.start()
    look()
    app.exec()
    window.close()
