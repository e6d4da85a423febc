"""The date on the simulated emulator, which never changes, and how apps name and pick days."""

from collections.abc import Callable
from datetime import date

from odyssey_simulator.apps.app import Page
from odyssey_simulator.ui.pickers import Days, date_dialog, month_after
from odyssey_simulator.ui.view import Action, View

TODAY = date(2026, 11, 21)


def day_name(day: date) -> str:
    """ "Today", "Tomorrow", "Mon, Nov 23"."""
    names = {0: "Today", 1: "Tomorrow", -1: "Yesterday"}
    return names.get((day - TODAY).days, f"{day:%a, %b} {day.day}")


class DatedPage(Page):
    month = TODAY.replace(day=1)

    def date_question(self, chosen: date | None, *, choose: Callable[[date], None], cancel: Action) -> View:
        return date_dialog(Days(self.month, chosen, TODAY), turn=self.turn_month, choose=choose, cancel=cancel)

    def turn_month(self, step: int) -> None:
        self.month = month_after(self.month, step)
