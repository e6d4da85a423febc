"""Which texts keys may have typed: of the computer's keyboard, and of a soft keyboard by their places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.gesture.typed_keys import ENTER, UNKNOWN, Key, exact, hardware_key, soft_key, spell

ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12)
DELETE = soft_key(0.93, is_last_row=False)
BACKSPACE = hardware_key("KEY_BACKSPACE", shifted=False)


def tap(character: str, aside: float = 0.0) -> Key:
    row = next(number for number, letters in enumerate(ROWS) if character in letters)
    return soft_key(ROWS[row].index(character) / 10 + (0.05, 0.1, 0.2)[row] + aside, is_last_row=False)


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


@given(WORDS, st.floats(-0.045, 0.045))
def test_taps_spell_the_word_and_with_a_typing_error_corrected_too(word: str, aside: float) -> None:
    keys = [tap(character, aside) for character in word]

    assert spell(keys, word)
    assert spell([*keys[:1], tap("g"), DELETE, *keys[1:]], word)
    assert spell([*keys, ENTER], word)


@pytest.mark.parametrize("other", ["mil", "milks", "bilk", "silk", "mile", ""])
def test_taps_spell_no_other_word(other: str) -> None:
    assert not spell([tap(character) for character in "milk"], other)


def test_taps_on_the_last_row_are_a_space_or_a_sign() -> None:
    space, comma, stop, layer = (soft_key(across, is_last_row=True) for across in (0.5, 0.2, 0.8, 0.06))
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
