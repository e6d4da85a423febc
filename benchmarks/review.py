"""How long a reviewer waits: for an episode to open, for its next step, for the list to scroll."""

import statistics
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path

from PIL import Image, ImageDraw
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListView, QMainWindow, QWidget

from benchmarks.figure import Figure, percentile
from benchmarks.window import run_events, run_until
from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.episode_row import EpisodeRow
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import open_episode
from odyssey_recorder.gui.frame.application import application
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.theme import Theme, style_sheet
from odyssey_recorder.gui.review.episodes_pane import EpisodesPane
from odyssey_recorder.gui.review.review_viewer import ReviewViewer
from odyssey_recorder.gui.window.pages import all_commands
from odyssey_recorder.model.action import Action, Click, Complete
from odyssey_recorder.model.episode import DeviceInfo, Episode, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.finding import Criterion, EpisodeReport, Finding, Severity
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.review.status import ReviewerRole
from odyssey_recorder.review.views import OpenedReview, ReviewNews, ReviewRow

SIZES = (Size(1080, 2400), Size(1440, 3120), Size(2560, 1600))
STEPS = 15
EPISODES = 8
LOOK_S = 0.4
"""A quick reviewer looks at a step this long: fifteen take six seconds."""
ROWS = 10_000
_TURNS = 120
_WINDOW = 1600, 1000
_FRAMES_MS = 33


def measure(folder: Path) -> list[Figure]:
    application()
    return [*(figure for size in SIZES for figure in _of_size(size, folder / f"review {size}")), _list_scrolled()]


def _of_size(size: Size, folder: Path) -> list[Figure]:
    reviews = [_episode(folder, size, number) for number in range(EPISODES)]
    window = QMainWindow()
    background = Background(window)
    viewer = ReviewViewer(background, Commands(window, all_commands()))
    window.setCentralWidget(viewer)
    window.setStyleSheet(style_sheet(Theme.current(), font_pt=10))
    window.resize(*_WINDOW)
    window.show()
    opened, steps = _gone_through(window, viewer, reviews)
    bare = _bare_paints_ms(folder / "screenshots", size)
    background.close()
    window.close()
    window.deleteLater()
    return [
        Figure(f"episode of {size} opened and painted, decoded ahead, median", statistics.median(opened)),
        Figure(f"next step painted, {size}, median", statistics.median(steps)),
        Figure(
            f"next step painted, {size}, p95",
            percentile(steps, 95),
            "ms",
            "ready pixmap, bare widget",
            percentile(bare, 95),
            f"<= {_FRAMES_MS}",
        ),
    ]


def _list_scrolled() -> Figure:
    window = QMainWindow()
    pane = EpisodesPane(Commands(window, all_commands()))
    window.setCentralWidget(pane)
    window.setStyleSheet(style_sheet(Theme.current(), font_pt=10))
    window.resize(*_WINDOW)
    window.show()
    pane.take(ReviewNews(read=tuple(map(_row, range(ROWS)))))
    view = next(one for one in pane.findChildren(QListView) if one.accessibleName() == "Episodes to review")
    run_until(lambda: view.model().rowCount() == ROWS)
    scroll, busy = view.verticalScrollBar(), []
    for turn in range(_TURNS + 1):
        began_s = time.perf_counter()
        scroll.setValue(scroll.maximum() * turn // _TURNS)
        QApplication.processEvents()
        busy.append(1000 * (time.perf_counter() - began_s))
    window.close()
    window.deleteLater()
    return Figure(f"list of {ROWS:,} episodes scrolled, longest slot", max(busy[1:]), goal="<= 50 ms")


def _row(number: int) -> ReviewRow:
    found = Finding("IMG07", Severity.WARNING, Criterion.SCREENSHOTS, "", 1, "Nothing changed.", "Look at it.")
    report = EpisodeReport(f"{10**15 + number}", (found,) * (number % 3))
    episode = EpisodeRow(
        report.episode_id, f"Do the task {number} in the clock and tell what you found", "General_Tool", "Pixel 7 Pro",
        steps=15, annotator="Ada", recorded_at=datetime.fromtimestamp(1_700_000_000 + number, UTC),
    )  # fmt: skip
    return ReviewRow(episode, role=ReviewerRole.FIRST, report=report)


def _gone_through(
    window: QMainWindow, viewer: ReviewViewer, reviews: Sequence[OpenedReview]
) -> tuple[list[float], list[float]]:
    """Milliseconds from opening an episode to its first frame, and from a key press to the next step's frame.

    The first episode is a warm-up: loading on first use does not count.
    """
    painted: list[int] = []
    viewer.step_painted.connect(painted.append)
    opened, steps = [], []

    def waited_ms(began_s: float, number: int) -> float:
        run_until(lambda: bool(painted) and painted[-1] == number)
        return 1000 * (ended[0] - began_s)

    ended = [0.0]
    viewer.step_painted.connect(lambda _number: ended.__setitem__(0, time.perf_counter()))
    for review, following in zip_longest(reviews, reviews[1:]):
        painted.clear()
        began_s = time.perf_counter()
        viewer.show_review(review)
        opened.append(waited_ms(began_s, 0))
        if following is not None:
            viewer.prepare(following)  # as the page does
        for number in range(1, STEPS):
            run_events(LOOK_S)
            began_s = time.perf_counter()
            QTest.keyClick(window, Qt.Key.Key_Right)
            steps.append(waited_ms(began_s, number))
        run_events(LOOK_S)
    return opened[1:], steps[STEPS - 1 :]


class _Bare(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.pixmap = QPixmap()
        self.painted_s = 0.0

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self.pixmap)
        painter.end()
        self.painted_s = time.perf_counter()


def _bare_paints_ms(screenshots: Path, size: Size) -> list[float]:
    pixmaps = [QPixmap(str(path)) for path in sorted(screenshots.iterdir())[:2]]
    bare = _Bare()
    bare.resize(size.width, size.height)
    bare.show()
    run_events(0.1)
    samples = []
    for number in range(40):
        bare.pixmap = pixmaps[number % 2]
        began_s = time.perf_counter()
        bare.update()
        run_until(lambda began_s=began_s: bare.painted_s > began_s)  # type: ignore[misc]
        samples.append(1000 * (bare.painted_s - began_s))
    bare.close()
    bare.deleteLater()
    return samples


def _episode(folder: Path, size: Size, number: int) -> OpenedReview:
    episode_id = f"{10**15 + number}"
    for name in ("annotations", "screenshots"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    actions: list[Action] = [*(Click(Point(100 + 50 * step, 500)) for step in range(STEPS - 1)), Complete()]
    steps = tuple(Step(screenshot_name(episode_id, step), action) for step, action in enumerate(actions))
    task = TaskInfo("General_Tool", ("Settings",), "Measure {}.", "Measure it.", "Measure it in Settings.")
    write_episode(
        folder / "annotations" / f"{episode_id}.json", Episode(episode_id, DeviceInfo("Bench", size), task, steps)
    )
    for step in steps:
        _screen(size, step.screenshot).save(folder / "screenshots" / step.screenshot, compress_level=6)
    opened = open_episode(folder / annotation_path(episode_id))
    return OpenedReview(ReviewRow(EpisodeRow(episode_id)), opened, EpisodeReport(episode_id), (), "")


def _screen(size: Size, words: str) -> Image.Image:
    screen = Image.new("RGB", (size.width, size.height), "#f4f4f8")
    photograph = Image.effect_noise((size.width, size.height // 3), 60).convert("RGB")
    screen.paste(photograph, (0, size.height // 8))
    draw = ImageDraw.Draw(screen)
    for line in range(size.height // 2, size.height - 60, 70):
        draw.rounded_rectangle((30, line, size.width - 30, line + 56), 12, "#ffffff")
        draw.text((60, line + 16), f"{words} {line} " * 6, "#202124")
    return screen
