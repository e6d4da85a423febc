"""Coordinates, sizes and directions, compared with those of others."""

import numpy as np
import pytest

from odyssey_recorder.agents.adapter import all_adapters
from odyssey_recorder.agents.frames import (
    CoordinateFrame,
    finger_direction,
    finger_scroll,
    path,
    smart_resize,
    view_direction,
    view_scroll,
)
from odyssey_recorder.agents.parsing import UnreadableAnswerError
from odyssey_recorder.model.geometry import Point, Size
from tests.episodes import DATA

DEVICES = {
    Size(1440, 3120): ((1428, 3108), (672, 1456), (1440, 3136), (768, 1664)),
    Size(1344, 2992): ((1344, 2996), (644, 1484), (1344, 3008), (736, 1696)),
    Size(720, 1280): ((728, 1288), (728, 1288), (704, 1280), (704, 1280)),
    Size(1080, 2400): ((1092, 2408), (672, 1484), (1088, 2400), (768, 1696)),
    Size(2208, 1840): ((2212, 1848), (1092, 896), (2208, 1856), (1248, 1024)),
    Size(2560, 1600): ((2548, 1596), (1260, 784), (2560, 1600), (1440, 896)),
}
"""Of the dataset's devices: factor 28 and 32, each without and with the usual limit of pixels."""


@pytest.mark.parametrize("size", DEVICES)
def test_resized_dimensions_of_the_dataset_devices(size: Size) -> None:
    limits = [(28, 1 << 40), (28, 28 * 28 * 1280), (32, 1 << 40), (32, 32 * 32 * 1280)]
    found = [smart_resize(size, factor, most=most) for factor, most in limits]
    assert tuple((one.width, one.height) for one in found) == DEVICES[size]


def test_smart_resize_matches_transformers() -> None:
    with np.load(DATA / "smart_resize.npz") as kept:
        widths, heights = kept["widths"].tolist(), kept["heights"].tolist()
        configs, units = kept["configs"].tolist(), kept["differences"].cumsum(axis=-1).tolist()
    assert len(widths) * len(heights) >= 100_000
    differing = [
        (size, factor)
        for at, width in enumerate(widths)
        for config in [at % len(configs)]
        for factor, least, most in [configs[config]]
        for height, wide, tall in zip(heights, *(units[config][axis][at] for axis in (0, 1)), strict=True)
        if (size := Size(width, height)) and resized(size, factor, least, most) != (wide * factor, tall * factor)
    ]
    assert differing == []


def resized(size: Size, factor: int, least: int, most: int) -> tuple[int, int]:
    try:
        found = smart_resize(size, factor, least, most)
    except ValueError:
        return 0, 0
    return found.width, found.height


def test_fitted_size_is_not_resized_again() -> None:
    for name, factor in (("qwen2.5-vl", 28), ("qwen3-vl", 32), ("ui-tars-1.5", 28)):
        fit = all_adapters()[name].fit
        for size in DEVICES:
            assert fit(fit(size)) == fit(size)
            if name == "qwen2.5-vl":
                assert smart_resize(fit(size), factor, most=factor * factor * 1280) == fit(size)


@pytest.mark.parametrize("way", ["UP", "DOWN", "LEFT", "RIGHT"])
def test_finger_moves_opposite_to_the_view(way: str) -> None:
    for start in (None, Point(0, 0), Point(1000, 1000), Point(500, 0), Point(0, 500)):
        finger, view = finger_scroll(way, start), view_scroll(way, start)
        assert finger_direction(finger) == view_direction(view) == way
        assert view_direction(finger) == finger_direction(view) != way


def test_motionless_scroll_counts_as_down() -> None:
    still, tie = path(Point(5, 5), Point(5, 5)), path(Point(0, 0), Point(9, -9 + 18))
    assert (finger_direction(still), finger_direction(tie)) == ("DOWN", "DOWN")


def test_points_survive_conversion_on_axes_of_1000_pixels_or_more() -> None:
    for size in (1000, 1092, 1440, 3120):
        frame = CoordinateFrame(size, size)
        assert all(frame.point(*frame.place(Point(one, one))) == Point(one, one) for one in range(1001))


def test_positions_outside_the_frame_are_rejected() -> None:
    frame = CoordinateFrame(999, 500)
    assert frame.point(1000, -0.5) == Point(1000, 0)
    for x in (1001, -2, float("nan"), float("inf"), 10**300):
        with pytest.raises(UnreadableAnswerError, match="outside"):
            frame.point(x, 0)
