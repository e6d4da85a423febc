"""World clock: the known cities, their time, and the page to search for one."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from odyssey_simulator.apps.app import App, Page
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Text
from odyssey_simulator.ui.view import Look, View

DAY = 24 * 60


@dataclass(slots=True)
class Cities:
    """`places` are (country, minutes east of Greenwich). Every `now` is a minute of the day at home."""

    home: str
    places: Mapping[str, tuple[str, int]]
    shown: list[str]

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Cities":
        places = {name: (land, east) for name, (land, east) in content["cities"].items()}
        return cls(content["home"], places, list(content["shown"]))

    def time_in(self, city: str, now: int) -> str:
        minutes = (now + self._ahead(city)) % DAY
        return f"{minutes // 60:02}:{minutes % 60:02}"

    def difference(self, city: str, now: int) -> str:
        """Days and hours from home: "Tomorrow, +8 h"."""
        ahead = self._ahead(city)
        day = {-1: "Yesterday", 0: "Today", 1: "Tomorrow"}[(now + ahead) // DAY]
        minutes = f":{abs(ahead) % 60:02}" if ahead % 60 else ""
        return f"{day}, {'+' if ahead >= 0 else '-'}{abs(ahead) // 60}{minutes} h"

    def _ahead(self, city: str) -> int:
        return self.places[city][1] - self.places[self.home][1]


class CityPage(Page):
    def __init__(self, app: App, cities: Cities, now: int) -> None:
        super().__init__(app)
        self.cities = cities
        self.now = now

    def build(self, look: Look) -> View:
        bar = ui.centered(ui.search_bar(self.search_field("Search for a city"), on_up=self.close), 760)
        query = self.query.strip().lower()
        found = [name for name, (land, _) in self.cities.places.items() if query in f"{name} {land}".lower()]
        if not found:
            return ui.page_frame(bar, ui.empty_page("map-marker-question-outline", f"No city matches “{self.query}”"))
        return ui.page_frame(bar, ui.scroll_page(*(self._row(name) for name in found)))

    def _row(self, name: str) -> View:
        shown = name in self.cities.shown
        trail = ui.chip("Added", selected=True) if shown else Text(self.cities.time_in(name, self.now), 18)
        return ui.list_item(name, self.cities.places[name][0], trail=trail, on_tap=partial(self._add, name), lines=1)

    def _add(self, name: str) -> None:
        if name not in self.cities.shown:
            self.cities.shown.append(name)
        self.close()
