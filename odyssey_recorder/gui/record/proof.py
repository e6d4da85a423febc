"""What proves that a task is done: the annotator marks it, and agents that get the task later are judged by it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from odyssey_recorder.dataset.goals import TaskGoal
from odyssey_recorder.gui.frame.question_dialog import Question, QuestionDialog
from odyssey_recorder.gui.kit.parts import fill_row, line_edit, named, push_button, say, text_label
from odyssey_recorder.gui.kit.row_delegate import TickDelegate
from odyssey_recorder.gui.kit.theme import grown
from odyssey_recorder.model.plain_text import counted

if TYPE_CHECKING:  # loaded on first use: the window opens sooner
    from odyssey_recorder.services.proof import EndProof

_LIST_PX = 260
_WIDTH_PX = 460

_QUESTION = Question(
    title="Proof of the task",
    question="What shows that the task is done?",
    answer="Save marks",
    tip="Save these marks with the episode (Enter)",
    cancel_tip="Change nothing (Esc)",
    detail="Everything in the list is true now and wasn't true at the start. An agent that does this task later "
    "succeeds if everything that you mark is true at the end.",
)
_NOTHING = "There is nothing to mark: the screen and the device show no lasting change since the start."


class ProofRow(QWidget):
    """A button beside the question for the end, and how much is marked."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        tip = "Mark what shows that the task is done, on the screen or in the apps' data"
        self.button = push_button("Mark proof…", tip, call=self.wanted.emit)
        self._marks = text_label(kind="hint")
        fill_row(self, self.button, self._marks, None)

    def show_marks(self, goals: Sequence[TaskGoal], lost: Sequence[TaskGoal] = ()) -> None:
        """`lost` were marked before, and no longer hold."""
        text = counted(goals, "mark") if goals else ""
        if lost:
            text = f"{text or 'No mark'} left: what you marked has changed since."
        self._marks.setText(text)
        self._marks.setToolTip("\n".join(goal.in_words for goal in goals))


class ProofDialog(QuestionDialog):
    marked = Signal(object)

    def __init__(self, proof: "EndProof", goals: Sequence[TaskGoal], parent: QWidget | None = None) -> None:
        self._proof = proof
        self._list = named(QListWidget(), "Possible proofs")
        self._list.setProperty("kind", "card")
        self._list.setItemDelegate(TickDelegate(self._list))
        self._list.setWordWrap(True)
        self._list.setSpacing(3)
        self._list.setMinimumHeight(grown(_LIST_PX))
        self._text = line_edit("It must say", "Select a text above to shorten it to the part that matters")
        self._hint = text_label(kind="warning")
        super().__init__(_QUESTION, parent, self._list, self._text, self._hint, width=_WIDTH_PX)
        offered = [goal for goal in proof.proposals if goal not in goals]
        for goal in (*goals, *offered):
            self._add(goal, is_marked=goal in goals)
        self._list.setVisible(self._list.count() > 0)
        self._text.setVisible(self._list.count() > 0)
        self.ok.setEnabled(self._list.count() > 0)
        say(self._hint, "" if self._list.count() else _NOTHING)
        self._list.currentItemChanged.connect(self._show_text)
        self._text.textEdited.connect(self._shorten)
        self.accepted.connect(lambda: self.marked.emit(self.goals))

    @property
    def goals(self) -> tuple[TaskGoal, ...]:
        items = (self._list.item(number) for number in range(self._list.count()))
        return tuple(_goal(item) for item in items if item.checkState() is Qt.CheckState.Checked)

    def _add(self, goal: TaskGoal, *, is_marked: bool) -> None:
        item = QListWidgetItem(goal.in_words, self._list)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(Qt.CheckState.Checked if is_marked else Qt.CheckState.Unchecked)
        item.setData(Qt.ItemDataRole.UserRole, goal)

    def _show_text(self, item: QListWidgetItem | None) -> None:
        value = _goal(item).value if item is not None else None
        self._text.setEnabled(isinstance(value, str))
        with QSignalBlocker(self._text):
            self._text.setText(value if isinstance(value, str) else "")
        say(self._hint, "")
        self.ok.setEnabled(True)

    def _shorten(self, text: str) -> None:
        """The chosen mark asks for this part of its text, if that proves as much."""
        item = self._list.currentItem()
        shorter = _goal(item).model_copy(update={"op": "contains", "value": text.strip()})
        proves = bool(text.strip()) and self._proof.proves(shorter)
        say(
            self._hint, "" if proves else "This doesn't prove the task: it isn't true now, or it was true at the start."
        )
        self.ok.setEnabled(proves)
        if proves:
            item.setData(Qt.ItemDataRole.UserRole, shorter)
            item.setText(shorter.in_words)
            item.setCheckState(Qt.CheckState.Checked)


def _goal(item: QListWidgetItem) -> TaskGoal:
    goal = item.data(Qt.ItemDataRole.UserRole)
    assert isinstance(goal, TaskGoal)
    return goal
