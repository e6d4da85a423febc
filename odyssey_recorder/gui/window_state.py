"""How the window looked when it was closed: its place and size, its page, its zoom, and how its panes were divided."""

from collections.abc import Sequence

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QSplitter, QWidget

from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.kept_file import KeptFile


class WindowState:
    """What was kept when the window was last closed; `page` and `zoom` are names of the window's own, or empty."""

    def __init__(self, file: KeptFile) -> None:
        self._file = file
        self._kept = file.read()
        self.page = _words(self._kept.get("page"))
        self.zoom = _words(self._kept.get("zoom"))

    def page_among(self, offered: Sequence[Command]) -> Command:
        """The page that was shown, if it is offered still; otherwise the first."""
        return next((command for command in offered if command.name == self.page), offered[0])

    def restore(self, window: QWidget) -> None:
        """Give `window` its place and size, and each splitter in it that has an object name its division."""
        window.restoreGeometry(_bytes(self._kept.get("geometry")))
        divisions = self._kept.get("splitters")
        for splitter in _named_splitters(window):
            if isinstance(divisions, dict):
                splitter.restoreState(_bytes(divisions.get(splitter.objectName())))

    def keep(self, window: QWidget) -> None:
        """Write down how `window` looks now, with `page` and `zoom`; a file that cannot be written is logged."""
        divisions = {splitter.objectName(): _text(splitter.saveState()) for splitter in _named_splitters(window)}
        looks = {"geometry": _text(window.saveGeometry()), "splitters": divisions}
        self._file.write({**self._kept, **looks, "page": self.page, "zoom": self.zoom})


def _named_splitters(window: QWidget) -> list[QSplitter]:
    return [splitter for splitter in window.findChildren(QSplitter) if splitter.objectName()]


def _words(value: object) -> str:
    return value if isinstance(value, str) else ""


def _bytes(value: object) -> QByteArray:
    """What `_text` made a text of; Qt itself refuses bytes that are none of its own."""
    return QByteArray.fromBase64(_words(value).encode())


def _text(value: QByteArray) -> str:
    return value.toBase64().toStdString()
