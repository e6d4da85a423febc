"""The base of dialogs, and dialogs that ask for a file or a folder."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QLayout, QWidget

from odyssey_recorder.gui.kit.parts import fill_column
from odyssey_recorder.gui.kit.theme import grown

QUESTION_PX = 392
"""The least width of a dialog that asks a question."""


class Dialog(QDialog):
    """Deleted once it is closed, unless it `is_kept`."""

    def __init__(self, title: str, parent: QWidget | None, *, is_kept: bool = False) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, not is_kept)

    def event(self, event: QEvent) -> bool:
        """Grow with the text: Qt stops at two thirds of the screen, and ignores the lines of wrapped labels."""
        is_handled = super().event(event)
        if event.type() in (QEvent.Type.Show, QEvent.Type.LayoutRequest) and self.isWindow() and self.isVisible():
            needed = min(self.heightForWidth(self.width()), self.screen().availableSize().height())
            self.resize(self.width(), max(self.height(), needed))
        return is_handled

    def fill(self, *parts: QWidget | QLayout, stretch: QWidget | None = None, width: int = QUESTION_PX) -> None:
        """Lay `parts` out from top to bottom with the margins of all dialogs; `stretch` takes the remaining space.

        Without `stretch` the dialog is a question: at least `width` wide, and as high as its text needs.
        """
        if stretch is None and isinstance(parts[0], QWidget):
            parts[0].setMinimumWidth(grown(width))
        sized = [(part, 1) if part is stretch and part is not None else part for part in parts]
        fill_column(self, *sized, margins=(24, 20, 24, 20), spacing=12)


def ask_where_to_save(parent: QWidget, title: str, name: str, save: Callable[[Path], object], *more_kinds: str) -> None:
    """Call `save` with the chosen web page, or file of `more_kinds`, or with the chosen folder if `name` is empty."""
    ask_for_file(parent, title, name, ("Web page (*.html)", *more_kinds) if name else (), save)


def ask_for_file(parent: QWidget, title: str, name: str, kinds: Sequence[str], save: Callable[[Path], object]) -> None:
    """Call `save` with the chosen file, whose suffix is that of its kind, or without `kinds` with the chosen folder."""

    def suffix(kind: str) -> str:
        return kind.rpartition(".")[2].rstrip(")")

    dialog = QFileDialog(parent, title, name, ";;".join(kinds))
    if kinds:
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix(kinds[0]))
        dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(suffix(kind)))
    else:
        dialog.setFileMode(QFileDialog.FileMode.Directory)
    _open(dialog, lambda chosen: save(Path(chosen)))


def ask_for_existing(
    parent: QWidget, title: str, start: str, take: Callable[[str], object], *, is_file: bool = False
) -> None:
    """Call `take` with the chosen folder, or with the chosen file."""
    dialog = QFileDialog(parent, title, start)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile if is_file else QFileDialog.FileMode.Directory)
    _open(dialog, take)


def _open(dialog: QFileDialog, take: Callable[[str], object]) -> None:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(take)
    dialog.open()
