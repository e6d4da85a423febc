import json

from tests.command_line import CommandLine
from tests.selection.datasets import write
from tests.selection.test_index import DONE, facts, ids


def test_the_episodes_of_a_filter_are_listed(command_line: CommandLine) -> None:
    for number, category in enumerate(("Multi_Apps", "Web_Shopping", "Web_Shopping")):
        write(command_line.dataset, facts(number, category=category), DONE)
    ran = command_line("list", "--filter", "category:web_shopping", "--save", "shops")
    assert (ran.exit_code, [line[:16] for line in ran.out.splitlines()]) == (0, [*ids(1, 2)])
    assert "2 of 3 episodes" in ran.err
    found = json.loads(command_line("list", "--saved", "shops", "--filter", '-"number 1"', "--json").out)
    assert [one["episode_id"] for one in found] == [*ids(2)]


def test_a_filter_on_findings_says_what_is_not_checked(command_line: CommandLine) -> None:
    write(command_line.dataset, facts(0), DONE)
    assert "The findings of 1 episode are unknown" in command_line("list", "--filter", "finding:error").err
    ran = command_line("list", "--filter", "finding:error", "--check")
    assert (ran.out[:16], "unknown" in ran.err) == (ids(0)[0], False)  # its screenshots are missing


def test_a_wrong_filter_is_wrong_usage(command_line: CommandLine) -> None:
    write(command_line.dataset, facts(0), DONE)
    ran = command_line("list", "--filter", "devise:x")
    assert (ran.exit_code, "Did you mean “device:”?" in ran.err) == (2, True)


def test_a_folder_without_episodes_is_no_dataset(command_line: CommandLine) -> None:
    assert command_line("list", command_line.folder).exit_code == 2
