"""Text of an episode on an image: one line or several, cut to the available width."""

from functools import cache

import font_roboto
from PIL import ImageFont

from odyssey_recorder.model.plain_text import on_one_line


@cache
def load_font(size_px: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(font_roboto.font_files["RobotoMedium" if bold else "Roboto"], size_px)


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
