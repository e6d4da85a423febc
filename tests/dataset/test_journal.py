"""The journal of changes, also when it is unreadable or locked."""

from pathlib import Path

import pytest

from odyssey_recorder.dataset.journal import Change, Journal, under_way
from odyssey_recorder.dataset.layout import HISTORY
from odyssey_recorder.errors import DatasetError

ID = "0000000000000001"
VERSION = f"{HISTORY}/{ID}/{'a' * 64}-{'b' * 16}"
LATER = f"{HISTORY}/{ID}/{'c' * 64}-{'d' * 16}"


def write(root: Path, words: str) -> Path:
    path = root / HISTORY / "change.json"
    path.parent.mkdir(parents=True)
    path.write_text(words)
    return path


def test_what_goes_to_the_trash_or_comes_from_it_has_no_revisions() -> None:
    for source, target in ((f"trash/{ID}-1", ""), ("", f"trash/{ID}-1")):
        change = Change(episode_id=ID, source=source, target=target)
        assert (change.before, change.after, change.version) == ("", "", "")


@pytest.mark.parametrize(
    "folder", ["/etc", "..", f"../{VERSION}", f"{VERSION}/..", f"trash/{ID}-1/../x", f"{VERSION}\n", "annotations"]
)
def test_no_other_folder_is_ever_taken_for_a_version(tmp_path: Path, folder: str) -> None:
    words = Change(episode_id=ID, source=VERSION, target="").model_dump_json()
    write(tmp_path, words.replace(VERSION, folder.replace("\n", "\\n")))
    assert under_way(tmp_path) is None
    with pytest.raises(DatasetError, match="does not show which change was interrupted"), Journal(tmp_path).held():
        pass


def test_what_a_newer_program_has_begun_is_left_alone(tmp_path: Path) -> None:
    intent = write(tmp_path, Change(format=2, episode_id=ID, source=VERSION, target=LATER).model_dump_json())
    with pytest.raises(DatasetError, match="newer version of Odyssey Recorder"):
        Journal(tmp_path).recover()
    assert intent.exists()


def test_where_nothing_was_cut_short_looking_creates_nothing(tmp_path: Path) -> None:
    assert Journal(tmp_path).recover() is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("folder", "file", "why"),
    [(f"{HISTORY}/lock", "notes", "history cannot be locked"), ("", "reviews", "Move that file away")],
)
def test_what_is_in_the_way_of_the_history_is_named(tmp_path: Path, folder: str, file: str, why: str) -> None:
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text("in the way")
    with pytest.raises(DatasetError, match=why), Journal(tmp_path).held():
        pass
