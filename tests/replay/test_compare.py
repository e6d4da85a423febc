import random

import pytest
from PIL import Image, ImageDraw

from odyssey_recorder.model.geometry import Box, Size
from odyssey_recorder.replay.compare import StepVerdict, Tolerance, change_mask, compare, likeness

WIDTH, HEIGHT = 720, 1280
STATUS_BAR_PX = 48
TOLERANCE = Tolerance()


def listing(seed: int) -> Image.Image:
    """A screen with rows of an icon and a line of words, both depending on `seed`."""
    chance = random.Random(seed)
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(picture)
    for top in range(100, HEIGHT - 100, 90):
        draw.ellipse((24, top, 72, top + 48), fill=tuple(chance.randrange(256) for _ in "rgb"))
        for left in range(100, 100 + 20 * chance.randrange(5, 28), 20):
            draw.rectangle((left, top + 14, left + chance.randrange(4, 16), top + 34), fill="black")
    return picture


def marked(picture: Image.Image, box: tuple[int, int, int, int], colour: str = "navy") -> Image.Image:
    changed = picture.copy()
    ImageDraw.Draw(changed).rectangle(box, fill=colour)
    return changed


def test_the_same_picture_matches() -> None:
    comparison = compare(listing(1), listing(1), status_bar_px=STATUS_BAR_PX, tolerance=TOLERANCE)

    assert comparison.verdict is StepVerdict.MATCH
    assert (comparison.pixel_share, comparison.likeness, comparison.changed) == (0.0, 1.0, ())


def test_a_toggled_check_box_is_a_drift_and_is_pointed_at() -> None:
    toggled = marked(listing(1), (640, 400, 675, 435))

    comparison = compare(listing(1), toggled, status_bar_px=STATUS_BAR_PX, tolerance=TOLERANCE)

    assert comparison.verdict is StepVerdict.DRIFT
    assert comparison.changed == (Box(640, 400, 676, 436),)
    assert comparison.pixel_share == pytest.approx(36 * 36 / (WIDTH * (HEIGHT - STATUS_BAR_PX)))
    assert comparison.likeness > 0.95


def test_a_blinking_text_cursor_matches() -> None:
    cursor = marked(listing(1), (300, 300, 303, 337))

    assert compare(listing(1), cursor, status_bar_px=STATUS_BAR_PX, tolerance=TOLERANCE).verdict is StepVerdict.MATCH


def test_another_screen_diverges() -> None:
    photo = Image.effect_noise((WIDTH, HEIGHT), 60).convert("RGB")

    comparison = compare(listing(1), photo, status_bar_px=STATUS_BAR_PX, tolerance=TOLERANCE)

    assert comparison.verdict is StepVerdict.DIVERGED
    assert comparison.likeness < 0.3


def test_the_same_screen_in_dark_colours_diverges() -> None:
    dark = listing(1).point(lambda value: 255 - value)

    assert compare(listing(1), dark, status_bar_px=STATUS_BAR_PX, tolerance=TOLERANCE).verdict is StepVerdict.DIVERGED


def test_the_status_bar_is_left_out() -> None:
    later = marked(listing(1), (0, 0, WIDTH, STATUS_BAR_PX - 1))

    assert compare(listing(1), later, status_bar_px=STATUS_BAR_PX, tolerance=TOLERANCE).pixel_share == 0.0
    assert compare(listing(1), later, status_bar_px=0, tolerance=TOLERANCE).pixel_share > 0.03


def test_a_picture_of_another_size_diverges_as_a_whole() -> None:
    comparison = compare(
        listing(1), listing(1).rotate(90, expand=True), status_bar_px=STATUS_BAR_PX, tolerance=TOLERANCE
    )

    assert comparison.verdict is StepVerdict.DIVERGED
    assert comparison.changed == (Box(0, 0, WIDTH, HEIGHT),)


@pytest.mark.parametrize(("step", "changed"), [(24, 0), (25, 255)])
def test_a_channel_may_differ_by_as_much_as_the_tolerance(step: int, changed: int) -> None:
    one, other = Image.new("RGB", (1, 1), (0, 100, 0)), Image.new("RGB", (1, 1), (0, 100 + step, 0))

    assert change_mask(one, other, channel=Tolerance().channel).getpixel((0, 0)) == changed


def test_changes_far_apart_get_a_box_each_from_the_top_down() -> None:
    changed = marked(marked(listing(1), (600, 900, 640, 940)), (10, 200, 14, 204))

    boxes = compare(listing(1), changed, status_bar_px=STATUS_BAR_PX, tolerance=TOLERANCE).changed

    assert boxes == (Box(10, 200, 15, 205), Box(600, 900, 641, 941))


def test_a_single_changed_pixel_is_pointed_at() -> None:
    changed = marked(listing(1), (719, 1279, 719, 1279))

    assert compare(listing(1), changed, status_bar_px=STATUS_BAR_PX, tolerance=TOLERANCE).changed == (
        Box(719, 1279, 720, 1280),
    )


def test_likeness_is_one_for_the_same_the_same_both_ways_and_ignores_the_empty_paper() -> None:
    one, other = listing(1), listing(2)

    assert likeness(one, one) == pytest.approx(1.0, abs=1e-3)
    assert likeness(one, other) == pytest.approx(likeness(other, one))
    assert likeness(one, Image.new("RGB", one.size, "white")) < 0.5


def test_a_picture_smaller_than_a_window_can_be_compared() -> None:
    tiny = Image.new("RGB", (3, 2), "white")

    assert (
        compare(tiny, marked(tiny, (0, 0, 2, 1)), status_bar_px=9, tolerance=TOLERANCE).verdict is StepVerdict.DIVERGED
    )


@pytest.mark.parametrize(
    ("size", "density", "least"),
    [
        (Size(720, 1280), 320, 0.848),
        (Size(1440, 3120), 560, 0.905),
        (Size(2560, 1600), 320, 0.966),
        (Size(9, 9), 160, 0),
    ],
)
def test_a_larger_screen_must_look_more_alike_because_as_much_changes_on_less_of_it(
    size: Size, density: int, least: float
) -> None:
    assert Tolerance.for_screen(size, density).diverged_likeness == pytest.approx(least, abs=0.001)
