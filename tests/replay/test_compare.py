import random

import pytest
from PIL import Image, ImageDraw

from odyssey_recorder.model.geometry import Box, Size
from odyssey_recorder.replay.compare import Comparison, StepVerdict, Tolerance, change_mask, compare, likeness

WIDTH, HEIGHT = 720, 1280
STATUS_BAR_PX = 48


def list_screen(seed: int) -> Image.Image:
    """A screen with rows of an icon and a line of text, both depending on `seed`."""
    chance = random.Random(seed)
    screenshot = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(screenshot)
    for top in range(100, HEIGHT - 100, 90):
        draw.ellipse((24, top, 72, top + 48), fill=tuple(chance.randrange(256) for _ in "rgb"))
        for left in range(100, 100 + 20 * chance.randrange(5, 28), 20):
            draw.rectangle((left, top + 14, left + chance.randrange(4, 16), top + 34), fill="black")
    return screenshot


SCREEN = list_screen(1)
TINY = Image.new("RGB", (3, 2), "white")


def marked(screenshot: Image.Image, box: tuple[int, int, int, int], colour: str = "navy") -> Image.Image:
    changed = screenshot.copy()
    ImageDraw.Draw(changed).rectangle(box, fill=colour)
    return changed


def compared(one: Image.Image, other: Image.Image) -> Comparison:
    return compare(one, other, status_bar_px=STATUS_BAR_PX, tolerance=Tolerance())


def test_toggled_check_box_is_a_drift() -> None:
    toggled = marked(SCREEN, (640, 400, 675, 435))
    comparison = compared(SCREEN, toggled)
    assert comparison.verdict is StepVerdict.DRIFT
    assert comparison.changed == (Box(640, 400, 676, 436),)
    assert comparison.pixel_share == pytest.approx(36 * 36 / (WIDTH * (HEIGHT - STATUS_BAR_PX)))
    assert comparison.likeness > 0.95


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        pytest.param(SCREEN, SCREEN, StepVerdict.MATCH, id="the same"),
        pytest.param(SCREEN, marked(SCREEN, (300, 300, 303, 337)), StepVerdict.MATCH, id="a text cursor"),
        pytest.param(SCREEN, marked(SCREEN, (0, 0, WIDTH, 47)), StepVerdict.MATCH, id="the status bar"),
        pytest.param(
            SCREEN, Image.effect_noise((WIDTH, HEIGHT), 60).convert("RGB"), StepVerdict.DIVERGED, id="a photo"
        ),
        pytest.param(SCREEN, SCREEN.point(lambda value: 255 - value), StepVerdict.DIVERGED, id="in dark colours"),
        pytest.param(SCREEN, SCREEN.rotate(90, expand=True), StepVerdict.DIVERGED, id="another size"),
        pytest.param(TINY, marked(TINY, (0, 0, 2, 1)), StepVerdict.DIVERGED, id="smaller than a window"),
    ],
)
def test_screenshots_match_or_diverge(one: Image.Image, other: Image.Image, verdict: StepVerdict) -> None:
    assert compared(one, other).verdict is verdict


@pytest.mark.parametrize(("step", "changed"), [(24, 0), (25, 255)])
def test_channel_difference_within_tolerance_is_unchanged(step: int, changed: int) -> None:
    one, other = Image.new("RGB", (1, 1), (0, 100, 0)), Image.new("RGB", (1, 1), (0, 100 + step, 0))
    assert change_mask(one, other, channel=Tolerance().channel).getpixel((0, 0)) == changed


@pytest.mark.parametrize(
    ("other", "boxes"),
    [
        (marked(SCREEN, (719, 1279, 719, 1279)), (Box(719, 1279, 720, 1280),)),
        (SCREEN.rotate(90, expand=True), (Box(0, 0, WIDTH, HEIGHT),)),
        (
            marked(marked(SCREEN, (600, 900, 640, 940)), (10, 200, 14, 204)),
            (Box(10, 200, 15, 205), Box(600, 900, 641, 941)),
        ),
    ],
    ids=["a pixel", "another size", "two places, from the top down"],
)
def test_changed_boxes(other: Image.Image, boxes: tuple[Box, ...]) -> None:
    assert compared(SCREEN, other).changed == boxes


def test_likeness_is_symmetric_and_ignores_blank_areas() -> None:
    one, other = SCREEN, list_screen(2)
    assert likeness(one, one) == pytest.approx(1.0, abs=1e-3)
    assert likeness(one, other) == pytest.approx(likeness(other, one))
    assert likeness(one, Image.new("RGB", one.size, "white")) < 0.5


@pytest.mark.parametrize(
    ("size", "density", "least"),
    [
        (Size(720, 1280), 320, 0.848),
        (Size(1440, 3120), 560, 0.905),
        (Size(2560, 1600), 320, 0.966),
        (Size(9, 9), 160, 0),
    ],
)
def test_tolerance_is_stricter_on_larger_screens(size: Size, density: int, least: float) -> None:
    assert Tolerance.for_screen(size, density).diverged_likeness == pytest.approx(least, abs=0.001)
