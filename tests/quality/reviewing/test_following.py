"""The sample for second reviews, as episodes appear, change and disappear."""

from collections.abc import Iterable

from odyssey_recorder.dataset.opened import EpisodeSummary
from odyssey_recorder.quality.reviewing.following import Sample
from odyssey_recorder.quality.reviewing.status import ReviewPolicy

NONE: frozenset[str] = frozenset()


def of(number: int, annotator: str = "ann") -> EpisodeSummary:
    return EpisodeSummary(f"{number:016}", category="General_Tool", device="Small Phone", annotator=annotator)


def half() -> ReviewPolicy:
    return ReviewPolicy(seed=3, second_share=0.5)


def sample_of(episodes: Iterable[EpisodeSummary] = ()) -> Sample:
    return Sample(half, lambda: episodes)


def test_the_news_say_which_episodes_came_into_the_sample_once_all_are_known() -> None:
    sample = sample_of()
    episodes = [of(number) for number in range(10)]
    assert sample.take(episodes[:2], NONE, is_all=False) == NONE
    assert sample.is_sampled(of(1).episode_id) is None
    came = sample.take(episodes, NONE, is_all=True)
    assert len(came) == 5
    assert came == {one.episode_id for one in episodes if sample.is_sampled(one.episode_id)}


def test_an_episode_that_goes_leaves_the_sample_to_others() -> None:
    sample = sample_of()
    sampled = sample.take([of(number) for number in range(10)], NONE, is_all=True)
    gone = min(sampled)
    moved = sample.take([], frozenset({gone}), is_all=True)
    assert gone in moved
    assert not sample.is_sampled(gone)
    assert sample.summary(gone) is None


def test_it_is_completed_from_the_files_once_and_only_where_it_is_not() -> None:
    reads = iter([of(number) for number in range(4)])
    sample = sample_of(reads)
    sample.complete()
    assert sum(sample.is_sampled(of(number).episode_id) is True for number in range(4)) == 2
    sample.complete()
    assert sample.summary(of(3).episode_id) == of(3)


def test_an_episode_that_cannot_be_read_belongs_to_no_stratum() -> None:
    sample = sample_of()
    assert sample.take([EpisodeSummary("0" * 16, problem="it is no JSON")], NONE, is_all=True) == NONE


def test_an_episode_in_the_trash_keeps_its_place_in_the_sample() -> None:
    episodes = [of(number) for number in range(10)]
    trash: list[EpisodeSummary] = []
    sample = Sample(half, lambda: episodes, lambda: trash)
    sampled = sample.take(episodes, NONE, is_all=True)
    gone = min(sampled)
    trash.append(next(one for one in episodes if one.episode_id == gone))
    assert sample.take([], frozenset({gone}), is_all=True) == NONE
