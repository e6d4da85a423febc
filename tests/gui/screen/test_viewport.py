"""Zoom and pan: at every zoom, each pixel maps to where it is drawn."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QObject, QPointF, QRectF

from odyssey_recorder.gui.screen.viewport import ZOOMS, FitScale, Room, Viewport, ViewZoom
from odyssey_recorder.model.geometry import Pixel, Size

SCREENS = [Size(720, 1280), Size(1080, 2340), Size(1440, 3120), Size(2208, 1840), Size(2560, 1600), Size(1600, 2560)]
RATIOS = [1.0, 1.25, 1.5, 2.0, 3.0]
SPACE = QRectF(0, 0, 397, 545)
PHONE = Size(1080, 2340)

shares = st.floats(0, 1)
centres = st.tuples(shares, shares)
sides = st.floats(50, 4000)
spaces = st.builds(QRectF, st.sampled_from((0, 13)), st.sampled_from((0, 7)), sides, sides)
rooms = st.builds(Room, st.sampled_from(SCREENS), spaces, st.sampled_from(RATIOS))
small_rooms = st.builds(Room, st.sampled_from(SCREENS), st.just(SPACE), st.sampled_from(RATIOS))
zooms = st.sampled_from(ZOOMS)


@given(rooms, st.sampled_from((None, *ZOOMS)), centres)
def test_pixel_is_found_at_its_centre(room: Room, scale: float | None, centre: tuple[float, float]) -> None:
    fit = ViewZoom(scale, *centre).fit(room)
    screen = room.frame_size
    pixel = screen.clamp(Pixel(int(centre[0] * screen.width), int(centre[1] * screen.height)))
    assert fit.pixel_at(fit.point_of(pixel)) == pixel


@given(small_rooms, st.sampled_from([1, 2, 3]), centres, st.integers(0, 10**6))
def test_monitor_pixel_maps_to_its_drawn_pixel(room: Room, scale: int, centre: tuple[float, float], at: int) -> None:
    """Mouse positions are device-independent: physical pixels divided by the scale, not whole numbers."""
    ratio = room.device_pixel_ratio
    fit = ViewZoom(scale, *centre).fit(room)
    left, top = fit.area.left() * ratio, fit.area.top() * ratio
    assert (left, top) == pytest.approx((round(left), round(top)), abs=1e-6)
    x, y = at % (room.frame_size.width * scale), at % (room.frame_size.height * scale)
    point = QPointF((round(left) + x) / ratio, (round(top) + y) / ratio)
    assert fit.pixel_at(point) == Pixel(x // scale, y // scale)


@given(small_rooms, zooms, centres)
def test_screenshot_fills_the_space_or_is_centred(room: Room, scale: float, centre: tuple[float, float]) -> None:
    area = ViewZoom(scale, *centre).fit(room).area
    tolerance = 1 / room.device_pixel_ratio
    for start, end, space in ((area.left(), area.right(), SPACE.width()), (area.top(), area.bottom(), SPACE.height())):
        if end - start >= space:
            assert start <= 0
            assert end >= space - tolerance
        else:
            assert start == pytest.approx((space - (end - start)) / 2, abs=tolerance)


@given(small_rooms, zooms, zooms, centres)
def test_zoom_keeps_pixel_under_pointer(room: Room, before: float, after: float, at: tuple[float, float]) -> None:
    pointer = QPointF(at[0] * (SPACE.width() - 1), at[1] * (SPACE.height() - 1))
    zoom = ViewZoom(before)
    pixel = zoom.fit(room).nearest_pixel(pointer)
    fit = zoom.scaled(after, room, around=pointer).fit(room)
    seen, area = fit.point_of(pixel), fit.area
    tolerance = (max(before, after, 1) + 1) / room.device_pixel_ratio
    assert abs(seen.x() - pointer.x()) <= tolerance or area.left() >= 0 or area.right() <= SPACE.width() + tolerance
    assert abs(seen.y() - pointer.y()) <= tolerance or area.top() >= 0 or area.bottom() <= SPACE.height() + tolerance


@pytest.fixture
def viewport() -> Iterator[Viewport]:
    owner = QObject()
    viewport = Viewport(owner)
    viewport.set_room(Room(PHONE, SPACE))
    yield viewport
    owner.deleteLater()


def test_panning_stops_at_the_edges_of_the_screenshot(viewport: Viewport) -> None:
    fitted = viewport.fit
    viewport.pan(QPointF(50, 50))
    assert viewport.fit == fitted
    assert not viewport.can_pan
    viewport.show_scale(1.0)
    for _ in range(20):
        viewport.pan(QPointF(-200, -200))
    assert viewport.fit is not None
    assert (viewport.fit.area.right(), viewport.fit.area.bottom()) == (397, 545)
    viewport.pan(QPointF(30, 40))
    assert (viewport.fit.area.right(), viewport.fit.area.bottom()) == (427, 585)


@pytest.mark.parametrize(("kept", "scale"), [("", None), ("1", 1.0), ("1.5", 1.5), ("nonsense", None), ("1e9", None)])
def test_scale_is_remembered(viewport: Viewport, kept: str, scale: float | None) -> None:
    viewport.recall(kept)
    assert viewport.scale == scale
    assert viewport.kept == ("" if scale is None else kept)


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_fitted_screenshot_keeps_its_aspect_on_whole_pixels(screen: Size) -> None:
    space, aspect = QRectF(0, 0, 801, 607), screen.width / screen.height
    for ratio in RATIOS:
        area = FitScale.inside(screen, space, device_pixel_ratio=ratio).area
        assert area.width() / area.height() == pytest.approx(aspect, rel=0.005)
        tolerance = pytest.approx(0, abs=1 / ratio)
        assert space.width() - area.width() == tolerance or space.height() - area.height() == tolerance
        edges = [edge * ratio for edge in (area.left(), area.top(), area.right(), area.bottom())]
        assert edges == pytest.approx([round(edge) for edge in edges])


def test_point_outside_has_only_a_nearest_pixel() -> None:
    fit = FitScale.inside(Size(100, 200), QRectF(0, 0, 300, 200))
    assert fit.pixel_at(QPointF(20, 50)) is None
    assert fit.nearest_pixel(QPointF(20, 50)) == Pixel(0, 50)
    assert fit.pixel_at(QPointF(199.99, 199.99)) == Pixel(99, 199)
    assert fit.pixel_at(QPointF(200, 100)) is None
