"""The published episodes of one dataset folder, as somebody sees them who only looks: news of all, and one in full."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from odyssey_recorder.dataset.durable import storage_error
from odyssey_recorder.dataset.lenient import read_damaged
from odyssey_recorder.dataset.provenance import EpisodeProvenance
from odyssey_recorder.dataset.store import read_provenance
from odyssey_recorder.dataset.summaries import EpisodeSummary, read_annotation, summarise
from odyssey_recorder.dataset.watch import PROOFS, Changes, DatasetWatch, WatchRules
from odyssey_recorder.errors import DatasetError, InvalidEpisodeError
from odyssey_recorder.files import Largest, read_json
from odyssey_recorder.model.episode import DeviceInfo, Episode, TaskInfo
from odyssey_recorder.model.geometry import Size

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


@dataclass(frozen=True, slots=True)
class OpenedEpisode:
    """One episode in full; `proof` is None where there is none, or where it cannot be read: then `problem` says why.

    `damage` says why the annotation cannot be read: then the episode is what could be understood, perhaps without an
    end, perhaps without any step. It is empty where all is well.
    """

    episode: Episode
    annotation: Path
    screenshots: Path
    proof: EpisodeProvenance | None
    problem: str = ""
    damage: str = ""


class PublishedEpisodes:
    """One dataset folder, which need not be there yet; `beside` are the folders whose files make news, too."""

    def __init__(self, root: Path, rules: WatchRules = _RULES, *, beside: Sequence[str] = PROOFS) -> None:
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
        return self._opened(episode_id, read_annotation(self._annotation(episode_id)))

    def open_damaged(self, episode_id: str) -> OpenedEpisode:
        """The same of one whose annotation may be damaged. Raises DatasetError where the file cannot be read at all."""
        try:
            return self.open(episode_id)
        except InvalidEpisodeError as error:
            understood = read_damaged(self._read(episode_id), episode_id)
            nothing = Episode(episode_id, DeviceInfo("", Size(1, 1)), TaskInfo("", (), "", "", ""), ())
            return replace(self._opened(episode_id, understood or nothing), damage=str(error))

    def _read(self, episode_id: str) -> bytes:
        path = self._annotation(episode_id)
        try:
            return read_json(path, Largest.ANNOTATION, within=self.root)
        except OSError as error:
            raise storage_error(error, path, "read") from error

    def _annotation(self, episode_id: str) -> Path:
        return self.root / "annotations" / f"{episode_id}.json"

    def _opened(self, episode_id: str, episode: Episode) -> OpenedEpisode:
        proof, problem = None, ""
        try:
            proof = read_provenance(self.root / "provenance" / f"{episode_id}.json")
        except DatasetError as error:
            problem = str(error)
        return OpenedEpisode(episode, self._annotation(episode_id), self.root / "screenshots", proof, problem)


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
