"""Converts a screen to an Image of the gRPC service: size, pixel format, rotation."""

import io
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from PIL import Image as Pillow

from odyssey_simulator.control_messages import Channel, Image, ImageFormat, ImgFormat
from odyssey_simulator.errors import SimulatorError
from odyssey_simulator.screen import ComposedFrame
from odyssey_simulator.ui.geometry import Size

_PNG_LEVEL = 1
_TURNS = (Pillow.Transpose.ROTATE_90, Pillow.Transpose.ROTATE_180, Pillow.Transpose.ROTATE_270)


_BYTES = {ImgFormat.RGB888: 3, ImgFormat.RGBA8888: 4, ImgFormat.PNG: 4}


class UnsupportedImageError(ValueError): ...


class FrameEncoder:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._number = 0
        self._made: dict[tuple[ImgFormat, Size, int], bytes] = {}

    def image(self, request: Any, screen: ComposedFrame, seq: int, turns: int = 0) -> Any:
        """The whole panel, even under `wm size`; without pixels while the display is off.

        It is turned as the device is held, by its accelerometer, whatever Android shows, and by `turns` more quarter
        turns that it does not tell. Raises UnsupportedImageError, or SimulatorError if the shared memory is too small.
        """
        turns = (screen.held - screen.rotation + turns) % 4
        try:
            kind = ImgFormat(request.format)
        except ValueError as error:
            raise UnsupportedImageError(f"There is no image format {request.format}.") from error
        size = _fitted(screen.panel.turned(turns), request.width, request.height) if screen.awake else Size(0, 0)
        image = Image(
            format=ImageFormat(format=kind, width=size.width, height=size.height, display=request.display),
            seq=seq,
            timestampUs=screen.shown_us,
        )
        image.format.rotation.rotation = screen.held
        if screen.folded:
            natural = screen.panel.turned(screen.rotation)
            image.format.foldedDisplay.width, image.format.foldedDisplay.height = natural.width, natural.height
        pixels = self._pixels(screen, kind, size, turns) if screen.awake else b""
        if request.transport.channel == Channel.MMAP:
            image.format.transport.CopyFrom(request.transport)
            _write(request.transport.handle, request.width * request.height * _BYTES[kind], pixels)
        else:
            image.image = pixels
        return image

    def _pixels(self, screen: ComposedFrame, kind: ImgFormat, size: Size, turns: int) -> bytes:
        with self._lock:
            if screen.number != self._number:
                self._number, self._made = screen.number, {}
            if (kind, size, turns) not in self._made:
                self._made[kind, size, turns] = _rendered(screen, kind, size, turns)
            return self._made[kind, size, turns]


def _fitted(panel: Size, width: int, height: int) -> Size:
    """The largest size with the panel's aspect ratio within both bounds; a bound of 0 means none."""
    scale = min(1.0, width / panel.width if width else 1.0, height / panel.height if height else 1.0)
    return Size(max(1, int(panel.width * scale + 1e-6)), max(1, int(panel.height * scale + 1e-6)))


def _rendered(screen: ComposedFrame, kind: ImgFormat, size: Size, turns: int) -> bytes:
    is_whole = size == Size(screen.width, screen.height) == screen.panel and not turns
    if kind is ImgFormat.RGBA8888 and is_whole:
        return screen.rgba
    # Not RGBA: dropping a padding byte takes a third of the time of a conversion.
    image = Pillow.frombuffer("RGBX", (screen.width, screen.height), screen.rgba, "raw", "RGBX", 0, 1)
    if not is_whole:
        image = _on_panel(image, screen, size.turned(turns))
    if turns:
        image = image.transpose(_TURNS[turns - 1])
    if kind is ImgFormat.PNG:
        encoded = io.BytesIO()
        image.convert("RGB").save(encoded, "png", compress_level=_PNG_LEVEL)
        return encoded.getvalue()
    return image.tobytes("raw", "RGB" if kind is ImgFormat.RGB888 else "RGBX")


def _on_panel(image: Pillow.Image, screen: ComposedFrame, size: Size) -> Pillow.Image:
    across, down = size.width / screen.panel.width, size.height / screen.panel.height
    left, top = round(screen.on_panel.left * across), round(screen.on_panel.top * down)
    right, bottom = round(screen.on_panel.right * across), round(screen.on_panel.bottom * down)
    scaled = image.resize((right - left, bottom - top), Pillow.Resampling.BILINEAR, reducing_gap=1.0)
    if scaled.size == (size.width, size.height):
        return scaled
    panel = Pillow.new("RGBX", (size.width, size.height), (0, 0, 0, 255))
    panel.paste(scaled, (left, top))
    return panel


def _write(handle: str, mapped: int, pixels: bytes) -> None:
    url = urlsplit(handle)
    if url.scheme != "file":
        raise UnsupportedImageError(f"The handle {handle!r} is not the file:/// address of a file to map.")
    try:
        with Path(url2pathname(url.path)).open("r+b") as file:
            room = min(mapped, file.seek(0, io.SEEK_END))
            if room < len(pixels):
                raise SimulatorError(
                    f"The file at {handle!r} has {room} bytes of the {len(pixels)} that a frame takes."
                )
            file.seek(0)
            file.write(pixels)
    except OSError as error:
        raise UnsupportedImageError(f"The file at {handle!r} cannot be written: {error.strerror}.") from error
