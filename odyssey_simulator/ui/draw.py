"""The canvas: fast fills, antialiased corners, shadows, masks and images within a clip rectangle."""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product

from fonticon_mdi7 import MDI7
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from odyssey_simulator.ui.geometry import Rect
from odyssey_simulator.ui.text import line_mask
from odyssey_simulator.ui.theme import RGB


@cache
def _glyph(name: str) -> str:
    value: str = getattr(MDI7, name.replace("-", "_"))
    return value.rpartition(".")[2]


@cache
def _font(size_px: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(MDI7.__font_file__, size_px, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=1_000)
def icon_mask(name: str, size_px: int) -> Image.Image:
    """`name` as on pictogrammers.com ("magnify"); a square 8-bit mask. Raises AttributeError for an unknown icon."""
    mask = Image.new("L", (size_px, size_px))
    ImageDraw.Draw(mask).text((size_px / 2, size_px / 2), _glyph(name), font=_font(size_px), fill=255, anchor="mm")
    return mask


_FINE = 4
_Edges = tuple[int, int, int, int]


def _edges(rect: Rect) -> _Edges:
    return rect.left, rect.top, rect.right, rect.bottom


@lru_cache(maxsize=500)
def rounded_mask(width: int, height: int, radius: int) -> Image.Image:
    """8-bit and antialiased; meant for small rectangles."""
    mask = Image.new("L", (width * _FINE, height * _FINE))
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, width * _FINE - 1, height * _FINE - 1), radius * _FINE, fill=255)
    return mask.resize((width, height), Image.Resampling.BOX)


@lru_cache(maxsize=100)
def _corner_masks(radius: int) -> tuple[tuple[int, int, Image.Image], ...]:
    """The four corners of a rounded rectangle; 0 or 1 for left or right, and for top or bottom."""
    whole = rounded_mask(2 * radius, 2 * radius, radius)
    return tuple(
        (x, y, whole.crop((x * radius, y * radius, (x + 1) * radius, (y + 1) * radius)))
        for x, y in product((0, 1), repeat=2)
    )


@lru_cache(maxsize=100)
def _shadow(radius: int, blur: int) -> Image.Image:
    side = 2 * (radius + blur) + 1
    mask = Image.new("L", (side, side))
    ImageDraw.Draw(mask).rounded_rectangle((blur, blur, side - blur - 1, side - blur - 1), radius, fill=70)
    return mask.filter(ImageFilter.GaussianBlur(blur / 2))


class Canvas:
    """Draws on an opaque RGBA image; nothing outside `clip` is touched."""

    def __init__(self, pixels: Image.Image) -> None:
        self.pixels = pixels
        self._paste = pixels.im.paste  # the checks of Image.paste take longer than most of what is pasted
        self.clip = Rect(0, 0, pixels.width, pixels.height)

    def fill(self, rect: Rect, color: RGB, *, alpha: float = 1.0) -> None:
        area = rect.intersection(self.clip)
        if area.is_empty:
            return
        box = _edges(area)
        if alpha >= 1.0:
            self._paste((*color, 255), box)
        else:
            below = self.pixels.crop(box)
            veil = Image.new("RGBA", below.size, (*color, 255))
            self.pixels.paste(Image.blend(below, veil, alpha), box)

    def mask(self, left: int, top: int, mask: Image.Image, color: RGB) -> None:
        """An 8-bit mask with its top left corner at (left, top)."""
        whole = Rect(left, top, left + mask.width, top + mask.height)
        area = whole.intersection(self.clip)
        if area.is_empty:
            return
        if area != whole:
            mask = mask.crop((area.left - left, area.top - top, area.right - left, area.bottom - top))
        self._paste((*color, 255), _edges(area), mask.im)

    def round(self, rect: Rect, radius: int, color: RGB) -> None:
        radius = min(radius, rect.width // 2, rect.height // 2)
        if radius <= 0:
            self.fill(rect, color)
            return
        self.fill(rect.inset(radius, 0, radius, 0), color)
        self.fill(Rect(rect.left, rect.top + radius, rect.left + radius, rect.bottom - radius), color)
        self.fill(Rect(rect.right - radius, rect.top + radius, rect.right, rect.bottom - radius), color)
        lefts, tops = (rect.left, rect.right - radius), (rect.top, rect.bottom - radius)
        for x, y, corner in _corner_masks(radius):
            self.mask(lefts[x], tops[y], corner, color)

    def frame(self, rect: Rect, radius: int, stroke: int, colors: tuple[RGB, RGB]) -> None:
        """Filled with the second colour, with a border of the first, `stroke` wide."""
        self.round(rect, radius, colors[0])
        self.round(rect.inset(stroke, stroke, stroke, stroke), max(0, radius - stroke), colors[1])

    def shadow(self, rect: Rect, radius: int, blur: int) -> None:
        radius = min(radius, rect.width // 2, rect.height // 2)
        patch = _shadow(radius, blur)
        edge = radius + blur
        outer = rect.moved(0, blur // 3).inset(-blur, -blur, -blur, -blur)
        columns = (outer.left, outer.left + edge, outer.right - edge, outer.right)
        rows = (outer.top, outer.top + edge, outer.bottom - edge, outer.bottom)
        cuts = (0, edge, edge + 1, 2 * edge + 1)
        for i in range(3):
            for j in range(3):
                part = patch.crop((cuts[i], cuts[j], cuts[i + 1], cuts[j + 1]))
                size = (columns[i + 1] - columns[i], rows[j + 1] - rows[j])
                if (i, j) != (1, 1) and size[0] > 0 and size[1] > 0:
                    self.mask(columns[i], rows[j], part.resize(size), (0, 0, 0))

    def image(self, rect: Rect, image: Image.Image, radius: int = 0) -> None:
        area = rect.intersection(self.clip)
        if area.is_empty:
            return
        cut = (area.left - rect.left, area.top - rect.top, area.right - rect.left, area.bottom - rect.top)
        part = image if area == rect else image.crop(cut)
        radius = min(radius, rect.width // 2, rect.height // 2)
        corners = [(box, self.pixels.crop(box), mask) for box, mask in self._corners(rect, radius)]
        self.pixels.paste(part, (area.left, area.top))
        for box, below, mask in corners:
            self.pixels.paste(below, (box[0], box[1]), mask)

    def _corners(self, rect: Rect, radius: int) -> Iterator[tuple[_Edges, Image.Image]]:
        if radius <= 0:
            return
        outside = ImageChops.invert(rounded_mask(2 * radius, 2 * radius, radius))
        for left, dx in ((rect.left, 0), (rect.right - radius, radius)):
            for top, dy in ((rect.top, 0), (rect.bottom - radius, radius)):
                area = Rect(left, top, left + radius, top + radius).intersection(self.clip)
                if not area.is_empty:
                    corner = area.moved(dx - left, dy - top)
                    yield _edges(area), outside.crop(_edges(corner))

    def line(self, left: int, top: int, text: str, font: tuple[int, int], color: RGB) -> None:
        """`font` is (size in pixels, weight)."""
        if text and top < self.clip.bottom and top + 2 * font[0] > self.clip.top:
            self.mask(left, top, line_mask(text, *font), color)

    def icon(self, rect: Rect, name: str, color: RGB) -> None:
        self.mask(rect.left, rect.top, icon_mask(name, rect.width), color)
