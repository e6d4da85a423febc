"""Decoding of screenshot PNGs, including damaged ones."""

import io
import struct
import zlib
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from odyssey_recorder.dataset.layout import dataset_of
from odyssey_recorder.files import Largest, open_file, read_file, unfit
from odyssey_recorder.model.geometry import Size

MOST_PIXELS = 40_000_000
"""Ten times as many as a tablet has; a few kilobytes of PNG can claim billions."""

_RAISED = (OSError, SyntaxError, ValueError, ArithmeticError, LookupError, struct.error, zlib.error)
"""All that Pillow raises for a damaged PNG."""


class BrokenImageError(Exception):
    """Why some bytes are not a complete PNG of a screen; the text follows a colon."""


def decode_png(data: bytes) -> Image.Image:
    """The loaded image in its own mode. Raises BrokenImageError."""
    try:
        with Image.open(io.BytesIO(data), formats=("PNG",)) as image:
            width, height = image.size
            if width * height <= MOST_PIXELS:
                image.load()
                return image
    except (UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise BrokenImageError("it is not a PNG of a screen") from error
    except _RAISED as error:
        raise BrokenImageError(f"it cannot be decoded ({error})") from error
    raise BrokenImageError(f"it claims to be {width}x{height} pixels large, too large for a screen")


def png_size(path: Path) -> Size:
    """Of the file's header. Raises OSError, and UnfitFileError for what is not a PNG."""
    with open_file(path, Largest.SCREENSHOT, within=dataset_of(path)) as file:
        try:
            with Image.open(file, formats=("PNG",)) as image:
                return Size(*image.size)
        except (Image.DecompressionBombError, *_RAISED) as error:
            raise unfit(path, "it is not a PNG of a screen") from error


def read_png(path: Path, *, within: Path | None = None) -> Image.Image:
    """The PNG in RGB. Raises OSError, and UnfitFileError for an incomplete PNG or one larger than any screen."""
    data = read_file(path, Largest.SCREENSHOT, within=within or dataset_of(path))
    try:
        return decode_png(data).convert("RGB")
    except BrokenImageError as error:
        raise unfit(path, str(error)) from error
