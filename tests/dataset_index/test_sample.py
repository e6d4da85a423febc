"""The sample for second reviews, as episodes appear, change and disappear."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.review.review import Decision
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from tests.checking.reviewed import publish
from tests.checking.verdicts import verdict


def id_of(number: int) -> str:
    return f"{number:016}"


@pytest.fixture
def index(tmp_path: Path) -> Iterator[EpisodeIndex]:
    """Of ten episodes, half of which are drawn."""
    for number in range(10):
        publish(tmp_path, id_of(number))
    ReviewStore(tmp_path).set_policy(ReviewPolicy(seed=3, second_share=0.5))
    with closing(EpisodeIndex(tmp_path, None)) as opened:
        yield opened


def drawn(index: EpisodeIndex) -> frozenset[str]:
    index.refresh()
    assert index.sampled is not None
    return index.sampled


def test_sample_is_unknown_until_all_episodes_are_read(index: EpisodeIndex) -> None:
    assert index.is_sampled(id_of(1)) is None
    assert len(drawn(index)) == 5
    assert sum(index.is_sampled(id_of(number)) is True for number in range(10)) == 5


def test_deleted_episode_leaves_the_sample(index: EpisodeIndex) -> None:
    gone, *others = drawn(index)
    (index.root / "annotations" / f"{gone}.json").unlink()
    assert gone not in drawn(index)
    assert drawn(index) > {*others}


def test_trashed_episode_stays_in_the_sample_if_it_was_judged(index: EpisodeIndex) -> None:
    before = drawn(index)
    rejected, withdrawn, *_ = sorted(before)
    ReviewStore(index.root).append(rejected, verdict("Bea", "fpp", Decision.REJECT))
    Trash(index.root).move(rejected)
    assert drawn(index) == before
    Trash(index.root).move(withdrawn)
    assert withdrawn not in drawn(index)
    assert len(drawn(index)) == 5, "another one takes the place"


def test_unreadable_episodes_are_not_sampled(index: EpisodeIndex) -> None:
    for number in range(10):
        (index.root / "annotations" / f"{id_of(number)}.json").write_text("[]")
    assert drawn(index) == frozenset()


def test_unreadable_policy_is_a_problem_until_repaired(index: EpisodeIndex) -> None:
    policy = index.root / "reviews" / "policy.json"
    policy.write_text('{"second_share": 7}')
    index.refresh()
    assert index.is_sampled(id_of(1)) is None
    assert "policy.json: second_share" in index.sample_problem
    policy.unlink()
    assert (len(drawn(index)), index.sample_problem) == (1, "")
