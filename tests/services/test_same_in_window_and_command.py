"""What people do to a dataset has the same result in the window and on the command line."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset.layout import annotation_path, screenshot_path
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.dataset.retiring import DuplicatesDialog
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.services.review import ReviewService
from odyssey_recorder.splits.drawing import moved
from odyssey_recorder.splits.files import read_split
from tests.checking.folders import FIRST, SECOND, THIRD, write_dataset
from tests.cli import CommandLine
from tests.gui.dataset.page_driver import DatasetDriver
from tests.gui.dataset.splits_driver import SplitsDriver
from tests.gui.item_views import row_texts
from tests.gui.pilot import OpenAt
from tests.splits.split_folders import EPISODES, release_splits, write_episodes

RETIRED = [one.episode_id for one in EPISODES[:5]]
OUT_OF_DATE = "added or removed since"


@pytest.fixture
def open_splits(qtbot: QtBot, background: Background) -> Callable[[Path], SplitsDriver]:
    return lambda root: SplitsDriver(qtbot, background, root).open()


def make_in_window(driver: SplitsDriver) -> Path:
    """With what the dialog proposes."""
    dialog = driver.open_plan()
    driver.plan(dialog)
    driver.write(dialog)
    return driver.root


def copied(root: Path, name: str) -> Path:
    return Path(shutil.copytree(root, root.with_name(name)))


def split_files(root: Path) -> dict[str, bytes]:
    """Those of the splits and of how they were made."""
    paths = [*root.glob("splits/*"), root / "metadata" / "splits.json", root / "metadata" / "train_in_all.txt"]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def retire(cli: CommandLine, root: Path) -> None:
    cli.output("curate", "retire", root, *RETIRED, "--why", "blurred", "--as", "Ada", "--yes")


def test_retired_episodes_are_in_no_split(
    cli: CommandLine, tmp_path: Path, open_splits: Callable[[Path], SplitsDriver]
) -> None:
    root = write_episodes(tmp_path / "by command", EPISODES)
    retire(cli, root)
    driver = open_splits(copied(root, "by window"))
    cli.output("splits", "make", root)

    made = split_files(make_in_window(driver))

    assert made == split_files(root)
    assert not any(one.encode() in made["splits/random_split.json"] for one in RETIRED)


def test_released_episodes_keep_their_sides(
    cli: CommandLine, tmp_path: Path, open_splits: Callable[[Path], SplitsDriver]
) -> None:
    root = write_episodes(tmp_path / "by command", EPISODES[:40])
    cli("splits", "make", root, "--share", "0.3")
    released = release_splits(root)
    write_episodes(root, EPISODES[40:])
    driver = open_splits(copied(root, "by window"))
    cli("splits", "make", root)

    made = make_in_window(driver)

    assert split_files(made) == split_files(root)
    for name in ("random", "task", "device"):
        path = f"splits/{name}_split.json"
        before, after = read_split(released / path), read_split(made / path)
        assert (moved(before, after), len({*after.train, *after.test})) == (0, 48)


def test_splits_without_retired_and_damaged_episodes_are_up_to_date(
    cli: CommandLine, tmp_path: Path, open_splits: Callable[[Path], SplitsDriver]
) -> None:
    root = write_episodes(tmp_path / "data", EPISODES)
    retire(cli, root)
    (root / annotation_path(EPISODES[-1].episode_id)).write_text("{")
    cli.output("splits", "make", root)

    assert OUT_OF_DATE not in cli.output("splits", "show", root)
    assert not open_splits(root).says(OUT_OF_DATE)


def test_duplicates_are_the_same_groups(
    cli: CommandLine, tmp_path: Path, open_at: OpenAt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    root, index = tmp_path / "data", tmp_path / "index"
    write_dataset(root, FIRST, SECOND, THIRD)
    for one in (FIRST, SECOND):
        path = root / annotation_path(one)
        path.write_text(path.read_text().replace(f'"Write {one}."', '"Write a note."'))
    (root / screenshot_path(FIRST, 0)).unlink()  # the checks say which is better
    by_command = copied(root, "by command")
    workplace = Workplace(
        dataset=lambda: EpisodeIndex(root, index),
        review=lambda: ReviewService(EpisodeIndex(root, index), Checker(tmp_path / "checks"), lambda: "Rosa"),
    )
    pilot = open_at(workplace)
    pilot.press("Dataset")
    DatasetDriver(pilot).wait_for_count(3)

    pilot.press("Find duplicates")
    dialog = pilot.find(DuplicatesDialog)
    choice = pilot.choice("Find duplicates by")
    choice.setCurrentIndex(choice.findData("actions"))
    pilot.wait_for_text("1 group of possible duplicates")

    listed = [row[1:3] for row in row_texts(pilot.named(QTableView, "Duplicates"))]
    dialog.close()
    assert listed == [["keep: fewest errors", SECOND], ["retire", FIRST]]
    groups = cli.json("curate", "duplicates", by_command, "--by", "actions")
    assert groups == [{"same": ["actions"], "best": SECOND, "why": "fewest errors", "others": [FIRST]}]
