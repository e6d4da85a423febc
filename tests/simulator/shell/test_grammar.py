import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.simulator.shell.grammar import (
    Condition,
    Redirection,
    Script,
    ShellSyntaxError,
    SimpleCommand,
    Variable,
    parse,
)


def words(script: Script) -> list[list[str]]:
    return [
        ["".join(piece for piece in word if isinstance(piece, str)) for word in command.words]
        for _, pipeline in script
        for command in pipeline
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("echo hi", ["echo", "hi"]),
        ("  echo \t hi  ", ["echo", "hi"]),
        ("echo 'a  b' \"c  d\"", ["echo", "a  b", "c  d"]),
        ("echo a'b'\"c\"d", ["echo", "abcd"]),
        ("echo ''", ["echo", ""]),
        (r"echo a\ b \; \$x", ["echo", "a b", ";", "$x"]),
        (r'echo "a\"b" "\$x" "\n"', ["echo", 'a"b', "$x", r"\n"]),
        ("echo '$(reboot) `x` ; | && \\'", ["echo", "$(reboot) `x` ; | && \\"]),
        ("echo 100% a=b {x} ~ * ?", ["echo", "100%", "a=b", "{x}", "~", "*", "?"]),
        ("echo a # rest", ["echo", "a"]),
        ("echo a#b", ["echo", "a#b"]),
    ],
)
def test_words_are_split_and_unquoted(line: str, expected: list[str]) -> None:
    assert words(parse(line)) == [expected]


def test_commands_are_joined_by_conditions() -> None:
    script = parse("a; b && c || d\ne")

    assert [condition for condition, _ in script] == [
        Condition.ALWAYS,
        Condition.ALWAYS,
        Condition.ON_SUCCESS,
        Condition.ON_FAILURE,
        Condition.ALWAYS,
    ]
    assert words(script) == [["a"], ["b"], ["c"], ["d"], ["e"]]


def test_a_pipeline_is_one_unit() -> None:
    [(_, pipeline)] = parse("a | b|c")

    assert len(pipeline) == 3


def test_variables_are_pieces_of_words() -> None:
    [(_, (command,))] = parse("echo X4EXIT:$? \"$A-${B}\" '$C'")

    assert command.words[1:] == (("X4EXIT:", Variable("?")), ("", Variable("A"), "-", Variable("B")), ("$C",))


def test_redirections_name_descriptor_and_target() -> None:
    [(_, (command,))] = parse("a >out 2>>log 2>&1 < in")

    assert command == SimpleCommand(
        (("a",),),
        (
            Redirection(1, ("out",)),
            Redirection(2, ("log",), append=True),
            Redirection(2, 1),
            Redirection(0, ("in",)),
        ),
    )


@pytest.mark.parametrize(
    "line",
    [
        "'open",
        '"open',
        "a &&",
        "| a",
        "a | | b",
        "&& a",
        "a >",
        "$(reboot)",
        "`reboot`",
        '"$(x)"',
        '"`x`"',
        "a &",
        "(a)",
    ],
)
def test_what_is_not_understood_is_refused(line: str) -> None:
    with pytest.raises(ShellSyntaxError):
        parse(line)


@pytest.mark.parametrize("line", ["", "   ", "\n\n", "# nothing"])
def test_nothing_is_an_empty_script(line: str) -> None:
    assert parse(line) == ()


@given(st.lists(st.text(min_size=1), min_size=1))
def test_single_quotes_keep_every_text_whole(texts: list[str]) -> None:
    quoted = " ".join("'" + text.replace("'", "'\\''") + "'" for text in texts)

    assert words(parse(f"echo {quoted}")) == [["echo", *texts]]


@given(st.text(alphabet="ab '\"\\;|&<>$`()#?{}\n0129", max_size=30))
def test_any_line_is_either_read_or_refused(line: str) -> None:
    try:
        script = parse(line)
    except ShellSyntaxError:
        return
    assert all(command.words or command.redirections for _, pipeline in script for command in pipeline)
