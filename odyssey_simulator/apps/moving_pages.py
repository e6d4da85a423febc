"""Pages that change by themselves: the screen saver, and the search for a system update."""

from odyssey_simulator.apps.app import App, Page
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Icon, Text
from odyssey_simulator.ui.layout import Spacer, Surface, column, row
from odyssey_simulator.ui.view import Look, View

_STEP_DP = 4
_WIDTH_DP, _HEIGHT_DP = 180, 110


class ScreenSaverPage(Page):
    background = "#000000"
    status_color = "#000000"
    navigation_color = "#000000"
    bar_color = "#ffffff"
    beat_s = 0.1
    way_dp = 0

    def beat(self) -> None:
        self.way_dp += _STEP_DP

    def build(self, look: Look) -> View:
        across = _there_and_back(self.way_dp, look.width_dp - _WIDTH_DP)
        down = _there_and_back(self.way_dp, look.height_dp - _HEIGHT_DP)
        time = row(Spacer(across), Text(self.system.clock, 56, 300, "#c8c8c8"))
        return Surface(column(Spacer(down), time), desc="Screen saver", on_tap=self.close)


def _there_and_back(way: int, length: int) -> int:
    length = max(length, 2 * _STEP_DP)
    return length - abs(length - way % (2 * length))


_BEAT_S, _BEATS = 0.1, 20
_SLICES = 8


class SystemUpdatePage(Page):
    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._search()

    def beat(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.beat_s = 0.0

    def build(self, look: Look) -> View:
        if self.left:
            parts: tuple[View, ...] = (
                Icon(f"circle-slice-{1 + (_BEATS - self.left) % _SLICES}", 64, "primary"),
                Text("Checking for update", 18),
            )
        else:
            parts = (
                Icon("check-circle-outline", 64, "primary"),
                Text("Your system is up to date", 18),
                ui.button("Check for update", self._search),
            )
        body = column(*parts, gap=20, along="center", across="center")
        return ui.page_frame(ui.app_bar("System update", on_up=self.close), body)

    def _search(self) -> None:
        self.left, self.beat_s = _BEATS, _BEAT_S
