"""Which texts keys may have typed: of the computer's keyboard, and of a soft keyboard by their places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.gesture.typed_keys import ENTER, UNKNOWN, Key, exact, hardware_key, soft_key, spell
from odyssey_recorder.model.geometry import Box, Pixel

BOARD = Box(0, 1500, 1000, 2300)
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12)
DELETE = soft_key(Pixel(930, 2000), BOARD, 0.79)
BACKSPACE = hardware_key("KEY_BACKSPACE", shifted=False)


def tap(character: str, aside: int = 0) -> Key:
    row = next(number for number, letters in enumerate(ROWS) if character in letters)
    across = ROWS[row].index(character) * 100 + (50, 100, 200)[row]
    return soft_key(Pixel(across + aside, 1700 + 100 * row), BOARD, 0.79)


def typed(text: str) -> tuple[Key, ...]:
    return tuple(hardware_key(f"KEY_{character.upper()}", shifted=character.isupper()) for character in text)


@pytest.mark.parametrize(
    ("code", "shifted", "key"),
    [
        ("KEY_A", False, Key("a")),
        ("KEY_A", True, Key("A")),
        ("KEY_2", True, Key("@")),
        ("KEY_SLASH", True, Key("?")),
        ("KEY_KP7", False, Key("7")),
        ("KEY_SPACE", False, Key(" ")),
        ("KEY_BACKSPACE", False, Key(deletes=True)),
        ("KEY_KPENTER", False, ENTER),
        ("KEY_TAB", False, UNKNOWN),
        ("KEY_DELETE", False, UNKNOWN),
    ],
)
def test_key_of_the_computer_is_read_by_the_us_layout(code: str, shifted: bool, key: Key) -> None:
    assert hardware_key(code, shifted=shifted) == key


@given(WORDS, st.integers(-45, 45))
def test_taps_spell_the_word_and_with_a_typing_error_corrected_too(word: str, aside: int) -> None:
    keys = [tap(character, aside) for character in word]

    assert spell(keys, word)
    assert spell([*keys[:1], tap("g"), DELETE, *keys[1:]], word)
    assert spell([*keys, ENTER], word)


@pytest.mark.parametrize("other", ["mil", "milks", "bilk", "silk", "mile", ""])
def test_taps_spell_no_other_word(other: str) -> None:
    assert not spell([tap(character) for character in "milk"], other)


def test_taps_on_the_last_row_are_a_space_or_a_sign() -> None:
    space, comma, stop, layer = (soft_key(Pixel(x, 2200), BOARD, 0.79) for x in (500, 200, 800, 60))
    assert spell([tap("a"), comma, space, tap("b"), stop], "a, b.")
    assert spell([tap("o"), layer], "o")
    assert not spell([tap("o"), space], "o")


@given(WORDS, WORDS)
def test_keys_of_the_computer_have_one_meaning(word: str, wrong: str) -> None:
    keys = (*typed(word), *typed(wrong), *(BACKSPACE for _ in wrong), ENTER)

    assert exact(keys) == word
    assert spell(keys, word)
    assert spell(keys, wrong) == (wrong == word)


@pytest.mark.parametrize("keys", [(UNKNOWN,), (*typed("ab"), UNKNOWN), (tap("a"),), ()])
def test_other_keys_have_no_meaning_of_their_own(keys: tuple[Key, ...]) -> None:
    assert exact(keys) == ""
    assert not spell((UNKNOWN, *keys), "ab")
