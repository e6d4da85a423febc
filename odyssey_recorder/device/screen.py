"""Frames: what a device's screen showed, when, and whether two of them show the same."""

from dataclasses import dataclass, field

from PIL import Image, ImageChops

from odyssey_recorder.model.geometry import Rotation, Size

SAME_SCREEN = 0.0002
"""Up to this share of changed pixels two frames show the same screen: a blinking text cursor is about 0.0001
of a phone's screen, the smallest check box about 0.0016."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One complete picture of the screen.

    `pixels` holds `size.width * size.height` pixels, row by row from the top left, of three bytes (RGB) or four
    (RGBA, as `screencap` gives them). `number` counts the frames of one device object from 1; one that is
    missing stands for frames that were left out. Times are the host's monotonic clock.

    A frame that was asked for was on the screen at some moment between `started_ns`, when it was asked for, and
    `arrived_ns`, when its last byte had come. A `streamed` one came by itself because the screen had changed: it was
    on the screen from `started_ns` on, and whatever was shown before it came before it.
    `rotation` is how far the picture is turned, where whoever took it says so.
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
        """Three for RGB, four for RGBA."""
        return len(self.pixels) // (self.size.width * self.size.height)

    def image(self) -> Image.Image:
        """The frame as an RGB picture; the screen has no transparency."""
        return self._view().convert("RGB")

    def _view(self) -> Image.Image:
        """The pixels as a picture, not copied; RGB, or RGBX where the fourth byte means nothing."""
        mode = "RGBX" if self.bytes_per_pixel == 4 else "RGB"
        return Image.frombuffer(mode, (self.size.width, self.size.height), self.pixels, "raw", mode, 0, 1)

    def changed_share(self, other: "Frame", *, ignore_top_px: int = 0) -> float:
        """The share (0..1) of pixels below the top `ignore_top_px` rows that differ; 1.0 for another size."""
        if self.size != other.size:
            return 1.0
        if self.pixels is other.pixels:
            return 0.0
        alike = self.bytes_per_pixel == other.bytes_per_pixel
        start = ignore_top_px * self.size.width * other.bytes_per_pixel
        if alike and self.pixels.endswith(memoryview(other.pixels)[start:]):
            return 0.0
        area = (0, ignore_top_px, self.size.width, self.size.height)
        one, another = (self._view(), other._view()) if alike else (self.image(), other.image())
        difference = ImageChops.difference(one.crop(area), another.crop(area)).convert("L")
        unchanged = difference.histogram()[0]
        return 1.0 - unchanged / (difference.width * difference.height)

    def shows_same_as(self, other: "Frame", *, ignore_top_px: int = 0) -> bool:
        """Whether both frames show the same screen, a blinking cursor aside."""
        return self.changed_share(other, ignore_top_px=ignore_top_px) <= SAME_SCREEN
