"""A button that shows its key."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QAction, QColor, QFontMetrics, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton

from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.row_delegate import small_font
from odyssey_recorder.gui.kit.theme import Theme

_PADDING_PX = 10


class KeyButton(QPushButton):
    """A button for an action; `name` is for screen readers, `kind` and `tone` are styles of the style sheet."""

    def __init__(self, action: QAction, name: str, kind: str = "", tone: str = "") -> None:
        super().__init__(action.text())
        self.setAccessibleName(name)
        self.setAutoDefault(False)
        self.setProperty("kind", kind)
        self.setProperty("tone", tone)
        self._action = action
        self._key = ""
        self.clicked.connect(self._trigger)
        action.changed.connect(self._update)
        self._update()

    def show_chosen(self, chosen: bool) -> None:
        self.setCheckable(chosen)
        self.setChecked(chosen)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(small_font(self.font()))
        return super().sizeHint() + QSize(metrics.horizontalAdvance(self._key) + 2 * _PADDING_PX if self._key else 0, 0)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setFont(small_font(self.font()))
        painter.setPen(self._colour())
        area = QRect(0, 0, self.width() - _PADDING_PX, self.height())
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._key)

    def _trigger(self) -> None:
        self.show_chosen(self.isCheckable())  # a click does not undo the choice
        self._action.trigger()

    def _update(self) -> None:
        self._key = self._action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self.setToolTip(self._action.toolTip())
        self.setEnabled(self._action.isEnabled())
        self.updateGeometry()
        self.update()

    def _colour(self) -> QColor:
        theme = Theme.current()
        if not self.isEnabled():
            return theme.off
        return theme.on_accent if self.property("kind") == "primary" else theme.muted


def key_buttons(commands: Commands, *wanted: Command) -> list[KeyButton]:
    return [
        KeyButton(commands[command], command.value.label.rstrip("…"), "primary" if command.value.primary else "")
        for command in wanted
    ]
