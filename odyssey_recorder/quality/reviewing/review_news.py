"""How a reviewer hears of the episodes of a dataset: as their files change, and as others judge and check them."""

from collections.abc import Callable, Iterable
from threading import Lock

from odyssey_recorder.dataset.published import DatasetChange, Following, PublishedEpisodes
from odyssey_recorder.dataset.summaries import EpisodeSummary
from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.quality.reviewing.sample import Sample
from odyssey_recorder.quality.reviewing.views import ReviewNews, ReviewRow


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
        """Follow the files."""
        self._warn = warn
        self._episodes = published.follow(self._hear, warn)

    def close(self) -> None:
        """Tell nothing more."""
        self.is_closed = True
        if self._episodes is not None:
            self._episodes.close()

    def tell(self, episode_ids: Iterable[str]) -> None:
        """Tell anew how these stand."""
        found = (self._sample.summary(episode_id) for episode_id in episode_ids)
        self._send(ReviewNews(tuple(self._row(summary) for summary in found if summary is not None)))

    def _hear(self, news: DatasetChange) -> None:
        try:
            moved = self._sample.take(news.read, news.gone, is_all=not news.unread)
        except OdysseyError as error:
            moved = frozenset()
            self._warn(str(error))  # until that is mended, nobody knows who is judged twice: verdicts are refused
        rows = tuple(self._row(summary) for summary in news.read)
        self._send(ReviewNews(rows, news.gone, news.unread))
        if moved:
            self.tell(moved)

    def _send(self, news: ReviewNews) -> None:
        with self._lock:  # news of two threads come one after the other
            if not self.is_closed:
                self._take(news)
