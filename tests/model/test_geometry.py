import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.model.geometry import (
    GRID,
    Box,
    Pixel,
    Point,
    Rotation,
    Size,
    frame_on_panel,
    panel_to_frame,
    rotate,
    to_grid,
    to_pixel,
    unrotate,
)

PHONE = Size(1080, 2400)
sizes = st.builds(Size, st.integers(1, 4000), st.integers(1, 4000))
large_sizes = st.builds(Size, st.integers(GRID, 4000), st.integers(GRID, 4000))
points = st.builds(Point, st.integers(0, GRID), st.integers(0, GRID))
points_of_pixels = st.builds(Point, st.integers(0, GRID - 1), st.integers(0, GRID - 1))


@st.composite
def pixels_on(draw: st.DrawFn, sizes: st.SearchStrategy[Size] = sizes) -> tuple[Pixel, Size]:
    size = draw(sizes)
    return Pixel(draw(st.integers(0, size.width - 1)), draw(st.integers(0, size.height - 1))), size


@pytest.mark.parametrize(
    ("pixel", "point"),
    [
        (Pixel(0, 0), Point(0, 0)),
        (Pixel(1079, 2399), Point(999, 999)),
        (Pixel(540, 1200), Point(500, 500)),
        (Pixel(541, 1201), Point(500, 500)),
        (Pixel(-5, 99_999), Point(0, 1000)),
    ],
)
def test_pixel_is_rounded_down_and_clamped_to_the_grid(pixel: Pixel, point: Point) -> None:
    assert to_grid(pixel, PHONE) == point


@given(points_of_pixels, large_sizes)
def test_grid_point_round_trips_on_large_screens(point: Point, size: Size) -> None:
    assert to_grid(to_pixel(point, size), size) == point


@pytest.mark.parametrize(
    ("point", "size", "pixel"),
    [
        (Point(500, 500), PHONE, Pixel(540, 1201)),
        (Point(0, 1000), PHONE, Pixel(0, 2399)),
        (Point(150, 950), Size(10, 10), Pixel(1, 9)),
    ],
)
def test_grid_point_is_the_middle_of_its_pixels(point: Point, size: Size, pixel: Pixel) -> None:
    assert to_pixel(point, size) == pixel


@given(points, sizes)
def test_every_grid_point_is_on_the_screenshot(point: Point, size: Size) -> None:
    pixel = to_pixel(point, size)
    assert size.clamp(pixel) == pixel


@given(pixels_on())
def test_pixel_round_trip_is_off_by_less_than_a_cell(placed: tuple[Pixel, Size]) -> None:
    pixel, size = placed
    back = to_pixel(to_grid(pixel, size), size)
    assert abs(back.x - pixel.x) <= max(1, size.width // GRID)
    assert abs(back.y - pixel.y) <= max(1, size.height // GRID)


@pytest.mark.parametrize(
    ("rotation", "rotated"),
    [
        (Rotation.R0, Pixel(300, 900)),
        (Rotation.R90, Pixel(900, 780)),
        (Rotation.R180, Pixel(780, 1500)),
        (Rotation.R270, Pixel(1500, 300)),
    ],
)
def test_panel_touch_is_mapped_to_the_rotated_screenshot(rotation: Rotation, rotated: Pixel) -> None:
    assert rotate(Pixel(300, 900), PHONE, rotation) == rotated


@given(pixels_on(), st.sampled_from(Rotation))
def test_rotation_round_trips(placed: tuple[Pixel, Size], rotation: Rotation) -> None:
    pixel, panel = placed
    screenshot = panel.turned() if rotation in {Rotation.R90, Rotation.R270} else panel
    rotated = rotate(pixel, panel, rotation)
    assert rotate(rotated, screenshot, Rotation((4 - rotation) % 4)) == pixel
    assert unrotate(rotated, panel, rotation) == pixel


@pytest.mark.parametrize(
    ("screenshot", "box"),
    [
        (PHONE, Box(0, 0, 1080, 2400)),
        (Size(720, 1600), Box(0, 0, 1080, 2400)),
        (Size(1080, 1200), Box(0, 600, 1080, 1800)),
        (Size(540, 2400), Box(270, 0, 810, 2400)),
        (Size(2400, 1080), Box(0, 957, 1080, 1443)),
    ],
)
def test_screenshot_is_scaled_to_the_panel_and_centred(screenshot: Size, box: Box) -> None:
    assert frame_on_panel(screenshot, PHONE) == box


@given(st.builds(Size, st.integers(100, 4000), st.integers(100, 4000)), st.integers(0, 1079), st.integers(0, 2399))
def test_panel_pixel_is_on_the_screenshot_if_the_panel_shows_it(screenshot: Size, x: int, y: int) -> None:
    found = panel_to_frame(Pixel(x, y), screenshot, PHONE)
    assert (screenshot.clamp(found) == found) is (Pixel(x, y) in frame_on_panel(screenshot, PHONE))
