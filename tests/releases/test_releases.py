"""Releases of a dataset: written whole or not at all, verified, compared, and the base of later splits."""

import json
import shutil
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from odyssey_recorder.dataset.amendment import NewInstruction
from odyssey_recorder.dataset.layout import annotation_path, episode_ids
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting.card import About
from odyssey_recorder.releases import folder
from odyssey_recorder.releases.making import PlannedRelease, changes_between, described, plan_release
from odyssey_recorder.splits.episodes import read_facts
from odyssey_recorder.splits.files import plan_splits, write_splits
from tests.dataset.interrupted_changes import FaultInjector, killed_after
from tests.exporting.sample import contents, ids, write_dataset

COUNT = 8


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_dataset(tmp_path / "data", COUNT)
    shutil.rmtree(tmp_path / "data" / "splits")
    return tmp_path / "data"


def draw(root: Path, *, reshuffle: bool = False) -> None:
    base = folder.base_of_splits(root)
    write_splits(root, plan_splits(root, read_facts(root), base=base, reshuffle=reshuffle))


def plan(root: Path, name: str = "", left_out: Mapping[str, str] | None = None) -> PlannedRelease:
    out = left_out or {}
    return plan_release(root, name, [one for one in sorted(episode_ids(root)) if one not in out], out)


def release(root: Path, name: str = "", left_out: Mapping[str, str] | None = None) -> PlannedRelease:
    planned = plan(root, name, left_out)
    write(root, planned)
    return planned


def write(root: Path, planned: PlannedRelease) -> None:
    files = described(root, planned, About("data", planned.record.episodes, planned.record.steps), lambda _: "Other")
    folder.write_release(root, planned.record, files, {one: folder.revision_of(root, one) for one in planned.ids})


def lost_files(root: Path, name: str) -> list[str]:
    return [one.what for one in folder.verify(root, name) if not one.kept]


def test_release_has_all_hashes_and_no_screenshots(root: Path) -> None:
    draw(root)
    release(root)
    files = contents(root / "releases" / "1.0.0")
    assert set(files) == {
        "CHANGELOG.md", "README.md", "SHA256SUMS", "manifest.jsonl", "metadata/splits.json", "release.json",
        "stats.json", "splits/device_split.json", "splits/random_split.json",
    }  # fmt: skip
    lines = [line.split("  ") for line in files["SHA256SUMS"].decode().splitlines()]
    sums = {name: digest for digest, name in lines}
    assert sums == {name: sha256(data).hexdigest() for name, data in files.items() if name != "SHA256SUMS"}
    rows = [json.loads(line) for line in files["manifest.jsonl"].splitlines()]
    assert [row["episode_id"] for row in rows] == ids(COUNT)
    data = (root / annotation_path(ids(1)[0])).read_bytes()
    shots = [(root / "screenshots" / f"{ids(1)[0]}_{step}.png").read_bytes() for step in range(8)]
    assert rows[0]["annotation"] == sha256(data).hexdigest()
    assert rows[0]["screenshots"] == [sha256(shot).hexdigest() for shot in shots]
    assert rows[0]["bytes"] == len(data) + sum(map(len, shots))
    assert lost_files(root, "1.0.0") == []
    assert str(root) not in b"".join(files.values()).decode()


def test_release_is_reproducible(root: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(root, tmp_path / "copy"))
    for one in (root, copy):
        draw(one)
        release(one)
    assert contents(root / "releases") == contents(copy / "releases")


def test_version_number_reflects_the_changes(root: Path) -> None:
    everything = sorted(episode_ids(root))
    draw(root)
    assert release(root, left_out={everything[0]: "not accepted"}).record.name == "1.0.0"
    with pytest.raises(DatasetError, match=r"Nothing has changed since release 1\.0\.0"):
        plan(root, left_out={everything[0]: "not accepted"})
    assert release(root).record.name == "1.1.0"
    Versions(root).amend(everything[1], NewInstruction(instruction="Buy it now."))
    fixed = release(root).record
    assert (fixed.name, fixed.changes.changed) == ("1.1.1", {everything[1]: ("task_info.instruction",)})
    path = root / "screenshots" / f"{everything[2]}_0.png"
    path.write_bytes(path.with_name(f"{everything[2]}_1.png").read_bytes())
    assert release(root).record.changes.changed == {everything[2]: ("screenshots",)}
    Trash(root).move(everything[3])
    assert plan(root).record.changes.removed == {everything[3]: "no longer in the dataset"}
    reason = {everything[4]: "IMG01"}
    shrunk = release(root, left_out=reason).record
    assert (shrunk.name, shrunk.changes.removed) == ("1.2.0", {everything[3]: "no longer in the dataset", **reason})
    assert [one.name for one in folder.releases(root)] == ["1.0.0", "1.1.0", "1.1.1", "1.1.2", "1.2.0"]
    overall = changes_between(root, "1.0.0", "1.2.0")
    assert (overall.added, overall.removed) == ((everything[0],), shrunk.changes.removed)
    assert overall.changed == {everything[1]: ("task_info.instruction",), everything[2]: ("screenshots",)}


def test_new_splits_continue_those_of_the_release(root: Path) -> None:
    last = ids(COUNT)[-1]
    away = root.parent / "away.json"
    (root / annotation_path(last)).rename(away)
    draw(root)
    release(root)
    shutil.rmtree(root / "splits")
    shutil.rmtree(root / "metadata")  # only the release has them now
    away.rename(root / annotation_path(last))
    draw(root)
    grown = release(root).record
    assert (grown.name, grown.changes.added, grown.changes.moved) == ("1.1.0", (last,), {})
    draw(root)
    assert folder.base_of_splits(root) is None, "the dataset's own splits continue it"


def test_manifest_cannot_reference_other_files(root: Path) -> None:
    release(root)
    path = root / "releases/1.0.0/manifest.jsonl"
    row = json.loads(path.read_text().splitlines()[0])
    path.write_text(json.dumps(row | {"annotation": "../../../*"}) + "\n")
    with pytest.raises(DatasetError, match=r"manifest\.jsonl is damaged \(annotation"):
        list(folder.verify(root, "1.0.0"))


def test_moved_episodes_make_a_major_version(root: Path) -> None:
    draw(root)
    release(root)
    path = root / "splits/random_split.json"
    tree = json.loads(path.read_bytes())
    moved = tree["train"].pop()
    tree["test"].append(moved)
    data = (json.dumps(tree, indent=4) + "\n").encode()
    path.write_bytes(data)
    record = root / "metadata/splits.json"
    known = json.loads(record.read_bytes())
    known["splits"]["random"]["sha256"] = sha256(data).hexdigest()
    record.write_text(json.dumps(known))
    again = plan(root).record
    assert (again.name, again.changes.moved) == ("2.0.0", {"random": (moved.removesuffix(".json"),)})


def test_episode_in_no_split_is_named(root: Path) -> None:
    last = ids(COUNT)[-1]
    path = root / annotation_path(last)
    data = path.read_bytes()
    path.unlink()
    draw(root)
    path.write_bytes(data)
    with pytest.raises(DatasetError, match=f"1 are missing, such as {last}. Make the splits again"):
        plan(root)


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../out", "a/b", "a\\b", "a\n", ".hidden", "x.part", "x.", "-f", "CON", "nul.1", "a" * 65, "ä"],
)
def test_name_that_is_not_portable_is_rejected(root: Path, name: str) -> None:
    with pytest.raises(DatasetError, match="cannot name a release"):
        folder.checked_name(name)
    if name:
        with pytest.raises(DatasetError, match="cannot name a release"):
            plan(root, name)
    assert not (root / "releases").exists()


def test_release_is_immutable(root: Path) -> None:
    release(root, "First")
    before = contents(root / "releases")
    with pytest.raises(DatasetError, match="releases never change"):
        folder.write_release(root, plan_with(root, name="first", number=2), {}, {})
    with pytest.raises(DatasetError, match="Another release was made meanwhile"):
        folder.write_release(root, plan_with(root, name="second", number=1), {}, {})
    assert contents(root / "releases") == before
    Trash(root).move(ids(1)[0])
    with pytest.raises(DatasetError, match="First, which is not a version"):
        plan(root)


def plan_with(root: Path, *, name: str, number: int) -> folder.ReleaseRecord:
    return folder.read_release(root, "First").model_copy(update={"name": name, "number": number})


def test_episode_changed_after_planning_is_not_released(root: Path) -> None:
    planned = plan(root)
    with pytest.raises(DatasetError, match=f"Episode {ids(1)[0]} changed while the release was made"):
        folder.write_release(root, planned.record, planned.files, {ids(1)[0]: "0" * 64})
    assert not (root / "releases").exists()


def test_verify_names_lost_files_and_finds_kept_ones(root: Path) -> None:
    fixed, rejected, torn, missing, *_ = ids(COUNT)
    release(root)
    Versions(root).amend(fixed, NewInstruction(instruction="Buy it now."))
    Trash(root).move(rejected)
    (root / "screenshots" / f"{torn}_2.png").write_bytes(b"torn")
    (root / annotation_path(missing)).unlink()
    kept = [one for one in folder.verify(root, "1.0.0") if one.kept]
    assert [one.what[:25] for one in kept] == [f"Episode {fixed} ", f"Episode {rejected} "]
    assert [one.kept.split("/")[0] for one in kept] == ["reviews", "trash"]
    first, second = lost_files(root, "1.0.0")
    assert first == f"Episode {torn}: the screenshot of step 3 is not the released one."
    assert second.startswith(str(root / annotation_path(missing)))


def test_damaged_release_is_named(root: Path) -> None:
    release(root)
    made = root / "releases" / "1.0.0"
    (made / "README.md").write_text("mine")
    (made / "stats.json").unlink()
    (made / "notes.txt").write_text("new")
    (made / "CHANGELOG.md").unlink()
    (made / "CHANGELOG.md").symlink_to(root.parent / "outside")
    (root.parent / "outside").write_text("secret")
    found = sorted(line.removeprefix(str(made)) for line in lost_files(root, "1.0.0"))
    assert [line.split()[0] for line in found] == ["/CHANGELOG.md", "/README.md", "/notes.txt", "/stats.json"]
    (made / "SHA256SUMS").write_text(f"{'0' * 64}  ../../../outside\n")
    with pytest.raises(DatasetError, match="line 1: expected a hash and a name"):
        list(folder.verify(root, "1.0.0"))
    (made / "release.json").write_text("{}")
    with pytest.raises(DatasetError, match=r"release\.json is damaged"):
        folder.releases(root)


def test_kill_leaves_no_partial_release(root: Path) -> None:
    planned = plan(root)
    whole = Path(shutil.copytree(root, root.parent / "whole"))
    write(whole, planned)
    for after in range(0, 90, 5):
        copy = Path(shutil.copytree(root, root.parent / str(after)))
        if not killed_after(after, copy, write, copy, planned):
            break
        assert [one.name for one in folder.releases(copy)] in ([], ["1.0.0"])
        if not folder.releases(copy):
            write(copy, planned)
        assert contents(copy / "releases") == contents(whole / "releases")
    assert after > 15


def test_full_disk_is_reported_and_leaves_no_partial_release(root: Path) -> None:
    planned = plan(root)
    injector = FaultInjector(root)
    faults = 0
    while injector.fills_disk(faults * 3, write, root, planned):
        assert folder.releases(root) == []
        faults += 1
    assert faults > 5
    assert lost_files(root, "1.0.0") == []
