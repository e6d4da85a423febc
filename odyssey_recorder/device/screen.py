"""Frames: what a device's screen showed, when, and whether two of them show the same."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from PIL import Image, ImageChops

from odyssey_recorder.model.geometry import CELLS, Rotation, Size

SAME_SCREEN = 0.0002
"""Up to this share of changed pixels two frames show the same screen: a blinking text cursor is about 0.0001
of a phone's screen, the smallest check box about 0.0016."""


_BAND_ROWS = 128
"""So many rows are compared at once: about a millisecond of a large screen."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One complete frame of the screen.

    `pixels` holds `size.width * size.height` pixels, row by row from the top left, of three bytes (RGB) or four
    (RGBA, as `screencap` gives them). `number` counts the frames of one device object from 1; one that is
    missing stands for frames that were left out. Times are the host's monotonic clock.

    A frame that was asked for was on the screen at some moment between `started_ns`, the request, and `arrived_ns`:
    over gRPC when all of it had come, for `screencap` its first byte. A `streamed` one was sent because the screen
    changed: it was on the screen from `started_ns` on, and frames sent before it show earlier screens. `rotation` is
    how far the frame is turned, None if unknown.
    """

    number: int
    size: Size
    pixels: bytes | bytearray = field(repr=False)
    started_ns: int
    arrived_ns: int
    source: str
    streamed: bool = False
    rotation: Rotation | None = None

    @property
    def bytes_per_pixel(self) -> int:
        return len(self.pixels) // (self.size.width * self.size.height)

    def image(self) -> Image.Image:
        """The frame as an RGB frame; the screen has no transparency."""
        return self._rows(0, self.size.height).convert("RGB")

    def shows_same_as(self, other: "Frame", *, ignore_top_px: int = 0) -> bool:
        """Whether both frames show the same screen, a blinking cursor aside."""
        if self.size != other.size:
            return False
        allowed = SAME_SCREEN * self._compared(ignore_top_px)
        return all(changed <= allowed for changed in accumulate(self._changed(other, ignore_top_px)))

    def changed_cells(self, other: "Frame", *, ignore_top_px: int = 0) -> frozenset[int]:
        """The cells of the grid, counted row by row, in which the two differ; all of them for another size.

        Less than a blinking text cursor counts only where nothing else has changed.
        """
        if self.size != other.size:
            return frozenset(range(CELLS.width * CELLS.height))
        differs = ImageChops.difference(self.image(), other.image()).convert("L").point(lambda value: 255 * (value > 0))
        differs.paste(0, (0, 0, self.size.width, ignore_top_px))
        shares = differs.convert("F").resize((CELLS.width, CELLS.height), Image.Resampling.BOX).tobytes()
        changed = {cell: share / 255 for cell, share in enumerate(memoryview(shares).cast("f")) if share > 0}
        least = SAME_SCREEN * CELLS.width * CELLS.height
        return frozenset(cell for cell, share in changed.items() if share > least) or frozenset(changed)

    def _compared(self, ignore_top_px: int) -> int:
        return max(self.size.height - ignore_top_px, 1) * self.size.width

    def _changed(self, other: "Frame", top: int) -> Iterator[int]:
        """How many pixels differ, band by band from row `top` down.

        Other threads can run between two bands, and who has seen enough need not look at the rest.
        """
        if self.pixels is other.pixels:
            return
        alike = self.bytes_per_pixel == other.bytes_per_pixel
        row = self.size.width * other.bytes_per_pixel
        theirs = memoryview(other.pixels)
        for first in range(top, self.size.height, _BAND_ROWS):
            last = min(first + _BAND_ROWS, self.size.height)
            if alike and self.pixels.startswith(theirs[first * row : last * row], first * row):
                continue
            one, another = self._rows(first, last), other._rows(first, last)
            if not alike:
                one, another = one.convert("RGB"), another.convert("RGB")
            unchanged = ImageChops.difference(one, another).convert("L").histogram()[0]
            yield (last - first) * self.size.width - unchanged

    def _rows(self, first: int, last: int) -> Image.Image:
        """Some rows as a frame; RGB, or RGBX where the fourth byte means nothing."""
        mode = "RGBX" if self.bytes_per_pixel == 4 else "RGB"
        row = self.size.width * self.bytes_per_pixel
        whole = (first, last) == (0, self.size.height)
        pixels = self.pixels if whole else bytes(memoryview(self.pixels)[first * row : last * row])
        return Image.frombuffer(mode, (self.size.width, last - first), pixels, "raw", mode, 0, 1)
