"""Pickers of days and times: a month as a grid of days, and the dialogs built on it."""

import calendar
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date, time
from functools import partial

from odyssey_simulator.ui.controls import Text
from odyssey_simulator.ui.layout import Grid, Spacer, Surface, column, row
from odyssey_simulator.ui.view import Action, View
from odyssey_simulator.ui.widgets import button, dialog, disc, icon_button

_WEEK = ("M", "T", "W", "T", "F", "S", "S")


def month_after(month: date, step: int) -> date:
    count = month.year * 12 + month.month - 1 + step
    return date(count // 12, count % 12 + 1, 1)


@dataclass(frozen=True, slots=True)
class Days:
    month: date
    chosen: date | None
    today: date
    marked: Collection[date] = ()


def month_head(month: date, turn: Callable[[int], None]) -> View:
    return row(
        icon_button("chevron-left", "Previous month", partial(turn, -1)),
        Text(f"{month:%B %Y}", 16, 500, align="center", flex=1),
        icon_button("chevron-right", "Next month", partial(turn, 1)),
    )


def month_grid(days: Days, choose: Callable[[date], None], *, height: float = 40) -> View:
    """Weeks begin on Monday; each row is `height` dp high."""
    names = [Surface(Text(name, 12, 500, "on_surface_variant"), height=24, align="center") for name in _WEEK]
    first, length = calendar.monthrange(days.month.year, days.month.month)
    before: list[View] = [Spacer() for _ in range(first)]
    cells = [_day(days, days.month.replace(day=number), choose, height) for number in range(1, length + 1)]
    return Grid([*names, *before, *cells], columns=7, gap=0)


def _day(days: Days, day: date, choose: Callable[[date], None], height: float) -> View:
    chosen, today = day == days.chosen, day == days.today
    ink = "on_primary" if chosen else "primary" if today else "on_surface"
    number = Text(str(day.day), 14, 500 if chosen or today else 400, ink)
    border = "primary" if today and not chosen else ""
    face = disc(number, 32, "primary" if chosen else "", border=border)
    dot = Surface(color="primary" if day in days.marked else "", radius=2, width=4, height=4)
    return Surface(
        column(face, dot, gap=1, across="center"),
        height=height,
        align="center",
        on_tap=partial(choose, day),
        desc=f"{day:%A, %B} {day.day}",
        selected=chosen,
    )


def date_dialog(days: Days, *, turn: Callable[[int], None], choose: Callable[[date], None], cancel: Action) -> View:
    return dialog(
        "Choose a date",
        column(month_head(days.month, turn), month_grid(days, choose, height=38), gap=4),
        buttons=(button("Cancel", cancel, kind="text"),),
        gap=8,
    )


def _steps(value: str, name: str, step: Callable[[int], None]) -> View:
    return column(
        icon_button("chevron-up", f"Later {name}", partial(step, 1)),
        Surface(Text(value, 40, 500), color="primary_container", radius=12, width=92, height=76, align="center"),
        icon_button("chevron-down", f"Earlier {name}", partial(step, -1)),
        across="center",
    )


def time_dialog(title: str, value: time, *, change: Callable[[time], None], done: Action) -> View:
    def turn(minutes: int) -> None:
        total = (value.hour * 60 + value.minute + minutes) % (24 * 60)
        change(time(total // 60, total % 60))

    clock = row(
        _steps(f"{value:%H}", "hour", lambda step: turn(60 * step)),
        Text(":", 40, 500),
        _steps(f"{value:%M}", "minute", lambda step: turn(5 * step)),
        gap=8,
        along="center",
    )
    return dialog(title, clock, buttons=(button("OK", done, kind="text"),))
