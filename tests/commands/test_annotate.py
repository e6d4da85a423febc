"""`annotate`: texts from a model, with estimate, consent and budget."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import CONSENTS, ui_tree_path
from tests.annotation.phone_dataset import Touched, look_around
from tests.annotation.seeing_model import SeeingModel, expected
from tests.command_line import CommandLine
from tests.exporting.sample import STEPS, write_dataset
from tests.llm.stand_in import MODEL, StandIn

EPISODE = "0000000000000001"
DONE = 2


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Touched]]:
    root = tmp_path_factory.mktemp("made")
    return root, look_around(root, EPISODE, DONE)


@pytest.fixture
def dataset(command_line: CommandLine, made: tuple[Path, list[Touched]]) -> Path:
    return Path(shutil.copytree(made[0], command_line.dataset))


@pytest.fixture
def screens(made: tuple[Path, list[Touched]]) -> list[tuple[Touched, str]]:
    root, touched = made
    return [(one, (root / ui_tree_path(EPISODE, one.number)).read_text()) for one in touched]


@pytest.fixture
def server(command_line: CommandLine, screens: list[tuple[Touched, str]]) -> Iterator[StandIn]:
    with StandIn(SeeingModel(screens)) as stand_in:
        command_line.monkeypatch.setenv("ODYSSEY_MODEL", MODEL)
        command_line.monkeypatch.setenv("ODYSSEY_MODEL_URL", stand_in.url)
        yield stand_in


def test_texts_are_planned_written_and_listed(
    command_line: CommandLine, dataset: Path, server: StandIn, screens: list[tuple[Touched, str]]
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


def test_check_says_which_texts_contradict_what_was_recorded(
    command_line: CommandLine, dataset: Path, server: StandIn, screens: list[tuple[Touched, str]]
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
