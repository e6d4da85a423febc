"""The splits of the Dataset page, on real files."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSpinBox, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.curation.retired import RetireDecision, record_decisions
from odyssey_recorder.gui.figures.figures_pane import PanelView
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.splits.episodes import read_facts
from odyssey_recorder.splits.files import plan_splits, read_split, write_splits
from tests.dataset.drafts import provenance_of, write_provenance
from tests.gui.dataset.splits_driver import SplitsDriver
from tests.gui.inspection import faults
from tests.gui.pilot import button_in
from tests.splits.split_facts import facts
from tests.splits.split_folders import release_splits, write_episodes


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Twenty tasks, two of each template; the last five are recorded on Pixel Tablet."""
    devices = ["Pixel Fold"] * 15 + ["Pixel Tablet"] * 5
    episodes = (facts(number, meta_task=f"Template {number // 2}", device=devices[number]) for number in range(20))
    return write_episodes(tmp_path, episodes)


@pytest.fixture
def driver(qtbot: QtBot, background: Background, root: Path) -> SplitsDriver:
    return SplitsDriver(qtbot, background, root)


@pytest.fixture
def splits(root: Path) -> Path:
    """The folder of the dataset's splits, written."""
    write_splits(root, plan_splits(root, read_facts(root)))
    return root / "splits"


def test_splits_are_listed_with_their_parts_and_method(driver: SplitsDriver, splits: Path) -> None:
    driver.open()
    rows = {row[0]: row[1:] for row in driver.table("Splits")}
    assert rows["random"] == ["16", "4", "20.0%", "20.0%", rows["random"][4], "random tasks", ""]
    assert rows["device"] == ["15", "5", "25.0%", "", "", "named devices", "Pixel Tablet"]
    assert driver.says("app_split.json cannot be made"), "none of these apps is in a catalogue"


def test_leak_is_listed_with_severity_share_and_ids(driver: SplitsDriver, splits: Path) -> None:
    path = splits / "device_split.json"
    tree = json.loads(path.read_text())
    tree["train"].append(tree["test"][0])
    path.write_text(json.dumps(tree))
    driver.open()
    assert driver.says("has changed since it was made")
    leak = next(row for row in driver.table("Leaks") if row[0] == "L0")
    assert leak == ["L0", "error", "device has 1 episode in train and in test", "1", "20.0%", f"{15:016}"]
    model = driver.named(QTableView, "Leaks").model()
    assert model.index(0, 1).data(Qt.ItemDataRole.DecorationRole) is not None


def test_overlap_between_splits_is_shown_as_a_matrix(driver: SplitsDriver, splits: Path) -> None:
    tested = read_split(splits / "device_split.json").test
    trained = read_split(splits / "random_split.json").train
    driver.open()
    drawing = driver.named(PanelView, "Between the splits")
    cells = set()
    for _ in range(9):
        QTest.keyClick(drawing, Qt.Key.Key_Right)
        cells.add(drawing.accessibleDescription())
    assert f"test of device, train of random: {len({*tested} & {*trained})}" in cells


def test_plan_shows_changes_before_writing_anything(driver: SplitsDriver, splits: Path) -> None:
    before = (splits / "random_split.json").read_bytes()
    driver.open()
    dialog = driver.open_plan()
    write = button_in(dialog, "Save splits")
    assert not write.isEnabled()
    driver.named(QSpinBox, "Test share of the random split").setValue(40)
    driver.plan(dialog)
    assert driver.says("random: 12 train, 8 test (40.0%)")
    assert driver.says("device: 15 train, 5 test (25.0%), 0 episodes would move")
    assert (splits / "random_split.json").read_bytes() == before
    assert not faults(dialog)
    driver.named(QSpinBox, "First seed to try").setValue(7)
    assert not write.isEnabled(), "the plan is of other rules"
    driver.plan(dialog)
    driver.write(dialog)
    assert len(read_split(splits / "random_split.json").test) == 8
    assert driver.table("Splits")[0][2] == "8"


def test_damaged_episodes_are_named_before_planning(driver: SplitsDriver) -> None:
    damaged = sorted((driver.root / "annotations").iterdir())[:4]
    for path in damaged:
        path.write_text("{")
    driver.open()
    driver.press("Make splits")
    named = ", ".join(path.stem for path in damaged[:3])
    driver.wait_for_text(f"4 episodes left out, damaged or by agents: {named} and 1 more")


def test_device_of_the_test_part_can_be_chosen(driver: SplitsDriver) -> None:
    driver.open()
    assert driver.says("No splits yet.")
    assert not faults(driver.window)
    dialog = driver.open_plan()
    choice = driver.choice("Test device of the device split")
    assert [choice.itemText(item) for item in range(choice.count())] == ["Pixel Fold", "Pixel Tablet"]
    choice.setCurrentIndex(0)
    driver.plan(dialog)
    assert driver.says("device: 5 train, 15 test (75.0%), new")


def test_rules_of_a_release_hold_until_it_is_drawn_again(driver: SplitsDriver, splits: Path) -> None:
    release_splits(driver.root)
    driver.open()
    dialog = driver.open_plan()
    share, again = driver.named(QSpinBox, "Test share of the random split"), "Move released episodes too"
    assert driver.says("These splits continue a release")
    assert not share.isEnabled()
    assert not faults(dialog)
    driver.plan(dialog)
    assert driver.says("random: 16 train, 4 test (20.0%), 0 episodes would move")

    button_in(dialog, again).click()
    assert driver.says("aren't comparable")
    assert share.isEnabled()
    share.setValue(40)
    driver.plan(dialog)
    assert driver.says("random: 12 train, 8 test (40.0%)")

    button_in(dialog, again).click()
    assert (share.value(), share.isEnabled()) == (20, False), "those of the release again"
    assert not button_in(dialog, "Save splits").isEnabled()


def test_episodes_that_are_left_out_are_counted(driver: SplitsDriver) -> None:
    ids = [path.stem for path in sorted((driver.root / "annotations").iterdir())]
    decisions = (RetireDecision(episode_id=one, decision="retire", reason="blurred", who="Ada") for one in ids[:2])
    record_decisions(driver.root, [*decisions])
    (driver.root / "provenance").mkdir()
    write_provenance(driver.root, provenance_of(ids[2], [], actor="agent"))
    driver.open()
    driver.open_plan()
    assert driver.says("2 retired episodes left out.")
    assert driver.says(f"1 episode left out, damaged or by agents: {ids[2]}.")


def test_foreign_file_prevents_writing_splits(driver: SplitsDriver) -> None:
    (driver.root / "splits").mkdir()
    (driver.root / "splits" / "README.txt").write_text("Notes.")
    driver.open()
    assert driver.says("These files aren't splits: README.txt.")
    dialog = driver.open_plan()
    driver.plan(dialog)
    driver.press_in(dialog, "Save splits")
    driver.wait_for_text("Move it away, then try again.")
    assert driver.says("Couldn't save the splits.")


def test_empty_dataset_cannot_be_split(qtbot: QtBot, background: Background, tmp_path: Path) -> None:
    driver = SplitsDriver(qtbot, background, tmp_path / "nothing").open()
    driver.press("Make splits")
    driver.wait_for_text("has no episodes")


def test_later_episodes_are_reported(driver: SplitsDriver, splits: Path) -> None:
    write_episodes(driver.root, [facts(77)])
    driver.open()
    assert driver.says("1 episode added or removed since. Make the splits again.")
