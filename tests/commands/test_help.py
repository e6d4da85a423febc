"""The help of each command, and shell completion."""

import re

import pytest

from odyssey_recorder.cli import app
from tests.command_line import CommandLine

USERS = {
    "Annotators": "record replay devices doctor avd",
    "Reviewers": "review reviews quality-report",
    "Leads and researchers": (
        "tasks list check annotate curate splits stats predict agent evaluate train serve release merge export "
        "upload download convert"
    ),
    "Trying out": "demo simulate",
}
COMMANDS = sorted(" ".join(USERS.values()).split())


def listed(shown: str) -> dict[str, list[str]]:
    """The lines of each part of a help text, by its heading."""
    parts = re.findall(r"^([A-Z][\w ]+):\n((?:  .*\n)+)", shown, re.MULTILINE)
    return {heading: lines.splitlines() for heading, lines in parts}


def test_the_help_lists_every_command_under_those_who_use_it(command_line: CommandLine) -> None:
    parts = listed(command_line("--help").out)
    assert {users: " ".join(line.split()[0] for line in parts[users]) for users in list(parts)[1:]} == USERS
    known = [command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands]
    assert sorted([*known, *(group.name or "" for group in app.registered_groups)]) == COMMANDS


@pytest.mark.parametrize(
    "group", ["", "annotate", "avd", "avd snapshot", "curate", "release", "reviews", "splits", "tasks"]
)
def test_every_command_is_listed_with_a_whole_sentence_and_explains_itself_in_eighty_columns(
    command_line: CommandLine, group: str
) -> None:
    words = group.split()
    parts = listed(command_line(*words, "--help").out)
    lines = [line for heading, lines in parts.items() if heading != "Options" for line in lines]
    assert lines
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)
    for line in lines:
        ran = command_line(*words, line.split()[0], "--help")
        assert (ran.exit_code, ran.out[:7]) == (0, "Usage: ")
        values = "  CATEGORY <"  # which typer does not break
        assert all(len(one) <= 80 for one in ran.out.splitlines() if not one.startswith(values))


def test_the_help_is_plain_text_without_boxes_or_colours(command_line: CommandLine) -> None:
    command_line.monkeypatch.setenv("FORCE_COLOR", "1")
    assert command_line("--help").out.isascii()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("re", ["record", "replay", "review", "reviews", "release"]),
        ("avd s", ["start", "stop", "snapshot"]),
        ("convert --dialect ", ["card", "release"]),
    ],
)
def test_a_shell_completes_commands_and_values(command_line: CommandLine, typed: str, offered: list[str]) -> None:
    words = f"odyssey-recorder {typed}"
    command_line.monkeypatch.setenv("_ODYSSEY_RECORDER_COMPLETE", "complete_bash")
    command_line.monkeypatch.setenv("COMP_WORDS", words)
    command_line.monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    assert command_line().out.split() == offered


def test_completion_is_shown_and_installed_for_a_shell(command_line: CommandLine) -> None:
    command_line.monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    shown = command_line("--show-completion", "bash")
    assert shown.exit_code == 0
    assert "complete -o default -F _odyssey_recorder_completion odyssey-recorder" in shown.out
    installed = command_line("--install-completion", "bash")
    assert installed.exit_code == 0, installed.err
    (script,) = (command_line.folder / "home").rglob("odyssey-recorder.sh")
    assert script.read_text(encoding="utf-8").strip() == shown.out.strip()
