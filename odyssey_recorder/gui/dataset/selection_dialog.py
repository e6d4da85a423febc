"""A list in a dialog, and one act on what is selected in it."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLayout, QTableView, QWidget

from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.parts import push_button, row, text_label
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, table_view

_ROW_PX = 30
_SHARE = 0.85
"""Of the window, both ways."""
_R = TypeVar("_R")


class SelectionDialog(Dialog, Generic[_R]):
    """`act` is the text of its button and what it does; `parts` are between the list and the buttons."""

    selected = Signal(object)
    """The selected rows: the act is asked for, and the dialog closed."""

    def __init__(  # noqa: PLR0913 - the parts of a dialog
        self,
        name: str,
        title: str,
        columns: list[TableColumn[_R]],
        rows: Sequence[_R],
        act: tuple[str, str],
        parent: QWidget,
        *parts: QWidget | QLayout,
        hint: str = "",
        primary: QWidget | None = None,
    ) -> None:
        """With a `primary` button, the act is the lesser one."""
        super().__init__(name, parent)
        self._model = TableModel(columns)
        self._view = table_view(name, self._model, _ROW_PX)
        self._view.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self._act = push_button(*act, "" if primary else "primary", call=self._ask)
        close = push_button("Close", "Close (Esc)", call=self.reject)
        self._view.selectionModel().selectionChanged.connect(lambda _now, _before: self._offer())
        hints = [text_label(hint, "hint")] if hint else []
        buttons = row(self._act, None, close, primary) if primary else row(None, close, self._act)
        self.fill(text_label(title, "title"), *hints, self._view, *parts, buttons, stretch=self._view)
        self.resize(parent.size() * _SHARE)
        self._model.show(rows)
        self._offer()

    def _offer(self) -> None:
        self._act.setEnabled(bool(self._view.selectionModel().selectedRows()))

    def _ask(self) -> None:
        places = self._view.selectionModel().selectedRows()
        self.accept()
        self.selected.emit([one for place in places if (one := self._model.at(place.row())) is not None])
