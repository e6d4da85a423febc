"""The emulator's keyboard: keys that type characters, and Android key codes of the others."""

from collections.abc import Iterator

_ROWS = (
    (0x02, "1234567890-=", "!@#$%^&*()_+"),
    (0x10, "qwertyuiop[]", "QWERTYUIOP{}"),
    (0x1E, "asdfghjkl;'`", 'ASDFGHJKL:"~'),
    (0x2B, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
    (0x39, " ", ""),
    (0x1C, "\n", ""),
    (0x0F, "\t", ""),
)
_STROKES = {
    character: (first + offset, shifted)
    for first, plain, capitals in _ROWS
    for shifted, characters in ((False, plain), (True, capitals))
    for offset, character in enumerate(characters)
}
_ANDROID_KEYS = {
    0x01: 4,
    0x0E: 67,
    0x0F: 61,
    0x1C: 66,
    0x3B: 82,
    0x44: 82,
    0x66: 3,
    0x67: 19,
    0x69: 21,
    0x6A: 22,
    0x6C: 20,
    0x6F: 112,
    0x72: 25,
    0x73: 24,
    0x74: 26,
    0x7F: 84,
    0x85: 278,
    0x87: 279,
    0x89: 277,
    0x8B: 82,
    0x9E: 4,
    0xAC: 3,
    0xD9: 84,
    0xE5: 82,
    0x244: 187,
}
"""As in the emulator's own key layout, where Escape is BACK, and F1 and F10 are MENU."""


def key_strokes(text: str) -> Iterator[tuple[int, bool]]:
    """Linux key codes and whether Shift is held; raises ValueError for a character without a key."""
    for character in text:
        if character not in _STROKES:
            raise ValueError(f"the keyboard has no key for {character!r}")
        yield _STROKES[character]


def android_key(code: int) -> int | None:
    """None for Linux keys that type a character, and unknown ones."""
    return _ANDROID_KEYS.get(code)
