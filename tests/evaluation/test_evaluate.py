"""`odyssey-recorder evaluate`, on files of predictions in every form and state."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.evaluation.predictions import Prediction
from odyssey_recorder.evaluation.protocols import PROTOCOLS
from tests.cli import CommandLine
from tests.evaluation import prediction_files
from tests.evaluation.prediction_files import own, predictions
from tests.splits.split_facts import facts
from tests.splits.split_folders import write_episodes

Score = Callable[..., Any]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    categories = ("General_Tool", "Multi_Apps")
    return write_episodes(tmp_path / "data", [facts(number, category=categories[number % 2]) for number in range(6)])


@pytest.fixture
def score(cli: CommandLine, root: Path) -> Score:
    def run(file: Path, *options: object, exit_code: int = 0) -> Any:
        result = cli("evaluate", file, "--data", root, "--json", *options)
        assert result.exit_code == exit_code, result.err
        return json.loads(result.out)

    return run


@pytest.mark.parametrize("form", ["own", "official", "osatlas", "agentcpm"])
def test_gold_actions_score_100_in_every_format(score: Score, root: Path, tmp_path: Path, form: str) -> None:
    file = getattr(prediction_files, form)(tmp_path / "file", predictions(root))
    report = score(file)
    assert (report["protocol"], report["ams"], report["ams_category_mean"], report["sr"]) == ("official", 100, 100, 100)
    assert report["tss"] == report["readable"] == report["progress"] == 100
    assert report["by"]["category"]["Multi_Apps"]["steps"] == 12
    assert report["confusion"]["rows"]["PRESS_HOME"] == [0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_official_result_file_works_with_every_protocol(
    score: Score, root: Path, tmp_path: Path, protocol: str
) -> None:
    file = prediction_files.official(tmp_path / "file", predictions(root), final=True)
    report = score(file, "--protocol", protocol)
    assert (report["protocol"], report["model"], report["ams"], report["sr"]) == (protocol, "m", 100, 100)


def test_level_comes_from_option_file_or_default(score: Score, root: Path, tmp_path: Path) -> None:
    plain = own(tmp_path / "plain", predictions(root))
    low = tmp_path / "low"
    low.write_bytes(plain.read_bytes().replace(b'"level": ""', b'"level": "low"'))
    levels = [score(*arguments)["level"] for arguments in ((plain,), (low,), (low, "--level", "high"))]
    assert levels == ["high", "low", "high"]


def test_mismatched_predictions_are_reported_by_line(cli: CommandLine, root: Path, tmp_path: Path) -> None:
    some = predictions(root)
    foreign = Prediction("9" * 16, 0, some[0].action)
    file = own(tmp_path / "file", [*some[:-1], some[3], foreign])
    result = cli("evaluate", file, "--data", root)
    assert result.exit_code == 1
    assert f"{file}, line 25: episode {some[3].episode}, step 4: the step has been predicted before" in result.err
    assert f"{file}, line 26: episode {'9' * 16}, step 1: no such step" in result.err
    assert "1 steps without a prediction, 1 repeated, 1 for steps that the dataset does not have" in result.err
    assert result.out.startswith("Protocol official, all episodes")


def test_missing_and_repeated_steps_are_wrong_only_in_strict(score: Score, root: Path, tmp_path: Path) -> None:
    some = predictions(root)
    file = own(tmp_path / "file", [*some[:-1], some[3]])
    official = score(file, exit_code=1)
    strict = score(file, "--protocol", "strict", exit_code=1)
    assert (official["ams"], official["sr"], official["episodes"]) == (100, 100, 4)
    assert (strict["ams"], strict["sr"], strict["episodes"]) == (91.67, 66.67, 6)
    assert [one["changed"] for one in strict["switches"]] == [0, 0, 2, 0, 0, 0]
    assert strict["confusion"]["rows"]["COMPLETE"][-2:] == [1, 1]


OTHER_TRUTHS = [
    ("official", {"gt": "PRESS_BACK"}),
    ("agentcpm", {"result_action_type": 0, "result_touch_yx": "[0, 0]", "result_lift_yx": "[0, 0]"}),
    ("agentcpm", {"result_action_type": 5}),
    ("agentcpm", {"result_action_type": 4, "result_touch_yx": "[0.9, 0.9]", "result_lift_yx": "[0.1, 0.9]"}),
]


@pytest.mark.parametrize(("form", "other"), OTHER_TRUTHS)
def test_differing_gold_actions_in_the_file_are_reported_but_ignored(
    score: Score, root: Path, tmp_path: Path, form: str, other: dict[str, object]
) -> None:
    file = getattr(prediction_files, form)(tmp_path / "file", predictions(root))
    text = file.read_text()
    trees = json.loads(text) if form == "official" else [json.loads(line) for line in text.splitlines()]
    trees[0] |= other
    file.write_text(json.dumps(trees) if form == "official" else "".join(f"{json.dumps(tree)}\n" for tree in trees))
    report = score(file, exit_code=1)
    assert (report["ams"], report["file"]["different_truth"]) == (100, 1)


def test_unreadable_gold_action_in_the_file_is_ignored(score: Score, root: Path, tmp_path: Path) -> None:
    file = prediction_files.agentcpm(tmp_path / "file", predictions(root))
    file.write_text(file.read_text().replace('_yx": "[', '_yx": "[1e309, NaN'))
    assert score(file)["ams"] == 100


HOSTILE = [
    b"__import__('os').system('true')",
    b'{"episode": "\xff"}',
    b"[" * 5_000,
    b'{"episode": NaN}',
    b'{"episode": "0000000000000000", "step": 1e309, "action": null}',
    b'{"episode": "0000000000000000", "step": 0, "action": {"action": "CLICK", "info": 5}}',
    b'{"episode": "0000000000000000", "step": 0, "action": [], "seconds": 1}',
    b'{"episode": "0000000000000000", "step": 0, "action": null, "seconds": -1}',
    b'{"episode": "../../etc/passwd", "step": 0, "action": null}',
    b'{"step": ' + b"9" * 5_000 + b"}",
    b'"' + b"x" * 3_000_000 + b'"',
    b'{"episode": "00000',
    b"null",
]


@pytest.mark.parametrize("line", HOSTILE, ids=lambda line: repr(line[:30]))
def test_hostile_line_is_reported_with_its_number(cli: CommandLine, root: Path, tmp_path: Path, line: bytes) -> None:
    file = own(tmp_path / "file", predictions(root))
    file.write_bytes(file.read_bytes() + line)
    result = cli("evaluate", file, "--data", root, "--json")
    assert result.exit_code == 1
    assert f"{file}, line 26: " in result.err
    assert json.loads(result.out)["by"]["category"]["Multi_Apps"]["ams"] == 100


@pytest.mark.parametrize("form", ["official", "osatlas", "agentcpm"])
def test_hostile_predictions_in_other_formats_are_reported(score: Score, root: Path, tmp_path: Path, form: str) -> None:
    file = getattr(prediction_files, form)(tmp_path / "file", predictions(root))
    text = file.read_text()
    file.write_text(text.replace("_0.png", "_x.png").replace('"step_id": 0', '"step_id": "x"'))
    report = score(file, exit_code=1)
    assert report["file"]["unread"] == 6
    assert report["file"]["missing"] == 6


@pytest.mark.parametrize("data", [b"", b"hello", b"{}", b"[1", b"\xff\xfe[\0]\0", b'{"format": "odyssey-predictions"}'])
def test_unrelated_file_is_rejected(cli: CommandLine, root: Path, tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(data)
    result = cli("evaluate", file, "--data", root)
    assert result.exit_code in (1, 2)
    assert str(file) in result.err


def test_two_models_are_compared_on_the_same_episodes(score: Score, root: Path, tmp_path: Path) -> None:
    some = predictions(root)
    worse = [one._replace(action={"action": "COMPLETE", "info": ""}) if one.step == 1 else one for one in some]
    one, other = own(tmp_path / "one", worse), own(tmp_path / "other", some, model="better")
    report = score(one, "--against", other)["against"]
    assert (report["model"], report["ams"], report["ams_more"], report["sr_more"]) == ("better", 100, 25, 100)
    assert report["ams_interval"] == {"low": 25, "high": 25}


def test_mismatches_in_the_compared_file_are_reported(cli: CommandLine, root: Path, tmp_path: Path) -> None:
    some = predictions(root)
    one, other = own(tmp_path / "one", some), own(tmp_path / "other", some[:-1])
    error = cli.error("evaluate", one, "--data", root, "--against", other, exit_code=1)
    assert f"{other}: 1 steps without a prediction" in error


def test_split_is_scored_with_its_published_results(score: Score, root: Path, tmp_path: Path) -> None:
    file = own(tmp_path / "file", predictions(root))
    ids = sorted({one.episode for one in predictions(root)})
    (root / "splits").mkdir()
    split = {"train": [f"{name}.json" for name in ids[2:]], "test": [f"{name}.json" for name in ids[:2]]}
    (root / "splits" / "random_split.json").write_text(json.dumps(split))
    report = score(file, "--split", "random", "--protocol", "official-v1")
    assert (report["steps"], report["file"]["foreign"], report["file"]["other_episodes"]) == (8, 0, 16)
    agent = next(one for one in report["published"] if one["model"] == "OdysseyAgent")
    assert (agent["source"], agent["ams"], agent["sr"]) == ("Lu et al. 2024, v1, table 2", 74.25, 8.83)
    assert (agent["others"]["General_Tool"], agent["others"]["General_Tool SR"]) == (85.16, 26.84)


def test_report_has_no_scripts_and_names_its_protocol(cli: CommandLine, root: Path, tmp_path: Path) -> None:
    file = own(tmp_path / "file", predictions(root), model="<script>alert(1)</script>")
    page = tmp_path / "page.html"
    cli.output("evaluate", file, "--data", root, "--protocol", "strict", "--html", page, "--against", file)
    text = page.read_text()
    assert "<script" not in text
    assert "Protocol strict: &lt;script&gt;" in text
    assert "text-distance" in text
    captions = re.findall("<caption>.*?</caption>", text)
    assert len(captions) == text.count("<table") == 9
    assert all("protocol strict" in caption for caption in captions)
