"""The sides of episodes in a dataset's split files."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from odyssey_recorder.dataset.file_stamps import stamp
from odyssey_recorder.dataset.layout import SPLITS, names_in, split_path
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.splits.files import read_split

_ENDING = "_split.json"


def split_stamps(root: Path) -> Mapping[str, str]:
    """Split names, such as "app", to stamps that change with their files. Raises DatasetError."""
    names = (name for name in names_in(root / SPLITS) if name.endswith(_ENDING))
    return {name.removesuffix(_ENDING): stamp(root / SPLITS / name) for name in names}


def sides_of(root: Path, split: str) -> Iterator[tuple[str, str]]:
    """Episode ids with "train" or "test"; none if the file cannot be read, of which the checks tell."""
    try:
        found = read_split(root / split_path(split))
    except DatasetError:
        return
    yield from ((episode_id, "train") for episode_id in found.train)
    yield from ((episode_id, "test") for episode_id in found.test)
