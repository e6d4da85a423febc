"""The on-screen QWERTY keyboard: its layers of keys and their actions."""

from functools import partial

from odyssey_simulator.system.text_entry import Layer, TextEntry
from odyssey_simulator.ui.controls import Icon, Text
from odyssey_simulator.ui.layout import Surface, column, row
from odyssey_simulator.ui.view import Action, Look, View
from odyssey_simulator.ui.widgets import centered

_ROWS: dict[Layer, tuple[str, ...]] = {
    "letters": ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "symbols": ("1234567890", "@#$_&-+()/", "*\"':;!?"),
    "more": (
        "~`|^<>{}[]",
        "=\\%\u20ac\u00a3\u00a5\u00b0\u00a9\u2022\u2026",
        "\u00a7\u00b6\u00d7\u00f7\u00a1\u00bf\u2013",
    ),
}
_ACTION_ICONS = {"search": "magnify", "go": "arrow-right", "send": "send", "next": "chevron-right", "done": "check"}


def keyboard_view(entry: TextEntry, look: Look) -> View:
    low = look.height_dp < 480
    height = 38.0 if low else 46.0 if look.wide else 48.0
    rows = _ROWS[entry.keyboard.layer]
    keys = column(
        _letters(entry, rows[0], height),
        _letters(entry, rows[1], height, indent=len(rows[1]) == 9),
        _third_row(entry, rows[2], height),
        _bottom_row(entry, height),
        gap=4 if low else 9,
        pad=(4, 8, 4, 8),
    )
    return Surface(centered(keys, 760), color="surface_high", fill=True)


def _letter(entry: TextEntry, character: str, height: float) -> View:
    shown = character.upper() if entry.keyboard.shift and entry.keyboard.layer == "letters" else character
    return _key(Text(shown, 22 if height > 40 else 19), height, partial(entry.press, shown), shown)


def _letters(entry: TextEntry, characters: str, height: float, *, indent: bool = False) -> View:
    keys = [_letter(entry, character, height) for character in characters]
    pad = Surface(height=height, flex=0.5)
    return row(*((pad, *keys, pad) if indent else keys), gap=5)


def _third_row(entry: TextEntry, characters: str, height: float) -> View:
    keyboard = entry.keyboard
    if keyboard.layer == "letters":
        icon = Icon("apple-keyboard-shift", 22, "primary" if keyboard.shift else "on_surface")
        left = _side_key(icon, height, partial(setattr, keyboard, "shift", not keyboard.shift), "Shift")
    else:
        text, other = ("=\\<", "more") if keyboard.layer == "symbols" else ("?123", "symbols")
        left = _side_key(Text(text, 15, 500), height, partial(setattr, keyboard, "layer", other), text)
    delete = _side_key(Icon("backspace-outline", 22, "on_surface"), height, entry.delete, "Delete")
    return row(left, *(_letter(entry, character, height) for character in characters), delete, gap=5)


def _bottom_row(entry: TextEntry, height: float) -> View:
    field = entry.field
    action = "enter" if field is None or field.multiline else field.action
    sign = Icon(_ACTION_ICONS.get(action, "keyboard-return"), 24, "on_primary")
    text, desc, other = (
        ("?123", "Symbols", "symbols") if entry.keyboard.layer == "letters" else ("ABC", "Letters", "letters")
    )
    space = Text("English", 13, 400, "on_surface_variant")
    return row(
        _side_key(Text(text, 15, 500), height, partial(setattr, entry.keyboard, "layer", other), desc),
        _key(Text(",", 22), height, partial(entry.press, ","), ","),
        _key(space, height, partial(entry.press, " "), "Space", flex=4.6),
        _key(Text(".", 22), height, partial(entry.press, "."), "."),
        Surface(
            sign,
            height=height,
            color="primary",
            radius=24,
            align="center",
            desc=action.capitalize(),
            flex=1.5,
            on_tap=entry.enter,
        ),
        gap=5,
    )


def _side_key(face: View, height: float, on_tap: Action, desc: str) -> View:
    return _key(face, height, on_tap, desc, flex=1.5, color="secondary_container")


def _key(  # noqa: PLR0913 - values by keyword, each with a plain default
    face: View, height: float, on_tap: Action, desc: str, *, flex: float = 1, color: str = "surface"
) -> View:
    return Surface(
        face,
        height=height,
        color=color,
        radius=6,
        align="center",
        desc=desc,
        flex=flex,
        on_tap=on_tap,
        id="com.google.android.inputmethod.latin:id/key",
    )
