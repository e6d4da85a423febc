"""Reads and clicks the rows of lists and tables."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView

_NO_KEYS = Qt.KeyboardModifier.NoModifier


def column_texts(view: QAbstractItemView, column: int = 0) -> list[str]:
    model = view.model()
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def row_texts(view: QAbstractItemView) -> list[list[str]]:
    columns = (column_texts(view, column) for column in range(view.model().columnCount()))
    return [list(row) for row in zip(*columns, strict=True)]


def click_row(view: QAbstractItemView, row: int, keys: Qt.KeyboardModifier = _NO_KEYS, *, column: int = 0) -> None:
    index = view.model().index(row, column)
    view.scrollTo(index)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, keys, view.visualRect(index).center())
