import os
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.model.episode import Category
from odyssey_recorder.settings import SettingsStore
from odyssey_recorder.tasks.listing import ListedTask, parse_task_line, read_tasks, task_line
from odyssey_recorder.tasks.templates.filling import identity
from odyssey_recorder.tasks.templates.template_files import shipped_catalogues
from odyssey_recorder.wiring.user import annotator_tasks
from tests.cli import CommandLine
from tests.tasks.origins import BY_MODEL, FAULTY
from tests.tasks.tasks import row, write_list

pytestmark = pytest.mark.usefixtures("shipped_templates_read_once")


@pytest.fixture
def task_list(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = write_list(cli.folder / "mine.jsonl", [row("t-1")])
    monkeypatch.setenv("ODYSSEY_TASKS", str(path))
    return path


def generate(cli: CommandLine, *words: object) -> tuple[ListedTask, ...]:
    out = cli.folder / "made.jsonl"
    cli.output("tasks", "generate", "--out", out, *words)
    return read_tasks(out)


def test_two_hundred_tasks_are_distinct_valid_and_balanced(cli: CommandLine) -> None:
    result = cli("tasks", "generate", "--count", 200, "--seed", 1)
    assert result.exit_code == 0
    listed = cli.folder / "list.jsonl"
    listed.write_text(result.out)
    assert cli("tasks", "validate", listed).out == "200 tasks, 0 problems\n"
    tasks = read_tasks(listed)
    assert len({identity(task.task.task) for task in tasks}) == 200
    assert len({identity(task.task.instruction) for task in tasks}) == 200
    assert {*Counter(task.task.category for task in tasks).values()} <= {33, 34}
    apps = shipped_catalogues()["android"].by_name
    assert all(app in apps for task in tasks for app in task.task.apps)
    assert "Web_Shopping" in result.err
    assert "200 tasks, seed 1" in result.err


@pytest.mark.usefixtures("task_list")
def test_known_tasks_are_not_generated_again(cli: CommandLine) -> None:
    first = generate(cli, "--count", 30, "--seed", 1, "--queue")
    listed = cli.folder / "first.jsonl"
    second = generate(cli, "--count", 30, "--seed", 1)
    assert cli("tasks", "generate", "--count", 5, "--seed", 3, "--out", listed).exit_code == 0
    third = generate(cli, "--count", 30, "--seed", 1, "--known", listed)
    seen = [{identity(task.task.task) for task in tasks} for tasks in (first, second, third, read_tasks(listed))]
    assert not seen[0] & seen[1]
    assert not seen[0] & seen[2]
    assert not seen[2] & seen[3]


def test_shares_of_categories_and_devices_are_kept(cli: CommandLine) -> None:
    result = cli(
        "tasks", "generate", "--count", 40, "--seed", 1, "--catalogue", "simulated_phone",
        "--category", "Multi_Apps=3", "--category", "General_Tool",
        "--device", "pixel_fold", "--device", "small_phone=3",
    )  # fmt: skip
    tasks = [parse_task_line(line) for line in result.out.splitlines()]
    assert result.err.count("not asked for") == len(Category) - 2
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
def test_impossible_request_is_explained(cli: CommandLine, words: tuple[str, ...], complaint: str) -> None:
    result = cli("tasks", "generate", *words)
    assert result.exit_code == 2
    assert complaint in " ".join(result.err.split())
    assert result.out == ""


def test_pipe_is_not_replaced_by_a_list(cli: CommandLine) -> None:
    pipe = cli.folder / "pipe"
    os.mkfifo(pipe)
    result = cli("tasks", "generate", "--count", 1, "--out", pipe)
    assert (result.exit_code, pipe.is_fifo()) == (2, True)
    assert f"The list cannot be written to {pipe}: that is a folder, or a device." in result.err


def test_exhausted_templates_are_reported(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    templates = cli.folder / "templates"
    template_file = templates / "General_Tool" / "one_alarm.yaml"
    (templates / "apps").mkdir(parents=True)
    template_file.parent.mkdir()
    (templates / "apps" / "bench.yaml").write_text(
        "title: Bench\nclasses: [Tools]\napps:\n"
        "  - {name: Kontor, package: org.example.kontor, class: Tools, roles: [clock]}\n"
    )
    template_file.write_text(
        "catalogue: bench\nmeta_task: Ring at {hour}\nslots: {hour: ['6:10', '7:20']}\nroles: {clock: any}\n"
        "phrasings: ['Ring at {hour} please', 'At {hour} it must ring', 'I need a ring at {hour}']\n"
        "named_phrasings: ['In {clock}, ring at {hour}', 'Ring at {hour} with {clock}']\n"
    )
    monkeypatch.setenv("ODYSSEY_TEMPLATES", str(templates))
    result = cli("tasks", "generate", "--catalogue", "bench", "--count", 5)
    assert result.exit_code == 1
    assert len(result.out.splitlines()) == 2
    assert "Only 2 of 5. No more different tasks are available." in result.err
    template_file.write_text(template_file.read_text().replace("{clock: any}", "{clock: [Nobody]}"))
    assert f"{template_file}:4: roles.clock" in cli.error("tasks", "validate", templates, exit_code=1)


@pytest.mark.usefixtures("task_list")
def test_imported_tasks_with_faults_await_approval(cli: CommandLine) -> None:
    first, second = generate(cli, "--count", 2, "--seed", 1)
    faulty = replace(second, text=FAULTY)
    listed = cli.folder / "rewritten.jsonl"
    listed.write_text("\n".join(map(task_line, (first, faulty))))
    rewritten = [replace(first, task_id=name, text=BY_MODEL) for name in ("by-default", "trusted")]
    for task, option, waiting in zip(rewritten, ((), ("--approved",)), (1, 0), strict=True):
        alone = cli.folder / "alone.jsonl"
        alone.write_text(task_line(task))
        assert cli("tasks", "import", alone, *option).out == f"1 task, 1 new, {waiting} to be approved\n"
    assert cli("tasks", "import", listed).out == "2 tasks, 2 new, 1 to be approved\n"
    assert cli("tasks", "import", listed).out == "2 tasks, 0 new, 0 to be approved\n"
    statuses = {one["task_id"]: one["status"] for one in cli.json("tasks", "list")}
    assert (statuses[first.task_id], statuses[second.task_id]) == ("Waiting", "To approve")
    out = cli.folder / "out.jsonl"
    cli.output("tasks", "export", "--status", "waiting", "--out", out)
    exported = read_tasks(out)
    assert (first in exported, faulty in exported) == (True, False)
    assert cli("tasks", "export", "--status", "asleep").exit_code == 2


@pytest.mark.usefixtures("task_list")
@pytest.mark.parametrize("is_first", [True, False], ids=["before tasks", "behind the command"])
def test_dataset_flag_selects_the_queue(cli: CommandLine, *, is_first: bool) -> None:
    other, listed = cli.folder / "other", cli.folder / "made.jsonl"
    tasks = generate(cli, "--count", 2, "--seed", 1)

    def run(verb: str, *words: object) -> str:
        if is_first:
            return cli("--dataset", other, "tasks", verb, *words).out
        return cli("tasks", verb, *words, "--dataset", other).out

    assert run("import", listed) == "2 tasks, 2 new, 0 to be approved\n"
    settings = SettingsStore(dataset=other).read()
    with closing(annotator_tasks(settings, lambda: "ann")) as queue:
        window_board = queue.board()
    assert {task.task_id for task in window_board.tasks} >= {task.task_id for task in tasks}
    assert run("export").count("\n") == len(window_board.tasks)
    assert cli("tasks", "export").out.count("\n") == len(window_board.tasks) - 2
    other.mkdir(exist_ok=True)
    (cli.folder / "link").symlink_to(other)
    linked = cli("tasks", "import", listed, "--dataset", cli.folder / "link")
    assert linked.out.endswith("0 new, 0 to be approved\n"), "one queue, however its folder is named"


@pytest.mark.usefixtures("task_list")
def test_task_and_template_are_shown_in_detail(cli: CommandLine) -> None:
    (task,) = generate(cli, "--count", 1, "--seed", 1, "--queue")
    shown = cli.json("tasks", "show", task.task_id)
    assert shown["status"] == "To approve"
    assert shown["filled"] == task.task.task
    assert shown["template"] == task.template
    assert "person" in shown["words"]
    template = cli.json("tasks", "show", task.template)
    assert template["category"] in {one.value for one in Category}
    assert template["phrasings"]
    assert "No task or template is named nothing" in cli.error("tasks", "show", "nothing")


def test_apps_that_the_team_lacks_are_left_out_and_named(cli: CommandLine) -> None:
    (cli.dataset / "metadata").mkdir(parents=True)
    (cli.dataset / "metadata" / "team.yaml").write_text("without: {apps: [Clock, Fossify Clock]}\n")
    result = cli("tasks", "generate", "--count", 30, "--seed", 1, "--category", "General_Tool")
    assert not {"Clock", "Fossify Clock"} & {
        app for line in result.out.splitlines() for app in parse_task_line(line).task.apps
    }
    assert "left out, because the team has no app for clock" in " ".join(result.err.split())
