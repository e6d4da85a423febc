"""Parts laid out: in a pile, in columns, under a label, in a scrolling area, or as a notice."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QLayout, QScrollArea, QVBoxLayout, QWidget

from odyssey_recorder.gui.kit.parts import Card, Part, column, fill_column, fill_grid, named, text_label


def in_columns(*parts: QWidget | QLayout, spacing: tuple[int, int] = (-1, -1)) -> QGridLayout:
    """`parts` in two columns, row by row; `spacing` is across and down, -1 the style's own."""
    grid = fill_grid(None, across=spacing[0], down=spacing[1])
    for number, part in enumerate(parts):
        if isinstance(part, QLayout):
            grid.addLayout(part, *divmod(number, 2))
        else:
            grid.addWidget(part, *divmod(number, 2))
    return grid


def scroll_area(content: QWidget | None = None, name: str = "") -> QScrollArea:
    area = named(QScrollArea(), name)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if content is not None:
        area.setWidget(content)
    return area


def pile(*parts: Part, right: int = 0, spacing: int = 8) -> QWidget:
    """`parts` from top to bottom and space below them; `right` is the distance to a scroll bar."""
    content = QWidget()
    fill_column(content, *parts, None, margins=(0, 0, right, 0), spacing=spacing)
    return content


def labelled(text: str, field: QWidget) -> QVBoxLayout:
    """`field` under a small label, whose mnemonic (the letter after ``&``) focuses it."""
    label = QLabel(text)
    label.setProperty("kind", "field")
    label.setBuddy(field)
    return column(label, field, spacing=4)


def notice(title: str, hint: str) -> Card:
    """A placeholder for missing content."""
    card = Card()
    fill_column(card, text_label(title, "title"), text_label(hint, "hint"), None, margins=20, spacing=-1)
    return card
