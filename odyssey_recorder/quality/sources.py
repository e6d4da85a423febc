"""Which files belong to an episode, whether they have changed since they were last looked at, and how they are read.

No name that a file tells becomes a path: all names are made from the episode's id, or from the annotation's own name.
"""

import os
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from odyssey_recorder.dataset.durable import dataset_of, storage_error
from odyssey_recorder.dataset.provenance import UI_TREES, ui_tree_name
from odyssey_recorder.errors import DatasetError, showable
from odyssey_recorder.files import Largest, read_file, read_json
from odyssey_recorder.model.episode import is_episode_id, screenshot_name

_NO_FIX = re.compile(rb'"kind": "(verdict|replay|move)"')
_SETTLED_S = 0.1
"""The clock of a file system ticks so coarsely: a folder may change twice in a tick, and its time but once."""


@dataclass(frozen=True, slots=True)
class EpisodeFiles:
    """The files of the episode with this annotation file.

    In a dataset (``annotations/<id>.json``) screenshots, provenance and view trees are in folders beside
    ``annotations/``; the screenshots of a lone file lie where it does, and it has nothing else.
    """

    annotation: Path

    @property
    def dataset(self) -> Path | None:
        """The dataset folder; None for a lone file."""
        return dataset_of(self.annotation)

    @property
    def pictures(self) -> Path:
        """The folder with the screenshots."""
        return self.annotation.parent if self.dataset is None else self.dataset / "screenshots"

    @property
    def provenance(self) -> Path | None:
        """The file with the proof, whether it is there or not."""
        return None if self.dataset is None else self.dataset / "provenance" / self.annotation.name

    @property
    def reviews(self) -> Path | None:
        """The file with what reviewers did, whether it is there or not."""
        return None if self.dataset is None else self.dataset / "reviews" / self.annotation.name

    def has_lost_proof(self, name: str, steps: int) -> bool:
        """Whether a dataset of recordings lacks the proof of this one, of which it has view trees."""
        proof = self.provenance
        if proof is None or proof.exists() or not proof.parent.is_dir():
            return False
        return any(tree is not None and tree.is_file() for tree in (self.tree(name, step) for step in range(steps)))

    def named(self, told: str) -> str:
        """The id that its files are named after: that of the annotation's name, otherwise the one that is `told`."""
        stem = self.annotation.stem
        return told if is_episode_id(told) and not is_episode_id(stem) else showable(stem)

    def screenshot(self, name: str, step: int) -> Path:
        """The screenshot of a step of the episode whose files are named after `name`."""
        return self.pictures / screenshot_name(name, step)

    def tree(self, name: str, step: int) -> Path | None:
        """The view tree of a step; None where there can be none."""
        return None if self.dataset is None else self.dataset / UI_TREES / ui_tree_name(name, step)

    def stamp(self, name: str, steps: int, beside: Iterable[str]) -> str:
        """What changes as soon as one of the files does; `beside` are the names of all screenshots of the episode."""
        digest = blake2b("\0".join(beside).encode(errors="replace"), digest_size=16)
        for path in self._all(name, steps):
            digest.update(f"|{stamp(path)}".encode())
        if self.reviews is not None:
            digest.update(_fixes(self.reviews))
        return digest.hexdigest()

    def _all(self, name: str, steps: int) -> Iterator[str]:
        """The paths of all files, as text: of ten thousand episodes there are 300,000, and a Path takes its time."""
        yield str(self.annotation)
        pictures, dataset = str(self.pictures), self.dataset
        for step in range(steps):
            yield os.path.join(pictures, screenshot_name(name, step))  # noqa: PTH118
        if dataset is not None:
            yield str(self.provenance)
            trees = str(dataset / UI_TREES)
            for step in range(steps):
                yield os.path.join(trees, ui_tree_name(name, step))  # noqa: PTH118


def stamp(path: Path | str) -> str:
    """Size, time of the last change and inode of the file at `path`; empty where there is none."""
    try:
        known = os.stat(path)  # noqa: PTH116 - it may be text
    except OSError:
        return ""
    return f"{known.st_size} {known.st_mtime_ns} {known.st_ino}"


def _fixes(reviews: Path) -> bytes:
    """The lines of a review file that has fixes, without verdicts and moves, which change nothing of what is found."""
    try:
        data = read_evidence(reviews, Largest.REVIEWS)
    except (FileNotFoundError, DatasetError):
        return b""
    if b'"fix"' not in data:
        return b""
    return b"\n".join(line for line in data.splitlines() if _NO_FIX.search(line) is None)


def read_evidence(path: Path, at_most: int) -> bytes:
    """The bytes of a file of an episode. Raises FileNotFoundError, DatasetError."""
    try:
        read = read_json if path.suffix == ".json" else read_file
        return read(path, at_most, within=dataset_of(path))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise storage_error(error, path, "read") from error


class ScreenshotNames:
    """The names of the screenshots of a folder, by episode; the folder is listed again only after it has changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._listed_at = -1
        self._names: Mapping[str, Sequence[str]] = {}

    def of(self, episode_id: str) -> Sequence[str]:
        """The names of all files that begin with the id and an underscore, sorted."""
        try:
            changed_at = self._folder.stat().st_mtime_ns
            if changed_at != self._listed_at:
                self._names = _by_episode(self._folder)
                self._listed_at = changed_at if time.time_ns() - changed_at > _SETTLED_S * 1e9 else -1
        except OSError:
            self._names, self._listed_at = {}, -1
        return self._names.get(episode_id, ())


def _by_episode(folder: Path) -> Mapping[str, Sequence[str]]:
    names: defaultdict[str, list[str]] = defaultdict(list)
    with os.scandir(folder) as entries:
        for entry in entries:
            episode_id, underscore, _ = entry.name.partition("_")
            if underscore:
                names[episode_id].append(showable(entry.name))
    return {episode_id: sorted(found) for episode_id, found in names.items()}
