"""The snapshots of one emulator: their names, and saving, loading and deleting them."""

from collections.abc import Sequence

from PySide6.QtCore import QRegularExpression, QStringListModel, Signal
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QFrame, QListView, QVBoxLayout

from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import line_edit, named, row, text_label

_NAME = QRegularExpression(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NONE = "None yet. A snapshot is the whole device as it is now, to come back to."
_NOT_KEPT = "This device keeps no snapshots."


class SnapshotCard(QFrame):
    """Emits what is asked for, with the snapshot's name."""

    save_asked = Signal(str)
    load_asked = Signal(str)
    delete_asked = Signal(str)

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._commands = commands
        self._names = QStringListModel(self)
        self._list = named(QListView(), "Snapshots")
        self._list.setModel(self._names)
        self._list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._list.setProperty("kind", "rows")
        self._list.activated.connect(lambda _: commands[Command.SNAPSHOT_LOAD].trigger())
        self._said = text_label(kind="hint")
        self._name = line_edit("Name of the new snapshot", "Name, such as clean")
        self._name.setValidator(QRegularExpressionValidator(_NAME, self))
        self._name.setToolTip("Letters, digits, dots and dashes; Return saves")
        self._can_be_used = False
        self._lay_out()
        self._connect()
        self.show_snapshots((), usable=False)

    @property
    def chosen(self) -> str:
        """The name that is chosen in the list, empty for none."""
        return str(self._list.currentIndex().data() or "")

    def show_snapshots(self, names: Sequence[str] | None, *, usable: bool) -> None:
        """Show `names`, None for a device that keeps none; `usable` where the device can be asked now."""
        if list(names or ()) != self._names.stringList():
            chosen = self.chosen
            self._names.setStringList(list(names or ()))
            kept = self._names.stringList().index(chosen) if chosen in (names or ()) else 0
            self._list.setCurrentIndex(self._names.index(kept))
        self._can_be_used = usable and names is not None
        self._said.setText(_NOT_KEPT if names is None else _NONE)
        self._said.setVisible(not names)
        self._list.setVisible(bool(names))
        self._name.setEnabled(names is not None)
        self._offer()

    def _offer(self) -> None:
        is_chosen = self._can_be_used and bool(self.chosen)
        self._commands.enable(Command.SNAPSHOT_LOAD, Command.SNAPSHOT_DELETE, on=is_chosen)
        self._commands.enable(Command.SNAPSHOT_SAVE, on=self._can_be_used and self._name.hasAcceptableInput())

    def _connect(self) -> None:
        asked = {
            Command.SNAPSHOT_SAVE: self._ask_to_save,
            Command.SNAPSHOT_LOAD: lambda: self.load_asked.emit(self.chosen),
            Command.SNAPSHOT_DELETE: lambda: self.delete_asked.emit(self.chosen),
        }
        for command, ask in asked.items():
            self._commands[command].triggered.connect(lambda _checked, ask=ask: ask())
        self._name.textChanged.connect(self._offer)
        self._name.returnPressed.connect(self._commands[Command.SNAPSHOT_SAVE].trigger)
        self._list.selectionModel().currentChanged.connect(self._offer)

    def _ask_to_save(self) -> None:
        self.save_asked.emit(self._name.text())
        self._name.clear()

    def _lay_out(self) -> None:
        new = row(self._name, self._commands.button(Command.SNAPSHOT_SAVE))
        new.setStretch(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addWidget(text_label("Snapshots", "title"))
        column.addWidget(self._said)
        column.addWidget(self._list, 1)
        column.addLayout(row(*(self._commands.button(one).set_wide() for one in _OF_ONE)))
        column.addLayout(new)
        column.addStretch()


_OF_ONE = (Command.SNAPSHOT_LOAD, Command.SNAPSHOT_DELETE)
