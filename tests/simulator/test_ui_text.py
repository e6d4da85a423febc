from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.simulator.system.text_entry import Draft
from odyssey_recorder.simulator.ui import text

SIZE = 32
words = st.text(st.characters(min_codepoint=32, max_codepoint=0x17F), max_size=60)


def test_a_line_breaks_at_a_space_where_there_is_one() -> None:
    sentence = "The quick brown fox"
    lines = text.broken_lines(sentence, text.text_width("The quick bro", SIZE), SIZE)

    assert [sentence[start:end] for start, end in lines] == ["The quick ", "brown fox"]


def test_a_word_too_long_for_the_line_is_cut() -> None:
    lines = text.broken_lines("M" * 9, text.text_width("MMMM", SIZE), SIZE)

    assert [end - start for start, end in lines] == [4, 4, 1]


def test_an_empty_line_stays_a_line() -> None:
    assert text.broken_lines("a\n\nb", 500, SIZE) == ((0, 1), (2, 2), (3, 4))


@given(st.text(st.sampled_from("ab i\n"), max_size=40), st.integers(20, 300))
def test_broken_lines_hold_every_letter_but_the_line_ends_in_order(content: str, width_px: int) -> None:
    lines = text.broken_lines(content, width_px, SIZE)

    assert "".join(content[start:end] for start, end in lines) == content.replace("\n", "")
    assert all(last <= first for (_, last), (first, _) in pairwise(lines))


def test_a_text_that_fits_is_not_shortened_and_one_that_does_not_ends_in_an_ellipsis() -> None:
    room = text.text_width("Holiday in Sp", SIZE)

    assert text.shortened("Holiday", room, SIZE) == "Holiday"
    cut = text.shortened("Holiday in Spain", room, SIZE)
    assert cut.endswith(text.ELLIPSIS)
    assert text.text_width(cut, SIZE) <= room


@given(words)
def test_the_nearest_caret_to_a_caret_is_itself(content: str) -> None:
    offsets = [text.text_width(content[:place], SIZE) for place in range(len(content) + 1)]
    for x in offsets:
        assert offsets[text.nearest_caret(content, x, SIZE)] == x


def test_a_word_ends_where_its_letters_end() -> None:
    assert text.word_around("one, two", 6) == (5, 8)
    assert text.word_around("one, two", 3) == (0, 3)
    assert text.word_around("one -- two", 5) == (5, 5)


@given(words, words, st.data())
def test_what_is_inserted_and_deleted_again_leaves_the_text(content: str, more: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(content)))
    draft = Draft(content, place, place).inserted(more)
    assert draft.cursor == place + len(more)
    for _ in more:
        draft = draft.deleted()

    assert draft == Draft(content, place, place)


def test_typing_replaces_what_is_selected() -> None:
    draft = Draft("one two", 7, 4)

    assert draft.selected == "two"
    assert draft.inserted("three") == Draft("one three", 9, 9)
    assert draft.deleted() == Draft("one ", 4, 4)


def test_forward_delete_takes_the_letter_behind_the_cursor() -> None:
    assert Draft("abc", 1, 1).deleted(forward=True) == Draft("ac", 1, 1)
    assert Draft("abc", 3, 3).deleted(forward=True) == Draft("abc", 3, 3)


def test_the_cursor_stays_inside_of_the_text() -> None:
    assert Draft("abc", 1, 1).moved(99) == Draft("abc", 3, 3)
    assert Draft("abc", 1, 1).moved(-5) == Draft("abc", 0, 0)
    assert Draft("abc", 1, 1).all_selected().selected == "abc"


def test_a_very_long_text_is_broken_in_little_time() -> None:
    lines = text.broken_lines("word " * 20_000, 600, SIZE)

    assert lines[-1][1] == 100_000
    assert all(text.text_width(("word " * 20_000)[start:end].rstrip(), SIZE) <= 600 for start, end in lines[:50])
