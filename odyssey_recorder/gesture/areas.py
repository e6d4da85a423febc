"""The meaning of a touch on the emulator's own screen by its place."""

from dataclasses import dataclass
from enum import Enum
from itertools import takewhile

from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.gesture.typed_keys import ENTER, UNKNOWN, Key, soft_key
from odyssey_recorder.model.action import Click, SystemKey
from odyssey_recorder.model.geometry import Box, Pixel, Rotation, Size

HELD_US = 200_000
"""A swipe up from the bottom that pauses this long before lifting opens Recents."""


class Navigation(Enum):
    """The values of `secure` `navigation_mode` are 0 and 2."""

    BUTTONS = "buttons"
    GESTURES = "gestures"


ENTER_LEFT = 0.8
ENTER_TOP = {Navigation.BUTTONS: 0.79, Navigation.GESTURES: 0.66}
"""Where the Enter key begins, as shares of a soft keyboard's width and height."""


@dataclass(frozen=True, slots=True)
class ScreenAreas:
    """`panel` is the frame's size in natural orientation; `glass` the physical panel's, None if it is the same.

    The boxes are on the frame, None while hidden. `package` and `activity` are empty if nothing has the focus.
    """

    panel: Size
    rotation: Rotation
    navigation_bar: Box | None
    keyboard: Box | None
    navigation: Navigation = Navigation.BUTTONS
    package: str = ""
    activity: str = ""
    glass: Size | None = None

    @property
    def size(self) -> Size:
        return self.panel.turned() if self.rotation in {Rotation.R90, Rotation.R270} else self.panel


@dataclass(frozen=True, slots=True)
class NavigationRules:
    """The dimensions of Android's own navigation.

    HOME extends `home_px` to either side of the bar's middle, and the other buttons take the rest, however wide the
    bar is. A swipe navigates if it starts within `bottom_px` or `side_px` of an edge and travels `travel_px`.
    """

    home_px: int
    bottom_px: int
    side_px: int
    travel_px: int

    @classmethod
    def for_density(cls, dpi: int) -> "NavigationRules":
        return cls(
            home_px=54 * dpi // 160, bottom_px=32 * dpi // 160, side_px=30 * dpi // 160, travel_px=40 * dpi // 160
        )


@dataclass(frozen=True, slots=True)
class Pressed:
    key: SystemKey


@dataclass(frozen=True, slots=True)
class Swiped:
    """A swipe that may navigate; `confirmed` decides by what has the focus afterwards."""

    looks_like: SystemKey


@dataclass(frozen=True, slots=True)
class KeyStroke:
    enters: bool = False
    key: Key = UNKNOWN


@dataclass(frozen=True, slots=True)
class OnScreen:
    pass


Meaning = Pressed | Swiped | KeyStroke | OnScreen


def meaning(stroke: TouchStroke, areas: ScreenAreas, touch: TouchRules, navigation: NavigationRules) -> Meaning:
    bar = areas.navigation_bar
    if areas.navigation is Navigation.GESTURES:
        key = _swiped(stroke, areas.size, touch, navigation)
        if key is not None:
            return Swiped(key)
    elif bar is not None and stroke.start in bar and isinstance(recognize(stroke, touch, areas.size), Click):
        return Pressed(button(stroke.start, bar, navigation))
    if areas.keyboard is not None and stroke.start in areas.keyboard:
        return _key_stroke(stroke, areas.keyboard, areas, touch)
    return OnScreen()


def button(at: Pixel, bar: Box, navigation: NavigationRules) -> SystemKey:
    """A bar at the bottom has BACK on the left.

    A bar at the side is rotated with the device: on the right, BACK is at its bottom; on the left, at its top.
    """
    off_middle = 2 * at.x - bar.left - bar.right
    if bar.right - bar.left < bar.bottom - bar.top:
        off_middle = 2 * at.y - bar.top - bar.bottom
        off_middle = off_middle if bar.left == 0 else -off_middle
    if abs(off_middle) < 2 * navigation.home_px:
        return SystemKey.HOME
    return SystemKey.BACK if off_middle < 0 else SystemKey.RECENT


def confirmed(swiped: Swiped, after: ScreenAreas) -> SystemKey | None:
    """The key that a swipe was, by what has the focus after it; None if it was none.

    BACK leaves no reliable trace and is always believed. HOME and RECENT both show the launcher: if its activity is
    the recents one it was RECENT, otherwise what it looked like. If an app stays in front it was no key.
    """
    if swiped.looks_like is SystemKey.BACK:
        return SystemKey.BACK
    if "recents" in after.activity.lower():
        return SystemKey.RECENT
    return swiped.looks_like if "launcher" in after.package.lower() else None


def _key_stroke(stroke: TouchStroke, keyboard: Box, areas: ScreenAreas, touch: TouchRules) -> KeyStroke:
    if _enters(stroke.start, keyboard, areas.navigation):
        return KeyStroke(True, ENTER)
    is_tap = isinstance(recognize(stroke, touch, areas.size), Click)
    return KeyStroke(key=soft_key(stroke.start, keyboard, ENTER_TOP[areas.navigation]) if is_tap else UNKNOWN)


def _enters(at: Pixel, keyboard: Box, navigation: Navigation) -> bool:
    """With gesture navigation there is a strip below the keyboard's last row."""
    top = ENTER_TOP[navigation]
    across = (at.x - keyboard.left) / (keyboard.right - keyboard.left)
    return across >= ENTER_LEFT and (at.y - keyboard.top) / (keyboard.bottom - keyboard.top) >= top


def _swiped(stroke: TouchStroke, size: Size, touch: TouchRules, rules: NavigationRules) -> SystemKey | None:
    start, end = stroke.start, stroke.end
    across, up = end.x - start.x, start.y - end.y
    if start.y >= size.height - rules.bottom_px:
        if up < rules.travel_px or up < abs(across):
            return None
        return SystemKey.RECENT if _held_us(stroke, touch) >= HELD_US else SystemKey.HOME
    inwards = across if start.x < rules.side_px else -across if start.x >= size.width - rules.side_px else 0
    return SystemKey.BACK if inwards >= rules.travel_px and inwards > abs(up) else None


def _held_us(stroke: TouchStroke, touch: TouchRules) -> int:
    def stayed(sample: TouchSample) -> bool:
        aside, along = sample.at.x - stroke.end.x, sample.at.y - stroke.end.y
        return aside**2 + along**2 <= touch.touch_slop_px**2

    *_, first = takewhile(stayed, reversed(stroke.samples))
    return stroke.duration_us - first.time_us
