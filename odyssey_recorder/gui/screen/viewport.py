"""Maps between an image and a widget: place, scale, and the pixel under a point."""

from dataclasses import dataclass
from math import floor, isclose

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal

from odyssey_recorder.model.geometry import Pixel, Size

_TOLERANCE = 1e-6
"""A point this close to the next pixel's edge is on it: mouse positions are divided by the monitor's scale."""


@dataclass(frozen=True, slots=True)
class FitScale:
    """A frame of `frame_size` pixels shown in `area`, in the widget's device-independent units."""

    frame_size: Size
    area: QRectF

    @classmethod
    def inside(cls, frame_size: Size, space: QRectF, *, device_pixel_ratio: float = 1.0) -> "FitScale":
        """The largest centred place in `space` that keeps the aspect ratio and starts on whole screen pixels."""
        ratio = device_pixel_ratio
        scale = min(space.width() * ratio / frame_size.width, space.height() * ratio / frame_size.height)
        width = max(1, round(frame_size.width * scale))
        height = max(1, round(frame_size.height * scale))
        left = floor(space.left() * ratio + (space.width() * ratio - width) / 2)
        top = floor(space.top() * ratio + (space.height() * ratio - height) / 2)
        return cls(frame_size, QRectF(left / ratio, top / ratio, width / ratio, height / ratio))

    def pixel_at(self, point: QPointF) -> Pixel | None:
        """The image pixel under `point`; None outside the image."""
        pixel = self._pixel(point)
        return pixel if self.frame_size.clamp(pixel) == pixel else None

    def nearest_pixel(self, point: QPointF) -> Pixel:
        return self.frame_size.clamp(self._pixel(point))

    def point_of(self, pixel: Pixel) -> QPointF:
        """The centre of `pixel` in the widget; inverse of `pixel_at`."""
        return QPointF(
            self.area.left() + (pixel.x + 0.5) * self.area.width() / self.frame_size.width,
            self.area.top() + (pixel.y + 0.5) * self.area.height() / self.frame_size.height,
        )

    def _pixel(self, point: QPointF) -> Pixel:
        return Pixel(
            floor((point.x() - self.area.left()) * self.frame_size.width / self.area.width() + _TOLERANCE),
            floor((point.y() - self.area.top()) * self.frame_size.height / self.area.height() + _TOLERANCE),
        )


def _start(start: float, room: float, extent: float, centre: float) -> int:
    """The start of `extent` on an axis whose `room` starts at `start`, all in screen pixels."""
    if extent <= room:
        return floor(start + (room - extent) / 2)
    wanted = round(start + room / 2 - centre * extent)
    return min(max(wanted, floor(start + room - extent)), floor(start))


ZOOMS = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
"""The offered scales: screen pixels for each image pixel, on each axis."""


@dataclass(frozen=True, slots=True)
class Room:
    """A frame of `frame_size` pixels and the `space` for it, in device-independent units."""

    frame_size: Size
    space: QRectF
    device_pixel_ratio: float = 1.0


@dataclass(frozen=True, slots=True)
class ViewZoom:
    """Scale and visible part. `scale` is screen pixels per image pixel; None fits the whole image.

    `across` and `down` are the image point in the middle of the space, as shares (0..1) of its width and height.
    """

    scale: float | None = None
    across: float = 0.5
    down: float = 0.5

    def fit(self, room: Room) -> FitScale:
        """The place in `room`, from whole screen pixels on.

        A scaled image fills the space if it can, and is centred if it is smaller.
        """
        size, space, ratio = room.frame_size, room.space, room.device_pixel_ratio
        if self.scale is None:
            return FitScale.inside(size, space, device_pixel_ratio=ratio)
        width, height = size.width * self.scale, size.height * self.scale
        left = _start(space.left() * ratio, space.width() * ratio, width, self.across)
        top = _start(space.top() * ratio, space.height() * ratio, height, self.down)
        return FitScale(size, QRectF(left / ratio, top / ratio, width / ratio, height / ratio))

    def actual_scale(self, room: Room) -> float:
        return self.fit(room).area.width() * room.device_pixel_ratio / room.frame_size.width

    def next_scale(self, room: Room, *, larger: bool) -> float:
        now = self.actual_scale(room)
        if larger:
            return next((scale for scale in ZOOMS if scale > now and not isclose(scale, now)), ZOOMS[-1])
        return next((scale for scale in reversed(ZOOMS) if scale < now and not isclose(scale, now)), ZOOMS[0])

    def scaled(self, scale: float, room: Room, *, around: QPointF) -> "ViewZoom":
        """The same at another scale; the image point under `around` stays there if it can."""
        area = self.fit(room).area
        across = (around.x() - area.left()) / area.width()
        down = (around.y() - area.top()) / area.height()
        width, height = room.frame_size.width * scale, room.frame_size.height * scale
        offset = (room.space.center() - around) * room.device_pixel_ratio
        return ViewZoom(scale, across + offset.x() / width, down + offset.y() / height).settled(room)

    def panned(self, by: QPointF, room: Room) -> "ViewZoom":
        area = self.fit(room).area
        across, down = self.across - by.x() / area.width(), self.down - by.y() / area.height()
        return ViewZoom(self.scale, across, down).settled(room)

    def settled(self, room: Room) -> "ViewZoom":
        """The same with the centre that is really shown, as the image stops at its edges."""
        area, middle = self.fit(room).area, room.space.center()
        across, down = (middle.x() - area.left()) / area.width(), (middle.y() - area.top()) / area.height()
        return ViewZoom(self.scale, across, down)


_WHEEL_NOTCH = 120
"""One notch of a wheel, in Qt's units of an eighth of a degree."""

_KEY_PAN = 48.0
PANS = {
    Qt.Key.Key_Left: QPointF(_KEY_PAN, 0),
    Qt.Key.Key_Right: QPointF(-_KEY_PAN, 0),
    Qt.Key.Key_Up: QPointF(0, _KEY_PAN),
    Qt.Key.Key_Down: QPointF(0, -_KEY_PAN),
}
"""How the arrow keys move the image, in widget units."""


class Viewport(QObject):
    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.zoom = ViewZoom()
        self._room: Room | None = None
        self._wheel_angle = 0  # how far the wheel turned towards the next zoom

    def set_room(self, room: Room | None) -> None:
        if room != self._room:
            self._room = room
            self.changed.emit()

    @property
    def scale(self) -> float | None:
        """The chosen scale, in screen pixels per image pixel; None if fitted."""
        return self.zoom.scale

    @property
    def kept(self) -> str:
        return "" if self.zoom.scale is None else f"{self.zoom.scale:g}"

    def recall(self, kept: str) -> None:
        self._set_zoom(ViewZoom(next((scale for scale in ZOOMS if f"{scale:g}" == kept), None)))

    @property
    def fit(self) -> FitScale | None:
        return None if self._room is None else self.zoom.fit(self._room)

    @property
    def actual_scale(self) -> float | None:
        return None if self._room is None else self.zoom.actual_scale(self._room)

    @property
    def can_pan(self) -> bool:
        if self._room is None or self.zoom.scale is None:
            return False
        return not self._room.space.contains(self.zoom.fit(self._room).area)

    def show_whole(self) -> None:
        self._set_zoom(ViewZoom())

    def show_scale(self, scale: float, around: QPointF | None = None) -> None:
        """Show the image at `scale`; the point `around`, or the middle, stays where it is."""
        if self._room is None:
            self._set_zoom(ViewZoom(scale))
        else:
            self._set_zoom(self.zoom.scaled(scale, self._room, around=around or self._room.space.center()))

    def step(self, *, larger: bool, around: QPointF | None = None) -> None:
        if self._room is not None:
            self.show_scale(self.zoom.next_scale(self._room, larger=larger), around)

    def turn(self, angle: int, around: QPointF) -> None:
        """Zoom by whole notches of the wheel; `angle` is how far it turned, in Qt's units."""
        self._wheel_angle += angle
        while abs(self._wheel_angle) >= _WHEEL_NOTCH:
            larger = self._wheel_angle > 0
            self._wheel_angle -= _WHEEL_NOTCH if larger else -_WHEEL_NOTCH
            self.step(larger=larger, around=around)

    def pan(self, by: QPointF) -> None:
        """Move the image, in widget units; a fitted one stays."""
        if self._room is not None and self.zoom.scale is not None:
            self._set_zoom(self.zoom.panned(by, self._room))

    def _set_zoom(self, zoom: ViewZoom) -> None:
        if zoom != self.zoom:
            self.zoom = zoom
            self.changed.emit()
