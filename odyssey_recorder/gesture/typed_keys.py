"""What a key stroke may have typed: by its key on a US keyboard, or by its place on a soft keyboard."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """It typed one of `characters`, or deleted one, or did neither, whichever it may have; nothing fits without any."""

    characters: str = ""
    deletes: bool = False
    silent: bool = False


UNKNOWN = Key()
ENTER = Key("\n", silent=True)

_PAIRS = {
    **{f"KEY_{letter}": letter.lower() + letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    **{f"KEY_{digit}": digit + sign for digit, sign in zip("1234567890", "!@#$%^&*()", strict=True)},
    **{f"KEY_KP{digit}": digit * 2 for digit in "0123456789"},
    "KEY_SPACE": "  ",
    "KEY_MINUS": "-_",
    "KEY_EQUAL": "=+",
    "KEY_LEFTBRACE": "[{",
    "KEY_RIGHTBRACE": "]}",
    "KEY_BACKSLASH": "\\|",
    "KEY_SEMICOLON": ";:",
    "KEY_APOSTROPHE": "'\"",
    "KEY_GRAVE": "`~",
    "KEY_COMMA": ",<",
    "KEY_DOT": ".>",
    "KEY_SLASH": "/?",
    "KEY_KPDOT": "..",
    "KEY_KPMINUS": "--",
    "KEY_KPPLUS": "++",
    "KEY_KPSLASH": "//",
    "KEY_KPASTERISK": "**",
}
"""Without and with Shift. Android reads the keys of the emulator's keyboard by a US layout."""

_ROWS = (
    *(("qwertyuiop", 0.05), ("asdfghjkl", 0.1), ("zxcvbnm", 0.2)),
    *(("1234567890", 0.05), ("@#$_&-+()/", 0.05), ("*\"':;!?", 0.2)),
)
_COLUMNS = {character: first + index / 10 for row, first in _ROWS for index, character in enumerate(row)}
_LAST_ROW = {",": 0.2, ".": 0.8}
"""The middles of the keys of a QWERTY keyboard, as shares of its width: all have them in these columns."""
_REACH = 0.06
_SPACE = (0.25, 0.75)
_SIDE = 0.16
"""The width of the keys at the sides: Shift and other layers on the left, Delete on the right."""


def hardware_key(code: str, *, shifted: bool) -> Key:
    if code in {"KEY_ENTER", "KEY_KPENTER"}:
        return ENTER
    if code == "KEY_BACKSPACE":
        return Key(deletes=True)
    pair = _PAIRS.get(code, "")
    return Key(pair[shifted]) if pair else UNKNOWN


def soft_key(across: float, *, is_last_row: bool) -> Key:
    """A tap at this share of the keyboard's width."""
    if is_last_row:
        space = " " if _SPACE[0] <= across <= _SPACE[1] else ""
        return Key(space + _near(across, _LAST_ROW), silent=not _SPACE[0] + _REACH < across < 1 - _SIDE)
    letters = _near(across, _COLUMNS)
    return Key(letters + letters.upper(), deletes=across >= 1 - _SIDE, silent=across <= _SIDE)


def _near(across: float, columns: dict[str, float]) -> str:
    return "".join(character for character, middle in columns.items() if abs(across - middle) <= _REACH)


def spell(keys: Sequence[Key], text: str) -> bool:
    """Whether the keys may have typed exactly this, after everything that they deleted."""
    states = {(len(text), 0)}
    for key in reversed(keys):
        states = {earlier for left, deleted in states for earlier in _before(key, text, left, deleted)}
    return any(left == 0 for left, _ in states)


def exact(keys: Sequence[Key]) -> str:
    """The text of keys that have one meaning each, without a last Enter. Empty if any may have had another."""
    text = ""
    for key in keys[:-1] if keys and keys[-1] == ENTER else keys:
        if key == Key(deletes=True):
            text = text[:-1]
        elif key == Key(key.characters) and len(key.characters) == 1:
            text += key.characters
        else:
            return ""
    return text


def _before(key: Key, text: str, left: int, deleted: int) -> Iterator[tuple[int, int]]:
    """What may have been before a key, if `left` characters remained to be typed and `deleted` to be deleted."""
    if key.silent:
        yield left, deleted
    if key.deletes:
        yield left, deleted + 1
    if key.characters and deleted:
        yield left, deleted - 1
    elif left and text[left - 1] in key.characters:
        yield left - 1, 0
