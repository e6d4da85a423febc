"""How the PNG of a screenshot is decoded, whatever its file holds."""

import struct
import zlib
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from odyssey_recorder.dataset.durable import dataset_of
from odyssey_recorder.files import Largest, open_file, unfit

MOST_PIXELS = 40_000_000
"""Ten times as many as a tablet has; a few kilobytes of PNG can claim billions."""

BROKEN = (OSError, SyntaxError, ValueError, ArithmeticError, LookupError, struct.error, zlib.error)
"""All that Pillow raises for a damaged PNG."""


def read_png(path: Path, *, within: Path | None = None) -> Image.Image:
    """The PNG at `path` in RGB; `within` as for `read_file`, the dataset that the path names where it is not given.

    Raises OSError, UnfitFileError for what is no whole PNG or larger than any screen.
    """
    with open_file(path, Largest.PICTURE, within=within or dataset_of(path)) as file:
        try:
            with Image.open(file, formats=("PNG",)) as image:
                width, height = image.size
                if width * height <= MOST_PIXELS:
                    return image.convert("RGB")
        except (UnidentifiedImageError, Image.DecompressionBombError) as error:
            raise unfit(path, "it is no PNG of a screen") from error
        except BROKEN as error:
            raise unfit(path, f"it cannot be decoded ({error})") from error
    raise unfit(path, f"it claims to be {width}x{height} pixels large, which no screen is")
