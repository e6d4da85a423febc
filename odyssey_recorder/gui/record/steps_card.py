"""The card of the steps so far: their number, the list with notes, and undo."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QPushButton

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.question_dialog import ask
from odyssey_recorder.gui.kit.parts import Card, fill_column, named, push_button, row, text_label
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.gui.record.finishing import DROPPED_WITHOUT_QUESTION, undo_question
from odyssey_recorder.gui.record.step_list import THUMBNAIL, NotedSteps, StepList
from odyssey_recorder.gui.screen.step_strip import StepThumbnails
from odyssey_recorder.gui.screen.step_viewer import enlarge
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.recording.view import RecordedStep

LAST = -1
_CHOOSE = "Select a step of the agent in the list."


class StepsCard(Card):
    """Emits the first step to undo, or LAST, and whether to correct it; and a step's key with its written note."""

    undo_asked = Signal(int, bool)
    note_written = Signal(int, str)

    def __init__(self, background: Background, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self._model = NotedSteps()
        self._model.note_written.connect(self.note_written)
        self._thumbnails = StepThumbnails(background, self._model, THUMBNAIL)
        self._title = text_label("Steps", "title")
        self._nothing = text_label("Each action becomes a step, with the screenshot from before it.", "hint")
        self._nothing.setContentsMargins(16, 0, 16, 0)
        self._list = StepList(self._model)
        self._list.selectionModel().currentChanged.connect(self._offer)
        self._list.step_opened.connect(
            lambda at: enlarge(background, self._model, self._thumbnails.screenshots, at, self._list)
        )
        self._flagged = QPersistentModelIndex()
        self._may_undo = False
        self._is_making = False
        self._is_expecting = False
        self._note_is_pending = False
        for_one_step = RecordCommand.NOTE, RecordCommand.UNDO_TO_HERE, RecordCommand.CORRECT_STEP
        self._list.addActions([commands[command] for command in for_one_step])
        calls: dict[Command, Callable[[], object]] = {
            RecordCommand.UNDO: lambda: self.undo_asked.emit(LAST, False),
            RecordCommand.UNDO_TO_HERE: self._undo_to_here,
            RecordCommand.CORRECT_STEP: partial(self._undo_to_here, corrects=True),
            RecordCommand.NOTE: self._write_note,
        }
        commands.bind(self, calls)
        self._title.setContentsMargins(16, 16, 8, 0)
        to_here, last = commands.buttons(RecordCommand.UNDO_TO_HERE, RecordCommand.UNDO, kind="quiet")
        redo = commands.button(RecordCommand.REDO, kind="quiet", wordless=True)
        foot = row(to_here, None, last, redo, spacing=0)
        foot.setContentsMargins(4, 0, 4, 0)
        fill_column(self, self._title, self._nothing, (self._list, 1), foot, margins=(0, 0, 0, 8))
        self._offer()

    def show_steps(self, steps: Sequence[RecordedStep], *, may_undo: bool = False, is_making: bool = False) -> None:
        """Show `steps`; nothing moves unless steps are new, or while a note is written.

        `is_making`: another step is on its way.
        """
        before, self._may_undo = self.count, may_undo
        if is_making or len(steps) != before:
            self._is_expecting = False  # views from before the input may arrive earlier
        self._is_making = is_making or self._is_expecting
        self._thumbnails.show_steps(steps)
        self._list.allow_notes(on=may_undo)
        self._title.setText(f"Steps · {len(steps)}" if steps else "Steps")
        self._nothing.setVisible(not steps)
        self._list.setFocusPolicy(Qt.FocusPolicy.StrongFocus if steps else Qt.FocusPolicy.NoFocus)
        if steps and len(steps) != before and not self._list.is_writing:
            last = self._model.index(len(steps) - 1, 0)
            self._list.selectionModel().setCurrentIndex(last, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self._list.scrollToBottom()
        self._offer_undo_of_flagged(steps)
        self._offer()
        if self._note_is_pending and not self._is_making:
            self._write_note()

    def expect_step(self) -> None:
        """Expect the step of an input that was sent; `expect_nothing` takes it back."""
        self._is_making = self._is_expecting = True
        self._offer()

    def expect_nothing(self) -> None:
        if self._is_expecting:
            self._is_expecting = self._is_making = self._note_is_pending = False
            self._offer()

    @property
    def count(self) -> int:
        return self._model.rowCount()

    def _offer_undo_of_flagged(self, steps: Sequence[RecordedStep]) -> None:
        is_flagged = bool(steps) and bool(steps[-1].flag) and self._may_undo
        flagged = self._model.index(len(steps) - 1, 0) if is_flagged else QModelIndex()
        if self._flagged.isValid() and self._flagged != flagged:
            self._list.remove_button(self._flagged)
        if is_flagged and self._flagged != flagged:
            self._list.add_button(flagged, self._undo_button(steps[-1]))
        self._flagged = QPersistentModelIndex(flagged)

    def _undo_button(self, step: RecordedStep) -> QPushButton:
        undo = self._commands[RecordCommand.UNDO]
        name = f"Undo step {step_number(step.number)}: {step.flag}"
        return named(push_button("Undo", undo.toolTip(), "flag", call=undo.trigger), name)

    def _offer(self) -> None:
        has_choice = self._list.currentIndex().isValid()
        self._commands.enable(RecordCommand.UNDO, on=self.count > 0 and self._may_undo)
        self._commands.enable(RecordCommand.UNDO_TO_HERE, on=has_choice and self._may_undo)
        step = self._model.at(self._list.currentIndex().row()) if has_choice else None
        is_agents = step is not None and step.by_agent
        self._commands.enable(RecordCommand.CORRECT_STEP, on=is_agents and self._may_undo, why=_CHOOSE)
        number = f" {step_number(step.number)}" if step is not None and is_agents else ""
        self._commands[RecordCommand.CORRECT_STEP].setText(f"{RecordCommand.CORRECT_STEP.value.label}{number}")
        self._commands.enable(RecordCommand.NOTE, on=(has_choice or self._is_making) and self._may_undo)

    def _write_note(self) -> None:
        """Edit the note of the chosen step, or of the step being recorded once it is shown."""
        self._note_is_pending = self._is_making
        if self._is_making:
            self._list.setFocus()
        elif self._list.currentIndex().isValid():
            self._list.edit(self._list.currentIndex())

    def _undo_to_here(self, *, corrects: bool = False) -> None:
        first, count = self._list.currentIndex().row(), self.count
        if count - first <= DROPPED_WITHOUT_QUESTION:
            self.undo_asked.emit(first, corrects)
            return
        ask(undo_question(first, count - 1), self, lambda: self.undo_asked.emit(first, corrects))
