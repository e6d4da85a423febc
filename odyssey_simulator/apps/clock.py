"""Clock: alarms, world clock, timer and stopwatch; all follow the clock of the status bar."""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from odyssey_simulator.apps.alarms import Alarm, AlarmPage
from odyssey_simulator.apps.app import App, Page, System
from odyssey_simulator.apps.cities import DAY, Cities, CityPage
from odyssey_simulator.apps.content import table
from odyssey_simulator.apps.today import TODAY
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Divider, Text, Toggle
from odyssey_simulator.ui.layout import Grid, ScrollView, Spacer, Surface, column, row
from odyssey_simulator.ui.view import Look, View

_TABS = (("alarm", "Alarm"), ("earth", "World clock"), ("timer-sand", "Timer"), ("timer-outline", "Stopwatch"))


@dataclass(slots=True)
class Run:
    """Accumulated running minutes; `since` is the minute of the day of the last start."""

    since: int | None = None
    gone: int = 0

    def minutes(self, now: int) -> int:
        return self.gone + (0 if self.since is None else (now - self.since) % DAY)

    def switch(self, now: int) -> None:
        self.gone, self.since = self.minutes(now), (now if self.since is None else None)


@dataclass(slots=True)
class Countdown:
    seconds: int
    run: Run = field(default_factory=Run)

    def left(self, now: int) -> int:
        return max(0, self.seconds - 60 * self.run.minutes(now))


class Clock(App):
    label = "Clock"
    package = "com.odyssey.clock"
    icon = "clock-outline"
    color = "#5b5bd6"
    category = "General_Tool"

    def __init__(self, system: System) -> None:
        super().__init__(system)
        content = table("clock")
        self.alarms = [Alarm.of(entry) for entry in content["alarm"]]
        self.cities = Cities.of(content)
        self.countdown: Countdown | None = None
        self.stopwatch = Run()
        self.laps: list[int] = []

    @property
    def now(self) -> int:
        hour, _, minute = self.system.clock.partition(":")
        return int(hour) * 60 + int(minute)

    def first_page(self) -> Page:
        return ClockPage(self)


class ClockPage(Page):
    app: Clock
    navigation_color = "surface_container"
    tab = "Alarm"
    digits = ""
    """Of the timer that is typed: hours, minutes and seconds, without leading zeros."""

    def build(self, look: Look) -> View:
        bodies = {"Alarm": self._alarms, "World clock": self._world, "Timer": self._timer, "Stopwatch": self._stopwatch}
        return ui.tabbed(look, bodies[self.tab](look), _TABS, current=self.tab, choose=self.sets("tab"))

    def build_overlay(self, look: Look) -> View | None:
        chosen: Alarm | str = self.chosen
        if isinstance(chosen, str):
            remove = partial(self.app.cities.shown.remove, chosen)
            return self.sheet(chosen, ("trash-can-outline", "Remove city", remove))
        return self.sheet(
            f"Alarm at {chosen.time}",
            ("pencil-outline", "Edit", partial(self._edit, chosen)),
            ("content-duplicate", "Duplicate", lambda: self.app.alarms.append(replace(chosen))),
            ("trash-can-outline", "Delete", partial(self._delete, chosen)),
        )

    # Alarms -----------------------------------------------------------------------------------------------------

    def _alarms(self, look: Look) -> View:
        cards = [self._alarm(alarm) for alarm in sorted(self.app.alarms, key=lambda alarm: alarm.minute_of_day)]
        body: View = ScrollView(Grid(cards, min_cell=300, gap=12, pad=(16, 4, 16, 96)))
        if not cards:
            body = ui.empty_page("alarm-off", "No alarms")
        add = AlarmPage(self.app, self.app.alarms, Alarm(7 * 60), is_new=True)
        return ui.page_frame(ui.app_bar("Alarm"), body, fab=ui.fab("plus", "Add alarm", partial(self.go, add)))

    def _alarm(self, alarm: Alarm) -> View:
        ink = "on_surface" if alarm.on else "outline"
        toggle = Toggle(checked=alarm.on, desc=f"Alarm at {alarm.time}", on_tap=self.flips("on", of=alarm))
        return ui.card(
            Text(alarm.label, 14, 500, ink, lines=1) if alarm.label else Spacer(),
            row(Text(alarm.time, 48, 400 if alarm.on else 300, ink, flex=1), toggle),
            Text(alarm.repeat, 14, color="on_surface_variant" if alarm.on else "outline", lines=1),
            gap=2,
            pad=(20, 14),
            color="primary_container" if alarm.on else "surface_container",
            on_tap=partial(self._edit, alarm),
            on_long_press=partial(self.offer, alarm),
            desc=f"{alarm.label or 'Alarm'}, {alarm.time}",
        )

    def _edit(self, alarm: Alarm) -> None:
        self.go(AlarmPage(self.app, self.app.alarms, alarm))

    def _delete(self, alarm: Alarm) -> None:
        self.app.alarms.remove(alarm)
        self.system.toast("Alarm deleted")

    # World clock -------------------------------------------------------------------------------------------------

    def _world(self, look: Look) -> View:
        cities, now = self.app.cities, self.app.now
        today = ui.muted(f"{TODAY:%A}, {TODAY.day} {TODAY:%B}  ·  {cities.home}", 16)
        here = column(Text(self.system.clock, 64, 300), today, pad=(20, 4, 20, 20))
        add = ui.fab("plus", "Add city", lambda: self.go(CityPage(self.app, cities, now), focus="search"))
        body = ui.scroll_page(here, Divider(), *map(self._city, cities.shown), Spacer(88), key="cities")
        return ui.page_frame(ui.app_bar("World clock"), body, fab=add)

    def _city(self, city: str) -> View:
        cities, now = self.app.cities, self.app.now
        text = column(Text(city, 20, lines=1), ui.muted(cities.difference(city, now)), flex=1)
        line = row(text, Text(cities.time_in(city, now), 36, 300), gap=16, pad=(20, 14))
        choose = partial(self.offer, city)
        return Surface(line, fill=True, desc=city, on_tap=choose, on_long_press=choose)

    # Timer --------------------------------------------------------------------------------------------------------

    def _timer(self, look: Look) -> View:
        body = self._set_up(look) if self.app.countdown is None else self._running(self.app.countdown)
        return ui.page_frame(ui.app_bar("Timer"), body)

    @property
    def _typed(self) -> tuple[str, str, str]:
        padded = self.digits.rjust(6, "0")
        return padded[:2], padded[2:4], padded[4:]

    def _set_up(self, look: Look) -> View:
        low = look.height_dp < 420
        side = min(84, (look.height_dp - (104 if low else 240) - (0 if look.wide else 72)) / 4)
        keys = [
            _key(Text(label, 26), side, on_tap=partial(self._press, label), desc=label)
            for label in (*"123456789", "00", "0")
        ]
        erase = _key(ui.icon_button("backspace-outline", "Delete digit", self._erase), side)
        pad = Surface(Grid([*keys, erase], columns=3, gap=8), width=3 * side + 16)
        shown = "{}h  {}m  {}s".format(*self._typed)
        digits = Text(shown, 36 if low else 40, 300, "primary" if self.digits else "outline", align="center")
        start = ui.button("Start", self._start_timer, icon="play", enabled=bool(self.digits.strip("0")))
        if low:
            left = column(digits, start, gap=16, along="center", across="center", flex=1)
            return row(left, Surface(pad, flex=1, align="center"), across="stretch")
        return column(digits, pad, start, gap=16, along="center", across="center")

    def _press(self, label: str) -> None:
        if self.digits or label.strip("0"):
            self.digits = (self.digits + label)[:6]

    def _erase(self) -> None:
        self.digits = self.digits[:-1]

    def _start_timer(self) -> None:
        hours, minutes, seconds = map(int, self._typed)
        self.app.countdown = Countdown(hours * 3600 + minutes * 60 + seconds, Run(since=self.app.now))
        self.digits = ""

    def _running(self, timer: Countdown) -> View:
        left = timer.left(self.app.now)
        runs = timer.run.since is not None and left > 0
        text = "Time is up" if not left else "Running" if runs else "Paused"
        controls = row(
            ui.button("Delete", self.puts("countdown", None, of=self.app), kind="text"),
            ui.button("Pause" if runs else "Resume", partial(timer.run.switch, self.app.now), enabled=left > 0),
            ui.button("+1:00", self.puts("seconds", timer.seconds + 60, of=timer), kind="tonal"),
            gap=8,
            along="center",
        )
        dial = _dial(_clock_of(left), f"{text}  ·  {_clock_of(timer.seconds)}")
        return column(dial, controls, gap=32, along="center", across="center")

    # Stopwatch ----------------------------------------------------------------------------------------------------

    def _stopwatch(self, look: Look) -> View:
        app = self.app
        gone = app.stopwatch.minutes(app.now) * 60
        runs = app.stopwatch.since is not None
        second = (
            ui.button("Lap", partial(app.laps.append, gone), kind="tonal")
            if runs
            else ui.button("Reset", self._reset, kind="tonal", enabled=gone > 0 or bool(app.laps))
        )
        start = ui.button("Stop" if runs else "Start", partial(app.stopwatch.switch, app.now))
        laps = [
            row(Text(f"Lap {number}", 16), Text(f"{_clock_of(seconds)}.00", 16), along="between", pad=(24, 8))
            for number, seconds in reversed(list(enumerate(app.laps, start=1)))
        ]
        dial = row(_dial(f"{_clock_of(gone)}.00", "Running" if runs else "Stopped"), along="center")
        parts = (dial, row(second, start, gap=12, along="center"), *laps)
        return ui.page_frame(ui.app_bar("Stopwatch"), ui.scroll_page(*parts, gap=16, pad=(0, 8, 0, 16), max_width=480))

    def _reset(self) -> None:
        self.app.stopwatch = Run()
        self.app.laps.clear()


def _key(face: View, side: float, **more: Any) -> View:
    return Surface(face, color="surface_high", radius=side / 2, height=side, align="center", **more)


def _dial(time: str, text: str) -> View:
    face = column(
        Text(time, 46, 300, align="center"),
        Text(text, 14, color="on_surface_variant", align="center"),
        gap=4,
        across="center",
    )
    return ui.disc(face, 264, "", border="primary")


def _clock_of(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60:02}:{rest % 60:02}"
