"""The review folder: entries of several windows and computers, and what the queue is told."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

from odyssey_recorder.dataset.entry_file import spell
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.quality.reviewing.review import Move, ReviewFile
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from odyssey_recorder.task.queue.board import SentBack
from tests.dataset.drafts import provenance_of, write_provenance
from tests.quality.verdicts import BEGIN, verdict

ONE, OTHER = "1111111111111111", "2222222222222222"


@pytest.fixture
def store(tmp_path: Path) -> ReviewStore:
    return ReviewStore(tmp_path)


def _by(file: ReviewFile) -> list[str]:
    return [entry.by for entry in file.entries]


def test_a_dataset_without_reviews_has_none(store: ReviewStore, tmp_path: Path) -> None:
    assert (store.ids(), store.copies(), store.read(ONE), store.sent_back("ada ")) == ([], [], ReviewFile(ONE), {})
    assert list(tmp_path.iterdir()) == []


def test_what_is_appended_is_there_for_everybody_and_not_written_twice(store: ReviewStore, tmp_path: Path) -> None:
    store.append(ONE, verdict("Bea"))
    assert _by(store.append(ONE, verdict("Cem", minute=1))) == ["Bea", "Cem"]
    assert _by(ReviewStore(tmp_path).read(ONE)) == ["Bea", "Cem"]
    assert store.ids() == [ONE]
    path = tmp_path / "reviews" / f"{ONE}.json"
    before = path.stat().st_ino
    store.append(ONE, verdict("Bea"))
    assert path.stat().st_ino == before


def test_git_is_told_to_unite_the_files_unless_somebody_told_it_otherwise(store: ReviewStore, tmp_path: Path) -> None:
    store.append(ONE, verdict("Bea"))
    attributes = tmp_path / "reviews" / ".gitattributes"
    assert "/*.json merge=union\n" in attributes.read_text()
    assert ".lock" in (tmp_path / "reviews" / ".gitignore").read_text()
    attributes.write_text("* -text\n")
    store.append(ONE, verdict("Cem", minute=1))
    assert attributes.read_text() == "* -text\n"


def test_many_windows_at_once_lose_nothing(tmp_path: Path) -> None:
    def review(number: int) -> None:
        ReviewStore(tmp_path).append(ONE, verdict(f"Reviewer {number}", minute=number))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(review, range(24)))
    assert _by(ReviewStore(tmp_path).read(ONE)) == [f"Reviewer {number}" for number in range(24)]


def test_a_broken_file_is_read_as_far_as_it_goes_and_never_written_over(store: ReviewStore, tmp_path: Path) -> None:
    store.append(ONE, verdict("Bea"))
    path = tmp_path / "reviews" / f"{ONE}.json"
    broken = path.read_bytes().replace(b"null]}", b'{"by": "Cem", "decision": "acc')
    path.write_bytes(broken)
    with pytest.raises(ReviewError, match=rf"{ONE}\.json: line 4, column 31: .*Nothing is written"):
        store.append(ONE, verdict("Dan", minute=1))
    assert path.read_bytes() == broken
    assert _by(store.read(ONE)) == ["Bea"]


@pytest.mark.parametrize("name", ["", "../0123456789012345", "policy", "12345", "\uff11" * 16])
def test_what_is_no_episodes_id_is_no_file(store: ReviewStore, name: str) -> None:
    with pytest.raises(DatasetError, match="is not an episode's id"):
        store.read(name)


def test_a_dataset_that_is_gone_is_not_made_anew(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="is missing"):
        ReviewStore(tmp_path / "gone").append(ONE, verdict("Bea"))
    assert not (tmp_path / "gone").exists()


# Copies that a shared drive leaves.


@pytest.mark.parametrize(
    "name", [f"{ONE} (conflicted copy).json", f"{ONE}.sync-conflict-20261120-101010-AB.json", f"{ONE}-DESKTOP.json"]
)
def test_a_copy_of_a_conflict_is_no_file_of_reviews(store: ReviewStore, tmp_path: Path, name: str) -> None:
    store.append(ONE, verdict("Bea"))
    copy = tmp_path / "reviews" / name
    copy.write_bytes(spell(ReviewFile(ONE, (verdict("Cem", minute=1),))))
    assert store.copies() == [copy]
    assert store.ids() == [ONE]


# The policy.


def test_the_policy_is_the_usual_one_until_somebody_sets_it_and_keeps_what_others_wrote(
    store: ReviewStore, tmp_path: Path
) -> None:
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
def test_a_broken_policy_names_its_place(store: ReviewStore, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "reviews").mkdir()
    (tmp_path / "reviews" / "policy.json").write_text(text)
    with pytest.raises(ReviewError, match=words):
        store.policy()


# Sent back.


def _send_back(store: ReviewStore, episode_id: str, why: str = "A step is missing, at step 3") -> None:
    store.append(episode_id, Move(id="a" * 32, at=BEGIN, by="Bea", to="annotator", why=why))


def _prove(root: Path, episode_id: str, *, task_id: str) -> None:
    write_provenance(root, provenance_of(episode_id, annotator="Ada", task_id=task_id))


def test_a_task_that_was_sent_back_is_told_with_who_and_why(store: ReviewStore, tmp_path: Path) -> None:
    _prove(tmp_path, ONE, task_id="shop-1")
    _prove(tmp_path, OTHER, task_id="shop-2")
    store.append(OTHER, verdict("Bea", "pfp"))
    assert store.sent_back("ada ") == {}
    _send_back(store, ONE)
    assert store.sent_back("ada ") == {ONE: SentBack("shop-1", "Bea", "A step is missing, at step 3")}


def test_only_who_recorded_an_episode_gets_its_task_back(store: ReviewStore, tmp_path: Path) -> None:
    _prove(tmp_path, ONE, task_id="shop-1")
    _send_back(store, ONE, why="  ")
    assert store.sent_back("Bea") == {}
    assert store.sent_back("Ada")[ONE].why == "A reviewer sent it back"


def test_an_episode_of_no_task_has_nowhere_to_go_back_to(store: ReviewStore, tmp_path: Path) -> None:
    _prove(tmp_path, ONE, task_id="")
    _send_back(store, ONE)
    _send_back(store, OTHER)  # without provenance
    assert store.sent_back("ada ") == {}


def test_what_another_computer_writes_is_learnt_of(store: ReviewStore, tmp_path: Path) -> None:
    store.append(ONE, verdict("Bea"))
    assert store.sent_back("ada ") == {}
    _send_back(ReviewStore(tmp_path), ONE)
    assert store.sent_back("ada ") == {}, "annotator unknown"
    _prove(tmp_path, ONE, task_id="shop-1")
    (tmp_path / "reviews" / f"{OTHER}.json").write_text('{"annotator')
    (tmp_path / "provenance" / f"{OTHER}.json").write_text("{")
    assert list(store.sent_back("ada ")) == [ONE], "a broken file keeps no other task from coming back"
    (tmp_path / "reviews" / f"{ONE}.json").unlink()
    assert store.sent_back("ada ") == {}


def test_an_episode_is_accepted_when_all_who_judged_it_accept_it(store: ReviewStore) -> None:
    both = {ONE, OTHER}
    assert store.accepted(both) == {}
    store.append(ONE, verdict("Bea"))
    store.append(OTHER, verdict("Bea", "pfp"))
    assert store.accepted(both) == {ONE: "Bea"}
    assert store.accepted([OTHER]) == {}
    store.append(ONE, verdict("Cleo", "pfp"))
    assert store.accepted(both) == {}


# Disk errors.


def test_a_folder_that_is_none_is_told(store: ReviewStore, tmp_path: Path) -> None:
    (tmp_path / "reviews").write_text("a file")
    for look in (store.ids, lambda: store.read(ONE), store.policy, lambda: store.append(ONE, verdict("Bea"))):
        with pytest.raises(DatasetError, match=r"reviews.* cannot be (read|created)"):
            look()


def test_whoever_finds_the_folder_held_tries_again(store: ReviewStore, tmp_path: Path) -> None:
    store.append(ONE, verdict("Bea"))
    impatient = ReviewStore(tmp_path, patience_s=0.0)
    with FileLock(tmp_path / "reviews" / ".lock"), pytest.raises(ReviewError, match="Another program is writing"):
        impatient.append(ONE, verdict("Cem", minute=1))
    assert _by(store.read(ONE)) == ["Bea"]
