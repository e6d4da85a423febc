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


def claiming(width: int, height: int) -> bytes:
    whole = png()
    header = b"IHDR" + struct.pack(">II", width, height) + whole[24:29]
    return whole[:12] + header + struct.pack(">I", zlib.crc32(header)) + whole[33:]


@pytest.mark.parametrize("mode", ["RGBA", "L"])
def test_a_screenshot_of_any_mode_is_read_as_rgb(tmp_path: Path, mode: str) -> None:
    (tmp_path / "0.png").write_bytes(png(mode=mode))
    image = read_png(tmp_path / "0.png", within=tmp_path)
    assert (image.mode, image.size) == ("RGB", (36, 64))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is not a PNG of a screen"),
        (b"GIF89a", "it is not a PNG of a screen"),
        (png()[:60], "it cannot be decoded"),
        (claiming(6_500, 6_500), "it claims to be 6500x6500 pixels large, too large for a screen"),
        (claiming(200_000, 200_000), "it is not a PNG of a screen"),
    ],
    ids=["empty", "gif", "cut off", "too large", "bomb"],
)
def test_what_is_no_whole_screenshot_is_refused_by_name(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "0.png").write_bytes(data)
    with pytest.raises(UnfitFileError, match=f"0.png was not used: {why}"):
        read_png(tmp_path / "0.png", within=tmp_path)
