"""The windows that lie on the screen, from the wallpaper up to the toast: what is laid out where."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from odyssey_recorder.simulator.apps.app import Page
from odyssey_recorder.simulator.system import bars
from odyssey_recorder.simulator.system.keyboard import keyboard_view
from odyssey_recorder.simulator.system.recents import recents_view
from odyssey_recorder.simulator.system.share_sheet import share_sheet_view
from odyssey_recorder.simulator.ui.controls import TextField, caret_rect, selected_rects
from odyssey_recorder.simulator.ui.geometry import Rect
from odyssey_recorder.simulator.ui.layout import Place, Scroll, Stack, Surface, scroll_range
from odyssey_recorder.simulator.ui.theme import Theme, theme_of
from odyssey_recorder.simulator.ui.view import Action, Box, Limits, Look, Memory, View
from odyssey_recorder.simulator.ui.widgets import Scrim, text_toolbar, toast

if TYPE_CHECKING:
    from odyssey_recorder.simulator.system.system_ui import SystemUi

SYSTEM_COLOR = "#3b5ba9"


@dataclass(frozen=True, slots=True)
class Window:
    """A placed tree of views; an `opaque` window lets no touch through to what lies below it."""

    name: str
    package: str
    box: Box
    opaque: bool = True

    @property
    def is_front(self) -> bool:
        """Whether this is the app's own, or what lies over it until it is answered."""
        return self.name not in {"InputMethod", "StatusBar", "NavigationBar0", "FloatingToolbar", "Toast"}


@dataclass(frozen=True, slots=True)
class Areas:
    """How the screen is divided now; the keyboard's part is empty while it is hidden."""

    screen: Rect
    status: Rect
    navigation: Rect
    content: Rect
    keyboard: Rect


def build_windows(system: "SystemUi") -> tuple[list[Window], Areas]:
    """Everything that is on the screen now, the lowest first."""
    return _Builder(system).build()


class _Builder:
    def __init__(self, system: "SystemUi") -> None:
        self._system = system
        self._page = system.page
        self._theme = theme_of(self._page.app.color, dark=system.dark)
        self._system_theme = theme_of(SYSTEM_COLOR, dark=system.dark)
        size, density = system.display.size, system.display.density
        self._density = density
        px = density / 160
        status, navigation = round(bars.STATUS_DP * px), round(bars.NAVIGATION_DP * px)
        self._screen = Rect(0, 0, size.width, size.height)
        self._status = Rect(0, 0, size.width, status)
        self._navigation = Rect(0, size.height - navigation, size.width, size.height)

    def build(self) -> tuple[list[Window], Areas]:
        keyboard = self._keyboard()
        below = keyboard.box.rect if keyboard else self._navigation
        content = Rect(0, self._status.bottom, self._screen.right, below.top)
        windows = [self._front(content)]
        overlay = None if self._system.recents else self._overlay(content)
        windows += [window for window in (overlay, self._share(content), keyboard) if window]
        windows += self._bars(dimmed=len(windows) > 1 and windows[1] is not keyboard)
        windows += [window for window in (self._toolbar(windows[:2], content), self._toast(content)) if window]
        empty = Rect(0, self._navigation.top, self._screen.right, self._navigation.top)
        areas = Areas(self._screen, self._status, self._navigation, content, keyboard.box.rect if keyboard else empty)
        return windows, areas

    def _look(self, theme: Theme, area: Rect, memory: Memory | None = None) -> Look:
        px = self._density / 160
        return Look(theme, self._density, int(area.width / px), int(area.height / px), memory or Memory())

    def _lay(self, view: View, look: Look, area: Rect) -> Box:
        box = view.layout(look, Limits(area.width, area.height, area.width, area.height))
        box.place(area.left, area.top, area)
        return box

    def _front(self, content: Rect) -> Window:
        system = self._system
        if system.recents:
            look = self._look(self._system_theme, content, system.recents_memory)
            box = self._lay(Surface(recents_view(system, look), color="surface_high"), look, content)
            return Window("RecentsActivity", "com.android.launcher3", box)
        page = self._page
        area = self._screen if page.edge_to_edge else content
        look = self._look(self._theme, content, page.memory)
        box = self._lay(Surface(page.build(look), color=page.background), look, area)
        self._resolve_focus(page, box)
        if system.entry.reveal and _reveal_caret(box, page.memory):
            box = self._lay(Surface(page.build(look), color=page.background), look, area)
        return Window(system.window_title, page.app.package, box)

    def _resolve_focus(self, page: Page, box: Box) -> None:
        wanted, page.wanted_focus = page.wanted_focus, ""
        if wanted:
            for part in box.walk():
                if isinstance(part.view, TextField) and part.view.key == wanted:
                    self._system.entry.focus(part.view, len(part.view.value))

    def _overlay(self, content: Rect) -> Window | None:
        page = self._page
        if not page.overlay:
            return None
        look = self._look(self._theme, content, page.memory)
        view = page.build_overlay(look)
        if view is None:
            return None
        return self._modal(view, look, content, (page.app.package, lambda: page.show("")))

    def _share(self, content: Rect) -> Window | None:
        system = self._system
        if system.shared is None:
            return None
        look = self._look(self._system_theme, content, system.share_memory)
        view = share_sheet_view(system, system.shared, look)
        return self._modal(view, look, content, ("android", system.end_share))

    def _modal(self, view: View, look: Look, content: Rect, of: tuple[str, Action]) -> Window:
        package, dismiss = of
        root = Stack((Scrim(on_tap=dismiss, desc="Dismiss"), view))
        box = root.layout(look, Limits(content.width, content.height, content.width, content.height))
        box.children[0].width, box.children[0].height = self._screen.width, self._screen.height
        box.children[0].at(0, -content.top)
        box.place(content.left, content.top, self._screen)
        return Window("Overlay", package, box)

    def _keyboard(self) -> Window | None:
        entry = self._system.entry
        if not entry.keyboard.shown or self._system.recents:
            return None
        look = self._look(self._system_theme, self._screen)
        box = keyboard_view(entry, look).layout(look, Limits(self._screen.width, self._screen.height))
        box.place(0, self._navigation.top - box.height, self._screen)
        return Window("InputMethod", "com.google.android.inputmethod.latin", box)

    def _bars(self, *, dimmed: bool) -> list[Window]:
        system, page = self._system, self._page
        look = self._look(self._theme, self._screen)
        if system.recents or system.entry.keyboard.shown or dimmed:
            below, below_color = "surface_high", "on_surface"
        else:
            below, below_color = page.navigation_color, page.bar_color
        above = "surface_high" if system.recents else page.status_color
        above_color = "on_surface" if system.recents else page.bar_color
        if dimmed:
            above, above_color, below, below_color = "", "#ffffff", "", "#ffffff"
        status = bars.status_bar(system.clock, above, above_color)
        navigation = bars.navigation_bar(system.navigation_presses, below, below_color)
        return [
            Window("StatusBar", "com.android.systemui", self._lay(status, look, self._status)),
            Window("NavigationBar0", "com.android.systemui", self._lay(navigation, look, self._navigation)),
        ]

    def _toolbar(self, windows: list[Window], content: Rect) -> Window | None:
        entry = self._system.entry
        draft = entry.draft
        if not entry.toolbar or draft is None:
            return None
        boxes = [part for window in windows for part in window.box.walk() if _has_focus(part)]
        if not boxes:
            return None
        box = boxes[-1]
        marked = selected_rects(box, *draft.span) or [caret_rect(box, draft.cursor)]
        look = self._look(self._theme, content)
        view = text_toolbar(entry, look).layout(look, Limits(content.width, content.height))
        left = (marked[0].left + marked[0].right - view.width) // 2
        left = max(look.px(8), min(left, content.right - look.px(8) - view.width))
        top = marked[0].top - view.height - look.px(8)
        if top < content.top:
            top = min(marked[-1].bottom + look.px(8), content.bottom - view.height)
        view.place(left, top, self._screen)
        return Window("FloatingToolbar", self._page.app.package, view)

    def _toast(self, content: Rect) -> Window | None:
        if not self._system.toast_text:
            return None
        look = self._look(self._theme, content)
        view = Place(toast(self._system.toast_text), "bottom", pad=(16, 16))
        return Window("Toast", self._page.app.package, self._lay(view, look, content), opaque=False)


def _has_focus(box: Box) -> bool:
    focus = box.look.memory.focus
    return isinstance(box.view, TextField) and focus is not None and focus.field == box.view.key


def focused_box(windows: list[Window]) -> Box | None:
    """The text field that has the focus, wherever on the screen it is."""
    for window in windows:
        for box in window.box.walk():
            if _has_focus(box):
                return box
    return None


def _reveal_caret(root: Box, memory: Memory) -> bool:
    """Scroll so that the cursor of the focused field shows; whether anything moved."""
    path = _path_to_focus(root)
    scroller = next((box for box in reversed(path) if isinstance(box.view, Scroll) and not box.view.sideways), None)
    if scroller is None or memory.focus is None:
        return False
    field, view = path[-1], scroller.view
    assert isinstance(view, Scroll)
    assert isinstance(field.view, TextField)
    caret = caret_rect(field, min(memory.focus.cursor, len(field.view.value)))
    margin = scroller.look.px(16)
    down = max(0, caret.bottom + margin - scroller.rect.bottom)
    up = max(0, scroller.rect.top + margin - caret.top)
    before = memory.scroll.get(view.key, 0)
    after = max(0, min(before + down - up, scroll_range(scroller)))
    memory.scroll[view.key] = after
    return after != before


def _path_to_focus(box: Box) -> list[Box]:
    if _has_focus(box):
        return [box]
    for child in box.children:
        path = _path_to_focus(child)
        if path:
            return [box, *path]
    return []
