"""Text of an episode on an image: one line or several, cut to the available width."""

from functools import cache

import font_roboto
from PIL import ImageFont

_READ_AT_MOST = 400
"""Longer texts are cut off before they are measured letter by letter, which is slow."""


@cache
def load_font(size_px: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(font_roboto.font_files["RobotoMedium" if bold else "Roboto"], size_px)


def on_one_line(text: str) -> str:
    shown = "".join(character if character.isprintable() else " " for character in text[:_READ_AT_MOST])
    return " ".join(shown.split()) + ("…" if len(text) > _READ_AT_MOST else "")


def truncated(text: str, font: ImageFont.FreeTypeFont, width_px: float) -> str:
    line = on_one_line(text)
    if font.getlength(line) <= width_px:
        return line
    while line and font.getlength(line + "…") > width_px:
        line = line[:-1].rstrip()
    return line + "…"


def wrapped(text: str, font: ImageFont.FreeTypeFont, width_px: float, *, lines: int) -> list[str]:
    done: list[str] = []
    words = on_one_line(text).split(" ")
    while words and len(done) < lines - 1:
        count = 1
        while count < len(words) and font.getlength(" ".join(words[: count + 1])) <= width_px:
            count += 1
        done.append(truncated(" ".join(words[:count]), font, width_px))
        words = words[count:]
    return [*done, truncated(" ".join(words), font, width_px)] if words else done
