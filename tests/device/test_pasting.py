import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.device.pasting import LONG_LINE, arrived, is_pasted


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        ("", "milk", 4),
        ("buy ", "buy milk", 4),
        ("buy  today", "buy milk today", 4),
        ("Search", "milk", 4),
        ("old words", "new milk here", None),
        ("two words", "two milk", 4),
        ("buy ", "buy mi", 2),
        ("buy ", "buy ", 0),
        ("buy ", "buy milkmilk", None),
        ("buy ", "buy M I L K", None),
        ("buy ", "", 0),
    ],
    ids=[
        "an empty field", "its end", "its middle", "its hint gone", "other words", "a selection gone", "a part",
        "nothing", "twice", "in another form", "emptied",
    ],
)  # fmt: skip
def test_pasted_length_is_known_only_if_certain(before: str, after: str, count: int | None) -> None:
    assert arrived(before, after, "milk") == count


@given(st.text("ab ", max_size=6), st.text("ab ", max_size=6), st.text("ab ", min_size=1, max_size=6))
def test_text_inserted_once_has_arrived(head: str, tail: str, wanted: str) -> None:
    assert arrived(head + tail, head + wanted + tail, wanted) == len(wanted)
    assert arrived(head + tail, head + wanted + wanted + tail, wanted) is None


def test_long_lines_and_other_scripts_are_pasted() -> None:
    assert not is_pasted("a" * (LONG_LINE - 1) + "\nb")
    assert is_pasted("b\n" + "a" * LONG_LINE)
    assert is_pasted("caf\N{LATIN SMALL LETTER E WITH ACUTE}")
