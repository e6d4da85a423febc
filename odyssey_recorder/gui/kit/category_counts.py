"""Progress of each category of a queue: its name, how many tasks are recorded, and a bar."""

from collections import Counter

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.kit.parts import fill_grid, row, text_label
from odyssey_recorder.gui.kit.row_delegate import paint_bar
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.queue.task_status import FINISHED, QueueContents, Status

_COLUMNS = 3
_BAR_PX = 4
_NOT_OFFERED = frozenset({Status.TO_APPROVE, Status.REJECTED})


class CategoryCounts(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._counts = {category.value: text_label(kind="hint") for category in Category}
        self._bars = {category.value: _Bar() for category in Category}
        grid = fill_grid(self, across=24, down=4)
        for number, category in enumerate(Category):
            line, column = divmod(number, _COLUMNS)
            name, count = text_label(category_text(category.value), "hint"), self._counts[category.value]
            count.setAlignment(Qt.AlignmentFlag.AlignRight)
            name.setWordWrap(False)
            count.setWordWrap(False)
            grid.addLayout(row(name, None, count), 2 * line, column)
            grid.addWidget(self._bars[category.value], 2 * line + 1, column)
            grid.setColumnStretch(column, 1)

    def show_board(self, board: QueueContents) -> None:
        total = Counter(task.listed.task.category for task in board.tasks if task.status not in _NOT_OFFERED)
        done = Counter(task.listed.task.category for task in board.tasks if task.status in FINISHED)
        for category, label in self._counts.items():
            label.setText(f"{done[category]} of {total[category]}")
            label.setAccessibleName(f"{category_text(category)}: {label.text()} recorded")
            self._bars[category].show_share(done[category] / total[category] if total[category] else 0.0)


class _Bar(QWidget):
    """`share` is 0..1."""

    def __init__(self) -> None:
        super().__init__()
        self._share = 0.0
        self.setFixedHeight(_BAR_PX)

    def show_share(self, share: float) -> None:
        self._share = share
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(80, _BAR_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_bar(painter, QRectF(self.rect()), (Theme.current().accent, self._share))
