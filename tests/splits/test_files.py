"""The files of splits: read from a folder, planned, written together, and known again."""

import json
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import SPLITS_RECORD, TRAIN_IN_ALL
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.services.splits import read_present_splits
from odyssey_recorder.splits.drawing import KINDS, DrawRules, moved
from odyssey_recorder.splits.episodes import read_facts
from odyssey_recorder.splits.files import (
    plan_splits,
    read_drawing,
    read_record,
    read_split,
    read_splits,
    write_splits,
)
from tests.checking.folders import write_dataset
from tests.dataset.interrupted_changes import FaultInjector
from tests.splits.split_facts import dataset, facts
from tests.splits.split_folders import EPISODES, write_episodes, write_screenshot


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_episodes(tmp_path / "data", EPISODES)


def make_splits(
    root: Path, rules: DrawRules | None = None, *, base: Path | None = None, reshuffle: bool = False
) -> None:
    write_splits(root, plan_splits(root, read_facts(root), rules, base=base, reshuffle=reshuffle))


def files_of(root: Path) -> dict[str, bytes]:
    paths = [path for folder in ("splits", "metadata") for path in (root / folder).rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def test_facts_are_read_from_annotations_and_provenance(tmp_path: Path) -> None:
    write_dataset(tmp_path, "0000000000000001", "0000000000000002")
    one, other = read_facts(tmp_path, with_screenshots=True)
    data = (tmp_path / "annotations" / "0000000000000001.json").read_bytes()
    assert (one.episode_id, one.category, one.device, one.apps) == (
        "0000000000000001", "General_Tool", "Medium Phone", ("Notes", "Clock"),
    )  # fmt: skip
    assert (one.meta_task, one.task) == ("Write {}.", "Write 0000000000000001.")
    assert (one.annotator, one.session) == (other.annotator, other.session)
    assert one.session.startswith("Ada, ")
    assert one.sha256 == sha256(data).hexdigest()
    shots = [(tmp_path / "screenshots" / f"0000000000000001_{step}.png").read_bytes() for step in range(3)]
    assert one.screenshots == tuple(sha256(shot).hexdigest() for shot in shots)


def test_copy_under_another_id_has_equal_contents(root: Path) -> None:
    one = root / "annotations" / f"{EPISODES[1].episode_id}.json"
    copy = one.read_text().replace(EPISODES[1].episode_id, "9999999999999999")
    (root / "annotations" / "9999999999999999.json").write_text(copy)
    known = {one.episode_id: one for one in read_facts(root)}
    assert known["9999999999999999"].contents == known[EPISODES[1].episode_id].contents
    assert len({one.contents for one in known.values()}) == len(EPISODES)


def test_first_screenshot_and_those_after_home_are_entrances(root: Path) -> None:
    write_screenshot(root, EPISODES[0].episode_id, 1, b"an image")
    first = read_facts(root, with_screenshots=True)[0]
    assert first.entrances == {0, 2}
    assert first.screenshots == ("", sha256(b"an image").hexdigest(), "", "")


def test_unreadable_episode_is_named_and_left_out(root: Path) -> None:
    before, unread = read_facts(root), dict[str, str]()
    for damaged in ("{", "[" * 100_000, '{"steps": []}'):
        (root / "annotations" / "9999999999999998.json").write_text(damaged)
        assert read_facts(root, on_unread=unread.__setitem__) == before
        assert "9999999999999998.json" in unread.pop("9999999999999998")
    assert not unread
    with pytest.raises(DatasetError, match="can be used"):
        read_facts(root, without=[one.episode_id for one in before])
    with pytest.raises(DatasetError, match="has no episodes"):
        read_facts(root / "annotations")


def test_written_files_have_the_release_format(root: Path) -> None:
    make_splits(root)
    written = files_of(root)
    assert set(written) == {*(f"splits/{kind}_split.json" for kind in KINDS), SPLITS_RECORD, TRAIN_IN_ALL}
    for kind in KINDS:
        data = written[f"splits/{kind}_split.json"]
        tree = json.loads(data)
        assert list(tree) == ["train", "test"]
        assert all(part == sorted(part) and all(name.endswith(".json") for name in part) for part in tree.values())
        assert data == (json.dumps(tree, indent=4) + "\n").encode()
    assert written[TRAIN_IN_ALL].decode().split() == sorted(
        set.intersection(*({*read_split(root / f"splits/{kind}_split.json").train} for kind in KINDS))
    )


def test_record_describes_how_splits_were_made(root: Path) -> None:
    make_splits(root, DrawRules(seed=5))
    record = read_record(root)
    assert record is not None
    assert (record.episodes, record.base, record.moved, record.missing) == (48, None, {}, {})
    assert record.rules == DrawRules(seed=5)
    assert record.splits["random"].seed in range(5, 105)
    assert record.splits["device"].held == ("Pixel Tablet",)
    for one in record.splits.values():
        counts = [count for part in one.counts.values() for devices in part.values() for count in devices.values()]
        assert sum(counts) == 48
        assert sum(sum(devices.values()) for devices in one.counts["test"].values()) == one.test
    assert [one.kind for one in record.leaks.splits] == [*KINDS]


def test_splits_are_reproducible(root: Path) -> None:
    make_splits(root)
    before = files_of(root)
    make_splits(root)
    assert files_of(root) == before
    annotation = root / "annotations" / f"{EPISODES[3].episode_id}.json"
    annotation.write_bytes(annotation.read_bytes() + b"\n")
    make_splits(root)
    changed = {name for name, data in files_of(root).items() if data != before[name]}
    assert changed == {SPLITS_RECORD}  # its fingerprint


def test_random_split_stays_before_a_release_while_its_rules_do(root: Path) -> None:
    make_splits(root, DrawRules(seed=7))
    before = read_drawing(root)[1].drawn["random"].split
    write_episodes(root, [facts(number) for number in range(48, 60)])
    make_splits(root, DrawRules(seed=7))
    after = read_drawing(root)[1].drawn["random"].split
    assert (moved(before, after), len(after.test)) == (0, 12)
    make_splits(root, DrawRules(seed=8))
    assert moved(after, read_drawing(root)[1].drawn["random"].split) > 0


def test_splits_for_each_device_are_files_of_their_own_until_they_are_not_wanted(root: Path) -> None:
    make_splits(root, DrawRules(each_device=True))
    both = {f"splits/device_pixel_{name}_split.json" for name in ("fold", "tablet")}
    written = files_of(root)
    assert {name for name in written if name.startswith("splits/device_")} == {*both, "splits/device_split.json"}
    assert read_present_splits(root).foreign == []
    record = read_record(root)
    assert record is not None
    assert [one.kind for one in record.leaks.splits] == [*KINDS]
    make_splits(root)
    assert not both & set(files_of(root))
    assert files_of(root)[TRAIN_IN_ALL] == written[TRAIN_IN_ALL]


def test_released_parts_stay_when_the_dataset_grows(root: Path, tmp_path: Path) -> None:
    make_splits(root)
    released = read_drawing(root)[1]
    grown = write_episodes(
        tmp_path / "grown", [*EPISODES, *(facts(number, apps=("Opera",)) for number in range(48, 60))]
    )
    make_splits(grown, base=root)
    record, now = read_drawing(grown)
    first = read_record(root)
    assert first is not None
    assert record.base == first.fingerprint
    for kind, one in released.drawn.items():
        assert {*one.split.train} <= {*now.drawn[kind].split.train}
        assert {*one.split.test} <= {*now.drawn[kind].split.test}
    before = files_of(grown)
    make_splits(grown)  # it continues without the base
    assert files_of(grown) == before


def test_reshuffle_counts_moved_episodes_and_drops_the_base(root: Path) -> None:
    make_splits(root)
    make_splits(root, base=root)
    before = read_drawing(root)[1]
    make_splits(root, DrawRules(seed=77), reshuffle=True)
    record, after = read_drawing(root)
    assert record.base is None
    there = {*before.drawn["random"].split.test}
    assert record.moved["random"] == len(there ^ {*after.drawn["random"].split.test}) > 0
    assert record.moved["device"] == 0


def test_split_that_became_impossible_is_removed(root: Path) -> None:
    make_splits(root)
    make_splits(root, DrawRules(devices=("Nexus 5",)))
    record = read_record(root)
    assert record is not None
    assert "no episode is from Nexus 5" in record.missing["device"]
    assert not (root / "splits" / "device_split.json").exists()


@pytest.mark.parametrize("name", ["README.md", ".DS_Store", "random_split.json", "mine.json"])
def test_foreign_file_is_named_and_nothing_changes(root: Path, name: str) -> None:
    (root / "splits").mkdir()
    (root / "splits" / name).write_text('{"train": [], "test": []}')
    with pytest.raises(DatasetError, match=f"{name} was not made here.*Move it away"):
        make_splits(root)
    assert [*files_of(root)] == [f"splits/{name}"]


def test_edited_split_is_neither_replaced_nor_continued(root: Path) -> None:
    make_splits(root)
    path = root / "splits" / "app_split.json"
    path.write_bytes(path.read_bytes() + b"\n")
    before = files_of(root)
    with pytest.raises(DatasetError, match=r"app_split.json .* has changed since"):
        make_splits(root)
    with pytest.raises(DatasetError, match=r"app_split.json has changed since"):
        make_splits(root, base=root)
    assert files_of(root) == before


class _KilledError(BaseException): ...


def kill() -> None:
    raise _KilledError


def test_interruption_leaves_old_or_new_splits(root: Path) -> None:
    make_splits(root)
    old = read_drawing(root)[1]
    planned = plan_splits(root, read_facts(root), DrawRules(seed=50, devices=("Nexus 5",)))
    injector = FaultInjector(root)
    seen = set()
    for after in range(100):
        injector.arm(after, kill)
        with suppress(_KilledError):
            write_splits(root, planned)
        if not injector.disarm():
            break
        record, now = read_drawing(root)
        assert now == old or (record, now) == (planned.record, planned.drawing)
        seen.add(now == old)
        make_splits(root)  # completes or drops what was interrupted, then draws as at first
        assert read_drawing(root)[1] == old
        assert not (root / "metadata" / "splits.part").exists()
    assert seen == {True, False}
    assert 2 * len(planned.files) < after < 99


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"train": ["1.json", 7], "test": []}', None),
        ("[]", "needs 2 lists of episodes, train and test"),
        ('{"train": {}, "test": []}', "needs 2 lists"),
        ('{"train": []}', "needs 2 lists"),
        ("{", "cannot be read: line 1"),
    ],
)
def test_split_file_is_read_or_rejected_by_name(tmp_path: Path, text: str, message: str | None) -> None:
    path = tmp_path / "splits" / "mine_split.json"
    path.parent.mkdir()
    path.write_text(text)
    if message is None:
        (read,) = read_splits(path.parent)
        assert (read.kind, read.train, read.test) == ("mine", ("1", "7"), ())
        return
    with pytest.raises(DatasetError, match=f"mine_split.json {message}"):
        read_splits(path.parent)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "was not made by this program"),
        ("[", "was not made by this program"),
        ({"leaks": {"splits": [{"leaks": [{"severity": "dire"}]}]}}, r"this program. Move it away \(leaks"),
        ({"format": 2}, "newer version"),
    ],
)
def test_invalid_record_is_named(root: Path, text: str | dict[str, object], message: str) -> None:
    make_splits(root)
    path = root / SPLITS_RECORD
    path.write_text(text if isinstance(text, str) else json.dumps(json.loads(path.read_text()) | text))
    with pytest.raises(DatasetError, match=message):
        make_splits(root)


def test_nothing_is_written_through_a_link_to_outside(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / "metadata").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DatasetError, match="leads out of"):
        make_splits(root)
    assert not any((tmp_path / "elsewhere").iterdir())


def test_staged_files_are_not_deleted_through_a_link(root: Path) -> None:
    (root / "metadata").mkdir()
    (root / "metadata" / "splits.part").symlink_to(root / "annotations")
    with pytest.raises(DatasetError, match="it is a link"):
        make_splits(root)
    assert len([*(root / "annotations").iterdir()]) == len(EPISODES)


def test_unfinished_fix_prevents_new_splits(root: Path) -> None:
    change = {"episode_id": EPISODES[0].episode_id, "source": "", "target": ""}
    (root / "reviews" / "history").mkdir(parents=True)
    (root / "reviews" / "history" / "change.json").write_text(json.dumps(change))
    with pytest.raises(DatasetError, match=f"A fix of episode {EPISODES[0].episode_id} was interrupted"):
        make_splits(root)


def test_base_without_splits_is_named(root: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="does not say how its splits were made"):
        plan_splits(root, dataset(1, episodes=30), base=tmp_path)
