"""The help of each command, and shell completion."""

import re

import pytest

from odyssey_recorder.cli import program
from tests.cli import CommandLine

USERS = {
    "Annotators": "record replay devices doctor avd",
    "Reviewers": "review reviews quality-report",
    "Leads and researchers": (
        "tasks list check annotate curate splits stats predict agent agents evaluate train serve release merge export "
        "upload download convert"
    ),
    "Trying out": "demo simulate",
}
COMMANDS = sorted(" ".join(USERS.values()).split())


def listed(shown: str) -> dict[str, list[str]]:
    """The lines of each part of a help text, by its heading."""
    parts = re.findall(r"^([A-Z][\w ]+):\n((?:  .*\n)+)", shown, re.MULTILINE)
    return {heading: lines.splitlines() for heading, lines in parts}


def test_help_groups_every_command_by_its_users(cli: CommandLine) -> None:
    parts = listed(cli("--help").out)
    assert {users: " ".join(line.split()[0] for line in parts[users]) for users in list(parts)[1:]} == USERS
    assert sorted(program().commands) == COMMANDS


@pytest.mark.parametrize(
    "group", ["", "annotate", "avd", "avd snapshot", "curate", "devices", "release", "reviews", "splits", "tasks"]
)
def test_every_command_has_help_within_eighty_columns(cli: CommandLine, group: str) -> None:
    words = group.split()
    parts = listed(cli(*words, "--help").out)
    lines = [line for heading, lines in parts.items() if heading != "Options" for line in lines]
    assert lines
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)
    for line in lines:
        result = cli(*words, line.split()[0], "--help")
        assert (result.exit_code, result.out[:7]) == (0, "Usage: ")
        values = "  CATEGORY <"  # which typer does not break
        assert all(len(one) <= 80 for one in result.out.splitlines() if not one.startswith(values))


def test_help_is_plain_text(cli: CommandLine) -> None:
    cli.monkeypatch.setenv("FORCE_COLOR", "1")
    assert cli("--help").out.isascii()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("re", ["record", "replay", "review", "reviews", "release"]),
        ("avd s", ["start", "stop", "snapshot"]),
        ("convert --dialect ", ["card", "release"]),
    ],
)
def test_shell_completes_commands_and_values(cli: CommandLine, typed: str, offered: list[str]) -> None:
    words = f"odyssey-recorder {typed}"
    cli.monkeypatch.setenv("_ODYSSEY_RECORDER_COMPLETE", "complete_bash")
    cli.monkeypatch.setenv("COMP_WORDS", words)
    cli.monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    assert cli().out.split() == offered


def test_completion_script_is_shown_and_installed(cli: CommandLine) -> None:
    cli.monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    cli.monkeypatch.setattr("odyssey_recorder.cli.program", program.__wrapped__)  # the variable counts when it is built
    output = cli.output("--show-completion", "bash")
    assert "complete -o default -F _odyssey_recorder_completion odyssey-recorder" in output
    cli.output("--install-completion", "bash")
    (script,) = (cli.folder / "home").rglob("odyssey-recorder.sh")
    assert script.read_text(encoding="utf-8").strip() == output.strip()
