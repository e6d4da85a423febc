from contextlib import closing
from pathlib import Path

import pytest

from odyssey_recorder.settings import SettingsStore
from odyssey_recorder.tasks.listing import read_tasks, shipped_tasks
from odyssey_recorder.wiring.user import annotator_tasks
from tests.cli import CommandLine
from tests.tasks.tasks import row, write_list


@pytest.fixture
def listed(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = write_list(cli.folder / "mine.jsonl", [row("t-1"), row("t-2", apps=["Notes", "Clock"])])
    monkeypatch.setenv("ODYSSEY_TASKS", str(path))
    return path


def test_shipped_list_is_the_default(cli: CommandLine) -> None:
    assert (
        cli.output("tasks", "list").splitlines()[-1]
        == f"Tasks for the simulated emulator: {len(read_tasks(shipped_tasks()))} tasks"
    )


@pytest.mark.usefixtures("listed")
def test_tasks_are_listed_with_their_status(cli: CommandLine) -> None:
    first, second = cli.json("tasks", "list")
    assert (first["task_id"], first["status"], first["category"]) == ("t-1", "Waiting", "General_Tool")
    assert second["apps"] == ["Notes", "Clock"]
    assert not cli.drafts.parent.joinpath("progress").exists()


def test_faults_are_reported_with_file_line_and_key(cli: CommandLine, listed: Path) -> None:
    write_list(listed, [row("t-1", priority=50), row("t-2", start="home", devices=["nokia"])])
    result = cli("tasks", "validate")
    assert (result.exit_code, result.out) == (1, "0 tasks, 3 problems\n")
    assert [line.split(" ")[0] for line in result.err.splitlines()] == [f"{listed}:{line}:" for line in (1, 2, 2)]
    assert [one["key"] for one in cli.json("tasks", "validate")["problems"]] == ["priority", "devices.0", "start"]


def test_only_the_first_of_many_faults_are_printed(cli: CommandLine, listed: Path) -> None:
    listed.write_text("no json\n" * 100)
    result = cli("tasks", "validate")
    assert (result.exit_code, result.out) == (1, "0 tasks, 100 problems\n")
    assert f"{listed}:1:" in cli.error("tasks", "list")
    assert "none.jsonl cannot be read" in cli.error("tasks", "validate", cli.folder / "none.jsonl")
    assert result.err.splitlines()[-1] == "... and 60 more. Use --json to see all."
    assert len(cli.json("tasks", "validate")["problems"]) == 100


@pytest.mark.usefixtures("listed")
def test_tasks_are_assigned_and_released(cli: CommandLine) -> None:
    assert cli.output("tasks", "assign", "t-1", "t-2", "--to", "Bob") == "2 tasks assigned to Bob\n"
    assert cli.output("tasks", "assign", "t-2") == "1 task assigned to everybody\n"
    assert [task["assignee"] for task in cli.json("tasks", "list")] == ["Bob", ""]
    assert "The task x is not in" in cli.error("tasks", "assign", "x", "--to", "Bob")
    with closing(annotator_tasks(SettingsStore().read(), lambda: "Bob")) as bob:
        bob.claim("t-1")
        assert cli.output("tasks", "release", "t-1", "--reason", "too slow") == "Task t-1 released\n"
        bob.board()
        assert bob.why_lost().endswith(": too slow")
    assert "it is waiting" in cli.error("tasks", "release", "t-1", "--reason", "again")
