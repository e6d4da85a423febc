"""The Dataset page on a real folder that others write to."""

import json
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit, QListView, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.dataset.episode_table import EpisodeTable
from odyssey_recorder.gui.dataset.filmstrips import Filmstrips, StripDelegate
from odyssey_recorder.gui.table import VALUE, table_view
from odyssey_recorder.gui.workplace import Workplace
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.finding import EpisodeReport
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewPolicy, ReviewStage
from odyssey_recorder.review_service import ReviewService
from odyssey_recorder.selection.index import EpisodeIndex, EpisodeRow
from odyssey_recorder.selection.saved import SavedFilters
from tests.dataset.drafts import png, provenance_of, record
from tests.episodes import ALL_KINDS, episode
from tests.gui.inspection import faults
from tests.gui.pilot import OpenAt, Pilot
from tests.quality.verdicts import verdict

CTRL = Qt.KeyboardModifier.ControlModifier
NEWEST_US = 1_700_000_000_000_000
HOUR_US = 3_600_000_000
_RECORDS = [record(png(9))] * len(ALL_KINDS)


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
        provenance = provenance_of(episode_id, _RECORDS, annotator=annotator, mode="passive").model_copy(update=times)
        (self.root / "provenance" / f"{episode_id}.json").write_text(provenance.model_dump_json())
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

    def choose(self, row: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        place = self.table.visualRect(self.table.model().index(row, 0)).center()
        QTest.mouseClick(self.table.viewport(), Qt.MouseButton.LeftButton, keys, place)

    @property
    def line(self) -> QLineEdit:
        return self.pilot.named(QLineEdit, "Filter episodes")

    def write(self, text: str) -> None:
        """Into the empty filter line, as a person does."""
        self.line.clear()
        QTest.keyClicks(self.line, text)
        QTest.keyClick(self.line, Qt.Key.Key_Return)

    def wait_to_hear(self, name: str, *facets: str) -> None:
        self.pilot.qtbot.waitUntil(lambda: self.pilot.rows_of(name) == list(facets))

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


def synthetic(number: int) -> EpisodeRow:
    return EpisodeRow(
        f"{number:016}", f"Task {number}", "General_Tool", "Do {}.", ("Chrome",), "Pixel Fold", None, 9, "complete",
        "Ada", "", None, None, ReviewStage.UNREVIEWED, False, 0, 0, (), "", "",
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "published")


@pytest.fixture
def reader(open_at: OpenAt, folder: Folder) -> Reader:
    saved = SavedFilters(folder.root.parent / "filters.json")
    pilot = open_at(Workplace(dataset=lambda: EpisodeIndex(folder.root, None), saved_filters=lambda: saved))
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
    reader.pilot.wait_for_text("No episodes yet.")
    assert reader.pilot.says("Published episodes of all annotators appear here.")
    reader.pilot.press("Go to Record")
    assert reader.pilot.mirror.isVisible()
    reader.pilot.press("Dataset")
    folder.publish("Set an alarm")
    reader.wait_for("Set an alarm")
    reader.pilot.wait_for_text("1 episode")
    assert not reader.pilot.says("No episodes yet.")


def test_the_newest_episode_is_above_a_column_sorts_and_all_are_counted(three: list[str], reader: Reader) -> None:
    assert reader.column(1) == ["General Tool", "Web Shopping", "Web Shopping"]
    assert reader.column(3) == [str(len(ALL_KINDS))] * 3
    reader.wait_to_hear("Category", "All: 3", "Web Shopping: 2", "General Tool: 1")
    assert reader.pilot.rows_of("Device") == ["All: 3", "Small Phone: 2", "Pixel Fold: 1"]
    reader.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    reader.wait_for("Buy blue shoes", "Buy red shoes", "Set an alarm")


def find_nothing(evidence: EpisodeEvidence) -> EpisodeReport:
    return EpisodeReport(evidence.episode.episode_id)


@pytest.fixture
def checked_reader(open_at: OpenAt, folder: Folder) -> Reader:
    """The page of a program that can check; one review is enough."""
    ReviewStore(folder.root).set_policy(ReviewPolicy(seed=1, second_share=0.0))
    checker = Checker(folder.root.parent / "checks.sqlite", 1, judge=find_nothing)

    def index() -> EpisodeIndex:
        return EpisodeIndex(folder.root, folder.root.parent / "index", checker.known)

    def service() -> ReviewService:
        return ReviewService(index(), checker, lambda: "Bea")

    return Reader(open_at(Workplace(dataset=index, review=service)))


def test_a_verdict_that_depends_on_the_checks_is_settled_by_them(checked_reader: Reader, folder: Folder) -> None:
    judged = folder.publish("Buy red shoes")
    revision = sha256(folder.annotation(judged).read_bytes()).hexdigest()
    ReviewStore(folder.root).append(judged, verdict("Bea", revision=revision, recorder="Ada"))
    checked_reader.pilot.press("Dataset")
    checked_reader.pilot.qtbot.waitUntil(lambda: checked_reader.column(4) == ["Accepted"])
    assert not checked_reader.pilot.says("Checking the episodes"), "the card goes with its job"


def test_checks_that_nothing_depends_on_are_not_run(checked_reader: Reader, folder: Folder) -> None:
    folder.publish("Set an alarm")
    checked_reader.pilot.press("Dataset")
    checked_reader.wait_for("Set an alarm")
    assert Checker(folder.root.parent / "checks.sqlite", 1).known(folder.annotation(f"{10**15 + 1}")) is None


def test_a_facet_edits_the_filter_and_counts_under_the_others(three: list[str], reader: Reader) -> None:
    reader.choose_facet("Category", 1)
    reader.wait_for("Buy red shoes", "Buy blue shoes")
    assert reader.line.text() == "category:Web_Shopping"
    reader.wait_to_hear("Category", "All: 3", "Web Shopping: 2", "General Tool: 1")
    reader.wait_to_hear("Device", "All: 2", "Pixel Fold: 1", "Small Phone: 1")
    reader.choose_facet("Device", 1)
    reader.wait_for("Buy red shoes")
    assert reader.line.text() == 'category:Web_Shopping device:"Pixel Fold"'
    assert reader.pilot.says("1 of 3 episodes")
    reader.choose_facet("Category", 0)
    assert reader.line.text() == 'device:"Pixel Fold"'
    reader.pilot.press("Show all")
    reader.wait_for("Set an alarm", "Buy red shoes", "Buy blue shoes")


def test_a_written_filter_is_shown_by_the_facets(three: list[str], reader: Reader) -> None:
    reader.pilot.window.activateWindow()
    reader.pilot.qtbot.waitUntil(reader.pilot.window.isActiveWindow)
    QTest.keyClick(reader.pilot.window, Qt.Key.Key_F, CTRL)
    assert reader.line.hasFocus()
    reader.write("category:web_shopping SHOES by:grace")
    reader.wait_for("Buy blue shoes")
    facet = reader.pilot.named(QListView, "Category")
    assert facet.currentIndex().data() == "Web Shopping"
    reader.write("-category:web_shopping")
    reader.wait_for("Set an alarm")
    assert not facet.currentIndex().isValid()
    reader.write("app:Chrome device:Watch")
    reader.pilot.wait_for_text("No matching episodes.")
    assert "Watch: 0" in reader.pilot.rows_of("Device")


def test_a_fault_is_told_with_its_place_and_the_list_stays(three: list[str], reader: Reader) -> None:
    reader.write("shoes stepz:3")
    reader.pilot.wait_for_text("Character 7: There is no key “stepz:”. Did you mean “steps:”?")
    assert reader.instructions == ["Set an alarm", "Buy red shoes", "Buy blue shoes"]
    reader.write("shoes steps:>3")
    reader.wait_for("Buy red shoes", "Buy blue shoes")
    assert not reader.pilot.says("Character 7")


def test_keys_and_values_are_completed(three: list[str], reader: Reader) -> None:
    reader.line.setFocus()
    QTest.keyClicks(reader.line, "shoes -dev")
    completer = reader.line.findChild(QCompleter)
    assert completer is not None
    popup = completer.popup()
    assert popup is not None
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert reader.line.text() == "shoes -device:"
    QTest.keyClicks(reader.line, '"pix')
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert reader.line.text() == 'shoes -device:"Pixel Fold"'
    reader.wait_for("Buy blue shoes")


def test_a_view_is_saved_chosen_and_deleted(three: list[str], reader: Reader) -> None:
    views = reader.pilot.named(QComboBox, "Saved views")
    reader.write("shoes")
    reader.wait_for("Buy red shoes", "Buy blue shoes")
    reader.pilot.press("Save view")
    dialog = reader.pilot.dialog()
    QTest.keyClicks(reader.pilot.named(QLineEdit, "Name of the view"), "All shoes")
    reader.pilot.press_in(dialog, "Save")
    reader.pilot.qtbot.waitUntil(lambda: views.currentText() == "All shoes")
    reader.pilot.press("Show all")
    reader.pilot.qtbot.waitUntil(lambda: views.currentText() == "Saved views")
    views.setCurrentText("All shoes")
    reader.wait_for("Buy red shoes", "Buy blue shoes")
    reader.pilot.press("Delete view")
    reader.pilot.qtbot.waitUntil(lambda: views.count() == 1)
    assert reader.line.text() == "shoes"


def test_the_selected_episodes_are_exported(three: list[str], reader: Reader, folder: Folder) -> None:
    for episode_id in three:
        for step in range(len(ALL_KINDS)):
            QImage(9, 16, QImage.Format.Format_RGB32).save(
                str(folder.root / "screenshots" / f"{episode_id}_{step}.png")
            )
    reader.choose(1)
    reader.choose(2, CTRL)
    reader.pilot.wait_for_text("2 selected")
    reader.pilot.press("Export")
    dialog = reader.pilot.dialog()
    assert reader.pilot.named(QComboBox, "Episodes").currentText() == "The selected: 2 episodes"
    reader.pilot.named(QComboBox, "Layout").setCurrentText("JSON Lines, without screenshots")
    out = folder.root.parent / "out"
    reader.pilot.named(QLineEdit, "Folder").setText(str(out))
    reader.pilot.press("Only accepted episodes")
    reader.pilot.press_in(dialog, "Export")
    reader.pilot.wait_for_text("2 episodes exported to")
    [lines] = out.glob("data/*.jsonl")
    assert [one in lines.read_text() for one in three] == [False, True, True]
    reader.pilot.press("Export")
    reader.pilot.named(QLineEdit, "Folder").setText(str(out))
    reader.pilot.press("Only accepted episodes")
    reader.pilot.press_in(reader.pilot.dialog(), "Export")
    reader.pilot.wait_for_text("already exists. Choose another folder")


def test_samples_for_a_trainer_are_exported_as_chosen(three: list[str], reader: Reader, folder: Folder) -> None:
    for episode_id in three:
        for step in range(len(ALL_KINDS)):
            QImage(9, 16, QImage.Format.Format_RGB32).save(
                str(folder.root / "screenshots" / f"{episode_id}_{step}.png")
            )
    reader.pilot.press("Export")
    dialog, out = reader.pilot.dialog(), folder.root.parent / "out"
    choices = {name: reader.pilot.named(QComboBox, name) for name in ("Layout", "Adapter", "History", "Instructions")}
    assert not choices["Adapter"].isVisible()
    choices["Layout"].setCurrentText("Training samples for the official code")
    assert (choices["Adapter"].isVisible(), choices["Adapter"].isEnabled()) == (True, False)
    choices["Layout"].setCurrentText("Training samples for TRL")
    assert not faults(dialog)
    choices["Adapter"].setCurrentText("qwen2.5-vl")
    choices["History"].setCurrentText("4 earlier screenshots")
    reader.pilot.named(QLineEdit, "Folder").setText(str(out))
    reader.pilot.press("Only accepted episodes")
    reader.pilot.press_in(dialog, "Export")
    reader.pilot.wait_for_text("3 episodes exported to")
    first, second = map(json.loads, (out / "data" / "all" / "00000.jsonl").read_text().splitlines()[:2])
    assert "<tool_call>" in first["completion"][0]["content"][0]["text"]
    assert (len(first["images"]), len(second["images"])) == (1, 2)


@pytest.mark.usefixtures("clean_home")
def test_episodes_that_are_not_accepted_are_not_exported(three: list[str], reader: Reader, folder: Folder) -> None:
    reader.pilot.press("Export")
    reader.pilot.press_in(reader.pilot.dialog(), "Export")
    reader.pilot.wait_for_text("None of these episodes is accepted and without errors.")
    assert not list(folder.root.parent.glob("*export*"))


def test_the_gallery_reads_the_strips_of_visible_episodes_only(
    reader: Reader, folder: Folder, background: Background
) -> None:
    for number in range(60):
        folder.publish(f"Task {number}")
    reader.pilot.qtbot.waitUntil(lambda: len(reader.instructions) == 60)
    reader.pilot.press("Show gallery")
    gallery = reader.pilot.named(QListView, "Filmstrips")
    strips = Filmstrips(folder.root, background)
    read: list[str] = []
    strips.loaded.connect(read.append)
    gallery.setItemDelegate(StripDelegate(strips, gallery))
    model, window = gallery.model(), gallery.viewport().rect()
    in_sight = [model.index(at, 0) for at in range(60) if gallery.visualRect(model.index(at, 0)).intersects(window)]
    seen = {index.data(VALUE).episode_id for index in in_sight}
    assert 0 < len(seen) < 30
    reader.pilot.qtbot.waitUntil(lambda: set(read) == seen)
    QTest.mouseClick(
        gallery.viewport(), Qt.MouseButton.LeftButton, pos=gallery.visualRect(gallery.model().index(1, 0)).center()
    )
    assert reader.chosen == reader.instructions[1]


def test_ten_thousand_rows_are_not_read_to_be_painted(qtbot: QtBot) -> None:
    """Painting, scrolling and choosing ask the model for the rows in sight."""
    asked: set[int] = set()

    class Counting(EpisodeTable):
        def at(self, row: int) -> EpisodeRow | None:
            asked.add(row)
            return super().at(row)

    table = Counting()
    view = table_view("Episodes", table, 32)
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.show()
    table.show([synthetic(number) for number in range(10_000)])
    asked.clear()
    view.grab()
    in_sight = view.viewport().height() // view.rowHeight(0) + 2
    assert 0 < len(asked) <= in_sight
    asked.clear()
    view.scrollToBottom()
    view.grab()
    assert 9_999 in asked
    assert len(asked) <= in_sight


def test_the_chosen_episode_is_shown_and_its_id_copied(three: list[str], reader: Reader, folder: Folder) -> None:
    screenshot = QImage(72, 128, QImage.Format.Format_RGB32)
    screenshot.save(str(folder.root / "screenshots" / f"{three[1]}_0.png"))
    reader.choose(1)
    reader.pilot.wait_for_text("Web Shopping · Chrome, Google Docs")
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
    reader.pilot.wait_for_text("Recorded by Ada")
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
    reader.wait_for("Set an alarm", "Buy red shoes", "Buy blue shoes")
    assert reader.chosen == "Buy red shoes"
    reader.choose_facet("Category", 1)
    reader.wait_for("Buy red shoes", "Buy blue shoes")
    assert reader.chosen == "Buy red shoes"


def test_a_change_of_the_chosen_episode_is_shown_at_once(three: list[str], reader: Reader, folder: Folder) -> None:
    reader.choose(0)
    reader.pilot.wait_for_text("Recorded by Ada")
    annotation = folder.annotation(three[0])
    annotation.write_text(annotation.read_text().replace("Set an alarm", "Set two alarms"))
    reader.pilot.wait_for_text("Set two alarms")
    reader.pilot.qtbot.waitUntil(lambda: reader.chosen == "Set two alarms")
    shutil.rmtree(folder.root)
    reader.pilot.wait_for_text("No episodes yet.")
    assert not reader.pilot.says("Recorded by Ada")


def test_a_broken_annotation_is_shown_and_says_why(three: list[str], reader: Reader, folder: Folder) -> None:
    folder.annotation(three[0]).write_text('{"episode_id": 7}')
    reader.pilot.wait_for_text("3 episodes · 1 cannot be read")
    broken = f"Cannot be read: {three[0]}.json: "
    reader.pilot.qtbot.waitUntil(lambda: any(one.startswith(broken) for one in reader.instructions))
    reader.choose(next(at for at, words in enumerate(reader.instructions) if words.startswith(broken)))
    reader.pilot.wait_for_text(f"Episode {three[0]} cannot be read.")
    assert reader.steps == []
    reader.pilot.qtbot.waitUntil(lambda: reader.pilot.rows_of("Category")[0] == "All: 3")
