import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_simulator.shell.grammar import Script, ShellSyntaxError, parse


def words(script: Script) -> list[list[str]]:
    return [
        ["".join(piece for piece in word if isinstance(piece, str)) for word in command.words]
        for _, pipeline in script
        for command in pipeline
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  echo \t hi  ", ["echo", "hi"]),
        ("echo 'a  b' \"c  d\"", ["echo", "a  b", "c  d"]),
        ("echo a'b'\"c\"d ''", ["echo", "abcd", ""]),
        (r"echo a\ b \; \$x", ["echo", "a b", ";", "$x"]),
        (r'echo "a\"b" "\$x" "\n"', ["echo", 'a"b', "$x", r"\n"]),
        ("echo '$(reboot) `x` ; | && \\'", ["echo", "$(reboot) `x` ; | && \\"]),
        ("echo 100% a=b {x} ~ * ?", ["echo", "100%", "a=b", "{x}", "~", "*", "?"]),
        ("echo a#b # rest", ["echo", "a#b"]),
    ],
)
def test_words_are_split_and_unquoted(line: str, expected: list[str]) -> None:
    assert words(parse(line)) == [expected]


@pytest.mark.parametrize(
    "line",
    [
        *("'open", '"open', "a &&", "| a", "a | | b", "&& a", "a >"),
        *("$(reboot)", "`reboot`", '"$(x)"', '"`x`"', "a &", "(a)"),
    ],
)
def test_unsupported_syntax_is_rejected(line: str) -> None:
    with pytest.raises(ShellSyntaxError):
        parse(line)


@pytest.mark.parametrize("line", ["", "   ", "\n\n", "# nothing"])
def test_blank_line_is_an_empty_script(line: str) -> None:
    assert parse(line) == ()


@given(st.lists(st.text(min_size=1), min_size=1))
def test_single_quotes_preserve_any_text(texts: list[str]) -> None:
    quoted = " ".join("'" + text.replace("'", "'\\''") + "'" for text in texts)
    assert words(parse(f"echo {quoted}")) == [["echo", *texts]]


@given(st.text(alphabet="ab '\"\\;|&<>$`()#?{}\n0129", max_size=30))
def test_any_line_is_either_parsed_or_rejected(line: str) -> None:
    try:
        script = parse(line)
    except ShellSyntaxError:
        return
    assert all(command.words or command.redirections for _, pipeline in script for command in pipeline)
