"""Template, task and instruction side by side with differences marked; the instruction can be edited."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from odyssey_recorder.gui.kit.marked_text import MarkedRow, MarkedText, difference_text, text_changes
from odyssey_recorder.gui.kit.parts import fill_column, fill_grid, named, text_label
from odyssey_recorder.model.episode import TaskInfo

_BESIDE_PX = 640
"""From this width on the texts are side by side, otherwise stacked."""
_GAP = 20
_EDITOR_PX = 110


class ThreeTexts(QWidget):
    typed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._template, self._task, self._instruction = map(MarkedText, ("Template", "Task", "Instruction"))
        self._editor = named(QPlainTextEdit(), "Instruction in your words")
        self._editor.setToolTip("The instruction in your own words")
        self._editor.setTabChangesFocus(True)
        self._editor.setFixedHeight(_EDITOR_PX)
        self._editor.textChanged.connect(lambda: self.typed.emit(self.text))
        self._columns = (
            _under("Template", self._template),
            _under("Task", self._task),
            _under("Instruction", self._instruction, self._editor),
        )
        self._grid = fill_grid(self, across=_GAP, down=10)
        self._beside: bool | None = None
        self._arrange(beside=False)
        self.end_editing()

    @property
    def text(self) -> str:
        return " ".join(self._editor.toPlainText().split())

    @property
    def is_editing(self) -> bool:
        return not self._editor.isHidden()

    def show_task(self, task: TaskInfo) -> None:
        changes = text_changes(task.meta_task, task.task, task.instruction)
        self._template.show_rows(MarkedRow(changes.template))
        self._task.show_rows(MarkedRow(changes.task))
        self._instruction.show_rows(MarkedRow(changes.instruction, is_new=True))
        self._instruction.setAccessibleDescription(difference_text(changes))

    def edit(self, text: str) -> None:
        self._editor.setPlainText(text)
        self._instruction.hide()
        self._editor.show()

    def write(self) -> None:
        self._editor.setFocus()
        self._editor.moveCursor(self._editor.textCursor().MoveOperation.End)

    def end_editing(self) -> None:
        self._editor.hide()
        self._instruction.show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(beside=self.width() >= _BESIDE_PX)

    def _arrange(self, *, beside: bool) -> None:
        if beside == self._beside:
            return
        self._beside = beside
        for number, column in enumerate(self._columns):
            self._grid.removeWidget(column)
            self._grid.addWidget(column, *((0, number) if beside else (number, 0)), Qt.AlignmentFlag.AlignTop)
            self._grid.setColumnStretch(number, 1 if beside or number == 0 else 0)


def _under(label: str, *texts: QWidget) -> QWidget:
    whole = QWidget()
    fill_column(whole, text_label(label, "field"), *texts, spacing=4)
    return whole
