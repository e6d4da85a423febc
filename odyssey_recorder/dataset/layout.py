"""How a dataset folder is laid out: its folders, how each file of an episode is called, and how they are found.

<dataset>/annotations/<id>.json         an episode exists from the moment this file does
          screenshots/<id>_<step>.png
          provenance/<id>.json
          ui_trees/<id>_<step>.xml      for the steps whose view hierarchy is known
          reviews/<id>.json             what reviewers did with it
          reviews/history/<id>/<version>/   earlier versions, each laid out as a dataset
          trash/<id>-<time>/            episodes that were taken out, likewise
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.errors import DatasetError, showable
from odyssey_recorder.files import read_file, read_json, storage_error
from odyssey_recorder.model.episode import is_episode_id, screenshot_name

ANNOTATIONS = "annotations"
SCREENSHOTS = "screenshots"
PROVENANCE = "provenance"
UI_TREES = "ui_trees"
REVIEWS = "reviews"
HISTORY = f"{REVIEWS}/history"
TRASH = "trash"
EPISODE_FOLDERS = (ANNOTATIONS, SCREENSHOTS, PROVENANCE, UI_TREES)
"""The folders with the files that an episode consists of."""
POLICY = "policy.json"
"""The file in `REVIEWS` that says how the dataset is reviewed."""
INDEXES = ("all_anno.json", "all_annot.json")
"""The lists of all episodes of the first and of the second release."""

_PER_EPISODE = re.compile(r"([0-9]{16})\.json")
FILE_NAMES = {
    ANNOTATIONS: _PER_EPISODE,
    SCREENSHOTS: re.compile(r"([0-9]{16})_[0-9]+\.png"),
    PROVENANCE: _PER_EPISODE,
    UI_TREES: re.compile(r"([0-9]{16})_[0-9]+\.xml"),
    REVIEWS: re.compile(r"([0-9]{16}|policy)([^0-9].*)?\.json"),
}
"""How the files in a folder are named; the first group is the id of their episode."""
REVIEW_NAME = re.compile(r"([0-9]{16})([^0-9].*)?\.json")
"""How a file of reviews is named; version control and other programs add something behind the id."""
TRASH_NAME = re.compile(r"([0-9]{16})-([0-9]{1,20})")
"""How the folder of an episode in the trash is named: its id, and nanoseconds since 1970."""


def checked_id(episode_id: str) -> str:
    """`episode_id`, which may become part of a path. Raises DatasetError for what is no episode's id."""
    if not is_episode_id(episode_id):
        raise DatasetError(f"{episode_id!r} is not an episode's id: expected 16 decimal digits.")
    return episode_id


# Where a file is in its dataset.


def annotation_path(episode_id: str) -> str:
    return f"{ANNOTATIONS}/{episode_id}.json"


def provenance_path(episode_id: str) -> str:
    return f"{PROVENANCE}/{episode_id}.json"


def screenshot_path(episode_id: str, step: int) -> str:
    return f"{SCREENSHOTS}/{screenshot_name(episode_id, step)}"


def ui_tree_path(episode_id: str, step: int) -> str:
    return f"{UI_TREES}/{ui_tree_name(episode_id, step)}"


def review_path(episode_id: str) -> str:
    return f"{REVIEWS}/{episode_id}.json"


def history_path(episode_id: str, version: str) -> str:
    return f"{HISTORY}/{episode_id}/{version}"


def ui_tree_name(episode_id: str, step: int) -> str:
    return f"{episode_id}_{step}.xml"


def dataset_of(path: Path) -> Path | None:
    """The dataset that a file of an episode lies in, by the name of its folder; None for a lone file."""
    return path.parent.parent if path.parent.name in EPISODE_FOLDERS else None


@dataclass(frozen=True, slots=True)
class EpisodeFiles:
    """The files of one episode, whether they are there or not; `episode_id` is what they are named after.

    An annotation outside of a dataset has its screenshots beside it, and nothing else. No name that a file tells
    becomes a path: all are made from the id, or from the annotation's own name.
    """

    annotation: Path
    episode_id: str

    @classmethod
    def of(cls, annotation: Path, read_id: str = "") -> "EpisodeFiles":
        """The files with this annotation; `read_id`, the id in it, counts where the file is not named by an id."""
        is_named = is_episode_id(annotation.stem) or not is_episode_id(read_id)
        return cls(annotation, showable(annotation.stem) if is_named else read_id)

    @property
    def dataset(self) -> Path | None:
        return dataset_of(self.annotation)

    @property
    def screenshots(self) -> Path:
        """The folder with the screenshots."""
        return self.annotation.parent if self.dataset is None else self.dataset / SCREENSHOTS

    @property
    def provenance(self) -> Path | None:
        return None if self.dataset is None else self.dataset / PROVENANCE / self.annotation.name

    @property
    def review(self) -> Path | None:
        return None if self.dataset is None else self.dataset / REVIEWS / self.annotation.name

    def screenshot(self, step: int) -> Path:
        return self.screenshots / screenshot_name(self.episode_id, step)

    def ui_tree(self, step: int) -> Path | None:
        return None if self.dataset is None else self.dataset / ui_tree_path(self.episode_id, step)

    def paths(self, steps: int) -> Iterator[str]:
        """All of them but the review, as text: ten thousand episodes have 300,000, and a Path takes its time."""
        yield str(self.annotation)
        root = str(self.screenshots)
        for step in range(steps):
            yield f"{root}/{screenshot_name(self.episode_id, step)}"
        if self.dataset is not None:
            yield str(self.provenance)
            root = str(self.dataset)
            for step in range(steps):
                yield f"{root}/{ui_tree_path(self.episode_id, step)}"


# What is there.


def annotation_files(root: Path) -> list[Path]:
    """All JSON files beside which an episode's annotation may lie, sorted, whatever they are called."""
    return sorted((root / ANNOTATIONS).glob("*.json"))


def episode_ids(root: Path) -> frozenset[str]:
    """The ids of the episodes by the names of their annotations. Raises DatasetError."""
    found = map(FILE_NAMES[ANNOTATIONS].fullmatch, names_in(root / ANNOTATIONS))
    return frozenset(match[1] for match in found if match)


def names_in(folder: Path) -> Iterator[str]:
    """The names of the files in a folder, hidden ones left out; none where there is no such folder.

    Raises DatasetError.
    """
    try:
        with suppress(FileNotFoundError), os.scandir(folder) as entries:
            yield from (showable(entry.name) for entry in entries if entry.is_file() and not entry.name.startswith("."))
    except OSError as error:
        raise storage_error(error, folder, "read") from error


def files_of(folder: Path, episode_id: str, *, ending: str = "") -> dict[str, Path]:
    """The files of an episode in a dataset, also those that no step names, by where in the dataset they are.

    `ending` is what their names end in beyond their own. Raises DatasetError.
    """
    whole = (annotation_path(episode_id), provenance_path(episode_id))
    found = {name: path for name in whole if (path := folder / (name + ending)).is_file()}
    for part in (SCREENSHOTS, UI_TREES):
        try:
            with os.scandir(folder / part) as entries:
                for entry in entries:
                    name = entry.name.removesuffix(ending)
                    match = FILE_NAMES[part].fullmatch(name)
                    if match and match[1] == episode_id and entry.name == name + ending:
                        found[f"{part}/{name}"] = folder / part / entry.name
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise storage_error(error, folder / part, "read") from error
    return found


def read_dataset_file(path: Path, at_most: int) -> bytes:
    """The bytes of a file of an episode. Raises DatasetError, MissingFileError where there is none."""
    read = read_json if path.suffix == ".json" else read_file
    try:
        return read(path, at_most, within=dataset_of(path))
    except OSError as error:
        raise storage_error(error, path, "read") from error
