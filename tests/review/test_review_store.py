"""The review folder: entries of several windows and computers, and the episodes sent back to the queue."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from filelock import FileLock

from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.review.review import Move, Reopening, ReviewFile
from odyssey_recorder.review.review_log import ReviewLog
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from odyssey_recorder.tasks.queue.task_status import SentBack
from tests.checking.verdicts import BEGIN, verdict
from tests.dataset.drafts import provenance_of, write_provenance

ONE, OTHER = "1111111111111111", "2222222222222222"


@pytest.fixture
def store(tmp_path: Path) -> ReviewStore:
    return ReviewStore(tmp_path)


def _by(file: ReviewFile) -> list[str]:
    return [entry.by for entry in file.entries]


def test_dataset_without_reviews_is_empty(store: ReviewStore, tmp_path: Path) -> None:
    assert (store.ids(), store.copies(), store.read(ONE), store.sent_back("ada ")) == ([], [], ReviewFile(ONE), {})
    assert list(tmp_path.iterdir()) == []


def test_appended_entry_is_stored_once_for_everyone(store: ReviewStore, tmp_path: Path) -> None:
    store.append(ONE, verdict("Bea"))
    assert _by(store.append(ONE, verdict("Cem", minute=1))) == ["Bea", "Cem"]
    assert _by(ReviewStore(tmp_path).read(ONE)) == ["Bea", "Cem"]
    assert store.ids() == [ONE]
    path = tmp_path / "reviews" / f"{ONE}.json"
    before = path.stat().st_ino
    store.append(ONE, verdict("Bea"))
    assert path.stat().st_ino == before


def test_git_union_merge_is_configured_unless_overridden(store: ReviewStore, tmp_path: Path) -> None:
    store.append(ONE, verdict("Bea"))
    attributes = tmp_path / "reviews" / ".gitattributes"
    assert "/*.json merge=union\n" in attributes.read_text()
    assert ".lock" in (tmp_path / "reviews" / ".gitignore").read_text()
    attributes.write_text("* -text\n")
    store.append(ONE, verdict("Cem", minute=1))
    assert attributes.read_text() == "* -text\n"


def test_concurrent_appends_lose_nothing(tmp_path: Path) -> None:
    def review(number: int) -> None:
        ReviewStore(tmp_path).append(ONE, verdict(f"Reviewer {number}", minute=number))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(review, range(24)))
    assert _by(ReviewStore(tmp_path).read(ONE)) == [f"Reviewer {number}" for number in range(24)]


def test_broken_file_is_partly_read_and_never_overwritten(store: ReviewStore, tmp_path: Path) -> None:
    store.append(ONE, verdict("Bea"))
    path = tmp_path / "reviews" / f"{ONE}.json"
    broken = path.read_bytes().replace(b"null]}", b'{"by": "Cem", "decision": "acc')
    path.write_bytes(broken)
    with pytest.raises(ReviewError, match=rf"{ONE}\.json: line 4, column 31: .*Nothing is written"):
        store.append(ONE, verdict("Dan", minute=1))
    assert path.read_bytes() == broken
    assert _by(store.read(ONE)) == ["Bea"]


@pytest.mark.parametrize("name", ["", "../0123456789012345", "policy", "12345", "\uff11" * 16])
def test_invalid_episode_id_is_rejected(store: ReviewStore, name: str) -> None:
    with pytest.raises(DatasetError, match="is not an episode's id"):
        store.read(name)


def test_missing_dataset_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="is missing"):
        ReviewStore(tmp_path / "gone").append(ONE, verdict("Bea"))
    assert not (tmp_path / "gone").exists()


def test_policy_has_defaults_and_keeps_unknown_keys(store: ReviewStore, tmp_path: Path) -> None:
    assert store.policy() == ReviewPolicy(seed=0, second_share=0.1)
    path = tmp_path / "reviews" / "policy.json"
    path.parent.mkdir()
    path.write_text('{"second_share": 1, "lead": "Zoë"}')
    assert store.policy() == ReviewPolicy(0, 1.0)
    store.set_policy(ReviewPolicy(3, 0.5))
    assert json.loads(path.read_text()) == {"format": 1, "seed": 3, "second_share": 0.5, "lead": "Zoë"}
    assert ReviewStore(tmp_path).policy() == ReviewPolicy(3, 0.5)
    assert store.ids() == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"second_share": 2}', r"policy\.json: second_share: .*less than or equal to 1; found 2"),
        ('{"seed": "x"}', r"policy\.json: seed: .*valid integer; found 'x'"),
        ('{"format": 2}', r"policy\.json: format: "),
        ("{", r"policy\.json: line 1.*delete it to use the default rules"),
        ("[]", r"policy\.json: .*found \[\]"),
    ],
)
def test_broken_policy_is_named(store: ReviewStore, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "reviews").mkdir()
    (tmp_path / "reviews" / "policy.json").write_text(text)
    with pytest.raises(ReviewError, match=words):
        store.policy()


def _send_back(store: ReviewStore, episode_id: str, why: str = "A step is missing, at step 3") -> None:
    store.append(episode_id, Move(id="a" * 32, at=BEGIN, by="Bea", to="annotator", why=why))


def _write_provenance(root: Path, episode_id: str, *, task_id: str) -> None:
    write_provenance(root, provenance_of(episode_id, annotator="Ada", task_id=task_id))


def test_recorder_gets_the_task_back_with_reviewer_and_reason(store: ReviewStore, tmp_path: Path) -> None:
    _write_provenance(tmp_path, ONE, task_id="shop-1")
    _write_provenance(tmp_path, OTHER, task_id="shop-2")
    store.append(OTHER, verdict("Bea", "pfp"))
    assert store.sent_back("ada ") == {}
    _send_back(store, ONE)
    why = "A step is missing, at step 3"
    thread = (f"Bea, {BEGIN.astimezone():%Y-%m-%d %H:%M}: {why}",)
    assert store.sent_back("ada ") == {ONE: SentBack("shop-1", "Bea", why, thread)}
    assert store.sent_back("Bea") == {}
    _send_back(store, OTHER, why="  ")
    assert store.sent_back("Ada")[OTHER].why == "A reviewer sent it back"


def test_episode_whose_verdict_is_taken_back_is_no_longer_sent_back(store: ReviewStore, tmp_path: Path) -> None:
    _write_provenance(tmp_path, ONE, task_id="shop-1")
    store.append(ONE, verdict("Bea", "pfp"))
    _send_back(store, ONE)
    assert (list(store.sent_back("Ada")), store.reopened([ONE])) == ([ONE], {})
    taken_back = store.read(ONE).verdicts[0].id
    at = BEGIN + timedelta(minutes=1)
    store.append(ONE, Reopening(id="b" * 32, at=at, by="Bea", verdict=taken_back))
    assert (store.sent_back("Ada"), store.reopened([ONE])) == ({}, {ONE: "Bea"})
    store.append(ONE, Move(id="c" * 32, at=at + timedelta(minutes=1), by="Bea", to="annotator", why="still"))
    assert (store.sent_back("Ada")[ONE].why, store.reopened([ONE])) == ("still", {})


def test_withdrawn_episode_gives_its_task_back_until_it_is_restored(store: ReviewStore, tmp_path: Path) -> None:
    log = ReviewLog(tmp_path, lambda: "Ada")
    _write_provenance(tmp_path, ONE, task_id="shop-1")
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / f"{ONE}.json").write_text("{}")
    log.withdraw_episode(ONE, "blurred")
    assert not (tmp_path / "provenance" / f"{ONE}.json").exists()
    assert store.sent_back("ada ") == {ONE: SentBack("shop-1", "Ada", "blurred")}
    log.restore(ONE, "")
    assert (store.sent_back("ada "), store.reopened([ONE])) == ({}, {ONE: "Ada"})
    store.append(ONE, verdict("Bea", "pff"))
    log.trash.move(ONE)
    assert store.sent_back("ada ") == {}, "a rejected episode stays with its reviewer"


def test_episode_without_a_task_is_not_sent_back(store: ReviewStore, tmp_path: Path) -> None:
    _write_provenance(tmp_path, ONE, task_id="")
    _send_back(store, ONE)
    _send_back(store, OTHER)  # without provenance
    assert store.sent_back("ada ") == {}


def test_changes_by_another_computer_are_noticed(store: ReviewStore, tmp_path: Path) -> None:
    store.append(ONE, verdict("Bea"))
    assert store.sent_back("ada ") == {}
    _send_back(ReviewStore(tmp_path), ONE)
    assert store.sent_back("ada ") == {}, "annotator unknown"
    _write_provenance(tmp_path, ONE, task_id="shop-1")
    (tmp_path / "reviews" / f"{OTHER}.json").write_text('{"annotator')
    (tmp_path / "provenance" / f"{OTHER}.json").write_text("{")
    assert list(store.sent_back("ada ")) == [ONE], "a broken file keeps no other task from coming back"
    (tmp_path / "reviews" / f"{ONE}.json").unlink()
    assert store.sent_back("ada ") == {}


def test_episode_is_accepted_if_all_reviewers_accept_it(store: ReviewStore) -> None:
    both = {ONE, OTHER}
    assert store.accepted(both) == {}
    store.append(ONE, verdict("Bea"))
    store.append(OTHER, verdict("Bea", "pfp"))
    assert store.accepted(both) == {ONE: "Bea"}
    assert store.accepted([OTHER]) == {}
    store.append(ONE, verdict("Cleo", "pfp"))
    assert store.accepted(both) == {}


def test_reviews_that_are_not_a_folder_are_an_error(store: ReviewStore, tmp_path: Path) -> None:
    (tmp_path / "reviews").write_text("a file")
    for access in (store.ids, lambda: store.read(ONE), store.policy, lambda: store.append(ONE, verdict("Bea"))):
        with pytest.raises(DatasetError, match=r"reviews.* cannot be (read|created)"):
            access()


def test_append_to_a_locked_folder_is_rejected(store: ReviewStore, tmp_path: Path) -> None:
    store.append(ONE, verdict("Bea"))
    other = ReviewStore(tmp_path, patience_s=0.0)
    with FileLock(tmp_path / "reviews" / ".lock"), pytest.raises(ReviewError, match="Another program is writing"):
        other.append(ONE, verdict("Cem", minute=1))
    assert _by(store.read(ONE)) == ["Bea"]
