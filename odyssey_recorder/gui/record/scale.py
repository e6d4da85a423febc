"""Where a picture of the device lies inside a widget, and which pixel of it a point of the widget is."""

from dataclasses import dataclass
from math import floor

from PySide6.QtCore import QPointF, QRectF

from odyssey_recorder.model.geometry import Pixel, Size

_HAIR = 1e-6
"""A point this close to the next pixel's edge is on it: places of the mouse are divided by the monitor's scale."""


@dataclass(frozen=True, slots=True)
class FitScale:
    """A picture of `picture` pixels shown in `area`, a rectangle in the widget's device-independent units."""

    picture: Size
    area: QRectF

    @classmethod
    def inside(cls, picture: Size, space: QRectF, *, device_pixel_ratio: float = 1.0) -> "FitScale":
        """The largest place in the middle of `space` that keeps the aspect and starts on whole screen pixels."""
        ratio = device_pixel_ratio
        scale = min(space.width() * ratio / picture.width, space.height() * ratio / picture.height)
        width = max(1, round(picture.width * scale))
        height = max(1, round(picture.height * scale))
        left = floor(space.left() * ratio + (space.width() * ratio - width) / 2)
        top = floor(space.top() * ratio + (space.height() * ratio - height) / 2)
        return cls(picture, QRectF(left / ratio, top / ratio, width / ratio, height / ratio))

    @classmethod
    def scaled(
        cls, picture: Size, space: QRectF, *, scale: float, centre: QPointF, device_pixel_ratio: float = 1.0
    ) -> "FitScale":
        """The place that shows each pixel `scale` screen pixels wide, from whole screen pixels on.

        `centre` is what of the picture the middle of `space` shows, as shares (0..1) of its width and height. No room
        is left empty that the picture can fill, and a picture that is smaller than the space is in its middle.
        """
        ratio = device_pixel_ratio
        width, height = picture.width * scale, picture.height * scale
        left = _start(space.left() * ratio, space.width() * ratio, width, centre.x())
        top = _start(space.top() * ratio, space.height() * ratio, height, centre.y())
        return cls(picture, QRectF(left / ratio, top / ratio, width / ratio, height / ratio))

    def pixel_at(self, point: QPointF) -> Pixel | None:
        """The picture's pixel under `point`; None beside the picture."""
        pixel = self._pixel(point)
        return pixel if self.picture.clamp(pixel) == pixel else None

    def nearest_pixel(self, point: QPointF) -> Pixel:
        """The picture's pixel under `point`, or the nearest one to it at the edge."""
        return self.picture.clamp(self._pixel(point))

    def point_of(self, pixel: Pixel) -> QPointF:
        """The middle of `pixel` on the widget; `pixel_at` leads back to it."""
        return QPointF(
            self.area.left() + (pixel.x + 0.5) * self.area.width() / self.picture.width,
            self.area.top() + (pixel.y + 0.5) * self.area.height() / self.picture.height,
        )

    def _pixel(self, point: QPointF) -> Pixel:
        return Pixel(
            floor((point.x() - self.area.left()) * self.picture.width / self.area.width() + _HAIR),
            floor((point.y() - self.area.top()) * self.picture.height / self.area.height() + _HAIR),
        )


def _start(start: float, room: float, extent: float, centre: float) -> int:
    """Where something of `extent` starts on an axis whose `room` starts at `start`, all in screen pixels."""
    if extent <= room:
        return floor(start + (room - extent) / 2)
    wanted = round(start + room / 2 - centre * extent)
    return min(max(wanted, floor(start + room - extent)), floor(start))
