"""Pictograms by name, as masks cut from the Material Design Icons font."""

from functools import cache, lru_cache

from fonticon_mdi7 import MDI7
from PIL import Image, ImageDraw, ImageFont


@cache
def _glyph(name: str) -> str:
    value: str = getattr(MDI7, name.replace("-", "_"))
    return value.rpartition(".")[2]


@cache
def _font(size_px: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(MDI7.__font_file__, size_px, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=1_000)
def icon_mask(name: str, size_px: int) -> Image.Image:
    """The icon `name` ("magnify", "dots-vertical": names of pictogrammers.com) as a square 8-bit mask.

    Raises AttributeError for an icon that the font does not have.
    """
    mask = Image.new("L", (size_px, size_px))
    ImageDraw.Draw(mask).text((size_px / 2, size_px / 2), _glyph(name), font=_font(size_px), fill=255, anchor="mm")
    return mask
