"""The episodes as a gallery: the first, the middle and the last screenshot of each."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QRectF, QSize, Signal
from PySide6.QtGui import QFont, QImage, QPainter
from PySide6.QtWidgets import QListView

from odyssey_recorder.dataset.layout import screenshot_path
from odyssey_recorder.dataset_index.index import IndexedEpisode
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.gui.dataset.episode_table import EpisodeTable
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.row_delegate import RowDelegate, RowMark, paint_line, small_font
from odyssey_recorder.gui.kit.table import fill_list
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.screen.image_reader import read_image
from odyssey_recorder.gui.screen.step_strip import SHARPNESS, paint_thumbnail
from odyssey_recorder.model.plain_text import counted

Strip = Sequence[QImage | Exception | None]

_SCREENSHOT = QSize(84, 140)
_GAP = 6
_MARGIN = 10
_CELL = QSize(3 * _SCREENSHOT.width() + 2 * _GAP + 2 * _MARGIN, _SCREENSHOT.height() + 44 + 2 * _MARGIN)
_AT_ONCE = 3
_MOST_WAITING = 24
_MOST_KEPT = 120


class Filmstrips(QObject):
    """Reads strips in the background, those asked for last first; forgets what was not looked at for long."""

    loaded = Signal(str)

    def __init__(self, root: Path, background: Background) -> None:
        super().__init__()
        self._root = root
        self._background = background
        self._kept: dict[tuple[str, str], Strip] = {}
        self._waiting: dict[tuple[str, str], IndexedEpisode] = {}
        self._reading: set[tuple[str, str]] = set()

    def look(self, row: IndexedEpisode) -> Strip:
        """Empty until it is read, and without a step."""
        key = row.episode_id, row.revision
        strip = self._kept.pop(key, None)
        if strip is not None:
            self._kept[key] = strip
            return strip
        if key not in self._reading:
            self._waiting.pop(key, None)
            self._waiting[key] = row
            if len(self._waiting) > _MOST_WAITING:
                del self._waiting[next(iter(self._waiting))]
            self._read_next()
        return ()

    def _read_next(self) -> None:
        while self._waiting and len(self._reading) < _AT_ONCE:
            key, row = self._waiting.popitem()
            self._reading.add(key)
            self._background.run(partial(_read_strip, self._root, row), partial(self._take, key))

    def _take(self, key: tuple[str, str], strip: Strip) -> None:
        self._reading.remove(key)
        self._kept[key] = strip
        if len(self._kept) > _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self.loaded.emit(key[0])
        self._read_next()


def _read_strip(root: Path, row: IndexedEpisode) -> Strip:
    steps = sorted({0, row.steps // 2, row.steps - 1}) if row.steps else []
    return [_read(root / screenshot_path(row.episode_id, step)) for step in steps]


def _read(path: Path) -> QImage | Exception:
    try:
        image, _ = read_image(path, _SCREENSHOT * SHARPNESS)
    except DatasetError as error:
        return error
    image.setDevicePixelRatio(SHARPNESS)
    return image


class Gallery(QListView):
    def __init__(self, table: EpisodeTable, strips: Filmstrips) -> None:
        super().__init__()
        fill_list(self, "Filmstrips", table, StripDelegate(strips, self))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setSpacing(2)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setSelectionBehavior(QListView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        strips.loaded.connect(lambda _id: self.viewport().update())


class StripDelegate(RowDelegate):
    def __init__(self, strips: Filmstrips, parent: QListView) -> None:
        super().__init__(None, _CELL, parent, RowMark((1, 1), is_framed=True))
        self._strips = strips

    def paint_value(self, painter: QPainter, cell: QRectF, row: IndexedEpisode, font: QFont) -> None:
        theme = Theme.current()
        area = cell.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        strip = self._strips.look(row)
        for place in range(len(strip) or 3):
            left = area.left() + place * (_SCREENSHOT.width() + _GAP)
            room = QRectF(left, area.top(), _SCREENSHOT.width(), _SCREENSHOT.height())
            paint_thumbnail(painter, room, strip[place] if strip else None)
        text = QRectF(area.left(), area.top() + _SCREENSHOT.height() + 6, area.width(), area.height())
        title = f"Cannot be read: {row.problem}" if row.problem else " ".join(row.instruction.split())
        paint_line(painter, text, title, font, theme.danger if row.problem else theme.text)
        small = small_font(font)
        text.translate(0, painter.fontMetrics().height() + 2)
        steps = counted(row.steps, "steps")
        about = "" if row.problem else f"{category_text(row.category)} · {row.device} · {steps} · {row.verdict.value}"
        paint_line(painter, text, about, small, theme.muted)
