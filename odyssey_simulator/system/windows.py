"""The windows on the screen, from the wallpaper to the toast, and their layout."""

from dataclasses import dataclass, replace

from odyssey_simulator.system import bars
from odyssey_simulator.system.error_dialog import error_dialog_view
from odyssey_simulator.system.floating import Scrim, stylus_card, text_toolbar, toast
from odyssey_simulator.system.keyboard import keyboard_view
from odyssey_simulator.system.launcher import favourites, launcher_icon
from odyssey_simulator.system.recents import recents_view
from odyssey_simulator.system.share_sheet import share_sheet_view
from odyssey_simulator.system.system_ui import SystemUi
from odyssey_simulator.ui.controls import TextField, caret_rect, selected_rects
from odyssey_simulator.ui.geometry import Rect
from odyssey_simulator.ui.layout import Place, ScrollView, Stack, Surface, scroll_range
from odyssey_simulator.ui.theme import AppTheme, hex_of, mixed, theme_of
from odyssey_simulator.ui.view import Action, Limits, Look, Memory, View, ViewBox

SYSTEM_COLOR = "#3b5ba9"
NAVIGATION_BAR, TASKBAR = "NavigationBar0", "Taskbar"
_TOAST_LIFT_DP = 88
"""Distance above the navigation bar, so that bottom tabs of an app stay visible."""


@dataclass(frozen=True, slots=True)
class Window:
    """An `opaque` window blocks touches below it; `moving` is the part that slides up when it appears."""

    name: str
    package: str
    box: ViewBox
    opaque: bool = True
    moving: Rect | None = None

    @property
    def is_front(self) -> bool:
        return self.name not in {"InputMethod", "StatusBar", NAVIGATION_BAR, TASKBAR, "FloatingToolbar", "Toast"}


@dataclass(frozen=True, slots=True)
class Areas:
    screen: Rect
    status: Rect
    navigation: Rect
    content: Rect
    keyboard: Rect


def build_windows(system: SystemUi) -> tuple[list[Window], Areas]:
    return _Builder(system).build()


class _Builder:
    def __init__(self, system: SystemUi) -> None:
        self._system = system
        self._page = system.page
        self._theme = theme_of(self._page.app.color, dark=system.dark)
        self._system_theme = theme_of(SYSTEM_COLOR, dark=system.dark)
        size, density = system.display.size, system.display.density
        self._density = density
        px = density / 160
        buttons = bars.TASKBAR_DP if system.has_taskbar else bars.NAVIGATION_DP
        below = bars.HANDLE_DP if system.has_gestures else buttons
        status, navigation = round(bars.STATUS_DP * px), round(below * px)
        self._screen = Rect(0, 0, size.width, size.height)
        self._status = Rect(0, 0, size.width, status)
        self._navigation = Rect(0, size.height - navigation, size.width, size.height)

    def build(self) -> tuple[list[Window], Areas]:
        windows, content = self._pages()
        for _ in range(2):
            if not self._settle_focus(windows):
                break
            windows, content = self._pages()
        keyboard = self._keyboard()
        status, navigation = self._bars()
        windows.insert(1, status)
        over = (
            self._toolbar(windows, content),
            keyboard,
            self._stylus_offer(content),
            self._toast(content),
            navigation,
        )
        windows += [window for window in over if window]
        lifted = Rect(0, content.bottom, self._screen.right, self._navigation.top)
        return windows, Areas(self._screen, self._status, self._navigation, content, lifted)

    def _pages(self) -> tuple[list[Window], Rect]:
        keyboard = self._keyboard()
        bottom = keyboard.box.rect.top if keyboard else self._navigation.top
        content = Rect(0, self._status.bottom, self._screen.right, bottom)
        overlay = None if self._system.recents else self._overlay(content)
        return [
            window for window in (self._front(content), overlay, self._share(content), self._error(content)) if window
        ], content

    def _settle_focus(self, windows: list[Window]) -> bool:
        system, entry, page = self._system, self._system.entry, self._page
        shown = entry.keyboard.shown
        wanted, page.wanted_focus = page.wanted_focus, ""
        for box in (box for window in windows if wanted for box in window.box.walk()):
            if isinstance(box.view, TextField) and box.view.key == wanted:
                entry.focus(box.view, len(box.view.value))
        focused = focused_box(windows)
        system.focused_field = focused.view if focused and isinstance(focused.view, TextField) else None
        if focused is None:
            entry.keyboard.shown = entry.toolbar = False
        if entry.keyboard.shown != shown:
            return True
        reveal, entry.reveal = entry.reveal, False
        moved = [_reveal_caret(window.box, page.memory) for window in windows] if reveal else []
        return any(moved)

    def _look(self, theme: AppTheme, area: Rect, memory: Memory | None = None) -> Look:
        px = self._density / 160
        scale = max(0.5, min(self._system.number_setting("system", "font_scale", 1.0), 2.0))
        width_dp, height_dp = int(area.width / px), int(area.height / px)
        return Look(theme, self._density, width_dp, height_dp, memory or Memory(), scale)

    def _lay(self, view: View, look: Look, area: Rect) -> ViewBox:
        box = view.layout(look, Limits(area.width, area.height, area.width, area.height))
        box.place(area.left, area.top, area)
        return box

    def _front(self, content: Rect) -> Window:
        system = self._system
        if system.recents:
            look = self._look(self._system_theme, content, system.recents_memory)
            id_ = f"{system.launcher.package}:id/overview_panel"
            panel = Surface(recents_view(system, look), color="surface_high", id=id_)
            return Window(system.window_title, system.package, self._lay(panel, look, content))
        page = self._page
        area = self._screen if page.edge_to_edge else content
        look = self._look(self._theme, content, page.memory)
        box = self._lay(Surface(page.build(look), color=page.background), look, area)
        return Window(system.window_title, page.app.package, box)

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

    def _error(self, content: Rect) -> Window | None:
        system = self._system
        if not system.error_dialog:
            return None
        look = self._look(self._system_theme, content)
        modal = self._modal(error_dialog_view(system), look, content, ("android", lambda: None))
        return replace(modal, name=system.error_dialog)

    def _modal(self, view: View, look: Look, content: Rect, of: tuple[str, Action]) -> Window:
        package, dismiss = of
        root = Stack((Scrim(on_tap=dismiss, desc="Dismiss"), view))
        box = root.layout(look, Limits(content.width, content.height, content.width, content.height))
        veil = box.children[0].at(0, -content.top)
        veil.width, veil.height = self._screen.width, self._screen.height
        box.place(content.left, content.top, self._screen)
        over = box.children[1]
        is_sheet = isinstance(over.view, Place) and "bottom" in over.view.where
        return Window("Overlay", package, box, moving=over.children[0].rect if is_sheet else None)

    def _keyboard(self) -> Window | None:
        entry = self._system.entry
        if not self._system.keyboard_shown or self._system.recents:
            return None
        look = self._look(self._system_theme, self._screen)
        box = keyboard_view(entry, look).layout(look, Limits(self._screen.width, self._screen.height))
        box.place(0, self._navigation.top - box.height, self._screen)
        return Window("InputMethod", "com.google.android.inputmethod.latin", box, moving=box.rect)

    def _bars(self) -> tuple[Window, Window]:
        """The status bar is below a scrim like the page; the navigation bar is never covered."""
        system, page = self._system, self._page
        theme = self._system_theme if system.recents else self._theme
        above = "surface_high" if system.recents else page.status_color
        status = bars.status_bar(system.clock, above, "on_surface" if system.recents else page.bar_color)
        below, ink = self._navigation_colors(theme)
        look = self._look(theme, self._screen)
        status_window = Window("StatusBar", "com.android.systemui", self._lay(status, look, self._status))
        name, package = (
            (TASKBAR, "com.android.launcher3") if system.has_taskbar else (NAVIGATION_BAR, "com.android.systemui")
        )
        return status_window, Window(
            name, package, self._lay(self._navigation_view(below, ink), look, self._navigation)
        )

    def _navigation_view(self, background: str, ink: str) -> View:
        system = self._system
        if system.has_gestures:
            return bars.gesture_handle(background, ink)
        choose_ime = system.choose_input_method if system.field_has_keyboard else None
        buttons = bars.Buttons(system.navigation_presses, choose_ime, background, ink, system.is_right_to_left)
        if not system.has_taskbar:
            return bars.navigation_bar(buttons, is_large=system.display.is_large)
        return bars.taskbar(buttons, [launcher_icon(app, 44) for app in favourites(system)], system.display)

    def _navigation_colors(self, theme: AppTheme) -> tuple[str, str]:
        system, page = self._system, self._page
        if system.recents or system.keyboard_shown:
            return hex_of(self._system_theme.surface_high), "on_surface"
        if system.shared is not None:
            return hex_of(self._system_theme.surface_container), "on_surface"
        if page.overlay:
            return hex_of(mixed(theme.surface, (0, 0, 0), Scrim.ALPHA)), "on_surface"
        return page.navigation_color, page.bar_color

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
        view = text_toolbar(entry).layout(look, Limits(content.width, content.height))
        left = (marked[0].left + marked[0].right - view.width) // 2
        left = max(look.px(8), min(left, content.right - look.px(8) - view.width))
        top = marked[0].top - view.height - look.px(8)
        if top < content.top:
            top = min(marked[-1].bottom + look.px(8), content.bottom - view.height)
        view.place(left, top, self._screen)
        return Window("FloatingToolbar", self._page.app.package, view)

    def _stylus_offer(self, content: Rect) -> Window | None:
        """A pop-up of the keyboard's own; a tap on it or beside it dismisses it."""
        entry = self._system.entry
        if not entry.stylus_offered:
            return None
        look = self._look(self._system_theme, content)
        card = Place(stylus_card(entry), "center")
        root = Stack((Scrim(on_tap=entry.decline_stylus), card))
        return Window("StylusOffer", "com.google.android.inputmethod.latin", self._lay(root, look, self._screen))

    def _toast(self, content: Rect) -> Window | None:
        text = self._system.paste_notice or self._system.toast_text
        if not text:
            return None
        look = self._look(self._theme, content)
        lift = 16 if self._system.keyboard_shown else _TOAST_LIFT_DP
        view = Place(toast(text), "bottom", pad=(16, 16, 16, lift))
        return Window("Toast", self._page.app.package, self._lay(view, look, content), opaque=False)


def _has_focus(box: ViewBox) -> bool:
    focus = box.look.memory.focus
    return isinstance(box.view, TextField) and focus is not None and focus.field == box.view.key


def focused_box(windows: list[Window]) -> ViewBox | None:
    return next((box for window in windows for box in window.box.walk() if _has_focus(box)), None)


def _reveal_caret(root: ViewBox, memory: Memory) -> bool:
    path = _path_to_focus(root)
    scroller = next((box for box in reversed(path) if isinstance(box.view, ScrollView) and not box.view.sideways), None)
    if scroller is None or memory.focus is None:
        return False
    field, view = path[-1], scroller.view
    assert isinstance(view, ScrollView)
    assert isinstance(field.view, TextField)
    caret = caret_rect(field, min(memory.focus.cursor, len(field.view.value)))
    margin = scroller.look.px(16)
    down = max(0, caret.bottom + margin - scroller.rect.bottom)
    up = max(0, scroller.rect.top + margin - caret.top)
    before = memory.scroll.get(view.key, 0)
    after = max(0, min(before + down - up, scroll_range(scroller)))
    memory.scroll[view.key] = after
    return after != before


def _path_to_focus(box: ViewBox) -> list[ViewBox]:
    if _has_focus(box):
        return [box]
    for child in box.children:
        path = _path_to_focus(child)
        if path:
            return [box, *path]
    return []
