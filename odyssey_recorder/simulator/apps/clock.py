"""Clock: alarms, world clock, timer and stopwatch; all follow the clock of the status bar."""

from dataclasses import dataclass, field
from functools import partial

from odyssey_recorder.simulator.apps.alarms import Alarm, AlarmPage
from odyssey_recorder.simulator.apps.app import App, Page, System
from odyssey_recorder.simulator.apps.cities import DAY, Cities, CityPage
from odyssey_recorder.simulator.apps.content import table
from odyssey_recorder.simulator.apps.today import TODAY
from odyssey_recorder.simulator.ui.controls import Text, Toggle
from odyssey_recorder.simulator.ui.layout import Column, Grid, Row, Scroll, Spacer, Surface
from odyssey_recorder.simulator.ui.view import Action, Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    bottom_sheet,
    button,
    card,
    divider,
    empty_page,
    fab,
    icon_button,
    list_item,
    page_frame,
    scroll_page,
    tabbed,
)

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
    chosen: Alarm | str = ""

    def build(self, look: Look) -> View:
        bodies = {
            "Alarm": self._alarms,
            "World clock": self._world,
            "Timer": self._timer,
            "Stopwatch": self._stopwatch,
        }
        return tabbed(look, bodies[self.tab](look), _TABS, current=self.tab, choose=self.sets("tab"))

    def build_overlay(self, look: Look) -> View | None:
        chosen = self.chosen
        if isinstance(chosen, Alarm):
            return bottom_sheet(
                Text(f"Alarm at {chosen.time}", 20, 500),
                Column(
                    (
                        list_item("Edit", icon="pencil-outline", on_tap=partial(self._edit, chosen)),
                        list_item("Duplicate", icon="content-duplicate", on_tap=partial(self._duplicate, chosen)),
                        list_item("Delete", icon="trash-can-outline", on_tap=partial(self._delete, chosen)),
                    )
                ),
            )
        remove = list_item("Remove city", icon="trash-can-outline", on_tap=partial(self._remove_city, chosen))
        return bottom_sheet(Text(chosen, 20, 500), remove)

    # Alarms -----------------------------------------------------------------------------------------------------

    def _alarms(self, look: Look) -> View:
        alarms = sorted(self.app.alarms, key=lambda alarm: alarm.minute_of_day)
        body: View = Scroll(Grid([self._alarm(alarm) for alarm in alarms], min_cell=300, gap=12, pad=(16, 4, 16, 96)))
        if not alarms:
            body = empty_page("alarm-off", "No alarms")
        return page_frame(
            app_bar("Alarm"),
            body,
            fab=fab(
                "plus", "Add alarm", lambda: self.go(AlarmPage(self.app, self.app.alarms, Alarm(7 * 60), is_new=True))
            ),
        )

    def _alarm(self, alarm: Alarm) -> View:
        ink = "on_surface" if alarm.on else "outline"
        toggle = Toggle(checked=alarm.on, desc=f"Alarm at {alarm.time}", on_tap=alarm.switch)
        return card(
            Text(alarm.label, 14, 500, ink, lines=1) if alarm.label else Spacer(),
            Row((Text(alarm.time, 48, 400 if alarm.on else 300, ink, flex=1), toggle)),
            Text(alarm.repeat, 14, color="on_surface_variant" if alarm.on else "outline", lines=1),
            gap=2,
            pad=(20, 14),
            color="primary_container" if alarm.on else "surface_container",
            on_tap=partial(self._edit, alarm),
            on_long_press=partial(self._choose, alarm),
            desc=f"{alarm.label or 'Alarm'}, {alarm.time}",
        )

    def _choose(self, chosen: "Alarm | str") -> None:
        self.chosen = chosen
        self.show("more")

    def _edit(self, alarm: Alarm) -> None:
        self.show("")
        self.go(AlarmPage(self.app, self.app.alarms, alarm))

    def _duplicate(self, alarm: Alarm) -> None:
        self.show("")
        self.app.alarms.append(alarm.twin())

    def _delete(self, alarm: Alarm) -> None:
        self.show("")
        self.app.alarms.remove(alarm)
        self.system.toast("Alarm deleted")

    # World clock -------------------------------------------------------------------------------------------------

    def _world(self, look: Look) -> View:
        app = self.app
        here = Column(
            (
                Text(self.system.clock, 64, 300),
                Text(f"{TODAY:%A}, {TODAY.day} {TODAY:%B}  ·  {app.cities.home}", 16, color="on_surface_variant"),
            ),
            pad=(20, 4, 20, 20),
        )
        rows = [self._city(city) for city in app.cities.shown]
        body = scroll_page(here, divider(), *rows, Spacer(88), key="cities")
        return page_frame(app_bar("World clock"), body, fab=fab("plus", "Add city", self._search_city))

    def _city(self, city: str) -> View:
        cities, now = self.app.cities, self.app.now
        difference = Text(cities.difference(city, now), 14, color="on_surface_variant")
        words = Column((Text(city, 20, lines=1), difference), flex=1)
        row = Row((words, Text(cities.time_in(city, now), 36, 300)), gap=16, pad=(20, 14))
        choose = partial(self._choose, city)
        return Surface(row, fill=True, desc=city, on_tap=choose, on_long_press=choose)

    def _search_city(self) -> None:
        page = CityPage(self.app, self.app.cities, self.app.now)
        page.focus("city")
        self.go(page)

    def _remove_city(self, city: str) -> None:
        self.show("")
        self.app.cities.shown.remove(city)

    # Timer --------------------------------------------------------------------------------------------------------

    def _timer(self, look: Look) -> View:
        body = self._set_up(look) if self.app.countdown is None else self._running(self.app.countdown)
        return page_frame(app_bar("Timer"), body)

    def _set_up(self, look: Look) -> View:
        padded = self.digits.rjust(6, "0")
        shown = f"{padded[:2]}h  {padded[2:4]}m  {padded[4:]}s"
        low = look.height_dp < 420
        side = min(84, (look.height_dp - (104 if low else 240) - (0 if look.wide else 72)) / 4)
        keys = [self._key(label, side) for label in ("1", "2", "3", "4", "5", "6", "7", "8", "9", "00", "0")]
        keys.append(self._key("", side, icon="backspace-outline"))
        pad = Surface(Grid(keys, columns=3, gap=8), width=3 * side + 16)
        digits = Text(shown, 36 if low else 40, 300, "primary" if self.digits else "outline", align="center")
        start = button("Start", self._start_timer, icon="play", enabled=bool(self.digits.strip("0")))
        if low:
            left = Column((digits, start), gap=16, along="center", across="center", flex=1)
            return Row((left, Surface(pad, flex=1, align="center")), across="stretch")
        return Column((digits, pad, start), gap=16, along="center", across="center")

    def _key(self, label: str, side: float, *, icon: str = "") -> View:
        press: Action = self._erase if icon else partial(self._press, label)
        face = icon_button(icon, "Delete digit", press) if icon else Text(label, 26)
        return Surface(
            face, color="surface_high", radius=side / 2, height=side, align="center", on_tap=press, desc=label
        )

    def _press(self, label: str) -> None:
        if self.digits or label.strip("0"):
            self.digits = (self.digits + label)[:6]

    def _erase(self) -> None:
        self.digits = self.digits[:-1]

    def _start_timer(self) -> None:
        padded = self.digits.rjust(6, "0")
        seconds = int(padded[:2]) * 3600 + int(padded[2:4]) * 60 + int(padded[4:])
        self.app.countdown = Countdown(seconds, Run(since=self.app.now))
        self.digits = ""

    def _running(self, timer: Countdown) -> View:
        left = timer.left(self.app.now)
        runs = timer.run.since is not None and left > 0
        words = "Time is up" if not left else "Running" if runs else "Paused"
        controls = Row(
            (
                button("Delete", self._delete_timer, kind="text"),
                button("Pause" if runs else "Resume", self._switch_timer, enabled=left > 0),
                button("+1:00", self._lengthen, kind="tonal"),
            ),
            gap=8,
            along="center",
        )
        return Column(
            (self._dial(_clock_of(left), f"{words}  ·  {_clock_of(timer.seconds)}"), controls),
            gap=32,
            along="center",
            across="center",
        )

    def _dial(self, time: str, words: str) -> View:
        face = Column(
            (Text(time, 46, 300, align="center"), Text(words, 14, color="on_surface_variant", align="center")),
            gap=4,
            across="center",
        )
        return Surface(face, border="primary", radius=132, width=264, height=264, align="center")

    def _delete_timer(self) -> None:
        self.app.countdown = None

    def _switch_timer(self) -> None:
        if self.app.countdown:
            self.app.countdown.run.switch(self.app.now)

    def _lengthen(self) -> None:
        if self.app.countdown:
            self.app.countdown.seconds += 60

    # Stopwatch ----------------------------------------------------------------------------------------------------

    def _stopwatch(self, look: Look) -> View:
        app = self.app
        gone = app.stopwatch.minutes(app.now) * 60
        runs = app.stopwatch.since is not None
        second = (
            button("Lap", lambda: self.app.laps.append(self.app.stopwatch.minutes(self.app.now) * 60), kind="tonal")
            if runs
            else button("Reset", self._reset, kind="tonal", enabled=gone > 0 or bool(app.laps))
        )
        controls = Row(
            (second, button("Stop" if runs else "Start", lambda: self.app.stopwatch.switch(self.app.now))),
            gap=12,
            along="center",
        )
        laps = [
            Row((Text(f"Lap {number}", 16), Text(f"{_clock_of(seconds)}.00", 16)), along="between", pad=(24, 8))
            for number, seconds in reversed(list(enumerate(app.laps, start=1)))
        ]
        dial = Row((self._dial(f"{_clock_of(gone)}.00", "Running" if runs else "Stopped"),), along="center")
        return page_frame(
            app_bar("Stopwatch"), scroll_page(dial, controls, *laps, gap=16, pad=(0, 8, 0, 16), max_width=480)
        )

    def _reset(self) -> None:
        self.app.stopwatch = Run()
        self.app.laps.clear()


def _clock_of(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60:02}:{rest % 60:02}"
