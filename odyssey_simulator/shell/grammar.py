"""Parses command lines of the device's shell: quotes, operators, redirections, `$?`.

Supported: words with single and double quotes and backslashes, `;`, newline, `&&`, `||`, `|`, `>`, `>>`, `<`, `2>`,
`2>&1`, `$?`, `$NAME`, comments. The rest of sh (command substitution, background jobs, blocks) is a syntax error:
taking `$(reboot)` for plain text would be misleading.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

STATUS = "?"


class ShellSyntaxError(ValueError): ...


@dataclass(frozen=True, slots=True)
class Variable:
    name: str


Word = tuple[str | Variable, ...]


@dataclass(frozen=True, slots=True)
class Redirection:
    """Redirects `fd` to (or, for 0, from) the file `target`, or to another descriptor."""

    fd: int
    target: Word | int
    append: bool = False


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...] = ()


Pipeline = tuple[SimpleCommand, ...]


class RunIf(Enum):
    ALWAYS = ";"
    ON_SUCCESS = "&&"
    ON_FAILURE = "||"


Script = tuple[tuple[RunIf, Pipeline], ...]

_OPERATOR = re.compile(r"\d?>&\d|\d?>>|\d?>|<|&&|\|\||[|;\n]")
_VARIABLE = re.compile(r"\$(\?|[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\})")
_REFUSED = re.compile(r"[&()`]|\$\(")
_BARE_END = frozenset(" \t\n;|&<>()'\"\\$`")


@dataclass(frozen=True, slots=True)
class _Operator:
    text: str


def parse(line: str) -> Script:
    """Raises ShellSyntaxError."""
    script: list[tuple[RunIf, Pipeline]] = []
    condition = RunIf.ALWAYS
    tokens: list[Word | _Operator] = []
    for token in (*_tokens(line), _Operator(";")):
        if not (isinstance(token, _Operator) and token.text in {";", "\n", "&&", "||"}):
            tokens.append(token)
            continue
        follows = RunIf(token.text.replace("\n", ";"))
        if tokens:
            script.append((condition, _pipeline(tokens)))
            tokens = []
        elif follows is not RunIf.ALWAYS or condition is not RunIf.ALWAYS:
            raise ShellSyntaxError(f"syntax error: unexpected '{token.text.strip() or 'newline'}'")
        condition = follows
    return tuple(script)


def _pipeline(tokens: list[Word | _Operator]) -> Pipeline:
    commands: list[SimpleCommand] = []
    words: list[Word] = []
    redirections: list[Redirection] = []
    rest = iter((*tokens, _Operator("|")))
    for token in rest:
        if not isinstance(token, _Operator):
            words.append(token)
        elif token.text == "|":
            if not words and not redirections:
                raise ShellSyntaxError("syntax error: unexpected '|'")
            commands.append(SimpleCommand(tuple(words), tuple(redirections)))
            words, redirections = [], []
        else:
            redirections.append(_redirection(token.text, rest))
    return tuple(commands)


def _redirection(operator: str, rest: Iterator[Word | _Operator]) -> Redirection:
    if operator == "<":
        fd, sign = 0, operator
    elif operator[0].isdigit():
        fd, sign = int(operator[0]), operator[1:]
    else:
        fd, sign = 1, operator
    if sign.startswith(">&"):
        return Redirection(fd, int(sign[2:]))
    target = next(rest)
    if isinstance(target, _Operator):
        raise ShellSyntaxError(f"syntax error: unexpected '{target.text.strip() or 'newline'}'")
    return Redirection(fd, target, append=sign == ">>")


def _tokens(line: str) -> Iterator[Word | _Operator]:
    position = 0
    while position < len(line):
        if line[position] in " \t":
            position += 1
        elif line[position] == "#":
            position = (line + "\n").index("\n", position)
        elif operator := _OPERATOR.match(line, position):
            yield _Operator(operator.group())
            position = operator.end()
        else:
            word, position = _word(line, position)
            yield word


def _word(line: str, position: int) -> tuple[Word, int]:
    pieces: list[str | Variable] = []
    while position < len(line) and line[position] not in " \t\n;|<>":
        character = line[position]
        if character == "'":
            end = _closing(line, "'", position + 1)
            pieces.append(line[position + 1 : end])
            position = end + 1
        elif character == '"':
            quoted, position = _double_quoted(line, position + 1)
            pieces.extend(quoted)
        elif character == "\\":
            pieces.append(line[position + 1 : position + 2].replace("\n", ""))
            position += 2
        else:
            piece, position = _bare(line, position)
            pieces.append(piece)
    return tuple(pieces), position


def _bare(line: str, position: int) -> tuple[str | Variable, int]:
    if variable := _VARIABLE.match(line, position):
        return Variable(variable.group(1).strip("{}")), variable.end()
    if refused := _REFUSED.match(line, position):
        raise ShellSyntaxError(f"syntax error: unexpected '{refused.group()}'")
    end = position + 1
    while end < len(line) and line[end] not in _BARE_END:
        end += 1
    return line[position:end], end


def _double_quoted(line: str, position: int) -> tuple[list[str | Variable], int]:
    pieces: list[str | Variable] = [""]
    while position < len(line) and line[position] != '"':
        if line[position] == "\\" and line[position + 1 : position + 2] in {"$", "`", '"', "\\", "\n"}:
            pieces.append(line[position + 1].replace("\n", ""))
            position += 2
        elif line[position] in "$`":
            piece, position = _bare(line, position)
            pieces.append(piece)
        else:
            pieces.append(line[position])
            position += 1
    if position == len(line):
        raise ShellSyntaxError("no closing quote")
    return pieces, position + 1


def _closing(line: str, quote: str, start: int) -> int:
    end = line.find(quote, start)
    if end < 0:
        raise ShellSyntaxError("no closing quote")
    return end
