"""An alarm of the clock, and the page that edits its time, days and label."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from odyssey_simulator.apps.app import App, Page
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Text
from odyssey_simulator.ui.layout import Grid, Surface, column, row
from odyssey_simulator.ui.view import Look, View

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NAMED = {(0, 1, 2, 3, 4): "Every weekday", (5, 6): "Every weekend", tuple(range(7)): "Every day", (): "Once"}


@dataclass(slots=True, eq=False)
class Alarm:
    """A time of day (minutes since midnight), the weekdays (0 is Monday) on which it repeats, and a label."""

    minute_of_day: int
    label: str = ""
    days: tuple[int, ...] = ()
    on: bool = True
    vibrates: bool = True

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> "Alarm":
        hour, _, minute = entry["time"].partition(":")
        return cls(int(hour) * 60 + int(minute), entry["label"], tuple(entry["days"]), on=entry["on"])

    @property
    def time(self) -> str:
        return f"{self.minute_of_day // 60:02}:{self.minute_of_day % 60:02}"

    @property
    def repeat(self) -> str:
        return _NAMED.get(self.days) or ", ".join(_DAYS[day][:3] for day in self.days)


class AlarmPage(Page):
    def __init__(self, app: App, alarms: list[Alarm], alarm: Alarm, *, is_new: bool = False) -> None:
        super().__init__(app)
        self.alarms = alarms
        self.alarm = alarm
        self.is_new = is_new
        self.draft = replace(alarm, on=True)
        self.sets_hour = True

    def build(self, look: Look) -> View:
        draft = self.draft
        actions = [ui.button("Save", self._save, kind="text")]
        if not self.is_new:
            actions.insert(0, ui.icon_button("trash-can-outline", "Delete alarm", self._delete))
        bar = ui.app_bar("New alarm" if self.is_new else "Edit alarm", *actions, on_up=self.close, up_icon="close")
        days = row(*map(self._day, range(7)), along="between")
        vibrate = self.flips("vibrates", of=draft)
        body = ui.scroll_page(
            self._time(),
            self._choices(),
            column(Text(draft.repeat, 14, 500, "primary"), days, gap=10),
            ui.text_box(self.field("label", "Label", of=draft), icon="label-outline"),
            ui.switch_item("Vibrate", checked=draft.vibrates, on_tap=vibrate, icon="vibrate"),
            gap=18,
            pad=(20, 4, 20, 24),
            max_width=520,
        )
        return ui.page_frame(bar, body)

    def _time(self) -> View:
        hour, minute = divmod(self.draft.minute_of_day, 60)
        parts = (self._part(hour, "Hour"), Text(":", 52), self._part(minute, "Minute"))
        return row(*parts, gap=10, along="center")

    def _part(self, value: int, name: str) -> View:
        here = self.sets_hour == (name == "Hour")
        return Surface(
            Text(f"{value:02}", 52, color="on_primary_container" if here else "on_surface"),
            color="primary_container" if here else "surface_high",
            radius=14,
            width=112,
            height=84,
            align="center",
            desc=name,
            selected=here,
            on_tap=self.puts("sets_hour", name == "Hour"),
        )

    def _choices(self) -> View:
        hour, minute = divmod(self.draft.minute_of_day, 60)
        if self.sets_hour:
            return Grid([self._choice(value, value == hour) for value in range(24)], columns=6, gap=6)
        steps = [
            ui.button("1 min", partial(self._set_minute, (minute + step) % 60), kind="outlined", icon=icon, desc=desc)
            for step, icon, desc in ((-1, "minus", "One minute earlier"), (1, "plus", "One minute later"))
        ]
        fives = Grid([self._choice(value, value == minute) for value in range(0, 60, 5)], columns=6, gap=6)
        return column(fives, row(*steps, gap=12, along="center"), gap=12)

    def _choice(self, value: int, here: bool) -> View:
        set_part = partial(self._set_hour if self.sets_hour else self._set_minute, value)
        return Surface(
            Text(f"{value:02}", 16, 500 if here else 400, "on_primary" if here else "on_surface"),
            color="primary" if here else "surface_container",
            radius=20,
            height=40,
            align="center",
            selected=here,
            on_tap=set_part,
        )

    def _day(self, day: int) -> View:
        name, here = _DAYS[day], day in self.draft.days
        letter = Text(name[0], 14, 500, "on_primary" if here else "on_surface_variant")
        turn = partial(self._switch_day, day)
        return ui.disc(letter, 38, "primary" if here else "surface_high", desc=name, selected=here, on_tap=turn)

    def _set_hour(self, hour: int) -> None:
        self.draft.minute_of_day = hour * 60 + self.draft.minute_of_day % 60
        self.sets_hour = False

    def _set_minute(self, minute: int) -> None:
        self.draft.minute_of_day += minute - self.draft.minute_of_day % 60

    def _switch_day(self, day: int) -> None:
        self.draft.days = tuple(sorted(set(self.draft.days) ^ {day}))

    def _save(self) -> None:
        if not self.is_new:
            self.alarms.remove(self.alarm)
        self.alarms.append(self.draft)
        self.system.toast(f"Alarm set for {self.draft.time}")
        self.close()

    def _delete(self) -> None:
        self.alarms.remove(self.alarm)
        self.system.toast("Alarm deleted")
        self.close()
