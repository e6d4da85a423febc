"""Values that the window keeps between runs, and the file that holds them."""

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QWidget

from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import Largest, make_folder, read_text, write_durably
from odyssey_recorder.gui.frame.command import Command

_VERSION = 1
_log = logging.getLogger(__name__)


class KeptFile:
    """Named values in a file; errors are logged, never raised. Without a path nothing is kept."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    def read(self) -> dict[str, object]:
        """The values, of unchecked types; empty without a readable file."""
        if self._path is None or not self._path.exists():
            return {}
        try:
            tree = json.loads(read_text(self._path, Largest.WRITTEN_BY_HAND))
        except (OSError, ValueError, RecursionError) as error:
            _log.warning("%s cannot be read; its values are ignored: %s", self._path, error)
            return {}
        if not isinstance(tree, dict) or tree.get("version") != _VERSION:
            _log.warning("%s is not of version %d; its values are ignored.", self._path, _VERSION)
            return {}
        return {name: value for name, value in tree.items() if name != "version"}

    def write(self, values: Mapping[str, object]) -> None:
        if self._path is None:
            return
        text = json.dumps({"version": _VERSION, **values}, indent=2, sort_keys=True)
        try:
            make_folder(self._path.parent)
            write_durably(self._path, text.encode("utf-8"))
        except DatasetError as error:
            _log.warning("The state of the window could not be saved: %s", error)


class WindowState:
    """The state when the window was last closed; `page` and `zoom` are names of the window's own, or empty.

    `panels` has a value for each `Panels` by its name, of unchecked kinds.
    """

    def __init__(self, file: KeptFile) -> None:
        self._file = file
        self._kept = file.read()
        self.page = _text_of(self._kept.get("page"))
        self.zoom = _text_of(self._kept.get("zoom"))
        panels = self._kept.get("panels")
        self.panels: dict[str, object] = dict(panels) if isinstance(panels, dict) else {}

    def page_among(self, offered: Sequence[Command]) -> Command:
        return next((command for command in offered if command.name == self.page), offered[0])

    def restore(self, window: QWidget) -> None:
        """Qt itself rejects invalid bytes."""
        window.restoreGeometry(QByteArray.fromBase64(_text_of(self._kept.get("geometry")).encode()))

    def keep(self, window: QWidget) -> None:
        geometry = window.saveGeometry().toBase64().toStdString()
        self._file.write(
            {**self._kept, "geometry": geometry, "page": self.page, "zoom": self.zoom, "panels": self.panels}
        )


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else ""
