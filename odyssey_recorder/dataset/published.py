"""Read access to the published episodes of one dataset folder: changes of all, and one in full."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.dataset.codec import read_annotation
from odyssey_recorder.dataset.layout import PROVENANCE, annotation_path
from odyssey_recorder.dataset.opened import EpisodeSummary, OpenedEpisode, open_damaged, opened, summarise
from odyssey_recorder.dataset.watch import Changes, DatasetWatch, WatchRules

_AT_A_TIME = 500
_BREATH_S = 0.0002
"""Pause between two episodes for other threads: the GUI must not wait for the reader."""
_RULES = WatchRules()


@dataclass(frozen=True, slots=True)
class DatasetChange:
    """Changes since the last one; `unread` is how many episodes are still being read."""

    read: tuple[EpisodeSummary, ...] = ()
    gone: frozenset[str] = frozenset()
    unread: int = 0


class PublishedEpisodes:
    """One dataset folder, which need not exist yet; changes in the folders `beside` count as changes of an episode."""

    def __init__(self, root: Path, rules: WatchRules = _RULES, *, beside: Sequence[str] = (PROVENANCE,)) -> None:
        self.root = root.absolute()
        self._rules = rules
        self._beside = beside

    def follow(self, take: Callable[[DatasetChange], object], warn: Callable[[str], object]) -> "Following":
        """Report all episodes to `take`, then every change; called from a thread of its own.

        `warn` gets a message for the annotator if the system cannot report file changes.
        """

        return Following(
            self.root, take, lambda tell: DatasetWatch(self.root, tell, warn, self._rules, beside=self._beside)
        )

    def open(self, episode_id: str) -> OpenedEpisode:
        """Raises DatasetError."""
        annotation = self.root / annotation_path(episode_id)
        return opened(annotation, read_annotation(annotation))

    def open_damaged(self, episode_id: str) -> OpenedEpisode:
        """Like `open` for a damaged annotation too. Raises DatasetError if the file cannot be read at all."""
        return open_damaged(self.root / annotation_path(episode_id))


class Following:
    def __init__(
        self,
        root: Path,
        take: Callable[[DatasetChange], object],
        watch: Callable[[Callable[[Changes], object]], DatasetWatch],
    ) -> None:
        self._root = root
        self._take = take
        self._closed = threading.Event()
        self._watch = watch(self._read)

    def close(self) -> None:
        self._closed.set()
        self._watch.close()

    def _read(self, changes: Changes) -> None:
        """Report changes in parts. Called from the watch's thread, so one change at a time."""
        wanted = sorted(changes.added | changes.changed, reverse=True)
        self._tell(DatasetChange(gone=changes.removed, unread=len(wanted)))
        while wanted and not self._closed.is_set():
            part, wanted = wanted[:_AT_A_TIME], wanted[_AT_A_TIME:]
            found = [self._summarise(episode_id) for episode_id in part]
            self._tell(DatasetChange(tuple(filter(None, found)), unread=len(wanted)))

    def _summarise(self, episode_id: str) -> EpisodeSummary | None:
        time.sleep(_BREATH_S)
        return summarise(self._root, episode_id)

    def _tell(self, news: DatasetChange) -> None:
        if not self._closed.is_set():
            self._take(news)
