"""Progress of each category of a queue: its name, how many tasks are recorded, and a bar."""

from collections import Counter

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QWidget

from odyssey_recorder.gui.kit.parts import fill_grid, named, row, text_label
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.queue.task_status import FINISHED, QueueContents, Status

_COLUMNS = 3
_NOT_OFFERED = frozenset({Status.TO_APPROVE, Status.REJECTED})


class CategoryCounts(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._counts = {category.value: text_label(kind="hint") for category in Category}
        self._bars = {
            category.value: named(QProgressBar(textVisible=False), category_text(category.value))
            for category in Category
        }
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
            self._bars[category].setRange(0, max(total[category], 1))
            self._bars[category].setValue(done[category])
