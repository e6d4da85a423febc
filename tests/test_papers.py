"""docs/papers.md names commands, options and tests that exist."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.core import TyperCommand, TyperGroup

from odyssey_recorder.cli import program

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs/papers.md"
ROWS_OF_THE_PAPERS = 115


class Row(NamedTuple):
    source: str
    says: str
    command: str
    test: str


def rows() -> Iterator[Row]:
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(Row._fields) and line.startswith("| ") and cells[0] != "source":
            yield Row(*cells)


def spans(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def command_of(words: list[str]) -> TyperCommand | TyperGroup:
    found: TyperCommand | TyperGroup = program()
    while words and isinstance(found, TyperGroup):
        command = found.commands[words.pop(0)]
        assert isinstance(command, TyperCommand | TyperGroup)
        found = command
    return found


def test_the_page_has_every_row_of_the_papers() -> None:
    assert len(list(rows())) == ROWS_OF_THE_PAPERS


@pytest.mark.parametrize("command", sorted({span for row in rows() for span in spans(row.command)}))
def test_commands_and_their_options_exist(command: str) -> None:
    words = command.split()
    found = command_of(words)
    options = {option for parameter in found.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= options, command


def test_every_row_names_a_test_and_all_of_them_exist() -> None:
    missing = [row for row in rows() if not spans(row.test)]
    assert missing == []
    named = {span for row in rows() for span in spans(row.test)}
    assert [one for one in sorted(named) if not is_test(one)] == []


def is_test(named: str) -> bool:
    path, _, name = named.partition("::")
    file = ROOT / path
    return file.is_file() and f"def {name}(" in file.read_text(encoding="utf-8")
