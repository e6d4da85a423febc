"""The search for a system update: a spinner turns for two seconds, then the page is at rest."""

from odyssey_recorder.simulator.apps.app import App, Page
from odyssey_recorder.simulator.ui.controls import Icon, Text
from odyssey_recorder.simulator.ui.layout import Column
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import app_bar, button, page_frame

_BEAT_S, _BEATS = 0.1, 20
_SLICES = 8


class SystemUpdatePage(Page):
    title = "System update"

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
                button("Check for update", self._search),
            )
        body = Column(parts, gap=20, along="center", across="center")
        return page_frame(app_bar(self.title, on_up=self.close), body)

    def _search(self) -> None:
        self.left, self.beat_s = _BEATS, _BEAT_S
