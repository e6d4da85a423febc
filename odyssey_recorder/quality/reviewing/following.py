"""The list of a dataset's episodes for its reviewer, kept up to date, and the sample for second reviews."""

from collections.abc import Callable, Iterable
from threading import Lock

from odyssey_recorder.dataset.opened import EpisodeSummary
from odyssey_recorder.dataset.published import DatasetChange, Following, PublishedEpisodes
from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.quality.reviewing.status import ReviewPolicy, Stratum, sample
from odyssey_recorder.quality.reviewing.views import ReviewNews, ReviewRow


class Sample:
    """The known episodes and the sample, which is drawn from all of them including the trash. Thread-safe.

    A rejected episode keeps its place in the sample: otherwise another one would take it that may be accepted by then.
    `policy`, `read_all` and `read_trash` may read files, and raise what they raise.
    """

    def __init__(
        self,
        policy: Callable[[], ReviewPolicy],
        read_all: Callable[[], Iterable[EpisodeSummary]],
        read_trash: Callable[[], Iterable[EpisodeSummary]] = tuple,
    ) -> None:
        self._policy = policy
        self._read_all = read_all
        self._read_trash = read_trash
        self._lock = Lock()
        self._summaries: dict[str, EpisodeSummary] = {}
        self._sampled: frozenset[str] | None = None  # None until all are known

    def take(self, read: Iterable[EpisodeSummary], gone: frozenset[str], *, is_all: bool) -> frozenset[str]:
        """`is_all`: none is left to be read. Returns the ids that entered or left the sample."""
        with self._lock:
            self._summaries.update((one.episode_id, one) for one in read)
            for episode_id in gone:
                self._summaries.pop(episode_id, None)
            return self._draw() if is_all else frozenset()

    def summary(self, episode_id: str) -> EpisodeSummary | None:
        with self._lock:
            return self._summaries.get(episode_id)

    def is_sampled(self, episode_id: str) -> bool | None:
        """None until all episodes are known."""
        with self._lock:
            return None if self._sampled is None else episode_id in self._sampled

    def complete(self) -> None:
        with self._lock:
            if self._sampled is None:
                self._summaries = {one.episode_id: one for one in self._read_all()}
                self._draw()

    def _draw(self) -> frozenset[str]:
        drawn = draw(self._summaries.values(), self._read_trash(), self._policy())
        before, self._sampled = self._sampled or frozenset(), drawn
        return before ^ drawn


def draw(present: Iterable[EpisodeSummary], trashed: Iterable[EpisodeSummary], policy: ReviewPolicy) -> frozenset[str]:
    """`trashed`, newest first, counts too: without it the sample would forget the defects that it has found."""
    strata: dict[str, Stratum] = {}
    for one in (*present, *trashed):
        if not one.problem:
            strata.setdefault(one.episode_id, Stratum(one.category, one.device, one.annotator))
    return sample(strata, policy)


class ReviewFollowing:
    def __init__(
        self,
        sample: Sample,
        row: Callable[[EpisodeSummary], ReviewRow],
        take: Callable[[ReviewNews], object],
    ) -> None:
        self._sample = sample
        self._row = row
        self._take = take
        self._lock = Lock()
        self._warn: Callable[[str], object] = lambda _: None
        self._episodes: Following | None = None
        self.is_closed = False

    def begin(self, published: PublishedEpisodes, warn: Callable[[str], object]) -> None:
        self._warn = warn
        self._episodes = published.follow(self._hear, warn)

    def close(self) -> None:
        self.is_closed = True
        if self._episodes is not None:
            self._episodes.close()

    def tell(self, episode_ids: Iterable[str]) -> None:
        found = (self._sample.summary(episode_id) for episode_id in episode_ids)
        self._send(ReviewNews(tuple(self._row(summary) for summary in found if summary is not None)))

    def _hear(self, news: DatasetChange) -> None:
        try:
            moved = self._sample.take(news.read, news.gone, is_all=not news.unread)
        except OdysseyError as error:
            moved = frozenset()
            self._warn(str(error))  # until that is fixed, the sample is unknown and verdicts are refused
        rows = tuple(self._row(summary) for summary in news.read)
        self._send(ReviewNews(rows, news.gone, news.unread))
        if moved:
            self.tell(moved)

    def _send(self, news: ReviewNews) -> None:
        with self._lock:  # changes of two threads are reported one after the other
            if not self.is_closed:
                self._take(news)
