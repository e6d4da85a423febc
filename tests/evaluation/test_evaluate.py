"""`odyssey-recorder evaluate`, on files of predictions in every form and state."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.evaluation.predictions import Prediction
from tests.cli import CommandLine
from tests.evaluation import prediction_files
from tests.evaluation.prediction_files import own, predictions
from tests.splits.split_facts import facts
from tests.splits.split_folders import write_episodes


@pytest.fixture
def root(tmp_path: Path) -> Path:
    categories = ("General_Tool", "Multi_Apps")
    return write_episodes(tmp_path / "data", [facts(number, category=categories[number % 2]) for number in range(6)])


def _scored(cli: CommandLine, file: Path, root: Path, *options: object, exit_code: int = 0) -> Any:
    ended = cli("evaluate", file, "--data", root, "--json", *options)
    assert ended.exit_code == exit_code, ended.err
    return json.loads(ended.out)


@pytest.mark.parametrize("form", ["own", "official", "osatlas", "agentcpm"])
def test_the_true_actions_score_100_in_every_form(cli: CommandLine, root: Path, tmp_path: Path, form: str) -> None:
    file = getattr(prediction_files, form)(tmp_path / "file", predictions(root))

    told = _scored(cli, file, root)

    assert (told["protocol"], told["ams"], told["ams_category_mean"], told["sr"]) == ("official", 100, 100, 100)
    assert told["tss"] == told["readable"] == told["progress"] == 100
    assert told["by"]["category"]["Multi_Apps"]["steps"] == 12
    assert told["confusion"]["rows"]["PRESS_HOME"] == [0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("protocol", ["official", "official-v1", "strict", "agentcpm", "osatlas", "com"])
def test_the_final_file_of_the_official_evaluator_is_read_under_every_protocol(
    cli: CommandLine, root: Path, tmp_path: Path, protocol: str
) -> None:
    file = prediction_files.official(tmp_path / "file", predictions(root), final=True)

    told = _scored(cli, file, root, "--protocol", protocol)

    assert (told["protocol"], told["model"], told["ams"], told["sr"]) == (protocol, "m", 100, 100)


def test_the_level_is_that_of_the_file_or_the_option_or_high(cli: CommandLine, root: Path, tmp_path: Path) -> None:
    plain = own(tmp_path / "plain", predictions(root))
    low = tmp_path / "low"
    low.write_bytes(plain.read_bytes().replace(b'"level": ""', b'"level": "low"'))

    levels = [_scored(cli, *one)["level"] for one in ((plain, root), (low, root), (low, root, "--level", "high"))]

    assert levels == ["high", "low", "high"]


def test_what_does_not_fit_is_told_with_its_line(cli: CommandLine, root: Path, tmp_path: Path) -> None:
    some = predictions(root)
    foreign = Prediction("9" * 16, 0, some[0].action)
    file = own(tmp_path / "file", [*some[:-1], some[3], foreign])

    ended = cli("evaluate", file, "--data", root)

    assert ended.exit_code == 1
    assert f"{file}, line 25: episode {some[3].episode}, step 4: the step has been predicted before" in ended.err
    assert f"{file}, line 26: episode {'9' * 16}, step 1: no such step" in ended.err
    assert "1 steps without a prediction, 1 repeated, 1 for steps that the dataset does not have" in ended.err
    assert ended.out.startswith("Protocol official, all episodes")


def test_missing_and_repeated_steps_are_wrong_in_strict_alone(cli: CommandLine, root: Path, tmp_path: Path) -> None:
    some = predictions(root)
    file = own(tmp_path / "file", [*some[:-1], some[3]])

    official = _scored(cli, file, root, exit_code=1)
    strict = _scored(cli, file, root, "--protocol", "strict", exit_code=1)

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
def test_true_actions_of_the_file_that_differ_are_told_and_do_not_count(
    cli: CommandLine, root: Path, tmp_path: Path, form: str, other: dict[str, object]
) -> None:
    file = getattr(prediction_files, form)(tmp_path / "file", predictions(root))
    text = file.read_text()
    trees = json.loads(text) if form == "official" else [json.loads(line) for line in text.splitlines()]
    trees[0] |= other
    file.write_text(json.dumps(trees) if form == "official" else "".join(f"{json.dumps(tree)}\n" for tree in trees))

    told = _scored(cli, file, root, exit_code=1)

    assert (told["ams"], told["file"]["different_truth"]) == (100, 1)


def test_a_true_action_of_the_file_that_cannot_be_read_is_left_out(
    cli: CommandLine, root: Path, tmp_path: Path
) -> None:
    file = prediction_files.agentcpm(tmp_path / "file", predictions(root))
    file.write_text(file.read_text().replace('_yx": "[', '_yx": "[1e309, NaN'))

    assert _scored(cli, file, root)["ams"] == 100


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
def test_a_hostile_line_is_a_problem_of_that_line(cli: CommandLine, root: Path, tmp_path: Path, line: bytes) -> None:
    file = own(tmp_path / "file", predictions(root))
    file.write_bytes(file.read_bytes() + line)

    ended = cli("evaluate", file, "--data", root, "--json")

    assert ended.exit_code == 1
    assert f"{file}, line 26: " in ended.err
    assert json.loads(ended.out)["by"]["category"]["Multi_Apps"]["ams"] == 100


@pytest.mark.parametrize("form", ["official", "osatlas", "agentcpm"])
def test_hostile_predictions_of_others_are_told_too(cli: CommandLine, root: Path, tmp_path: Path, form: str) -> None:
    file = getattr(prediction_files, form)(tmp_path / "file", predictions(root))
    text = file.read_text()
    file.write_text(text.replace("_0.png", "_x.png").replace('"step_id": 0', '"step_id": "x"'))

    told = _scored(cli, file, root, exit_code=1)

    assert told["file"]["unread"] == 6
    assert told["file"]["missing"] == 6


@pytest.mark.parametrize("data", [b"", b"hello", b"{}", b"[1", b"\xff\xfe[\0]\0", b'{"format": "odyssey-predictions"}'])
def test_a_file_of_something_else_is_refused(cli: CommandLine, root: Path, tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(data)

    ended = cli("evaluate", file, "--data", root)

    assert ended.exit_code in (1, 2)
    assert str(file) in ended.err


def test_two_models_are_compared_on_the_same_episodes(cli: CommandLine, root: Path, tmp_path: Path) -> None:
    some = predictions(root)
    worse = [one._replace(action={"action": "COMPLETE", "info": ""}) if one.step == 1 else one for one in some]
    one, other = own(tmp_path / "one", worse), own(tmp_path / "other", some, model="better")

    told = _scored(cli, one, root, "--against", other)["against"]

    assert (told["model"], told["ams"], told["ams_more"], told["sr_more"]) == ("better", 100, 25, 100)
    assert told["ams_interval"] == {"low": 25, "high": 25}


def test_what_does_not_fit_in_the_other_file_is_told_too(cli: CommandLine, root: Path, tmp_path: Path) -> None:
    some = predictions(root)
    one, other = own(tmp_path / "one", some), own(tmp_path / "other", some[:-1])

    ended = cli("evaluate", one, "--data", root, "--against", other)

    assert ended.exit_code == 1
    assert f"{other}: 1 steps without a prediction" in ended.err


def test_the_test_part_of_a_split_is_scored_and_its_published_rows_are_shown(
    cli: CommandLine, root: Path, tmp_path: Path
) -> None:
    file = own(tmp_path / "file", predictions(root))
    ids = sorted({one.episode for one in predictions(root)})
    (root / "splits").mkdir()
    split = {"train": [f"{name}.json" for name in ids[2:]], "test": [f"{name}.json" for name in ids[:2]]}
    (root / "splits" / "random_split.json").write_text(json.dumps(split))

    told = _scored(cli, file, root, "--split", "random", "--protocol", "official-v1")

    assert (told["steps"], told["file"]["foreign"], told["file"]["other_episodes"]) == (8, 0, 16)
    assert {"model": "OdysseyAgent", "source": "Lu et al. 2024, v1", "ams": 74.25, "sr": 8.83} in told["published"]


def test_the_page_has_no_scripts_and_names_its_protocol(cli: CommandLine, root: Path, tmp_path: Path) -> None:
    file = own(tmp_path / "file", predictions(root), model="<script>alert(1)</script>")
    page = tmp_path / "page.html"

    ended = cli("evaluate", file, "--data", root, "--protocol", "strict", "--html", page, "--against", file)

    assert ended.exit_code == 0
    text = page.read_text()
    assert "<script" not in text
    assert "Protocol strict: &lt;script&gt;" in text
    assert "text-distance" in text
    captions = re.findall("<caption>.*?</caption>", text)
    assert len(captions) == text.count("<table") == 9
    assert all("protocol strict" in caption for caption in captions)
