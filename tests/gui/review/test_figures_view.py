"""The figures view of the Review page on real files."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView, QScrollArea

from odyssey_recorder.errors import ReviewError
from odyssey_recorder.gui.frame.application import ThemeName, use_theme
from odyssey_recorder.gui.review.figures_view import QualityView
from odyssey_recorder.gui.window.main_window import SMALLEST
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from tests.checking.reviewed import publish
from tests.checking.verdicts import verdict
from tests.gui.inspection import faults
from tests.gui.pilot import Pilot
from tests.gui.review.fake_reviewing import FakeReviewing
from tests.gui.review.reviewer import OpenReviews
from tests.gui.test_every_control import shows_focus
from tests.review.review_dataset import FakeChecks, ReviewDataset

SHIFT = Qt.KeyboardModifier.ShiftModifier


OpenFigures = Callable[[], Pilot]


@pytest.fixture
def dataset(tmp_path: Path) -> ReviewDataset:
    """No episodes; none is drawn into the sample."""
    dataset = ReviewDataset(tmp_path / "dataset", FakeChecks())
    (dataset.root / "annotations").mkdir(parents=True)
    dataset.reviews.set_policy(ReviewPolicy(seed=1, second_share=0.0))
    return dataset


@pytest.fixture
def open_figures(open_reviews: OpenReviews, dataset: ReviewDataset) -> OpenFigures:

    def open_it() -> Pilot:
        pilot = open_reviews(dataset.service("Rosa")).pilot
        pilot.window.resize(SMALLEST)
        pilot.press("Show figures")
        pilot.wait_for_text("As of ")
        return pilot

    return open_it


def publish_judged(root: Path, number: int, *answers: str, by: tuple[str, ...] = ("Bea", "Cem", "Dora")) -> None:
    annotation = publish(root, f"{number:016}")
    revision = hashlib.sha256(annotation.read_bytes()).hexdigest()
    for minute, (name, given) in enumerate(zip(by, answers, strict=False)):
        ReviewStore(root).append(annotation.stem, verdict(name, given, minute=minute, revision=revision))


@pytest.fixture
def judged(dataset: ReviewDataset) -> ReviewDataset:
    """Twelve episodes: four judged by two reviewers, who disagree once, six by one, and two by nobody."""
    dataset.reviews.set_policy(ReviewPolicy(seed=1, second_share=1.0))
    for number in range(12):
        publish_judged(
            dataset.root, number, *(["ppp", "fpp" if number == 0 else "ppp"] if number < 4 else ["ppp"] * (number < 10))
        )
    return dataset


def test_figures_are_shown_and_read_by_screen_readers(judged: ReviewDataset, open_figures: OpenFigures) -> None:
    damaged = judged.root / "reviews" / f"{10:016}.json"
    damaged.write_text("{\n  oops", encoding="utf-8")
    pilot = open_figures()
    assert pilot.says("of them accepted (44 to 100%)")
    assert pilot.rows_of("Episodes by review status") == [
        "Unreviewed: 2", "Second review: 6", "Disputed: 1", "Accepted: 3", "Sent back: 0", "Rejected: 0",
    ]  # fmt: skip
    assert pilot.says("Of 4 accepted episodes that were reviewed again, at random and blind, 1 was not")
    assert pilot.rows_of("By annotator") == ["Annotator: Accepted, with 95% interval", "Ada: 3 of 3, 100% (44 to 100%)"]
    assert pilot.rows_of("Time per episode")[1:] == [
        "All: 14 verdicts, 20 s, 90% within 20 s",
        "Bea: 10 verdicts, 20 s, 90% within 20 s",
        "Cem: 4 verdicts, 20 s, 90% within 20 s",
    ]
    assert pilot.rows_of("Reasons: Screenshots are present and correct")[1:] == ["It shows an earlier screen: 1"]
    assert pilot.says("4 episodes with two verdicts: too few to be meaningful.")
    decision, _screenshots, sequence, _instruction = pilot.rows_of("Agreement of two reviewers")[1:]
    assert decision.startswith("Decision: Episodes: 4, Raw agreement, 0 to 100%: 75% (30 to 95%), Cohen's kappa")
    assert sequence.endswith("Cohen's kappa, -0.5 to 1: undefined: all gave the same answer")
    [problem] = pilot.rows_of("Unreadable or not counted")
    assert damaged.name in problem
    assert "line 2" in problem


def test_hint_is_shown_before_the_first_verdict(dataset: ReviewDataset, open_reviews: OpenReviews) -> None:
    (dataset.root / "annotations").rmdir()
    pilot = open_reviews(dataset.service("Rosa")).pilot
    pilot.press("Show figures")
    pilot.wait_for_text("No reviews yet.")
    publish(dataset.root, "1" * 16)
    pilot.press("Show figures")
    pilot.press("Show figures")
    pilot.wait_for_text("Figures appear after the first verdict.")
    pilot.qtbot.waitUntil(lambda: pilot.rows_of("Episodes by review status")[0] == "Unreviewed: 1")


def test_figures_are_refreshed_when_reopened_and_by_key(judged: ReviewDataset, open_figures: OpenFigures) -> None:
    pilot = open_figures()
    table = pilot.named(QListView, "Episodes by review status")
    pilot.press("Show figures")
    assert not pilot.find(QualityView).isVisible()
    pilot.press("Show figures")
    pilot.wait_for_text("As of ")
    assert pilot.named(QListView, "Episodes by review status") is table  # nothing has changed, so nothing is rebuilt
    publish_judged(judged.root, 20, "ppp", "ppp")
    pilot.press("Show figures")
    pilot.press("Show figures")
    pilot.qtbot.waitUntil(lambda: "Accepted: 4" in pilot.rows_of("Episodes by review status"))
    publish_judged(judged.root, 21, "ppp", "ppp")
    QTest.keyClick(pilot.window, Qt.Key.Key_F5, SHIFT)
    pilot.qtbot.waitUntil(lambda: "Accepted: 5" in pilot.rows_of("Episodes by review status"))


def test_failed_figures_can_be_retried(open_reviews: OpenReviews, tmp_path: Path) -> None:
    reviewing = FakeReviewing(tmp_path / "dataset")
    reviewing.failure = ReviewError("policy.json: line 1, column 2: Expecting value. Fix it.")
    pilot = open_reviews(reviewing).pilot
    pilot.press("Show figures")
    pilot.wait_for_text("Couldn't calculate the figures.")
    assert pilot.says("line 1, column 2: Expecting value. Fix it.")
    assert pilot.says("Press “Refresh” to read the reviews again.")
    assert not pilot.is_enabled("Save as page")
    pilot.press("Refresh")
    pilot.wait_for_text("As of ")
    assert not pilot.says("Couldn't calculate the figures.")


def test_page_is_saved_or_the_error_is_shown(judged: ReviewDataset, open_figures: OpenFigures, tmp_path: Path) -> None:
    pilot = open_figures()
    pilot.press("Save as page")
    pilot.choose_file(tmp_path)
    pilot.wait_for_text("Couldn't save the page.")
    assert pilot.says(tmp_path.name)
    pilot.press("Dismiss")
    assert not pilot.says("Couldn't save the page.")
    pilot.press("Save as page")
    pilot.choose_file(tmp_path / "page.html")
    pilot.wait_for_text("The page is saved.")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert str(judged.root) in page
    assert "4 episodes with two verdicts: too few to be meaningful." in page


def test_long_tables_are_collapsed_until_expanded(dataset: ReviewDataset, open_figures: OpenFigures) -> None:
    for number in range(13):
        publish_judged(dataset.root, number, "ppp", by=(f"Reviewer {number:02}",))
    pilot = open_figures()
    table = pilot.named(QListView, "Time per episode")
    assert (len(pilot.rows_of("Time per episode")), table.height()) == (11, 11 * 30)
    pilot.press("Show all 14: Time per episode")
    assert (len(pilot.rows_of("Time per episode")), table.height()) == (15, 15 * 30)
    pilot.press("Show the first 10: Time per episode")
    assert len(pilot.rows_of("Time per episode")) == 11


def test_keys_and_wheel_scroll_to_rows(judged: ReviewDataset, open_figures: OpenFigures) -> None:
    pilot = open_figures()
    rows = pilot.named(QListView, "Episodes by review status").viewport()
    place = rows.mapTo(pilot.window, rows.rect().center())
    QTest.wheelEvent(pilot.window.windowHandle(), QPointF(place), QPoint(0, -240))
    bar = pilot.find(QualityView).findChildren(QScrollArea)[0].verticalScrollBar()
    assert bar.value() > 0
    bar.setValue(0)
    last = pilot.named(QListView, "Time per episode")
    assert not is_visible(pilot, last, last.model().index(3, 0))
    last.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(2):
        QTest.keyClick(last, Qt.Key.Key_Down)
    assert last.currentIndex().row() == 3
    assert is_visible(pilot, last, last.currentIndex())


def is_visible(pilot: Pilot, table: QListView, row: QModelIndex) -> bool:
    area, place = pilot.find(QualityView).findChildren(QScrollArea)[0].viewport(), table.visualRect(row)
    place.moveTopLeft(table.mapTo(area, place.topLeft()))
    return area.rect().contains(place)


def test_controls_have_names_and_tables_show_focus(judged: ReviewDataset, open_figures: OpenFigures) -> None:
    pilot = open_figures()
    themes: tuple[ThemeName, ...] = ("dark", "light")
    for theme in themes:
        use_theme(theme)
        pilot.qtbot.waitUntil(lambda: faults(pilot.window) == [])
        tables = pilot.find(QualityView).findChildren(QListView)
        assert [one.accessibleName() for one in tables if not shows_focus(one)] == [], theme
    use_theme("system")


def test_long_names_wrap(dataset: ReviewDataset, open_figures: OpenFigures) -> None:
    publish_judged(dataset.root, 1, "ppp", by=("reviewer-of-the-second-team " * 5,))
    table = open_figures().named(QListView, "Time per episode")
    one_line, wrapped = (table.visualRect(table.model().index(row, 0)).height() for row in (1, 2))
    assert wrapped >= one_line + 2 * table.fontMetrics().height()
