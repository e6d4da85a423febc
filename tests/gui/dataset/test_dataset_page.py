"""The Dataset page on a real folder, which changes while it is shown."""

import json
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCompleter, QListView
from pytestqt.qtbot import QtBot

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset_index.index import EpisodeIndex, IndexedEpisode
from odyssey_recorder.dataset_index.saved import SavedFilters
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.dataset.episode_table import EpisodeTable
from odyssey_recorder.gui.dataset.filmstrips import Filmstrips, StripDelegate
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.table import VALUE, table_view
from odyssey_recorder.model.episode import screenshot_name
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from odyssey_recorder.services.review import ReviewService
from tests.checking.verdicts import verdict
from tests.dataset.drafts import png, provenance_of, record
from tests.episodes import ALL_KINDS, episode
from tests.gui.dataset.page_driver import DatasetDriver
from tests.gui.inspection import faults
from tests.gui.item_views import click_row, column_texts
from tests.gui.pilot import OpenAt
from tests.review.review_dataset import FakeChecks

CTRL = Qt.KeyboardModifier.ControlModifier
NEWEST_US = 1_700_000_000_000_000
HOUR_US = 3_600_000_000
SCREENSHOT = png(9)
RECORDS = [record(SCREENSHOT)] * len(ALL_KINDS)


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
        recorded = episode(episode_id=episode_id)
        task = replace(recorded.task, instruction=instruction, category=category)
        device_info = replace(recorded.device, device_name=device)
        write_episode(self.annotation(episode_id), replace(recorded, task=task, device=device_info))
        began_us = NEWEST_US + (HOUR_US if newest else -HOUR_US) * self._published
        times = {"started_us": began_us, "published_us": began_us + 90_000_000}
        provenance = provenance_of(episode_id, RECORDS, annotator=annotator, mode="passive").model_copy(update=times)
        (self.root / "provenance" / f"{episode_id}.json").write_text(provenance.model_dump_json())
        for step in range(len(ALL_KINDS)):
            self.screenshot(episode_id, step).write_bytes(SCREENSHOT)
        return episode_id

    def annotation(self, episode_id: str) -> Path:
        return self.root / "annotations" / f"{episode_id}.json"

    def screenshot(self, episode_id: str, step: int) -> Path:
        return self.root / "screenshots" / screenshot_name(episode_id, step)


def episode_row(number: int) -> IndexedEpisode:
    return IndexedEpisode(f"{number:016}", f"Task {number}", "General_Tool", "Pixel Fold", steps=9)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "published")


@pytest.fixture
def page(open_at: OpenAt, folder: Folder) -> DatasetDriver:
    saved = SavedFilters(folder.root.parent / "filters.json")
    workplace = Workplace(
        dataset=lambda: EpisodeIndex(folder.root, None),
        saved_filters=lambda: saved,
        review=lambda: ReviewService(EpisodeIndex(folder.root, None), Checker(None, 1), lambda: "Bea"),
    )
    pilot = open_at(workplace)
    pilot.press("Dataset")
    return DatasetDriver(pilot)


@pytest.fixture
def three(folder: Folder, page: DatasetDriver) -> list[str]:
    """The ids of three episodes that are listed."""
    ids = [
        folder.publish("Set an alarm"),
        folder.publish("Buy red shoes", category="Web_Shopping", device="Pixel Fold"),
        folder.publish("Buy blue shoes", category="Web_Shopping", annotator="Grace"),
    ]
    page.wait_for("Set an alarm", "Buy red shoes", "Buy blue shoes")
    return ids


def test_empty_page_fills_as_episodes_arrive(page: DatasetDriver, folder: Folder) -> None:
    page.pilot.wait_for_text("No episodes yet.")
    assert page.pilot.says("Published episodes of all annotators appear here.")
    page.pilot.press("Go to Record")
    assert page.pilot.mirror.isVisible()
    page.pilot.press("Dataset")
    folder.publish("Set an alarm")
    page.wait_for("Set an alarm")
    page.pilot.wait_for_text("1 episode")
    assert not page.pilot.says("No episodes yet.")


def test_list_is_newest_first_sortable_and_counted(three: list[str], page: DatasetDriver) -> None:
    assert column_texts(page.table, 1) == ["General Tool", "Web Shopping", "Web Shopping"]
    assert column_texts(page.table, 3) == [str(len(ALL_KINDS))] * 3
    assert page.pilot.rows_of("Device") == ["All: 3", "Small Phone: 2", "Pixel Fold: 1"]
    page.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    page.wait_for("Buy blue shoes", "Buy red shoes", "Set an alarm")


@pytest.fixture
def checked_page(open_at: OpenAt, folder: Folder) -> DatasetDriver:
    """With a checker; one review is enough."""
    ReviewStore(folder.root).set_policy(ReviewPolicy(seed=1, second_share=0.0))
    checker = Checker(folder.root.parent / "checks.sqlite", 1, judge=FakeChecks())

    def index() -> EpisodeIndex:
        return EpisodeIndex(folder.root, folder.root.parent / "index", checker.known)

    def service() -> ReviewService:
        return ReviewService(index(), checker, lambda: "Bea")

    return DatasetDriver(open_at(Workplace(dataset=index, review=service)))


def test_checks_run_when_a_verdict_depends_on_them(checked_page: DatasetDriver, folder: Folder) -> None:
    judged = folder.publish("Buy red shoes")
    revision = sha256(folder.annotation(judged).read_bytes()).hexdigest()
    ReviewStore(folder.root).append(judged, verdict("Bea", revision=revision, recorder="Ada"))
    checked_page.pilot.press("Dataset")
    checked_page.pilot.qtbot.waitUntil(lambda: column_texts(checked_page.table, 4) == ["Accepted"])
    assert not checked_page.pilot.says("Checking the episodes"), "the card goes with its job"


def test_checks_do_not_run_when_nothing_depends_on_them(checked_page: DatasetDriver, folder: Folder) -> None:
    folder.publish("Set an alarm")
    checked_page.pilot.press("Dataset")
    checked_page.wait_for("Set an alarm")
    assert Checker(folder.root.parent / "checks.sqlite", 1).known(folder.annotation(f"{10**15 + 1}")) is None


def test_facet_edits_the_filter_and_updates_the_counts(three: list[str], page: DatasetDriver) -> None:
    page.choose_facet("Category", 1)
    page.wait_for("Buy red shoes", "Buy blue shoes")
    assert page.filter_line.text() == "category:Web_Shopping"
    page.wait_for_facet("Category", "All: 3", "Web Shopping: 2", "General Tool: 1")
    page.wait_for_facet("Device", "All: 2", "Pixel Fold: 1", "Small Phone: 1")
    page.choose_facet("Device", 1)
    page.wait_for("Buy red shoes")
    assert page.filter_line.text() == 'category:Web_Shopping device:"Pixel Fold"'
    assert page.pilot.says("1 of 3 episodes")
    page.choose_facet("Category", 0)
    assert page.filter_line.text() == 'device:"Pixel Fold"'
    page.pilot.press("Show all")
    page.wait_for("Set an alarm", "Buy red shoes", "Buy blue shoes")


def test_typed_filter_is_shown_by_the_facets(three: list[str], page: DatasetDriver) -> None:
    page.pilot.activate()
    QTest.keyClick(page.pilot.window, Qt.Key.Key_F, CTRL)
    assert page.filter_line.hasFocus()
    page.type_filter("category:web_shopping SHOES by:grace")
    page.wait_for("Buy blue shoes")
    facet = page.pilot.named(QListView, "Category")
    assert facet.currentIndex().data() == "Web Shopping"
    page.type_filter("-category:web_shopping")
    page.wait_for("Set an alarm")
    assert not facet.currentIndex().isValid()
    page.type_filter("app:Chrome device:Watch")
    page.pilot.wait_for_text("No matching episodes.")
    assert "Watch: 0" in page.pilot.rows_of("Device")


def test_filter_error_is_located_and_the_list_stays(three: list[str], page: DatasetDriver) -> None:
    page.type_filter("shoes stepz:3")
    page.pilot.wait_for_text("Character 7: There is no key “stepz:”. Did you mean “steps:”?")
    assert page.instructions == ["Set an alarm", "Buy red shoes", "Buy blue shoes"]
    page.type_filter("shoes steps:>3")
    page.wait_for("Buy red shoes", "Buy blue shoes")
    assert not page.pilot.says("Character 7")


def test_filter_keys_and_values_are_completed(three: list[str], page: DatasetDriver) -> None:
    page.filter_line.setFocus()
    QTest.keyClicks(page.filter_line, "shoes -dev")
    completer = page.filter_line.findChild(QCompleter)
    assert completer is not None
    popup = completer.popup()
    assert popup is not None
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert page.filter_line.text() == "shoes -device:"
    QTest.keyClicks(page.filter_line, '"pix')
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert page.filter_line.text() == 'shoes -device:"Pixel Fold"'
    page.wait_for("Buy blue shoes")


def test_view_is_saved_chosen_and_deleted(three: list[str], page: DatasetDriver) -> None:
    views = page.pilot.choice("Saved views")
    page.type_filter("shoes")
    page.wait_for("Buy red shoes", "Buy blue shoes")
    page.pilot.press("Save view")
    dialog = page.pilot.dialog()
    QTest.keyClicks(page.pilot.line("Name of the view"), "All shoes")
    page.pilot.press_in(dialog, "Save")
    page.pilot.qtbot.waitUntil(lambda: views.currentText() == "All shoes")
    page.pilot.press("Show all")
    page.pilot.qtbot.waitUntil(lambda: views.currentText() == "Saved views")
    views.setCurrentText("All shoes")
    page.wait_for("Buy red shoes", "Buy blue shoes")
    page.pilot.press("Delete view")
    page.pilot.qtbot.waitUntil(lambda: views.count() == 1)
    assert page.filter_line.text() == "shoes"


def test_selected_episodes_are_exported(three: list[str], page: DatasetDriver, folder: Folder) -> None:
    click_row(page.table, 1)
    click_row(page.table, 2, CTRL)
    page.pilot.wait_for_text("2 selected")
    page.pilot.press("Export")
    assert page.pilot.choice("Episodes").currentText() == "Selected: 2 episodes"
    page.pilot.choice("Layout").setCurrentText("JSON Lines, without screenshots")
    out = folder.root.parent / "out"
    export_unaccepted(page, out)
    page.pilot.wait_for_text("2 episodes exported to")
    [lines] = out.glob("data/*.jsonl")
    assert [one in lines.read_text() for one in three] == [False, True, True]
    page.pilot.press("Export")
    export_unaccepted(page, out)
    page.pilot.wait_for_text("already exists. Choose another folder")


def test_training_samples_are_exported_as_chosen(three: list[str], page: DatasetDriver, folder: Folder) -> None:
    page.pilot.press("Export")
    out = folder.root.parent / "out"
    choices = {name: page.pilot.choice(name) for name in ("Layout", "Adapter", "History", "Instructions")}
    assert not choices["Adapter"].isVisible()
    choices["Layout"].setCurrentText("Training samples for the official code")
    assert (choices["Adapter"].isVisible(), choices["Adapter"].isEnabled()) == (True, False)
    choices["Layout"].setCurrentText("Training samples for TRL")
    assert not faults(page.pilot.dialog())
    choices["Adapter"].setCurrentText("qwen2.5-vl")
    choices["History"].setCurrentText("4 earlier screenshots")
    export_unaccepted(page, out)
    page.pilot.wait_for_text("3 episodes exported to")
    first, second = map(json.loads, (out / "data" / "all" / "00000.jsonl").read_text().splitlines()[:2])
    assert "<tool_call>" in first["completion"][0]["content"][0]["text"]
    assert (len(first["images"]), len(second["images"])) == (1, 2)


def export_unaccepted(page: DatasetDriver, out: Path) -> None:
    page.pilot.line("Folder").setText(str(out))
    page.pilot.press("Only accepted episodes")
    page.pilot.press_in(page.pilot.dialog(), "Export")


def test_unaccepted_episodes_are_not_exported(three: list[str], page: DatasetDriver, folder: Folder) -> None:
    page.pilot.press("Export")
    page.pilot.press_in(page.pilot.dialog(), "Export")
    page.pilot.wait_for_text("None of these episodes is accepted and without errors.")
    assert not list(folder.root.parent.glob("*export*"))


def test_gallery_loads_only_visible_filmstrips(page: DatasetDriver, folder: Folder, background: Background) -> None:
    for number in range(40):
        folder.publish(f"Task {number}")
    page.wait_for_count(40)
    page.pilot.press("Show gallery")
    gallery = page.pilot.named(QListView, "Filmstrips")
    strips = Filmstrips(folder.root, background)
    loaded: list[str] = []
    strips.loaded.connect(loaded.append)
    gallery.setItemDelegate(StripDelegate(strips, gallery))
    indexes, area = [gallery.model().index(row, 0) for row in range(40)], gallery.viewport().rect()
    visible = {one.data(VALUE).episode_id for one in indexes if gallery.visualRect(one).intersects(area)}
    assert 0 < len(visible) < 30
    page.pilot.qtbot.waitUntil(lambda: set(loaded) == visible)
    click_row(gallery, 1)
    assert page.selected == page.instructions[1]


def test_painting_reads_only_visible_rows(qtbot: QtBot) -> None:
    """Painting and scrolling."""
    requested: set[int] = set()

    class CountingTable(EpisodeTable):
        def at(self, row: int) -> IndexedEpisode | None:
            requested.add(row)
            return super().at(row)

    table = CountingTable()
    view = table_view("Episodes", table, 32)
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.show()
    table.show([episode_row(number) for number in range(10_000)])
    requested.clear()
    view.grab()
    visible_rows = view.viewport().height() // view.rowHeight(0) + 2
    assert 0 < len(requested) <= visible_rows
    requested.clear()
    view.scrollToBottom()
    view.grab()
    assert 9_999 in requested
    assert len(requested) <= visible_rows


def test_selected_episode_is_shown_and_its_id_copied(three: list[str], page: DatasetDriver, folder: Folder) -> None:
    click_row(page.table, 1)
    page.pilot.wait_for_text("Web Shopping · Chrome, Google Docs")
    assert page.pilot.says("Recorded by Ada")
    assert page.pilot.says("in 1.5 min, in passive mode")
    assert page.steps[0] == "Click"
    first = page.pilot.named(QListView, "Steps of the episode").model().index(0, 0)
    page.pilot.qtbot.waitUntil(lambda: isinstance(first.data(VALUE).image, QImage))
    page.pilot.press("Copy id")
    assert QGuiApplication.clipboard().text() == three[1]
    page.pilot.press("Copy path")
    assert QGuiApplication.clipboard().text() == str(folder.annotation(three[1]))


def test_changes_to_others_keep_the_selected_row_in_place(folder: Folder, page: DatasetDriver) -> None:
    ids = [folder.publish(f"Task {number}") for number in range(40)]
    page.wait_for_count(40)
    scroll = page.table.verticalScrollBar()
    scroll.setValue(scroll.maximum() - 40)
    click_row(page.table, page.table.rowAt(60))
    page.pilot.wait_for_text("Recorded by Ada")
    selected, top = page.selected, page.top_of_selected
    folder.publish("Newer", newest=True)
    folder.publish("Newer still", newest=True)
    page.wait_for_count(42)
    assert (page.selected, page.top_of_selected) == (selected, top)
    folder.annotation(ids[0]).unlink()
    page.pilot.qtbot.waitUntil(lambda: "Task 0" not in page.instructions)
    assert (page.selected, page.top_of_selected) == (selected, top)


def test_selection_survives_sorting_and_filtering(three: list[str], page: DatasetDriver) -> None:
    click_row(page.table, 1)
    page.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    page.wait_for("Set an alarm", "Buy red shoes", "Buy blue shoes")
    assert page.selected == "Buy red shoes"
    page.choose_facet("Category", 1)
    page.wait_for("Buy red shoes", "Buy blue shoes")
    assert page.selected == "Buy red shoes"


def test_change_of_the_selected_episode_is_shown_at_once(three: list[str], page: DatasetDriver, folder: Folder) -> None:
    click_row(page.table, 0)
    page.pilot.wait_for_text("Recorded by Ada")
    annotation = folder.annotation(three[0])
    annotation.write_text(annotation.read_text().replace("Set an alarm", "Set two alarms"))
    page.pilot.wait_for_text("Set two alarms")
    page.pilot.qtbot.waitUntil(lambda: page.selected == "Set two alarms")
    shutil.rmtree(folder.root)
    page.pilot.wait_for_text("No episodes yet.")
    assert not page.pilot.says("Recorded by Ada")


def test_damaged_annotation_is_listed_with_the_reason(three: list[str], page: DatasetDriver, folder: Folder) -> None:
    folder.annotation(three[0]).write_text('{"episode_id": 7}')
    page.pilot.wait_for_text("3 episodes · 1 cannot be read")
    damaged = f"Cannot be read: {three[0]}.json: "
    page.pilot.qtbot.waitUntil(lambda: any(one.startswith(damaged) for one in page.instructions))
    click_row(page.table, next(at for at, text in enumerate(page.instructions) if text.startswith(damaged)))
    page.pilot.wait_for_text(f"Episode {three[0]} cannot be read.")
    assert page.steps == []
    page.pilot.qtbot.waitUntil(lambda: page.pilot.rows_of("Category")[0] == "All: 3")
