"""Marking the differences of a task's three texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey_recorder.gui.marked_text import TextPart, text_changes

Words = tuple[str, ...]
words = st.lists(st.sampled_from(["open", "the", "Chrome", "{}", "{item}", ".", "<b>", "milk", "1,000"])).map(" ".join)


def joined(pieces: tuple[TextPart, ...]) -> str:
    return "".join(piece.words for piece in pieces)


@pytest.mark.parametrize(
    ("texts", "put_in", "dropped", "added"),
    [
        (("Buy {} in {shop}.", "Buy red shoes in the market.", ""), ("red shoes", "the market"), None, None),
        (("Buy {} today.", "Sell shoes tomorrow.", ""), (), None, None),
        (
            ("", "Look up the weather in Beijing.", "Use Chrome to look up the weather."),
            (),
            ("in Beijing",),
            ("Use Chrome to",),
        ),
        (("", "Set an  alarm", "set an alarm"), (), (), ()),
        (("Set it to {}.", "Set it to 7.", "Set it to 8."), ("7",), ("7",), ("8",)),
    ],
    ids=["gaps", "another template", "rewrite", "case and blanks", "number"],
)
def test_what_the_filling_put_in_and_the_rewrite_dropped_and_added_is_told(
    texts: tuple[str, str, str], put_in: Words, dropped: Words | None, added: Words | None
) -> None:
    changes = text_changes(*texts)
    assert changes.put_in == put_in
    assert dropped is None or (changes.dropped, changes.added) == (dropped, added)


def test_what_cannot_be_seen_is_marked() -> None:
    assert joined(text_changes("", "a\u202eb\x00c", "").task) == "a\ufffdb\ufffdc"


def test_a_very_long_text_is_not_compared_but_changed_as_a_whole() -> None:
    changes = text_changes("{}" * 5000, "a b " * 5_000, "b a " * 5_000)
    assert (len(changes.dropped), len(changes.added)) == (1, 1)


@settings(deadline=None)
@given(words, words, words)
def test_the_pieces_are_the_texts(template: str, task: str, instruction: str) -> None:
    changes = text_changes(template, task, instruction)
    assert tuple(map(joined, (changes.template, changes.task, changes.instruction))) == (template, task, instruction)


@settings(deadline=None)
@given(words)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    changes = text_changes("", text, text)
    assert (changes.dropped, changes.added) == ((), ())
