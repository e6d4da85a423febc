"""Accepted alternatives, logged steps, leaderboards and pictures, on a dataset with screenshots."""

import base64
import csv
import io
import json
import re
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from odyssey_recorder.annotation.alternatives import accept_alternative
from odyssey_recorder.curation.redaction import RedactedBox, RedactedWords, Redaction, write_redaction
from odyssey_recorder.dataset.amendment import DropSteps, NewInstruction
from odyssey_recorder.dataset.layout import annotation_path, screenshot_path
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.evaluation import pictures
from odyssey_recorder.evaluation.leaderboard import FORMS
from odyssey_recorder.evaluation.predictions import Prediction, spelled
from odyssey_recorder.evaluation.protocols import PROTOCOLS
from odyssey_recorder.model.action import Click, Press, SystemKey
from odyssey_recorder.model.geometry import Point
from tests.cli import CommandLine
from tests.evaluation.prediction_files import own, predictions
from tests.exporting.sample import SIZE, ids, write_dataset
from tests.exporting.test_trainers import write_pairs

FIRST, SECOND = ids(2)
CORNER, BACK = Click(Point(990, 10)), Press(SystemKey.BACK)


@pytest.fixture
def root(cli: CommandLine) -> Path:
    write_dataset(cli.dataset, 2)
    return cli.dataset


def changed(root: Path, *actions: tuple[str, int, Any]) -> list[Prediction]:
    others = {(episode, step): spelled(action) for episode, step, action in actions}
    return [one._replace(action=others.get((one.episode, one.step), one.action)) for one in predictions(root)]


@pytest.fixture
def wrong(root: Path, tmp_path: Path) -> Path:
    """Wrong at the first and the last but one step of the first episode."""
    return own(tmp_path / "wrong.jsonl", changed(root, (FIRST, 0, CORNER), (FIRST, 6, BACK)), model="m")


def scores(cli: CommandLine, file: Path, *options: object) -> tuple[float, float, dict[str, Any] | None]:
    report = cli.json("evaluate", file, "--data", cli.dataset, *options)
    more = report["alternatives"]
    return report["ams"], report["sr"], more and {**more, "whole": (more["whole"]["ams"], more["whole"]["sr"])}


def test_alternatives_are_counted_beside_the_plain_score(cli: CommandLine, root: Path, wrong: Path) -> None:
    by = ("--dataset", root, "--by", "Bea")
    accept = ("reviews", "also-right", FIRST, 1, "CLICK: (990, 10)", *by)
    assert [cli.output(*accept) for _ in range(2)] == [
        f"{n} alternative{'s' * (n != 1)} accepted at step 1\n" for n in (1, 0)
    ]
    assert scores(cli, wrong) == (87.5, 50, None)
    also = {"whole": (93.75, 50), "steps": 1, "gained": 1}
    assert scores(cli, wrong, "--alternatives") == (87.5, 50, also)
    assert accept_alternative(root, FIRST, 6, BACK, "Bea")
    assert scores(cli, wrong, "--alternatives")[2] == {"whole": (100, 100), "steps": 2, "gained": 2}
    said = cli.output("evaluate", wrong, "--data", root, "--alternatives")
    assert "If accepted alternatives are right too: AMS 100.00, SR 100.00. 2 judged steps had some, and 2" in said
    assert cli.output("reviews", "also-right", FIRST, 7, "--withdraw", *by) == "1 alternative withdrawn at step 7\n"
    assert scores(cli, wrong, "--alternatives")[2] == also


def test_alternatives_survive_fixes_that_leave_their_question_as_it_is(
    cli: CommandLine, root: Path, tmp_path: Path
) -> None:
    accept_alternative(root, FIRST, 6, BACK, "Bea")
    versions = Versions(root, lambda _: True)
    versions.amend(FIRST, DropSteps(first=2, last=3), expected=versions.revision(FIRST), record=lambda _: None)
    file = own(tmp_path / "after.jsonl", changed(root, (FIRST, 4, BACK)))
    assert scores(cli, file, "--alternatives")[2] == {"whole": (100, 100), "steps": 1, "gained": 1}
    other = NewInstruction(instruction="Buy something else.")
    versions.amend(FIRST, other, expected=versions.revision(FIRST), record=lambda _: None)
    assert scores(cli, file, "--alternatives")[2] == {"whole": (92.86, 50), "steps": 0, "gained": 0}


def test_what_a_person_corrected_an_agent_for_can_be_accepted(cli: CommandLine, root: Path, tmp_path: Path) -> None:
    write_pairs(root, FIRST)
    file = own(tmp_path / "agent.jsonl", changed(root, (FIRST, 0, Click(Point(10, 20)))))
    score = (file, "--alternatives", "--filter", "is:agent")
    assert scores(cli, *score)[2] == {"whole": (87.5, 0), "steps": 0, "gained": 0}, "a person rejected it"
    cli.output("reviews", "also-right", FIRST, 1, "--rejected", "--dataset", root, "--by", "Bea")
    assert scores(cli, *score)[2] == {"whole": (100, 100), "steps": 1, "gained": 1}
    none = cli.error("reviews", "also-right", FIRST, 2, "--rejected", "--dataset", root, "--by", "Bea", exit_code=2)
    assert "No person corrected an agent at step 2" in none
    prose = cli.error("reviews", "also-right", FIRST, 2, "Hm.", "--dataset", root, "--by", "Bea", exit_code=2)
    assert "Write one such as CLICK: (432, 118)" in prose


def test_alternative_needs_a_name_and_a_step(root: Path) -> None:
    for step, by, why in ((8, "Bea", "There is no step 9: the episode has 8 steps"), (0, " ", "Your name is not set")):
        with pytest.raises(DatasetError, match=why):
            accept_alternative(root, FIRST, step, BACK, by)


def test_empty_box_at_a_press_is_treated_as_by_the_official_script(
    cli: CommandLine, root: Path, tmp_path: Path
) -> None:
    path = root / annotation_path(FIRST)
    tree = json.loads(path.read_bytes())
    for step in tree["steps"]:
        step["sam2_bbox"] = []
    path.write_text(json.dumps(tree))
    file = own(tmp_path / "gold.jsonl", predictions(root))
    assert scores(cli, file)[:2] == (87.5, 50), "its click and its long press"
    assert scores(cli, file, "--protocol", "official-v1")[:2] == (100, 100)
    assert scores(cli, file, "--protocol", "strict")[:2] == (100, 100)
    assert "2 presses of the dataset have an empty or malformed sam2_bbox" in cli.output(
        "evaluate", file, "--data", root
    )


def test_each_step_is_logged_with_every_protocols_verdict(
    cli: CommandLine, root: Path, wrong: Path, tmp_path: Path
) -> None:
    accept_alternative(root, FIRST, 0, CORNER, "Bea")
    redact(root)
    log = tmp_path / "log.jsonl"
    cli.output("evaluate", wrong, "--data", root, "--alternatives", "--log-samples", log)
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(row["episode_id"], row["step_index"]) for row in rows] == [(one, n) for one in ids(2) for n in range(8)]
    first, typed = rows[0], rows[1]
    assert (first["truth"], first["predicted"], first["model"]) == ("CLICK: (500, 250)", "CLICK: (990, 10)", "m")
    assert first["alternatives"] == ["CLICK: (990, 10)"]
    assert first["protocols"]["official"] == {"right": False, "why": "0.546 away", "right_with_alternatives": True}
    assert [*first["protocols"]] == [*PROTOCOLS]
    assert rows[6]["protocols"]["agentcpm"]["why"] == "Another action"
    assert "milk" not in json.dumps(typed)
    assert typed["protocols"]["strict"]["right"]


def redact(root: Path) -> None:
    """The left half of the first screenshot, and the typed word."""
    shot = sha256((root / screenshot_path(FIRST, 0)).read_bytes()).hexdigest()
    by: dict[str, Any] = {"who": "Bea", "at": datetime.now(UTC), "why": "private"}
    box = RedactedBox(step=0, box=(0, 0, SIZE.width // 2, SIZE.height), sha256=shot, **by)
    write_redaction(root, Redaction(episode_id=FIRST, boxes=(box,), words=(RedactedWords(text="milk", **by),)))


def test_page_has_few_pictures_of_wrong_steps_without_what_is_redacted(
    cli: CommandLine, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    redact(root)
    monkeypatch.setattr(pictures, "MOST", 3)
    file = own(tmp_path / "file", changed(root, (FIRST, 0, BACK), *((FIRST, n, CORNER) for n in range(1, 8))))
    page = tmp_path / "page.html"
    cli.output("evaluate", file, "--data", root, "--html", page)
    text = page.read_text()
    images = re.findall('<img src="data:image/webp;base64,([^"]+)" alt="Step ([0-9]) of', text)
    assert [step for _, step in images] == ["4", "1", "2"]
    assert "milk" not in text
    first = Image.open(io.BytesIO(base64.b64decode(images[1][0])))
    assert max(first.getpixel((2, first.height // 2))) < 30  # type: ignore[arg-type]
    (root / screenshot_path(FIRST, 0)).unlink()
    cli.output("evaluate", file, "--data", root, "--html", page)
    assert "cannot be read" in page.read_text()


def test_several_files_splits_and_protocols_give_one_table(
    cli: CommandLine, root: Path, wrong: Path, tmp_path: Path
) -> None:
    gold, table = own(tmp_path / "gold.jsonl", predictions(root), model="=1+1|$x_<b>"), tmp_path / "table.csv"
    both = ("--protocol", "official", "--protocol", "strict", "--leaderboard", table)
    said = cli.output("evaluate", wrong, gold, "--data", root, *both)
    rows = [*csv.DictReader(table.read_text().splitlines())]
    assert [(row["Model"], row["Protocol"], row["AMS"]) for row in rows] == [
        ("'=1+1|$x_<b>", "official", "100.00"), ("m", "official", "87.50"),
        ("'=1+1|$x_<b>", "strict", "100.00"), ("m", "strict", "87.50"),
    ]  # fmt: skip
    assert [line.split()[0] for line in said.splitlines() if "strict" in line] == ["=1+1|$x_<b>", "m"]
    assert [one["ams"] for one in cli.json("evaluate", wrong, gold, "--data", root)["evaluations"]] == [87.5, 100]
    assert "ends in .md, .csv, .tex" in cli.error(
        "evaluate", gold, "--data", root, "--leaderboard", "x.txt", exit_code=2
    )
    assert "'best' is not one of" in cli.error("evaluate", gold, "--data", root, "--protocol", "best", exit_code=2)
    assert "are for one file" in cli.error("evaluate", gold, wrong, "--data", root, "--wrong", 1, exit_code=2)


def test_leaderboard_escapes_what_comes_from_files() -> None:
    row = [r"a|b\c_$x^{~}<i>", "@SUM(1)"]
    heads = ["Model", "File"]
    assert FORMS[".md"]([heads, row]).splitlines()[2] == r"| a\|b\\c\_\$x^{\~}\<i\> | \@SUM(1) |"
    assert [*csv.reader(io.StringIO(FORMS[".csv"]([heads, row])))][1] == [row[0], "'@SUM(1)"]
    assert FORMS[".tex"]([heads, row]).splitlines()[4] == (
        r"a|b\textbackslash{}c\_\$x\textasciicircum{}\{\textasciitilde{}\}\textless{}i\textgreater{} & @SUM(1) \\"
    )
