from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.gesture.areas import (
    BesideButtons,
    KeyStroke,
    Meaning,
    Navigation,
    NavigationRules,
    OnScreen,
    Pressed,
    ScreenAreas,
    Swiped,
    confirmed,
    contradicts,
    is_right_to_left,
    meaning,
    presses_last,
)
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.gesture.typed_keys import ENTER
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Box, Pixel, Rotation, Size

PHONE = Size(1080, 2400)
TABLET = Size(2560, 1600)
RULES = NavigationRules.for_density(420)
TOUCH = TouchRules.for_density(420)
BAR = Box(0, 2274, 1080, 2400)
KEYS = Box(0, 1500, 1080, 2274)

buttons = ScreenAreas(PHONE, Rotation.R0, BAR, None)
typing = ScreenAreas(PHONE, Rotation.R0, BAR, KEYS)
gestures = ScreenAreas(PHONE, Rotation.R0, Box(0, 2337, 1080, 2400), None, Navigation.GESTURES)


def tap(x: int, y: int, *, duration_ms: int = 80) -> TouchStroke:
    return TouchStroke.press(Pixel(x, y), duration_ms=duration_ms)


def swipe(*path: tuple[int, int], held_ms: int = 0) -> TouchStroke:
    drag = TouchStroke.drag(tuple(Pixel(x, y) for x, y in path), duration_ms=200)
    return TouchStroke(drag.samples, drag.duration_us + held_ms * 1000)


def test_navigation_bar_buttons_from_left_to_right() -> None:
    meanings = [meaning(tap(x, 2340), buttons, TOUCH, RULES) for x in (230, 540, 850)]
    assert meanings == [Pressed(SystemKey.BACK), Pressed(SystemKey.HOME), Pressed(SystemKey.RECENT)]


def pressed(x: int, y: int, areas: ScreenAreas, dpi: int = 420) -> Meaning:
    return meaning(tap(x, y), areas, TOUCH, NavigationRules.for_density(dpi))


BACK, HOME, RECENT = Pressed(SystemKey.BACK), Pressed(SystemKey.HOME), Pressed(SystemKey.RECENT)


@pytest.mark.parametrize(("x", "key"), [(0, BACK), (404, BACK), (406, HOME), (674, HOME), (676, RECENT), (901, RECENT)])
def test_touches_between_a_phones_buttons_go_to_the_nearest(x: int, key: Pressed) -> None:
    assert pressed(x, 2300, buttons) == key


@pytest.mark.parametrize("x", [903, 1079])
def test_right_of_recent_another_button_may_be(x: int) -> None:
    assert pressed(x, 2300, buttons) == Pressed(SystemKey.RECENT, beside=True)


FOLD = Size(2208, 1840)


@pytest.mark.parametrize(
    ("size", "dpi", "folds", "end_margin_dp"),
    [
        pytest.param(TABLET, 320, False, 219.6, id="tablet, landscape"),
        pytest.param(TABLET.turned(), 320, False, 75, id="tablet, portrait"),
        pytest.param(FOLD, 420, True, 88, id="foldable, landscape"),
        pytest.param(FOLD.turned(), 420, True, 48, id="foldable, portrait"),
    ],
)
def test_taskbar_has_its_buttons_at_the_end(size: Size, dpi: int, folds: bool, end_margin_dp: float) -> None:
    bar = Box(0, size.height - 60 * dpi // 160, size.width, size.height)
    areas = ScreenAreas(size, Rotation.R0, bar, None, folds=folds)

    def at(from_end_dp: float) -> Meaning:
        return pressed(round(size.width - (end_margin_dp + from_end_dp) * dpi / 160), size.height - 30, areas, dpi)

    assert [at(dp) for dp in (1, 22, 43, 55)] == [RECENT] * 4
    assert [at(dp) for dp in (57, 90, 123)] == [HOME] * 3
    assert [at(dp) for dp in (125, 158, 179)] == [BACK] * 3
    assert [at(dp) for dp in (-2, 182, 300)] == [BesideButtons()] * 3


def test_large_screen_before_taskbars_has_its_buttons_in_the_middle() -> None:
    areas = ScreenAreas(Size(1920, 1080), Rotation.R0, Box(0, 1008, 1920, 1080), None, has_taskbar=False)
    found = [pressed(x, 1050, areas, 240) for x in (673, 863, 865, 1055, 1057, 1247)]
    assert found == [BACK, BACK, HOME, HOME, RECENT, RECENT]
    assert [pressed(x, 1050, areas, 240) for x in (671, 1249, 1700)] == [BesideButtons()] * 3


@given(st.integers(0, 2559), st.sampled_from((TABLET, TABLET.turned(), PHONE)))
def test_language_from_right_to_left_mirrors_the_bar(x: int, size: Size) -> None:
    bar = Box(0, size.height - 120, size.width, size.height)
    plain = ScreenAreas(size, Rotation.R0, bar, None)
    x, y, dpi = x % size.width, size.height - 30, 420 if size == PHONE else 320
    assert pressed(x, y, replace(plain, right_to_left=True), dpi) == pressed(size.width - 1 - x, y, plain, dpi)


@given(st.integers(0, 1079))
def test_language_from_right_to_left_mirrors_a_bar_on_the_side(y: int) -> None:
    wide = replace(buttons, rotation=Rotation.R90, navigation_bar=Box(2274, 0, 2400, 1080))
    assert pressed(2300, y, replace(wide, right_to_left=True)) == pressed(2300, 1079 - y, wide)


@pytest.mark.parametrize("locales", ["ar-EG,en-US", "iw-IL", "fa", "uz-Arab-AF,en-US"])
def test_languages_from_right_to_left(locales: str) -> None:
    assert is_right_to_left(locales)


@pytest.mark.parametrize("locales", ["", "en-US,ar-EG", "de", "uz-Latn-UZ"])
def test_languages_from_left_to_right(locales: str) -> None:
    assert not is_right_to_left(locales)


def test_read_buttons_count_more_than_computed_ones() -> None:
    """A bar of an app launcher of its own, mirrored for a language that is written from right to left."""
    boxes = {key: Box(left, 1492, left + 88, 1588) for key, left in zip(SystemKey, (300, 600, 100), strict=True)}
    bar = Box(0, 1480, 2560, 1600)
    areas = ScreenAreas(TABLET, Rotation.R0, bar, None, buttons=boxes)
    found = [pressed(x, 1540, areas, 320) for x in (110, 240, 250, 350, 650, 800, 90)]
    other = BesideButtons()
    assert found == [RECENT, RECENT, HOME, HOME, BACK, other, other]


@given(st.integers(0, 1079), st.booleans())
def test_bar_on_the_side_has_the_same_buttons(along: int, on_the_right: bool) -> None:
    side = Box(2274, 0, 2400, 1080) if on_the_right else Box(0, 0, 126, 1080)
    turned = Pixel(2300, 1079 - along) if on_the_right else Pixel(60, along)
    wide = replace(buttons, rotation=Rotation.R90, navigation_bar=side)
    assert pressed(turned.x, turned.y, wide) == pressed(along, 2300, buttons)


@pytest.mark.parametrize(
    "stroke", [tap(540, 2340, duration_ms=900), swipe((540, 2340), (540, 1800)), swipe((5, 1200), (400, 1200))]
)
def test_holds_and_swipes_with_buttons_are_gestures(stroke: TouchStroke) -> None:
    assert meaning(stroke, buttons, TOUCH, RULES) == OnScreen()


@pytest.mark.parametrize("stroke", [tap(300, 1700), tap(300, 1700, duration_ms=900), swipe((300, 1700), (600, 1700))])
def test_touches_on_the_keyboard_are_key_strokes(stroke: TouchStroke) -> None:
    assert isinstance(meaning(stroke, typing, TOUCH, RULES), KeyStroke)
    assert meaning(stroke, buttons, TOUCH, RULES) == OnScreen()


@pytest.mark.parametrize(("x", "y", "enters"), [(1000, 2200, True), (1000, 2000, False), (500, 2200, False)])
def test_last_key_of_the_last_row_is_enter(x: int, y: int, enters: bool) -> None:
    stroke = meaning(tap(x, y), typing, TOUCH, RULES)
    assert isinstance(stroke, KeyStroke)
    assert (stroke.key == ENTER) is enters


def test_enter_key_is_above_the_navigation_bar() -> None:
    swiping = replace(typing, navigation=Navigation.GESTURES)
    assert meaning(tap(1000, 2060), swiping, TOUCH, RULES) == KeyStroke(ENTER)
    assert meaning(tap(230, 2340), typing, TOUCH, RULES) == Pressed(SystemKey.BACK)


@pytest.mark.parametrize(
    ("stroke", "expected"),
    [
        (swipe((540, 2390), (540, 1500)), Swiped(SystemKey.HOME)),
        (swipe((540, 2390), (540, 1500), held_ms=400), Swiped(SystemKey.RECENT)),
        (swipe((5, 1200), (400, 1230)), Swiped(SystemKey.BACK)),
        (swipe((1075, 1200), (700, 1230)), Swiped(SystemKey.BACK)),
        (swipe((540, 2390), (540, 2330)), OnScreen()),
        (swipe((200, 2390), (900, 2200)), OnScreen()),
        (swipe((5, 1200), (30, 1200)), OnScreen()),
        (swipe((5, 1200), (300, 1700)), OnScreen()),
        (swipe((1075, 1200), (1078, 700)), OnScreen()),
        (swipe((300, 1200), (900, 1200)), OnScreen()),
        (tap(540, 2390), OnScreen()),
    ],
)
def test_swipes_from_the_edges_navigate(stroke: TouchStroke, expected: object) -> None:
    assert meaning(stroke, gestures, TOUCH, RULES) == expected


def test_finger_at_rest_counts_as_held() -> None:
    still = TouchStroke((TouchSample(Pixel(540, 2390), 0), TouchSample(Pixel(540, 2200), 1)), 500_000)
    assert meaning(still, gestures, TOUCH, RULES) == Swiped(SystemKey.RECENT)


def in_front(package: str, activity: str) -> ScreenAreas:
    return ScreenAreas(PHONE, Rotation.R0, None, None, Navigation.GESTURES, package, activity)


APP = in_front("com.example.shop", ".Main")
LAUNCHER = in_front("com.google.android.apps.nexuslauncher", ".NexusLauncherActivity")
RECENTS = in_front("com.android.launcher3", "com.android.quickstep.RecentsActivity")
HOME_SCREEN, OVERVIEW = replace(LAUNCHER, overview=False), replace(LAUNCHER, overview=True)


@pytest.mark.parametrize(
    ("looks_like", "after", "key"),
    [
        (SystemKey.HOME, LAUNCHER, SystemKey.HOME),
        (SystemKey.RECENT, LAUNCHER, SystemKey.RECENT),
        (SystemKey.HOME, RECENTS, SystemKey.RECENT),
        (SystemKey.HOME, OVERVIEW, SystemKey.RECENT),
        (SystemKey.RECENT, HOME_SCREEN, SystemKey.HOME),
        (SystemKey.RECENT, RECENTS, SystemKey.RECENT),
        (SystemKey.HOME, APP, None),
        (SystemKey.RECENT, in_front("com.example.mail", ".Inbox"), None),
        (SystemKey.BACK, APP, SystemKey.BACK),
        (SystemKey.BACK, LAUNCHER, SystemKey.BACK),
    ],
)
def test_focus_after_a_swipe_decides_its_key(looks_like: SystemKey, after: ScreenAreas, key: SystemKey | None) -> None:
    assert confirmed(Swiped(looks_like), after) is key


@pytest.mark.parametrize(
    ("key", "before", "after", "is_contradicted"),
    [
        (SystemKey.HOME, APP, LAUNCHER, False),
        (SystemKey.HOME, APP, APP, True),
        (SystemKey.HOME, APP, RECENTS, True),
        (SystemKey.RECENT, APP, RECENTS, False),
        (SystemKey.RECENT, APP, LAUNCHER, False),
        (SystemKey.RECENT, APP, in_front("com.example.mail", ".Inbox"), True),
        (SystemKey.RECENT, RECENTS, APP, False),
        (SystemKey.BACK, APP, LAUNCHER, False),
        (SystemKey.BACK, APP, RECENTS, True),
        (SystemKey.BACK, LAUNCHER, OVERVIEW, False),
        (SystemKey.HOME, APP, OVERVIEW, True),
        (SystemKey.RECENT, APP, OVERVIEW, False),
        (SystemKey.RECENT, APP, HOME_SCREEN, True),
        (SystemKey.RECENT, LAUNCHER, HOME_SCREEN, False),
        (None, APP, in_front("com.example.mail", ".Inbox"), False),
        (None, APP, LAUNCHER, True),
        (None, LAUNCHER, LAUNCHER, False),
        (SystemKey.HOME, APP, in_front("", ""), False),
    ],
)
def test_focus_after_a_tap_on_the_bar_may_contradict_its_button(
    key: SystemKey | None, before: ScreenAreas, after: ScreenAreas, is_contradicted: bool
) -> None:
    assert contradicts(key, before, after) is is_contradicted


@pytest.mark.parametrize(
    ("typing", "before", "after", "is_pressed"),
    [
        (False, APP, LAUNCHER, True),
        (False, APP, APP, False),
        (False, LAUNCHER, APP, True),
        (False, APP, None, True),
        (True, APP, None, False),
        (True, APP, APP, False),
        (True, APP, LAUNCHER, True),
        (True, LAUNCHER, LAUNCHER, False),
    ],
)
def test_tap_right_of_recent_is_judged_by_its_effect(
    typing: bool, before: ScreenAreas, after: ScreenAreas | None, is_pressed: bool
) -> None:
    assert presses_last(before, after, typing=typing) is is_pressed


def test_frame_size_follows_the_rotation() -> None:
    assert ScreenAreas(TABLET, Rotation.R180, None, None).size == TABLET
    assert ScreenAreas(TABLET, Rotation.R270, None, None).size == Size(1600, 2560)
