"""Where a picture of the device lies inside a widget, and which pixel of it a point of the widget is."""

from dataclasses import dataclass
from math import floor

from PySide6.QtCore import QPointF, QRectF

from odyssey_recorder.model.geometry import Pixel, Size


@dataclass(frozen=True, slots=True)
class Fit:
    """A picture of `picture` pixels shown in `area`, a rectangle in the widget's device-independent units."""

    picture: Size
    area: QRectF

    @classmethod
    def inside(cls, picture: Size, space: QRectF, *, device_pixel_ratio: float = 1.0) -> "Fit":
        """The largest place in the middle of `space` that keeps the aspect and starts on whole screen pixels."""
        ratio = device_pixel_ratio
        scale = min(space.width() * ratio / picture.width, space.height() * ratio / picture.height)
        width = max(1, round(picture.width * scale))
        height = max(1, round(picture.height * scale))
        left = floor(space.left() * ratio + (space.width() * ratio - width) / 2)
        top = floor(space.top() * ratio + (space.height() * ratio - height) / 2)
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
            floor((point.x() - self.area.left()) * self.picture.width / self.area.width()),
            floor((point.y() - self.area.top()) * self.picture.height / self.area.height()),
        )
