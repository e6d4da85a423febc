"""Filters saved by name: chosen, saved and deleted."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QDialog, QWidget

from odyssey_recorder.dataset_index.filter import ALL, Filter, parse_filter
from odyssey_recorder.dataset_index.saved import SavedFilters
from odyssey_recorder.errors import FilterError
from odyssey_recorder.gui.dataset.commands import DatasetCommand
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.parts import Choice, fill_dialog, fill_row, line_edit, push_button, row, say, text_label

_NONE = ("", "Saved views")
_WIDTH_PX = 168


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
        dialog = _NameDialog(self._names.value, self)
        dialog.named.connect(lambda name: self._change(name, self._filter))
        dialog.open()

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


class _NameDialog(QDialog):
    named = Signal(str)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save view")
        self._name = line_edit("Name of the view", "Name, such as: Long Chrome episodes")
        self._name.setText(name)
        self._name.textChanged.connect(self._update_commands)
        self._hint = text_label(kind="hint")
        self._save = push_button("Save", "Save the filter by this name (Enter)", "primary", self.accept)
        leave = push_button("Cancel", "Save nothing (Esc)", call=self.reject)
        title = text_label("Save this filter as a view", "title")
        fill_dialog(self, title, self._name, self._hint, row(None, leave, self._save))
        self.accepted.connect(lambda: self.named.emit(self._name.text().strip()))
        self._update_commands()

    def _update_commands(self) -> None:
        self._save.setEnabled(bool(self._name.text().strip()))
        say(self._hint, "A view with the same name is replaced.")
