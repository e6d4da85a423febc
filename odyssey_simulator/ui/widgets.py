"""Material components: bars, list rows, buttons, sheets, dialogs, menus."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

from odyssey_simulator.ui.controls import Icon, Radio, Text, TextField, Toggle
from odyssey_simulator.ui.layout import Pad, Place, ScrollView, Spacer, Stack, Surface, column, row
from odyssey_simulator.ui.view import Action, Look, View


def muted(text: str, size: float = 14, *, lines: int | None = None) -> Text:
    return Text(text, size, color="on_surface_variant", lines=lines)


def icon_button(icon: str, desc: str, on_tap: Action, *, color: str = "on_surface_variant", size: float = 24) -> View:
    """In a touch area of 48 by 48 dp."""
    return Surface(
        Icon(icon, size, color), width=48, height=48, align="center", desc=desc, on_tap=on_tap, role="ImageButton"
    )


def app_bar(
    title: str, *actions: View, on_up: Action | None = None, color: str = "", up_icon: str = "arrow-left"
) -> View:
    lead: View = icon_button(up_icon, "Navigate up", on_up, color="on_surface") if on_up else Spacer(12)
    text = Text(title, 22, 400, lines=1, flex=1)
    return Surface(row(lead, text, *actions, gap=4, pad=(4, 0)), color=color, height=64, fill=True, align="start")


def button(  # noqa: PLR0913 - values by keyword, each with a plain default
    label: str,
    on_tap: Action,
    *,
    kind: Literal["filled", "tonal", "outlined", "text"] = "filled",
    icon: str = "",
    fill: bool = False,
    enabled: bool = True,
    desc: str = "",
) -> View:
    """40 dp high; `desc` is for screen readers, where the label alone is ambiguous."""
    ink, paper = {
        "filled": ("on_primary", "primary"),
        "tonal": ("on_primary_container", "secondary_container"),
        "outlined": ("primary", ""),
        "text": ("primary", ""),
    }[kind]
    if not enabled:
        ink, paper = "outline", "surface_high" if paper else ""
    text = Text(label, 14, 500, ink, lines=1)
    face: View = row(Icon(icon, 18, ink), text, gap=8) if icon else text
    return Surface(
        face,
        color=paper,
        radius=20,
        pad=(12 if kind == "text" else 24, 0),
        height=40,
        border="outline" if kind == "outlined" else "",
        align="center",
        desc=desc or label,
        on_tap=on_tap if enabled else None,
        enabled=enabled,
        fill=fill,
        role="Button",
    )


def fab(icon: str, desc: str, on_tap: Action, *, label: str = "") -> View:
    face: View = Icon(icon, 24, "on_primary_container")
    if label:
        face = row(face, Text(label, 14, 500, "on_primary_container"), gap=12)
    return Surface(
        face,
        color="primary_container",
        radius=16,
        pad=(16, 0),
        height=56,
        align="center",
        elevation=3,
        desc=desc,
        on_tap=on_tap,
        role="ImageButton",
    )


def page_frame(bar: View, body: View, *, fab: View | None = None, bottom: View | None = None) -> View:
    middle: View = Surface(body, flex=1) if fab is None else Stack((body, Place(fab, "bottom end", pad=16)), flex=1)
    return column(bar, middle, *((bottom,) if bottom else ()))


def centered(view: View, max_width: float, *, pad: Pad = 0) -> View:
    """Fills the width up to `max_width` dp."""
    return row(Surface(view, fill=True, max_width=max_width), along="center", pad=pad)


def scroll_page(*children: View, key: str = "list", gap: float = 0, pad: Pad = 0, max_width: float = 760) -> View:
    body = column(*children, gap=gap, pad=pad)
    return ScrollView(centered(body, max_width), key)


def list_item(  # noqa: PLR0913 - values by keyword, each with a plain default
    title: str,
    subtitle: str = "",
    *,
    icon: str = "",
    lead: View | None = None,
    trail: View | None = None,
    lines: int = 2,
    **more: Any,
) -> View:
    front = lead or (Icon(icon, 24) if icon else None)
    text: list[View] = [Text(title, 16, lines=1)]
    if subtitle:
        text.append(muted(subtitle, lines=lines))
    middle = column(*text, gap=1, flex=1)
    line = row(*(part for part in (front, middle, trail) if part), gap=16, pad=(16, 10))
    return Surface(line, fill=True, **more)


def switch_item(  # noqa: PLR0913 - values by keyword, each with a plain default
    title: str, subtitle: str = "", *, checked: bool, on_tap: Action, icon: str = "", lead: View | None = None
) -> View:
    toggle = Toggle(checked=checked, desc=title, on_tap=on_tap)
    return list_item(title, subtitle, icon=icon, lead=lead, trail=toggle, on_tap=on_tap)


def radio_item(title: str, subtitle: str = "", *, checked: bool, on_tap: Action) -> View:
    return list_item(title, subtitle, lead=Radio(checked=checked, on_tap=on_tap, desc=title), on_tap=on_tap)


def section(title: str) -> View:
    return Surface(Text(title, 14, 500, "primary"), pad=(16, 16, 16, 8))


def card(*children: View, gap: float = 4, pad: Pad = 16, color: str = "surface_container", **more: Any) -> View:
    return Surface(column(*children, gap=gap, pad=pad), color=color, radius=16, **more)


def chip(label: str, *, icon: str = "", selected: bool = False, on_tap: Action | None = None) -> View:
    """32 dp high."""
    ink = "on_primary_container" if selected else "on_surface_variant"
    text = Text(label, 14, 500, ink, lines=1)
    sign = "check" if selected and not icon else icon
    face: View = row(Icon(sign, 18, ink), text, gap=6) if sign else text
    return Surface(
        face,
        color="secondary_container" if selected else "surface",
        border="" if selected else "outline_variant",
        radius=8,
        height=32,
        pad=(12, 0),
        align="center",
        on_tap=on_tap,
        selected=selected,
    )


def text_box(field: TextField, *, icon: str = "", label: str = "", color: str = "surface_high") -> View:
    if label:
        text: View = column(Text(label, 12, 500, "primary"), field, gap=2, flex=1)
    else:
        text = Surface(field, flex=1, height=None if field.multiline else 40)
    parts = [*([Icon(icon, 22)] if icon else []), text]
    pad = (16, 10) if label or field.multiline else (16, 0)
    line = row(*parts, gap=12, pad=pad, across="start" if field.multiline else "center")
    return Surface(line, color=color, radius=12, fill=True)


def send_line(field: TextField, desc: str, send: Action) -> View:
    act = icon_button("send", desc, send, color="primary" if field.value.strip() else "outline")
    return row(Surface(text_box(field), flex=1), act, gap=4, pad=(12, 6, 4, 10))


def search_box(field: TextField, *, clear: str = "Clear search") -> View:
    cross = [icon_button("close", clear, partial(field.on_change, ""))] if field.value else []
    parts = (Icon("magnify", 24), Surface(field, flex=1, height=52), *cross)
    return Surface(
        row(*parts, gap=12, pad=(16, 0, 4 if cross else 16, 0)),
        color="surface_high",
        radius=26,
        height=52,
        fill=True,
        align="start",
    )


def search_bar(field: TextField, *, on_up: Action, clear: str = "Clear search") -> View:
    back = icon_button("arrow-left", "Navigate up", on_up, color="on_surface")
    return row(back, Surface(search_box(field, clear=clear), flex=1), gap=4, pad=(4, 8, 16, 8))


def disc(face: View, size: float, color: str, **more: Any) -> View:
    return Surface(face, color=color, radius=size / 2, width=size, height=size, align="center", **more)


def app_icon(icon: str, color: str, size: float = 56) -> View:
    return disc(Icon(icon, size * 0.54, "#ffffff"), size, color)


def avatar(name: str, color: str, size: float = 40) -> View:
    return disc(Text(name[:1].upper(), size * 0.45, 500, "#ffffff"), size, color)


def bottom_tabs(tabs: Sequence[tuple[str, str]], current: str, choose: Callable[[str], None]) -> View:
    """Tabs are (icon, label)."""
    cells = [_tab(*tab, current, choose, pill=64, flex=1, height=72) for tab in tabs]
    return Surface(row(*cells), color="surface_container", height=72, fill=True)


def _tab(icon: str, label: str, current: str, choose: Callable[[str], None], *, pill: float, **more: Any) -> View:
    here = label == current
    sign = Surface(
        Icon(icon, 24, "on_primary_container" if here else "on_surface_variant"),
        color="secondary_container" if here else "",
        radius=16,
        width=pill,
        height=32,
        align="center",
    )
    text = Text(label, 12, 500 if here else 400, lines=1)
    face = column(sign, text, gap=2, across="center", along="center")
    return Surface(face, on_tap=partial(choose, label), desc=label, selected=here, **more)


def tabbed(
    look: Look, body: View, tabs: Sequence[tuple[str, str]], *, current: str, choose: Callable[[str], None]
) -> View:
    """With the tabs below the body, or beside it on a wide screen."""
    if not look.wide:
        return column(Surface(body, flex=1), bottom_tabs(tabs, current, choose))
    cells = [_tab(*tab, current, choose, pill=56, fill=True, height=64) for tab in tabs]
    rail = Surface(column(*cells, gap=8, pad=(0, 12)), color="surface_container", width=88)
    return row(rail, Surface(body, flex=1), across="stretch")


def bottom_sheet(*children: View, gap: float = 16) -> View:
    handle = row(Surface(color="outline", radius=2, width=32, height=4), along="center", pad=(0, 4))
    body = ScrollView(column(handle, *children, gap=gap, pad=(20, 8, 20, 20)), "sheet")
    return Place(
        Surface(body, color="surface_container", radius=28, fill=True, max_width=640, flat_bottom=True), "bottom"
    )


def dialog(title: str, *children: View, buttons: Sequence[View], gap: float = 16) -> View:
    parts = (Text(title, 24), ScrollView(column(*children, gap=gap), "dialog"), row(*buttons, along="end", gap=8))
    body = column(*parts, gap=16, pad=24)
    return Place(Surface(body, color="surface_high", radius=28, width=312, elevation=3))


def menu(*items: tuple[str, str, Action]) -> View:
    rows = [
        Surface(
            row(Icon(icon, 22), Text(label, 15, lines=1, flex=1), gap=12, pad=(14, 0)),
            height=48,
            on_tap=action,
            fill=True,
        )
        for icon, label, action in items
    ]
    sheet = Surface(column(*rows, pad=(0, 8)), color="surface_container", radius=8, width=208, elevation=3)
    return Place(sheet, "top end", pad=8)


def empty_page(icon: str, text: str) -> View:
    return column(
        Icon(icon, 56, "outline"),
        Text(text, 16, color="on_surface_variant", align="center"),
        gap=12,
        along="center",
        across="center",
        pad=32,
    )


def selectable(key: str, text: str, *, size: float = 16, weight: int = 400, color: str = "on_surface") -> TextField:
    return TextField(key, text, lambda _: None, size=size, weight=weight, color=color, multiline=True, read_only=True)


def snackbar(text: str, *, on_undo: Action, on_dismiss: Action) -> View:
    undo = Text("Undo", 14, 500, "primary_container")
    parts = (
        Text(text, 14, color="inverse_on_surface", lines=2, flex=1),
        Surface(undo, height=48, pad=(12, 0), align="center", on_tap=on_undo, desc="Undo"),
        icon_button("close", "Dismiss", on_dismiss, color="inverse_on_surface", size=20),
    )
    strip = Surface(row(*parts, pad=(16, 0, 4, 0)), color="inverse_surface", radius=8, fill=True, max_width=600)
    return row(strip, along="center", pad=(12, 4, 12, 12))
