import pytest
from PIL import Image

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.model.geometry import Size

SIZE = Size(100, 200)


def frame(pixels: bytes | bytearray, size: Size = SIZE) -> Frame:
    return Frame(number=1, size=size, pixels=pixels, started_ns=0, arrived_ns=1, source="test")


def grey_frame(*changed: tuple[int, int]) -> Frame:
    image = Image.new("RGBA", (SIZE.width, SIZE.height), (90, 90, 90, 255))
    for place in changed:
        image.putpixel(place, (90, 88, 90, 255))
    return frame(image.tobytes())


def test_a_frame_is_an_rgb_picture_whatever_its_fourth_byte_says() -> None:
    image = frame(bytes([1, 2, 3, 0]) * 2, Size(2, 1)).image()

    assert image.mode == "RGB"
    assert image.tobytes() == bytes([1, 2, 3]) * 2


@pytest.mark.parametrize(("top", "same"), [(10, True), (9, False)])
def test_rows_at_the_top_can_be_left_out(top: int, same: bool) -> None:
    clock_ticked = grey_frame(*((x, 9) for x in range(20)))

    assert grey_frame().shows_same_as(clock_ticked, ignore_top_px=top) == same
    assert grey_frame().shows_same_as(grey_frame())
    assert not grey_frame().shows_same_as(frame(bytes(400), Size(10, 10))), "another size"


def test_a_blinking_cursor_is_no_change_and_a_check_box_is_one() -> None:
    size = Size(1080, 2400)
    blank = Image.new("RGBA", (size.width, size.height), "white")
    with_cursor, with_box = blank.copy(), blank.copy()
    with_cursor.paste("black", (500, 1000, 505, 1050))
    with_box.paste("black", (500, 1000, 564, 1064))

    assert frame(blank.tobytes(), size).shows_same_as(frame(with_cursor.tobytes(), size))
    assert not frame(blank.tobytes(), size).shows_same_as(frame(with_box.tobytes(), size))
