"""Detects whether the files of an episode have changed, and lists the screenshots with its id."""

import os
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from odyssey_recorder.dataset.layout import EpisodeFiles, read_dataset_file
from odyssey_recorder.errors import DatasetError, showable
from odyssey_recorder.files import Largest

_NO_FIX = re.compile(rb'"kind": "(verdict|replay|move)"')
_SETTLED_S = 0.1
"""A folder may change twice within one tick of the file system's clock, but its time only once."""


def stamp_episode(files: EpisodeFiles, steps: int, beside: Iterable[str]) -> str:
    """Changes whenever one of the files does; `beside` are the names of all screenshots of the episode."""
    digest = blake2b("\0".join(beside).encode(errors="replace"), digest_size=16)
    for path in files.paths(steps):
        digest.update(f"|{stamp(path)}".encode())
    if files.review is not None:
        digest.update(_fixes(files.review))
    return digest.hexdigest()


def stamp(path: Path | str) -> str:
    """Size, modification time and inode of the file; empty if there is none."""
    try:
        known = os.stat(path)  # noqa: PTH116 - it may be text
    except OSError:
        return ""
    return f"{known.st_size} {known.st_mtime_ns} {known.st_ino}"


def _fixes(reviews: Path) -> bytes:
    """The lines of a review file that has fixes, without verdicts and moves, which do not affect findings."""
    try:
        data = read_dataset_file(reviews, Largest.REVIEWS)
    except DatasetError:
        return b""
    if b'"fix"' not in data:
        return b""
    return b"\n".join(line for line in data.splitlines() if _NO_FIX.search(line) is None)


class ScreenshotNames:
    """The names of a folder's screenshots by episode; the folder is listed again only after it has changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._listed_at = -1
        self._names: Mapping[str, Sequence[str]] = {}

    def of(self, episode_id: str) -> Sequence[str]:
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
