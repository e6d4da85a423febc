"""Filters that the user has saved by name, in one file."""

from pathlib import Path
from typing import Literal

from filelock import FileLock
from pydantic import Field, ValidationError

from odyssey_recorder.dataset_index.filter import Filter, parse_filter
from odyssey_recorder.errors import FilterError
from odyssey_recorder.files import Largest, make_folder, read_file, storage_errors, write_durably
from odyssey_recorder.validation import FrozenModel, first_fault

_LONGEST_NAME = 80


class _File(FrozenModel):
    version: Literal[1] = 1
    filters: dict[str, str] = Field(default_factory=dict)


class SavedFilters:
    """The filters in the file at `path`, which need not exist. Names are only keys in it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> dict[str, str]:
        """Names to filters as text, by name. Raises DatasetError, FilterError if the file cannot be read."""
        return dict(sorted(self._read().filters.items()))

    def get(self, name: str) -> Filter:
        """Raises FilterError if there is none; otherwise as `all`."""
        saved = self.all()
        if name not in saved:
            raise FilterError(f"There is no saved filter “{name}”.", hint=f"Saved: {', '.join(saved) or 'none'}.")
        return parse_filter(saved[name])

    def save(self, name: str, wanted: Filter | None) -> None:
        """Save or replace the filter `name`, or delete it for None. Raises as `all`."""
        if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
            raise FilterError(f"The name of a filter is one line of 1 to {_LONGEST_NAME} characters.")
        make_folder(self._path.parent)
        with storage_errors(self._path, "written"), FileLock(f"{self._path}.lock"):
            others = {other: text for other, text in self._read().filters.items() if other != name}
            filters = others if wanted is None else {**others, name: str(wanted)}
            write_durably(self._path, f"{_File(filters=filters).model_dump_json(indent=2)}\n".encode())

    def _read(self) -> _File:
        with storage_errors(self._path, "read"):
            try:
                return _File.model_validate_json(read_file(self._path, Largest.WRITTEN_BY_HAND))
            except FileNotFoundError:
                return _File()
            except ValidationError as error:
                words = f"{self._path} has no saved filters ({first_fault(error)})."
                raise FilterError(words, hint="Move it away to start over.") from error
