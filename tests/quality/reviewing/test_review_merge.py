"""Merged reviews: readable entries are added once, and unreadable ones are reported with their place."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.dataset.entry_file import spell
from odyssey_recorder.errors import ReviewError
from odyssey_recorder.quality.reviewing.review import Decision, ReviewFile
from odyssey_recorder.quality.reviewing.review_merge import check_elsewhere, check_reviews, merge_copies, merge_reviews
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from tests.dataset.published_episode import PublishedEpisode, recorded, released
from tests.quality.verdicts import verdict

OTHER = "2222222222222222"


@pytest.fixture
def there(tmp_path: Path) -> PublishedEpisode:
    return recorded(tmp_path)


@pytest.fixture
def store(there: PublishedEpisode) -> ReviewStore:
    return ReviewStore(there.root)


def _by(store: ReviewStore, episode_id: str) -> list[str]:
    return [entry.by for entry in store.read(episode_id).entries]


def _foreign(episode_id: str, **more: object) -> dict[str, Any]:
    told = {"by": "Eva", "at": "2026-11-20T10:00:00Z", "decision": "accept"}
    answers = {"pictures": "pass", "sequence": "pass", "instruction": "pass"}
    return {"episode_id": episode_id, **told, "answers": answers, **more}


# Our own format.


def test_the_reviews_of_another_checkout_come_once(store: ReviewStore, there: PublishedEpisode, tmp_path: Path) -> None:
    (tmp_path / "checkout").mkdir()
    checkout = ReviewStore(tmp_path / "checkout")
    checkout.append(there.episode_id, verdict("Bea"))
    checkout.append(OTHER, verdict("Bea"))
    checkout.set_policy(ReviewPolicy(9, 0.9))
    store.append(there.episode_id, verdict("Cem", minute=1))
    assert merge_reviews(store, checkout.root).came == {there.episode_id: 1, OTHER: 1}
    assert _by(store, there.episode_id) == ["Bea", "Cem"]
    assert _by(checkout, there.episode_id) == ["Bea"]
    assert store.policy() == ReviewPolicy()
    assert merge_reviews(store, checkout.root).came == {}
    with pytest.raises(ReviewError, match="Nothing found at"):
        merge_reviews(store, tmp_path / "nothing")


def test_what_can_be_read_of_a_broken_file_comes_and_the_rest_is_told(store: ReviewStore, tmp_path: Path) -> None:
    text = spell(ReviewFile(OTHER, (verdict("Bea"), verdict("Cem", minute=1)))).decode()
    path = tmp_path / f"{OTHER}.json"
    path.write_text(text.replace("Cem", "Cem\n"))
    merged = merge_reviews(store, path)
    assert merged.came == {OTHER: 1}
    assert str(path) in merged.problems[0]
    assert _by(store, OTHER) == ["Bea"]


def test_a_broken_file_of_the_dataset_keeps_only_its_own_episode_back(
    store: ReviewStore, there: PublishedEpisode, tmp_path: Path
) -> None:
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    for episode_id in (there.episode_id, OTHER):
        (incoming / f"{episode_id}.json").write_bytes(spell(ReviewFile(episode_id, (verdict("Bea"),))))
    (there.root / "reviews").mkdir()
    broken = there.root / "reviews" / f"{OTHER}.json"
    broken.write_text("{")
    merged = merge_reviews(store, incoming)
    assert merged.came == {there.episode_id: 1}
    assert "Nothing is written to it until then" in merged.problems[0]
    assert broken.read_text() == "{"


# A shared drive.


def test_copies_of_a_conflict_are_taken_in_and_removed(store: ReviewStore, there: PublishedEpisode) -> None:
    store.append(there.episode_id, verdict("Bea"))
    whole = there.root / "reviews" / f"{there.episode_id} (conflicted copy).json"
    whole.write_bytes(spell(ReviewFile(there.episode_id, (verdict("Bea"), verdict("Cem", minute=1)))))
    broken = there.root / "reviews" / f"{OTHER}.sync-conflict-20261120.json"
    broken.write_text("{")
    assert ["is a conflict copy left by a shared drive" in one for one in check_reviews(store)] == [True, True]
    merged = merge_copies(store)
    assert merged.came == {there.episode_id: 1}
    assert len(merged.problems) == 1
    assert _by(store, there.episode_id) == ["Bea", "Cem"]
    assert store.copies() == [broken]


# Another tool.


def test_a_verdict_of_another_tool_is_of_the_episode_as_it_is(store: ReviewStore, there: PublishedEpisode) -> None:
    path = there.root.parent / "verdict.json"
    path.write_text(json.dumps(_foreign(there.episode_id, mood="good")))
    assert merge_reviews(store, path).came == {there.episode_id: 1}
    (said,) = store.read(there.episode_id).verdicts
    annotation = there.annotation()
    assert annotation is not None
    assert (said.by, said.decision) == ("Eva", Decision.ACCEPT)
    assert said.revision == sha256(annotation).hexdigest()
    assert (said.subject.recorder, said.subject.steps) == ("ann", 5)
    assert b'"mood": "good"' in (there.root / "reviews" / f"{there.episode_id}.json").read_bytes()
    changed = there.root / "annotations" / f"{there.episode_id}.json"
    changed.write_bytes(annotation + b"\n")
    assert merge_reviews(store, path).came == {}, "it comes once"


@pytest.mark.parametrize("form", ["list", "object", "lines"])
def test_another_tool_may_give_many_at_once(store: ReviewStore, tmp_path: Path, form: str) -> None:
    there = released(tmp_path)
    store = ReviewStore(there.root)
    trees = [_foreign(there.episode_id, by=name) for name in ("Eva", "Flo")]
    path = tmp_path / ("many.jsonl" if form == "lines" else "many.json")
    path.write_text(
        "\n".join(map(json.dumps, trees)) if form == "lines"
        else json.dumps({"verdicts": trees} if form == "object" else trees)
    )  # fmt: skip
    assert merge_reviews(store, path).came == {there.episode_id: 2}
    assert sorted(_by(store, there.episode_id)) == ["Eva", "Flo"]


def test_each_that_cannot_be_read_is_told_and_the_others_come(store: ReviewStore, there: PublishedEpisode) -> None:
    folder = there.root.parent / "tool"
    folder.mkdir()
    good = _foreign(there.episode_id)
    bad = [7, _foreign("12"), _foreign(OTHER), _foreign(there.episode_id, decision="maybe"), good]
    (folder / "a.json").write_text("{")
    (folder / "b.json").write_text(json.dumps(bad))
    (folder / "notes.txt").write_text("not ours")
    merged = merge_reviews(store, folder)
    assert merged.came == {there.episode_id: 1}
    for problem, words in zip(
        merged.problems,
        ["a.json: line 1", "b.json, entry 1: episode_id", "entry 2: episode_id", "entry 3: there is no", "4: decision"],
        strict=True,
    ):
        assert words in problem


def test_what_is_to_be_merged_can_be_checked_before(there: PublishedEpisode) -> None:
    path = there.root.parent / "verdict.json"
    path.write_text(json.dumps([_foreign(OTHER), _foreign(OTHER, decision="reject"), _foreign(OTHER, by="")]))
    faults = list(check_elsewhere(path))
    assert [words in fault for words, fault in zip(("Say what is wrong", "by: "), faults, strict=True)] == [True, True]


# The check of a dataset.


def test_the_reviews_of_a_dataset_are_checked_with_their_places(store: ReviewStore, there: PublishedEpisode) -> None:
    store.append(there.episode_id, verdict("Bea"))
    assert list(check_reviews(store)) == []
    store.append(there.episode_id, verdict("ANN", minute=1, recorder=""))  # the provenance has the recorder
    (there.root / "reviews" / f"{OTHER}.json").write_text('{"entries": [{"kind": "move"}]}')
    (there.root / "reviews" / "policy.json").write_text('{"seed": "x"}')
    policy, own, broken = sorted(check_reviews(store), key=lambda fault: ("policy" not in fault, OTHER in fault))
    assert "seed" in policy
    assert own.startswith(f"reviews, {there.episode_id}: the verdict of 'ANN'")
    assert own.endswith("it is by the annotator of the episode.")
    assert "entry 1: at: field required; by: field required; to: field required" in broken
