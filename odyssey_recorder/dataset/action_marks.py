"""Drawing of an action on its screenshot."""

import math
from collections.abc import Sequence

from PIL import Image, ImageDraw

from odyssey_recorder.dataset.image_text import load_font, truncated
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.geometry import GRID, Point

_Colour = tuple[int, int, int, int]
_Place = tuple[float, float]

_INK: _Colour = (233, 30, 99, 255)
PREDICTED: _Colour = (31, 107, 255, 255)
_HALO: _Colour = (255, 255, 255, 230)
_CHIP: _Colour = (32, 33, 36, 240)
_DONE: _Colour = (24, 128, 56, 245)
_FAILED: _Colour = (197, 34, 31, 245)

_FINE = 3
"""Marks are drawn this many times larger and then shrunk, which smooths their edges."""
_UNITS = 360
"""The shorter side of an image in units; marks are measured in units."""


def draw_action(image: Image.Image, action: actions.Action, ink: _Colour = _INK) -> Image.Image:
    """A copy of an RGB image, already shrunk for viewing, with `action` drawn on it."""
    pen = _Pen(image, ink)
    match action:
        case actions.Click(point):
            pen.rings(point, radii=(18,), heart=3.5)
        case actions.LongPress(point):
            pen.rings(point, radii=(27, 17), heart=9)
        case actions.Scroll(_, _, path):
            pen.arrow(path)
        case actions.Type(text):
            pen.chip(f"“{text}”", _CHIP)
        case actions.Press(key):
            pen.chip(key.value, _CHIP)
        case actions.Complete():
            pen.chip("COMPLETE", _DONE)
        case actions.Impossible():
            pen.chip("IMPOSSIBLE", _FAILED)
    return pen.result()


class _Pen:
    """Draws on a transparent sheet over one image; lengths are in units."""

    def __init__(self, image: Image.Image, ink: _Colour) -> None:
        self._image = image
        self._ink = ink
        self._sheet = Image.new("RGBA", (image.width * _FINE, image.height * _FINE))
        self._draw = ImageDraw.Draw(self._sheet)
        self._unit = min(self._sheet.size) / _UNITS

    def result(self) -> Image.Image:
        marked = self._image.convert("RGBA")
        marked.alpha_composite(self._sheet.reduce(_FINE))
        return marked.convert("RGB")

    def rings(self, point: Point, *, radii: tuple[float, ...], heart: float) -> None:
        at = self._place(point)
        for radius in radii:
            self._ring(at, radius, colour=_HALO, width=7.5)
            self._ring(at, radius, colour=self._ink, width=4)
        self._disc(at, heart + 1.5, _HALO)
        self._disc(at, heart, self._ink)

    def arrow(self, path: Sequence[Point]) -> None:
        places = [self._place(point) for point in path]
        for colour, grown in ((_HALO, 1.8), (self._ink, 0.0)):
            self._draw.line(places, fill=colour, width=round((5 + 2 * grown) * self._unit), joint="curve")
            self._disc(places[0], 8 + grown, colour)
            self._head(places, colour, grown)

    def chip(self, words: str, colour: _Colour) -> None:
        width, height = self._sheet.size
        font = load_font(round(22 * self._unit), bold=True)
        pad, half_height = 18 * self._unit, 22 * self._unit
        words = truncated(words, font, width - 3 * pad)
        x, y, half_width = width / 2, height * 0.88, font.getlength(words) / 2 + pad
        box = (x - half_width, y - half_height, x + half_width, y + half_height)
        self._draw.rounded_rectangle(box, half_height, fill=colour, outline=_HALO, width=round(2 * self._unit))
        self._draw.text((x, y), words, font=font, fill="white", anchor="mm")

    def _place(self, point: Point) -> _Place:
        return (point.x * self._sheet.width / GRID, point.y * self._sheet.height / GRID)

    def _ring(self, at: _Place, radius: float, *, colour: _Colour, width: float) -> None:
        outer = (radius + width / 2) * self._unit
        box = (at[0] - outer, at[1] - outer, at[0] + outer, at[1] + outer)
        self._draw.ellipse(box, outline=colour, width=round(width * self._unit))

    def _disc(self, at: _Place, radius: float, colour: _Colour) -> None:
        reach = radius * self._unit
        self._draw.ellipse((at[0] - reach, at[1] - reach, at[0] + reach, at[1] + reach), fill=colour)

    def _head(self, places: Sequence[_Place], colour: _Colour, grown: float) -> None:
        size = 20 * self._unit
        tip = places[-1]
        tail = next((place for place in reversed(places) if math.dist(place, tip) >= size), places[0])
        if tail == tip:
            return
        angle = math.atan2(tip[1] - tail[1], tip[0] - tail[0])

        def corner(ahead: float, aside: float) -> _Place:
            return (
                tip[0] + (ahead * math.cos(angle) - aside * math.sin(angle)) * self._unit,
                tip[1] + (ahead * math.sin(angle) + aside * math.cos(angle)) * self._unit,
            )

        grow = 1.8 * grown
        self._draw.polygon(
            [corner(6 + grow, 0), corner(-16 - grown, 13 + grow), corner(-16 - grown, -13 - grow)], fill=colour
        )
