"""The layout of a dataset folder: its folders, the names of an episode's files, and how they are found.

<dataset>/annotations/<id>.json         an episode exists from the moment this file does
          screenshots/<id>_<step>.png
          provenance/<id>.json
          ui_trees/<id>_<step>.xml      for the steps whose view hierarchy is known
          reviews/<id>.json             its reviews
          reviews/history/<id>/<version>/   earlier versions, each laid out as a dataset
          trash/<id>-<time>/            removed episodes, likewise
          semantics/<id>.json           the texts of its steps, by models and people
          splits/<kind>_split.json      train and test; nothing else, as published tools open every file there
          metadata/splits.json          how the splits were made
          metadata/train_in_all.txt     the episodes that are in train of every split
          metadata/retired.jsonl        which episodes are left out, and why
          metadata/consents.jsonl       to which hosts screenshots may be sent
          redactions/<id>.json          what exports black out and replace
          metadata/team.yaml            which apps the team has for its tasks
          metadata/sources.jsonl        from which datasets merged episodes came
          releases/<name>/              what was released, by hash
"""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.errors import DatasetError, showable
from odyssey_recorder.files import read_file, read_json, storage_errors
from odyssey_recorder.model.episode import is_episode_id, screenshot_name

ANNOTATIONS = "annotations"
SCREENSHOTS = "screenshots"
PROVENANCE = "provenance"
UI_TREES = "ui_trees"
REVIEWS = "reviews"
HISTORY = f"{REVIEWS}/history"
SEMANTICS = "semantics"
CHAIN_OF_MEMORY = "chain_of_memory"
TRASH = "trash"
SPLITS = "splits"
METADATA = "metadata"
SPLITS_RECORD = f"{METADATA}/splits.json"
TRAIN_IN_ALL = f"{METADATA}/train_in_all.txt"
RETIRED = f"{METADATA}/retired.jsonl"
CONSENTS = f"{METADATA}/consents.jsonl"
REDACTIONS = "redactions"
TEAM = f"{METADATA}/team.yaml"
SOURCES = f"{METADATA}/sources.jsonl"
RELEASES = "releases"
EPISODE_FOLDERS = (ANNOTATIONS, SCREENSHOTS, PROVENANCE, UI_TREES)
POLICY = "policy.json"
CONTROLS = "controls.json"
INDEXES = ("all_anno.json", "all_annot.json")

PER_EPISODE = re.compile(r"([0-9]{16})\.json")
FILE_NAMES = {
    ANNOTATIONS: PER_EPISODE,
    SCREENSHOTS: re.compile(r"([0-9]{16})_[0-9]+\.png"),
    PROVENANCE: PER_EPISODE,
    UI_TREES: re.compile(r"([0-9]{16})_[0-9]+\.xml"),
    REVIEWS: re.compile(r"([0-9]{16}|policy|controls)([^0-9].*)?\.json"),
    SEMANTICS: re.compile(r"([0-9]{16})([^0-9].*)?\.json"),
}
"""File names in a folder; the first group is the episode's id."""
REVIEW_NAME = re.compile(r"([0-9]{16})([^0-9].*)?\.json")
"""Names of review and text files; version control and sync programs append to the id."""
TRASH_NAME = re.compile(r"([0-9]{16})-([0-9]{1,20})")
"""Folders in the trash: the episode's id, and nanoseconds since 1970."""
VERSION_NAME = re.compile(r"[0-9a-f]{64}-[0-9a-f]{16}")
"""Folders of an episode's history: the SHA-256 of the annotation, and a part of that of all other files."""


def checked_id(episode_id: str) -> str:
    """Return `episode_id`, which may become part of a path. Raises DatasetError if it is not an episode's id."""
    if not is_episode_id(episode_id):
        raise DatasetError(f"{episode_id!r} is not an episode's id: expected 16 decimal digits.")
    return episode_id


# Paths within the dataset.


def annotation_path(episode_id: str) -> str:
    return f"{ANNOTATIONS}/{episode_id}.json"


def provenance_path(episode_id: str) -> str:
    return f"{PROVENANCE}/{episode_id}.json"


def screenshot_path(episode_id: str, step: int) -> str:
    return f"{SCREENSHOTS}/{screenshot_name(episode_id, step)}"


def ui_tree_path(episode_id: str, step: int) -> str:
    return f"{UI_TREES}/{ui_tree_name(episode_id, step)}"


def semantics_path(episode_id: str) -> str:
    return f"{SEMANTICS}/{episode_id}.json"


def redaction_path(episode_id: str) -> str:
    return f"{REDACTIONS}/{episode_id}.json"


def split_path(kind: str) -> str:
    return f"{SPLITS}/{kind}_split.json"


def history_path(episode_id: str, version: str) -> str:
    return f"{HISTORY}/{episode_id}/{version}"


def ui_tree_name(episode_id: str, step: int) -> str:
    return f"{episode_id}_{step}.xml"


def dataset_of(path: Path) -> Path | None:
    """The dataset of a file of an episode, by the name of its folder; None for a lone file."""
    return path.parent.parent if path.parent.name in EPISODE_FOLDERS else None


@dataclass(frozen=True, slots=True)
class EpisodeFiles:
    """Paths of one episode's files, existing or not.

    Outside a dataset the screenshots are beside the annotation. No name found in a file becomes a path: all are made
    from the id, or from the annotation's own name.
    """

    annotation: Path
    episode_id: str
    shown: tuple[int, ...] = ()
    """The step whose screenshot and view hierarchy each step has; empty for its own."""

    @classmethod
    def of(cls, annotation: Path, read_id: str = "") -> "EpisodeFiles":
        """The files of this annotation; `read_id`, the id in it, is used if the file is not named by an id."""
        is_named = is_episode_id(annotation.stem) or not is_episode_id(read_id)
        return cls(annotation, showable(annotation.stem) if is_named else read_id)

    @property
    def dataset(self) -> Path | None:
        return dataset_of(self.annotation)

    @property
    def screenshots(self) -> Path:
        return self.annotation.parent if self.dataset is None else self.dataset / SCREENSHOTS

    @property
    def provenance(self) -> Path | None:
        return None if self.dataset is None else self.dataset / PROVENANCE / self.annotation.name

    @property
    def review(self) -> Path | None:
        return None if self.dataset is None else self.dataset / REVIEWS / self.annotation.name

    def screenshot(self, step: int) -> Path:
        return self.screenshots / screenshot_name(self.episode_id, self._of(step))

    def ui_tree(self, step: int) -> Path | None:
        return None if self.dataset is None else self.dataset / ui_tree_path(self.episode_id, self._of(step))

    def _of(self, step: int) -> int:
        return self.shown[step] if step < len(self.shown) else step

    def paths(self, steps: int) -> Iterator[str]:
        """All but the review, as text: ten thousand episodes have 300,000, for which Path is too slow."""
        yield str(self.annotation)
        root = str(self.screenshots)
        for step in range(steps):
            yield f"{root}/{screenshot_name(self.episode_id, step)}"
        if self.dataset is not None:
            yield str(self.provenance)
            root = str(self.dataset)
            for step in range(steps):
                yield f"{root}/{ui_tree_path(self.episode_id, step)}"


# Finding files.

_NO_FOLDER = (FileNotFoundError, NotADirectoryError)


def annotation_files(root: Path) -> list[Path]:
    return sorted((root / ANNOTATIONS).glob("*.json"))


def episode_ids(root: Path) -> frozenset[str]:
    """Ids by the names of the annotations. Raises DatasetError."""
    found = map(FILE_NAMES[ANNOTATIONS].fullmatch, names_in(root / ANNOTATIONS))
    return frozenset(match[1] for match in found if match)


def names_in(folder: Path) -> Iterator[str]:
    """File names without hidden ones; empty if there is no such folder. Raises DatasetError."""
    with storage_errors(folder, "read"), suppress(FileNotFoundError), os.scandir(folder) as entries:
        yield from (showable(entry.name) for entry in entries if entry.is_file() and not entry.name.startswith("."))


def statuses_in(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Episode ids with the status of their JSON files; empty if there is no such folder. Raises OSError."""
    with suppress(*_NO_FOLDER), os.scandir(folder) as entries:
        for entry in entries:
            if PER_EPISODE.fullmatch(entry.name):
                with suppress(FileNotFoundError):  # deleted meanwhile
                    status = entry.stat()
                    if stat.S_ISREG(status.st_mode):
                        yield entry.name[:16], status


def files_of(folder: Path, episode_id: str, *, ending: str = "") -> dict[str, Path]:
    """The files of an episode by path in the dataset, also those that no step names.

    In the folder their names have `ending` appended. Raises DatasetError.
    """
    whole = (annotation_path(episode_id), provenance_path(episode_id))
    found = {name: path for name in whole if (path := folder / (name + ending)).is_file()}
    for part in (SCREENSHOTS, UI_TREES):
        with storage_errors(folder / part, "read"), suppress(*_NO_FOLDER), os.scandir(folder / part) as entries:
            for entry in entries:
                name = entry.name.removesuffix(ending)
                match = FILE_NAMES[part].fullmatch(name)
                if match and match[1] == episode_id and entry.name == name + ending:
                    found[f"{part}/{name}"] = folder / part / entry.name
    return found


def read_dataset_file(path: Path, at_most: int, *, within: Path | None = None) -> bytes:
    """A file of the dataset or draft `within`, by default of the dataset that its path tells.

    Raises DatasetError, MissingFileError if there is no such file.
    """
    read = read_json if path.suffix == ".json" else read_file
    with storage_errors(path, "read"):
        return read(path, at_most, within=within or dataset_of(path))
