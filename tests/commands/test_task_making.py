import json
import os
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.model.episode import Category
from odyssey_recorder.settings import SettingsStore
from odyssey_recorder.task.listing import ListedTask, parse_task_line, read_tasks, task_line
from odyssey_recorder.task.templates.filling import identity
from odyssey_recorder.task.templates.template_files import shipped_catalogues
from odyssey_recorder.wiring import annotator_tasks
from tests.command_line import CommandLine
from tests.task.origins import FAULTY
from tests.task.tasks import row, write_list


@pytest.fixture
def own_list(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = write_list(command_line.folder / "mine.jsonl", [row("t-1")])
    monkeypatch.setenv("ODYSSEY_TASKS", str(path))
    return path


def made(command_line: CommandLine, *words: object) -> tuple[ListedTask, ...]:
    out = command_line.folder / "made.jsonl"
    ran = command_line("tasks", "generate", "--out", out, *words)
    assert ran.exit_code == 0, ran.err
    return read_tasks(out)


def made_list(command_line: CommandLine, *words: object) -> Path:
    made(command_line, *words)
    return command_line.folder / "made.jsonl"


def test_two_hundred_tasks_are_distinct_valid_and_balanced(command_line: CommandLine) -> None:
    ran = command_line("tasks", "generate", "--count", 200, "--seed", 1)
    assert ran.exit_code == 0
    listed = command_line.folder / "list.jsonl"
    listed.write_text(ran.out)
    assert command_line("tasks", "validate", listed).out == "200 tasks, 0 problems\n"
    tasks = read_tasks(listed)
    assert len({identity(task.task.task) for task in tasks}) == 200
    assert len({identity(task.task.instruction) for task in tasks}) == 200
    assert {*Counter(task.task.category for task in tasks).values()} <= {33, 34}
    apps = shipped_catalogues()["android"].by_name
    assert all(app in apps for task in tasks for app in task.task.apps)
    assert "Web_Shopping" in ran.err
    assert "200 tasks, seed 1" in ran.err


def test_the_same_seed_makes_the_same_tasks(command_line: CommandLine) -> None:
    first = made(command_line, "--count", 20, "--seed", 7)
    assert made(command_line, "--count", 20, "--seed", 7) == first
    assert made(command_line, "--count", 20, "--seed", 8) != first


@pytest.mark.usefixtures("own_list")
def test_what_the_queue_or_a_list_has_never_comes_again(command_line: CommandLine) -> None:
    first = made(command_line, "--count", 30, "--seed", 1, "--queue")
    listed = command_line.folder / "first.jsonl"
    second = made(command_line, "--count", 30, "--seed", 1)
    assert command_line("tasks", "generate", "--count", 5, "--seed", 3, "--out", listed).exit_code == 0
    third = made(command_line, "--count", 30, "--seed", 1, "--known", listed)
    seen = [{identity(task.task.task) for task in tasks} for tasks in (first, second, third, read_tasks(listed))]
    assert not seen[0] & seen[1]
    assert not seen[0] & seen[2]
    assert not seen[2] & seen[3]


def test_shares_of_categories_and_devices_are_kept(command_line: CommandLine) -> None:
    ran = command_line(
        "tasks", "generate", "--count", 40, "--seed", 1, "--catalogue", "simulated_phone",
        "--category", "Multi_Apps=3", "--category", "General_Tool",
        "--device", "pixel_fold", "--device", "small_phone=3",
    )  # fmt: skip
    tasks = [parse_task_line(line) for line in ran.out.splitlines()]
    assert ran.err.count("not asked for") == len(Category) - 2
    assert Counter(task.task.category for task in tasks) == {"Multi_Apps": 30, "General_Tool": 10}
    assert Counter(task.devices for task in tasks) == {("small_phone",): 30, ("pixel_fold",): 10}
    assert {app for task in tasks for app in task.task.apps} <= {*shipped_catalogues()["simulated_phone"].by_name}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--category", "Cooking"), "There is no category Cooking. Use one of General_Tool"),
        (("--device", "nokia=2"), "There is no device nokia"),
        (("--device", "pixel_fold=much"), "pixel_fold=much: the share of a device must be a number"),
        (("--category", "Multi_Apps=-1"), "a share cannot be negative"),
        (("--category", "Multi_Apps=0"), "At least one must be greater than 0"),
        (("--catalogue", "ios"), "No catalogue is named ios"),
    ],
)
def test_what_cannot_be_made_is_said(command_line: CommandLine, words: tuple[str, ...], complaint: str) -> None:
    ran = command_line("tasks", "generate", *words)
    assert ran.exit_code == 2
    assert complaint in " ".join(ran.err.split())
    assert ran.out == ""


def test_a_device_is_not_replaced_by_a_list(command_line: CommandLine) -> None:
    pipe = command_line.folder / "pipe"
    os.mkfifo(pipe)
    ran = command_line("tasks", "generate", "--count", 1, "--out", pipe)
    assert (ran.exit_code, pipe.is_fifo()) == (2, True)
    assert f"The list cannot be written to {pipe}: that is a folder, or a device." in ran.err


def test_when_no_more_are_left_it_is_said(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    templates = command_line.folder / "templates"
    own = templates / "General_Tool" / "one_alarm.yaml"
    (templates / "apps").mkdir(parents=True)
    own.parent.mkdir()
    (templates / "apps" / "bench.yaml").write_text(
        "title: Bench\nclasses: [Tools]\napps:\n"
        "  - {name: Kontor, package: org.example.kontor, class: Tools, roles: [clock]}\n"
    )
    own.write_text(
        "catalogue: bench\nmeta_task: Ring at {hour}\nslots: {hour: ['6:10', '7:20']}\nroles: {clock: any}\n"
        "phrasings: ['Ring at {hour} please', 'At {hour} it must ring', 'I need a ring at {hour}']\n"
        "named_phrasings: ['In {clock}, ring at {hour}', 'Ring at {hour} with {clock}']\n"
    )
    monkeypatch.setenv("ODYSSEY_TEMPLATES", str(templates))
    ran = command_line("tasks", "generate", "--catalogue", "bench", "--count", 5)
    assert ran.exit_code == 1
    assert len(ran.out.splitlines()) == 2
    assert "Only 2 of 5. No more different tasks are available." in ran.err
    own.write_text(own.read_text().replace("{clock: any}", "{clock: [Nobody]}"))
    ran = command_line("tasks", "validate", templates)
    assert ran.exit_code == 1
    assert f"{own}:4: roles.clock" in ran.err


@pytest.mark.usefixtures("own_list")
def test_words_with_known_faults_are_imported_to_be_approved(command_line: CommandLine) -> None:
    first, second = read_tasks(made_list(command_line, "--count", 2, "--seed", 1))
    listed = command_line.folder / "rewritten.jsonl"
    listed.write_text("\n".join(map(task_line, (first, replace(second, text=FAULTY)))))
    assert command_line("tasks", "import", listed).out == "2 tasks, 2 new, 1 to be approved\n"
    assert command_line("tasks", "import", listed).out == "2 tasks, 0 new, 0 to be approved\n"
    stand = {one["task_id"]: one["status"] for one in json.loads(command_line("tasks", "list", "--json").out)}
    assert (stand[first.task_id], stand[second.task_id]) == ("Waiting", "To approve")


@pytest.mark.usefixtures("own_list")
@pytest.mark.parametrize("is_first", [True, False], ids=["before tasks", "behind the command"])
def test_the_queue_is_that_of_the_dataset_that_is_named_wherever_the_flag_stands(
    command_line: CommandLine, *, is_first: bool
) -> None:
    other = command_line.folder / "other"
    listed = made_list(command_line, "--count", 2, "--seed", 1)

    def run(verb: str, *words: object) -> str:
        if is_first:
            return command_line("--dataset", other, "tasks", verb, *words).out
        return command_line("tasks", verb, *words, "--dataset", other).out

    assert run("import", listed) == "2 tasks, 2 new, 0 to be approved\n"
    settings = SettingsStore(dataset=other).read()
    with closing(annotator_tasks(settings, lambda: "ann")) as queue:
        the_windows = queue.board()
    assert {task.task_id for task in the_windows.tasks} >= {task.task_id for task in read_tasks(listed)}
    assert run("export").count("\n") == len(the_windows.tasks)
    assert command_line("tasks", "export").out.count("\n") == len(the_windows.tasks) - 2
    other.mkdir(exist_ok=True)
    (command_line.folder / "link").symlink_to(other)
    linked = command_line("tasks", "import", listed, "--dataset", command_line.folder / "link")
    assert linked.out.endswith("0 new, 0 to be approved\n"), "one queue, however its folder is named"


@pytest.mark.usefixtures("own_list")
def test_tasks_come_into_the_queue_and_out_again(command_line: CommandLine) -> None:
    tasks = made(command_line, "--count", 3, "--seed", 1)
    listed = command_line.folder / "made.jsonl"
    assert command_line("tasks", "import", listed).out == "3 tasks, 3 new, 0 to be approved\n"
    assert command_line("tasks", "import", listed).out == "3 tasks, 0 new, 0 to be approved\n"
    out = command_line.folder / "out.jsonl"
    ran = command_line("tasks", "export", "--status", "waiting", "--out", out)
    assert ran.exit_code == 0
    exported = read_tasks(out)
    assert all(task in exported for task in tasks)
    assert command_line("tasks", "export", "--status", "asleep").exit_code == 2


@pytest.mark.usefixtures("own_list")
def test_a_task_and_a_template_are_shown_with_all_that_is_known(command_line: CommandLine) -> None:
    (task,) = made(command_line, "--count", 1, "--seed", 1, "--queue")
    shown = json.loads(command_line("tasks", "show", task.task_id, "--json").out)
    assert shown["status"] == "To approve"
    assert shown["filled"] == task.task.task
    assert shown["template"] == task.template
    assert "person" in shown["words"]
    template = json.loads(command_line("tasks", "show", task.template, "--json").out)
    assert template["category"] in {one.value for one in Category}
    assert template["phrasings"]
    ran = command_line("tasks", "show", "nothing")
    assert ran.exit_code == 2
    assert "No task or template is named nothing" in ran.err
