"""Merged reviews: readable entries are added once, and unreadable ones are reported with their place."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.dataset.entry_file import spell
from odyssey_recorder.review.review import Decision, ReviewFile
from odyssey_recorder.review.review_merge import check_elsewhere, check_reviews, merge_copies, merge_reviews
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from tests.checking.verdicts import verdict
from tests.dataset.published_episode import PublishedEpisode, recorded, released

OTHER = "2222222222222222"


@pytest.fixture
def published(tmp_path: Path) -> PublishedEpisode:
    return recorded(tmp_path)


@pytest.fixture
def store(published: PublishedEpisode) -> ReviewStore:
    return ReviewStore(published.root)


def _by(store: ReviewStore, episode_id: str) -> list[str]:
    return [entry.by for entry in store.read(episode_id).entries]


def _verdict_of_other_tool(episode_id: str, **more: object) -> dict[str, Any]:
    entry = {"by": "Eva", "at": "2026-11-20T10:00:00Z", "decision": "accept"}
    answers = {"pictures": "pass", "sequence": "pass", "instruction": "pass"}
    return {"episode_id": episode_id, **entry, "answers": answers, **more}


def test_reviews_of_another_checkout_are_merged_once(
    store: ReviewStore, published: PublishedEpisode, tmp_path: Path
) -> None:
    (tmp_path / "checkout").mkdir()
    checkout = ReviewStore(tmp_path / "checkout")
    checkout.append(published.episode_id, verdict("Bea"))
    checkout.append(OTHER, verdict("Bea"))
    checkout.set_policy(ReviewPolicy(9, 0.9))
    store.append(published.episode_id, verdict("Cem", minute=1))
    assert merge_reviews(store, checkout.root).came == {published.episode_id: 1, OTHER: 1}
    assert _by(store, published.episode_id) == ["Bea", "Cem"]
    assert _by(checkout, published.episode_id) == ["Bea"]
    assert store.policy() == ReviewPolicy()
    assert merge_reviews(store, checkout.root).came == {}


def test_readable_entries_of_a_broken_file_are_merged(store: ReviewStore, tmp_path: Path) -> None:
    text = spell(ReviewFile(OTHER, (verdict("Bea"), verdict("Cem", minute=1)))).decode()
    path = tmp_path / f"{OTHER}.json"
    path.write_text(text.replace("Cem", "Cem\n"))
    merged = merge_reviews(store, path)
    assert merged.came == {OTHER: 1}
    assert str(path) in merged.problems[0]
    assert _by(store, OTHER) == ["Bea"]


def test_broken_file_blocks_only_its_own_episode(
    store: ReviewStore, published: PublishedEpisode, tmp_path: Path
) -> None:
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    for episode_id in (published.episode_id, OTHER):
        (incoming / f"{episode_id}.json").write_bytes(spell(ReviewFile(episode_id, (verdict("Bea"),))))
    (published.root / "reviews").mkdir()
    broken = published.root / "reviews" / f"{OTHER}.json"
    broken.write_text("{")
    merged = merge_reviews(store, incoming)
    assert merged.came == {published.episode_id: 1}
    assert "Nothing is written to it until then" in merged.problems[0]
    assert broken.read_text() == "{"


def test_conflict_copies_are_merged_and_removed(store: ReviewStore, published: PublishedEpisode) -> None:
    store.append(published.episode_id, verdict("Bea"))
    readable = published.root / "reviews" / f"{published.episode_id}.sync-conflict-20261120-101010-AB.json"
    readable.write_bytes(spell(ReviewFile(published.episode_id, (verdict("Bea"), verdict("Cem", minute=1)))))
    broken = published.root / "reviews" / f"{OTHER}-DESKTOP.json"
    broken.write_text("{")
    assert ["is a conflict copy left by a shared drive" in one for one in check_reviews(store)] == [True, True]
    assert store.ids() == [published.episode_id]
    merged = merge_copies(store)
    assert merged.came == {published.episode_id: 1}
    assert len(merged.problems) == 1
    assert _by(store, published.episode_id) == ["Bea", "Cem"]
    assert store.copies() == [broken]


def test_verdict_of_another_tool_is_for_the_present_revision(store: ReviewStore, published: PublishedEpisode) -> None:
    path = published.root.parent / "verdict.json"
    path.write_text(json.dumps(_verdict_of_other_tool(published.episode_id, mood="good")))
    assert merge_reviews(store, path).came == {published.episode_id: 1}
    (merged_verdict,) = store.read(published.episode_id).verdicts
    annotation = published.annotation()
    assert annotation is not None
    assert (merged_verdict.by, merged_verdict.decision) == ("Eva", Decision.ACCEPT)
    assert merged_verdict.revision == sha256(annotation).hexdigest()
    assert (merged_verdict.subject.recorder, merged_verdict.subject.steps) == ("ann", 5)
    assert b'"mood": "good"' in (published.root / "reviews" / f"{published.episode_id}.json").read_bytes()
    changed = published.root / "annotations" / f"{published.episode_id}.json"
    changed.write_bytes(annotation + b"\n")
    assert merge_reviews(store, path).came == {}, "it comes once"


@pytest.mark.parametrize("shape", ["list", "object", "lines"])
def test_another_tool_may_supply_many_verdicts(store: ReviewStore, tmp_path: Path, shape: str) -> None:
    published = released(tmp_path)
    store = ReviewStore(published.root)
    verdicts = [_verdict_of_other_tool(published.episode_id, by=name) for name in ("Eva", "Flo")]
    path = tmp_path / ("many.jsonl" if shape == "lines" else "many.json")
    path.write_text(
        "\n".join(map(json.dumps, verdicts)) if shape == "lines"
        else json.dumps({"verdicts": verdicts} if shape == "object" else verdicts)
    )  # fmt: skip
    assert merge_reviews(store, path).came == {published.episode_id: 2}
    assert sorted(_by(store, published.episode_id)) == ["Eva", "Flo"]


def test_unreadable_verdicts_are_reported_and_others_merged(store: ReviewStore, published: PublishedEpisode) -> None:
    folder = published.root.parent / "tool"
    folder.mkdir()
    good = _verdict_of_other_tool(published.episode_id)
    bad = [
        7,
        _verdict_of_other_tool("12"),
        _verdict_of_other_tool(OTHER),
        _verdict_of_other_tool(published.episode_id, decision="maybe"),
        good,
    ]
    (folder / "a.json").write_text("{")
    (folder / "b.json").write_text(json.dumps(bad))
    (folder / "notes.txt").write_text("not ours")
    merged = merge_reviews(store, folder)
    assert merged.came == {published.episode_id: 1}
    for problem, words in zip(
        merged.problems,
        ["a.json: line 1", "b.json, entry 1: episode_id", "entry 2: episode_id", "entry 3: there is no", "4: decision"],
        strict=True,
    ):
        assert words in problem


def test_files_can_be_checked_before_merging(published: PublishedEpisode) -> None:
    path = published.root.parent / "verdict.json"
    verdicts = [_verdict_of_other_tool(OTHER, **keys) for keys in ({}, {"decision": "reject"}, {"by": ""})]
    path.write_text(json.dumps(verdicts))
    faults = list(check_elsewhere(path))
    assert [words in fault for words, fault in zip(("Say what is wrong", "by: "), faults, strict=True)] == [True, True]


def test_faults_of_dataset_reviews_name_their_place(store: ReviewStore, published: PublishedEpisode) -> None:
    store.append(published.episode_id, verdict("Bea"))
    assert list(check_reviews(store)) == []
    store.append(published.episode_id, verdict("ANN", minute=1, recorder=""))  # the provenance has the recorder
    (published.root / "reviews" / f"{OTHER}.json").write_text('{"entries": [{"kind": "move"}]}')
    (published.root / "reviews" / "policy.json").write_text('{"seed": "x"}')
    policy, own, broken = sorted(check_reviews(store), key=lambda fault: ("policy" not in fault, OTHER in fault))
    assert "seed" in policy
    assert own.startswith(f"reviews, {published.episode_id}: the verdict of 'ANN'")
    assert own.endswith("it is by the annotator of the episode.")
    assert "entry 1: at: field required; by: field required; to: field required" in broken
