"""What differs between the pictures of two steps, found off the GUI thread."""

from PIL import Image
from PySide6.QtGui import QImage

from odyssey_recorder.model.geometry import Box
from odyssey_recorder.replay.compare import changed_places


def changes(before: QImage, after: QImage) -> tuple[Box, ...]:
    """Boxes around what differs, in pixels. Both pictures are RGB32 and of one size."""
    places = changed_places(_picture(before), _picture(after))
    return tuple(Box(place.left, place.top, place.right, place.bottom) for place in places)


def _picture(image: QImage) -> Image.Image:
    size = image.width(), image.height()
    pixels = image.constBits()
    return Image.frombuffer("RGB", size, pixels, "raw", "BGRX", image.bytesPerLine(), 1)  # type: ignore[arg-type]
