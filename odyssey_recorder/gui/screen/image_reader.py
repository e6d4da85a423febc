"""Reads screenshots from untrusted files: an image, or the reason why there is none."""

from pathlib import Path

from PySide6.QtCore import QBuffer, QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from odyssey_recorder.dataset.layout import dataset_of
from odyssey_recorder.errors import DatasetError, UnfitFileError
from odyssey_recorder.files import Largest, read_file

_MAX_PIXELS = 16_000_000
"""Four times the pixels of a tablet; several such images are in memory at a time."""


def read_image(path: Path, bounds: QSize | None = None) -> tuple[QImage, QSize]:
    """The PNG at `path`, no larger than `bounds`, and its size in the file; call off the GUI thread.

    Raises DatasetError, which names the file and says what is wrong with it.
    """
    buffer = QBuffer()
    buffer.setData(_read(path))
    reader = QImageReader(buffer, b"png")
    size = reader.size()
    if size.width() * size.height() > _MAX_PIXELS:
        pixels = f"{size.width()} x {size.height()} pixels"
        raise DatasetError(f"The screenshot {path.name} is not shown: it is {pixels}, larger than any screen.")
    if bounds is not None and size.isValid():
        reader.setScaledSize(size.scaled(bounds, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    if image.isNull():
        raise DatasetError(f"The screenshot {path.name} cannot be read: {reader.errorString()}.")
    return image, size


def _read(path: Path) -> bytes:
    try:
        return read_file(path, Largest.SCREENSHOT, within=dataset_of(path) or path.parent)
    except FileNotFoundError as error:
        raise DatasetError(f"The screenshot {path.name} is missing.") from error
    except UnfitFileError as error:
        raise DatasetError(f"The screenshot {path.name} was not used: {error.strerror}.") from error
    except OSError as error:
        raise DatasetError(f"The screenshot {path.name} cannot be read: {error.strerror}.") from error
