"""The effect of each Android key code."""

from odyssey_simulator.system.system_ui import SystemUi

_HOME, _BACK, _POWER, _ENTER, _DELETE = 3, 4, 26, 66, 67
_APP_SWITCH, _SLEEP, _WAKE_UP = 187, 223, 224
_FORWARD_DELETE, _MOVE_HOME, _MOVE_END = 112, 122, 123
_CUT, _COPY, _PASTE = 277, 278, 279
_UP, _DOWN, _LEFT, _RIGHT, _ESCAPE = 19, 20, 21, 22, 111
_CHARACTERS = {
    55: ",",
    56: ".",
    62: " ",
    68: "`",
    69: "-",
    70: "=",
    71: "[",
    72: "]",
    73: "\\",
    74: ";",
    75: "'",
    76: "/",
    77: "@",
    81: "+",
    17: "*",
    18: "#",
}


def press(system: SystemUi, code: int) -> None:
    """A sleeping phone only wakes up; an unknown key does nothing."""
    if code in {_POWER, _SLEEP, _WAKE_UP}:
        system.awake = code == _WAKE_UP or (code == _POWER and not system.awake)
        return
    if not system.awake:
        return
    system.toast_text = ""
    entry = system.entry
    actions = {
        _HOME: system.press_home,
        _BACK: system.press_back,
        _ESCAPE: system.press_back,
        _APP_SWITCH: system.press_overview,
        _CUT: entry.cut,
        _COPY: entry.copy,
        _MOVE_HOME: lambda: entry.move_to(0),
        _MOVE_END: lambda: entry.move_to(1_000_000),
        _UP: lambda: entry.move_to(0),
        _DOWN: lambda: entry.move_to(1_000_000),
        _LEFT: lambda: entry.move(-1),
        _RIGHT: lambda: entry.move(1),
        _ENTER: entry.enter,
        _DELETE: entry.delete,
        _FORWARD_DELETE: lambda: entry.delete(forward=True),
        _PASTE: entry.paste,
    }
    action = actions.get(code)
    if action is not None:
        action()
    elif character := _character(code):
        entry.insert(character)


def _character(code: int) -> str:
    if 29 <= code <= 54:
        return chr(ord("a") + code - 29)
    return chr(ord("0") + code - 7) if 7 <= code <= 16 else _CHARACTERS.get(code, "")
