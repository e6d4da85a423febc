"""The sides of episodes in a dataset's split files."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from odyssey_recorder.dataset.layout import names_in
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import Largest, read_json, storage_errors
from odyssey_recorder.quality.dataset_wide.splits import FOLDER
from odyssey_recorder.quality.sources import stamp
from odyssey_recorder.validation import FrozenModel

_ENDING = "_split.json"


class _Split(FrozenModel):
    train: tuple[str, ...]
    test: tuple[str, ...]


def split_stamps(root: Path) -> Mapping[str, str]:
    """Split names, such as "app", to stamps that change with their files. Raises DatasetError."""
    names = (name for name in names_in(root / FOLDER) if name.endswith(_ENDING))
    return {name.removesuffix(_ENDING): stamp(root / FOLDER / name) for name in names}


def sides_of(root: Path, split: str) -> Iterator[tuple[str, str]]:
    """Episode ids with "train" or "test"; none if the file cannot be read, of which the checks tell."""
    path = root / FOLDER / f"{split}{_ENDING}"
    try:
        with storage_errors(path, "read"):
            sides = _Split.model_validate_json(read_json(path, Largest.INDEX, within=root))
    except (DatasetError, ValidationError):
        return
    for part, entries in (("train", sides.train), ("test", sides.test)):
        yield from ((entry.removesuffix(".json"), part) for entry in entries)
