"""Which episodes are controls, to measure reviewers; adds the selected ones, and ends others."""

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTableView, QWidget

from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.layouts import labelled
from odyssey_recorder.gui.kit.parts import Choice, push_button, row, text_label
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, table_view
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.review.review import DEFECTS, Defect
from odyssey_recorder.services.review import ListedControl

_ROW_PX = 30
_SHARE = 0.85
"""Of the window, both ways."""
_HINT = (
    "Reviewers who have no part in such an episode get it as if nobody had judged it. Their verdicts change nothing: "
    "the figures show how often they are right. Choose accepted episodes, and ones that were sent back."
)
_AS_IT_IS = "As it was recorded"


class ControlsDialog(Dialog):
    add_asked = Signal(object)
    """The Defect of the episodes to add, or None."""
    end_asked = Signal(object)
    """The ids of the controls that become ordinary episodes again."""

    def __init__(
        self,
        controls: Sequence[ListedControl],
        instructions: Mapping[str, str],
        chosen: Collection[str],
        parent: QWidget,
    ) -> None:
        super().__init__("Control episodes", parent)
        columns: list[TableColumn[ListedControl]] = [
            TableColumn("Shown to reviewers", lambda one: DEFECTS[one.defect] if one.defect else _AS_IT_IS, width=300),
            TableColumn("Added by", lambda one: one.by, width=110),
            TableColumn("Judged", lambda one: f"{one.judged:,}", width=70, is_number=True),
            TableColumn("Episode", lambda one: one.episode_id, width=150),
            TableColumn("Instruction", lambda one: " ".join(instructions.get(one.episode_id, "").split())),
        ]
        self._model = TableModel(columns)
        self._view = table_view("Control episodes", self._model, _ROW_PX)
        self._view.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self._defect = Choice("How reviewers see the added episodes")
        self._defect.offer([("", _AS_IT_IS), *((defect.value, text) for defect, text in DEFECTS.items())])
        tip = "Make the episodes that are selected on the page controls"
        add = push_button(f"Add {counted(chosen, 'selected episode')}", tip, "primary", call=self._add)
        add.setEnabled(bool(chosen))
        self._end = push_button(
            "Remove", "Make the controls selected here ordinary episodes again", call=self._ask_to_end
        )
        close = push_button("Close", "Close (Esc)", call=self.reject)
        self._view.selectionModel().selectionChanged.connect(lambda _now, _before: self._offer())
        title = counted(controls, "control episode") if controls else "There are no control episodes"
        self.fill(
            text_label(title, "title"), text_label(_HINT, "hint"), self._view,
            labelled("&What reviewers see of the added episodes", self._defect), row(self._end, None, close, add),
            stretch=self._view,
        )  # fmt: skip
        self.resize(parent.size() * _SHARE)
        self._model.show(controls)
        self._offer()

    def _offer(self) -> None:
        self._end.setEnabled(bool(self._view.selectionModel().selectedRows()))

    def _add(self) -> None:
        self.accept()
        self.add_asked.emit(Defect(self._defect.value) if self._defect.value else None)

    def _ask_to_end(self) -> None:
        chosen = filter(None, (self._model.at(index.row()) for index in self._view.selectionModel().selectedRows()))
        self.accept()
        self.end_asked.emit([control.episode_id for control in chosen])
