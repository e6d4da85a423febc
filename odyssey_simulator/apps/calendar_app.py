"""Calendar: a month with dots, the day's agenda, and events to create, edit, share and delete."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from datetime import date, time
from functools import partial

from odyssey_simulator.apps.app import App, Intent, Page, System
from odyssey_simulator.apps.content import table
from odyssey_simulator.apps.today import TODAY, DatedPage, day_name
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Icon, Text
from odyssey_simulator.ui.layout import ScrollView, Surface, column, row
from odyssey_simulator.ui.pickers import Days, month_grid, month_head, time_dialog
from odyssey_simulator.ui.view import Look, View


@dataclass(slots=True)
class Event:
    title: str
    date: date
    start: time
    end: time
    place: str = ""
    note: str = ""

    @property
    def hours(self) -> str:
        return f"{self.start:%H:%M} \u2013 {self.end:%H:%M}"

    @property
    def words(self) -> str:
        lines = (self.title, f"{self.date:%A, %B} {self.date.day}, {self.hours}", self.place, self.note)
        return "\n".join(line for line in lines if line)


class Calendar(App):
    label = "Calendar"
    package = "com.odyssey.calendar"
    icon = "calendar-month"
    color = "#2f62c9"
    category = "Information_Management"
    takes = ("send",)
    share_label = "New event"

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.events = [Event(**row) for row in table("calendar")["event"]]

    def first_page(self) -> Page:
        return MonthPage(self)

    def receive(self, intent: Intent) -> Page:
        title, _, note = (intent.subject or intent.text).partition("\n")
        return EditPage(self, Event(title, TODAY, time(12), time(13), note=intent.text if intent.subject else note))

    def on(self, day: date) -> list[Event]:
        return sorted((event for event in self.events if event.date == day), key=lambda event: event.start)

    def keeps(self, event: Event) -> bool:
        return any(event is other for other in self.events)

    def look_at(self, day: date) -> None:
        for page in self.pages:
            if isinstance(page, MonthPage):
                page.choose(day)

    def drop(self, event: Event) -> None:
        self.events = [other for other in self.events if other is not event]


class EventsPage(DatedPage):
    app: Calendar

    def event_card(self, event: Event, *, dated: bool = False) -> View:
        when = f"{day_name(event.date)}, {event.hours}" if dated else event.hours
        text: list[View] = [Text(event.title, 16, 500, lines=2), ui.muted(when)]
        if event.place:
            text.append(ui.muted(event.place, lines=1))
        stripe = Surface(color="primary", radius=2, width=4, height=44)
        return Surface(
            row(stripe, column(*text, gap=2, flex=1), gap=14, pad=14),
            color="surface_container",
            radius=14,
            fill=True,
            on_tap=lambda: self.go(EventPage(self.app, event)),
            desc=event.title,
        )


class MonthPage(EventsPage):
    day = TODAY

    def build(self, look: Look) -> View:
        bar = ui.app_bar(
            "Calendar",
            ui.icon_button("magnify", "Search events", lambda: self.go(SearchPage(self.app))),
            ui.icon_button("calendar-today", "Go to today", partial(self.choose, TODAY)),
        )
        days = Days(self.month, self.day, TODAY, frozenset(event.date for event in self.app.events))
        height = 56.0 if look.wide and look.height_dp >= 600 else 42.0
        grid = month_grid(days, self.choose, height=height)
        month = column(month_head(self.month, self.turn_month), grid, gap=2)
        agenda = column(*self._agenda(), gap=10)
        if look.wide:
            left = ScrollView(Surface(month, pad=(24, 0, 12, 24)), "month", flex=5)
            body: View = row(left, ScrollView(Surface(agenda, pad=(12, 8, 24, 96)), "agenda", flex=4), across="start")
        else:
            swiped = Surface(month, pad=(8, 0), on_swipe=self._swiped, fill=True)
            body = ScrollView(column(swiped, Surface(agenda, pad=(16, 12, 16, 96))), "agenda")
        return ui.page_frame(bar, body, fab=ui.fab("plus", "New event", self._new))

    def _agenda(self) -> list[View]:
        today = "Today \u00b7 " if self.day == TODAY else ""
        cards = [self.event_card(event) for event in self.app.on(self.day)]
        title = Text(f"{today}{self.day:%A, %B} {self.day.day}", 18, 500)
        return [title, *(cards or [ui.muted("Nothing planned", 15)])]

    def choose(self, day: date) -> None:
        self.day, self.month = day, day.replace(day=1)

    def _swiped(self, direction: str) -> None:
        if direction in ("left", "right"):
            self.turn_month(1 if direction == "left" else -1)

    def _new(self) -> None:
        self.go(EditPage(self.app, Event("", self.day, time(12), time(13))), focus="title")


class SearchPage(EventsPage):
    wanted_focus = "search"

    def build(self, look: Look) -> View:
        bar = ui.search_bar(self.search_field("Search events"), on_up=self.close)
        found = [event for event in self.app.events if self.query and self.query.lower() in event.words.lower()]
        found.sort(key=lambda event: (event.date, event.start))
        cards: list[View] = [self.event_card(event, dated=True) for event in found]
        if self.query and not found:
            cards = [ui.muted("No events found", 16)]
        return ui.page_frame(bar, ui.scroll_page(*cards, gap=10, pad=(16, 8, 16, 24)))


class EventPage(Page):
    app: Calendar

    def __init__(self, app: Calendar, event: Event) -> None:
        super().__init__(app)
        self.event = event

    def build(self, look: Look) -> View:
        event = self.event
        share = partial(self.system.share, event.words, subject=event.title)
        bar = ui.app_bar(
            "",
            ui.icon_button("pencil-outline", "Edit event", lambda: self.go(EditPage(self.app, event))),
            ui.icon_button("share-variant-outline", "Share", share),
            ui.icon_button("delete-outline", "Delete event", self.shows("delete")),
            on_up=self.close,
        )
        day = f"{event.date:%A, %B} {event.date.day}, {event.date.year}"
        facts = {"clock-outline": f"{day}\n{event.hours}", "map-marker-outline": event.place, "text": event.note}
        rows = [
            row(Icon(icon, 24), Surface(ui.selectable(icon, text), flex=1), gap=18, across="start")
            for icon, text in facts.items()
            if text
        ]
        title = ui.selectable("title", event.title, size=28, weight=500)
        return ui.page_frame(bar, ui.scroll_page(title, *rows, gap=20, pad=(20, 8, 20, 32)))

    def build_overlay(self, look: Look) -> View | None:
        return self.question("Delete event?", self.event.title, "Delete", self._delete)

    def _delete(self) -> None:
        self.app.drop(self.event)
        self.close()
        self.system.toast("Event deleted")


class EditPage(DatedPage):
    app: Calendar

    def __init__(self, app: Calendar, event: Event) -> None:
        super().__init__(app)
        self.event = event
        self.draft = replace(event)
        self.month = event.date.replace(day=1)

    def build(self, look: Look) -> View:
        draft = self.draft
        save = Surface(ui.button("Save", self._save, enabled=bool(draft.title.strip())), pad=(0, 0, 12, 0))
        bar = ui.app_bar(
            "Edit event" if self.app.keeps(self.event) else "New event", save, on_up=self.close, up_icon="close"
        )
        when = row(
            ui.chip(f"{draft.date:%a, %b} {draft.date.day}", icon="calendar", on_tap=self.shows("date")),
            ui.chip(f"{draft.start:%H:%M}", icon="clock-outline", on_tap=self.shows("start")),
            ui.muted("to"),
            ui.chip(f"{draft.end:%H:%M}", on_tap=self.shows("end")),
            gap=8,
        )
        note = self.field("note", "Add notes", of=draft, multiline=True, min_lines=3)
        body = ui.scroll_page(
            ui.text_box(self.field("title", "Add title", of=draft, then="place"), label="Title"),
            ScrollView(when, "when", sideways=True),
            ui.text_box(self.field("place", "Add location", of=draft, then="note"), icon="map-marker-outline"),
            ui.text_box(note, icon="text"),
            gap=16,
            pad=(16, 8, 16, 24),
        )
        return ui.page_frame(bar, body)

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay == "date":
            return self.date_question(self.draft.date, choose=self._set_date, cancel=self.shows(""))
        change: Callable[[time], None] = self._set_start if self.overlay == "start" else self.sets("end", of=self.draft)
        value: time = getattr(self.draft, self.overlay)
        return time_dialog(f"{self.overlay.capitalize()} time", value, change=change, done=self.shows(""))

    def _set_date(self, day: date) -> None:
        self.draft.date = day
        self.show("")

    def _set_start(self, start: time) -> None:
        minutes = [moment.hour * 60 + moment.minute for moment in (self.draft.start, self.draft.end, start)]
        end = (minutes[2] + minutes[1] - minutes[0]) % (24 * 60)
        self.draft.start, self.draft.end = start, time(end // 60, end % 60)

    def _save(self) -> None:
        if self.draft.end < self.draft.start:
            self.system.toast("The event would end before it begins")
            return
        self.draft.title = self.draft.title.strip()
        for part in fields(Event):
            setattr(self.event, part.name, getattr(self.draft, part.name))
        if not self.app.keeps(self.event):
            self.app.events.append(self.event)
        self.close()
        self.app.look_at(self.event.date)
        self.system.toast("Event saved")
