"""Text measurement and rendering: fonts, line breaking and masks of drawn lines."""

import unicodedata
from bisect import bisect_left
from functools import cache, lru_cache

from font_roboto import font_files
from PIL import Image, ImageDraw, ImageFont

_FONT_FILES = {
    300: font_files["RobotoLight"],
    400: font_files["Roboto"],
    500: font_files["RobotoMedium"],
    700: font_files["RobotoBold"],
}
_LINE_HEIGHT = 1.36
ELLIPSIS = "\u2026"


@cache
def _font(size_px: int, weight: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_FONT_FILES[weight], size_px, layout_engine=ImageFont.Layout.BASIC)


def line_height(size_px: int) -> int:
    """From one baseline to the next, in pixels."""
    return round(size_px * _LINE_HEIGHT)


@lru_cache(maxsize=20_000)
def text_width(text: str, size_px: int, weight: int = 400) -> int:
    """Of one line, in pixels."""
    return round(_font(size_px, weight).getlength(text)) if text else 0


@lru_cache(maxsize=1_500)
def line_mask(text: str, size_px: int, weight: int = 400) -> Image.Image:
    """One drawn line as an 8-bit mask, `line_height` tall; its left edge is the origin of the first letter."""
    font = _font(size_px, weight)
    ascent, descent = font.getmetrics()
    top = (line_height(size_px) - ascent - descent) // 2
    mask = Image.new("L", (max(1, text_width(text, size_px, weight) + size_px // 6), line_height(size_px)))
    ImageDraw.Draw(mask).text((0, top), text, font=font, fill=255)
    return mask


@lru_cache(maxsize=5_000)
def broken_lines(text: str, width_px: int, size_px: int, weight: int = 400) -> tuple[tuple[int, int], ...]:
    """Start and end of each line of `text` within `width_px`, broken at spaces where possible."""
    lines: list[tuple[int, int]] = []
    start = 0
    for paragraph in text.split("\n"):
        lines += _broken(text, (start, start + len(paragraph)), width_px, (size_px, weight))
        start += len(paragraph) + 1
    return tuple(lines)


def _broken(text: str, span: tuple[int, int], width_px: int, font: tuple[int, int]) -> list[tuple[int, int]]:
    start, end = span
    lines = []
    while (stop := start + _longest_fit(text[start:end], width_px, font)) < end:
        space = text.rfind(" ", start + 1, stop + 1)
        stop = space + 1 if space > start else stop
        lines.append((start, stop))
        start = stop
    lines.append((start, end))
    return lines


def _longest_fit(text: str, width_px: int, font: tuple[int, int]) -> int:
    """At least one letter; measures little more than what fits, however long the text is."""
    beyond = 32
    while beyond < len(text) and text_width(text[:beyond], *font) <= width_px:
        beyond *= 2
    low, high = min(1, len(text)), min(beyond, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(text[:middle], *font) <= width_px:
            low = middle
        else:
            high = middle - 1
    return low


def shortened(text: str, width_px: int, size_px: int, weight: int = 400) -> str:
    if _longest_fit(text, width_px, (size_px, weight)) == len(text):
        return text
    room = max(0, width_px - text_width(ELLIPSIS, size_px, weight))
    return text[: _longest_fit(text, room, (size_px, weight))].rstrip() + ELLIPSIS


def nearest_caret(text: str, x_px: float, size_px: int, weight: int = 400) -> int:
    def offset(place: int) -> int:
        return text_width(text[:place], size_px, weight)

    after = bisect_left(range(len(text) + 1), x_px, key=offset)
    if after > len(text):
        return len(text)
    return after - 1 if after and x_px - offset(after - 1) < offset(after) - x_px else after


def word_around(text: str, index: int) -> tuple[int, int]:
    """Start and end of the word that `index` touches; an empty range if there is none."""
    start = end = min(index, len(text))
    while start > 0 and _is_of_word(text[start - 1]):
        start -= 1
    while end < len(text) and _is_of_word(text[end]):
        end += 1
    return start, end


def _is_of_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNM" or character in "_'"
