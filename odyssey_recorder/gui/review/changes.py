"""What differs between the pictures of two steps, found off the GUI thread."""

from PIL import Image
from PySide6.QtGui import QImage

from odyssey_recorder.model.geometry import Box
from odyssey_recorder.replay.compare import changed_places

_NEAR = 50
"""What is closer together than this part of the longer side is one place."""


def changes(before: QImage, after: QImage) -> tuple[Box, ...]:
    """Boxes around what differs, in pixels; none lies in another. Both pictures are RGB32 and of one size."""
    near_px = max(before.width(), before.height()) // _NEAR
    places = changed_places(_picture(before), _picture(after), near_px=near_px)
    boxes = [Box(place.left, place.top, place.right, place.bottom) for place in places]
    return tuple(box for box in boxes if not any(_holds(other, box) for other in boxes if other is not box))


def _holds(outer: Box, inner: Box) -> bool:
    return (
        outer.left <= inner.left
        and outer.top <= inner.top
        and outer.right >= inner.right
        and outer.bottom >= inner.bottom
    )


def _picture(image: QImage) -> Image.Image:
    size = image.width(), image.height()
    pixels = image.constBits()
    return Image.frombuffer("RGB", size, pixels, "raw", "BGRX", image.bytesPerLine(), 1)  # type: ignore[arg-type]
