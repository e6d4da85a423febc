import json
from pathlib import Path

import pytest

from odyssey_recorder.task.listing import read_tasks, shipped_tasks
from tests.command_line import CommandLine
from tests.task.tasks import row, write_list


@pytest.fixture
def listed(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = write_list(command_line.folder / "mine.jsonl", [row("t-1"), row("t-2", apps=["Notes", "Clock"])])
    monkeypatch.setenv("ODYSSEY_TASKS", str(path))
    return path


def test_the_shipped_list_is_used_where_no_other_is_named(command_line: CommandLine) -> None:
    ran = command_line("tasks", "list")
    assert ran.exit_code == 0
    assert ran.out.splitlines()[-1] == f"Tasks for the simulated emulator: {len(read_tasks(shipped_tasks()))} tasks"


@pytest.mark.usefixtures("listed")
def test_tasks_are_listed_with_how_they_stand(command_line: CommandLine) -> None:
    ran = command_line("tasks", "list", "--json")
    first, second = json.loads(ran.out)
    assert (first["task_id"], first["status"], first["category"]) == ("t-1", "Waiting", "General_Tool")
    assert second["apps"] == ["Notes", "Clock"]
    assert not command_line.drafts.parent.joinpath("progress").exists()


def test_each_fault_is_told_with_file_line_and_key(command_line: CommandLine, listed: Path) -> None:
    write_list(listed, [row("t-1", priority=50), row("t-2", start="home", devices=["nokia"])])
    ran = command_line("tasks", "validate")
    assert (ran.exit_code, ran.out) == (1, "0 tasks, 3 problems\n")
    assert [line.split(" ")[0] for line in ran.err.splitlines()] == [f"{listed}:{line}:" for line in (1, 2, 2)]
    as_json = command_line("tasks", "validate", "--json")
    assert [one["key"] for one in json.loads(as_json.out)["problems"]] == ["priority", "devices.0", "start"]


def test_of_very_many_faults_the_first_are_told(command_line: CommandLine, listed: Path) -> None:
    listed.write_text("no json\n" * 100)
    ran = command_line("tasks", "validate")
    assert (ran.exit_code, ran.out) == (1, "0 tasks, 100 problems\n")
    unlisted = command_line("tasks", "list")
    assert (unlisted.exit_code, f"{listed}:1:" in unlisted.err) == (2, True)
    missing = command_line("tasks", "validate", command_line.folder / "none.jsonl")
    assert (missing.exit_code, "none.jsonl cannot be read" in missing.err) == (2, True)
    assert ran.err.splitlines()[-1] == "... and 60 more. Use --json to see all."
    assert len(json.loads(command_line("tasks", "validate", "--json").out)["problems"]) == 100
