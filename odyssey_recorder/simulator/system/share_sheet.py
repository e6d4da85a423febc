"""The sheet that asks which app to share a text with."""

from odyssey_recorder.simulator.apps.app import App, Intent
from odyssey_recorder.simulator.system.system_ui import SystemUi
from odyssey_recorder.simulator.ui.controls import Icon, Text
from odyssey_recorder.simulator.ui.layout import Column, Grid, Row, Surface
from odyssey_recorder.simulator.ui.view import Action, Look, View
from odyssey_recorder.simulator.ui.widgets import app_icon, bottom_sheet, chip


def share_sheet_view(system: SystemUi, intent: Intent, look: Look) -> View:
    preview = Surface(
        Row(
            (
                Icon("text-box-outline", 28, "primary"),
                Column(
                    (
                        Text(intent.subject or "Text", 14, 500, lines=1),
                        Text(intent.text, 13, color="on_surface_variant", lines=2),
                    ),
                    gap=2,
                    flex=1,
                ),
            ),
            gap=14,
            pad=16,
        ),
        color="surface",
        radius=16,
    )
    targets = [_target(app, system.hands_over(app)) for app in system.takers(intent)]
    return bottom_sheet(
        Text("Share", 20, 500),
        preview,
        Row((chip("Copy", icon="content-copy", on_tap=system.copy_shared),)),
        Grid(targets, min_cell=76, gap=8),
    )


def _target(app: App, hand_over: Action) -> View:
    return Surface(
        Column(
            (app_icon(app.icon, app.color, 52), Text(app.share_label or app.label, 12, lines=2, align="center")),
            gap=6,
            across="center",
            pad=(4, 8),
        ),
        on_tap=hand_over,
        desc=app.share_label or app.label,
        radius=12,
    )
