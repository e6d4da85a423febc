"""Frames: what a device's screen showed, when, and whether two of them show the same screen."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate

from PIL import Image, ImageChops, ImageStat

from odyssey_recorder.model.geometry import CELLS, Rotation, Size

SAME_SCREEN = 0.0002
"""Two frames show the same screen up to this share of changed pixels: a blinking text cursor is about 0.0001 of a
phone's screen, the smallest check box about 0.0016."""


_BAND_ROWS = 128
"""Rows compared at a time: about a millisecond for a large screen."""


_CLOCKWISE = (None, Image.Transpose.ROTATE_270, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_90)
_THUMBNAIL = 64
_ALIKE = 6.0
"""Two thumbnails of one screen differ by at most so many of 256 grey levels per pixel, even if something moves."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One complete frame of the screen.

    `pixels` are row by row from the top left, in RGB or in RGBA (from `screencap`). `number` counts the frames of a
    device object from 1; gaps are skipped frames. Times are on the host's monotonic clock.

    A requested frame was on the screen at some moment between `started_ns`, the request, and `arrived_ns`: the
    arrival of the whole frame over gRPC, of its first byte for `screencap`. A `streamed` one was sent because the
    screen changed: it was on the screen from `started_ns` on, and earlier frames of the stream show earlier screens.
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
        return self._rows(0, self.size.height).convert("RGB")

    @property
    def is_black(self) -> bool:
        """Whether nothing is shown where neither a bar nor a keyboard is, as if the app forbids screenshots."""
        return self._rows(self.size.height // 8, self.size.height // 2).convert("RGB").getbbox() is None

    def shows_same_as(self, other: "Frame", *, ignore_top_px: int = 0) -> bool:
        if self.size != other.size:
            return False
        allowed = SAME_SCREEN * max(self.size.height - ignore_top_px, 1) * self.size.width
        return all(changed <= allowed for changed in accumulate(self._changed(other, ignore_top_px)))

    def changed_cells(self, other: "Frame", *, ignore_top_px: int = 0) -> frozenset[int]:
        """The cells of the grid, counted row by row, that differ; all of them if the sizes differ.

        Changes smaller than a blinking text cursor count only if nothing else has changed.
        """
        if self.size != other.size:
            return frozenset(range(CELLS.width * CELLS.height))
        differs = ImageChops.difference(self.image(), other.image()).convert("L").point(lambda value: 255 * (value > 0))
        differs.paste(0, (0, 0, self.size.width, ignore_top_px))
        shares = differs.convert("F").resize((CELLS.width, CELLS.height), Image.Resampling.BOX).tobytes()
        changed = {cell: share / 255 for cell, share in enumerate(memoryview(shares).cast("f")) if share > 0}
        least = SAME_SCREEN * CELLS.width * CELLS.height
        return frozenset(cell for cell, share in changed.items() if share > least) or frozenset(changed)

    def turned(self, quarters: int, rotation: Rotation) -> "Frame":
        """Turned clockwise by so many quarter turns; `rotation` is that of the result."""
        transpose = _CLOCKWISE[quarters]
        if transpose is None:
            return replace(self, rotation=rotation)
        image = self.image().transpose(transpose)
        return replace(self, size=Size(*image.size), pixels=image.tobytes(), rotation=rotation)

    def turns_to(self, other: "Frame") -> int | None:
        """The quarter turns clockwise after which this shows roughly what `other` shows; None if no turn does.

        The fewest if several do, as on a screen of one colour. Small changes in between do no harm.
        """
        thumbnail, others = self._thumbnail(), other._thumbnail()
        differences: dict[int, float] = {}
        for turns, transpose in enumerate(_CLOCKWISE):
            if other.size == (self.size.turned() if turns % 2 else self.size):
                image = thumbnail if transpose is None else thumbnail.transpose(transpose)
                differences[turns] = round(ImageStat.Stat(ImageChops.difference(image, others)).mean[0], 1)
        best = min(differences, key=lambda turns: differences[turns], default=None)
        return best if best is not None and differences[best] <= _ALIKE else None

    def _thumbnail(self) -> Image.Image:
        return self.image().convert("L").resize((_THUMBNAIL, _THUMBNAIL), Image.Resampling.BOX)

    def _changed(self, other: "Frame", top: int) -> Iterator[int]:
        """Band by band, so that other threads can run in between and the caller can stop early."""
        if self.pixels is other.pixels:
            return
        same_format = self.bytes_per_pixel == other.bytes_per_pixel
        row = self.size.width * other.bytes_per_pixel
        theirs = memoryview(other.pixels)
        for first in range(top, self.size.height, _BAND_ROWS):
            last = min(first + _BAND_ROWS, self.size.height)
            if same_format and self.pixels.startswith(theirs[first * row : last * row], first * row):
                continue
            one, another = self._rows(first, last), other._rows(first, last)
            if not same_format:
                one, another = one.convert("RGB"), another.convert("RGB")
            unchanged = ImageChops.difference(one, another).convert("L").histogram()[0]
            yield (last - first) * self.size.width - unchanged

    def _rows(self, first: int, last: int) -> Image.Image:
        """RGB, or RGBX because the fourth byte has no meaning."""
        mode = "RGBX" if self.bytes_per_pixel == 4 else "RGB"
        row = self.size.width * self.bytes_per_pixel
        whole = (first, last) == (0, self.size.height)
        pixels = self.pixels if whole else bytes(memoryview(self.pixels)[first * row : last * row])
        return Image.frombuffer(mode, (self.size.width, last - first), pixels, "raw", mode, 0, 1)
