"""Amendments of published episodes with all their files, atomic, and restored byte for byte."""

import errno
import json
import multiprocessing
import shutil
import signal
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey_recorder.dataset.amendment import (
    Amendment,
    DropSteps,
    DropTail,
    NewApps,
    NewBox,
    NewEnd,
    NewInstruction,
    NewNote,
    NewPress,
    NewText,
)
from odyssey_recorder.dataset.journal import Change, unheard
from odyssey_recorder.dataset.layout import HISTORY
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.model.action import Click, Complete, Press, SystemKey, Type
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.geometry import Point
from tests.dataset import cut_short
from tests.dataset.drafts import png
from tests.dataset.published_episode import ACTIONS, InDataset, recorded, released, store_of, tree_of

_processes = multiprocessing.get_context(
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else None
)
_processes.set_forkserver_preload(["tests.dataset.cut_short"])

WORDS = NewInstruction(instruction="Write bread down.")
DROP = DropSteps(first=1, last=1)


def screenshot(there: InDataset, step: int) -> bytes:
    return (there.root / "screenshots" / f"{there.episode_id}_{step}.png").read_bytes()


@pytest.fixture
def there(tmp_path: Path) -> InDataset:
    return recorded(tmp_path)


def amend(
    there: InDataset, amendment: Amendment, *, expected: str = "", record: Callable[[Change], object] = unheard
) -> Change:
    return Versions(there.root).amend(there.episode_id, amendment, expected=expected, record=record)


def restore(there: InDataset, version: str) -> Change:
    return Versions(there.root).restore(there.episode_id, version)


def revision(there: InDataset) -> str:
    return Versions(there.root).revision(there.episode_id)


def kept_in(there: InDataset, change: Change) -> Path:
    return there.root / HISTORY / there.episode_id / change.version


def drop_and_die(there: InDataset) -> Change:
    """Drop a step; the journal is left as if the program had died when all was done."""
    intent, seen = there.root / HISTORY / "change.json", list[bytes]()
    change = amend(there, DROP, record=lambda _: seen.append(intent.read_bytes()))
    intent.write_bytes(seen[0])
    return change


# Files of the episode.


def test_screenshots_trees_and_provenance_follow_the_numbering_when_steps_are_dropped(there: InDataset) -> None:
    amend(there, DropSteps(first=0, last=1))
    episode = store_of(there).load(there.episode_id)
    provenance = store_of(there).provenance(there.episode_id)
    assert [screenshot(there, step) for step in range(3)] == [png(40), png(60), png(80)]
    assert [tree_of(there, step) for step in range(3)] == ["<hierarchy step='2'/>", None, "<hierarchy step='4'/>"]
    assert [step.action for step in episode.steps] == list(ACTIONS[2:])
    assert [step.screenshot for step in episode.steps] == [f"{there.episode_id}_{step}.png" for step in range(3)]
    assert provenance is not None
    assert [one.ui_tree for one in provenance.steps] == [f"{there.episode_id}_0.xml", None, f"{there.episode_id}_2.xml"]
    hashes = [sha256(screenshot(there, step)).hexdigest() for step in range(3)]
    assert [one.frame.png_sha256 for one in provenance.steps] == hashes
    assert not [name for name in there.files() if "_3." in name or "_4." in name or name.endswith(".part")]


def test_a_step_whose_screenshot_is_missing_never_gets_that_of_another(tmp_path: Path) -> None:
    there = released(tmp_path)
    (there.root / "screenshots" / f"{there.episode_id}_3.png").unlink()
    amend(there, DROP)
    assert [screenshot(there, step) for step in (0, 1, 3)] == [png(0), png(40), png(80)]
    assert not (there.root / "screenshots" / f"{there.episode_id}_2.png").exists()


def test_a_released_file_keeps_its_spelling_and_the_boxes_of_other_steps(tmp_path: Path) -> None:
    there = released(tmp_path)
    before = json.loads(there.annotation() or b"")
    amend(there, NewBox(step=0, box=(30, 50, 50, 70)))
    after = json.loads(there.annotation() or b"")
    assert after["steps"][0] == before["steps"][0] | {"sam2_bbox": [416, 390, 695, 547]}
    assert after["steps"][1:] == before["steps"][1:]


def test_what_a_provenance_says_beyond_our_format_stays(there: InDataset) -> None:
    path = there.root / "provenance" / f"{there.episode_id}.json"
    said = json.loads(path.read_text())
    said["weather"] = "rain"
    for number, step in enumerate(said["steps"]):
        step["frame"]["mood"] = number
    path.write_text(json.dumps(said))
    amend(there, DROP)
    kept = json.loads(path.read_text())
    assert kept["weather"] == "rain"
    assert [step["frame"]["mood"] for step in kept["steps"]] == [0, 2, 3, 4]


def test_a_box_is_measured_on_the_screenshot_and_drawn_on_none_that_cannot_be_opened(tmp_path: Path) -> None:
    there = released(tmp_path)
    with pytest.raises(ReviewError, match="outside the screenshot of 72x128"):
        amend(there, NewBox(step=0, box=(100, 50, 120, 70)))
    (there.root / "screenshots" / f"{there.episode_id}_0.png").write_bytes(b"no picture")
    with pytest.raises(ReviewError, match="cannot be opened"):
        amend(there, NewBox(step=0, box=(30, 50, 50, 70)))


# History.


def test_the_version_before_is_whole_and_can_be_read_as_a_dataset(there: InDataset) -> None:
    before, old = there.files(), revision(there)
    change = amend(there, DROP)
    kept = InDataset(kept_in(there, change), there.episode_id)
    assert kept.files() == before
    assert len(store_of(kept).load(there.episode_id).steps) == 5
    assert (change.before, change.after) == (old, revision(there))
    assert change.version.startswith(old)


def test_a_note_is_in_the_provenance_alone_and_the_newer_version_is_kept_too_when_the_older_one_comes_back(
    there: InDataset,
) -> None:
    before = there.files()
    amended = amend(there, NewNote(step=0, note="first"))
    assert amended.before == amended.after, "the annotation is the same"
    newer = there.files()
    undone = restore(there, amended.version)
    assert there.files() == before != newer
    restore(there, undone.version)
    assert there.files() == newer


def test_a_change_of_the_file_in_its_place_does_not_reach_into_the_history(there: InDataset) -> None:
    before = there.files()
    change = amend(there, WORDS)
    for name in ("annotations", "provenance"):
        with (there.root / name / f"{there.episode_id}.json").open("r+b") as file:
            file.write(b"spoilt")
    restore(there, change.version)
    assert there.files() == before


@pytest.mark.parametrize("has_links", [True, False])
def test_screenshots_take_no_room_twice_and_are_copied_where_the_disk_has_no_links(
    there: InDataset, monkeypatch: pytest.MonkeyPatch, *, has_links: bool
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError(errno.EPERM, f"no link of {target} to {self}")

    if not has_links:
        monkeypatch.setattr(Path, "hardlink_to", refuse)
    before = there.files()
    change = amend(there, DROP)
    assert [screenshot(there, step) for step in range(4)] == [png(0), png(40), png(60), png(80)]
    moved = kept_in(there, change) / "screenshots" / f"{there.episode_id}_2.png"
    assert moved.samefile(there.root / "screenshots" / f"{there.episode_id}_1.png") == has_links
    restore(there, change.version)
    assert there.files() == before


def test_a_version_that_was_spoilt_does_not_come_back_and_is_kept_anew_while_it_is_the_present_one(
    there: InDataset,
) -> None:
    before = there.files()
    change = amend(there, DROP)
    restore(there, change.version)
    (kept_in(there, change) / "screenshots" / f"{there.episode_id}_1.png").unlink()
    with pytest.raises(DatasetError, match="is missing or damaged"):
        restore(there, change.version)
    assert there.files() == before
    assert amend(there, WORDS).version == change.version
    restore(there, change.version)
    assert there.files() == before


@pytest.mark.parametrize("version", ["", "..", "../../../etc", "0" * 64, "0" * 64 + "-" + "0" * 16 + "\n"])
def test_what_is_no_version_is_refused(there: InDataset, version: str) -> None:
    with pytest.raises(ReviewError, match="is not a saved version"):
        restore(there, version)


def test_another_revision_than_the_one_looked_at_is_not_amended(there: InDataset) -> None:
    seen = revision(there)
    amend(there, WORDS, expected=seen)
    with pytest.raises(ReviewError, match="has changed since it was opened"):
        amend(there, DROP, expected=seen)


_amendments: st.SearchStrategy[Amendment] = st.one_of(
    st.builds(NewInstruction, instruction=st.text(st.characters(codec="utf-8"), min_size=1, max_size=5)),
    st.builds(NewApps, category=st.just(Category.WEB_SHOPPING), apps=st.just(("Shop", "Notes"))),
    st.builds(NewEnd, words=st.sampled_from(["", "found it"])),
    st.builds(NewNote, step=st.integers(0, 4), note=st.sampled_from(["", "odd"])),
    st.builds(NewPress, step=st.integers(0, 4), long=st.booleans()),
    st.builds(NewText, step=st.integers(0, 4), text=st.sampled_from(["bread", "eggs"])),
    st.builds(NewBox, step=st.integers(0, 4), box=st.sampled_from([(30, 50, 50, 70), (3, 110, 20, 120)])),
    st.builds(DropSteps, first=st.integers(0, 3), last=st.integers(0, 3)),
    st.builds(DropTail, at=st.integers(0, 3)),
)


@settings(max_examples=15)
@given(done=st.lists(_amendments | st.none(), max_size=6), has_provenance=st.booleans())
def test_whatever_was_amended_the_first_version_comes_back_byte_for_byte(
    done: list[Amendment | None], *, has_provenance: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        there = (recorded if has_provenance else released)(Path(folder))
        pairs = {screenshot(there, step) for step in range(5)}
        changes: list[tuple[Change, dict[str, bytes]]] = []
        for amendment in done:
            before = there.files()
            try:
                if amendment is not None:
                    changes.append((amend(there, amendment), before))
                elif changes:
                    change, wanted = changes.pop()
                    restore(there, change.version)
                    assert there.files() == wanted
            except ReviewError:
                assert there.files() == before, "what is refused changes nothing"
            episode = store_of(there).load(there.episode_id)
            assert {screenshot(there, step) for step in range(len(episode.steps))} <= pairs
        for change, wanted in reversed(changes):
            restore(there, change.version)
            assert there.files() == wanted


# The record of changes.


def test_a_change_that_cannot_be_recorded_is_taken_back(there: InDataset) -> None:
    before = there.files()

    def record(change: Change) -> None:
        raise DatasetError(f"no room for {change.episode_id}")

    with pytest.raises(DatasetError, match="no room for"):
        amend(there, DROP, record=record)
    assert there.files() == before
    assert Versions(there.root).recover() is None


@pytest.mark.parametrize("on_record", [True, False])
def test_what_is_on_record_when_the_program_dies_is_carried_out_and_all_else_taken_back(
    there: InDataset, *, on_record: bool
) -> None:
    before = there.files()
    made = drop_and_die(there)
    after = there.files()
    versions = Versions(there.root, lambda change: on_record and change.id == made.id)
    assert versions.recover() == there.episode_id
    assert there.files() == (after if on_record else before)
    assert versions.recover() is None


@pytest.mark.parametrize("folder", ["annotations", "screenshots"])
def test_where_the_version_before_is_not_whole_nothing_is_taken_back_and_nothing_deleted(
    there: InDataset, folder: str
) -> None:
    change = drop_and_die(there)
    after = there.files()
    shutil.rmtree(kept_in(there, change) / folder)
    with pytest.raises(DatasetError, match="differs from the saved version"):
        Versions(there.root).recover()
    assert there.files() == after


# Concurrent access.


def test_who_asks_for_the_revision_while_the_annotation_is_away_hears_it_all_the_same(there: InDataset) -> None:
    change = drop_and_die(there)
    (there.root / "annotations" / f"{there.episode_id}.json").unlink()
    intent = there.root / HISTORY / "change.json"
    aside = intent.rename(intent.with_name("aside"))
    with pytest.raises(DatasetError, match="file not found"):
        revision(there)
    aside.rename(intent)
    assert revision(there) == change.before


def test_two_who_amend_at_once_do_so_one_after_the_other(tmp_path: Path) -> None:
    there = recorded(tmp_path, (*(Press(SystemKey.HOME) for _ in range(12)), Complete()))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: amend(there, DropSteps(first=1, last=1)), range(10)))
    assert [screenshot(there, step) for step in range(3)] == [png(0), png(220), png(240)]


def test_whoever_holds_the_dataset_too_long_is_named_as_the_reason(
    there: InDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odyssey_recorder.dataset.journal._PATIENCE_S", 0.01)
    (there.root / HISTORY).mkdir(parents=True)
    with FileLock(there.root / HISTORY / "lock"), pytest.raises(DatasetError, match="Another program is writing to"):
        amend(there, WORDS)


# Killed, and disk full.


Files = dict[str, bytes]


class Stage:
    def __init__(self, folder: Path, deed: str) -> None:
        self.folder = folder / "stages"
        self.folder.mkdir()
        actions = (Click(Point(500, 500)), Type("milk"), Complete())
        self.original = recorded(folder, actions)
        version = ""
        if deed == "bring a version back":
            version = Versions(self.original.root).amend(self.original.episode_id, DROP).version
        if deed == "out of the trash":
            Trash(self.original.root).move(self.original.episode_id)
        self.deed = (deed, self.original.episode_id, version)
        done = self.fresh("done")
        cut_short.carry_out(done.root, self.deed)
        self._whole = [self.original, done]

    def fresh(self, name: object) -> InDataset:
        copy = shutil.copytree(self.original.root, self.folder / str(name))
        return InDataset(copy, self.original.episode_id)

    def kill(self, there: InDataset, after: int, deed: str = "") -> bool:
        """Make a change in a process that is killed after `after` file operations; False if it ended before."""
        words = (deed or self.deed[0], *self.deed[1:])
        child = _processes.Process(target=cut_short.be_killed, args=(there.root, words, after))
        child.start()
        child.join(60)
        assert child.exitcode in (0, -signal.SIGKILL)
        return child.exitcode != 0

    def assert_whole(self, there: InDataset) -> None:
        assert _timeless(there.files()) in [_timeless(one.files()) for one in self._whole]

    def assert_no_mixture(self, there: InDataset) -> None:
        """The annotation has the screenshots and view hierarchies of its version; or there is no annotation."""
        annotation, files = there.annotation(), there.files()
        if annotation is None:
            return
        [belongs] = [one.files() for one in self._whole if one.annotation() == annotation]
        for name, data in belongs.items():
            if name.startswith(("screenshots", "ui_trees")):
                assert files.get(name) == data, f"{name} is not that of the annotation"


def _timeless(files: Files) -> Files:
    """The files without timestamps in the names of trash folders, and without those being deleted."""
    parts = {name: name.split("/") for name in files}
    return {
        "/".join(["trash", *part[2:]]) if part[0] == "trash" else name: files[name]
        for name, part in parts.items()
        if not (part[0] == "trash" and part[1].endswith(".part"))
    }


@pytest.fixture(params=[deed for deed in cut_short.DEEDS if deed != "recover"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Stage:
    return Stage(tmp_path, request.param)


_every = pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.soak)])
"""At each third file operation, and in the long series at each."""


def test_a_program_that_is_killed_at_any_file_operation_leaves_the_old_or_the_new_and_never_a_mixture(
    stage: Stage,
) -> None:
    after = 0
    while stage.kill(there := stage.fresh(after), after):
        stage.assert_no_mixture(there)
        Versions(there.root).recover()
        stage.assert_whole(there)
        assert there.annotation() is not None or Trash(there.root).episodes()
        after += 1
    assert after > 15, "there were that many instants"


@_every
def test_recovering_may_be_killed_too(stage: Stage, every: int) -> None:
    operations = 0
    while stage.kill(stage.fresh(f"count {operations}"), operations):
        operations += 7
    for died_at in (operations // 2, operations * 3 // 4):
        after = 0
        while True:
            there = stage.fresh(f"{died_at} {after}")
            assert stage.kill(there, died_at)
            if not stage.kill(there, after, "recover"):
                break
            stage.assert_no_mixture(there)
            Versions(there.root).recover()
            stage.assert_whole(there)
            after += 2 * every


@_every
@pytest.mark.parametrize("forever", [False, True])
def test_a_disk_that_is_full_at_any_file_operation_leaves_the_old_or_the_new(
    stage: Stage, every: int, *, forever: bool
) -> None:
    words = stage.folder, stage.original.root, stage.deed
    with ProcessPoolExecutor(1, mp_context=_processes) as pool:
        job = pool.submit(cut_short.fail, *words, forever=forever, every=4 * every if forever else every)
        operations = job.result(60)
    assert operations[-1] > 15, "there were that many operations"
    for number in operations:
        stage.assert_whole(InDataset(stage.folder / str(number), stage.original.episode_id))
