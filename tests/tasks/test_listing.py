from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.assignment import AsFound, Assignment, FromSnapshot
from odyssey_recorder.model.episode import Category, TaskInfo
from odyssey_recorder.tasks.listing import read_listing, read_tasks, shipped_tasks
from odyssey_simulator.apps import APPS
from tests.tasks.tasks import row, write_list


def test_line_holds_every_field_of_a_task(tmp_path: Path) -> None:
    line = row(
        "t-1",
        meta_task="Do {item}",
        task="Do t-1",
        item="t-1",
        devices=["pixel_fold"],
        start="snapshot:shop-open",
        notes="Mind the step",
        due="2026-12-01",
        priority=3,
    )
    (task,) = read_tasks(write_list(tmp_path / "list.jsonl", [line]))
    info = TaskInfo("General_Tool", ("Clock",), "Do {item}", "Do t-1", "Do t-1 in the clock")
    assert task.assignment == Assignment(info, "t-1", FromSnapshot("shop-open"))
    assert (task.item, task.devices, task.notes) == ("t-1", ("pixel_fold",), "Mind the step")
    assert (task.due, task.priority) == (date(2026, 12, 1), 3)


def test_missing_fields_default_to_the_instruction(tmp_path: Path) -> None:
    (task,) = read_tasks(write_list(tmp_path / "list.jsonl", [row("t-1", instruction=" Set  an\nalarm ")]))
    assert task.task == TaskInfo("General_Tool", ("Clock",), "Set an alarm", "Set an alarm", "Set an alarm")
    assert task.start == AsFound()


def test_blank_lines_and_a_byte_order_mark_are_ignored(tmp_path: Path) -> None:
    path = write_list(tmp_path / "list.jsonl", [row("t-1")])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes() + b"\n  \n")
    assert [task.task_id for task in read_tasks(path)] == ["t-1"]


@pytest.mark.parametrize(
    ("fault", "key"),
    [
        ({"category": "Games"}, "category"),
        ({"instruction": "  "}, "instruction"),
        ({"apps": []}, "apps"),
        ({"apps": ["Clock", ""]}, "apps.1"),
        ({"devices": ["pixel_9"]}, "devices.0"),
        ({"start": "clean-home"}, "start"),
        ({"start": "snapshot:../x"}, "start"),
        ({"due": "soon"}, "due"),
        ({"priority": 100}, "priority"),
        ({"colour": "red"}, "colour"),
        ({"task_id": "../t"}, "task_id"),
    ],
)
def test_invalid_value_is_reported_with_file_line_and_key(tmp_path: Path, fault: dict[str, object], key: str) -> None:
    path = write_list(tmp_path / "list.jsonl", [row("t-1"), row("t-2") | fault])
    listing = read_listing(path)
    assert [task.task_id for task in listing.tasks] == ["t-1"]
    assert [(problem.line, problem.key) for problem in listing.problems] == [(2, key)]
    assert str(listing.problems[0]).startswith(f"{path}:2: {key}: ")


def test_duplicate_id_is_reported(tmp_path: Path) -> None:
    listing = read_listing(write_list(tmp_path / "list.jsonl", [row("t-1"), row("t-1")]))
    assert str(listing.problems[0]).endswith(":2: task_id: t-1 is already the task of line 1")


def test_invalid_or_missing_list_is_rejected(tmp_path: Path) -> None:
    path = write_list(tmp_path / "list.jsonl", [row(f"t-{n}", priority=99) for n in range(5)])
    with pytest.raises(TaskError, match=r"list\.jsonl:1: priority: .*; and 2 more"):
        read_tasks(path)
    path.unlink()
    with pytest.raises(TaskError, match=r"list\.jsonl cannot be read"):
        read_tasks(path)


def test_shipped_list_covers_every_category_with_known_apps() -> None:
    tasks = read_tasks(shipped_tasks())
    assert len({task.task.instruction for task in tasks}) == len(tasks) >= 30
    assert set(Counter(task.task.category for task in tasks)) == {category.value for category in Category}
    assert {app for task in tasks for app in task.task.apps} <= {app.label for app in APPS}


@pytest.mark.parametrize("name", ["simulated_phone", "demonstrations"])
def test_shipped_tasks_have_enough_apps_for_their_category(name: str) -> None:
    tasks = read_tasks(shipped_tasks().with_stem(name), new=True)
    assert [task.task_id for task in tasks if Category(task.task.category).lacks_apps(task.task.apps)] == []


def test_too_few_apps_are_rejected_only_in_new_lists(tmp_path: Path) -> None:
    path = write_list(tmp_path / "list.jsonl", [row("t-1"), row("t-2", category="Multi_Apps", apps=["Clock", "Mail"])])
    (problem,) = read_listing(path).problems
    assert str(problem) == f"{path}:2: apps: Multi_Apps asks for 3 or more different apps, and there are 2"
    with pytest.raises(TaskError, match="Multi_Apps asks for 3"):
        read_tasks(path, new=True)
    assert [task.task_id for task in read_tasks(path)] == ["t-1", "t-2"]
