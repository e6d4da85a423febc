"""`tasks rewrite` and `check`, with a stand-in for a language model's server."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from odyssey_recorder.model.text_origin import Writer
from odyssey_recorder.task.generation.generator import GenerationOrder, generate
from odyssey_recorder.task.listing import ListedTask, read_tasks, task_line
from tests.command_line import CommandLine
from tests.llm.good_model import in_words, right
from tests.llm.stand_in import MODEL, ReceivedRequest, Reply, StandIn, Turn, no_quota, shortest
from tests.task.sample_tasks import library

KEY = "sk-planted-4f2a9c7e51"


@pytest.fixture
def server(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with StandIn(right, key=KEY) as stand_in:
        monkeypatch.setenv("ODYSSEY_MODEL", MODEL)
        monkeypatch.setenv("ODYSSEY_MODEL_URL", stand_in.url)
        monkeypatch.setenv("ODYSSEY_API_KEY", KEY)
        yield stand_in


@pytest.fixture
def listed(command_line: CommandLine) -> Path:
    out = command_line.folder / "tasks.jsonl"
    order = GenerationOrder(12, seed=1, day=date(2026, 12, 1), names_apps=False)
    out.write_text("\n".join(map(task_line, generate(library(), order).tasks)))
    return out


def rewritten(command_line: CommandLine, listed: Path, *words: object) -> tuple[ListedTask, ...]:
    out = command_line.folder / "rewritten.jsonl"
    ran = command_line("tasks", "rewrite", listed, "--out", out, "--no-apps", "--yes", *words)
    assert ran.exit_code == 0, ran.err
    return read_tasks(out)


def test_each_task_gets_a_models_words_and_keeps_where_they_come_from(
    command_line: CommandLine, server: StandIn, listed: Path
) -> None:
    tasks = rewritten(command_line, listed)
    assert len(tasks) == 12
    for task in tasks:
        assert task.task.instruction == in_words(task.task.task)
        assert task.text is not None
        assert task.text.writer is Writer.MODEL
        assert task.text.call is not None
        assert (task.text.call.model_answered, task.text.call.prompt) == (MODEL, "rewrite/1")
        assert task.text.equivalence is not None
        assert task.text.equivalence.is_judged
        assert task.text.equivalence.holds
    ran = command_line("tasks", "rewrite", listed, "--out", command_line.folder / "again.jsonl", "--no-apps")
    assert ran.exit_code == 0
    assert "0 requests, 24 answers in the cache" in ran.err
    assert "0 tokens, 12 reused at no cost" in ran.err
    assert read_tasks(command_line.folder / "again.jsonl") == tasks
    assert len(server.questions) == 24
    assert server.complaints == []


def test_a_run_that_was_killed_goes_on_and_asks_nothing_twice(
    command_line: CommandLine, server: StandIn, listed: Path
) -> None:
    tenth = threading.Event()

    def slow(asked: ReceivedRequest) -> Reply:
        if len(server.questions) >= 10:
            tenth.set()
        return right(asked)

    server.behaviour, server.delay_s = slow, 0.1
    out = command_line.folder / "rewritten.jsonl"
    words = ["tasks", "rewrite", listed, "--out", out, "--no-apps", "--yes", "--at-once", "2"]
    program = subprocess.Popen(
        [sys.executable, "-m", "odyssey_recorder", *map(str, words)],
        env=os.environ.copy(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert tenth.wait(60)
    program.kill()
    program.wait()
    assert not out.exists()
    before = len(server.questions)
    tasks = rewritten(command_line, listed)
    assert all(task.text is not None and task.text.writer is Writer.MODEL for task in tasks)
    assert 10 <= before < 24
    assert server.repeated <= 2, "but for the two whose answers were under way"


def test_what_it_takes_must_be_agreed_to(command_line: CommandLine, server: StandIn, listed: Path) -> None:
    ran = command_line("tasks", "rewrite", listed, "--out", command_line.folder / "out.jsonl")
    assert ran.exit_code == 2
    assert f"{MODEL} at http://127.0.0.1:{server.port}: 24 requests" in ran.err
    assert "Add --yes" in ran.err
    assert server.questions == []


def test_a_place_where_no_list_can_be_written_is_refused_before_anything_is_asked(
    command_line: CommandLine, server: StandIn, listed: Path
) -> None:
    for place, why in ((command_line.folder / "none" / "out.jsonl", "there is no folder"), (listed.parent, "a folder")):
        ran = command_line("tasks", "rewrite", listed, "--out", place, "--yes")
        assert ran.exit_code == 2
        assert f"The list cannot be written to {place}: " in ran.err
        assert why in ran.err
    assert server.seen == []


def test_where_nothing_could_be_asked_the_tasks_stay_as_they_were(
    command_line: CommandLine, server: StandIn, listed: Path
) -> None:
    server.behaviour = lambda _asked: no_quota()
    out = command_line.folder / "out.jsonl"
    ran = command_line("tasks", "rewrite", listed, "--out", out, "--yes")
    assert ran.exit_code == 1
    assert "The quota at" in ran.err
    assert "0 of 12 rewritten" in ran.err
    assert read_tasks(out) == read_tasks(listed)


def test_words_that_lose_something_are_told_and_left_to_a_person(
    command_line: CommandLine, server: StandIn, listed: Path
) -> None:
    server.behaviour = shortest
    ran = command_line("tasks", "rewrite", listed, "--out", command_line.folder / "out.jsonl", "--yes")
    assert ran.exit_code == 1
    assert "Leaves out" in ran.err
    assert "12 of 12 rewritten, 12 with faults to review" in ran.err
    assert command_line("tasks", "check", listed).out == "12 tasks, 0 with faults\n"
    ran = command_line("tasks", "check", command_line.folder / "out.jsonl", "--json")
    assert ran.exit_code == 1
    assert len(json.loads(ran.out)["faulty"]) == 12


def test_without_a_model_it_is_said_which_setting_is_missing(command_line: CommandLine, listed: Path) -> None:
    ran = command_line("tasks", "rewrite", listed, "--out", command_line.folder / "out.jsonl", "--yes")
    assert ran.exit_code == 2
    assert "No language model is set" in ran.err


def test_the_key_is_nowhere(command_line: CommandLine, server: StandIn, listed: Path) -> None:
    def fails(asked: ReceivedRequest) -> Turn:
        return right(asked) if len(server.questions) < 8 else no_quota()

    server.behaviour = fails
    ran = command_line("tasks", "rewrite", listed, "--out", command_line.folder / "out.jsonl", "--yes")
    assert KEY not in ran.out + ran.err
    files = [path for path in command_line.folder.rglob("*") if path.is_file()]
    assert len(files) > 3
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
