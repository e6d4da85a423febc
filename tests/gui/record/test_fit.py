"""Where a picture lies in the mirror, and which pixel of it is under the mouse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF

from odyssey_recorder.gui.record.viewport import FitScale
from odyssey_recorder.model.geometry import Pixel, Size

SCREENS = [Size(720, 1280), Size(1440, 3120), Size(2208, 1840), Size(2560, 1600), Size(1600, 2560)]
SPACES = [QRectF(0, 0, 396, 546), QRectF(0, 0, 777, 831), QRectF(13, 7, 1203, 901)]
RATIOS = [1.0, 1.25, 1.5, 2.0, 3.0]


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_every_pixel_of_the_picture_is_found_again_under_its_own_middle(
    screen: Size, space: QRectF, ratio: float
) -> None:
    fit = FitScale.inside(screen, space, device_pixel_ratio=ratio)
    xs = [0, 1, 2, screen.width // 3, screen.width // 2, screen.width - 2, screen.width - 1]
    ys = [0, 1, 2, screen.height // 3, screen.height // 2, screen.height - 2, screen.height - 1]
    pixels = [Pixel(x, y) for x in xs for y in ys]
    assert [fit.pixel_at(fit.point_of(pixel)) for pixel in pixels] == pixels


@given(
    x=st.integers(0, 1439),
    y=st.integers(0, 3119),
    width=st.floats(50, 4000),
    height=st.floats(50, 4000),
    ratio=st.sampled_from(RATIOS),
)
def test_it_is_found_again_in_a_mirror_of_any_size(x: int, y: int, width: float, height: float, ratio: float) -> None:
    fit = FitScale.inside(Size(1440, 3120), QRectF(0, 0, width, height), device_pixel_ratio=ratio)
    assert fit.pixel_at(fit.point_of(Pixel(x, y))) == Pixel(x, y)


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_the_picture_keeps_its_aspect_and_fills_the_space_one_way(screen: Size) -> None:
    fit = FitScale.inside(screen, QRectF(0, 0, 800, 600))
    aspect = screen.width / screen.height
    assert fit.area.width() / fit.area.height() == pytest.approx(aspect, rel=0.005)
    assert fit.area.width() == 800 or fit.area.height() == 600
    assert QRectF(0, 0, 800, 600).contains(fit.area)


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_picture_starts_and_ends_on_whole_pixels_of_the_monitor(ratio: float) -> None:
    area = FitScale.inside(Size(1080, 2340), QRectF(0, 0, 401, 547), device_pixel_ratio=ratio).area
    edges = [edge * ratio for edge in (area.left(), area.top(), area.right(), area.bottom())]
    assert edges == pytest.approx([round(edge) for edge in edges])


def test_a_point_beside_the_picture_is_no_pixel_but_has_a_nearest_one() -> None:
    fit = FitScale.inside(Size(100, 200), QRectF(0, 0, 300, 200))
    beside = QPointF(20, 50)
    assert fit.pixel_at(beside) is None
    assert fit.nearest_pixel(beside) == Pixel(0, 50)


def test_the_last_column_ends_where_the_picture_ends() -> None:
    fit = FitScale.inside(Size(100, 200), QRectF(0, 0, 100, 200))
    assert fit.pixel_at(QPointF(99.99, 199.99)) == Pixel(99, 199)
    assert fit.pixel_at(QPointF(100, 100)) is None
