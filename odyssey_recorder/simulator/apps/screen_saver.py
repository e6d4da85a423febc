"""The screen saver: the time on black, which wanders about and never rests, like a video that plays on."""

from odyssey_recorder.simulator.apps.app import Page
from odyssey_recorder.simulator.ui.controls import Text
from odyssey_recorder.simulator.ui.layout import Column, Row, Spacer, Surface
from odyssey_recorder.simulator.ui.view import Look, View

_STEP_DP = 4
_WIDTH_DP, _HEIGHT_DP = 180, 110


class ScreenSaverPage(Page):
    title = "Screen saver"
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
        time = Row((Spacer(across), Text(self.system.clock, 56, 300, "#c8c8c8")))
        return Surface(Column((Spacer(down), time)), desc="Screen saver", on_tap=self.close)


def _there_and_back(way: int, length: int) -> int:
    length = max(length, 2 * _STEP_DP)
    return length - abs(length - way % (2 * length))
