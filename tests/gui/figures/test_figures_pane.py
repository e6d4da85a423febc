"""The figures in the window: painted, reachable by keys, and a mark chooses its filter."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QTableView, QToolButton
from pytestqt.qtbot import QtBot

from odyssey_recorder.figures.counting import Against, all_figures
from odyssey_recorder.figures.figure import BarMark, Bars
from odyssey_recorder.figures.page import file_names
from odyssey_recorder.figures.published import V2
from odyssey_recorder.gui.figures.figures_pane import FiguresPane, PanelView
from odyssey_recorder.gui.frame.application import use_text_size
from tests.figures.sample import episodes

FIGURES = all_figures(episodes(60, ["Chrome", "Maps", "Notes"]), Against(V2, str))
BARS = Bars(
    "", "app", "episodes", 10, (BarMark("Maps", 8, 'app:"Maps"'), BarMark("Mail", 1, 'app:"Mail"'), BarMark("x", 1))
)


@pytest.fixture
def chosen() -> list[str]:
    """The filters that were chosen in `view`."""
    return []


@pytest.fixture
def view(qtbot: QtBot, chosen: list[str]) -> PanelView:
    view = PanelView(BARS, "Apps")
    qtbot.addWidget(view)
    view.chosen.connect(chosen.append)
    view.resize(600, 100)
    view.show()
    qtbot.waitExposed(view)
    return view


@pytest.fixture
def pane(qtbot: QtBot) -> FiguresPane:
    pane = FiguresPane()
    qtbot.addWidget(pane)
    pane.resize(800, 600)
    pane.show()
    pane.show_figures(FIGURES)
    qtbot.waitUntil(lambda: pane.is_complete)
    return pane


def test_click_on_a_bar_chooses_its_filter(view: PanelView, chosen: list[str]) -> None:
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(210, 36))
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(590, 60))
    assert chosen == ['app:"Mail"']


def test_arrow_keys_reach_and_describe_every_bar(view: PanelView, chosen: list[str]) -> None:
    descriptions = []
    for _ in range(4):
        QTest.keyClick(view, Qt.Key.Key_Down)
        descriptions.append(view.accessibleDescription())
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert descriptions == [
        "Maps: 8 episodes, 80.0%", "Mail: 1 episode, 10.0%", "x: 1 episode, 10.0%", "x: 1 episode, 10.0%"
    ]  # fmt: skip
    assert chosen == ['app:"Maps"', 'app:"Mail"'], "a mark without a filter chooses nothing"


@pytest.mark.usefixtures("clean_home")
def test_drawing_and_its_marks_scale_with_the_text(view: PanelView, chosen: list[str]) -> None:
    before = view.height()
    use_text_size("extra large")
    view.setStyleSheet("QWidget { font-size: 14pt; }")
    assert view.height() == pytest.approx(1.4 * before, abs=4)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(400, round(1.4 * 36)))
    assert chosen == ['app:"Mail"']


def test_pane_shows_every_figure_and_its_table(pane: FiguresPane) -> None:
    drawings = pane.findChildren(PanelView)
    assert len(drawings) == sum(len(list(file_names(one))) for one in FIGURES)
    before = len(pane.findChildren(QTableView))
    next(one for one in pane.findChildren(QToolButton) if one.text() == "Table").click()
    assert len(pane.findChildren(QTableView)) == before + 1
    chosen: list[str] = []
    pane.chosen.connect(chosen.append)
    QTest.keyClick(drawings[0], Qt.Key.Key_Down)
    QTest.keyClick(drawings[0], Qt.Key.Key_Return)
    assert chosen[0].startswith('category:"')


def test_new_figures_replace_the_old_ones_in_place(pane: FiguresPane, qtbot: QtBot) -> None:
    before = pane.findChildren(PanelView)
    pane.show_figures([replace(FIGURES[0], title="Now"), *FIGURES[1:]])
    qtbot.waitUntil(lambda: pane.is_complete)
    titles = [one.text() for one in pane.findChildren(QLabel) if one.property("kind") == "title" and one.isVisible()]
    tops = {one.text(): one.mapTo(pane, QPoint()).y() for one in pane.findChildren(QLabel) if one.isVisible()}
    assert "Now" in titles
    qtbot.waitUntil(lambda: tops["Now"] < tops[FIGURES[1].title])
    assert pane.findChildren(PanelView) == before, "what is the same stays"


def test_narrow_pane_draws_narrower(view: PanelView) -> None:
    wide = view.grab().toImage()
    view.resize(400, 100)
    narrow = view.grab().toImage()
    assert narrow.width() < wide.width()
    ink = {narrow.pixelColor(x, 12).name() for x in range(190, narrow.width())}
    assert len(ink) > 2, "the bar and its number are painted"
