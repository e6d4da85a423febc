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
def test_a_pixel_is_cut_down_to_the_grid_and_held_within_it(pixel: Pixel, point: Point) -> None:
    assert to_grid(pixel, PHONE) == point


@given(points_of_pixels, large_sizes)
def test_the_grid_leads_to_a_pixel_and_back_on_axes_of_a_thousand_pixels(point: Point, size: Size) -> None:
    assert to_grid(to_pixel(point, size), size) == point


@pytest.mark.parametrize(
    ("point", "size", "pixel"),
    [
        (Point(500, 500), PHONE, Pixel(540, 1201)),
        (Point(0, 1000), PHONE, Pixel(0, 2399)),
        (Point(150, 950), Size(10, 10), Pixel(1, 9)),
    ],
)
def test_a_grid_point_is_the_middle_of_its_pixels_or_the_one_below(point: Point, size: Size, pixel: Pixel) -> None:
    assert to_pixel(point, size) == pixel


@given(points, sizes)
def test_every_grid_point_has_a_pixel_on_the_screenshot(point: Point, size: Size) -> None:
    pixel = to_pixel(point, size)
    assert size.clamp(pixel) == pixel


@given(pixels_on())
def test_a_pixel_and_the_pixel_of_its_grid_point_are_less_than_a_cell_apart(placed: tuple[Pixel, Size]) -> None:
    pixel, size = placed
    back = to_pixel(to_grid(pixel, size), size)
    assert abs(back.x - pixel.x) <= max(1, size.width // GRID)
    assert abs(back.y - pixel.y) <= max(1, size.height // GRID)


@given(st.integers(-10, 5000), st.integers(-10, 5000), sizes)
def test_what_lies_further_right_never_has_a_smaller_coordinate_nor_the_other_way_round(
    one: int, other: int, size: Size
) -> None:
    low, high = sorted((one, other))
    left, right = to_grid(Pixel(low, low), size), to_grid(Pixel(high, high), size)
    assert left.x <= right.x <= GRID
    assert left.y <= right.y <= GRID
    assert to_pixel(left, size).x <= to_pixel(right, size).x


@pytest.mark.parametrize(
    ("rotation", "turned"),
    [
        (Rotation.R0, Pixel(300, 900)),
        (Rotation.R90, Pixel(900, 780)),
        (Rotation.R180, Pixel(780, 1500)),
        (Rotation.R270, Pixel(1500, 300)),
    ],
)
def test_a_touch_of_the_panel_is_found_on_the_turned_screenshot(rotation: Rotation, turned: Pixel) -> None:
    assert rotate(Pixel(300, 900), PHONE, rotation) == turned


@given(pixels_on(), st.sampled_from(Rotation))
def test_a_turn_and_the_turn_back_lead_home(placed: tuple[Pixel, Size], rotation: Rotation) -> None:
    pixel, panel = placed
    screenshot = panel.turned() if rotation in {Rotation.R90, Rotation.R270} else panel
    turned = rotate(pixel, panel, rotation)
    assert rotate(turned, screenshot, Rotation((4 - rotation) % 4)) == pixel
    assert unrotate(turned, panel, rotation) == pixel


def test_a_size_reads_as_width_by_height_and_turns() -> None:
    assert str(PHONE) == "1080x2400"
    assert PHONE.turned() == Size(2400, 1080)


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
def test_a_screenshot_is_as_large_as_its_panel_allows_and_in_the_middle_of_it(screenshot: Size, box: Box) -> None:
    assert frame_on_panel(screenshot, PHONE) == box


@given(st.builds(Size, st.integers(100, 4000), st.integers(100, 4000)), st.integers(0, 1079), st.integers(0, 2399))
def test_a_pixel_of_the_panel_is_on_the_screenshot_where_the_panel_shows_it(screenshot: Size, x: int, y: int) -> None:
    found = panel_to_frame(Pixel(x, y), screenshot, PHONE)
    assert (screenshot.clamp(found) == found) is (Pixel(x, y) in frame_on_panel(screenshot, PHONE))
