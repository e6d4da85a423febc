import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.dataset.layout import TRASH, episode_ids, screenshot_path
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.errors import DatasetError, RecordingError
from odyssey_recorder.model.action import Action, Complete, Impossible, Press, SystemKey
from odyssey_recorder.model.geometry import Size
from tests.dataset.drafts import (
    DEVICE,
    ORIGIN,
    TASK,
    add_step,
    begin,
    complete_draft,
    files_in,
    png,
    read_only,
    record,
    store_in,
)

UNTRUSTED = [
    "", "..", "../0000000000000001", "/etc/passwd", "000000000000000", "00000000000000001", "0000000000000000\n",
    "000000000000000/", "000000000000000\0", "$(touch /tmp/x)00", "\N{ARABIC-INDIC DIGIT ZERO}" * 16,
]  # fmt: skip


# Drafts.


def test_drafts_are_listed_newest_first(store: EpisodeStore) -> None:
    older, newer = begin(store), complete_draft(store)
    for draft in (older, newer):
        draft.close()
    os.utime(older.folder / "draft.json", (1, 1))
    first, second = store.drafts()
    assert (first.episode_id, first.steps, first.complete) == (newer.episode_id, 2, True)
    assert (second.episode_id, second.steps, second.complete) == (older.episode_id, 0, False)
    assert (first.task, first.device, first.problem) == (TASK, DEVICE, "")
    assert first.changed_at > second.changed_at


def test_empty_store_has_no_drafts_and_no_episodes(tmp_path: Path, store: EpisodeStore) -> None:
    assert (store.drafts(), sorted(episode_ids(store.root))) == ([], [])
    with pytest.raises(DatasetError, match="cannot be read"):
        store.resume("0000000000000001")
    assert list(tmp_path.iterdir()) == [], "reading creates nothing"


def test_damaged_drafts_are_listed_with_their_problems(store: EpisodeStore) -> None:
    invalid, damaged, valid = begin(store), begin(store), begin(store)
    for draft in (invalid, damaged, valid):
        draft.close()
    (invalid.folder / "draft.json").write_text("{")
    (damaged.folder / "steps.jsonl").write_text("not a log\n")
    problems = {draft.episode_id: draft.problem for draft in store.drafts()}
    assert "is not a valid draft" in problems[invalid.episode_id]
    assert "line 1" in problems[damaged.episode_id]
    assert problems[valid.episode_id] == ""


def test_draft_open_elsewhere_can_be_resumed_once_closed(store: EpisodeStore) -> None:
    draft = begin(store)
    [listed] = store.drafts()
    assert listed.task == TASK
    assert "open in another window" in listed.problem
    draft.close()
    assert store.drafts()[0].problem == ""
    assert isinstance(store.resume(draft.episode_id), Draft)


@pytest.mark.parametrize("is_open", [True, False])
def test_drafts_for_another_dataset_are_not_listed(tmp_path: Path, store: EpisodeStore, *, is_open: bool) -> None:
    other = EpisodeStore(tmp_path / "other dataset", drafts=tmp_path / "drafts")
    draft = begin(other)
    if not is_open:
        draft.close()
    assert store.drafts() == []
    assert len(other.drafts()) == 1


def test_draft_has_a_task_until_it_is_published(tmp_path: Path, store: EpisodeStore) -> None:
    begin(store)  # a task that the annotator wrote
    origin = ORIGIN.model_copy(update={"task_id": "t-1"})
    EpisodeStore(tmp_path / "other dataset", drafts=tmp_path / "drafts").create_draft(
        task=TASK, device=DEVICE, origin=origin
    )
    draft = store.create_draft(task=TASK, device=DEVICE, origin=origin)
    add_step(draft, Complete("done"), shade=1)
    assert store.drafts_of_tasks() == {draft.episode_id: "t-1"}
    assert {one.task_id for one in store.drafts()} == {"", "t-1"}
    assert not store.is_published(draft.episode_id)
    store.publish(draft)
    assert store.drafts_of_tasks() == {}
    assert store.is_published(draft.episode_id)


@pytest.mark.parametrize("end", [Complete("done"), Impossible("no such app")])
def test_published_ending_is_known(store: EpisodeStore, end: Action) -> None:
    draft = begin(store)
    add_step(draft, end, shade=1)
    assert not store.is_impossible(draft.episode_id)
    annotation = store.publish(draft)
    assert store.is_impossible(draft.episode_id) is isinstance(end, Impossible)
    annotation.write_text("{")
    assert not store.is_impossible(draft.episode_id)


def test_other_files_in_the_drafts_folder_are_not_listed(tmp_path: Path, store: EpisodeStore) -> None:
    draft = begin(store)
    for name in ("notes", "12345", TRASH):
        (tmp_path / "drafts" / name).mkdir()
        (tmp_path / "drafts" / name / "draft.json").write_text("{}")
    (tmp_path / "drafts" / "1111111111111111").mkdir()
    (draft.folder / "1.png.part").write_bytes(b"")
    assert len(store.drafts()) == 1


def test_existing_ids_are_not_reused(store: EpisodeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    published = store.publish(complete_draft(store)).stem
    draft = begin(store)
    random_ids = iter([int(published), int(draft.episode_id), 42])
    monkeypatch.setattr("secrets.randbelow", lambda _: next(random_ids))
    assert begin(store).episode_id == f"{42:016}"


def test_discarded_draft_is_moved_to_the_trash(store: EpisodeStore) -> None:
    draft = complete_draft(store)
    before = files_in(draft.folder)
    place = store.discard(draft)
    assert place.parent.name == TRASH
    assert files_in(place) >= before - {"lock"}
    assert store.drafts() == []


# Publishing.


def test_publishing_moves_the_draft_into_the_dataset(store: EpisodeStore) -> None:
    draft = complete_draft(store)
    annotation = store.publish(draft)
    episode_id = draft.episode_id
    assert files_in(store.root) == {
        f"annotations/{episode_id}.json",
        f"provenance/{episode_id}.json",
        f"screenshots/{episode_id}_0.png",
        f"screenshots/{episode_id}_1.png",
    }
    episode = store.load(episode_id)
    assert [step.action for step in episode.steps] == [Press(SystemKey.HOME), Complete("done")]
    assert [(store.root / screenshot_path(episode.episode_id, step)).read_bytes() for step in (0, 1)] == [
        png(1),
        png(2),
    ]
    assert episode.task == TASK
    assert sorted(episode_ids(store.root)) == [annotation.stem]
    assert not draft.folder.exists()


def test_view_hierarchies_are_published_unless_lost(store: EpisodeStore) -> None:
    draft = begin(store)
    add_step(draft)
    for step in (Press(SystemKey.BACK), Complete("done")):
        draft.amend(add_step(draft, step), {"ui_tree": draft.keep_tree(f"<hierarchy text='{step}'/>")})
    min(draft.folder.glob("*.xml")).unlink()
    episode_id = store.publish(draft).stem
    assert {name for name in files_in(store.root) if name.startswith("ui_trees")} == {f"ui_trees/{episode_id}_2.xml"}
    assert "Complete" in store.ui_tree_path(episode_id, 2).read_text()
    provenance = store.provenance(episode_id)
    assert provenance is not None
    assert [step.ui_tree for step in provenance.steps] == [None, None, f"{episode_id}_2.xml"]
    assert provenance.steps[1].ui_tree_absent == "its file is missing from the draft"


def test_late_view_hierarchy_does_not_recreate_the_draft(store: EpisodeStore) -> None:
    draft = complete_draft(store)
    is_writing, publishing = threading.Event(), threading.Event()

    def write() -> None:
        while not publishing.is_set():
            draft.keep_tree("<hierarchy/>")
            is_writing.set()
        with suppress(RecordingError):
            while True:
                draft.keep_tree("<hierarchy/>")

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(write)
        assert is_writing.wait(60)
        publishing.set()
        store.publish(draft)
        writer.result(20)  # a closed draft accepts nothing
    assert not draft.folder.exists()


def test_shared_screenshot_is_published_for_each_step(store: EpisodeStore) -> None:
    draft = begin(store)
    screenshot = draft.keep_screenshot(png(1))
    for action in (Press(SystemKey.HOME), Press(SystemKey.BACK), Complete("done")):
        draft.add_step(action, screenshot, record(png(1)))
    episode = store.load(store.publish(draft).stem)
    assert [(store.root / screenshot_path(episode.episode_id, step)).read_bytes() for step in range(3)] == [png(1)] * 3


def test_published_size_is_that_of_the_screenshots(store: EpisodeStore) -> None:
    draft = store.create_draft(task=TASK, device=type(DEVICE)("Fold", Size(9999, 9999)), origin=begin(store).origin)
    add_step(draft, Complete("done"))
    store.publish(draft)
    assert store.load(draft.episode_id).device.size == Size(72, 128)


@pytest.mark.parametrize("steps", [0, 1])
def test_unfinished_draft_cannot_be_published(store: EpisodeStore, steps: int) -> None:
    draft = begin(store)
    for _ in range(steps):
        add_step(draft)
    with pytest.raises(DatasetError, match="Finish it first"):
        store.publish(draft)
    assert files_in(store.root) == set()


@pytest.mark.parametrize("damage", [lambda path: path.write_bytes(png(99)), lambda path: path.unlink()])
def test_draft_with_changed_or_missing_screenshot_is_not_published(store: EpisodeStore, damage: object) -> None:
    draft = complete_draft(store)
    assert callable(damage)
    damage(draft.steps[0].screenshot)
    with pytest.raises(DatasetError, match=str(draft.steps[0].screenshot)):
        store.publish(draft)
    assert files_in(store.root) == set()
    assert len(draft.steps) == 2


@pytest.mark.parametrize("blocked", ["annotations", "screenshots", "provenance", "ui_trees"])
def test_failed_publishing_is_rolled_back_and_can_be_retried(store: EpisodeStore, blocked: str) -> None:
    others = store.publish(complete_draft(store))
    before = files_in(store.root)
    draft = complete_draft(store)
    draft.amend_last({"ui_tree": draft.keep_tree("<hierarchy/>")})
    (store.root / "ui_trees").mkdir()
    aside = (store.root / blocked).rename(store.root / "aside")
    (store.root / blocked).write_text("in the way")
    with pytest.raises(DatasetError, match=f"{blocked}.* cannot be created: there is a file where a folder is needed"):
        store.publish(draft)
    (store.root / blocked).unlink()
    aside.rename(store.root / blocked)
    assert files_in(store.root) == before
    assert store.publish(draft).exists()
    assert sorted(episode_ids(store.root)) == sorted([others.stem, draft.episode_id])


def test_missing_dataset_folder_is_not_created(store: EpisodeStore) -> None:
    draft = complete_draft(store)
    shutil.rmtree(store.root)
    with pytest.raises(DatasetError, match=r"dataset is missing\. Restore it"):
        store.publish(draft)
    assert not store.root.exists()
    store.root.mkdir()
    store.publish(draft)
    assert sorted(episode_ids(store.root)) == [draft.episode_id]


@pytest.fixture
def unprivileged_store() -> Iterator[EpisodeStore]:
    """A store of a user other than root, for whom any folder is writable."""
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as folder:  # tmp_path has mode 0700
        Path(folder).chmod(0o777)
        if user == 0:
            os.seteuid(65534)
        try:
            yield store_in(Path(folder))
        finally:
            os.seteuid(user)


@pytest.mark.skipif(os.name != "posix", reason="permissions of folders are POSIX")
def test_nothing_is_published_into_a_read_only_folder(unprivileged_store: EpisodeStore) -> None:
    store, draft = unprivileged_store, complete_draft(unprivileged_store)
    screenshots = store.root / "screenshots"
    for mode in (0o500, 0o000):
        screenshots.chmod(mode)
        with pytest.raises(DatasetError, match=r"permission denied\. Make the folder writable"):
            store.publish(draft)
        screenshots.chmod(0o700)
        assert len(draft.steps) == 2
        assert files_in(store.root) == set()
    store.publish(draft)
    assert sorted(episode_ids(store.root)) == [draft.episode_id]


def test_unreadable_draft_can_be_discarded_but_not_an_open_one(store: EpisodeStore) -> None:
    broken, held = begin(store), begin(store)
    broken.close()
    (broken.folder / "draft.json").write_text("{")
    place = store.discard_unopened(broken.episode_id)
    assert (place / "draft.json").read_text() == "{"
    with pytest.raises(DatasetError, match="There is no draft"):
        store.discard_unopened(broken.episode_id)
    with pytest.raises(DatasetError, match="open in another window"):
        store.discard_unopened(held.episode_id)
    assert held.folder.exists()
    held.close()


def test_draft_left_by_a_crash_after_publishing_is_trashed(tmp_path: Path, store: EpisodeStore) -> None:
    draft = complete_draft(store)
    copy = shutil.copytree(draft.folder, tmp_path / "copy")
    store.publish(draft)
    copy.rename(draft.folder)
    assert store.drafts() == []
    assert not draft.folder.exists()
    assert len(list((tmp_path / "drafts" / TRASH).iterdir())) == 1


def test_publishing_can_be_retried_after_a_crash(store: EpisodeStore) -> None:
    draft = complete_draft(store)
    (store.root / "screenshots" / f"{draft.episode_id}_0.png").write_bytes(png(1)[:20])
    (store.root / "provenance" / f"{draft.episode_id}.json.part").write_bytes(b"{")
    assert sorted(episode_ids(store.root)) == []
    draft.close()
    [offered] = store.drafts()
    assert offered.complete
    store.publish(store.resume(offered.episode_id))
    episode = store.load(offered.episode_id)
    assert (store.root / screenshot_path(episode.episode_id, 0)).read_bytes() == png(1)


# Untrusted input.


@pytest.mark.parametrize("episode_id", UNTRUSTED)
def test_invalid_id_never_becomes_a_path(tmp_path: Path, store: EpisodeStore, episode_id: str) -> None:
    before = files_in(tmp_path)
    for ask in (store.resume, store.load, store.provenance, lambda name: store.ui_tree_path(name, 0)):
        with pytest.raises(DatasetError, match="is not an episode's id"):
            ask(episode_id)
    assert files_in(tmp_path) == before


def test_unwritable_dataset_is_reported_when_recording_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_only(monkeypatch, tmp_path / "dataset" / "screenshots")
    with pytest.raises(DatasetError, match=r"screenshots cannot be written: .* Make the folder writable"):
        begin(store_in(tmp_path))
    assert store_in(tmp_path).drafts() == []
    assert not [path for path in (tmp_path / "dataset").rglob("*") if path.is_file()]
