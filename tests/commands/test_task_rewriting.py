"""`tasks rewrite` and `check`, with a stand-in for a language model's server."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from odyssey_recorder.model.text_origin import Writer
from odyssey_recorder.tasks.generation.generator import GenerationOrder, generate
from odyssey_recorder.tasks.listing import read_tasks, task_line
from tests.cli import CommandLine
from tests.llm.good_model import in_words, right
from tests.llm.stand_in import MODEL, StandIn, no_quota, shortest
from tests.tasks.sample_tasks import library

KEY = "sk-planted-4f2a9c7e51"
pytestmark = pytest.mark.usefixtures("shipped_templates_read_once")


@pytest.fixture
def server(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with StandIn(right, key=KEY) as stand_in:
        monkeypatch.setenv("ODYSSEY_MODEL", MODEL)
        monkeypatch.setenv("ODYSSEY_MODEL_URL", stand_in.url)
        monkeypatch.setenv("ODYSSEY_API_KEY", KEY)
        yield stand_in
    files = [path for path in cli.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()], "the key is stored nowhere"


@pytest.fixture
def listed(cli: CommandLine) -> Path:
    out = cli.folder / "tasks.jsonl"
    order = GenerationOrder(12, seed=1, day=date(2026, 12, 1), names_apps=False)
    out.write_text("\n".join(map(task_line, generate(library(), order).tasks)))
    return out


def test_tasks_are_rewritten_with_their_origin(cli: CommandLine, server: StandIn, listed: Path) -> None:
    out, again = cli.folder / "rewritten.jsonl", cli.folder / "again.jsonl"
    cli.output("tasks", "rewrite", listed, "--out", out, "--no-apps", "--yes")
    tasks = read_tasks(out)
    assert len(tasks) == 12
    for task in tasks:
        assert task.task.instruction == in_words(task.task.task)
        assert task.text is not None
        assert task.text.writer is Writer.MODEL
    missing = cli.error("tasks", "rewrite", listed, "--out", again, "--prompt", cli.folder / "mine.txt")
    assert "mine.txt cannot be read" in missing
    result = cli("tasks", "rewrite", listed, "--out", again, "--no-apps")
    assert (result.exit_code, read_tasks(again)) == (0, tasks)
    assert "0 requests, 24 answers in the cache" in result.err
    assert "0 tokens, 12 reused at no cost" in result.err
    assert len(server.questions) == 24
    assert server.complaints == []


def test_rewrite_requires_confirmation(cli: CommandLine, server: StandIn, listed: Path) -> None:
    error = cli.error("tasks", "rewrite", listed, "--out", cli.folder / "out.jsonl")
    assert f"{MODEL} at http://127.0.0.1:{server.port}: 24 requests" in error
    assert "Add --yes" in error
    assert server.questions == []


def test_unwritable_output_is_rejected_before_any_request(cli: CommandLine, server: StandIn, listed: Path) -> None:
    for path, reason in ((cli.folder / "none" / "out.jsonl", "there is no folder"), (listed.parent, "a folder")):
        error = cli.error("tasks", "rewrite", listed, "--out", path, "--yes")
        assert f"The list cannot be written to {path}: " in error
        assert reason in error
    assert server.seen == []


def test_tasks_are_unchanged_if_the_model_is_unavailable(cli: CommandLine, server: StandIn, listed: Path) -> None:
    server.behaviour = lambda _asked: no_quota()
    out = cli.folder / "out.jsonl"
    error = cli.error("tasks", "rewrite", listed, "--out", out, "--yes", exit_code=1)
    assert "The quota at" in error
    assert "0 of 12 rewritten" in error
    assert all(task.task_id in error.replace("\n", "") for task in read_tasks(listed))
    assert KEY not in error
    assert read_tasks(out) == read_tasks(listed)


def test_rewrites_that_lose_content_are_reported(cli: CommandLine, server: StandIn, listed: Path) -> None:
    server.behaviour = shortest
    error = cli.error("tasks", "rewrite", listed, "--out", cli.folder / "out.jsonl", "--yes", exit_code=1)
    assert "Leaves out" in error
    assert "12 of 12 rewritten, 12 with faults to review" in error
    assert cli("tasks", "check", listed).out == "12 tasks, 0 with faults\n"
    result = cli("tasks", "check", cli.folder / "out.jsonl", "--json")
    assert result.exit_code == 1
    assert len(json.loads(result.out)["faulty"]) == 12


def test_missing_model_setting_is_reported(cli: CommandLine, listed: Path) -> None:
    error = cli.error("tasks", "rewrite", listed, "--out", cli.folder / "out.jsonl", "--yes")
    assert "No language model is set" in error
