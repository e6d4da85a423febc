"""Frames: what a device's screen showed, when, and whether two of them show the same."""

from dataclasses import dataclass, field

from PIL import Image, ImageChops

from odyssey_recorder.model.geometry import Size

SAME_SCREEN = 0.0002
"""Up to this share of changed pixels two frames show the same screen: a blinking text cursor is about 0.0001
of a phone's screen, the smallest check box about 0.0016."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One complete picture of the screen.

    `pixels` holds `size.width * size.height` RGBA pixels, row by row from the top left. `started_ns` and
    `arrived_ns` are the host's monotonic clock before the picture was asked for and after its last byte came:
    the screen showed it at some moment between the two. `number` counts the frames of one connection from 1.
    """

    number: int
    size: Size
    pixels: bytes | bytearray = field(repr=False)
    started_ns: int
    arrived_ns: int
    source: str

    def image(self) -> Image.Image:
        """The frame as an RGB picture; the screen has no transparency."""
        return self._rgbx().convert("RGB")

    def _rgbx(self) -> Image.Image:
        return Image.frombuffer("RGBX", (self.size.width, self.size.height), self.pixels, "raw", "RGBX", 0, 1)

    def changed_share(self, other: "Frame", *, ignore_top_px: int = 0) -> float:
        """The share (0..1) of pixels below the top `ignore_top_px` rows that differ; 1.0 for another size."""
        if self.size != other.size:
            return 1.0
        start = ignore_top_px * self.size.width * 4
        if self.pixels.endswith(memoryview(other.pixels)[start:]):
            return 0.0
        area = (0, ignore_top_px, self.size.width, self.size.height)
        difference = ImageChops.difference(self._rgbx().crop(area), other._rgbx().crop(area)).convert("L")
        unchanged = difference.histogram()[0]
        return 1.0 - unchanged / (difference.width * difference.height)

    def shows_same_as(self, other: "Frame", *, ignore_top_px: int = 0) -> bool:
        """Whether both frames show the same screen, a blinking cursor aside."""
        return self.changed_share(other, ignore_top_px=ignore_top_px) <= SAME_SCREEN
