"""The roll of a dataset's episodes, kept up to date, and which of them are judged twice by the sample."""

from collections.abc import Callable, Iterable
from threading import Lock

from odyssey_recorder.dataset.opened import EpisodeSummary
from odyssey_recorder.dataset.published import DatasetChange, Following, PublishedEpisodes
from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.quality.reviewing.status import Policy, Stratum, sample
from odyssey_recorder.quality.reviewing.views import ReviewNews, ReviewRow


class Sample:
    """What is known of the episodes; the sample is drawn from all of them, those in the trash too. Thread-safe.

    An episode that is rejected leaves its place in the sample to no other: that one might be accepted by then.
    `policy`, `read_all` and `read_trash` may read files, and raise what they raise.
    """

    def __init__(
        self,
        policy: Callable[[], Policy],
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
        """Learn what is new; `is_all` says that nothing is left to be read. The ids that came into the sample, or left
        it."""
        with self._lock:
            self._summaries.update((one.episode_id, one) for one in read)
            for episode_id in gone:
                self._summaries.pop(episode_id, None)
            return self._draw() if is_all else frozenset()

    def summary(self, episode_id: str) -> EpisodeSummary | None:
        """What is known of an episode; None for one that is not on the roll."""
        with self._lock:
            return self._summaries.get(episode_id)

    def is_sampled(self, episode_id: str) -> bool | None:
        """Whether an episode is in the sample; None until all episodes are known."""
        with self._lock:
            return None if self._sampled is None else episode_id in self._sampled

    def complete(self) -> None:
        """Read all episodes now, unless they are known."""
        with self._lock:
            if self._sampled is None:
                self._summaries = {one.episode_id: one for one in self._read_all()}
                self._draw()

    def _draw(self) -> frozenset[str]:
        drawn = draw(self._summaries.values(), self._read_trash(), self._policy())
        before, self._sampled = self._sampled or frozenset(), drawn
        return before ^ drawn


def draw(present: Iterable[EpisodeSummary], trashed: Iterable[EpisodeSummary], policy: Policy) -> frozenset[str]:
    """The ids of the episodes that are judged twice, of those that can be read; `trashed`, the newest first, count too.

    Without the rejected ones the sample would forget the defects that it has found.
    """
    strata: dict[str, Stratum] = {}
    for one in (*present, *trashed):
        if not one.problem:
            strata.setdefault(one.episode_id, Stratum(one.category, one.device, one.annotator))
    return sample(strata, policy)


class ReviewFollowing:
    """The news of a dataset for its reviewer, until it is closed."""

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
        """Send the rows of these episodes again."""
        found = (self._sample.summary(episode_id) for episode_id in episode_ids)
        self._send(ReviewNews(tuple(self._row(summary) for summary in found if summary is not None)))

    def _hear(self, news: DatasetChange) -> None:
        try:
            moved = self._sample.take(news.read, news.gone, is_all=not news.unread)
        except OdysseyError as error:
            moved = frozenset()
            self._warn(str(error))  # until that is fixed, nobody knows who is judged twice: verdicts are refused
        rows = tuple(self._row(summary) for summary in news.read)
        self._send(ReviewNews(rows, news.gone, news.unread))
        if moved:
            self.tell(moved)

    def _send(self, news: ReviewNews) -> None:
        with self._lock:  # news of two threads come one after the other
            if not self.is_closed:
                self._take(news)
