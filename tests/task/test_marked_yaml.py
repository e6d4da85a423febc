import pytest

from odyssey_recorder.task.templates.marked_yaml import MarkedYamlError, read_marked


def test_every_scalar_is_the_text_that_was_written() -> None:
    said = read_marked("switch: no\ntime: 12:30\nversion: 1.10\nnothing:\nwhole: 007\nday: 2026-12-01\n")
    assert said.value == {
        "switch": "no", "time": "12:30", "version": "1.10", "nothing": "", "whole": "007", "day": "2026-12-01",
    }  # fmt: skip


def test_each_key_and_each_item_knows_its_line() -> None:
    said = read_marked("# first\na:\n  - x\n  - {b: c,\n     d: e}\nf: |\n  g\n  h\n")
    assert said.value == {"a": ["x", {"b": "c", "d": "e"}], "f": "g\nh\n"}
    assert said.lines == {("a",): 2, ("a", 0): 3, ("a", 1): 4, ("a", 1, "b"): 4, ("a", 1, "d"): 5, ("f",): 6}


def test_what_is_not_there_has_the_line_of_what_is_above_it() -> None:
    said = read_marked("\n\na:\n  b: c\n")
    assert said.line_of(("a", "b", "missing", 3)) == 4
    assert said.line_of(("missing",)) == 1


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, 'the key "a" appears twice'),
        ("a: &x [1]\nb: *x\n", 2, "aliases (*) are not supported; write out the value"),
        ("a: &x [*x]\n", 1, "aliases (*) are not supported; write out the value"),
        ("a:\n  ? [b]\n  : c\n", 2, "a key must be a text"),
        ("a: 1\n---\nb: 2\n", 2, "a second document starts here; a file can hold only one"),
        ("a: 1\nb: one: two\n", 2, "invalid YAML: a text with a colon and a space must be in quotes"),
        ("a: [1,\n", 2, "invalid YAML: "),
        ("a: \x07\n", 1, "invalid YAML: "),
        ("[" * 100_000, 1, "nested too deeply"),
        ("{a: " * 100_000, 1, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(MarkedYamlError) as told:
        read_marked(text)
    assert told.value.line == line
    assert told.value.words.startswith(words)
