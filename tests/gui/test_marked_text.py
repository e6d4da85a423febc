"""Marking the differences of a task's three texts."""

from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey_recorder.gui.marked_text import TextPart, text_changes

words = st.lists(st.sampled_from(["open", "the", "Chrome", "{}", "{item}", ".", "<b>", "milk", "1,000"])).map(" ".join)


def joined(pieces: tuple[TextPart, ...]) -> str:
    return "".join(piece.words for piece in pieces)


def test_what_the_filling_put_in_is_known_by_the_gaps() -> None:
    changes = text_changes("Buy {} in {shop}.", "Buy red shoes in the market.", "Buy red shoes in the market.")
    assert changes.put_in == ("red shoes", "the market")
    assert [piece.words for piece in changes.template if piece.filled] == ["{}", "{shop}"]


def test_a_task_of_another_template_has_no_fillings() -> None:
    assert text_changes("Buy {} today.", "Sell shoes tomorrow.", "").put_in == ()


def test_what_the_rewrite_dropped_and_added_is_told() -> None:
    changes = text_changes("", "Look up the weather in Beijing.", "Use Chrome to look up the weather.")
    assert changes.dropped == ("in Beijing",)
    assert changes.added == ("Use Chrome to",)


def test_case_and_blanks_make_no_difference() -> None:
    changes = text_changes("", "Set an  alarm", "set an alarm")
    assert (changes.dropped, changes.added) == ((), ())


def test_a_number_that_was_changed_is_both_dropped_and_added() -> None:
    changes = text_changes("Set it to {}.", "Set it to 7.", "Set it to 8.")
    assert (changes.put_in, changes.dropped, changes.added) == (("7",), ("7",), ("8",))


def test_what_cannot_be_seen_is_marked() -> None:
    assert joined(text_changes("", "a\u202eb\x00c", "").task) == "a\ufffdb\ufffdc"


def test_a_very_long_text_is_not_compared_but_changed_as_a_whole() -> None:
    changes = text_changes("{}" * 5000, "a b " * 50_000, "b a " * 50_000)
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
