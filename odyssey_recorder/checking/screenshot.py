"""Measurements of a screenshot file: whether it is intact, how uniform it is, what it looks like.

All but the size is measured on a `ScreenshotView`: without the system bars, and with one pixel of about nine, evenly
spread. That is about one for each dp of the screen; nothing that a person would notice is narrower.
"""

import hashlib
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from PIL import Image, ImageChops, ImageStat

from odyssey_recorder.checking.thresholds import CHANNEL, PHONE_ASPECT, PHONE_BARS, WIDE_BARS
from odyssey_recorder.dataset.png import MOST_PIXELS, BrokenImageError, decode_png
from odyssey_recorder.model.geometry import Size

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CORE = (b"IHDR", b"PLTE", b"IDAT", b"IEND")
_SHORT_SIDE = 360
"""Pixels of a view along the shorter side of the screenshot, at least."""
_COARSE = 2
"""Additional reduction for the measures of uniformity."""
_LOOK = (9, 8)
_BEYOND = [0] * (CHANNEL + 1) + [255] * (255 - CHANNEL)


@dataclass(frozen=True, slots=True)
class MeasuredScreenshot:
    """Measurements of one screenshot file.

    `problem` says why it cannot be decoded completely, or is empty; then `size` is in pixels, `deviation` the standard
    deviation (0..127.5) of its luma, `flat` the share (0..1) of its commonest colour, and `look` a 64-bit difference
    hash: all three without the system bars.
    """

    sha256: str
    problem: str = ""
    size: Size | None = None
    deviation: float = 0.0
    flat: float = 0.0
    look: int = 0


@dataclass(frozen=True, slots=True)
class ScreenshotView:
    seen: Image.Image
    whole: Size


def measure(data: bytes, sha256: str = "") -> tuple[MeasuredScreenshot, ScreenshotView | None]:
    """The view is None if the bytes cannot be decoded; `sha256` is that of `data`, if known."""
    sha256 = sha256 or hashlib.sha256(data).hexdigest()
    try:
        view = _decode(data)
    except BrokenImageError as error:
        return MeasuredScreenshot(sha256, problem=str(error)), None
    coarse = _thinned(view.seen, _COARSE)
    deviation = ImageStat.Stat(coarse.convert("L")).stddev[0]
    return MeasuredScreenshot(sha256, "", view.whole, deviation, _flat(coarse), _look(view.seen.convert("L"))), view


def change(one: ScreenshotView, other: ScreenshotView) -> float:
    """The share (0..1) of pixels that differ in any channel by more than the tolerance; 1.0 for another size."""
    if one.whole != other.whole:
        return 1.0
    difference = ImageChops.difference(one.seen, other.seen)
    alike = difference.point(_BEYOND * 3).convert("L").histogram()[0]
    return 1 - alike / (one.seen.width * one.seen.height)


def bars(size: Size) -> tuple[int, int]:
    """Heights in rows of the system bars at the top and bottom, estimated: released data do not contain them."""
    short, long = sorted((size.width, size.height))
    unit, shares = (short, PHONE_BARS) if long > PHONE_ASPECT * short else (size.height, WIDE_BARS)
    return int(unit * shares[0]), int(unit * shares[1])


def _decode(data: bytes) -> ScreenshotView:
    """Raises BrokenImageError."""
    size, core = _walk(data)
    return ScreenshotView(_viewed(decode_png(core)), size)


def _viewed(image: Image.Image) -> Image.Image:
    above, below = bars(Size(*image.size))
    stride = max(1, min(image.size) // _SHORT_SIDE)
    seen = _thinned(image, stride, (0, above, image.width, image.height - below))
    return seen if seen.mode == "RGB" else seen.convert("RGB")


def _thinned(image: Image.Image, stride: int, area: tuple[int, int, int, int] | None = None) -> Image.Image:
    left, top, right, bottom = area or (0, 0, *image.size)
    size = max(1, (right - left) // stride), max(1, (bottom - top) // stride)
    return image.resize(size, Image.Resampling.NEAREST, box=(left, top, right, bottom))


def _flat(seen: Image.Image) -> float:
    pixels = seen.width * seen.height
    return max(count for count, _ in seen.getcolors(pixels) or []) / pixels


def _look(luma: Image.Image) -> int:
    """The difference hash: for 8x8 cells, from the top left, whether each is darker than its right neighbour."""
    width, height = _LOOK
    cells = luma.resize(_LOOK, Image.Resampling.BOX).tobytes()
    pairs = (at for row in range(height) for at in range(row * width, row * width + width - 1))
    look = 0
    for at in pairs:
        look = look << 1 | (cells[at] < cells[at + 1])
    return look


def _walk(data: bytes) -> tuple[Size, bytes]:
    """The size from the header, and the file without chunks that carry no pixels, which are never decoded.

    Every chunk is compared with its checksum, which the decoder does not do. Raises BrokenImageError.
    """
    if not data:
        raise BrokenImageError("the file is empty")
    if not data.startswith(_SIGNATURE):
        raise BrokenImageError("it is not a PNG file")
    chunks = _chunks(data)
    name, header = next(chunks)
    size = _size(name, header)
    core: list[bytes | memoryview] = [_SIGNATURE, header]
    for name, chunk in chunks:
        if name in _CORE:
            core.append(chunk)
    return size, b"".join(core)


def _size(name: bytes, header: memoryview) -> Size:
    """Raises BrokenImageError if the first chunk is not a header, or the size is impossible."""
    if name != b"IHDR" or len(header) != 25:
        raise BrokenImageError("its header is damaged")
    size = Size(*struct.unpack_from(">II", header, 8))
    if size.width * size.height > MOST_PIXELS:
        raise BrokenImageError(f"it claims to be {size} pixels large, too large for a screen")
    return size


def _chunks(data: bytes) -> Iterator[tuple[bytes, memoryview]]:
    view, at, name = memoryview(data), len(_SIGNATURE), b""
    while name != b"IEND":
        if len(data) < at + 12:
            raise BrokenImageError(f"it is cut off after {len(data)} bytes")
        length, name = struct.unpack_from(">I4s", data, at)
        end = at + 8 + length
        if len(data) < end + 4:
            raise BrokenImageError(f"it is cut off after {len(data)} bytes")
        if zlib.crc32(view[at + 4 : end]) != int.from_bytes(view[end : end + 4]):
            raise BrokenImageError(f"its bytes {at} to {end + 4} are damaged: the checksum differs")
        yield name, view[at : end + 4]
        at = end + 4
