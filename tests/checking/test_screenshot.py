import io
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from odyssey_recorder.checking.screenshot import bars, change, measure
from odyssey_recorder.model.geometry import Size
from tests.checking.folders import SIZE, png, screen, view_of

WHOLE = png(screen(1))
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def header(width: int, height: int) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))


def problem(data: bytes) -> str:
    screenshot, view = measure(data)
    assert view is None
    return screenshot.problem


def test_intact_screenshot_is_measured() -> None:
    screenshot, view = measure(WHOLE)
    assert view is not None
    assert (screenshot.problem, screenshot.size, view.whole) == ("", SIZE, SIZE)
    assert screenshot.deviation > 20
    assert 0.3 < screenshot.flat < 0.9


def test_single_colour_screen_is_flat_regardless_of_its_bars() -> None:
    image = Image.new("RGB", (SIZE.width, SIZE.height), (9, 9, 9))
    above, below = bars(SIZE)
    ImageDraw.Draw(image).rectangle((10, 0, 60, above - 1), fill="white")
    ImageDraw.Draw(image).rectangle((10, SIZE.height - below, 60, SIZE.height), fill="white")
    screenshot, _ = measure(png(image))
    assert (screenshot.flat, screenshot.deviation) == (1.0, 0.0)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_image_mode_is_measured(mode: str) -> None:
    image = screen(1).convert("I").convert("I;16") if mode == "I;16" else screen(1).convert(mode)
    screenshot, view = measure(png(image))
    assert view is not None, screenshot.problem
    assert view.seen.mode == "RGB"


def test_transparent_palette_causes_no_warning() -> None:
    file = io.BytesIO()
    screen(1).convert("P").save(file, "PNG", transparency=bytes(range(256)))
    assert measure(file.getvalue())[1] is not None


def test_file_truncated_anywhere_is_broken() -> None:
    for length in range(len(WHOLE)):
        assert problem(WHOLE[:length])


def test_file_with_any_damaged_byte_is_broken() -> None:
    for at in range(len(WHOLE)):
        assert problem(WHOLE[:at] + bytes([WHOLE[at] ^ 0x10]) + WHOLE[at + 1 :])


DAMAGED = bytearray(WHOLE)
DAMAGED[60] ^= 1
END = chunk(b"IEND", b"")
OVERSIZED = SIGNATURE + header(60_000, 60_000) + chunk(b"IDAT", zlib.compress(bytes(1000))) + END
PIXELS = bytearray(zlib.compress((b"\0" + bytes(30)) * 10))
PIXELS[-1] ^= 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (b"GIF89a, which is not PNG", "it is not a PNG file"),
        (WHOLE[:100], "it is cut off after 100 bytes"),
        (bytes(DAMAGED), "are damaged: the checksum differs"),
        (OVERSIZED, "it claims to be 60000x60000 pixels large, too large for a screen"),
        (SIGNATURE + header(10, 10) + chunk(b"IDAT", bytes(PIXELS)) + END, ""),
        (SIGNATURE + header(10, 10) + END, ""),
        (SIGNATURE + header(0, 0) + END, ""),
    ],
    ids=["empty", "no PNG", "cut off", "wrong checksum", "oversized", "wrong pixel data", "no pixel data", "no size"],
)
def test_problem_describes_why_a_file_is_broken(data: bytes, words: str) -> None:
    assert problem(data)
    assert problem(data).endswith(words)


@given(st.binary(max_size=200), st.sampled_from([b"", SIGNATURE, SIGNATURE + header(9, 9)]))
def test_any_bytes_are_reported_as_a_problem(data: bytes, beginning: bytes) -> None:
    assert problem(beginning + data)


@given(st.lists(st.tuples(st.sampled_from([b"IDAT", b"PLTE", b"tRNS", b"tEXt", b"iCCP", b"eXIf", b"acTL", b"fcTL"]),
                          st.binary(max_size=40)), max_size=5))  # fmt: skip
def test_valid_chunks_never_cause_a_crash(chunks: list[tuple[bytes, bytes]]) -> None:
    inner = b"".join(chunk(name, data) for name, data in chunks)
    measure(SIGNATURE + header(9, 9) + inner + chunk(b"IEND", b""))


def plain(colour: str | tuple[int, int, int]) -> Image.Image:
    return Image.new("RGB", (SIZE.width, SIZE.height), colour)


def with_rectangle(image: Image.Image, box: tuple[int, int, int, int], colour: str) -> Image.Image:
    ImageDraw.Draw(image).rectangle(box, fill=colour)
    return image


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        (screen(1), screen(1), 0.0),
        (plain("white"), with_rectangle(plain("white"), (0, 0, SIZE.width // 2 - 1, SIZE.height), "black"), 0.5),
        (plain((200, 0, 0)), plain((0, 102, 0)), 1.0),
        (plain((100, 100, 100)), plain((124, 124, 124)), 0.0),
        (screen(1), with_rectangle(screen(1), (0, 0, 40, bars(SIZE)[0] - 2), "red"), 0.0),
        (screen(1), screen(1, Size(SIZE.height, SIZE.width)), 1.0),
    ],
    ids=["the same", "half", "another colour as bright", "rounded otherwise", "the clock in the bar", "turned"],
)
def test_change_is_the_share_of_changed_pixels(one: Image.Image, other: Image.Image, share: float) -> None:
    assert change(view_of(one), view_of(other)) == pytest.approx(share, abs=0.01 if share == 0.5 else 0)


def test_similar_screens_have_similar_looks() -> None:
    noisy = screen(1).point(lambda value: max(0, value - 9))
    like, other = (measure(png(image))[0].look for image in (noisy, screen(2)))
    own = measure(WHOLE)[0].look
    assert (own ^ like).bit_count() <= 2
    assert (own ^ other).bit_count() > 6


def test_one_pixel_screenshot_is_measured() -> None:
    screenshot, view = measure(png(Image.new("RGB", (1, 1), "red")))
    assert view is not None
    assert (screenshot.size, screenshot.flat) == (Size(1, 1), 1.0)
