"""The splits of the Dataset page, on real files."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QPushButton, QSpinBox, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.dataset.splits_view import MakeSplitsDialog, SplitsView
from odyssey_recorder.gui.figures.figures_pane import PanelView
from odyssey_recorder.splits.facts import read_facts
from odyssey_recorder.splits.files import SplitsOrder, plan_splits, read_split, write_splits
from tests.gui.inspection import faults
from tests.gui.pilot import WidgetPilot
from tests.splits.split_facts import facts
from tests.splits.split_folders import write_episodes


class Reader(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, root: Path) -> None:
        super().__init__(qtbot, background)
        self.root = root
        self.view = SplitsView(root, background, self.commands)

    def open(self) -> "Reader":
        self.show_widget(self.view)
        self.wait()
        return self

    def wait(self) -> None:
        self.qtbot.waitUntil(lambda: not self.background.jobs)

    def table(self, name: str) -> list[list[str]]:
        model = self.named(QTableView, name).model()
        return [
            [str(model.index(row, column).data()) for column in range(model.columnCount())]
            for row in range(model.rowCount())
        ]

    def plan(self) -> MakeSplitsDialog:
        dialog = self.find(MakeSplitsDialog)
        plan, write = (
            next(one for one in dialog.findChildren(QPushButton) if one.text() == words)
            for words in ("Plan", "Write splits")
        )
        self.qtbot.waitUntil(plan.isEnabled)
        plan.click()
        self.qtbot.waitUntil(write.isEnabled)
        return dialog


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Twenty tasks, two of each template; the last five are recorded on Pixel Tablet."""
    devices = ["Pixel Fold"] * 15 + ["Pixel Tablet"] * 5
    made = (facts(number, meta_task=f"Template {number // 2}", device=devices[number]) for number in range(20))
    return write_episodes(tmp_path, made)


@pytest.fixture
def reader(qtbot: QtBot, background: Background, root: Path) -> Reader:
    return Reader(qtbot, background, root)


def make(root: Path) -> None:
    write_splits(root, plan_splits(root, read_facts(root), SplitsOrder()))


def test_without_splits_it_says_how_to_make_them(reader: Reader) -> None:
    reader.open()

    assert reader.says("No splits yet.")
    assert not faults(reader.window)


def test_each_split_is_shown_with_its_parts_and_how_it_was_drawn(reader: Reader) -> None:
    make(reader.root)
    reader.open()

    rows = {row[0]: row[1:] for row in reader.table("Splits")}
    assert rows["random"] == ["16", "4", "20.0%", "20.0%", rows["random"][4], "tasks, by chance", ""]
    assert rows["device"] == ["15", "5", "25.0%", "", "", "named devices", "Pixel Tablet"]
    assert reader.says("app_split.json cannot be made"), "none of these apps is in a catalogue"


def test_a_leak_is_told_with_severity_share_and_ids(reader: Reader) -> None:
    make(reader.root)
    path = reader.root / "splits" / "device_split.json"
    tree = json.loads(path.read_text())
    tree["train"].append(tree["test"][0])
    path.write_text(json.dumps(tree))
    reader.open()

    assert reader.says("has changed since it was made")
    level, severity, what, episodes, share, ids = reader.table("Leaks")[
        [row[0] for row in reader.table("Leaks")].index("L0")
    ]
    assert (level, severity, episodes, share, ids) == ("L0", "error", "1", "20.0%", f"{15:016}")
    assert what == "device has 1 episode in train and in test"
    model = reader.named(QTableView, "Leaks").model()
    assert model.index(0, 1).data(Qt.ItemDataRole.DecorationRole) is not None


def test_what_is_in_train_of_another_split_is_a_matrix(reader: Reader) -> None:
    make(reader.root)
    tested = read_split(reader.root / "splits" / "device_split.json").test
    trained = read_split(reader.root / "splits" / "random_split.json").train
    reader.open()
    drawing = reader.named(PanelView, "Between the splits")
    said = set()
    for _ in range(9):
        QTest.keyClick(drawing, Qt.Key.Key_Right)
        said.add(drawing.accessibleDescription())

    assert f"test of device, train of random: {len({*tested} & {*trained})}" in said


def test_a_plan_shows_what_would_move_and_writes_nothing_until_asked(reader: Reader) -> None:
    make(reader.root)
    before = (reader.root / "splits" / "random_split.json").read_bytes()
    reader.open()
    reader.press("Make splits")
    dialog = reader.find(MakeSplitsDialog)
    reader.wait_for_text("Choose “Plan”")
    write = next(one for one in dialog.findChildren(QPushButton) if one.text() == "Write splits")
    assert not write.isEnabled()

    reader.named(QSpinBox, "Test share of the random split").setValue(40)
    reader.plan()
    assert reader.says("random: 12 train, 8 test (40.0%)")
    assert reader.says("device: 15 train, 5 test (25.0%), 0 episodes would move")
    assert (reader.root / "splits" / "random_split.json").read_bytes() == before
    assert not faults(dialog)

    reader.named(QSpinBox, "First seed to try").setValue(7)
    assert not write.isEnabled(), "the plan is of other rules"
    reader.plan()
    written: list[bool] = []
    reader.view.splits_written.connect(lambda: written.append(True))
    write.click()
    reader.wait_for_text("Splits written.")
    reader.wait()
    assert written
    assert len(read_split(reader.root / "splits" / "random_split.json").test) == 8
    assert reader.table("Splits")[0][2] == "8"


def test_damaged_episodes_are_named_before_splits_are_planned_without_them(reader: Reader) -> None:
    damaged = sorted((reader.root / "annotations").iterdir())[:4]
    for path in damaged:
        path.write_text("{")
    reader.open()
    reader.press("Make splits")
    named = ", ".join(path.stem for path in damaged[:3])
    reader.wait_for_text(f"4 damaged episodes left out: {named}, …")


def test_the_device_of_the_test_is_a_choice_among_those_of_the_dataset(reader: Reader) -> None:
    reader.open()
    reader.press("Make splits")
    reader.wait_for_text("Choose “Plan”")
    choice = reader.named(QComboBox, "Test device of the device split")
    assert [choice.itemText(place) for place in range(choice.count())] == ["Pixel Fold", "Pixel Tablet"]
    choice.setCurrentIndex(0)
    reader.plan()

    assert reader.says("device: 5 train, 15 test (75.0%), new")


def test_a_foreign_file_is_named_and_keeps_splits_from_being_written(reader: Reader) -> None:
    (reader.root / "splits").mkdir()
    (reader.root / "splits" / "README.txt").write_text("Notes.")
    reader.open()
    assert reader.says("Not made here: README.txt.")

    reader.press("Make splits")
    reader.wait_for_text("Choose “Plan”")
    reader.press_in(reader.plan(), "Write splits")
    reader.wait_for_text("Move it away, then try again.")
    assert reader.says("The splits are not written.")


def test_a_dataset_without_episodes_cannot_be_planned(qtbot: QtBot, background: Background, tmp_path: Path) -> None:
    reader = Reader(qtbot, background, tmp_path / "nothing").open()
    reader.press("Make splits")

    reader.wait_for_text("has no episodes")


def test_episodes_that_came_since_are_told(reader: Reader) -> None:
    make(reader.root)
    write_episodes(reader.root, [facts(77)])
    reader.open()

    assert reader.says("1 episode added or removed since. Make the splits again.")
