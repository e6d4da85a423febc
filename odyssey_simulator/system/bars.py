"""The status bar, and the navigation bar of a phone, the taskbar of a tablet, or the handle of gesture navigation.

Layouts and ids are those of SystemUI's navigation bar and of the taskbar of Android's launcher.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from odyssey_simulator.system.display import Display
from odyssey_simulator.ui.controls import Icon, Text
from odyssey_simulator.ui.layout import Place, Spacer, Stack, Surface, row
from odyssey_simulator.ui.view import Action, View, ViewBox

STATUS_DP = 32
NAVIGATION_DP = 48
TASKBAR_DP = 60
HANDLE_DP = 24
_KEY_DP, _LARGE_KEY_DP = 70, 128
_TASKBAR_KEY_DP, _TASKBAR_GAP_DP = 44, 24


def status_bar(clock: str, background: str, color: str) -> View:
    signs = [Icon(name, 16, color) for name in ("wifi", "signal-cellular-3", "battery-80")]
    line = row(Text(clock, 14, 500, color), Spacer(flex=1), *signs, gap=4, pad=(20, 0, 18, 0))
    return Surface(line, color=background, height=STATUS_DP, fill=True)


@dataclass(frozen=True, slots=True)
class Buttons:
    """What the buttons do; `choose_ime` is None while there is no switcher of input methods.

    `background` and `ink` are colours. A language that is written from right to left has the whole bar `mirrored`.
    """

    presses: Mapping[str, Action]
    choose_ime: Action | None
    background: str
    ink: str
    mirrored: bool = False

    def line(self, views: Sequence[View], *, gap: float = 0) -> View:
        return row(*(reversed(views) if self.mirrored else views), gap=gap)

    def end(self, view: View, pad: float) -> View:
        """At the end of the bar, `pad` dp from it."""
        return Place(view, "start", pad=(pad, 0, 0, 0)) if self.mirrored else Place(view, "end", pad=(0, 0, pad, 0))


_ICONS = {"Back": ("menu-left", 40), "Home": ("circle", 17), "Overview": ("square-rounded", 17)}
_PHONE, _TASKBAR = "com.android.systemui:id/", "com.android.launcher3:id/"
_PHONE_IDS = {"Back": f"{_PHONE}back", "Home": f"{_PHONE}home_button", "Overview": f"{_PHONE}recent_apps"}
_TASKBAR_IDS = {"Back": f"{_TASKBAR}back", "Home": f"{_TASKBAR}home", "Overview": f"{_TASKBAR}recent_apps"}
_PHONE_IME, _TASKBAR_IME = f"{_PHONE}ime_switcher", f"{_TASKBAR}ime_switcher"
_NEAREST = {*_PHONE_IDS.values(), _PHONE_IME}, {*_TASKBAR_IDS.values()}


def navigation_bar(buttons: Buttons, *, is_large: bool) -> View:
    """Its five cells have the weights 0.5, 1, 1, 1 and 0.5; the last shows the switcher.

    On a large screen, before there were taskbars, the buttons are side by side in the middle.
    """
    width = _LARGE_KEY_DP if is_large else _KEY_DP
    keys = [_key(name, press, _PHONE_IDS[name], buttons.ink, width) for name, press in buttons.presses.items()]
    if is_large:
        line = buttons.line([Spacer(flex=1), *keys, _switcher(buttons, _PHONE_IME, flex=1)])
        return Surface(line, color=buttons.background, height=NAVIGATION_DP, fill=True)
    cells = [Surface(key, height=NAVIGATION_DP, align="center", flex=1) for key in keys]
    switcher = _switcher(buttons, _PHONE_IME, flex=0.5)
    line = buttons.line([Spacer(flex=0.5), *cells, switcher])
    return Surface(line, color=buttons.background, height=NAVIGATION_DP, fill=True)


def taskbar(buttons: Buttons, apps: Sequence[View], display: Display) -> View:
    """With the switcher at its start, apps in its middle, and the buttons at its end."""
    keys = [
        _key(name, press, _TASKBAR_IDS[name], buttons.ink, _TASKBAR_KEY_DP) for name, press in buttons.presses.items()
    ]
    return Stack(
        (
            Surface(color=buttons.background, fill=True, height=TASKBAR_DP),
            Place(_switcher(buttons, _TASKBAR_IME, width=48), "end" if buttons.mirrored else "start", pad=(24, 0)),
            Place(row(*apps, gap=12), "center"),
            buttons.end(buttons.line(keys, gap=_TASKBAR_GAP_DP), _end_margin_dp(display)),
        )
    )


def gesture_handle(background: str, color: str) -> View:
    line = Surface(color=color, width=108, height=4, radius=2)
    return Surface(line, color=background, height=HANDLE_DP, fill=True, align="center")


def nearest_key(bar: ViewBox, x: float, *, is_large: bool) -> ViewBox | None:
    """The button that gets a touch between two buttons; on a phone's bar also one before the first or after the last.

    On a phone the input method switcher is one of them. On a large screen without a taskbar there is none.
    """
    boxes = [box for box in bar.walk() if box.view.id in _NEAREST[is_large]]
    is_between = any(box.rect.left <= x for box in boxes) and any(x < box.rect.right for box in boxes)
    if not boxes or (is_large and not is_between):
        return None
    return min(boxes, key=lambda box: max(box.rect.left - x, x - box.rect.right))


def _key(name: str, press: Action, id_: str, color: str, width: float) -> View:
    icon, size = _ICONS[name]
    return Surface(
        Icon(icon, size, color), width=width, height=NAVIGATION_DP, align="center", desc=name, id=id_, on_tap=press
    )


def _switcher(buttons: Buttons, id_: str, *, width: float | None = None, flex: float = 0) -> View:
    if buttons.choose_ime is None:
        return Spacer(flex=flex)
    return Surface(
        Icon("menu-down", 24, buttons.ink),
        width=width,
        height=NAVIGATION_DP,
        align="center",
        desc="Switch input method",
        id=id_,
        on_tap=buttons.choose_ime,
        flex=flex,
    )


def _end_margin_dp(display: Display) -> float:
    """Of the launcher's grid for foldables, and of that for tablets."""
    if display.profile.postures:
        return 88 if display.is_wide else 48
    return 219.6 if display.is_wide else 75
