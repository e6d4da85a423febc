"""Merges of two datasets: planned, in both orders, killed, and on full disks; the sources are only read."""

import json
import os
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from odyssey_recorder.dataset.amendment import NewInstruction
from odyssey_recorder.dataset.change_journal import under_way
from odyssey_recorder.dataset.codec import read_annotation
from odyssey_recorder.dataset.layout import annotation_path, episode_ids
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import DatasetError, OdysseyError
from odyssey_recorder.merging.apply import merge, prepare
from odyssey_recorder.merging.plan import MergeDecisions
from odyssey_recorder.review.review_log import ReviewLog
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from tests.checking.folders import FIRST, SECOND, THIRD, write_dataset
from tests.checking.verdicts import verdict
from tests.dataset.interrupted_changes import FaultInjector, killed_after
from tests.review.interrupted_fix import interrupt_recorded_fix

FOURTH = "0000000000000004"
ASK = MergeDecisions()


@pytest.fixture(autouse=True)
def _no_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def a(tmp_path: Path) -> Path:
    """A dataset; `b` began as a copy of it. Each has an episode, a fix and a verdict that the other lacks."""
    write_dataset(tmp_path / "a", FIRST, SECOND, steps=2)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    return changed(tmp_path / "a", "Bea", new=THIRD, fixed=FIRST)


@pytest.fixture
def b(a: Path) -> Path:
    return changed(a.with_name("b"), "Bob", new=FOURTH, fixed=SECOND)


def changed(root: Path, reviewer: str, *, new: str, fixed: str) -> Path:
    write_dataset(root, new, steps=2)
    log(root, reviewer).fix(fixed, NewInstruction(instruction=f"Fixed by {reviewer}."), "wrong", "")
    ReviewStore(root).append(FIRST, verdict(reviewer, revision=Versions(root).revision(FIRST)))
    return root


def log(root: Path, reviewer: str) -> ReviewLog:
    return ReviewLog(root, lambda: reviewer)


def contents(root: Path) -> dict[str, bytes]:
    """All files except locks."""
    found = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    return {name: data for name, data in found.items() if Path(name).name not in ("lock", ".lock")}


def instruction(root: Path, episode_id: str) -> str:
    return read_annotation(root / annotation_path(episode_id)).task.instruction


def rewrite(root: Path, episode_id: str, text: str) -> None:
    path = root / annotation_path(episode_id)
    tree = json.loads(path.read_bytes())
    tree["task_info"]["instruction"] = text
    path.write_text(json.dumps(tree))


def sources(root: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (root / "metadata/sources.jsonl").read_text().splitlines()]


def outcomes(a: Path, b: Path, decisions: MergeDecisions = ASK) -> dict[str, str]:
    plan = prepare(a, b, a.parent / "planned", decisions)
    return {one.episode_id: one.outcome for one in plan.episodes}


def test_newer_version_is_kept_with_the_files_of_both(a: Path, b: Path, tmp_path: Path) -> None:
    before = contents(a), contents(b)
    assert outcomes(a, b) == {FIRST: "A is newer", SECOND: "B is newer", THIRD: "from A", FOURTH: "from B"}
    assert not (tmp_path / "planned").exists()

    merge(a, b, tmp_path / "c", ASK)

    c = contents(tmp_path / "c")
    assert (contents(a), contents(b)) == before
    assert episode_ids(tmp_path / "c") == {FIRST, SECOND, THIRD, FOURTH}
    assert instruction(tmp_path / "c", FIRST) == "Fixed by Bea."
    assert instruction(tmp_path / "c", SECOND) == "Fixed by Bob."
    for source in before:
        for name, data in source.items():
            if name.startswith(("screenshots", "provenance", "ui_trees", "reviews/history")):
                assert c[name] == data
    assert sorted(one.by for one in ReviewStore(tmp_path / "c").read(FIRST).entries) == ["Bea", "Bea", "Bob"]
    assert not list(tmp_path.glob("c.part*"))
    assert not (tmp_path / "c/metadata/merge.json").exists()


def test_source_of_each_episode_is_recorded(a: Path, b: Path, tmp_path: Path) -> None:
    merge(a, b, tmp_path / "c", ASK)
    rows = sources(tmp_path / "c")
    assert [(row["episode_id"], row["dataset"]) for row in rows] == [
        (FIRST, "a"), (SECOND, "b"), (THIRD, "a"), (FOURTH, "b"),
    ]  # fmt: skip
    merge(tmp_path / "c", a, tmp_path / "c", ASK)
    write_dataset(tmp_path / "d", "0000000000000005", steps=2)
    merge(tmp_path / "d", tmp_path / "c", tmp_path / "d", ASK)
    more_rows = sources(tmp_path / "d")
    assert all(row in more_rows for row in rows)
    assert {row["dataset"] for row in more_rows} == {"a", "b", "c"}


def test_order_of_the_datasets_does_not_matter(a: Path, b: Path, tmp_path: Path) -> None:
    rewrite(a, THIRD, "Other.")
    write_dataset(b, THIRD, steps=3)
    both = MergeDecisions(prefer="both")
    merge(a, b, tmp_path / "c", both)
    merge(b, a, tmp_path / "d", both)
    assert contents(tmp_path / "c") == contents(tmp_path / "d")
    into_a, into_other = (Path(shutil.copytree(a, tmp_path / name / "a")) for name in ("x", "y"))
    merge(into_a, b, into_a, both)
    merge(b, into_other, into_other, both)
    assert contents(into_a) == contents(into_other)


def test_merging_a_dataset_with_itself_changes_nothing(a: Path, tmp_path: Path) -> None:
    before = contents(a)
    copy = Path(shutil.copytree(a, tmp_path / "copy" / "a"))
    for other in (a, copy):
        assert {*prepare(a, other, a, ASK).counts()} == {"in both"}
        merge(a, other, a, ASK)
        merge(other, a, a, ASK)
        assert contents(a) == before
    assert contents(copy) == before


def test_merging_again_changes_nothing(a: Path, b: Path) -> None:
    rewrite(a, THIRD, "Other.")
    write_dataset(b, THIRD, steps=3)
    for decisions in (MergeDecisions("both"), MergeDecisions("B")):
        merge(a, b, a, decisions)
        merged = contents(a)
        merge(a, b, a, decisions)
        merge(b, a, a, decisions)
        assert contents(a) == merged
        shutil.rmtree(a / "reviews/history" / THIRD, ignore_errors=True)


def test_conflicts_are_reported_and_never_guessed(a: Path, b: Path, tmp_path: Path) -> None:
    write_dataset(b, THIRD, steps=3)
    ReviewStore(b).set_policy(ReviewPolicy(seed=9))
    before = contents(a), contents(b)
    for target in (a, tmp_path / "c"):
        plan = merge(a, b, target, ASK)
        assert {*plan.conflicts} == {THIRD, ""}
        assert "the two differ, and neither history has the other" in plan.conflicts[THIRD]
        assert (contents(a), contents(b)) == before
        assert not (tmp_path / "c").exists()
    decided = MergeDecisions(by_episode={THIRD: "B"}, policy="B")
    assert merge(a, b, a, decided).conflicts == {}
    assert ReviewStore(a).policy().seed == 9
    assert len(read_annotation(a / annotation_path(THIRD)).steps) == 3
    assert contents(b) == before[1]
    [kept] = [
        path for path in (a / "reviews/history" / THIRD).iterdir() if not (path / f"screenshots/{THIRD}_2.png").exists()
    ]
    lost = {name: data for name, data in before[0].items() if THIRD in name}
    assert contents(kept) == lost


def test_both_versions_are_kept_under_two_ids(a: Path, b: Path, tmp_path: Path) -> None:
    write_dataset(b, THIRD, steps=3)
    [planned] = [one for one in merge(a, b, a, MergeDecisions("both")).episodes if one.renamed]
    assert planned.renamed is not None
    new = planned.renamed[0]
    assert len(read_annotation(a / annotation_path(THIRD)).steps) == 2
    episode = read_annotation(a / annotation_path(new))
    assert episode.episode_id == new
    assert [step.screenshot for step in episode.steps] == [f"{new}_{n}.png" for n in range(3)]
    assert (a / f"screenshots/{new}_2.png").read_bytes() == (b / f"screenshots/{THIRD}_2.png").read_bytes()
    provenance = json.loads((a / f"provenance/{new}.json").read_text())
    assert provenance["episode_id"] == new
    assert [step["ui_tree"] for step in provenance["steps"]] == [f"{new}_{n}.xml" for n in range(3)]
    assert [(row["episode_id"], row["merged_from"]) for row in sources(a) if "merged_from" in row] == [(new, THIRD)]


def test_missing_files_are_added(a: Path, b: Path, tmp_path: Path) -> None:
    write_dataset(b, THIRD, steps=2)
    shutil.rmtree(a / "ui_trees")
    (a / "provenance" / f"{THIRD}.json").unlink()
    assert outcomes(a, b)[THIRD] == "completed"
    for target in (tmp_path / "c", a):
        merge(a, b, target, MergeDecisions("B"))
        assert (target / f"ui_trees/{THIRD}_1.xml").exists()
        assert (target / f"provenance/{THIRD}.json").exists()


def test_undone_fix_counts_as_newer(a: Path, b: Path) -> None:
    shutil.rmtree(b)
    shutil.copytree(a, b)
    log(b, "Bob").undo(FIRST, Versions(b).revision(FIRST))
    assert outcomes(a, b)[FIRST] == "B is newer"
    assert outcomes(b, a)[FIRST] == "A is newer"


def reject(root: Path, episode_id: str) -> None:
    reviews = log(root, "Bea")
    reviews.trash.move(episode_id, record=lambda change: reviews._record_move("trash", "bad", "Bea", change))


def test_rejected_episode_stays_in_the_trash_until_restored(a: Path, b: Path, tmp_path: Path) -> None:
    write_dataset(b, THIRD, steps=2)
    reject(a, THIRD)
    for target in (tmp_path / "c", b):
        one, other = (Path(shutil.copytree(root, tmp_path / target.name / root.name)) for root in (a, b))
        into = other if target is b else target / "new"
        merge(one, other, into, ASK)
        assert THIRD not in episode_ids(into)
        assert [one.episode_id for one in Trash(into).episodes()] == [THIRD]
    before = Path(shutil.copytree(a, tmp_path / "before"))
    log(a, "Bea").restore(THIRD, "good after all")
    for into in (tmp_path / "d", before):
        merge(a, before, into, ASK)
        assert THIRD in episode_ids(into)
        assert Trash(into).episodes() == []


def test_rejected_episode_that_differs_is_a_conflict(a: Path, b: Path) -> None:
    write_dataset(b, THIRD, steps=3)
    reject(b, THIRD)
    assert "but its files there differ" in prepare(a, b, a, ASK).conflicts[THIRD]


def test_trashed_episode_without_a_review_is_a_conflict(a: Path, b: Path, tmp_path: Path) -> None:
    write_dataset(b, THIRD, steps=3)
    Trash(b).move(THIRD)
    why = f"it is in {a}, and in the trash of {b}, but no review says why"
    assert why in prepare(a, b, a, ASK).conflicts[THIRD]
    live = {name: data for name, data in contents(a).items() if THIRD in name}
    for choice, is_live in (("A", True), ("both", True), ("B", False)):
        copy = Path(shutil.copytree(a, tmp_path / choice / "a"))
        for into in (tmp_path / choice / "c", copy):
            merge(copy, b, into, MergeDecisions(by_episode={THIRD: choice}))  # type: ignore[dict-item]
            assert (THIRD in episode_ids(into)) is is_live
            found = [contents(one.folder) for one in Trash(into).episodes() if one.episode_id == THIRD]
            assert len(found) == (1 if is_live else 2)
            assert is_live or found[1] == live, "the older version"


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/hostname")


def damage_sources(a: Path, b: Path) -> None:
    (b / "metadata").mkdir()
    (b / "metadata/sources.jsonl").write_text("no")


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda _, b: link(b / annotation_path(FOURTH)), "leads out"),
        (lambda _, b: link(b / f"screenshots/{FOURTH}_1.png"), "leads out"),
        (lambda _, b: (b / "reviews" / f"{FIRST}.json").write_text("{"), "Fix it by hand"),
        (lambda _, b: (b / "reviews" / f"{FIRST} (1).json").write_text("{}"), "conflict copy"),
        (damage_sources, "cannot be read"),
        (lambda _, b: shutil.rmtree(b / "annotations"), "is not a dataset folder"),
        (lambda a, _: (a / "screenshots" / f"{FOURTH}_0.png").write_bytes(b"stray"), "is of no episode there"),
    ],
)
def test_invalid_file_in_a_dataset_is_named(
    a: Path, b: Path, tmp_path: Path, damage: Callable[[Path, Path], object], text: str
) -> None:
    damage(a, b)
    for target in (a, tmp_path / "c") if text != "is of no episode there" else (a,):
        with pytest.raises(OdysseyError, match=text):
            merge(a, b, target, ASK)
    assert {FIRST, SECOND, THIRD} <= episode_ids(a)
    assert not (tmp_path / "c").exists()


def test_pipe_among_the_screenshots_is_ignored(a: Path, b: Path) -> None:
    os.mkfifo(b / "screenshots" / f"{FOURTH}_7.png")
    merge(a, b, a, ASK)
    assert not (a / "screenshots" / f"{FOURTH}_7.png").exists()


def test_existing_target_or_one_inside_a_source_is_rejected(a: Path, b: Path, tmp_path: Path) -> None:
    (tmp_path / "c.part").mkdir()
    (tmp_path / "c.part" / "mine").write_text("keep")
    for target, text in (
        (tmp_path, "already exists"),
        (a / "inside", "not to be changed"),
        (tmp_path / "c", "in the way"),
    ):
        with pytest.raises(DatasetError, match=text):
            merge(a, b, target, ASK)
    assert (tmp_path / "c.part" / "mine").exists()


def test_merge_interrupted_before_its_end_is_repeated(a: Path, b: Path, tmp_path: Path) -> None:
    merge(a, b, tmp_path / "c", ASK)
    merged = contents(tmp_path / "c")
    (tmp_path / "c").rename(tmp_path / "c.part")
    merge(a, b, tmp_path / "c", ASK)
    assert contents(tmp_path / "c") == merged


def test_recorded_fix_that_was_interrupted_survives_a_merge_into_its_dataset(a: Path, b: Path) -> None:
    interrupt_recorded_fix(a, THIRD, "Fixed.")
    merge(a, b, a, ASK)
    assert instruction(a, THIRD) == "Fixed."


def _timeless(root: Path) -> dict[str, bytes]:
    return {name: data for name, data in contents(root).items() if ".part" not in name}


DECIDED = MergeDecisions(prefer="B")


@pytest.fixture
def conflicts(a: Path, b: Path) -> None:
    write_dataset(b, THIRD, steps=3)
    write_dataset(a, "0000000000000005", steps=2)
    write_dataset(b, "0000000000000005", steps=2)
    reject(b, "0000000000000005")


@pytest.mark.usefixtures("conflicts")
@pytest.mark.parametrize("name", ["a", "c"])
def test_killed_merge_loses_nothing_and_can_be_repeated(a: Path, b: Path, tmp_path: Path, name: str) -> None:
    done = tmp_path / "done"
    shutil.copytree(a, done / "a")
    merge(done / "a", b, done / name, DECIDED)
    killed, after = True, 0
    while killed:
        root = tmp_path / str(after)
        shutil.copytree(a, root / "a")
        killed = killed_after(after, root, merge, root / "a", b, root / name, DECIDED)
        if name == "c":
            assert contents(root / "a") == contents(a)
        else:
            assert {FIRST, SECOND} <= episode_ids(root / "a") or under_way(root / "a") is not None
        if name == "a" or not (root / name).exists():
            merge(root / "a", b, root / name, DECIDED)
        assert _timeless(root / name) == _timeless(done / name)
        after += 1 if after < 4 else 29
    assert after > 60


@pytest.mark.usefixtures("conflicts")
def test_merge_on_a_full_disk_can_be_repeated(a: Path, b: Path, tmp_path: Path) -> None:
    done = Path(shutil.copytree(a, tmp_path / "done" / "a"))
    merge(done, b, done, DECIDED)
    injector = FaultInjector(tmp_path / "full")
    for faults in count():
        root = Path(shutil.copytree(a, tmp_path / "full" / str(faults) / "a"))
        if not injector.fills_disk(5 + 17 * faults, merge, root, b, root, DECIDED):
            break
        merge(root, b, root, DECIDED)
        assert _timeless(root) == _timeless(done)
    assert faults > 4
