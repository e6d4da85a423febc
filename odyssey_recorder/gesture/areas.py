"""The meaning of a touch on the emulator's own screen by its place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import takewhile

from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.gesture.typed_keys import ENTER, UNKNOWN, Key, soft_key
from odyssey_recorder.model.action import Click, SystemKey
from odyssey_recorder.model.geometry import Box, Pixel, Rotation, Size

HELD_US = 200_000
"""A swipe up from the bottom that pauses this long before lifting opens Recents."""

LARGE_DP = 600
"""The smallest width from which Android's launcher shows a taskbar."""

_RIGHT_TO_LEFT = {"ar", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi"}
_RIGHT_TO_LEFT_SCRIPTS = {"Arab", "Hebr"}


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
    `buttons` are the navigation buttons as the device reported them, empty if it did not. `folds`: it is a foldable.
    `has_taskbar`: Android shows one on large screens, as from 12L on. `right_to_left`: its language is written so,
    and computed buttons are mirrored. `overview`: whether the launcher shows the recent apps; None if its views do not
    tell. Its home screen is the same activity, unless another launcher is the home app.
    """

    panel: Size
    rotation: Rotation
    navigation_bar: Box | None
    keyboard: Box | None
    navigation: Navigation = Navigation.BUTTONS
    package: str = ""
    activity: str = ""
    glass: Size | None = None
    buttons: Mapping[SystemKey, Box] = field(default_factory=dict)
    folds: bool = False
    has_taskbar: bool = True
    right_to_left: bool = False
    error_dialog: str = ""
    overview: bool | None = None

    @property
    def shows_launcher(self) -> bool:
        return "launcher" in self.package.lower()

    @property
    def shows_recents(self) -> bool:
        return self.overview or "recents" in self.activity.lower()

    @property
    def size(self) -> Size:
        return self.panel.turned() if self.rotation in {Rotation.R90, Rotation.R270} else self.panel


@dataclass(frozen=True, slots=True)
class NavigationRules:
    """The dimensions of Android's own navigation on a screen of `dpi` dots per inch.

    A swipe navigates if it starts within `bottom_px` or `side_px` of an edge and travels `travel_px`.
    """

    dpi: int
    bottom_px: int
    side_px: int
    travel_px: int

    @classmethod
    def for_density(cls, dpi: int) -> "NavigationRules":
        return cls(dpi, bottom_px=32 * dpi // 160, side_px=30 * dpi // 160, travel_px=40 * dpi // 160)

    def px(self, dp: float) -> int:
        return round(dp * self.dpi / 160)


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button of the navigation bar.

    `beside`: the touch was beyond RECENT, the last button. It presses that one unless another one is shown there, such
    as the switcher of keyboards; `presses_last` decides.
    """

    key: SystemKey
    beside: bool = False


@dataclass(frozen=True, slots=True)
class BesideButtons:
    """A tap on the bar, but on no button of it: on an app of a taskbar, or on nothing."""


@dataclass(frozen=True, slots=True)
class Swiped:
    """A swipe that may navigate; `confirmed` decides by what has the focus afterwards."""

    looks_like: SystemKey


@dataclass(frozen=True, slots=True)
class KeyStroke:
    key: Key = UNKNOWN


@dataclass(frozen=True, slots=True)
class OnScreen:
    pass


Meaning = Pressed | BesideButtons | Swiped | KeyStroke | OnScreen


def meaning(stroke: TouchStroke, areas: ScreenAreas, touch: TouchRules, navigation: NavigationRules) -> Meaning:
    bar = areas.navigation_bar
    if areas.navigation is Navigation.GESTURES:
        key = _swiped(stroke, areas.size, touch, navigation)
        if key is not None:
            return Swiped(key)
    elif bar is not None and stroke.start in bar and isinstance(recognize(stroke, touch, areas.size), Click):
        return button(stroke.start, bar, areas, navigation)
    if areas.keyboard is not None and stroke.start in areas.keyboard:
        return _key_stroke(stroke, areas.keyboard, areas, touch)
    return OnScreen()


def button(at: Pixel, bar: Box, areas: ScreenAreas, rules: NavigationRules) -> Pressed | BesideButtons:
    """A touch between two buttons presses the nearest.

    On the bar of a phone that also holds for touches before the first and after the last (NearestTouchFrame).
    """
    is_upright = bar.right - bar.left < bar.bottom - bar.top
    is_large = min(areas.panel.width, areas.panel.height) * 160 >= LARGE_DP * rules.dpi
    computed = _phone_buttons if not is_large else _taskbar_buttons if areas.has_taskbar else _tablet_buttons
    boxes = areas.buttons or computed(bar, areas, rules)
    if areas.right_to_left and not areas.buttons:
        boxes = {key: _mirrored(box, bar, is_upright=is_upright) for key, box in boxes.items()}
    spans = {key: (box.top, box.bottom) if is_upright else (box.left, box.right) for key, box in boxes.items()}
    place = at.y if is_upright else at.x
    nearest = min(spans, key=lambda key: max(spans[key][0] - place, place - (spans[key][1] - 1)))
    if any(start <= place for start, _ in spans.values()) and any(place < end for _, end in spans.values()):
        return Pressed(nearest)
    return BesideButtons() if is_large else Pressed(nearest, beside=nearest is SystemKey.RECENT)


def is_right_to_left(locales: str) -> bool:
    """Whether the first of Android's `system_locales`, such as "ar-EG,en-US", is written from right to left."""
    language, *rest = locales.partition(",")[0].split("-")
    return language in _RIGHT_TO_LEFT or not _RIGHT_TO_LEFT_SCRIPTS.isdisjoint(rest)


def _mirrored(box: Box, bar: Box, *, is_upright: bool) -> Box:
    if is_upright:
        return Box(box.left, bar.top + bar.bottom - box.bottom, box.right, bar.top + bar.bottom - box.top)
    return Box(bar.left + bar.right - box.right, box.top, bar.left + bar.right - box.left, box.bottom)


def _taskbar_buttons(bar: Box, areas: ScreenAreas, rules: NavigationRules) -> Mapping[SystemKey, Box]:
    """As in the sources of Android's launcher, at the end of the bar; foldables have another grid than tablets."""
    is_wide = areas.size.width > areas.size.height
    tablet_dp, foldable_dp = (219.6, 88.0) if is_wide else (75.0, 48.0)
    margin_dp = foldable_dp if areas.folds else tablet_dp
    ends = {SystemKey.BACK: margin_dp + 136, SystemKey.HOME: margin_dp + 68, SystemKey.RECENT: margin_dp}
    return {
        key: Box(bar.right - rules.px(end_dp + 44), bar.top, bar.right - rules.px(end_dp), bar.bottom)
        for key, end_dp in ends.items()
    }


def _tablet_buttons(bar: Box, _: ScreenAreas, rules: NavigationRules) -> Mapping[SystemKey, Box]:
    """As in the sources of SystemUI before there was a taskbar: 128 dp long each, in the middle of the bar."""
    half, middle = rules.px(64), (bar.left + bar.right) // 2
    places = {SystemKey.BACK: middle - 2 * half, SystemKey.HOME: middle, SystemKey.RECENT: middle + 2 * half}
    return {key: Box(at - half, bar.top, at + half, bar.bottom) for key, at in places.items()}


def _phone_buttons(bar: Box, _: ScreenAreas, rules: NavigationRules) -> Mapping[SystemKey, Box]:
    """As in the sources of SystemUI: 70 dp long, at a quarter, half and three quarters of the bar.

    A bar at the bottom has BACK on the left. A bar at the side is rotated with the device: on the right, BACK is at
    its bottom; on the left, at its top.
    """
    half, keys = rules.px(35), (SystemKey.BACK, SystemKey.HOME, SystemKey.RECENT)
    if (length := bar.right - bar.left) >= bar.bottom - bar.top:
        middles = [bar.left + length * quarters // 4 for quarters in (1, 2, 3)]
        return {key: Box(at - half, bar.top, at + half, bar.bottom) for key, at in zip(keys, middles, strict=True)}
    middles = [bar.top + (bar.bottom - bar.top) * quarters // 4 for quarters in (1, 2, 3)]
    ordered = middles if bar.left == 0 else middles[::-1]
    return {key: Box(bar.left, at - half, bar.right, at + half) for key, at in zip(keys, ordered, strict=True)}


def presses_last(before: ScreenAreas | None, after: ScreenAreas | None, *, typing: bool) -> bool:
    """Whether a tap `beside` RECENT pressed it, by what it led to: None if that is unknown.

    While a text is typed, the switcher of keyboards is there.
    """
    was_launcher = before is not None and before.shows_launcher
    if after is None:
        return not typing
    return (after.shows_launcher and not was_launcher) if typing else (after.shows_launcher or was_launcher)


def contradicts(key: SystemKey | None, before: ScreenAreas | None, after: ScreenAreas) -> bool:
    """Whether what has the focus after a tap on the bar shows another button than this one, or one if it is None.

    HOME leads to the launcher, and so does RECENT unless it closes the recent apps; BACK leads anywhere but to these.
    """
    if not after.package or before is None:
        return False
    match key:
        case SystemKey.HOME:
            return not after.shows_launcher or after.shows_recents
        case SystemKey.RECENT:
            is_elsewhere = not after.shows_launcher or (after.overview is False and not after.shows_recents)
            return is_elsewhere and not before.shows_launcher
        case SystemKey.BACK:
            return after.shows_recents and not before.shows_launcher
        case None:
            return after.shows_launcher and not before.shows_launcher


def confirmed(swiped: Swiped, after: ScreenAreas) -> SystemKey | None:
    """The key that a swipe was, by what has the focus after it; None if it was none.

    BACK leaves no reliable trace and is always believed. HOME and RECENT both show the launcher: its home screen or the
    recent apps, or if that is unknown, what it looked like. If an app stays in front it was no key.
    """
    if swiped.looks_like is SystemKey.BACK:
        return SystemKey.BACK
    if after.shows_recents:
        return SystemKey.RECENT
    if not after.shows_launcher:
        return None
    return SystemKey.HOME if after.overview is False else swiped.looks_like


def _key_stroke(stroke: TouchStroke, keyboard: Box, areas: ScreenAreas, touch: TouchRules) -> KeyStroke:
    """With gesture navigation there is a strip below the keyboard's last row."""
    last_row = ENTER_TOP[areas.navigation]
    across = (stroke.start.x - keyboard.left) / (keyboard.right - keyboard.left)
    down = (stroke.start.y - keyboard.top) / (keyboard.bottom - keyboard.top)
    if across >= ENTER_LEFT and down >= last_row:
        return KeyStroke(ENTER)
    is_tap = isinstance(recognize(stroke, touch, areas.size), Click)
    return KeyStroke(soft_key(across, is_last_row=down >= last_row) if is_tap else UNKNOWN)


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
