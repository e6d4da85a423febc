"""Cost of the index of a dataset of the released size: made from nothing, opened again, and asked."""

import json
import random
import shutil
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QMainWindow, QTableView

from benchmarks.across import EPISODES
from benchmarks.figure import Figure, timed
from benchmarks.window import run_events, run_until
from odyssey_recorder.dataset.codec import annotations_of, encode
from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.dataset_index.filter import parse_filter
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.figures.counting import Against, all_figures
from odyssey_recorder.figures.episodes import CountedEpisode, read_figures
from odyssey_recorder.figures.published import V2
from odyssey_recorder.gui.dataset.dataset_page import DatasetPage
from odyssey_recorder.gui.frame.application import application
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.theme import Theme, style_sheet
from odyssey_recorder.gui.window.pages import all_commands
from odyssey_recorder.model.action import Action, Click, Complete, Scroll, Type
from odyssey_recorder.model.episode import Category, DeviceInfo, Episode, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import Point, Size

STEPS = 15
ROWS = 10_000
_TURNS = 120
_TICK_MS = 5
ROUNDS = 3
_DEVICES = ("Small Phone", "Medium Phone", "Pixel 7 Pro", "Pixel 8 Pro", "Pixel Fold", "Pixel Tablet")
_FILTERS = (
    'category:Multi_Apps device:"Pixel Fold" app:"App 7" steps:>10',
    "-action:scroll",
    "word12",
    "w",
    '"word1 w"',
)


def measure(folder: Path) -> list[Figure]:
    root, cache = folder / "selected", folder / "index"
    (root / "annotations").mkdir(parents=True)
    for number in range(EPISODES):
        _write(root / "annotations", number)
    paths = [str(path) for path in (root / "annotations").iterdir()]
    rounds = [(_cpu_s(lambda: _parse(paths)), _cpu_s(lambda: _make(root, cache))) for _ in range(ROUNDS)]
    bare, made = zip(*rounds, strict=True)
    filters = list(map(parse_filter, _FILTERS))
    with closing(EpisodeIndex(root, cache)) as index:
        opened = timed(index.refresh)
        asked = max(timed(partial(index.ids, wanted)) for wanted in filters)
        counted = max(timed(partial(index.facets, wanted)) for wanted in filters)
    read, drawn = min(_figures_s(root) for _ in range(ROUNDS))
    for number in range(EPISODES, ROWS):
        _write(root / "annotations", number)
    in_window = _in_window(root, cache)
    shutil.rmtree(root)
    name = f"index of {EPISODES} episodes of {STEPS} steps"
    return [
        Figure(f"{name}, CPU", min(made), "s", "reading and parsing them", min(bare), "<= 3"),
        Figure(f"{name}, up to date, opened", opened, goal="<= 500 ms"),
        Figure(f"{name}, slowest filter or search", asked, goal="<= 100 ms"),
        Figure(f"{name}, slowest counts of all facets", counted),
        Figure(f"episodes read for the figures, {EPISODES}, CPU", read, "s", "reading and parsing them", min(bare)),
        Figure("the figures counted from these, CPU", drawn, "s", goal="<= 2 s"),
        *in_window,
    ]


def _in_window(root: Path, cache: Path) -> list[Figure]:
    """The Dataset page of ROWS episodes, its index up to date, used as a person uses it."""
    _make(root, cache)
    with closing(EpisodeIndex(root, cache)) as index:
        counts = [index.count(parse_filter(text)) for text in _FILTERS]
    application()
    window = QMainWindow()
    background = Background(window)
    page = DatasetPage(
        lambda: EpisodeIndex(root, cache), None, background, Commands(window, all_commands()), lambda: "Ada"
    )
    window.setCentralWidget(page)
    window.setStyleSheet(style_sheet(Theme.current(), font_pt=10))
    window.resize(1600, 1000)
    window.show()
    view = next(one for one in page.findChildren(QTableView) if one.accessibleName() == "Episodes")

    def listed(count: int) -> None:
        run_until(lambda: view.model().rowCount() == count)

    def open_page() -> None:
        page.enter()
        listed(ROWS)

    def show(text: str, count: int) -> None:
        page.show_filter(text)
        listed(count)

    with LongestPause() as opening:
        opened = timed(open_page)
    with LongestPause() as using:
        filtered = [timed(partial(show, *asked)) for asked in zip(_FILTERS, counts, strict=True)]
        page.show_filter("")
        listed(ROWS)
        for column in (0, 3, 6):
            view.sortByColumn(column, Qt.SortOrder.AscendingOrder)
            run_events(0.5)
        scroll = view.verticalScrollBar()
        for turn in range(_TURNS + 1):
            scroll.setValue(scroll.maximum() * turn // _TURNS)
            run_events(0.01)
        view.selectAll()
        run_events(0.5)
    page.close_down()
    background.close()
    window.close()
    window.deleteLater()
    name = f"Dataset page of {ROWS:,} episodes"
    return [
        Figure(f"{name}, opened", opened, goal="<= 500 ms"),
        Figure(f"{name}, opened, longest pause of the GUI thread", opening.ms, goal="<= 100 ms"),
        Figure(f"{name}, slowest filter until it is shown", max(filtered)),
        Figure(f"{name}, filtered, sorted, scrolled, selected, longest pause", using.ms, goal="<= 100 ms"),
    ]


class LongestPause:
    """The longest time in which the GUI thread took no events, ms; what other threads take from it counts."""

    def __enter__(self) -> "LongestPause":
        self.ms = 0.0
        self._last_s = time.perf_counter()
        self._timer = QTimer(interval=_TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.stop()

    def _tick(self) -> None:
        now_s = time.perf_counter()
        self.ms = max(self.ms, 1000 * (now_s - self._last_s) - _TICK_MS)
        self._last_s = now_s


def _figures_s(root: Path) -> tuple[float, float]:
    """CPU seconds of reading and of counting."""
    episodes: list[CountedEpisode] = []
    read = _cpu_s(lambda: episodes.extend(read_figures(root, {}, episode_ids(root))))
    return read, _cpu_s(lambda: all_figures(episodes, Against(V2, str.lower)))


def _make(root: Path, cache: Path) -> None:
    shutil.rmtree(cache, ignore_errors=True)
    with closing(EpisodeIndex(root, cache)) as index:
        index.refresh()


def _parse(paths: list[str]) -> None:
    for path in paths:
        with open(path, "rb") as file:  # noqa: PTH123 - the floor
            json.loads(file.read())


def _cpu_s(call: Callable[[], object]) -> float:
    began_s = time.process_time()
    call()
    return time.process_time() - began_s


def _write(folder: Path, number: int) -> None:
    """An episode with the texts of the second release: 15 kB."""
    chance, episode_id = random.Random(number), f"{number:016}"
    texts = {"description": 35, "intention": 25, "low_level_instruction": 8, "context": 20}
    done = [*(_action(chance) for _ in range(STEPS - 1)), Complete()]
    steps = tuple(
        Step(
            screenshot_name(episode_id, step),
            action,
            annotations_of({**{key: _words(chance, count) for key, count in texts.items()}, "sam2_bbox": []}),
        )
        for step, action in enumerate(done)
    )
    apps = tuple(f"App {chance.randrange(212)}" for _ in range(chance.randrange(1, 4)))
    category = chance.choice(list(Category)).value
    task = TaskInfo(category, apps, f"Template {number % 91} {{}}", _words(chance, 14), _words(chance, 24))
    device = DeviceInfo(chance.choice(_DEVICES), Size(1080, 2400))
    (folder / f"{episode_id}.json").write_bytes(encode(Episode(episode_id, device, task, steps)))


def _action(chance: random.Random) -> Action:
    path = tuple(Point(chance.randrange(1001), chance.randrange(1001)) for _ in range(8))
    kind = chance.random()
    if kind < 0.8:
        return Click(path[0])
    return Scroll(path[0], path[-1], path) if kind < 0.9 else Type(_words(chance, 3))


def _words(chance: random.Random, count: int) -> str:
    return " ".join(f"word{chance.randrange(3000)}" for _ in range(count))
