"""The takes of a task side by side."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QListView
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.dataset.same_task import SameTaskDialog, takes_of
from odyssey_recorder.gui.frame.background import Background
from tests.checking.folders import edit
from tests.exporting.sample import ids, write_dataset
from tests.gui.inspection import faults
from tests.gui.pilot import WidgetPilot

FIRST, SECOND, THIRD, FOURTH = ids(4)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[EpisodeIndex]:
    """The second and fourth episodes are takes of the first one's task."""
    write_dataset(tmp_path, 4)
    first, second, _, fourth = (tmp_path / "annotations" / f"{one}.json" for one in ids(4))
    task = json.loads(first.read_text())["task_info"]
    for path, device in ((second, "Pixel Fold"), (fourth, "Pixel Tablet")):
        new_task = {**task, "task": task["task"].upper(), "app": task["app"][::-1], "instruction": f"On {device}."}
        edit(path, task_info=new_task, device_info={"h": 64, "w": 36, "device_name": device})
    steps = json.loads(fourth.read_text())["steps"]
    last = {**steps[-1], "step": 6, "screenshot": f"{FOURTH}_6.png"}
    edit(fourth, steps=[*steps[:6], last], step_length=7)
    index = EpisodeIndex(tmp_path, None)
    index.refresh()
    yield index
    index.close()


def test_takes_share_their_task_and_apps(index: EpisodeIndex) -> None:
    assert [row.episode_id for row, _ in takes_of(index, FIRST)] == [FIRST, SECOND, FOURTH]
    assert [row.episode_id for row, _ in takes_of(index, THIRD)] == [THIRD]


def test_choosing_a_step_selects_it_in_every_take(qtbot: QtBot, background: Background, index: EpisodeIndex) -> None:
    pilot = WidgetPilot(qtbot, background)
    pilot.window.resize(900, 700)
    pilot.window.show()
    SameTaskDialog(index, FIRST, background, pilot.window).open()
    pilot.wait_for_text("3 recordings on 3 devices")
    strips = [
        pilot.named(QListView, f"Steps on {device}, {one}")
        for device, one in (("Small Phone", FIRST), ("Pixel Fold", SECOND), ("Pixel Tablet", FOURTH))
    ]
    assert [strip.model().rowCount() for strip in strips] == [8, 8, 7]
    assert pilot.says("Unreviewed · 7 steps · complete")
    strips[0].setCurrentIndex(strips[0].model().index(1, 0))
    assert [strip.currentIndex().row() for strip in strips] == [1, 1, 1]
    strips[0].setCurrentIndex(strips[0].model().index(7, 0))
    assert [strip.currentIndex().row() for strip in strips] == [7, 7, 1], "the short one has no eighth step"
    bars = [strip.horizontalScrollBar() for strip in strips]
    bars[0].setValue(bars[0].maximum())
    assert [bar.value() for bar in bars] == [bar.maximum() for bar in bars]
    assert 0 < bars[2].maximum() < bars[0].maximum(), "the short one stops at its own end"
    assert not faults(pilot.dialog())


def test_missing_episode_is_reported(qtbot: QtBot, background: Background, index: EpisodeIndex) -> None:
    pilot = WidgetPilot(qtbot, background)
    pilot.window.show()
    SameTaskDialog(index, "9" * 16, background, pilot.window).open()
    pilot.wait_for_text("is no longer in the dataset. Choose another one.")
