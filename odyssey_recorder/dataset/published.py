"""The published episodes of one dataset folder, as somebody sees them who only looks: news of all, and one in full."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.dataset.layout import PROVENANCE
from odyssey_recorder.dataset.opened import EpisodeSummary, OpenedEpisode, open_damaged, open_published, summarise
from odyssey_recorder.dataset.watch import Changes, DatasetWatch, WatchRules

_AT_A_TIME = 500
_BREATH_S = 0.0002
"""So long every other thread may run between two episodes: whoever shows the news must not wait for the reader."""
_RULES = WatchRules()


@dataclass(frozen=True, slots=True)
class DatasetChange:
    """What has become of some episodes since the last news; `unread` is how many more are being read."""

    read: tuple[EpisodeSummary, ...] = ()
    gone: frozenset[str] = frozenset()
    unread: int = 0


class PublishedEpisodes:
    """One dataset folder, which need not be there yet; `beside` are the folders whose files make news, too."""

    def __init__(self, root: Path, rules: WatchRules = _RULES, *, beside: Sequence[str] = (PROVENANCE,)) -> None:
        self.root = root.absolute()
        self._rules = rules
        self._beside = beside

    def follow(self, take: Callable[[DatasetChange], object], warn: Callable[[str], object]) -> "Following":
        """Begin to tell `take`, from a thread of its own, of every episode there is and what becomes of them.

        `warn` is called with words for the annotator where the system cannot give notice of changes.
        """

        def watch(tell: Callable[[Changes], object]) -> DatasetWatch:
            return DatasetWatch(self.root, tell, warn, self._rules, beside=self._beside)

        return Following(self.root, take, watch)

    def open(self, episode_id: str) -> OpenedEpisode:
        """One episode in full. Raises DatasetError."""
        return open_published(self.root, episode_id)

    def open_damaged(self, episode_id: str) -> OpenedEpisode:
        """The same of one whose annotation may be damaged. Raises DatasetError where the file cannot be read at all."""
        return open_damaged(self.root, episode_id)


class Following:
    """The news of one dataset folder, until it is closed."""

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
        """Tell nothing more."""
        self._closed.set()
        self._watch.close()

    def _read(self, changes: Changes) -> None:
        """Tell what has changed, a part at a time; called from the thread of the watch, so one change after another."""
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
