"""Moving episodes to the trash and back; crashes are tested in test_versions."""

import json
import shutil
from pathlib import Path

import pytest

from odyssey_recorder.dataset.amendment import NewInstruction
from odyssey_recorder.dataset.journal import Change
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import open_episode
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import Complete
from tests.dataset.published_episode import InDataset, recorded, released, store_of


def test_an_episode_in_the_trash_is_whole_and_no_episode_of_the_dataset(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    before = there.files()
    folder = Trash(there.root).move(there.episode_id)
    assert InDataset(folder, there.episode_id).files() == before
    assert store_of(there).episodes() == []
    assert {Path(name).parts[0] for name in there.files()} == {"trash"}
    [listed] = Trash(there.root).episodes()
    assert (listed.episode_id, listed.folder) == (there.episode_id, folder)


def test_the_files_of_other_episodes_stay_and_so_do_review_and_history(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    other = released(tmp_path, (Complete("other"),))
    shutil.copytree(other.root, there.root, dirs_exist_ok=True)
    version = Versions(there.root).amend(there.episode_id, NewInstruction(instruction="Write bread down.")).version
    review = there.root / "reviews" / f"{there.episode_id}.json"
    review.write_text("{}")
    Trash(there.root).move(there.episode_id)
    assert store_of(there).episodes() == [other.episode_id]
    assert other.files().items() <= there.files().items()
    assert review.exists()
    Trash(there.root).restore(there.episode_id)
    Versions(there.root).restore(there.episode_id, version)
    restored = open_episode(there.root / annotation_path(there.episode_id)).episode
    assert restored.task.instruction == "Write milk down in Notes."


def test_an_episode_that_cannot_be_read_goes_with_all_that_has_its_name_and_comes_back_byte_for_byte(
    tmp_path: Path,
) -> None:
    there = released(tmp_path)
    (there.root / "annotations" / f"{there.episode_id}.json").write_text("{")
    (there.root / "screenshots" / f"{there.episode_id}_77.png").write_bytes(b"of no step")
    before, trash = there.files(), Trash(there.root)
    folder = trash.move(there.episode_id)
    assert InDataset(folder, there.episode_id).files() == before
    trash.restore(there.episode_id)
    assert there.files() == before
    assert trash.episodes() == []


def test_of_several_the_one_that_came_last_comes_back(tmp_path: Path) -> None:
    there = released(tmp_path)
    trash = Trash(there.root)
    annotation = there.root / "annotations" / f"{there.episode_id}.json"
    first = annotation.read_text()
    trash.move(there.episode_id)
    annotation.write_text(json.dumps(json.loads(first)))
    trash.move(there.episode_id)
    trash.restore(there.episode_id)
    assert annotation.read_text() == json.dumps(json.loads(first))
    assert len(trash.episodes()) == 1


def test_nothing_is_overwritten_by_what_comes_back(tmp_path: Path) -> None:
    there = released(tmp_path)
    before = there.files()
    copy = tmp_path / "copy"
    shutil.copytree(there.root, copy)
    Trash(there.root).move(there.episode_id)
    shutil.copytree(copy, there.root, dirs_exist_ok=True)
    with pytest.raises(DatasetError, match="Move them away first"):
        Trash(there.root).restore(there.episode_id)
    assert before.items() <= there.files().items()


def test_a_move_that_cannot_be_recorded_is_taken_back(tmp_path: Path) -> None:
    there = recorded(tmp_path)
    before = there.files()

    def record(change: Change) -> None:
        raise DatasetError(f"no room for {change.episode_id}")

    with pytest.raises(DatasetError, match="no room for"):
        Trash(there.root).move(there.episode_id, record=record)
    assert there.files() == before
    folder = Trash(there.root).move(there.episode_id)
    in_trash = there.files()
    with pytest.raises(DatasetError, match="no room for"):
        Trash(there.root).restore(there.episode_id, record=record)
    assert there.files() == in_trash
    assert folder.is_dir()


def test_what_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    there = released(tmp_path)
    with pytest.raises(DatasetError, match="There is no episode 0000000000000000 in"):
        Trash(there.root).move("0" * 16)
    with pytest.raises(DatasetError, match="in the trash"):
        Trash(there.root).restore(there.episode_id)
    for name in ("..", "../../etc/passwd"):
        with pytest.raises(DatasetError, match="is not an episode's id"):
            Trash(there.root).move(name)
    assert Trash(there.root).episodes() == []


def test_what_else_lies_in_the_trash_is_not_listed(tmp_path: Path) -> None:
    there = released(tmp_path)
    for name in ("notes-1", f"{there.episode_id}-1.part", f"{there.episode_id}-"):
        (there.root / "trash" / name).mkdir(parents=True)
    (there.root / "trash" / f"{there.episode_id}-1").write_text("a file")
    assert Trash(there.root).episodes() == []
