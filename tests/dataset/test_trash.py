"""Moving episodes to the trash and back; crashes are tested in test_versions."""

import json
import shutil
from pathlib import Path

import pytest

from odyssey_recorder.dataset.amendment import NewInstruction
from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import Complete
from tests.dataset.drafts import fail_to_record
from tests.dataset.published_episode import PublishedEpisode, released


@pytest.fixture
def trash(published: PublishedEpisode) -> Trash:
    return Trash(published.root)


def test_unreadable_episode_is_moved_to_the_trash_and_back(published: PublishedEpisode, trash: Trash) -> None:
    published.path("annotations").write_text("{")
    published.path("screenshots", "_77.png").write_bytes(b"of no step")
    before = published.files()
    folder = trash.move(published.episode_id)
    assert PublishedEpisode(folder, published.episode_id).files() == before
    assert sorted(episode_ids(published.root)) == []
    assert {Path(name).parts[0] for name in published.files()} == {"trash"}
    [listed] = trash.episodes()
    assert (listed.episode_id, listed.folder) == (published.episode_id, folder)
    trash.restore(published.episode_id)
    assert published.files() == before
    assert trash.episodes() == []


def test_other_episodes_reviews_and_history_stay(tmp_path: Path, published: PublishedEpisode, trash: Trash) -> None:
    other = released(tmp_path, (Complete("other"),))
    shutil.copytree(other.root, published.root, dirs_exist_ok=True)
    versions, amendment = Versions(published.root), NewInstruction(instruction="Write bread down.")
    change = versions.amend(published.episode_id, amendment)
    review = published.path("reviews")
    review.write_text("{}")
    trash.move(published.episode_id)
    assert sorted(episode_ids(published.root)) == [other.episode_id]
    assert other.files().items() <= published.files().items()
    assert review.exists()
    trash.restore(published.episode_id)
    versions.restore(published.episode_id, change.version)
    assert published.load().task.instruction == "Write milk down in Notes."


def test_newest_of_several_trashed_episodes_is_restored(published: PublishedEpisode, trash: Trash) -> None:
    annotation = published.path("annotations")
    newest = json.dumps(json.loads(annotation.read_text()))
    trash.move(published.episode_id)
    annotation.write_text(newest)
    trash.move(published.episode_id)
    trash.restore(published.episode_id)
    assert annotation.read_text() == newest
    assert len(trash.episodes()) == 1


def test_restoring_never_overwrites_files(tmp_path: Path, published: PublishedEpisode, trash: Trash) -> None:
    before = published.files()
    copy = shutil.copytree(published.root, tmp_path / "copy")
    trash.move(published.episode_id)
    shutil.copytree(copy, published.root, dirs_exist_ok=True)
    with pytest.raises(DatasetError, match="Move them away first"):
        trash.restore(published.episode_id)
    assert before.items() <= published.files().items()


def test_move_that_cannot_be_recorded_is_rolled_back(published: PublishedEpisode, trash: Trash) -> None:
    before = published.files()
    with pytest.raises(DatasetError, match="cannot be recorded"):
        trash.move(published.episode_id, record=fail_to_record)
    assert published.files() == before
    assert Versions(published.root).recover() is None
    folder = trash.move(published.episode_id)
    in_trash = published.files()
    with pytest.raises(DatasetError, match="cannot be recorded"):
        trash.restore(published.episode_id, record=fail_to_record)
    assert published.files() == in_trash
    assert folder.is_dir()


def test_unknown_episode_is_reported(published: PublishedEpisode, trash: Trash) -> None:
    with pytest.raises(DatasetError, match="There is no episode 0000000000000000 in"):
        trash.move("0" * 16)
    with pytest.raises(DatasetError, match="in the trash"):
        trash.restore(published.episode_id)
    for name in ("..", "../../etc/passwd"):
        with pytest.raises(DatasetError, match="is not an episode's id"):
            trash.move(name)
    assert trash.episodes() == []


def test_other_files_in_the_trash_are_not_listed(published: PublishedEpisode, trash: Trash) -> None:
    for name in ("notes-1", f"{published.episode_id}-1.part", f"{published.episode_id}-"):
        (published.root / "trash" / name).mkdir(parents=True)
    (published.root / "trash" / f"{published.episode_id}-1").write_text("a file")
    assert trash.episodes() == []
