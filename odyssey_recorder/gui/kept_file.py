"""How the window keeps a few values of its own from one session to the next: a small JSON file with a version."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path

from odyssey_recorder.dataset.durable import make_folder, write_durably
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import Largest, read_text

_VERSION = 1
_log = logging.getLogger(__name__)


class KeptFile:
    """Values by name, in a file that may be lost at any time: what cannot be read or written is logged, never raised.

    Without a path nothing is kept.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    def read(self) -> dict[str, object]:
        """The values, none of them of a kind that can be relied on; empty where there is no readable file."""
        if self._path is None or not self._path.exists():
            return {}
        try:
            tree = json.loads(read_text(self._path, Largest.WRITTEN_BY_HAND))
        except (OSError, ValueError, RecursionError) as error:
            _log.warning("%s cannot be read, its values are left out: %s", self._path, error)
            return {}
        if not isinstance(tree, dict) or tree.get("version") != _VERSION:
            _log.warning("%s is not of version %d, its values are left out.", self._path, _VERSION)
            return {}
        return {name: value for name, value in tree.items() if name != "version"}

    def write(self, values: Mapping[str, object]) -> None:
        """Put `values` in the place of all that was there."""
        if self._path is None:
            return
        words = json.dumps({"version": _VERSION, **values}, indent=2, sort_keys=True)
        try:
            make_folder(self._path.parent)
            write_durably(self._path, words.encode("utf-8"))
        except DatasetError as error:
            _log.warning("What the window keeps was not written: %s", error)
