"""Filters saved by name: chosen, saved and deleted."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from odyssey_recorder.dataset_index.filter import ALL, Filter, parse_filter
from odyssey_recorder.dataset_index.saved import SavedFilters
from odyssey_recorder.errors import FilterError
from odyssey_recorder.gui.dataset.commands import DatasetCommand
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.question_dialog import Question, ask
from odyssey_recorder.gui.kit.parts import Choice, fill_row, line_edit, text_label

_NONE = ("", "Saved views")
_WIDTH_PX = 168
_SAVE = Question(
    "Save view", "Save this filter as a view", "Save", "Save the filter by this name (Enter)", "Save nothing (Esc)"
)


class SavedViews(QWidget):
    """Empty without a place to save them."""

    chosen = Signal(str)
    failed = Signal(str)

    def __init__(self, saved: SavedFilters | None, background: Background, commands: Commands) -> None:
        super().__init__()
        self._saved = saved
        self._background = background.in_order()
        self._commands = commands
        self._texts: Mapping[str, str] = {}
        self._filter = ALL
        self._names = Choice("Saved views")
        self._names.setToolTip("Choose a saved view")
        self._names.setMinimumWidth(_WIDTH_PX)
        self._names.offer([_NONE])
        self._names.currentIndexChanged.connect(self._choose)
        fill_row(
            self,
            self._names,
            *commands.buttons(DatasetCommand.SAVE_VIEW, DatasetCommand.DELETE_VIEW, kind="quiet", wordless=True),
        )
        self.setVisible(saved is not None)
        self._update_commands()

    def read(self) -> None:
        if self._saved is not None:
            self._background.run(self._saved.all, self._take, self._fail)

    def show_filter(self, wanted: Filter) -> None:
        self._filter = wanted
        name = next((name for name, text in self._texts.items() if text == str(wanted)), "")
        with QSignalBlocker(self._names):
            self._names.choose(name)
        self._update_commands()

    def ask_to_save(self) -> None:
        field = line_edit("Name of the view", "Long Chrome episodes")
        field.setText(self._names.value)
        hint = text_label("A view with the same name is replaced.", "hint")
        dialog = ask(_SAVE, self, lambda: self._change(field.text().strip(), self._filter), field, hint)
        field.textChanged.connect(lambda name: dialog.ok.setEnabled(bool(name.strip())))
        dialog.ok.setEnabled(bool(field.text()))

    def delete(self) -> None:
        self._change(self._names.value, None)

    def _change(self, name: str, wanted: Filter | None) -> None:
        if self._saved is not None:
            self._background.run(partial(self._saved.save, name, wanted), lambda _: self.read(), self._fail)

    def _take(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        with QSignalBlocker(self._names):
            self._names.offer([_NONE, *((name, name) for name in texts)])
        self.show_filter(self._filter)

    def _choose(self) -> None:
        name = self._names.value
        try:
            self.chosen.emit(str(parse_filter(self._texts.get(name, ""))))
        except FilterError as error:
            self.failed.emit(f"The saved view “{name}” cannot be used: {error}")

    def _fail(self, error: Exception) -> None:
        self.failed.emit(error_text(error))

    def _update_commands(self) -> None:
        self._commands.enable(DatasetCommand.SAVE_VIEW, on=self._saved is not None and self._filter != ALL)
        self._commands.enable(DatasetCommand.DELETE_VIEW, on=bool(self._names.value))
