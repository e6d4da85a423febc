"""Amendments of published episodes with all their files, atomic, and restored byte for byte."""

import errno
import json
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey_recorder.dataset import amendment as fixes
from odyssey_recorder.dataset.change_journal import Change
from odyssey_recorder.dataset.layout import HISTORY
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.model.action import Click, Complete, Press, SystemKey, Type
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.geometry import Point
from tests.dataset.drafts import png
from tests.dataset.interrupted_changes import CHANGES, apply_change, copies_of_killed_changes, repeat_with_full_disk
from tests.dataset.published_episode import ACTIONS, PublishedEpisode, recorded, released

NEW_INSTRUCTION = fixes.NewInstruction(instruction="Write bread down.")
DROP = fixes.DropSteps(first=1, last=1)


def amend(published: PublishedEpisode, amendment: fixes.Amendment, expected: str = "") -> Change:
    return Versions(published.root).amend(published.episode_id, amendment, expected=expected)


def restore(published: PublishedEpisode, version: str) -> Change:
    return Versions(published.root).restore(published.episode_id, version)


def revision(published: PublishedEpisode) -> str:
    return Versions(published.root).revision(published.episode_id)


def version_folder(published: PublishedEpisode, change: Change) -> Path:
    return published.root / HISTORY / published.episode_id / change.version


def drop_step_and_crash(published: PublishedEpisode) -> Change:
    """Drop a step; the journal is left as if the program had crashed after the last file operation."""
    journal, contents = published.root / HISTORY / "change.json", list[bytes]()
    change = Versions(published.root).amend(
        published.episode_id, DROP, record=lambda _: contents.append(journal.read_bytes())
    )
    journal.write_bytes(contents[0])
    return change


# Files of the episode.


def test_files_are_renumbered_when_steps_are_dropped(published: PublishedEpisode) -> None:
    amend(published, fixes.DropSteps(first=0, last=1))
    steps, records = published.load().steps, published.provenance().steps
    assert [published.screenshot(step) for step in range(3)] == [png(40), png(60), png(80)]
    assert [published.tree(step) for step in range(3)] == ["<hierarchy step='2'/>", None, "<hierarchy step='4'/>"]
    assert [step.action for step in steps] == list(ACTIONS[2:])
    assert [step.screenshot for step in steps] == [f"{published.episode_id}_{step}.png" for step in range(3)]
    trees = [f"{published.episode_id}_{step}.xml" for step in (0, 2)]
    assert [record.ui_tree for record in records] == [trees[0], None, trees[1]]
    hashes = [sha256(published.screenshot(step)).hexdigest() for step in range(3)]
    assert [record.frame.png_sha256 for record in records] == hashes
    assert not [name for name in published.files() if "_3." in name or "_4." in name or name.endswith(".part")]


def test_step_with_missing_screenshot_gets_no_other(tmp_path: Path) -> None:
    published = released(tmp_path)
    published.path("screenshots", "_3.png").unlink()
    amend(published, DROP)
    assert [published.screenshot(step) for step in (0, 1, 3)] == [png(0), png(40), png(80)]
    assert not published.path("screenshots", "_2.png").exists()


def test_amended_box_changes_nothing_else_in_a_released_file(tmp_path: Path) -> None:
    published = released(tmp_path)
    before = json.loads(published.annotation() or b"")
    amend(published, fixes.NewBox(step=0, box=(30, 50, 50, 70)))
    after = json.loads(published.annotation() or b"")
    assert after["steps"][0] == before["steps"][0] | {"sam2_bbox": [416, 390, 695, 547]}
    assert after["steps"][1:] == before["steps"][1:]


def test_unknown_keys_of_the_provenance_are_kept(published: PublishedEpisode) -> None:
    path = published.path("provenance")
    provenance = json.loads(path.read_text())
    provenance["weather"] = "rain"
    for number, step in enumerate(provenance["steps"]):
        step["frame"]["mood"] = number
    path.write_text(json.dumps(provenance))
    amend(published, DROP)
    kept = json.loads(path.read_text())
    assert kept["weather"] == "rain"
    assert [step["frame"]["mood"] for step in kept["steps"]] == [0, 2, 3, 4]


def test_box_requires_a_readable_screenshot_that_contains_it(tmp_path: Path) -> None:
    published = released(tmp_path)
    with pytest.raises(ReviewError, match="outside the screenshot of 72x128"):
        amend(published, fixes.NewBox(step=0, box=(100, 50, 120, 70)))
    published.path("screenshots", "_0.png").write_bytes(b"not an image")
    with pytest.raises(ReviewError, match="cannot be opened"):
        amend(published, fixes.NewBox(step=0, box=(30, 50, 50, 70)))


# History.


def test_previous_version_is_a_complete_dataset(published: PublishedEpisode) -> None:
    before, old = published.files(), revision(published)
    change = amend(published, DROP)
    kept = PublishedEpisode(version_folder(published, change), published.episode_id)
    assert kept.files() == before
    assert len(kept.load().steps) == 5
    assert (change.before, change.after) == (old, revision(published))
    assert change.version.startswith(old)


def test_restoring_an_old_version_keeps_the_newer_one(published: PublishedEpisode) -> None:
    before = published.files()
    change = amend(published, fixes.NewNote(step=0, note="first"))
    assert change.before == change.after, "the annotation is the same"
    newer = published.files()
    undone = restore(published, change.version)
    assert published.files() == before != newer
    restore(published, undone.version)
    assert published.files() == newer


def test_writing_to_current_files_does_not_change_the_history(published: PublishedEpisode) -> None:
    before = published.files()
    change = amend(published, NEW_INSTRUCTION)
    for name in ("annotations", "provenance"):
        with published.path(name).open("r+b") as file:
            file.write(b"damaged")
    restore(published, change.version)
    assert published.files() == before


@pytest.mark.parametrize("has_links", [True, False])
def test_screenshots_of_versions_are_linked_or_else_copied(
    published: PublishedEpisode, monkeypatch: pytest.MonkeyPatch, *, has_links: bool
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError(errno.EPERM, f"no link of {target} to {self}")

    if not has_links:
        monkeypatch.setattr(Path, "hardlink_to", refuse)
    before = published.files()
    change = amend(published, DROP)
    assert [published.screenshot(step) for step in range(4)] == [png(0), png(40), png(60), png(80)]
    moved = version_folder(published, change) / "screenshots" / f"{published.episode_id}_2.png"
    assert moved.samefile(published.path("screenshots", "_1.png")) == has_links
    restore(published, change.version)
    assert published.files() == before


def test_damaged_version_is_not_restored_and_is_saved_again(published: PublishedEpisode) -> None:
    before = published.files()
    change = amend(published, DROP)
    restore(published, change.version)
    (version_folder(published, change) / "screenshots" / f"{published.episode_id}_1.png").unlink()
    with pytest.raises(DatasetError, match="is missing or damaged"):
        restore(published, change.version)
    assert published.files() == before
    assert amend(published, NEW_INSTRUCTION).version == change.version
    restore(published, change.version)
    assert published.files() == before


@pytest.mark.parametrize("version", ["", "..", "../../../etc", "0" * 64, "0" * 64 + "-" + "0" * 16 + "\n"])
def test_invalid_version_is_rejected(published: PublishedEpisode, version: str) -> None:
    with pytest.raises(ReviewError, match="is not a saved version"):
        restore(published, version)


def test_amendment_of_an_outdated_revision_is_rejected(published: PublishedEpisode) -> None:
    seen = revision(published)
    amend(published, NEW_INSTRUCTION, expected=seen)
    with pytest.raises(ReviewError, match="has changed since it was opened"):
        amend(published, DROP, expected=seen)


_amendments: st.SearchStrategy[fixes.Amendment] = st.one_of(
    st.builds(fixes.NewInstruction, instruction=st.text(st.characters(codec="utf-8"), min_size=1, max_size=5)),
    st.builds(fixes.NewApps, category=st.just(Category.WEB_SHOPPING), apps=st.just(("Shop", "Notes"))),
    st.builds(fixes.NewEnd, words=st.sampled_from(["", "found it"])),
    st.builds(fixes.NewNote, step=st.integers(0, 4), note=st.sampled_from(["", "odd"])),
    st.builds(fixes.NewPress, step=st.integers(0, 4), long=st.booleans()),
    st.builds(fixes.NewText, step=st.integers(0, 4), text=st.sampled_from(["bread", "eggs"])),
    st.builds(fixes.NewBox, step=st.integers(0, 4), box=st.sampled_from([(30, 50, 50, 70), (3, 110, 20, 120)])),
    st.builds(fixes.DropSteps, first=st.integers(0, 3), last=st.integers(0, 3)),
    st.builds(fixes.DropTail, at=st.integers(0, 3)),
)


@settings(max_examples=15)
@given(done=st.lists(_amendments | st.none(), max_size=6), has_provenance=st.booleans())
def test_any_amendments_can_be_undone_byte_for_byte(
    done: list[fixes.Amendment | None], *, has_provenance: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        published = (recorded if has_provenance else released)(Path(folder))
        screenshots = {published.screenshot(step) for step in range(5)}
        changes: list[tuple[Change, dict[str, bytes]]] = []
        for amendment in done:
            before = published.files()
            try:
                if amendment is not None:
                    changes.append((amend(published, amendment), before))
                elif changes:
                    change, expected = changes.pop()
                    restore(published, change.version)
                    assert published.files() == expected
            except ReviewError:
                assert published.files() == before, "a rejected change has no effect"
            assert {published.screenshot(step) for step in range(len(published.load().steps))} <= screenshots
        for change, expected in reversed(changes):
            restore(published, change.version)
            assert published.files() == expected


# The record of changes.


@pytest.mark.parametrize("on_record", [True, False])
def test_recovery_completes_only_recorded_changes(published: PublishedEpisode, *, on_record: bool) -> None:
    before = published.files()
    crashed = drop_step_and_crash(published)
    after = published.files()
    versions = Versions(published.root, lambda change: on_record and change.id == crashed.id)
    assert versions.recover() == published.episode_id
    assert published.files() == (after if on_record else before)
    assert versions.recover() is None


@pytest.mark.parametrize("folder", ["annotations", "screenshots"])
def test_recovery_needs_a_complete_previous_version(published: PublishedEpisode, folder: str) -> None:
    change = drop_step_and_crash(published)
    after = published.files()
    shutil.rmtree(version_folder(published, change) / folder)
    with pytest.raises(DatasetError, match="differs from the saved version"):
        Versions(published.root).recover()
    assert published.files() == after


# Concurrent access.


def test_revision_is_known_during_a_change(published: PublishedEpisode) -> None:
    change = drop_step_and_crash(published)
    published.path("annotations").unlink()
    journal = published.root / HISTORY / "change.json"
    aside = journal.rename(journal.with_name("aside"))
    with pytest.raises(DatasetError, match="file not found"):
        revision(published)
    aside.rename(journal)
    assert revision(published) == change.before


def test_concurrent_amendments_run_one_after_the_other(tmp_path: Path) -> None:
    published = recorded(tmp_path, (*(Press(SystemKey.HOME) for _ in range(12)), Complete()))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: amend(published, fixes.DropSteps(first=1, last=1)), range(10)))
    assert [published.screenshot(step) for step in range(3)] == [png(0), png(220), png(240)]


def test_locked_dataset_is_reported(published: PublishedEpisode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("odyssey_recorder.dataset.change_journal._PATIENCE_S", 0.01)
    history = published.root / HISTORY
    history.mkdir(parents=True)
    with FileLock(history / "lock"), pytest.raises(DatasetError, match="Another program is writing to"):
        amend(published, NEW_INSTRUCTION)


# Killed, and disk full.


class CrashCase:
    """A change that is interrupted again and again, each time in a new copy of a dataset."""

    def __init__(self, folder: Path, change: str) -> None:
        self.folder = folder / "copies"
        self.folder.mkdir()
        self.original = recorded(folder, (Click(Point(500, 500)), Type("milk"), Complete()))
        version = ""
        if change == "restore a version":
            version = amend(self.original, DROP).version
        if change == "restore from the trash":
            Trash(self.original.root).move(self.original.episode_id)
        self.change = (change, self.original.episode_id, version)
        done = self.copy("done")
        apply_change(done.root, self.change)
        self._valid = [self.original, done]

    def copy(self, name: object) -> PublishedEpisode:
        return PublishedEpisode(shutil.copytree(self.original.root, self.folder / str(name)), self.original.episode_id)

    def killed(self, published: PublishedEpisode, change: str = "") -> list[PublishedEpisode]:
        """Make a change, or this one; returns what it leaves behind if it is killed at each of its file operations."""
        case = (change or self.change[0], *self.change[1:])
        return [PublishedEpisode(root, published.episode_id) for root in copies_of_killed_changes(published.root, case)]

    def assert_old_or_new(self, published: PublishedEpisode) -> None:
        assert _timeless(published.files()) in [_timeless(one.files()) for one in self._valid]

    def assert_files_match_the_annotation(self, published: PublishedEpisode) -> None:
        """The annotation has the screenshots and view hierarchies of its version; or there is no annotation."""
        annotation, files = published.annotation(), published.files()
        if annotation is None:
            return
        [expected] = [one.files() for one in self._valid if one.annotation() == annotation]
        for name, data in expected.items():
            if name.startswith(("screenshots", "ui_trees")):
                assert files.get(name) == data, f"{name} is not that of the annotation"


def _timeless(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files without timestamps in the names of trash folders, and without those being deleted."""
    parts = {name: name.split("/") for name in files}
    return {
        "/".join(["trash", *part[2:]]) if part[0] == "trash" else name: files[name]
        for name, part in parts.items()
        if not (part[0] == "trash" and part[1].endswith(".part"))
    }


@pytest.fixture(params=[change for change in CHANGES if change != "recover"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> CrashCase:
    return CrashCase(tmp_path, request.param)


def test_kill_at_any_file_operation_leaves_the_old_or_the_new_version(case: CrashCase) -> None:
    killed = case.killed(case.copy("running"))
    assert len(killed) > 15, "the change has that many file operations"
    for number in (len(killed) * 3 // 4, len(killed) // 2):
        killed += case.killed(killed.pop(number), "recover")
    for published in killed:
        case.assert_files_match_the_annotation(published)
        Versions(published.root).recover()
        case.assert_old_or_new(published)
        assert published.annotation() is not None or Trash(published.root).episodes()


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("forever", [False, True])
def test_full_disk_at_any_file_operation_leaves_the_old_or_the_new_version(
    case: CrashCase, every: int, *, forever: bool
) -> None:
    operations = repeat_with_full_disk(
        case.folder, case.original.root, case.change, forever=forever, every=4 * every if forever else every
    )
    assert operations[-1] > 15, "the change has that many file operations"
    for number in operations:
        case.assert_old_or_new(PublishedEpisode(case.folder / str(number), case.original.episode_id))
