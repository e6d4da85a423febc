"""The Dataset page on a real folder that others write to."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QListView, QTableView

from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.published import PublishedEpisodes
from odyssey_recorder.dataset.watch import WatchRules
from odyssey_recorder.gui.table import VALUE
from odyssey_recorder.gui.workplace import Workplace
from odyssey_recorder.model.episode import Episode
from tests.dataset.drafts import proof_of
from tests.episodes import ALL_KINDS, episode
from tests.gui.pilot import OpenAt, Pilot

CTRL = Qt.KeyboardModifier.ControlModifier
NEWEST_US = 1_700_000_000_000_000
HOUR_US = 3_600_000_000


class Folder:
    def __init__(self, root: Path) -> None:
        self.root = root
        self._published = 0
        for name in ("annotations", "provenance", "screenshots"):
            (root / name).mkdir(parents=True)

    def publish(
        self,
        instruction: str,
        *,
        category: str = "General_Tool",
        device: str = "Small Phone",
        annotator: str = "Ada",
        newest: bool = False,
    ) -> str:
        """Publish an episode and return its id; it is the oldest unless `newest` is set."""
        self._published += 1
        episode_id = f"{10**15 + self._published}"
        made = episode(episode_id=episode_id)
        self.write(
            replace(
                made,
                task=replace(made.task, instruction=instruction, category=category),
                device=replace(made.device, device_name=device),
            )
        )
        began_us = NEWEST_US + (HOUR_US if newest else -HOUR_US) * self._published
        times = {"started_us": began_us, "published_us": began_us + 90_000_000}
        proof = proof_of(episode_id, annotator=annotator, mode="passive").model_copy(update=times)
        (self.root / "provenance" / f"{episode_id}.json").write_text(proof.model_dump_json())
        return episode_id

    def write(self, made: Episode) -> None:
        write_episode(self.annotation(made.episode_id), made)

    def annotation(self, episode_id: str) -> Path:
        return self.root / "annotations" / f"{episode_id}.json"


class Reader:
    def __init__(self, pilot: Pilot) -> None:
        self.pilot = pilot
        self.table = pilot.wait_for(QTableView, "Episodes")

    def column(self, number: int) -> list[str]:
        model = self.table.model()
        return [str(model.index(row, number).data()) for row in range(model.rowCount())]

    @property
    def instructions(self) -> list[str]:
        return self.column(0)

    def wait_for(self, *instructions: str) -> None:
        self.pilot.qtbot.waitUntil(lambda: self.instructions == list(instructions))

    def choose_facet(self, name: str, row: int) -> None:
        view = self.pilot.named(QListView, name)
        QTest.mouseClick(
            view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(view.model().index(row, 0)).center()
        )

    def choose(self, row: int) -> None:
        place = self.table.visualRect(self.table.model().index(row, 0)).center()
        QTest.mouseClick(self.table.viewport(), Qt.MouseButton.LeftButton, pos=place)

    @property
    def chosen(self) -> str:
        return str(self.table.currentIndex().siblingAtColumn(0).data())

    @property
    def place_of_chosen(self) -> int:
        """Pixels from the top of the viewport to the selected row."""
        return self.table.visualRect(self.table.currentIndex()).top()

    @property
    def steps(self) -> list[str]:
        model = self.pilot.named(QListView, "Steps of the episode").model()
        return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "published")


@pytest.fixture
def reader(open_at: OpenAt, folder: Folder) -> Reader:
    dataset = PublishedEpisodes(folder.root, WatchRules(unnoticed_s=0.02))
    pilot = open_at(Workplace(dataset=lambda: dataset))
    pilot.press("Dataset")
    return Reader(pilot)


@pytest.fixture
def three(folder: Folder, reader: Reader) -> list[str]:
    """The ids of three episodes that are listed."""
    ids = [
        folder.publish("Set an alarm"),
        folder.publish("Buy red shoes", category="Web_Shopping", device="Pixel Fold"),
        folder.publish("Buy blue shoes", category="Web_Shopping", annotator="Grace"),
    ]
    reader.wait_for("Set an alarm", "Buy red shoes", "Buy blue shoes")
    return ids


def test_a_page_with_nothing_in_it_says_what_to_do_and_fills_by_itself(reader: Reader, folder: Folder) -> None:
    reader.pilot.wait_to_read("No episodes yet.")
    assert reader.pilot.says("Published episodes of all annotators appear here.")
    reader.pilot.press("Go to Record")
    assert reader.pilot.mirror.isVisible()
    reader.pilot.press("Dataset")
    folder.publish("Set an alarm")
    reader.wait_for("Set an alarm")
    assert reader.pilot.says("1 episode")
    assert not reader.pilot.says("No episodes yet.")


def test_the_newest_episode_is_above_a_column_sorts_and_all_are_counted(three: list[str], reader: Reader) -> None:
    assert reader.column(1) == ["General Tool", "Web Shopping", "Web Shopping"]
    assert reader.column(3) == [str(len(ALL_KINDS))] * 3
    assert reader.pilot.heard("Category") == ["All: 3", "Web Shopping: 2", "General Tool: 1"]
    assert reader.pilot.heard("Device") == ["All: 3", "Small Phone: 2", "Pixel Fold: 1"]
    reader.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert reader.instructions == ["Buy blue shoes", "Buy red shoes", "Set an alarm"]


def test_each_filter_narrows_the_list_and_all_can_be_taken_back(three: list[str], reader: Reader) -> None:
    reader.choose_facet("Category", 1)
    assert reader.instructions == ["Buy red shoes", "Buy blue shoes"]
    reader.choose_facet("Device", 2)
    assert reader.instructions == ["Buy red shoes"]
    assert reader.pilot.says("1 of 3 episodes")
    reader.pilot.named(QComboBox, "Annotator").setCurrentText("Grace")
    assert reader.pilot.says("No matching episodes.")
    reader.pilot.press("Show all")
    assert len(reader.instructions) == 3
    QTest.keyClick(reader.pilot.window, Qt.Key.Key_F, CTRL)
    search = reader.pilot.named(QLineEdit, "Search instruction or id")
    QTest.keyClicks(search, "SHOES")
    assert reader.instructions == ["Buy red shoes", "Buy blue shoes"]
    search.setText(three[1])
    assert reader.instructions == ["Buy red shoes"]


def test_the_chosen_episode_is_shown_and_its_id_copied(three: list[str], reader: Reader, folder: Folder) -> None:
    picture = QImage(72, 128, QImage.Format.Format_RGB32)
    picture.save(str(folder.root / "screenshots" / f"{three[1]}_0.png"))
    reader.choose(1)
    reader.pilot.wait_to_read("Web Shopping · Chrome, Google Docs")
    assert reader.pilot.says("Recorded by Ada")
    assert reader.pilot.says("in 1.5 min, in passive mode")
    assert reader.steps[0] == "Click"
    first = reader.pilot.named(QListView, "Steps of the episode").model().index(0, 0)
    reader.pilot.qtbot.waitUntil(lambda: isinstance(first.data(VALUE).image, QImage))
    reader.pilot.press("Copy id")
    assert QGuiApplication.clipboard().text() == three[1]
    reader.pilot.press("Copy path")
    assert QGuiApplication.clipboard().text() == str(folder.annotation(three[1]))


def test_what_others_do_leaves_the_chosen_episode_where_it_is(folder: Folder, reader: Reader) -> None:
    ids = [folder.publish(f"Task {number}") for number in range(80)]
    reader.pilot.qtbot.waitUntil(lambda: len(reader.instructions) == 80)
    scroll = reader.table.verticalScrollBar()
    scroll.setValue(scroll.maximum() - 40)
    reader.choose(reader.table.rowAt(60))
    reader.pilot.wait_to_read("Recorded by Ada")
    chosen, place = reader.chosen, reader.place_of_chosen
    folder.publish("Newer", newest=True)
    folder.publish("Newer still", newest=True)
    reader.pilot.qtbot.waitUntil(lambda: len(reader.instructions) == 82)
    assert (reader.chosen, reader.place_of_chosen) == (chosen, place)
    folder.annotation(ids[0]).unlink()
    reader.pilot.qtbot.waitUntil(lambda: "Task 0" not in reader.instructions)
    assert (reader.chosen, reader.place_of_chosen) == (chosen, place)


def test_the_chosen_episode_stays_chosen_when_the_list_is_sorted_or_filtered(three: list[str], reader: Reader) -> None:
    reader.choose(1)
    reader.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert reader.chosen == "Buy red shoes"
    reader.choose_facet("Category", 1)
    assert reader.chosen == "Buy red shoes"


def test_a_change_of_the_chosen_episode_is_shown_at_once(three: list[str], reader: Reader, folder: Folder) -> None:
    reader.choose(0)
    reader.pilot.wait_to_read("Recorded by Ada")
    annotation = folder.annotation(three[0])
    annotation.write_text(annotation.read_text().replace("Set an alarm", "Set two alarms"))
    reader.pilot.wait_to_read("Set two alarms")
    assert reader.chosen == "Set two alarms"
    shutil.rmtree(folder.root)
    reader.pilot.wait_to_read("No episodes yet.")
    assert not reader.pilot.says("Recorded by Ada")


def test_a_broken_annotation_is_shown_and_says_why(three: list[str], reader: Reader, folder: Folder) -> None:
    folder.annotation(three[0]).write_text('{"episode_id": 7}')
    reader.pilot.wait_to_read("3 episodes · 1 cannot be read")
    broken = f"Cannot be read: {three[0]}.json: episode_id is 7"
    reader.pilot.qtbot.waitUntil(lambda: reader.instructions[0].startswith(broken))  # it may be read half written
    reader.choose(0)
    reader.pilot.wait_to_read(f"Episode {three[0]} cannot be read.")
    assert reader.steps == []
    assert reader.pilot.heard("Category")[0] == "All: 3"
