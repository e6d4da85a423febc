from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from odyssey_simulator.system.text_entry import TextDraft
from odyssey_simulator.ui import text

SIZE = 32
words = st.text(st.characters(min_codepoint=32, max_codepoint=0x17F), max_size=60)


def test_lines_break_at_spaces_and_long_words_are_cut() -> None:
    sentence = "The quick brown fox"
    lines = text.broken_lines(sentence, text.text_width("The quick bro", SIZE), SIZE)
    assert [sentence[start:end] for start, end in lines] == ["The quick ", "brown fox"]
    cut = text.broken_lines("M" * 9, text.text_width("MMMM", SIZE), SIZE)
    assert [end - start for start, end in cut] == [4, 4, 1]
    assert text.broken_lines("a\n\nb", 500, SIZE) == ((0, 1), (2, 2), (3, 4))


@given(st.text(st.sampled_from("ab i\n"), max_size=40), st.integers(20, 300))
def test_broken_lines_keep_every_character_in_order(content: str, width_px: int) -> None:
    lines = text.broken_lines(content, width_px, SIZE)
    assert "".join(content[start:end] for start, end in lines) == content.replace("\n", "")
    assert all(last <= first for (_, last), (first, _) in pairwise(lines))


@given(words, words, st.data())
def test_deleting_inserted_text_restores_the_draft(content: str, more: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(content)))
    draft = TextDraft(content, place, place).inserted(more)
    assert draft.cursor == place + len(more)
    for _ in more:
        draft = draft.deleted()
    assert draft == TextDraft(content, place, place)


def test_selection_is_replaced_and_cursor_is_clamped() -> None:
    draft = TextDraft("one two", 7, 4)
    assert draft.selected == "two"
    assert draft.inserted("three") == TextDraft("one three", 9, 9)
    assert draft.deleted() == TextDraft("one ", 4, 4)

    at = TextDraft("abc", 1, 1)
    assert (at.moved(99), at.moved(-5)) == (TextDraft("abc", 3, 3), TextDraft("abc", 0, 0))
    assert (at.deleted(forward=True), at.moved(99).deleted(forward=True)) == (
        TextDraft("ac", 1, 1),
        TextDraft("abc", 3, 3),
    )
    assert at.all_selected().selected == "abc"
