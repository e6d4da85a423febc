"""The home screen: wallpaper, search pill, favourite apps and dock, and the app drawer."""

from functools import partial

from odyssey_simulator.apps.app import App, Page, System
from odyssey_simulator.apps.today import TODAY
from odyssey_simulator.system.bars import NAVIGATION_DP, STATUS_DP, TASKBAR_DP
from odyssey_simulator.ui.controls import Icon, Picture, Text
from odyssey_simulator.ui.images import wallpaper
from odyssey_simulator.ui.layout import Grid, ScrollView, Spacer, Stack, Surface, column, row
from odyssey_simulator.ui.view import Look, View
from odyssey_simulator.ui.widgets import app_icon, centered, search_box

_DOCK = ("Messages", "Mail", "Browser", "Photos")
_DATE = Surface(Text(f"{TODAY:%A, %b} {TODAY.day}", 22, 400, "#ffffff"), pad=(24, 22, 24, 18))


class Launcher(App):
    label = "Pixel Launcher"
    package = "com.android.launcher3"
    activity = "Launcher"
    icon = "home"
    color = "#3b5ba9"
    in_launcher = False
    is_system = True

    def first_page(self) -> Page:
        return HomePage(self)

    def go_home(self) -> None:
        del self.pages[1:]


class HomePage(Page):
    background = ""
    status_color = ""
    navigation_color = ""
    bar_color = "#ffffff"
    edge_to_edge = True

    def build(self, look: Look) -> View:
        apps = self.system.installed()
        low = look.height_dp < 480
        dock = [] if low else favourites(self.system)
        columns = max(4, min(8, look.width_dp // 92))
        rows = max(1, (look.height_dp - (90 if low else 250)) // 104)
        others = [app for app in apps if app not in dock][: columns * rows]
        search = Surface(
            row(Icon("magnify", 24, "#1f1f1f"), Text("Search apps", 16, color="#5f6368", flex=1), gap=12, pad=(16, 0)),
            color="#f3f4f8",
            radius=27,
            height=54,
            fill=True,
            max_width=640,
            align="start",
            desc="Search",
            on_tap=self._open_search,
        )
        body = column(
            Spacer(STATUS_DP),
            *(() if low else (_DATE,)),
            Grid(
                [launcher_icon(app, 58, _name(app, 500, "#ffffff")) for app in others],
                columns=columns,
                gap=10,
                pad=(16, 6),
            ),
            Spacer(flex=1),
            row(*(launcher_icon(app, 58) for app in dock), along="center", gap=28, pad=(16, 6)),
            row(search, along="center", pad=(20, 8, 20, 12)),
            Spacer(TASKBAR_DP if self.system.has_taskbar else NAVIGATION_DP),
        )
        scene = Picture(wallpaper(self.system.seed), flex=1)
        workspace = Surface(body, on_swipe=self._swiped, id="com.android.launcher3:id/workspace")
        return Stack((Surface(scene), workspace))

    def _swiped(self, direction: str) -> None:
        if direction == "up":
            self.go(DrawerPage(self.app))

    def _open_search(self) -> None:
        self.go(DrawerPage(self.app), focus="search")


class DrawerPage(Page):
    def build(self, look: Look) -> View:
        query = self.query.lower()
        apps = [app for app in self.system.installed() if query in app.label.lower()]
        field = self.field("query", "Search apps", key="search", action="go", on_action=self._first)
        grid = Grid([launcher_icon(app, 58, _name(app)) for app in apps], min_cell=72, gap=6, pad=(16, 8))
        return column(centered(search_box(field), 640, pad=(16, 10)), ScrollView(grid, "apps", flex=1))

    def _first(self) -> None:
        query = self.query.lower()
        found = [app for app in self.system.installed() if query and query in app.label.lower()]
        if found:
            self.system.open_app(found[0].package)


def favourites(system: System) -> list[App]:
    """The apps of the dock and of the taskbar."""
    return [app for app in system.installed() if app.label in _DOCK]


def launcher_icon(app: App, size: float, *text: Text) -> View:
    return Surface(
        column(app_icon(app.icon, app.color, size), *text, gap=6, across="center", pad=(0, 4)),
        on_tap=partial(app.system.open_app, app.package),
        desc=app.label,
    )


def _name(app: App, weight: int = 400, color: str = "on_surface") -> Text:
    return Text(app.label, 13, weight, color, lines=1, align="center")
