"""The overview of tasks: a card with a thumbnail for each, to open or dismiss."""

from odyssey_simulator.apps.app import App
from odyssey_simulator.system.bars import STATUS_DP
from odyssey_simulator.system.system_ui import SystemUi
from odyssey_simulator.ui.controls import Icon, Picture, Text
from odyssey_simulator.ui.layout import ScrollView, Surface, column, row
from odyssey_simulator.ui.view import Look, View
from odyssey_simulator.ui.widgets import app_icon, button


def recents_view(system: SystemUi, look: Look) -> View:
    apps = system.recent_apps()
    if not apps:
        empty = (Icon("cards-outline", 48), Text("No recent items", 16, color="on_surface_variant"))
        return column(*empty, gap=12, along="center", across="center")
    low = look.height_dp < 480
    height = max(96, look.height_dp - (122 if low else 166))
    width = height * look.width_dp / (look.height_dp + STATUS_DP)
    cards = [_card(system, app, width, height) for app in apps]
    side = max(16.0, (look.width_dp - width) / 2)
    clear = button("Clear all", system.clear_recents, kind="tonal")
    return column(
        Surface(height=4 if low else 14),
        ScrollView(row(*cards, gap=20, pad=(side, 0, side, 14)), key="recents", sideways=True, desc="Recent apps"),
        Surface(clear, height=48 if low else 64, fill=True, align="center"),
        along="center",
    )


def _card(system: SystemUi, app: App, width: float, height: float) -> View:
    head = row(app_icon(app.icon, app.color, 32), Text(app.label, 15, 500), gap=10, along="center")

    def swiped(direction: str) -> None:
        if direction == "up":
            system.end_task(app)

    card = Surface(
        Picture(system.thumbnail(app).painted, width, height, radius=20),
        on_tap=lambda: system.open_app(app.package),
        on_swipe=swiped,
        desc=app.label,
        radius=20,
        elevation=3,
    )
    return Surface(column(head, card, gap=12), width=width)
