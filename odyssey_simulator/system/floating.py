"""Views that float over a page: the scrim behind a sheet, the selection toolbar, toasts."""

from dataclasses import dataclass
from typing import ClassVar

from odyssey_simulator.system.text_entry import TextEntry
from odyssey_simulator.ui.controls import Text
from odyssey_simulator.ui.draw import Canvas
from odyssey_simulator.ui.layout import Surface, row
from odyssey_simulator.ui.view import Action, Limits, Look, View, ViewBox


@dataclass(frozen=True, slots=True, eq=False)
class Scrim(View):
    ALPHA: ClassVar[float] = 0.42

    def layout(self, look: Look, limits: Limits) -> ViewBox:
        return ViewBox(self, look, limits.max_width, limits.max_height)

    def paint(self, box: ViewBox, canvas: Canvas) -> None:
        canvas.fill(box.rect, (0, 0, 0), alpha=self.ALPHA)


def toast(text: str) -> View:
    return Surface(
        Text(text, 14, color="inverse_on_surface", lines=2),
        color="inverse_surface",
        radius=8,
        pad=(16, 14),
        max_width=480,
    )


def stylus_card(entry: TextEntry) -> View:
    text = Text("Try out your stylus", 20, lines=2, on_tap=entry.decline_stylus)
    return Surface(text, color="surface_container", radius=28, pad=(24, 40), max_width=480)


def text_toolbar(entry: TextEntry) -> View:
    draft, field = entry.draft, entry.field
    marked, editable = bool(draft and draft.selected), bool(field and not field.read_only)
    more = bool(draft and len(draft.selected) < len(draft.text))
    offers: tuple[tuple[str, Action, bool], ...] = (
        ("Cut", entry.cut, marked and editable),
        ("Copy", entry.copy, marked),
        ("Paste", entry.paste, editable and bool(entry.clip.text)),
        ("Select all", entry.select_all, more),
    )
    cells = [
        Surface(Text(label, 14, 500), pad=(14, 0), height=44, align="center", on_tap=action)
        for label, action, is_possible in offers
        if is_possible
    ]
    return Surface(row(*cells, pad=(4, 0)), color="surface_container", radius=22, elevation=3)
