"""The sheet that asks which app to share a text with."""

from functools import partial

from odyssey_simulator.apps.app import App, Intent
from odyssey_simulator.system.system_ui import SystemUi
from odyssey_simulator.ui.controls import Icon, Text
from odyssey_simulator.ui.layout import Grid, Surface, column, row
from odyssey_simulator.ui.view import Action, Look, View
from odyssey_simulator.ui.widgets import app_icon, bottom_sheet, chip, muted


def share_sheet_view(system: SystemUi, intent: Intent, look: Look) -> View:
    text = column(Text(intent.subject or "Text", 14, 500, lines=1), muted(intent.text, 13, lines=2), gap=2, flex=1)
    preview = row(Icon("text-box-outline", 28, "primary"), text, gap=14, pad=16)
    targets = [_target(app, partial(system.hand_over, app)) for app in system.share_targets(intent)]
    return bottom_sheet(
        Text("Share", 20, 500),
        Surface(preview, color="surface", radius=16),
        row(chip("Copy", icon="content-copy", on_tap=system.copy_shared)),
        Grid(targets, min_cell=76, gap=8),
    )


def _target(app: App, hand_over: Action) -> View:
    name = app.share_label or app.label
    icon, text = app_icon(app.icon, app.color, 52), Text(name, 12, lines=2, align="center")
    return Surface(column(icon, text, gap=6, across="center", pad=(4, 8)), on_tap=hand_over, desc=name, radius=12)
