"""The status bar, and the three-button navigation bar or the handle of gesture navigation."""

from odyssey_simulator.ui.controls import Icon, Text
from odyssey_simulator.ui.layout import Spacer, Surface, row
from odyssey_simulator.ui.view import Action, View

STATUS_DP = 32
NAVIGATION_DP = 48
HANDLE_DP = 24


def status_bar(clock: str, background: str, color: str) -> View:
    signs = [Icon(name, 16, color) for name in ("wifi", "signal-cellular-3", "battery-80")]
    line = row(Text(clock, 14, 500, color), Spacer(flex=1), *signs, gap=4, pad=(20, 0, 18, 0))
    return Surface(line, color=background, height=STATUS_DP, fill=True)


_BUTTONS = (
    ("Back", "menu-left", 40, "back"),
    ("Home", "circle", 17, "home"),
    ("Overview", "square-rounded", 17, "recent"),
)


def navigation_bar(presses: dict[str, Action], background: str, color: str) -> View:
    buttons = [
        Surface(
            Icon(icon, size, color),
            width=96,
            height=NAVIGATION_DP,
            align="center",
            desc=name,
            id=f"com.android.systemui:id/{id_}",
            on_tap=presses[name],
        )
        for name, icon, size, id_ in _BUTTONS
    ]
    return Surface(row(*buttons, along="center", gap=12), color=background, height=NAVIGATION_DP, fill=True)


def gesture_handle(background: str, color: str) -> View:
    line = Surface(color=color, width=108, height=4, radius=2)
    return Surface(line, color=background, height=HANDLE_DP, fill=True, align="center")
