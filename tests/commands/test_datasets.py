import pytest

from tests.cli import CommandLine


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        *((command, "is not a dataset folder") for command in ("annotate plan", "list", "quality-report", "stats")),
        ("splits make", "has no episodes: expected a dataset folder"),
        ("splits check", "splits has no splits"),
        ("splits show", "does not say how its splits were made"),
    ],
)
def test_folder_without_episodes_is_rejected(cli: CommandLine, command: str, problem: str) -> None:
    result = cli(*command.split(), cli.folder)
    assert (result.exit_code, result.out) == (2, "")
    assert str(cli.folder) in result.err
    assert problem in result.err
