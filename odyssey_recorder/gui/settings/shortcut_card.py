"""The card to change the keys of commands, and its table."""

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QKeySequenceEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.roles import sees
from odyssey_recorder.gui.frame.shortcuts import Shortcuts, name
from odyssey_recorder.gui.kit.parts import Card, fill_column, named, row, text_label
from odyssey_recorder.gui.kit.table import Index, TableColumn, TableModel, fill_table
from odyssey_recorder.gui.settings.commands import SettingsCommand
from odyssey_recorder.settings import Role

_ROW_PX = 34
_FRAME_PX = 8
_CELL_PX = 28
_ACTION, _WHAT, _PAGE, _KEYS = range(4)


class ShortcutModel(TableModel[Command]):
    refused = Signal(str)
    """Why keys were refused; empty once others are accepted."""

    def __init__(self, shortcuts: Shortcuts, parent: QObject | None = None) -> None:
        columns = (
            TableColumn[Command]("Action", name, tip=_tip),
            TableColumn[Command]("What it does", _tip, tip=_tip),
            TableColumn[Command]("Page", _page, tip=_tip),
            TableColumn[Command](
                "Keys",
                lambda command: shortcuts.keys(command).toString(QKeySequence.SequenceFormat.NativeText) or "none",
                tip=lambda _command: "Enter or double-click: change the keys. Del: remove them",
                is_bold=shortcuts.is_changed,
                edited=lambda _command: "",
            ),
        )
        super().__init__(columns, parent=parent)
        self._shortcuts = shortcuts
        self.show(shortcuts.changeable)
        shortcuts.changed.connect(self.refresh)

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        command = self.rows[index.row()]
        if role != Qt.ItemDataRole.EditRole or not isinstance(value, QKeySequence):
            return False
        is_same = value == self._shortcuts.keys(command)
        refusal = "" if is_same else self._shortcuts.refusal(command, value)
        self.refused.emit(refusal)
        if not refusal and not is_same:
            self._shortcuts.change(command, value)
        return not refusal

    @property
    def is_any_changed(self) -> bool:
        return any(self._shortcuts.is_changed(command) for command in self.rows)

    def is_changed(self, row: int) -> bool:
        return self._shortcuts.is_changed(self.rows[row])

    def reset_row(self, row: int) -> None:
        self.refused.emit(self._shortcuts.reset(self.rows[row]))

    def reset_all(self) -> None:
        self._shortcuts.reset_all()
        self.refused.emit("")


def _tip(command: Command) -> str:
    return command.value.tip


def _page(command: Command) -> str:
    return command.value.page or "all"


class ShortcutTable(QTableView):
    row_entered = Signal(int, int)
    """Top and bottom of the row that became current, in px from the table's top."""

    def __init__(self, model: ShortcutModel) -> None:
        super().__init__()
        self._model = model
        fill_table(self, "Keys of all actions", model)
        self.setItemDelegate(_KeysDelegate(self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._set_sizes()

    def show_for(self, role: Role) -> None:
        for number, command in enumerate(self._model.rows):
            self.setRowHidden(number, not sees(role, command))
        self._fit_height()

    @property
    def row(self) -> int:
        return self.currentIndex().row()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid():
            place = self.visualRect(current)
            header_px = self.horizontalHeader().height()
            self.row_entered.emit(place.top() + header_px, place.bottom() + header_px)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.model().index(self.row, _KEYS)
        if index.isValid() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.setCurrentIndex(index)
            self.edit(index)
        elif index.isValid() and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.model().setData(index, QKeySequence())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()
        if event.size().width() != event.oldSize().width():
            self._fit_rows()
            self._fit_height()

    def _fit_height(self) -> None:
        self.setFixedHeight(_ROW_PX + self.verticalHeader().length() + _FRAME_PX)

    def _set_sizes(self) -> None:
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.setDefaultSectionSize(_ROW_PX)
        rows.setMinimumSectionSize(_ROW_PX)
        columns.setSectionsClickable(False)
        columns.setFixedHeight(_ROW_PX)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        columns.setSectionResizeMode(_WHAT, QHeaderView.ResizeMode.Stretch)
        columns.resizeSection(_KEYS, 150)
        self._fit_columns()

    def _fit_rows(self) -> None:
        """Long texts take two lines. Qt asks for every cell of the rows that it fits, so it fits these only."""
        metrics, room_px = self.fontMetrics(), self.columnWidth(_WHAT) - 2 * _ROW_PX
        for number, command in enumerate(self._model.rows):
            if metrics.horizontalAdvance(_tip(command)) > room_px:
                self.resizeRowToContents(number)
            else:
                self.setRowHeight(number, _ROW_PX)

    def _fit_columns(self) -> None:
        """As wide as the longest text; Qt's own method queries each of a thousand cells eight times."""
        metrics = self.fontMetrics()
        for column, text in ((_ACTION, map(name, self._model.rows)), (_PAGE, map(_page, self._model.rows))):
            widest = max(map(metrics.horizontalAdvance, text))
            self.horizontalHeader().resizeSection(column, widest + _CELL_PX)


class _KeysDelegate(QStyledItemDelegate):
    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = named(QKeySequenceEdit(parent), "Press the keys")
        editor.setMaximumSequenceLength(1)
        editor.keySequenceChanged.connect(lambda keys: None if keys.isEmpty() else self._finish(editor))
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Keep the editor empty: it waits for keys."""

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QKeySequenceEdit) and not editor.keySequence().isEmpty():
            model.setData(index, editor.keySequence())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Only Escape ends editing without new keys; all others, including Return and Tab, are for the editor."""
        if isinstance(event, QKeyEvent) and event.key() != Qt.Key.Key_Escape:
            return False
        return super().eventFilter(watched, event)

    def _finish(self, editor: QKeySequenceEdit) -> None:
        editor.blockSignals(True)
        self.commitData.emit(editor)
        self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)


class ShortcutCard(Card):
    part_entered = Signal(object, int, int)
    """A part was entered: the widget, and top and bottom within it, in px."""

    refused = Signal(str)

    def __init__(self, shortcuts: Shortcuts, background: Background, commands: Commands) -> None:
        super().__init__()
        self._shortcuts = shortcuts
        self._background = background
        self._commands = commands
        self._model = ShortcutModel(shortcuts, self)
        self._table = ShortcutTable(self._model)
        buttons = commands.buttons(SettingsCommand.RESET_KEYS, SettingsCommand.RESET_ALL_KEYS)
        head = row((text_label("Shortcuts", "title"), 1), *buttons)
        hint = "Select an action and press Enter, then the new keys. Del removes the keys. Changes apply right away."
        fill_column(self, head, text_label(hint, "hint"), self._table, margins=(20, 16, 20, 20))
        self._connect()
        self._offer()

    def show_for(self, role: Role) -> None:
        self._table.show_for(role)

    def _connect(self) -> None:
        commands = self._commands
        reset_row = lambda: self._model.reset_row(self._table.row)  # noqa: E731
        commands.bind(
            self, {SettingsCommand.RESET_KEYS: reset_row, SettingsCommand.RESET_ALL_KEYS: self._model.reset_all}
        )
        self._model.refused.connect(self.refused)
        self._shortcuts.changed.connect(self._keep)
        self._table.row_entered.connect(lambda top, bottom: self.part_entered.emit(self._table, top, bottom))
        self._table.row_entered.connect(self._offer)

    def _keep(self) -> None:
        self._offer()
        self._background.run(self._shortcuts.keep, lambda _: None, lambda error: self.refused.emit(str(error)))

    def _offer(self) -> None:
        self._commands.enable(
            SettingsCommand.RESET_KEYS, on=self._table.row >= 0 and self._model.is_changed(self._table.row)
        )
        self._commands.enable(SettingsCommand.RESET_ALL_KEYS, on=self._model.is_any_changed)
