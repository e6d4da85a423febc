import hashlib
from contextlib import closing
from pathlib import Path

import pytest

from odyssey_recorder.agreement.reviewed import AllReviewed, Reviewed, Warned, read_reviewed
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.review.review import Decision, Verdict
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy, ReviewStage
from tests.checking.reviewed import publish
from tests.checking.verdicts import verdict

ONE, TWO, MISSING = (f"{number:016}" for number in (1, 2, 9))


@pytest.fixture
def store(tmp_path: Path) -> ReviewStore:
    publish(tmp_path, ONE)
    publish(tmp_path, TWO)
    store = ReviewStore(tmp_path)
    store.set_policy(ReviewPolicy(second_share=0.0))
    return store


def review(store: ReviewStore, root: Path, episode_id: str, reviewed: Verdict) -> None:
    data = (root / "annotations" / f"{episode_id}.json").read_bytes()
    store.append(episode_id, reviewed.model_copy(update={"revision": hashlib.sha256(data).hexdigest()}))


def read_all(root: Path, warned: Warned = lambda _: False) -> AllReviewed:
    with closing(EpisodeIndex(root, None)) as index:
        index.refresh()
        return read_reviewed(root, index.rows(), warned, index.sampled or ())


def by_id(root: Path) -> dict[str, Reviewed]:
    return {one.episode_id: one for one in read_all(root).episodes}


def test_all_episodes_are_read_reviewed_or_not(store: ReviewStore, tmp_path: Path) -> None:
    review(store, tmp_path, TWO, verdict("Bea"))
    read = read_all(tmp_path)
    assert [(one.episode_id, one.stage, len(one.verdicts)) for one in read.episodes] == [
        (ONE, ReviewStage.UNREVIEWED, 0),
        (TWO, ReviewStage.ACCEPTED, 1),
    ]
    assert not read.problems
    subject = read.episodes[0].subject
    assert (subject.recorder, subject.category, subject.device) == ("Ada", "Information_Management", "Small Phone")
    assert (subject.template, subject.steps) == ("Look up the weather in {}.", 8)


def test_sampled_and_warned_episodes_need_a_second_review(store: ReviewStore, tmp_path: Path) -> None:
    review(store, tmp_path, ONE, verdict("Bea"))
    one, _ = read_all(tmp_path, lambda episode_id: episode_id == ONE).episodes
    assert (one.is_sampled, one.stage) == (False, ReviewStage.SECOND)
    store.set_policy(ReviewPolicy(second_share=1.0))
    assert (by_id(tmp_path)[ONE].is_sampled, by_id(tmp_path)[ONE].stage) == (True, ReviewStage.SECOND)


def test_trashed_episode_counts_as_last_trashed(store: ReviewStore, tmp_path: Path) -> None:
    Trash(tmp_path).move(ONE)
    with publish(tmp_path, ONE).open("a") as file:
        file.write("\n")
    review(store, tmp_path, ONE, verdict("Bea", "fpp", Decision.REJECT))
    Trash(tmp_path).move(ONE)
    read = by_id(tmp_path)[ONE]
    assert (read.stage, read.subject.recorder) == (ReviewStage.REJECTED, "Ada")


def test_subject_falls_back_to_the_verdict(store: ReviewStore, tmp_path: Path) -> None:
    review(store, tmp_path, ONE, verdict("Bea", recorder="Ida"))
    (tmp_path / "provenance" / f"{ONE}.json").unlink()
    subject = by_id(tmp_path)[ONE].subject
    assert (subject.recorder, subject.device) == ("Ida", "Small Phone")


def test_unreadable_files_are_reported_and_skipped(store: ReviewStore, tmp_path: Path) -> None:
    reviews = tmp_path / "reviews"
    (reviews / f"{ONE}.json").write_text("{")
    (reviews / f"{TWO} (copy).json").write_text("{}")
    store.append(MISSING, verdict("Bea"))
    review(store, tmp_path, TWO, verdict("ada"))
    (tmp_path / "annotations" / "0000000000000003.json").write_text("[]")

    read = read_all(tmp_path)

    assert [one.stage for one in read.episodes] == [ReviewStage.UNREVIEWED] * 3
    problems = "\n".join(read.problems)
    assert f"There are reviews of the episode {MISSING}" in problems
    assert f"{TWO} (copy).json is a conflict copy" in problems
    assert "is by the annotator of the episode" in problems
    assert f"reviews/{ONE}.json" in problems
    assert "0000000000000003.json" in problems
