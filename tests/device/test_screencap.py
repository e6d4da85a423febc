import io
import struct

import pytest

from odyssey_recorder.device.screencap import find_frame, receive_frame
from odyssey_recorder.model.geometry import Size

PIXELS = bytearray(range(24))
FRAME = struct.pack("<4I", 2, 3, 1, 1) + PIXELS
WARNING = b"[Warning] Multiple displays were found, but no display id was specified!\nSee dumpsys.\n"


def test_a_whole_picture_is_received_pixel_by_pixel() -> None:
    assert receive_frame(io.BytesIO(FRAME).readinto) == (Size(2, 3), PIXELS)


def test_the_header_of_old_androids_has_no_colour_space() -> None:
    frame = struct.pack("<3I", 2, 3, 1) + PIXELS

    assert receive_frame(io.BytesIO(frame).readinto) == (Size(2, 3), PIXELS)


@pytest.mark.parametrize("length", [0, 11, 15])
def test_a_cut_header_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match=f"cut short: {length} of the header's 16 bytes"):
        receive_frame(io.BytesIO(FRAME[:length]).readinto)


@pytest.mark.parametrize("length", [16, 17, 35, 37, 39])
def test_a_cut_picture_is_refused_with_what_came_and_what_should_have(length: int) -> None:
    with pytest.raises(ValueError, match=f"{length} bytes came, 40 were expected"):
        receive_frame(io.BytesIO(FRAME[:length]).readinto)


def test_a_picture_with_more_behind_it_is_refused() -> None:
    with pytest.raises(ValueError, match="41 bytes came, 40 were expected"):
        receive_frame(io.BytesIO(FRAME + b"!").readinto)


def test_another_pixel_format_is_refused_by_its_number() -> None:
    frame = struct.pack("<4I", 2, 3, 4, 1) + PIXELS

    with pytest.raises(ValueError, match="pixel format 4"):
        receive_frame(io.BytesIO(frame).readinto)


def test_words_in_place_of_a_picture_are_quoted() -> None:
    with pytest.raises(ValueError, match="no picture: it begins with b'Error: no displa'"):
        receive_frame(io.BytesIO(b"Error: no display is on").readinto)


@pytest.mark.parametrize("noise", [b"", WARNING, WARNING.replace(b"\n", b"\r\n")])
def test_a_picture_is_found_behind_warnings(noise: bytes) -> None:
    assert find_frame(noise + FRAME) == (Size(2, 3), PIXELS)


def test_a_cut_picture_behind_warnings_is_refused() -> None:
    with pytest.raises(ValueError, match="no whole picture"):
        find_frame(WARNING + FRAME[:-1])


def test_a_stream_of_nothing_but_words_is_refused() -> None:
    with pytest.raises(ValueError, match="no whole picture is in the 60000 bytes"):
        find_frame(b"Error\n" * 10_000)
