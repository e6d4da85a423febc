"""Calendar: a month with dots, the day's agenda, and events to create, edit, share and delete."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, time

from odyssey_recorder.simulator.apps.app import App, Intent, Page, System
from odyssey_recorder.simulator.apps.content import table
from odyssey_recorder.simulator.apps.today import TODAY, DatedPage, day_name
from odyssey_recorder.simulator.ui.controls import Icon, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Row, Scroll, Surface
from odyssey_recorder.simulator.ui.pickers import Days, month_grid, month_head, time_dialog
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    button,
    chip,
    dialog,
    fab,
    icon_button,
    page_frame,
    scroll_page,
    search_bar,
    selectable,
    text_box,
)


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


def _event_card(page: Page, app: Calendar, event: Event, *, dated: bool = False) -> View:
    when = f"{day_name(event.date)}, {event.hours}" if dated else event.hours
    words: list[View] = [Text(event.title, 16, 500, lines=2), Text(when, 14, color="on_surface_variant")]
    if event.place:
        words.append(Text(event.place, 14, color="on_surface_variant", lines=1))
    stripe = Surface(color="primary", radius=2, width=4, height=44)
    return Surface(
        Row((stripe, Column(words, gap=2, flex=1, along="start")), gap=14, pad=14),
        color="surface_container",
        radius=14,
        fill=True,
        on_tap=lambda: page.go(EventPage(app, event)),
        desc=event.title,
    )


class MonthPage(DatedPage):
    app: Calendar

    def __init__(self, app: Calendar) -> None:
        super().__init__(app)
        self.day = TODAY

    def build(self, look: Look) -> View:
        bar = app_bar(
            "Calendar",
            icon_button("magnify", "Search events", lambda: self.go(SearchPage(self.app))),
            icon_button("calendar-today", "Go to today", lambda: self.choose(TODAY)),
        )
        days = Days(self.month, self.day, TODAY, frozenset(event.date for event in self.app.events))
        height = 56.0 if look.wide and look.height_dp >= 600 else 42.0
        month = Column((month_head(self.month, self.turn_month), month_grid(days, self.choose, height=height)), gap=2)
        agenda = Column(self._agenda(), gap=10)
        if look.wide:
            left = Scroll(Surface(month, pad=(24, 0, 12, 24)), "month", flex=5)
            body: View = Row((left, Scroll(Surface(agenda, pad=(12, 8, 24, 96)), "agenda", flex=4)), across="start")
        else:
            swiped = Surface(month, pad=(8, 0), on_swipe=self._swiped, fill=True)
            body = Scroll(Column((swiped, Surface(agenda, pad=(16, 12, 16, 96)))), "agenda")
        return page_frame(bar, body, fab=fab("plus", "New event", self._new))

    def _agenda(self) -> list[View]:
        day, events = self.day, self.app.on(self.day)
        date_words = f"{day:%A, %B} {day.day}"
        title = f"Today \u00b7 {date_words}" if day == TODAY else date_words
        if not events:
            return [Text(title, 18, 500), Text("Nothing planned", 15, color="on_surface_variant")]
        return [Text(title, 18, 500), *(_event_card(self, self.app, event) for event in events)]

    def choose(self, day: date) -> None:
        self.day, self.month = day, day.replace(day=1)

    def _swiped(self, direction: str) -> None:
        if direction in ("left", "right"):
            self.turn_month(1 if direction == "left" else -1)

    def _new(self) -> None:
        page = EditPage(self.app, Event("", self.day, time(12), time(13)))
        page.focus("title")
        self.go(page)


class SearchPage(Page):
    app: Calendar
    title = "Search"
    query = ""
    wanted_focus = "search"

    def build(self, look: Look) -> View:
        field = TextField("search", self.query, self.sets("query"), hint="Search events", action="search")
        bar = search_bar(field, on_up=self.close)
        found = [event for event in self.app.events if self.query and self.query.lower() in event.words.lower()]
        found.sort(key=lambda event: (event.date, event.start))
        cards: list[View] = [_event_card(self, self.app, event, dated=True) for event in found]
        if self.query and not found:
            cards = [Text("No events found", 16, color="on_surface_variant")]
        return page_frame(bar, scroll_page(*cards, gap=10, pad=(16, 8, 16, 24)))


class EventPage(Page):
    app: Calendar
    title = "Event"

    def __init__(self, app: Calendar, event: Event) -> None:
        super().__init__(app)
        self.event = event

    def build(self, look: Look) -> View:
        event = self.event
        bar = app_bar(
            "",
            icon_button("pencil-outline", "Edit event", lambda: self.go(EditPage(self.app, event))),
            icon_button("share-variant-outline", "Share", lambda: self.system.share(event.words, subject=event.title)),
            icon_button("delete-outline", "Delete event", self.shows("delete")),
            on_up=self.close,
        )
        day = f"{event.date:%A, %B} {event.date.day}, {event.date.year}"
        facts = [("clock-outline", f"{day}\n{event.hours}"), ("map-marker-outline", event.place), ("text", event.note)]
        rows = [
            Row((Icon(icon, 24), Surface(selectable(icon, words), flex=1)), gap=18, across="start")
            for icon, words in facts
            if words
        ]
        title = selectable("title", event.title, size=28, weight=500)
        return page_frame(bar, scroll_page(title, *rows, gap=20, pad=(20, 8, 20, 32)))

    def build_overlay(self, look: Look) -> View | None:
        return dialog(
            "Delete event?",
            Text(self.event.title, color="on_surface_variant"),
            buttons=(button("Cancel", self.shows(""), kind="text"), button("Delete", self._delete, kind="text")),
        )

    def _delete(self) -> None:
        self.app.drop(self.event)
        self.close()
        self.system.toast("Event deleted")


class EditPage(DatedPage):
    app: Calendar
    title = "Edit event"

    def __init__(self, app: Calendar, event: Event) -> None:
        super().__init__(app)
        self.event = event
        self.draft = Event(event.title, event.date, event.start, event.end, event.place, event.note)
        self.month = event.date.replace(day=1)

    def build(self, look: Look) -> View:
        draft = self.draft
        save = Surface(button("Save", self._save, enabled=bool(draft.title.strip())), pad=(0, 0, 12, 0))
        bar = app_bar(
            "Edit event" if self.app.keeps(self.event) else "New event", save, on_up=self.close, up_icon="close"
        )
        when = Row(
            (
                chip(f"{draft.date:%a, %b} {draft.date.day}", icon="calendar", on_tap=self.shows("date")),
                chip(f"{draft.start:%H:%M}", icon="clock-outline", on_tap=self.shows("start")),
                Text("to", 14, color="on_surface_variant"),
                chip(f"{draft.end:%H:%M}", on_tap=self.shows("end")),
            ),
            gap=8,
        )
        return page_frame(
            bar,
            scroll_page(
                text_box(self._field("title", "Add title", then="place"), label="Title"),
                Scroll(when, "when", sideways=True),
                text_box(self._field("place", "Add location", then="note"), icon="map-marker-outline"),
                text_box(self._field("note", "Add notes"), icon="text"),
                gap=16,
                pad=(16, 8, 16, 24),
            ),
        )

    def _field(self, key: str, hint: str, *, then: str = "") -> TextField:
        def write(words: str) -> None:
            setattr(self.draft, key, words)

        value: str = getattr(self.draft, key)
        if not then:
            return TextField(key, value, write, hint=hint, multiline=True, min_lines=3)
        return TextField(key, value, write, hint=hint, action="next", on_action=lambda: self.focus(then))

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay == "date":
            return self.date_question(self.draft.date, choose=self._set_date, cancel=self.shows(""))
        change: Callable[[time], None] = self._set_start if self.overlay == "start" else self.sets("end", of=self.draft)
        value = self.draft.start if self.overlay == "start" else self.draft.end
        return time_dialog(f"{self.overlay.capitalize()} time", value, change=change, done=self.shows(""))

    def _set_date(self, day: date) -> None:
        self.draft.date = day
        self.show("")

    def _set_start(self, start: time) -> None:
        minutes = [moment.hour * 60 + moment.minute for moment in (self.draft.start, self.draft.end, start)]
        end = (minutes[2] + minutes[1] - minutes[0]) % (24 * 60)
        self.draft.start, self.draft.end = start, time(end // 60, end % 60)

    def _save(self) -> None:
        draft, event = self.draft, self.event
        if draft.end < draft.start:
            self.system.toast("The event would end before it begins")
            return
        event.title, event.date, event.start = draft.title.strip(), draft.date, draft.start
        event.end, event.place, event.note = draft.end, draft.place, draft.note
        if not self.app.keeps(event):
            self.app.events.append(event)
        self.close()
        self.app.look_at(event.date)
        self.system.toast("Event saved")
