"""Panels to shapes: rectangles, lines and labels, which are then drawn as SVG.

Units are pixels at normal text size, from the top left corner.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from odyssey_recorder.figures.figure import Bars, Boxes, Columns, CountGrid, Panel, TextTable
from odyssey_recorder.model.plain_text import counted

Tone = Literal["bar", "published", "text", "faint", "grid", "ground"]
Anchor = Literal["start", "middle", "end"]

WIDTH = 720
_ROW = 24
_TEXT = 12
_LETTER = 7.0
"""The mean width of a letter, for places and shortening; exact widths need a font."""
_LABELS = 190
_VALUES = 110
_HIGH = 200
_TICKS = (1.0, 2.0, 2.5, 5.0, 10.0)
_LOWEST = 0.5
"""Where a logarithmic axis begins, so that a count of 1 is seen."""


@dataclass(frozen=True, slots=True)
class FilledRect:
    """`level` 0..1 is how dark it is. `tip` describes it, `filter` selects what it counts."""

    x: float
    y: float
    width: float
    height: float
    level: float = 1.0
    tip: str = ""
    filter: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    x: float
    y: float
    to_x: float
    to_y: float
    tone: Tone = "grid"
    width: float = 1.0


@dataclass(frozen=True, slots=True)
class Label:
    """`y` is the baseline; `upright` text runs from bottom to top."""

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    tone: Tone = "text"
    upright: bool = False


Shape = FilledRect | Line | Label

_ACROSS: tuple[tuple[Tone, float], ...] = (("ground", 6.5), ("published", 2.5))
"""The line of a published share; the edge of the ground's colour shows it on a bar without colours too."""


@dataclass(frozen=True, slots=True)
class Drawing:
    width: float
    height: float
    shapes: tuple[Shape, ...]


def drawn(panel: Panel, width: float = WIDTH) -> Drawing | None:
    """None for a listing, which is a table only, and for a panel without marks."""
    match panel:
        case Bars(marks=marks) if marks:
            shapes, height = _bars(panel, width)
        case Columns(marks=marks) if marks:
            shapes, height = _columns(panel, width)
        case Boxes(spreads=spreads) if spreads:
            shapes, height = _boxes(panel, width)
        case CountGrid(rows=rows, columns=columns) if rows and columns:
            shapes, height, width = _grid(panel, width)
        case TextTable() | Bars() | Columns() | Boxes() | CountGrid():
            return None
    return Drawing(width, height, tuple(shapes))


def _bars(panel: Bars, width: float) -> tuple[list[Shape], float]:
    whole = max(panel.total, 1)
    top = max(max(bar.value / whole, bar.published or 0) for bar in panel.marks) or 1
    across = (width - _LABELS - _VALUES) / top
    shapes: list[Shape] = []
    for number, mark in enumerate(panel.marks):
        y = number * _ROW
        share = mark.value / whole
        words = f"{int(mark.value):,} · {panel.percent(mark)}%"
        tip = f"{mark.label}: {counted(mark.value, panel.unit)}, {panel.percent(mark)}%"
        if mark.published is not None:
            tip += f"; published: {100 * mark.published:.1f}%"
        shapes.append(Label(_LABELS - 8, y + 16, _short(mark.label, _LABELS - 12), "end"))
        shapes.append(FilledRect(_LABELS, y + 4, max(share * across, 1), _ROW - 8, tip=tip, filter=mark.filter))
        if mark.published is not None:
            x = _LABELS + mark.published * across
            shapes += (Line(x, y + 1, x, y + _ROW - 1, tone, wide) for tone, wide in _ACROSS)
        end = _LABELS + max(share, mark.published or 0) * across + 8
        shapes.append(Label(end, y + 16, words, tone="faint"))
    return shapes, len(panel.marks) * _ROW


def _columns(panel: Columns, width: float) -> tuple[list[Shape], float]:
    left, top = 46.0, 18.0 + 16 * len(panel.lines)
    slot = (width - left - 10) / len(panel.marks)
    most = max(bar.value for bar in panel.marks) or 1
    shapes: list[Shape] = []

    def height(value: float) -> float:
        if not panel.is_log:
            return _HIGH * value / most
        return _HIGH * math.log(max(value, _LOWEST) / _LOWEST) / math.log(most / _LOWEST)

    powers = (10.0**power for power in range(len(str(int(most)))))
    for tick in powers if panel.is_log else _ticks(most):
        y = top + _HIGH - height(tick)
        shapes.append(Line(left, y, width - 10, y))
        shapes.append(Label(left - 6, y + 4, f"{tick:,.0f}", "end", "faint"))
    letters = max(len(bar.label) for bar in panel.marks)
    every = max(1, int(-(-(letters * _LETTER + 10) // slot)))
    for number, mark in enumerate(panel.marks):
        x, high = left + number * slot, height(mark.value)
        tip = f"{panel.of} {mark.label}: {counted(mark.value, panel.unit)}"
        if mark.value:
            shapes.append(
                FilledRect(x + slot * 0.08, top + _HIGH - high, slot * 0.84, high, tip=tip, filter=mark.filter)
            )  # fmt: skip
        if number % every == 0:
            shapes.append(Label(x + slot / 2, top + _HIGH + 16, mark.label, "middle", "faint"))
    for number, (name, value) in enumerate(panel.lines):
        x = left + (value - panel.first + 0.5) / panel.step * slot
        words, y, is_inside = f"{name} {value:.1f}", 12.0 + number * 16, left <= x <= width - 10
        if is_inside:
            tone: Tone = "published" if number else "text"
            shapes += (Line(x, y - 10, x, top + _HIGH, "ground", 5), Line(x, y - 10, x, top + _HIGH, tone, 1.5))
        else:
            words, x = (f"{words} →", width - 15) if x > left else (f"← {words}", left)
        room = x + 6 + len(words) * _LETTER < width
        shapes.append(Label(x + 5 if room else x - 5, y, words, "start" if room else "end"))
    shapes.append(Label(left + (width - left) / 2, top + _HIGH + 36, panel.of, "middle", "faint"))
    shapes.append(Label(0, top - 8, f"{panel.unit}, logarithmic" if panel.is_log else panel.unit, tone="faint"))
    return shapes, top + _HIGH + 42


def _boxes(panel: Boxes, width: float) -> tuple[list[Shape], float]:
    top = max(spread.high for spread in panel.spreads) or 1
    across = (width - _LABELS - 20) / top
    below = len(panel.spreads) * _ROW
    shapes: list[Shape] = []
    for tick in (0.0, *_ticks(top)):
        x = _LABELS + tick * across
        shapes.append(Line(x, 0, x, below))
        shapes.append(Label(x, below + 16, f"{tick:g}", "middle", "faint"))
    for number, spread in enumerate(panel.spreads):
        middle = number * _ROW + _ROW / 2
        low, start, centre, end, high = (
            _LABELS + value * across
            for value in (spread.low, spread.quarter, spread.median, spread.three_quarters, spread.high)
        )
        half = f"half between {spread.quarter:g} and {spread.three_quarters:g} {panel.unit}"
        tip = f"{spread.label}: median {spread.median:g}, {half}"
        shapes.append(Label(_LABELS - 8, middle + 4, _short(spread.label, _LABELS - 12), "end"))
        shapes.append(Line(low, middle, high, middle, "text"))
        shapes.append(FilledRect(start, middle - 7, max(end - start, 1), 14, 0.55, tip, spread.filter))
        shapes.append(Line(centre, middle - 8, centre, middle + 8, "text", 2.5))
    shapes.append(Label(_LABELS + (width - _LABELS) / 2, below + 34, panel.unit, "middle", "faint"))
    return shapes, below + 40


def _grid(panel: CountGrid, width: float) -> tuple[list[Shape], float, float]:
    if panel.form == "screen":
        return _screen(panel)
    labels = min(_LABELS, max(len(row) for row in panel.rows) * _LETTER + 14)
    slot = (width - labels) / len(panel.columns)
    slot, high = (min(slot, 15.0), 15.0) if panel.form == "dots" else (min(slot, 110.0), float(_ROW))
    upright = max(len(column) for column in panel.columns) * _LETTER > slot - 6
    head = min(130.0, max(len(column) for column in panel.columns) * _LETTER + 10) if upright else 22.0
    shapes: list[Shape] = []
    for x, name in enumerate(panel.columns):
        at = labels + x * slot + slot / 2
        text = _short(name, head - 8 if upright else slot)
        shapes.append(
            Label(at + (4 if upright else 0), head - 6, text, "start" if upright else "middle", "faint", upright)
        )
    most = max(map(max, panel.counts)) or 1
    for y, (name, counts) in enumerate(zip(panel.rows, panel.counts, strict=True)):
        below = head + y * high
        shapes.append(Label(labels - 6, below + high / 2 + 4, _short(name, labels - 8), "end"))
        scale = (max(counts) or 1) if panel.by_row else most
        for x, count in enumerate(counts):
            if not count and panel.form == "dots":
                continue
            at, chosen = labels + x * slot, panel.filters[y][x] if panel.filters else ""
            tip = f"{name}, {panel.columns[x]}: {count:,}"
            level = 0.06 + 0.6 * count / scale if panel.form == "numbers" else 0.12 + 0.88 * count / scale
            shapes.append(FilledRect(at + 1, below + 1, slot - 2, high - 2, level if count else 0.0, tip, chosen))
            if panel.form == "numbers":
                shapes.append(Label(at + slot / 2, below + high / 2 + 4, f"{count:,}", "middle"))
    return shapes, head + len(panel.rows) * high, labels + len(panel.columns) * slot


@lru_cache(maxsize=16)
def _screen(panel: CountGrid) -> tuple[list[Shape], float, float]:
    """A heat map in the proportions of the screen."""
    wide = 200.0 if panel.aspect >= 1 else 360.0
    cell, high = wide / len(panel.columns), wide * panel.aspect / len(panel.rows)
    most = max(map(max, panel.counts)) or 1
    shapes: list[Shape] = [
        FilledRect(x * cell, y * high, cell, high, 0.1 + 0.9 * (count / most) ** 0.5)
        for y, row in enumerate(panel.counts)
        for x, count in enumerate(row)
        if count
    ]
    right, below = wide, wide * panel.aspect
    edges = ((0.0, 0.0, right, 0.0), (right, 0.0, right, below), (right, below, 0.0, below), (0.0, below, 0.0, 0.0))
    shapes += [Line(*edge, "faint") for edge in edges]
    return shapes, below, wide


def _ticks(most: float) -> Iterator[float]:
    """Three to six round values up to `most`."""
    power = 10.0 ** (len(str(int(most))) - 1)
    step = next(tick * power / 5 for tick in (*_TICKS, 20.0, 50.0) if most / (tick * power / 5) <= 6)
    value = step
    while value <= most:
        yield value
        value += step


def _short(text: str, width: float) -> str:
    room = max(int(width / _LETTER), 2)
    return text if len(text) <= room else f"{text[: room - 1]}…"
