from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.gesture.areas import (
    KeyStroke,
    Navigation,
    NavigationRules,
    OnScreen,
    Pressed,
    ScreenAreas,
    Swiped,
    button,
    confirmed,
    meaning,
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


@pytest.mark.parametrize(
    ("bar", "dpi", "back", "home", "recent"),
    [
        pytest.param(Box(0, 954, 2400, 1080), 420, 300, 1200, 2100, id="landscape"),
        pytest.param(Box(0, 1504, 2560, 1600), 320, 1280 - 216, 1280 + 90, 1280 + 216, id="tablet"),
    ],
)
def test_buttons_on_a_wide_bar_keep_their_size(bar: Box, dpi: int, back: int, home: int, recent: int) -> None:
    rules = NavigationRules.for_density(dpi)
    keys = [button(Pixel(at, bar.bottom - 50), bar, rules) for at in (back, home, recent)]
    assert keys == [SystemKey.BACK, SystemKey.HOME, SystemKey.RECENT]


@given(st.integers(0, 1079), st.booleans())
def test_bar_on_the_side_has_the_same_buttons(along: int, on_the_right: bool) -> None:
    side = Box(2274, 0, 2400, 1080) if on_the_right else Box(0, 0, 126, 1080)
    turned = Pixel(2300, 1080 - along) if on_the_right else Pixel(60, along)
    assert button(turned, side, RULES) is button(Pixel(along, 2300), BAR, RULES)


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
    assert stroke.enters is enters


def test_enter_key_is_above_the_navigation_bar() -> None:
    swiping = replace(typing, navigation=Navigation.GESTURES)
    assert meaning(tap(1000, 2060), swiping, TOUCH, RULES) == KeyStroke(True, ENTER)
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


@pytest.mark.parametrize(
    ("looks_like", "after", "key"),
    [
        (SystemKey.HOME, LAUNCHER, SystemKey.HOME),
        (SystemKey.RECENT, LAUNCHER, SystemKey.RECENT),
        (SystemKey.HOME, RECENTS, SystemKey.RECENT),
        (SystemKey.RECENT, RECENTS, SystemKey.RECENT),
        (SystemKey.HOME, APP, None),
        (SystemKey.RECENT, in_front("com.example.mail", ".Inbox"), None),
        (SystemKey.BACK, APP, SystemKey.BACK),
        (SystemKey.BACK, LAUNCHER, SystemKey.BACK),
    ],
)
def test_focus_after_a_swipe_decides_its_key(looks_like: SystemKey, after: ScreenAreas, key: SystemKey | None) -> None:
    assert confirmed(Swiped(looks_like), after) is key


def test_frame_size_follows_the_rotation() -> None:
    assert ScreenAreas(TABLET, Rotation.R180, None, None).size == TABLET
    assert ScreenAreas(TABLET, Rotation.R270, None, None).size == Size(1600, 2560)
