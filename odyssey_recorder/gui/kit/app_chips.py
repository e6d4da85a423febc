"""App names as chips: type a name and a comma to add one, click a chip's cross to remove it."""

from collections.abc import Sequence

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QLayout, QLayoutItem, QLineEdit, QSizePolicy, QToolButton, QWidget

from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.parts import fill_row, named
from odyssey_recorder.gui.kit.theme import Theme


class AppChips(QWidget):
    apps_changed = Signal()

    def __init__(self, *, read_only: bool = False) -> None:
        super().__init__()
        self._apps: list[str] = []
        self._chips: list[_Chip] = []
        self._read_only = read_only
        self._flow = _Flow(self, spacing=6)
        self._entry = named(_Entry(), "Add an app")
        self._entry.setPlaceholderText("Add an app, then a comma")
        self._entry.textEdited.connect(self._add_whole_names)
        self._entry.editingFinished.connect(self._add_all)
        self._entry.emptied.connect(self._remove_last)
        self._flow.addWidget(self._entry)
        if read_only:
            self._entry.hide()
        else:
            self.setFocusProxy(self._entry)  # not to a hidden one: Tab would stay before it
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def apps(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self._apps, *_names(self._entry.text())]))

    def set_apps(self, apps: Sequence[str]) -> None:
        self._entry.clear()
        self._show(apps)

    def _add_whole_names(self, typed: str) -> None:
        if "," in typed:
            *whole, rest = typed.split(",")
            self._show([*self._apps, *_names(",".join(whole))])
            self._entry.setText(rest.lstrip())
        self.apps_changed.emit()

    def _add_all(self) -> None:
        if self._entry.text():
            self.set_apps(self.apps)
            self.apps_changed.emit()

    def _show(self, apps: Sequence[str]) -> None:
        self._apps = list(dict.fromkeys(apps))
        self.repaint_icons()

    def _remove(self, app: str) -> None:
        self._show([kept for kept in self._apps if kept != app])
        self._entry.setFocus()
        self.apps_changed.emit()

    def _remove_last(self) -> None:
        if self._apps:
            self._remove(self._apps[-1])

    def repaint_icons(self) -> None:
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = [_Chip(app, removable=not self._read_only) for app in self._apps]
        self._flow.removeWidget(self._entry)
        for chip in self._chips:
            chip.removed.connect(self._remove)
            self._flow.addWidget(chip)
        self._flow.addWidget(self._entry)
        self.updateGeometry()


def _names(typed: str) -> list[str]:
    return [name.strip() for name in typed.split(",") if name.strip()]


class _Entry(QLineEdit):
    """The field after the chips; Backspace in the empty field asks to remove the last chip."""

    emptied = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Backspace and not self.text():
            self.emptied.emit()
        else:
            super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(150, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        return QSize(210, super().sizeHint().height())


class _Chip(QFrame):
    removed = Signal(str)

    def __init__(self, app: str, *, removable: bool) -> None:
        super().__init__()
        self.setProperty("kind", "chip")
        self.setAccessibleName(app)
        text = QLabel(app, textFormat=Qt.TextFormat.PlainText)
        row = fill_row(self, text, margins=(10, 3, 4 if removable else 10, 3), spacing=2)
        if removable:
            cross = named(QToolButton(), f"Remove {app}")
            cross.setToolTip("Remove this app")
            cross.setIcon(icon("close", Theme.current().muted))
            cross.setIconSize(QSize(14, 14))
            cross.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            cross.clicked.connect(lambda: self.removed.emit(app))
            row.addWidget(cross)


class _Flow(QLayout):
    def __init__(self, parent: QWidget, *, spacing: int) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(QMargins())
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def minimumSize(self) -> QSize:
        widths = [item.minimumSize().width() for item in self._items if not item.isEmpty()]
        heights = [item.minimumSize().height() for item in self._items if not item.isEmpty()]
        return QSize(max(widths, default=0), max(heights, default=0))

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def _place(self, rect: QRect, *, move: bool) -> int:
        """Lay the widgets out in `rect`, moving them if `move`; return the height they need."""
        left, top, row_height = rect.left(), rect.top(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint().boundedTo(QSize(max(rect.width(), 1), 1000))
            if left > rect.left() and left + size.width() > rect.left() + rect.width():
                left, top, row_height = rect.left(), top + row_height + self.spacing(), 0
            if move:
                item.setGeometry(QRect(QPoint(left, top), size))
            left += size.width() + self.spacing()
            row_height = max(row_height, size.height())
        return top + row_height - rect.top()
