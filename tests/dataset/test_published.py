import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.published import DatasetChange, Following, PublishedEpisodes
from odyssey_recorder.dataset.watch import WatchRules
from odyssey_recorder.errors import InvalidEpisodeError
from tests.episodes import ID, episode

PATIENCE_S = 10.0


class Shown:
    def __init__(self) -> None:
        self.instructions: dict[str, str] = {}
        self.news: list[DatasetChange] = []
        self._condition = threading.Condition()

    def take(self, news: DatasetChange) -> None:
        with self._condition:
            self.news.append(news)
            self.instructions.update({one.episode_id: one.instruction for one in news.read})
            for gone in news.gone:
                del self.instructions[gone]
            self._condition.notify_all()

    def wait_for(self, wanted: Callable[[], bool]) -> None:
        with self._condition:
            assert self._condition.wait_for(wanted, PATIENCE_S), self.news


@pytest.fixture
def published(tmp_path: Path) -> PublishedEpisodes:
    (tmp_path / "annotations").mkdir()
    (tmp_path / "provenance").mkdir()
    write_episode(tmp_path / "annotations" / f"{ID}.json", episode())
    return PublishedEpisodes(tmp_path, WatchRules(unnoticed_s=0.02))


@pytest.fixture
def shown() -> Shown:
    return Shown()


@pytest.fixture
def following(published: PublishedEpisodes, shown: Shown) -> Iterator[Following]:
    begun = published.follow(shown.take, lambda _: None)
    yield begun
    begun.close()


def test_the_news_begin_with_how_many_there_are_and_then_say_what_they_are(following: Following, shown: Shown) -> None:
    shown.wait_for(lambda: ID in shown.instructions)
    assert shown.news[0] == DatasetChange(unread=1)
    assert (shown.news[1].unread, shown.instructions[ID]) == (0, "Use Chrome to look up the weather in Beijing.")


def test_what_others_do_to_the_folder_is_news(following: Following, shown: Shown, published: PublishedEpisodes) -> None:
    shown.wait_for(lambda: ID in shown.instructions)
    path = published.root / "annotations" / f"{ID}.json"
    path.write_text(path.read_text().replace("Use Chrome", "Open Chrome"))
    shown.wait_for(lambda: shown.instructions[ID].startswith("Open Chrome"))
    path.unlink()
    shown.wait_for(lambda: not shown.instructions)


def test_an_episode_is_opened_with_its_files_whatever_its_proof_is(published: PublishedEpisodes) -> None:
    opened = published.open(ID)
    assert opened.episode == episode()
    assert opened.files.annotation == published.root / "annotations" / f"{ID}.json"
    assert (opened.provenance, opened.problem) == (None, "")
    (published.root / "provenance" / f"{ID}.json").write_text("{")
    opened = published.open(ID)
    assert (opened.episode, opened.provenance) == (episode(), None)
    assert "is not a provenance file" in opened.problem
    (published.root / "annotations" / f"{ID}.json").write_text("{}")
    with pytest.raises(InvalidEpisodeError, match="episode_id is missing"):
        published.open(ID)
