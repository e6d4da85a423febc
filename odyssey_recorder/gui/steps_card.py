"""The card of the steps so far: how many, the list of them, and Undo."""

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QFrame, QListView, QVBoxLayout

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import named, row, text_label
from odyssey_recorder.gui.step_list import StepDelegate, StepList
from odyssey_recorder.recording.view import RecordedStep


class StepsCard(QFrame):
    """Shows the recorded steps; the newest is in sight and marked."""

    def __init__(self, background: Background, commands: Commands) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._steps = StepList(background, self)
        self._title = text_label("Steps", "title")
        self._nothing = text_label("Every action becomes a step, with the picture from before it.", "hint")
        self._nothing.setContentsMargins(16, 0, 16, 0)
        self._list = named(QListView(), "Steps")
        self._list.setModel(self._steps)
        self._list.setItemDelegate(StepDelegate(self._list))
        self._list.setUniformItemSizes(True)
        self._list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.verticalScrollBar().rangeChanged.connect(self._list.scrollToBottom)
        head = row(self._title, commands.button(Command.UNDO, kind="quiet"))
        head.setContentsMargins(16, 10, 8, 0)
        head.setStretch(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 8)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._nothing)
        column.addWidget(self._list, 1)

    def show_steps(self, steps: Sequence[RecordedStep]) -> None:
        """Show `steps`; nothing moves where nothing is new."""
        before = self.count
        self._steps.show_steps(steps)
        self._title.setText(f"Steps · {len(steps)}" if steps else "Steps")
        self._nothing.setVisible(not steps)
        if steps and len(steps) != before:
            last = self._steps.index(len(steps) - 1)
            self._list.selectionModel().select(last, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self._list.scrollToBottom()

    @property
    def count(self) -> int:
        """How many steps are shown."""
        return self._steps.rowCount()
