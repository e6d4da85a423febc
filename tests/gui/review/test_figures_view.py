"""The figures view of the Review page on real files."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QListView, QScrollArea

from odyssey_recorder.errors import ReviewError
from odyssey_recorder.gui.application import ThemeName, use_theme
from odyssey_recorder.gui.main_window import SMALLEST
from odyssey_recorder.gui.review.figure_tables import sections
from odyssey_recorder.gui.review.figures_view import QualityView
from odyssey_recorder.quality.agreement.quality_report import QualityReport, TextCheckFigures, quality_report
from odyssey_recorder.quality.agreement.reviewed import AllReviewed
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from tests.gui.inspection import faults
from tests.gui.pilot import Pilot
from tests.gui.review.bench_review import BenchReviewing
from tests.gui.review.reviewer import OpenReviews
from tests.gui.test_every_control import shows_focus
from tests.quality.reviewed import publish
from tests.quality.verdicts import verdict
from tests.test_review_service import Checks, Place

SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier


class Reader:
    def __init__(self, pilot: Pilot) -> None:
        self.pilot = pilot
        self.view = pilot.find(QualityView)
        self.area = self.view.findChildren(QScrollArea)[0]

    def turn(self) -> None:
        self.pilot.press("Show figures")

    def wait_for_figures(self) -> None:
        self.pilot.wait_for_text("As of ")

    def table(self, name: str) -> QListView:
        return self.pilot.named(QListView, name)


Read = Callable[[], Reader]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """No episodes; none is drawn into the sample."""
    place = Place(tmp_path / "dataset", Checks())
    (place.root / "annotations").mkdir(parents=True)
    place.reviews.set_policy(ReviewPolicy(seed=1, second_share=0.0))
    return place


@pytest.fixture
def read(open_reviews: OpenReviews, place: Place) -> Read:

    def read() -> Reader:
        pilot = open_reviews(place.service("Rosa")).pilot
        pilot.window.resize(SMALLEST)
        reader = Reader(pilot)
        reader.turn()
        reader.wait_for_figures()
        return reader

    return read


def judge(root: Path, number: int, *answers: str, by: tuple[str, ...] = ("Bea", "Cem", "Dora")) -> None:
    annotation = publish(root, f"{number:016}")
    present = hashlib.sha256(annotation.read_bytes()).hexdigest()
    for minute, (name, given) in enumerate(zip(by, answers, strict=False)):
        ReviewStore(root).append(annotation.stem, verdict(name, given, minute=minute, revision=present))


@pytest.fixture
def judged(place: Place) -> Place:
    """Twelve episodes: four judged by two reviewers, who disagree once, six by one, and two by nobody."""
    place.reviews.set_policy(ReviewPolicy(seed=1, second_share=1.0))
    for number in range(12):
        judge(
            place.root, number, *(["ppp", "fpp" if number == 0 else "ppp"] if number < 4 else ["ppp"] * (number < 10))
        )
    return place


def test_what_the_verdicts_come_to_is_shown_and_can_be_heard(judged: Place, read: Read) -> None:
    reader = read()
    assert reader.pilot.says("of them accepted (44 to 100%)")
    assert reader.pilot.rows_of("Episodes by review status") == [
        "Unreviewed: 2", "Second review: 6", "Disputed: 1", "Accepted: 3", "Sent back: 0", "Rejected: 0",
    ]  # fmt: skip
    assert reader.pilot.says("Of 4 accepted episodes that were reviewed again, at random and blind, 1 was not")
    assert reader.pilot.rows_of("By annotator") == [
        "Annotator: Accepted, with 95% interval",
        "Ada: 3 of 3, 100% (44 to 100%)",
    ]
    assert reader.pilot.rows_of("Time per episode")[1:] == [
        "All: 14 verdicts, 20 s, 90% within 20 s",
        "Bea: 10 verdicts, 20 s, 90% within 20 s",
        "Cem: 4 verdicts, 20 s, 90% within 20 s",
    ]
    assert reader.pilot.rows_of("Reasons: Screenshots are present and correct")[1:] == ["It shows an earlier screen: 1"]
    assert reader.pilot.says("4 episodes with two verdicts: too few to be meaningful.")
    taken, _screenshots, sequence, _instruction = reader.pilot.rows_of("Agreement of two reviewers")[1:]
    assert taken.startswith("Decision: Episodes: 4, Raw agreement, 0 to 100%: 75% (30 to 95%), Cohen's kappa")
    assert sequence.endswith("Cohen's kappa, -0.5 to 1: undefined: all gave the same answer")


def test_where_nothing_was_reviewed_yet_it_says_what_to_do(place: Place, open_reviews: OpenReviews) -> None:
    (place.root / "annotations").rmdir()
    reader = Reader(open_reviews(place.service("Rosa")).pilot)
    reader.turn()
    reader.pilot.wait_for_text("No reviews yet.")
    publish(place.root, "1" * 16)
    reader.turn()
    reader.turn()
    reader.pilot.wait_for_text("Figures appear after the first verdict.")
    reader.pilot.qtbot.waitUntil(lambda: reader.pilot.rows_of("Episodes by review status")[0] == "Unreviewed: 1")


def test_a_review_file_that_is_broken_is_named_with_its_place(judged: Place, read: Read) -> None:
    broken = judged.root / "reviews" / f"{5:016}.json"
    broken.write_text("{\n  oops", encoding="utf-8")
    [problem] = read().pilot.rows_of("Unreadable or not counted")
    assert f"{5:016}.json" in problem
    assert "line 2" in problem


def test_they_are_read_anew_whenever_they_are_turned_to_and_by_a_key(judged: Place, read: Read) -> None:
    reader = read()
    shown = reader.table("Episodes by review status")
    reader.turn()
    assert not reader.view.isVisible()
    reader.turn()
    reader.wait_for_figures()
    assert reader.table("Episodes by review status") is shown  # nothing has changed, so nothing is rebuilt
    judge(judged.root, 20, "ppp", "ppp")
    reader.turn()
    reader.turn()
    reader.pilot.qtbot.waitUntil(lambda: "Accepted: 4" in reader.pilot.rows_of("Episodes by review status"))
    judge(judged.root, 21, "ppp", "ppp")
    QTest.keyClick(reader.pilot.window, Qt.Key.Key_F5, SHIFT)
    reader.pilot.qtbot.waitUntil(lambda: "Accepted: 5" in reader.pilot.rows_of("Episodes by review status"))


class Unreadable(BenchReviewing):
    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.refusal: ReviewError | None = ReviewError("policy.json: line 1, column 2: Expecting value. Fix it.")

    def figures(self, *_: object) -> QualityReport:
        if self.refusal is not None:
            raise self.refusal
        return super().figures()


def test_what_cannot_be_read_is_told_and_may_be_tried_again(open_reviews: OpenReviews, tmp_path: Path) -> None:
    bench = Unreadable(tmp_path / "dataset")
    pilot = open_reviews(bench).pilot
    reader = Reader(pilot)
    reader.turn()
    reader.pilot.wait_for_text("The figures could not be computed.")
    assert pilot.says("line 1, column 2: Expecting value. Fix it.")
    assert pilot.says("Choose “Refresh” to read the reviews again.")
    assert not pilot.named(QAbstractButton, "Save as page").isEnabled()
    bench.refusal = None
    pilot.press("Refresh")
    reader.wait_for_figures()
    assert not pilot.says("The figures could not be computed.")


def save(reader: Reader, file: Path) -> None:
    reader.pilot.press("Save as page")
    chooser = reader.view.findChildren(QFileDialog)[-1]
    chooser.fileSelected.emit(str(file))
    chooser.close()


def test_they_are_saved_as_a_page_or_it_says_why_not(judged: Place, read: Read, tmp_path: Path) -> None:
    reader = read()
    save(reader, tmp_path)
    reader.pilot.wait_for_text("The page could not be saved.")
    assert reader.pilot.says(tmp_path.name)
    reader.pilot.press("Dismiss")
    assert not reader.pilot.says("The page could not be saved.")
    save(reader, tmp_path / "page.html")
    reader.pilot.wait_for_text("The page is saved.")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert str(judged.root) in page
    assert "4 episodes with two verdicts: too few to be meaningful." in page


def test_long_tables_are_folded_until_all_is_asked_for(place: Place, read: Read) -> None:
    for number in range(13):
        judge(place.root, number, "ppp", by=(f"Reviewer {number:02}",))
    reader = read()
    table = reader.table("Time per episode")
    assert (len(reader.pilot.rows_of("Time per episode")), table.height()) == (11, 11 * 30)
    reader.pilot.press("Show all 14: Time per episode")
    assert (len(reader.pilot.rows_of("Time per episode")), table.height()) == (15, 15 * 30)
    reader.pilot.press("Show the first 10: Time per episode")
    assert len(reader.pilot.rows_of("Time per episode")) == 11


def test_keys_and_the_wheel_bring_rows_into_sight(judged: Place, read: Read) -> None:
    reader = read()
    rows = reader.table("Episodes by review status").viewport()
    place = rows.mapTo(reader.pilot.window, rows.rect().center())
    QTest.wheelEvent(reader.pilot.window.windowHandle(), QPointF(place), QPoint(0, -240))
    assert reader.area.verticalScrollBar().value() > 0
    reader.area.verticalScrollBar().setValue(0)
    last = reader.table("Time per episode")
    assert not is_in_sight(reader, last, last.model().index(3, 0))
    last.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(2):
        QTest.keyClick(last, Qt.Key.Key_Down)
    assert last.currentIndex().row() == 3
    assert is_in_sight(reader, last, last.currentIndex())


def is_in_sight(reader: Reader, table: QListView, row: QModelIndex) -> bool:
    place = table.visualRect(row)
    place.moveTopLeft(table.mapTo(reader.area.viewport(), place.topLeft()))
    return reader.area.viewport().rect().contains(place)


def test_every_control_of_theirs_is_named_and_shows_the_focus(judged: Place, read: Read) -> None:
    reader = read()
    themes: tuple[ThemeName, ...] = ("dark", "light")
    for theme in themes:
        use_theme(theme)
        reader.pilot.qtbot.waitUntil(lambda: faults(reader.pilot.window) == [])
        tables = reader.view.findChildren(QListView)
        assert [one.accessibleName() for one in tables if not shows_focus(one)] == [], theme
    use_theme("system")


def test_names_that_are_long_break_into_lines_and_are_never_cut(place: Place, read: Read) -> None:
    judge(place.root, 1, "ppp", by=("reviewer-of-the-second-team " * 5,))
    table = read().table("Time per episode")
    alone, named = (table.visualRect(table.model().index(row, 0)).height() for row in (1, 2))
    assert named >= alone + 2 * table.fontMetrics().height()


def test_what_is_asked_of_episodes_waits_until_they_are_back(judged: Place, read: Read) -> None:
    reader = read()
    check = reader.pilot.named(QAbstractButton, "Check")
    assert not check.isVisible()
    QTest.keyClick(reader.pilot.window, Qt.Key.Key_F, CTRL)
    assert reader.view.isVisible()
    reader.turn()
    assert check.isVisible()


def test_texts_are_counted_by_the_checks_that_could_compare_them() -> None:
    texts = TextCheckFigures("ANN03", "Another element", 9, 3, 1), TextCheckFigures("ANN09", "Only later", 0, 0, 4)
    report = replace(quality_report(AllReviewed(())), texts=texts)
    (table,) = next(one.tables for one in sections(report) if one.title.startswith("Texts"))
    told = [(row.name, row.count, row.measures[0].words) for row in table.rows]
    assert told == [("ANN03  Another element", "12", "3 contradicted")]
