"""Marking the differences of a task's three texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey_recorder.gui.kit.marked_text import TextPart, text_changes

Words = tuple[str, ...]
texts = st.lists(st.sampled_from(["open", "the", "Chrome", "{}", "{item}", ".", "<b>", "milk", "1,000"])).map(" ".join)


def joined(parts: tuple[TextPart, ...]) -> str:
    return "".join(part.text for part in parts)


@pytest.mark.parametrize(
    ("texts", "filled_in", "dropped", "added"),
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
def test_filled_dropped_and_added_words(
    texts: tuple[str, str, str], filled_in: Words, dropped: Words | None, added: Words | None
) -> None:
    changes = text_changes(*texts)
    assert changes.filled_in == filled_in
    assert dropped is None or (changes.dropped, changes.added) == (dropped, added)


def test_invisible_characters_are_marked() -> None:
    assert joined(text_changes("", "a\u202eb\x00c", "").task) == "a\ufffdb\ufffdc"


def test_very_long_text_changes_as_a_whole() -> None:
    changes = text_changes("{}" * 5000, "a b " * 5_000, "b a " * 5_000)
    assert (len(changes.dropped), len(changes.added)) == (1, 1)


@settings(deadline=None)
@given(texts, texts, texts)
def test_pieces_join_to_the_texts(template: str, task: str, instruction: str) -> None:
    changes = text_changes(template, task, instruction)
    assert tuple(map(joined, (changes.template, changes.task, changes.instruction))) == (template, task, instruction)


@settings(deadline=None)
@given(texts)
def test_equal_texts_have_no_changes(text: str) -> None:
    changes = text_changes("", text, text)
    assert (changes.dropped, changes.added) == ((), ())
