import pytest

from odyssey_recorder.tasks.templates.marked_yaml import MarkedYamlError, read_marked


def test_scalars_are_read_as_text() -> None:
    marked = read_marked("switch: no\ntime: 12:30\nversion: 1.10\nnothing:\nwhole: 007\nday: 2026-12-01\n")
    assert marked.value == {
        "switch": "no", "time": "12:30", "version": "1.10", "nothing": "", "whole": "007", "day": "2026-12-01",
    }  # fmt: skip


def test_keys_and_items_have_line_numbers() -> None:
    marked = read_marked("# first\na:\n  - x\n  - {b: c,\n     d: e}\nf: |\n  g\n  h\n")
    assert marked.value == {"a": ["x", {"b": "c", "d": "e"}], "f": "g\nh\n"}
    assert marked.lines == {("a",): 2, ("a", 0): 3, ("a", 1): 4, ("a", 1, "b"): 4, ("a", 1, "d"): 5, ("f",): 6}


def test_missing_key_has_the_line_of_its_parent() -> None:
    marked = read_marked("\n\na:\n  b: c\n")
    assert marked.line_of(("a", "b", "missing", 3)) == 4
    assert marked.line_of(("missing",)) == 1


@pytest.mark.parametrize(
    ("text", "line", "message"),
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
def test_invalid_yaml_is_reported_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(MarkedYamlError) as raised:
        read_marked(text)
    assert raised.value.line == line
    assert raised.value.message.startswith(message)
