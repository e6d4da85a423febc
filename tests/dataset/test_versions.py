"""Amendments of published episodes with all their files, atomic, and restored byte for byte."""

import errno
import json
import multiprocessing
import shutil
import signal
import tempfile
import threading
from concurrent.futures import ProcessPoolExecutor
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
from odyssey_recorder.dataset.journal import Change
from odyssey_recorder.dataset.layout import HISTORY
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.model.action import Click, Complete, Press, SystemKey, Type
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.geometry import Point
from tests.dataset import cut_short
from tests.dataset.drafts import png
from tests.dataset.published_episode import InDataset, recorded, released, store_of, tree_of

_processes = multiprocessing.get_context(
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else None
)
_processes.set_forkserver_preload(["tests.dataset.cut_short"])

WORDS = NewInstruction(instruction="Write bread down.")
DROP = DropSteps(first=1, last=1)


def picture(there: InDataset, step: int) -> bytes:
    return (there.root / "screenshots" / f"{there.episode_id}_{step}.png").read_bytes()


# Files of the episode.


def test_pictures_trees_and_proof_follow_the_numbering_when_steps_are_dropped(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    Versions(there.root).amend(there.episode_id, DropSteps(first=0, last=1))
    episode = store_of(there).load(there.episode_id)
    proof = store_of(there).provenance(there.episode_id)
    assert [picture(there, step) for step in range(3)] == [png(40), png(60), png(80)]
    assert [tree_of(there, step) for step in range(3)] == ["<hierarchy step='2'/>", None, "<hierarchy step='4'/>"]
    assert len(episode.steps) == 3
    assert proof is not None
    assert [one.ui_tree for one in proof.steps] == [f"{there.episode_id}_0.xml", None, f"{there.episode_id}_2.xml"]
    assert not [name for name in there.files() if "_3." in name or "_4." in name or name.endswith(".part")]


def test_a_step_whose_picture_is_missing_never_gets_that_of_another(tmp_path: Path) -> None:
    there = released(tmp_path)
    (there.root / "screenshots" / f"{there.episode_id}_3.png").unlink()
    Versions(there.root).amend(there.episode_id, DROP)
    assert [picture(there, step) for step in (0, 1, 3)] == [png(0), png(40), png(80)]
    assert not (there.root / "screenshots" / f"{there.episode_id}_2.png").exists()


def test_a_released_file_keeps_its_spelling_and_the_boxes_of_other_steps(tmp_path: Path) -> None:
    there = released(tmp_path)
    before = json.loads(there.annotation() or b"")
    Versions(there.root).amend(there.episode_id, NewBox(step=0, box=(30, 50, 50, 70)))
    after = json.loads(there.annotation() or b"")
    assert after["steps"][0] == before["steps"][0] | {"sam2_bbox": [416, 390, 695, 547]}
    assert after["steps"][1:] == before["steps"][1:]


def test_what_a_proof_says_beyond_our_format_stays(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    path = there.root / "provenance" / f"{there.episode_id}.json"
    said = json.loads(path.read_text())
    said["weather"] = "rain"
    for number, step in enumerate(said["steps"]):
        step["frame"]["mood"] = number
    path.write_text(json.dumps(said))
    Versions(there.root).amend(there.episode_id, DROP)
    kept = json.loads(path.read_text())
    assert kept["weather"] == "rain"
    assert [step["frame"]["mood"] for step in kept["steps"]] == [0, 2, 3, 4]


def test_the_box_of_a_picture_that_is_turned_is_measured_on_the_picture(tmp_path: Path) -> None:
    there = released(tmp_path)
    with pytest.raises(ReviewError, match="within the picture of 72x128"):
        Versions(there.root).amend(there.episode_id, NewBox(step=0, box=(100, 50, 120, 70)))


def test_no_box_is_drawn_on_a_picture_that_cannot_be_opened(tmp_path: Path) -> None:
    there = released(tmp_path)
    (there.root / "screenshots" / f"{there.episode_id}_0.png").write_bytes(b"no picture")
    with pytest.raises(ReviewError, match="cannot be opened"):
        Versions(there.root).amend(there.episode_id, NewBox(step=0, box=(30, 50, 50, 70)))


def test_drafts_are_left_alone(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    drafts = tmp_path / "drafts"
    before = sorted(drafts.rglob("*"))
    Versions(there.root).amend(there.episode_id, WORDS)
    assert sorted(drafts.rglob("*")) == before


# History.


def test_the_version_before_is_whole_and_can_be_read_as_a_dataset(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    before = there.files()
    versions = Versions(there.root)
    revision = versions.revision(there.episode_id)
    change = versions.amend(there.episode_id, DROP)
    kept = InDataset(there.root / HISTORY / there.episode_id / change.version, there.episode_id)
    assert kept.files() == before
    assert len(store_of(kept).load(there.episode_id).steps) == 5
    assert (change.before, change.after) == (revision, versions.revision(there.episode_id))
    assert change.version.startswith(revision)


def test_a_note_is_in_the_proof_alone_and_can_be_taken_back(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    before = there.files()
    versions = Versions(there.root)
    change = versions.amend(there.episode_id, NewNote(step=0, note="first"))
    assert change.before == change.after, "the annotation is the same"
    assert there.files() != before
    versions.restore(there.episode_id, change.version)
    assert there.files() == before


def test_the_newer_version_is_kept_too_when_an_older_one_comes_back(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    versions = Versions(there.root)
    amended = versions.amend(there.episode_id, DROP)
    newer = there.files()
    undone = versions.restore(there.episode_id, amended.version)
    assert (undone.before, undone.after) == (amended.after, amended.before)
    versions.restore(there.episode_id, undone.version)
    assert there.files() == newer


def test_a_change_of_the_file_in_its_place_does_not_reach_into_the_history(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    before = there.files()
    versions = Versions(there.root)
    change = versions.amend(there.episode_id, WORDS)
    for name in ("annotations", "provenance"):
        with (there.root / name / f"{there.episode_id}.json").open("r+b") as file:
            file.write(b"spoilt")
    versions.restore(there.episode_id, change.version)
    assert there.files() == before


def test_where_the_disk_has_no_links_pictures_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError(errno.EPERM, f"no link of {target} to {self}")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    there = recorded(tmp_path)
    before = there.files()
    change = Versions(there.root).amend(there.episode_id, DROP)
    assert [picture(there, step) for step in range(4)] == [png(0), png(40), png(60), png(80)]
    Versions(there.root).restore(there.episode_id, change.version)
    assert there.files() == before


def test_pictures_take_no_room_twice(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    change = Versions(there.root).amend(there.episode_id, DROP)
    kept = there.root / HISTORY / there.episode_id / change.version / "screenshots"
    moved = kept / f"{there.episode_id}_2.png"
    assert moved.samefile(there.root / "screenshots" / f"{there.episode_id}_1.png")


def test_a_version_that_was_spoilt_does_not_come_back(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    versions = Versions(there.root)
    change = versions.amend(there.episode_id, DROP)
    now = there.files()
    (there.root / HISTORY / there.episode_id / change.version / "annotations" / f"{there.episode_id}.json").unlink()
    with pytest.raises(DatasetError, match="not as it was kept"):
        versions.restore(there.episode_id, change.version)
    assert there.files() == now


def test_a_version_that_was_spoilt_is_kept_anew_while_it_is_the_present_one(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    before = there.files()
    versions = Versions(there.root)
    change = versions.amend(there.episode_id, DROP)
    versions.restore(there.episode_id, change.version)
    (there.root / HISTORY / there.episode_id / change.version / "screenshots" / f"{there.episode_id}_1.png").unlink()
    assert versions.amend(there.episode_id, WORDS).version == change.version
    versions.restore(there.episode_id, change.version)
    assert there.files() == before


@pytest.mark.parametrize("version", ["", "..", "../../../etc", "0" * 64, "0" * 64 + "-" + "0" * 16 + "\n"])
def test_what_is_no_version_is_refused(tmp_path: Path, version: str) -> None:
    there = recorded(tmp_path)
    with pytest.raises(ReviewError, match="is no version"):
        Versions(there.root).restore(there.episode_id, version)


def test_another_revision_than_the_one_looked_at_is_not_amended(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    versions = Versions(there.root)
    seen = versions.revision(there.episode_id)
    versions.amend(there.episode_id, WORDS, expected=seen)
    with pytest.raises(ReviewError, match="was changed since it was opened"):
        versions.amend(there.episode_id, DROP, expected=seen)


@pytest.mark.parametrize("episode_id", ["", "../../etc/passwd", "000000000000000/"])
def test_what_is_no_id_leads_nowhere(tmp_path: Path, episode_id: str) -> None:
    there = recorded(tmp_path)
    with pytest.raises(DatasetError, match="is not an episode's id"):
        Versions(there.root).amend(episode_id, WORDS)


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
@given(done=st.lists(_amendments | st.none(), max_size=6), has_proof=st.booleans())
def test_whatever_was_amended_the_first_version_comes_back_byte_for_byte(
    done: list[Amendment | None], *, has_proof: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        there = (recorded if has_proof else released)(Path(folder))
        versions = Versions(there.root)
        pairs = {picture(there, step) for step in range(5)}
        changes: list[tuple[Change, dict[str, bytes]]] = []
        for amendment in done:
            before = there.files()
            try:
                if amendment is not None:
                    changes.append((versions.amend(there.episode_id, amendment), before))
                elif changes:
                    change, wanted = changes.pop()
                    versions.restore(there.episode_id, change.version)
                    assert there.files() == wanted
            except ReviewError:
                assert there.files() == before, "what is refused changes nothing"
            episode = store_of(there).load(there.episode_id)
            assert {picture(there, step) for step in range(len(episode.steps))} <= pairs
        for change, wanted in reversed(changes):
            versions.restore(there.episode_id, change.version)
            assert there.files() == wanted


# The record of changes.


def test_a_change_that_cannot_be_recorded_is_taken_back(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    before = there.files()

    def record(change: Change) -> None:
        raise DatasetError(f"no room for {change.episode_id}")

    with pytest.raises(DatasetError, match="no room for"):
        Versions(there.root).amend(there.episode_id, DROP, record=record)
    assert there.files() == before
    assert Versions(there.root).recover() is None


@pytest.mark.parametrize("on_record", [True, False])
def test_what_is_on_record_when_the_program_dies_is_carried_out_and_all_else_taken_back(
    tmp_path: Path, *, on_record: bool
) -> None:
    there = recorded(tmp_path)
    before = there.files()
    intent, last_seen = there.root / HISTORY / "change.json", tmp_path / "intent"
    book: set[str] = set()

    def record(change: Change) -> None:
        book.add(change.id)
        shutil.copy(intent, last_seen)

    Versions(there.root).amend(there.episode_id, DROP, record=record)
    after = there.files()
    shutil.copy(last_seen, intent)
    versions = Versions(there.root, lambda change: on_record and change.id in book)
    assert versions.recover() == there.episode_id
    assert there.files() == (after if on_record else before)
    assert versions.recover() is None


@pytest.mark.parametrize("folder", ["annotations", "screenshots"])
def test_where_the_version_before_is_not_whole_nothing_is_taken_back_and_nothing_deleted(
    tmp_path: Path, folder: str
) -> None:
    there = recorded(tmp_path)
    intent, last_seen = there.root / HISTORY / "change.json", tmp_path / "intent"
    change = Versions(there.root).amend(there.episode_id, DROP, record=lambda _: shutil.copy(intent, last_seen))
    after = there.files()
    shutil.copy(last_seen, intent)
    shutil.rmtree(there.root / HISTORY / there.episode_id / change.version / folder)
    with pytest.raises(DatasetError, match="is not as it was kept"):
        Versions(there.root).recover()
    assert there.files() == after


# Concurrent access.


def test_who_asks_for_the_revision_while_the_annotation_is_away_hears_it_all_the_same(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    versions = Versions(there.root)
    revision = versions.revision(there.episode_id)
    intent, last_seen = there.root / HISTORY / "change.json", tmp_path / "intent"
    versions.amend(there.episode_id, DROP, record=lambda _: shutil.copy(intent, last_seen))
    (there.root / "annotations" / f"{there.episode_id}.json").unlink()
    with pytest.raises(DatasetError, match="there is no such file"):
        versions.revision(there.episode_id)
    shutil.copy(last_seen, intent)
    assert versions.revision(there.episode_id) == revision


def test_two_who_amend_at_once_do_so_one_after_the_other(tmp_path: Path) -> None:
    there = recorded(tmp_path, (*(Press(SystemKey.HOME) for _ in range(12)), Complete()))
    problems: list[BaseException] = []

    def drop() -> None:
        try:
            for _ in range(5):
                Versions(there.root).amend(there.episode_id, DropSteps(first=1, last=1))
        except BaseException as error:  # noqa: BLE001 - passed on to the test
            problems.append(error)

    threads = [threading.Thread(target=drop) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert [picture(there, step) for step in range(3)] == [png(0), png(220), png(240)]


def test_whoever_holds_the_dataset_too_long_is_named_as_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = recorded(tmp_path)
    monkeypatch.setattr("odyssey_recorder.dataset.journal._PATIENCE_S", 0.01)
    (there.root / HISTORY).mkdir(parents=True)
    with FileLock(there.root / HISTORY / "lock"), pytest.raises(DatasetError, match="Another program is changing"):
        Versions(there.root).amend(there.episode_id, WORDS)


# Killed, and disk full.


Files = dict[str, bytes]


class Stage:
    def __init__(self, folder: Path, deed: str) -> None:
        self.deed = deed
        self.folder = folder / "stages"
        self.folder.mkdir()
        actions = (Click(Point(500, 500)), Type("milk"), Complete())
        self.original = recorded(folder, actions)
        version = ""
        if deed == "bring a version back":
            version = Versions(self.original.root).amend(self.original.episode_id, DROP).version
        if deed == "out of the trash":
            Trash(self.original.root).move(self.original.episode_id)
        self.names = (self.original.episode_id, version)
        done = self.fresh("done")
        cut_short.DEEDS[deed](done.root, *self.names)
        self._whole = [self.original, done]

    def fresh(self, name: object) -> InDataset:
        copy = shutil.copytree(self.original.root, self.folder / str(name))
        return InDataset(copy, self.original.episode_id)

    def kill(self, there: InDataset, deed: str, after: int) -> bool:
        """Make a change in a process that is killed after `after` file operations; False if it ended before."""
        child = _processes.Process(target=cut_short.be_killed, args=(there.root, deed, self.names, after))
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


def test_a_program_that_is_killed_at_any_file_operation_leaves_the_old_or_the_new_and_never_a_mixture(
    stage: Stage,
) -> None:
    after = 0
    while stage.kill(there := stage.fresh(after), stage.deed, after):
        stage.assert_no_mixture(there)
        Versions(there.root).recover()
        stage.assert_whole(there)
        assert there.annotation() is not None or Trash(there.root).episodes()
        after += 1
    assert after > 15, "there were that many instants"


def test_recovering_may_be_killed_too(stage: Stage) -> None:
    operations = 0
    while stage.kill(stage.fresh(f"count {operations}"), stage.deed, operations):
        operations += 7
    for died_at in (operations // 2, operations * 3 // 4):
        after = 0
        while True:
            there = stage.fresh(f"{died_at} {after}")
            assert stage.kill(there, stage.deed, died_at)
            if not stage.kill(there, "recover", after):
                break
            stage.assert_no_mixture(there)
            Versions(there.root).recover()
            stage.assert_whole(there)
            after += 3


@pytest.mark.parametrize("forever", [False, True])
def test_a_disk_that_is_full_at_any_file_operation_leaves_the_old_or_the_new(stage: Stage, *, forever: bool) -> None:
    with ProcessPoolExecutor(1, mp_context=_processes) as pool:
        job = pool.submit(cut_short.fail, stage.folder, stage.original.root, stage.deed, stage.names, forever=forever)
        operations = job.result(60)
    assert operations[-1] > 15, "there were that many operations"
    for number in operations:
        stage.assert_whole(InDataset(stage.folder / str(number), stage.original.episode_id))
