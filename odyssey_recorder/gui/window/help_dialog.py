"""The keys of a page, of every page and of every dialog."""

from collections.abc import Iterable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.roles import sees
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import fill_grid, push_button, row, text_label
from odyssey_recorder.settings import Role

_KEYS_PX, _NAME_PX = 130, 170
_Line = tuple[str, str, str]
_IN_DIALOGS: tuple[_Line, ...] = (
    ("Tab", "Next field", "Go to the next field, button or list"),
    ("Enter", "Answer", "Press the coloured button"),
    ("Esc", "Close", "Close the dialog without an answer"),
    ("Alt", "Underlined letter", "With Alt, go to the field with this letter"),
)


class HelpDialog(Dialog):
    """Shows the keys of a role on a page; `doctor` is offered if it is visible."""

    def __init__(self, page: Command, commands: Commands, role: Role, doctor: QAction, parent: QWidget) -> None:
        super().__init__("Help", parent)
        name = page.value.label
        parts: list[QWidget | int] = []
        for title, lines in (
            (f"On the page {name}", _lines(name, commands, role)),
            ("Everywhere", _lines("", commands, role)),
            ("In dialogs", _IN_DIALOGS),
        ):
            parts += [text_label(title, "title"), _table(lines), 8]
        area = scroll_area(pile(*parts, right=8), "Keys")
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        check = push_button("Check this computer", doctor.toolTip(), call=self.accept)
        check.clicked.connect(doctor.trigger)
        check.setVisible(doctor.isVisible())
        close = push_button("Close", "Close the help (Esc)", "primary", call=self.accept)
        hint = text_label("You can change the keys under Settings, Shortcuts.", "hint")
        self.fill(area, row((hint, 1), check, close), stretch=area)
        area.setFocus()
        self.resize(680, 560)


def _lines(page: str, commands: Commands, role: Role) -> Iterator[_Line]:
    for command in commands:
        action = commands[command]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        if keys and command.value.page == page and sees(role, command) and (page or action.isVisible()):
            yield keys, command.value.label.rstrip("…"), command.value.tip


def _table(lines: Iterable[_Line]) -> QWidget:
    table = QWidget()
    grid = fill_grid(table, across=-1, down=6, stretched=2)
    for column, minimum_px in enumerate((_KEYS_PX, _NAME_PX)):
        grid.setColumnMinimumWidth(column, minimum_px)
    for number, (keys, name, tip) in enumerate(lines):
        for column, label in enumerate((text_label(keys), text_label(name), text_label(tip, "hint"))):
            grid.addWidget(label, number, column, Qt.AlignmentFlag.AlignTop)
    return table
