"""What Android's `screencap` sends: a header and the pixels of one picture, believed only when whole."""

import io
import struct
from collections.abc import Callable

from odyssey_recorder.model.geometry import Size

_HEADER = struct.Struct("<4I")
"""Width, height, pixel format, colour space, little-endian; before Android 9 there was no colour space."""

_SHORT_HEADER_BYTES = 12
_RGBA_8888 = 1
_LARGEST_SIDE_PX = 16384
_NOISE_BYTES = 4096

ReadInto = Callable[[memoryview], int]
"""Fills the memory it is given and returns how many bytes came, fewer only where the stream has ended."""


def receive_frame(read_into: ReadInto) -> tuple[Size, bytearray]:
    """One picture and its RGBA pixels, received right into the memory that keeps them.

    Which header it was the length tells: without the colour space the stream ends four bytes earlier.
    Raises `ValueError` for anything but one whole picture.
    """
    header = bytearray(_HEADER.size)
    received = read_into(memoryview(header))
    if received < _HEADER.size:
        raise ValueError(f"the picture was cut short: {received} of the header's {_HEADER.size} bytes came")
    size = _size(header)
    pixels = bytearray(size.width * size.height * 4)
    received += read_into(memoryview(pixels))
    expected = _HEADER.size + len(pixels)
    if received == expected - (_HEADER.size - _SHORT_HEADER_BYTES):
        first_pixel = header[_SHORT_HEADER_BYTES:]
        return size, first_pixel + pixels[: -len(first_pixel)]
    surplus = read_into(memoryview(bytearray(1)))
    if received < expected or surplus:
        raise ValueError(f"the picture is not whole: {received + surplus} bytes came, {expected} were expected")
    return size, pixels


def find_frame(output: bytes) -> tuple[Size, bytearray]:
    """The picture in all that `screencap` wrote where its warnings come in front of it, in the same stream.

    Raises `ValueError` where no place in `output` begins one whole picture.
    """
    stream = io.BytesIO(output)
    start = 0
    while 0 <= start <= _NOISE_BYTES:
        stream.seek(start)
        try:
            return receive_frame(stream.readinto)
        except ValueError:
            start = output.find(b"\n", start) + 1 or -1
    raise ValueError(f"no whole picture is in the {len(output)} bytes that came")


def _size(header: bytes | bytearray) -> Size:
    width, height, pixel_format, _ = _HEADER.unpack(header)
    if not (0 < width <= _LARGEST_SIDE_PX and 0 < height <= _LARGEST_SIDE_PX):
        raise ValueError(f"what came is no picture: it begins with {bytes(header)!r}")
    if pixel_format != _RGBA_8888:
        raise ValueError(f"the picture is in pixel format {pixel_format}; only RGBA_8888 ({_RGBA_8888}) is known")
    return Size(width, height)
