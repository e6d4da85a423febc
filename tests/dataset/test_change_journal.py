"""The journal of changes, also when it is unreadable or locked."""

from pathlib import Path

import pytest

from odyssey_recorder.dataset.change_journal import Change, Journal, never, under_way
from odyssey_recorder.dataset.layout import HISTORY
from odyssey_recorder.errors import DatasetError

ID = "0000000000000001"
VERSION = f"{HISTORY}/{ID}/{'a' * 64}-{'b' * 16}"
LATER = f"{HISTORY}/{ID}/{'c' * 64}-{'d' * 16}"


def write(root: Path, text: str) -> Path:
    path = root / HISTORY / "change.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_moves_to_and_from_the_trash_have_no_revisions() -> None:
    for source, target in ((f"trash/{ID}-1", ""), ("", f"trash/{ID}-1")):
        change = Change(episode_id=ID, source=source, target=target)
        assert (change.before, change.after, change.version) == ("", "", "")


@pytest.mark.parametrize(
    "folder", ["/etc", "..", f"../{VERSION}", f"{VERSION}/..", f"trash/{ID}-1/../x", f"{VERSION}\n", "annotations"]
)
def test_journal_with_an_invalid_folder_is_rejected(tmp_path: Path, folder: str) -> None:
    change = Change(episode_id=ID, source=VERSION, target="").model_dump_json()
    write(tmp_path, change.replace(VERSION, folder.replace("\n", "\\n")))
    assert under_way(tmp_path) is None
    with (
        pytest.raises(DatasetError, match="does not show which change was interrupted"),
        Journal(tmp_path, never).held(),
    ):
        pass


def test_change_by_a_newer_program_is_not_recovered(tmp_path: Path) -> None:
    journal_file = write(tmp_path, Change(format=2, episode_id=ID, source=VERSION, target=LATER).model_dump_json())
    with pytest.raises(DatasetError, match="newer version of Odyssey Recorder"):
        Journal(tmp_path, never).recover()
    assert journal_file.exists()


def test_recovery_without_interrupted_change_creates_nothing(tmp_path: Path) -> None:
    assert Journal(tmp_path, never).recover() is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("folder", "file", "why"),
    [(f"{HISTORY}/lock", "notes", "history cannot be locked"), ("", "reviews", "Move that file away")],
)
def test_obstacle_to_the_history_folder_is_named(tmp_path: Path, folder: str, file: str, why: str) -> None:
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text("in the way")
    with pytest.raises(DatasetError, match=why), Journal(tmp_path, never).held():
        pass
