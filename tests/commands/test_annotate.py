"""`annotate`: texts from a model, with estimate, consent and budget."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.annotation.reviewing import TextReviewing, supported
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset.layout import CONSENTS, ui_tree_path
from tests.annotation.memory_model import MemoryModel
from tests.annotation.phone_dataset import CapturedStep, look_around
from tests.annotation.vision_model import VisionModel, expected
from tests.cli import CommandLine
from tests.exporting.sample import STEPS, write_dataset
from tests.llm.batch_service import BatchService
from tests.llm.stand_in import MODEL, StandIn, says

EPISODE = "0000000000000001"
STEP_COUNT = 2


@pytest.fixture(scope="module")
def recorded_walk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[CapturedStep]]:
    root = tmp_path_factory.mktemp("made")
    return root, look_around(root, EPISODE, STEP_COUNT)


@pytest.fixture
def dataset(cli: CommandLine, recorded_walk: tuple[Path, list[CapturedStep]]) -> Path:
    return Path(shutil.copytree(recorded_walk[0], cli.dataset))


@pytest.fixture
def screens(recorded_walk: tuple[Path, list[CapturedStep]]) -> list[tuple[CapturedStep, str]]:
    root, touched = recorded_walk
    return [(one, (root / ui_tree_path(EPISODE, one.number)).read_text()) for one in touched]


@pytest.fixture
def batches(screens: list[tuple[CapturedStep, str]]) -> BatchService:
    return BatchService(VisionModel(screens), polls=1)


@pytest.fixture
def server(cli: CommandLine, screens: list[tuple[CapturedStep, str]], batches: BatchService) -> Iterator[StandIn]:
    with StandIn(VisionModel(screens), others=batches.answer) as stand_in:
        cli.monkeypatch.setenv("ODYSSEY_MODEL", MODEL)
        cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", stand_in.url)
        yield stand_in


def exported(cli: CommandLine, dataset: Path) -> list[str]:
    rows = [json.loads(row) for row in cli("annotate", "export", dataset).out.splitlines()]
    return [row["words"] for row in rows if row["text"] == "low_level_instruction"]


def has_verdict(finding: dict[str, object], verdict: str = "contradicts") -> bool:
    return finding["verdict"] == verdict


def test_texts_are_planned_written_and_exported(
    cli: CommandLine, dataset: Path, server: StandIn, screens: list[tuple[CapturedStep, str]]
) -> None:
    output = cli.output("annotate", "plan", dataset)
    assert "1 episode: 5 accepted, 7 missing" in output
    assert "5 requests, 0 answers in the cache" in output
    assert "Add --yes" in cli.error("annotate", "run", dataset)
    assert server.questions == []
    assert cli.output("annotate", "run", dataset, "--yes") == "7 texts added for 1 episode\n"
    again = cli.json("annotate", "plan", dataset)
    assert (again["requests"], again["screenshots"], again["texts"]) == (0, 0, {"accepted": 5, "suggested": 7})
    assert exported(cli, dataset) == [
        *(f"Do {expected(screens, number)}." for number in range(STEP_COUNT)),
        "Task completed.",
    ]
    assert server.complaints == []


def test_supported_texts_are_accepted_as_on_the_page(cli: CommandLine, dataset: Path, server: StandIn) -> None:
    cli("annotate", "run", dataset, "--yes")
    copy = Path(shutil.copytree(dataset, dataset.with_name("copy")))
    page = TextReviewing(copy, Checker(None).evidence, lambda: "Ann")
    page.save(EPISODE, *(entries := supported(page.open(EPISODE), "Ann")))
    assert 0 < len(entries) < 7

    assert "Your name is not set" in cli("annotate", "accept", dataset, "--by", " ").err
    said = cli.output("annotate", "accept", dataset, "--by", "Ann")

    assert said == f"{len(entries)} texts of 1 episode accepted, {7 - len(entries)} left to decide\n"
    one, other = (
        re.sub(r'"(id|at)": "[^"]*"', "", (root / "semantics" / f"{EPISODE}.json").read_text())
        for root in (dataset, copy)
    )
    assert one == other
    again = cli.json("annotate", "accept", dataset, "--by", "Ann")
    assert again == [{"episode_id": EPISODE, "accepted": 0, "open": 7 - len(entries), "problem": ""}]


def test_check_and_quality_report_show_the_same_findings(cli: CommandLine, dataset: Path, server: StandIn) -> None:
    cli("annotate", "run", dataset, "--yes")
    found = [
        (one["step_index"], row["text"], one)
        for row in cli.json("annotate", "check", dataset)
        for one in ({**each, "step_index": row["step_index"]} for each in row["findings"])
    ]
    contradicted = sorted(
        (one["check"], step, f"{text}: {one['found']}") for step, text, one in found if has_verdict(one)
    )
    assert len({check for check, _, _ in contradicted}) > 1
    report = cli.json("check", dataset)
    reported = [one for one in report["findings"] if "ANN03" <= one["check"] <= "ANN14"]
    assert sorted((one["check"], one["step_index"], one["found"]) for one in reported) == contradicted
    titles = {one["check"]: one["title"] for one in report["checks"]}
    assert all(titles[check] for check, _, _ in contradicted)
    unchecked = {
        (one["check"], f"Not checked: {one['why']}.") for one in report["not_checked"] if one["check"] in titles
    }
    assert unchecked >= {(one["check"], one["found"]) for _, _, one in found if has_verdict(one, "could not look")}
    figures = {one["check"]: one for one in cli.json("quality-report", dataset)["texts"]}
    assert {check: one["contradicted"] for check, one in figures.items() if one["contradicted"]} == dict(
        Counter(check for check, _, _ in contradicted)
    )
    assert sum(one["supported"] + one["contradicted"] + one["not_comparable"] for one in figures.values()) == len(found)
    page = dataset.parent / "page.html"
    cli("quality-report", dataset, "--html", page)
    assert "A text names another element than the one touched" in page.read_text()


def test_unreadable_texts_are_reported_as_not_checked(cli: CommandLine, dataset: Path) -> None:
    path = dataset / "semantics" / f"{EPISODE}.json"
    path.parent.mkdir()
    path.write_text('{"format": 1, "entries": [{"kind": "suggestion"}]}')
    report = cli.json("check", dataset)
    unchecked = {one["check"] for one in report["not_checked"] if "entry 1" in one["why"]}
    assert unchecked == {f"ANN{number:02}" for number in range(3, 15)}
    assert "entry 1" in cli("annotate", "check", dataset).err


def test_check_reports_texts_that_contradict_the_recording(
    cli: CommandLine, dataset: Path, server: StandIn, screens: list[tuple[CapturedStep, str]]
) -> None:
    cli("annotate", "run", dataset, "--yes")
    path, (first, second, *_) = dataset / "semantics" / f"{EPISODE}.json", [one.name for one, _ in screens]
    corrections = {
        f"Done: Want {expected(screens, 0)}.": f"So far, the user has opened {first}.",
        f"Do {expected(screens, 0)}.": f"Tap '{first}'.",
        f"Do {expected(screens, 1)}.": f"Tap '{second}'.",
        f"Shows {expected(screens, 0)}.": f"This is a screenshot of the home screen with {first}.",
        f"Shows {expected(screens, 1)}.": f"This is a screenshot of {first}.",
        f"Want {expected(screens, 0)}.": f"I am opening {first}.",
        f"Want {expected(screens, 1)}.": f"I am selecting {second}.",
    }
    content = path.read_text()
    for generated, corrected in corrections.items():
        content = content.replace(generated, corrected)
    path.write_text(content)
    valid = cli("annotate", "check", dataset)
    path.write_text(content.replace(f"Tap '{first}'.", "Type 'buy milk' and wait."))
    contradicting = cli("annotate", "check", dataset)
    rows = cli.json("annotate", "check", dataset)

    assert (valid.exit_code, contradicting.exit_code) == (0, 1), valid.out + contradicting.err
    assert "0 contradicted" in valid.out
    assert f"{EPISODE} step 1 low_level_instruction: " in contradicting.out
    [text] = [row for row in rows if row["verdict"] == "contradicts"]
    assert (text["step_index"], text["words"]) == (0, "Type 'buy milk' and wait.")
    [kind] = [one for one in text["findings"] if one["check"] == "ANN04"]
    assert kind["evidence"]


def test_repeated_text_in_another_language_is_found(cli: CommandLine, dataset: Path, server: StandIn) -> None:
    german = "Der Bildschirm zeigt jetzt eine Liste mit mehreren Einträgen und Symbolen."
    server.behaviour = lambda generated: says(dict.fromkeys(generated.schema["properties"], german))
    cli("annotate", "run", dataset, "--yes")
    rows = cli.json("annotate", "check", dataset)
    written = [row for row in rows if row["words"] == german]
    assert len(written) == 7
    faults = {one["found"] for row in written for one in row["findings"] if one["check"] == "ANN12"}
    assert faults == {"It is not in English."}
    repeated = [one for row in written for one in row["findings"] if one["check"] == "ANN10" and has_verdict(one)]
    assert repeated


def test_full_disk_leaves_texts_unchanged(cli: CommandLine, tmp_path: Path) -> None:
    dataset = tmp_path / "released"
    write_dataset(dataset, 1, texts=True)
    path = dataset / "semantics" / "0000000000000001.json"
    cli("annotate", "import", dataset)
    kept = path.read_bytes()
    annotation = dataset / "annotations" / path.name
    annotation.write_text(annotation.read_text().replace("Press the button.", "Press another button."))
    program = f"{shlex.quote(sys.executable)} -m odyssey_recorder annotate import {shlex.quote(str(dataset))}"
    process = subprocess.run(
        ["bash", "-c", f"ulimit -f {len(kept) // 1024}; exec {program}"], capture_output=True, text=True, check=False
    )
    assert process.returncode == 1, process.stderr
    assert path.name in process.stderr
    assert path.read_bytes() == kept
    assert [one.name for one in path.parent.glob("*.json*")] == [path.name], "nothing half-written"
    assert cli("annotate", "import", dataset).out == f"{STEPS} texts imported from 1 episode\n"


def test_sending_screenshots_requires_consent(cli: CommandLine, dataset: Path) -> None:
    cli.monkeypatch.setenv("ODYSSEY_MODEL", "gpt-6-luna")
    cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", "http://model.invalid/v1")
    error = cli.error("annotate", "run", dataset, "--yes")
    assert "2 screenshots, about 0.1 MB, would be sent to http://model.invalid" in error
    assert "has not agreed that its screenshots are sent to http://model.invalid" in error
    assert not (dataset / CONSENTS).exists()
    cli("annotate", "run", dataset, "--yes", "--consent", "--budget", "0")
    consent = json.loads((dataset / CONSENTS).read_text())
    assert (consent["host"], consent["screenshots"]) == ("http://model.invalid", 2)
    error = cli.error("annotate", "run", dataset, "--yes", "--budget", "0", exit_code=1)
    assert "the budget of $0.00 would be exceeded" in error


def test_released_texts_are_imported_and_exported(cli: CommandLine, tmp_path: Path) -> None:
    dataset = tmp_path / "released"
    write_dataset(dataset, 2, texts=True)
    assert cli.output("annotate", "import", dataset) == f"{2 * 4 * STEPS} texts imported from 2 episodes\n"
    out = tmp_path / "out"
    error = cli.error("export", dataset, out, "--as", "jsonl", "--all", "--texts", "accepted")
    assert "an accepted text is missing in steps 1 to " in error
    cli.output("export", dataset, out, "--as", "jsonl", "--all", "--texts", "all", "--jobs", 1)


def test_run_asks_only_for_texts_the_batch_left_out(
    cli: CommandLine, dataset: Path, server: StandIn, batches: BatchService, screens: list[tuple[CapturedStep, str]]
) -> None:
    batch = ("annotate", "batch", dataset, "--yes", "--prompt", "paper")
    sent = cli(*batch)
    assert (sent.exit_code, sent.out) == (0, "1 batch with 2 requests submitted. Run again to collect.\n"), sent.err
    assert "2 requests, 0 answers in the cache" in sent.err
    assert cli(*batch).out == "batch_2: in_progress, 0 of 2 requests\n"
    assert cli.output(*batch) == "2 answers received\n2 texts added\n"
    assert cli.output("annotate", "run", dataset, "--yes") == "5 texts added for 1 episode\n"
    assert not any("low_level_instruction" in generated.schema["properties"] for generated in server.questions)
    assert exported(cli, dataset)[:STEP_COUNT] == [f"Do {expected(screens, number)}." for number in range(STEP_COUNT)]
    assert batches.files == {}
    assert set(batches.paid.values()) == {1}


@pytest.mark.usefixtures("server")
def test_unusable_prompt_is_reported_before_anything_is_asked(cli: CommandLine, dataset: Path) -> None:
    mine = cli.folder / "mine.txt"
    mine.write_text("{done} {screenshot}")
    for command in ("plan", "run"):
        error = cli.error("annotate", command, dataset, "--prompt", f"context={mine}")
        assert "mine.txt has the unknown slot {screenshot}. These exist: {done}, {task}." in error
        assert "The questions are instruction, context, screen." in cli.error(
            "annotate", command, dataset, "--prompt", mine
        )
        memory = cli.error("annotate", command, dataset, "--memory", "cheap", "--prompt", mine)
        assert "The questions are action_result, screen_info, core, app, judge." in memory


@pytest.mark.usefixtures("server")
def test_partly_failed_batch_exits_with_1(cli: CommandLine, dataset: Path, batches: BatchService) -> None:
    batches.polls, batches.fate = 0, lambda number: "expired" if number == 0 else "answered"
    waited = cli("annotate", "batch", dataset, "--yes", "--wait")
    assert waited.exit_code == 1
    assert "1 answer received\n1 text added\n" in waited.out
    assert "1 request: expired" in waited.err
    assert cli("annotate", "batch", dataset, "--yes", "--wait").exit_code == 0


@pytest.mark.usefixtures("server")
def test_lost_batch_is_reported_and_can_be_forgotten(cli: CommandLine, dataset: Path, batches: BatchService) -> None:
    batches.polls = 0
    cli("annotate", "batch", dataset, "--yes")
    batches.batches.clear()
    error = cli.error("annotate", "batch", dataset, "--yes", "--wait", exit_code=1)
    assert "batch_2: " in error
    assert "add --forget" in " ".join(error.split())
    output = cli.output("annotate", "batch", dataset, "--yes", "--wait", "--forget", "batch_2")
    assert output.startswith("batch_2 forgotten: 2 requests may be asked again\n1 batch with 2 requests submitted.")
    assert "2 answers received\n2 texts added\n" in output


def test_batch_requests_are_written_and_output_is_read(
    cli: CommandLine, dataset: Path, server: StandIn, batches: BatchService, tmp_path: Path
) -> None:
    requests, output = tmp_path / "out" / "requests_1.jsonl", list[str]()
    assert cli.output("annotate", "batch", dataset, "--write", requests.parent) == f"{requests}\n"
    for line in requests.read_text().splitlines():
        batches.answer_line(json.loads(line), "answered", output, [])
    (tmp_path / "output.jsonl").write_text("\n".join(output))
    read = cli.output("annotate", "batch", dataset, "--read", tmp_path / "output.jsonl")
    assert read == "2 answers received\n2 texts added\n"
    assert "cannot be read" in cli.error("annotate", "batch", dataset, "--read", tmp_path / "none.jsonl")
    assert server.seen == []


def test_memory_is_planned_written_checked_and_exported(
    cli: CommandLine, dataset: Path, server: StandIn, screens: list[tuple[CapturedStep, str]], tmp_path: Path
) -> None:
    server.behaviour = MemoryModel(screens)
    planned = cli.json("annotate", "plan", dataset, "--memory", "cheap")
    assert planned["texts"] == {"missing": 4 * (STEP_COUNT + 1) - 1}
    error = cli.error("annotate", "export", dataset, "--memory", "paper", "--out", tmp_path, exit_code=1)
    assert "step 1 and others have no memory" in error
    added = cli.output("annotate", "run", dataset, "--memory", "cheap", "--yes")
    assert added == f"{4 * (STEP_COUNT + 1) - 1} texts added for 1 episode\n"
    checked = cli.json("annotate", "check", dataset)
    assert {one["check"] for row in checked if row["text"] == "action_result" for one in row["findings"]} == {"ANN13"}
    rows = [json.loads(row) for row in cli("annotate", "export", dataset).out.splitlines()]
    assert Counter(row["text"] for row in rows)["screen_info"] == STEP_COUNT + 1
    written = cli.output("annotate", "export", dataset, "--memory", "paper", "--out", tmp_path)
    assert written == f"Memory of 1 episode written to {tmp_path}\n"
    assert json.loads((tmp_path / "chain_of_memory" / f"{EPISODE}.json").read_text())["rule"] == "paper"
    assert cli("annotate", "export", dataset, "--memory", "paper").exit_code == 2
