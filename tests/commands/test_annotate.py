"""`annotate`: texts from a model, with estimate, consent and budget."""

import json
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import CONSENTS, ui_tree_path
from tests.annotation.memory_model import MemoryModel
from tests.annotation.phone_dataset import CapturedStep, look_around
from tests.annotation.vision_model import VisionModel, expected
from tests.command_line import CommandLine
from tests.exporting.sample import STEPS, write_dataset
from tests.llm.batch_service import BatchService
from tests.llm.stand_in import MODEL, StandIn, says

EPISODE = "0000000000000001"
DONE = 2


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[CapturedStep]]:
    root = tmp_path_factory.mktemp("made")
    return root, look_around(root, EPISODE, DONE)


@pytest.fixture
def dataset(command_line: CommandLine, made: tuple[Path, list[CapturedStep]]) -> Path:
    return Path(shutil.copytree(made[0], command_line.dataset))


@pytest.fixture
def screens(made: tuple[Path, list[CapturedStep]]) -> list[tuple[CapturedStep, str]]:
    root, touched = made
    return [(one, (root / ui_tree_path(EPISODE, one.number)).read_text()) for one in touched]


@pytest.fixture
def server(command_line: CommandLine, screens: list[tuple[CapturedStep, str]]) -> Iterator[StandIn]:
    with StandIn(VisionModel(screens)) as stand_in:
        command_line.monkeypatch.setenv("ODYSSEY_MODEL", MODEL)
        command_line.monkeypatch.setenv("ODYSSEY_MODEL_URL", stand_in.url)
        yield stand_in


def test_texts_are_planned_written_and_listed(
    command_line: CommandLine, dataset: Path, server: StandIn, screens: list[tuple[CapturedStep, str]]
) -> None:
    planned = command_line("annotate", "plan", dataset)
    assert planned.exit_code == 0, planned.err
    assert "1 episode: 5 accepted, 7 missing" in planned.out
    assert "5 requests, 0 answers in the cache" in planned.out
    assert server.questions == []
    ran = command_line("annotate", "run", dataset, "--yes")
    assert (ran.exit_code, ran.out) == (0, "7 texts added for 1 episode\n"), ran.err
    again = json.loads(command_line("annotate", "plan", dataset, "--json").out)
    assert (again["requests"], again["screenshots"], again["texts"]) == (0, 0, {"accepted": 5, "suggested": 7})
    rows = [json.loads(row) for row in command_line("annotate", "export", dataset).out.splitlines()]
    told = [row["words"] for row in rows if row["text"] == "low_level_instruction"]
    assert told == [*(f"Do {expected(screens, number)}." for number in range(DONE)), "Task completed."]
    assert server.complaints == []


def test_check_and_the_quality_report_show_the_same_findings(
    command_line: CommandLine, dataset: Path, server: StandIn
) -> None:
    command_line("annotate", "run", dataset, "--yes")
    found = [
        (one["step"], row["text"], one)
        for row in json.loads(command_line("annotate", "check", dataset, "--json").out)
        for one in ({**each, "step": row["step"]} for each in row["findings"])
    ]
    contradicted = sorted((one["check"], step, f"{text}: {one['found']}") for step, text, one in found if of(one))
    assert len({check for check, _, _ in contradicted}) > 1
    report = json.loads(command_line("check", dataset, "--json").out)
    told = [one for one in report["findings"] if "ANN03" <= one["check"] <= "ANN14"]
    assert sorted((one["check"], one["step"], one["found"]) for one in told) == contradicted
    titles = {one["check"]: one["title"] for one in report["checks"]}
    assert all(titles[check] for check, _, _ in contradicted)
    unseen = {(one["check"], f"Not checked: {one['why']}.") for one in report["not_checked"] if one["check"] in titles}
    assert unseen >= {(one["check"], one["found"]) for _, _, one in found if of(one, "could not look")}
    figures = {one["check"]: one for one in json.loads(command_line("quality-report", dataset, "--json").out)["texts"]}
    assert {check: one["contradicted"] for check, one in figures.items() if one["contradicted"]} == dict(
        Counter(check for check, _, _ in contradicted)
    )
    assert sum(one["supported"] + one["contradicted"] + one["not_comparable"] for one in figures.values()) == len(found)
    page = dataset.parent / "page.html"
    command_line("quality-report", dataset, "--html", page)
    assert "A text names another element than the one touched" in page.read_text()


def of(found: dict[str, object], verdict: str = "contradicts") -> bool:
    return found["verdict"] == verdict


def test_texts_that_cannot_be_read_are_not_passed_as_right(command_line: CommandLine, dataset: Path) -> None:
    path = dataset / "semantics" / f"{EPISODE}.json"
    path.parent.mkdir()
    path.write_text('{"format": 1, "entries": [{"kind": "suggestion"}]}')
    report = json.loads(command_line("check", dataset, "--json").out)
    unseen = {one["check"] for one in report["not_checked"] if "entry 1" in one["why"]}
    assert unseen == {f"ANN{number:02}" for number in range(3, 15)}
    assert "entry 1" in command_line("annotate", "check", dataset).err


def test_check_says_which_texts_contradict_what_was_recorded(
    command_line: CommandLine, dataset: Path, server: StandIn, screens: list[tuple[CapturedStep, str]]
) -> None:
    command_line("annotate", "run", dataset, "--yes")
    path, (first, second, *_) = dataset / "semantics" / f"{EPISODE}.json", [one.name for one, _ in screens]
    sane = {
        f"Done: Want {expected(screens, 0)}.": f"So far, the user has opened {first}.",
        f"Do {expected(screens, 0)}.": f"Tap '{first}'.",
        f"Do {expected(screens, 1)}.": f"Tap '{second}'.",
        f"Shows {expected(screens, 0)}.": f"This is a screenshot of the home screen with {first}.",
        f"Shows {expected(screens, 1)}.": f"This is a screenshot of {first}.",
        f"Want {expected(screens, 0)}.": f"I am opening {first}.",
        f"Want {expected(screens, 1)}.": f"I am selecting {second}.",
    }
    words = path.read_text()
    for asked, better in sane.items():
        words = words.replace(asked, better)
    path.write_text(words)
    right = command_line("annotate", "check", dataset)
    path.write_text(words.replace(f"Tap '{first}'.", "Type 'buy milk' and wait."))
    wrong = command_line("annotate", "check", dataset)
    rows = json.loads(command_line("annotate", "check", dataset, "--json").out)

    assert (right.exit_code, wrong.exit_code) == (0, 1), right.out + wrong.err
    assert "0 contradicted" in right.out
    assert f"{EPISODE} step 1 low_level_instruction: " in wrong.out
    [text] = [row for row in rows if row["verdict"] == "contradicts"]
    assert (text["step"], text["words"]) == (0, "Type 'buy milk' and wait.")
    [kind] = [one for one in text["findings"] if one["check"] == "ANN04"]
    assert kind["evidence"]


def test_a_model_that_repeats_itself_in_another_language_is_exposed(
    command_line: CommandLine, dataset: Path, server: StandIn
) -> None:
    german = "Der Bildschirm zeigt jetzt eine Liste mit mehreren Einträgen und Symbolen."
    server.behaviour = lambda asked: says(dict.fromkeys(asked.schema["properties"], german))
    command_line("annotate", "run", dataset, "--yes")
    rows = json.loads(command_line("annotate", "check", dataset, "--json").out)
    written = [row for row in rows if row["words"] == german]
    assert len(written) == 7
    faults = {one["found"] for row in written for one in row["findings"] if one["check"] == "ANN12"}
    assert faults == {"It is not in English."}
    recycled = [row["step"] for row in written for one in row["findings"] if one["check"] == "ANN10" and of(one)]
    assert recycled


def test_a_full_disk_leaves_the_texts_as_they_were(command_line: CommandLine, tmp_path: Path) -> None:
    dataset = tmp_path / "released"
    write_dataset(dataset, 1, texts=True)
    path = dataset / "semantics" / "0000000000000001.json"
    command_line("annotate", "import", dataset)
    kept = path.read_bytes()
    annotation = dataset / "annotations" / path.name
    annotation.write_text(annotation.read_text().replace("Press the button.", "Press another button."))
    program = f"{shlex.quote(sys.executable)} -m odyssey_recorder annotate import {shlex.quote(str(dataset))}"
    full = subprocess.run(
        ["bash", "-c", f"ulimit -f {len(kept) // 1024}; exec {program}"], capture_output=True, text=True, check=False
    )
    assert full.returncode == 1, full.stderr
    assert path.name in full.stderr
    assert path.read_bytes() == kept
    assert [one.name for one in path.parent.glob("*.json*")] == [path.name], "nothing half-written"
    assert command_line("annotate", "import", dataset).out == f"{STEPS} texts imported from 1 episode\n"


def test_nothing_is_asked_without_a_person_who_agrees(
    command_line: CommandLine, dataset: Path, server: StandIn
) -> None:
    ran = command_line("annotate", "run", dataset)
    assert (ran.exit_code, server.questions) == (2, [])
    assert "Add --yes" in ran.err


def test_screenshots_leave_only_with_the_consent_of_the_owner(command_line: CommandLine, dataset: Path) -> None:
    command_line.monkeypatch.setenv("ODYSSEY_MODEL", "gpt-6-luna")
    command_line.monkeypatch.setenv("ODYSSEY_MODEL_URL", "http://model.invalid/v1")
    refused = command_line("annotate", "run", dataset, "--yes")
    assert refused.exit_code == 2
    assert "2 screenshots, about 0.3 MB, would be sent to http://model.invalid" in refused.err
    assert "has not agreed that its screenshots are sent to http://model.invalid" in refused.err
    assert not (dataset / CONSENTS).exists()
    command_line("annotate", "run", dataset, "--yes", "--consent", "--budget", "0")
    consent = json.loads((dataset / CONSENTS).read_text())
    assert (consent["host"], consent["screenshots"]) == ("http://model.invalid", 2)
    agreed = command_line("annotate", "run", dataset, "--yes", "--budget", "0")
    assert agreed.exit_code == 1
    assert "the budget of $0.00 would be exceeded" in agreed.err


def test_released_texts_are_imported_and_exported_again(command_line: CommandLine, tmp_path: Path) -> None:
    dataset = tmp_path / "released"
    write_dataset(dataset, 2, texts=True)
    ran = command_line("annotate", "import", dataset)
    assert (ran.exit_code, ran.out) == (0, f"{2 * 4 * STEPS} texts imported from 2 episodes\n"), ran.err
    out = tmp_path / "out"
    accepted = command_line("export", dataset, out, "--as", "jsonl", "--all", "--texts", "accepted")
    assert accepted.exit_code == 2
    assert "an accepted text is missing in steps 1, 2" in accepted.err
    every = command_line("export", dataset, out, "--as", "jsonl", "--all", "--texts", "all", "--jobs", 1)
    assert every.exit_code == 0, every.err


def test_a_folder_without_episodes_is_no_dataset(command_line: CommandLine, tmp_path: Path) -> None:
    ran = command_line("annotate", "plan", tmp_path)
    assert ran.exit_code == 2
    assert "is not a dataset folder" in ran.err


@pytest.fixture
def batching(
    command_line: CommandLine, dataset: Path, screens: list[tuple[CapturedStep, str]]
) -> Iterator[tuple[StandIn, BatchService]]:
    service = BatchService(VisionModel(screens), polls=1)
    with StandIn(VisionModel(screens), others=service.answer) as stand_in:
        command_line.monkeypatch.setenv("ODYSSEY_MODEL", MODEL)
        command_line.monkeypatch.setenv("ODYSSEY_MODEL_URL", stand_in.url)
        yield stand_in, service


def test_instructions_come_from_a_batch_and_a_run_asks_for_the_rest(
    command_line: CommandLine,
    dataset: Path,
    batching: tuple[StandIn, BatchService],
    screens: list[tuple[CapturedStep, str]],
) -> None:
    server, service = batching
    sent = command_line("annotate", "batch", dataset, "--yes")
    assert (sent.exit_code, sent.out) == (0, "1 batch with 2 requests submitted. Run again to collect.\n"), sent.err
    assert "2 requests, 0 answers in the cache" in sent.err
    assert command_line("annotate", "batch", dataset, "--yes").out == "batch_2: in_progress, 0 of 2 requests\n"
    got = command_line("annotate", "batch", dataset, "--yes")
    assert (got.exit_code, got.out) == (0, "2 answers received\n2 texts added\n"), got.err
    ran = command_line("annotate", "run", dataset, "--yes")
    assert ran.out == "5 texts added for 1 episode\n", ran.err
    assert not any("low_level_instruction" in asked.schema["properties"] for asked in server.questions)
    rows = [json.loads(row) for row in command_line("annotate", "export", dataset).out.splitlines()]
    told = [row["words"] for row in rows if row["text"] == "low_level_instruction"]
    assert told[:DONE] == [f"Do {expected(screens, number)}." for number in range(DONE)]
    assert service.files == {}
    assert set(service.paid.values()) == {1}


def test_a_batch_that_is_waited_for_and_fails_in_part_ends_with_1(
    command_line: CommandLine, dataset: Path, batching: tuple[StandIn, BatchService]
) -> None:
    _, service = batching
    service.polls, service.fate = 0, lambda number: "expired" if number == 0 else "answered"
    waited = command_line("annotate", "batch", dataset, "--yes", "--wait")
    assert waited.exit_code == 1
    assert "1 answer received\n1 text added\n" in waited.out
    assert "1 request: expired" in waited.err
    assert command_line("annotate", "batch", dataset, "--yes", "--wait").exit_code == 0


def test_a_lost_batch_is_named_and_asked_again_when_it_is_forgotten(
    command_line: CommandLine, dataset: Path, batching: tuple[StandIn, BatchService]
) -> None:
    _, service = batching
    service.polls = 0
    command_line("annotate", "batch", dataset, "--yes")
    service.batches.clear()
    lost = command_line("annotate", "batch", dataset, "--yes", "--wait")
    assert lost.exit_code == 1
    assert "batch_2: " in lost.err
    assert "add --forget" in " ".join(lost.err.split())
    again = command_line("annotate", "batch", dataset, "--yes", "--wait", "--forget", "batch_2")
    assert again.exit_code == 0, again.err
    assert again.out.startswith("batch_2 forgotten: 2 requests may be asked again\n1 batch with 2 requests submitted.")
    assert "2 answers received\n2 texts added\n" in again.out


def test_request_files_are_written_and_the_output_is_read(
    command_line: CommandLine, dataset: Path, batching: tuple[StandIn, BatchService], tmp_path: Path
) -> None:
    server, service = batching
    written = command_line("annotate", "batch", dataset, "--write", tmp_path / "out")
    assert (written.exit_code, written.out) == (0, f"{tmp_path / 'out' / 'requests_1.jsonl'}\n"), written.err
    output: list[str] = []
    for line in (tmp_path / "out" / "requests_1.jsonl").read_text().splitlines():
        service.answer_line(json.loads(line), "answered", output, [])
    (tmp_path / "output.jsonl").write_text("\n".join(output))
    read = command_line("annotate", "batch", dataset, "--read", tmp_path / "output.jsonl")
    assert (read.exit_code, read.out) == (0, "2 answers received\n2 texts added\n"), read.err
    missing = command_line("annotate", "batch", dataset, "--read", tmp_path / "none.jsonl")
    assert missing.exit_code == 2
    assert "cannot be read" in missing.err
    assert server.seen == []


def test_memory_is_planned_written_checked_and_exported(
    command_line: CommandLine, dataset: Path, server: StandIn, screens: list[tuple[CapturedStep, str]], tmp_path: Path
) -> None:
    server.behaviour = MemoryModel(screens)
    planned = command_line("annotate", "plan", dataset, "--memory", "cheap", "--json")
    assert json.loads(planned.out)["texts"] == {"missing": 3 * (DONE + 1) - 1}, planned.err
    early = command_line("annotate", "export", dataset, "--memory", "paper", "--out", tmp_path)
    assert (early.exit_code, "step 1 and others have no memory" in early.err) == (1, True)
    ran = command_line("annotate", "run", dataset, "--memory", "cheap", "--yes")
    assert ran.out == f"{3 * (DONE + 1) - 1} texts added for 1 episode\n", ran.err
    checked = json.loads(command_line("annotate", "check", dataset, "--json").out)
    assert {one["check"] for row in checked if row["text"] == "action_result" for one in row["findings"]} == {"ANN13"}
    rows = [json.loads(row) for row in command_line("annotate", "export", dataset).out.splitlines()]
    assert Counter(row["text"] for row in rows)["screen_info"] == DONE + 1
    written = command_line("annotate", "export", dataset, "--memory", "paper", "--out", tmp_path)
    assert (written.exit_code, written.out) == (0, f"Memory of 1 episode written to {tmp_path}\n"), written.err
    assert json.loads((tmp_path / "chain_of_memory" / f"{EPISODE}.json").read_text())["rule"] == "paper"
    assert command_line("annotate", "export", dataset, "--memory", "paper").exit_code == 2
