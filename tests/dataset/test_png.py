"""Only complete PNGs of a screen's size are decoded."""

import struct
import zlib
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from odyssey_recorder.dataset.png import read_png
from odyssey_recorder.errors import UnfitFileError


def png(size: tuple[int, int] = (36, 64), mode: str = "RGBA") -> bytes:
    buffer = BytesIO()
    Image.new(mode, size, 7 if mode == "L" else (1, 2, 3, 255)).save(buffer, "PNG")
    return buffer.getvalue()


def png_claiming(width: int, height: int) -> bytes:
    data = png()
    header = b"IHDR" + struct.pack(">II", width, height) + data[24:29]
    return data[:12] + header + struct.pack(">I", zlib.crc32(header)) + data[33:]


@pytest.mark.parametrize("mode", ["RGBA", "L"])
def test_png_of_any_mode_is_read_as_rgb(tmp_path: Path, mode: str) -> None:
    (tmp_path / "0.png").write_bytes(png(mode=mode))
    image = read_png(tmp_path / "0.png", within=tmp_path)
    assert (image.mode, image.size) == ("RGB", (36, 64))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is not a PNG of a screen"),
        (b"GIF89a", "it is not a PNG of a screen"),
        (png()[:60], "it cannot be decoded"),
        (png_claiming(6_500, 6_500), "it claims to be 6500x6500 pixels large, too large for a screen"),
        (png_claiming(200_000, 200_000), "it is not a PNG of a screen"),
    ],
    ids=["empty", "gif", "cut off", "too large", "bomb"],
)
def test_invalid_png_is_rejected_by_name(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "0.png").write_bytes(data)
    with pytest.raises(UnfitFileError, match=f"0.png was not used: {why}"):
        read_png(tmp_path / "0.png", within=tmp_path)
