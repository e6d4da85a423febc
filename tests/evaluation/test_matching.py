"""Vectorized verdicts: those of the official evaluator, and what each switch of `strict` changes."""

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from odyssey_recorder.evaluation.answers import answer_of, read_answers
from odyssey_recorder.evaluation.matching import AnswerVerdicts, verdicts
from odyssey_recorder.evaluation.protocols import OFFICIAL, PROTOCOLS, SWITCHES, ScoringRules, switched
from tests.evaluation.reference_rules import verdict
from tests.evaluation.sample_pairs import Pair, gold_from, random_pair

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data/evaluation/official_vectors.json").read_text(encoding="utf-8")
)


def judged(
    pairs: list[Pair], rules: ScoringRules = OFFICIAL, *, width: int = 1000, height: int = 1000
) -> AnswerVerdicts:
    answers = read_answers([answer for _, answer, _ in pairs], whole=rules.whole_text)
    return verdicts(gold_from(pairs, width=width, height=height), np.arange(len(pairs)), answers, rules)


def test_step_verdicts_match_the_official_evaluator() -> None:
    steps = VECTORS["steps"]
    found = judged([(one["gt"], one["pred"], one["sam2_bbox"]) for one in steps])
    assert len(steps) == 82
    for row, one in enumerate(steps):
        expected = one["expected"]
        assert found.right[row] == expected["correct"], one
        assert found.invalid[row] == (expected["info"] == "invalid"), one
        assert found.typed[row] == (expected["info"] != "action_fail"), one


@pytest.mark.parametrize("one", VECTORS["decode_action"], ids=lambda one: f"{one['action']} {one['info']}")
def test_answers_are_spelled_like_the_official_converter(one: dict[str, Any]) -> None:
    expected = one["expected"]
    if "raises" not in expected:
        assert answer_of(one["action"], one["info"]) == expected["gt"]
        return
    with pytest.raises((ValueError, TypeError)) as raised:
        answer_of(one["action"], one["info"])
    assert (type(raised.value).__name__, str(raised.value)) == (expected["raises"], expected["message"])


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 22))])
def test_random_answers_match_the_reference_rules(seed: int) -> None:
    random = Random(seed)
    pairs = [random_pair(random) for _ in range(20_000 if seed == 1 else 50_000)]
    found = judged(pairs)
    for row, (truth, answer, box) in enumerate(pairs):
        right, word = verdict(truth, answer, box)  # type: ignore[arg-type]
        actual = bool(found.right[row]), bool(found.invalid[row]), bool(found.typed[row])
        assert actual == (right, word == "invalid", word != "action_fail"), (truth, answer, box, word)


EXAMPLES: dict[str, Pair] = {
    "first-colon": ("TYPE: 10:30 meeting", "TYPE: 10:45 lunch", None),
    "text-distance": ("TYPE: weather", "TYPE: e", None),
    "sound-box": ("CLICK: (10, 10)", "CLICK: (990, 990)", [0, 0, 1000, 1000]),
    "on-grid": ("CLICK: (990, 500)", "CLICK: (1005, 500)", None),
}


@pytest.mark.parametrize("switch", EXAMPLES)
def test_each_switch_rejects_an_answer_the_official_rules_accept(switch: str) -> None:
    pair = EXAMPLES[switch]
    assert judged([pair]).right[0]
    assert not judged([pair], switched(switch)).right[0]


def test_unreadable_answer_has_a_type_only_in_the_official_rules() -> None:
    pair: Pair = "CLICK: (5, 5)", "LONG_PRESS: <5, 5>", None
    assert judged([pair]).typed[0]
    assert not judged([pair], switched("invalid-type")).typed[0]


def test_strict_turns_on_every_switch() -> None:
    assert switched(*SWITCHES) == PROTOCOLS["strict"]


def test_strict_measures_in_pixels_of_the_short_side() -> None:
    pair: Pair = "CLICK: (500, 500)", "CLICK: (500, 600)", None
    assert judged([pair], switched("sound-box"), width=1440, height=1440).right[0]
    assert not judged([pair], switched("sound-box"), width=1440, height=3120).right[0]


@pytest.mark.parametrize(
    ("protocol", "pair", "right"),
    [
        ("official-v1", ("CLICK: (10, 10)", "CLICK: (990, 990)", [0, 0, 1000, 1000]), False),
        ("agentcpm", ("PRESS_RECENT", "PRESS_HOME", None), True),
        ("agentcpm", ("PRESS_BACK", "PRESS_HOME", None), False),
        ("agentcpm", ("IMPOSSIBLE", "COMPLETE", None), True),
        ("agentcpm", ("TYPE: Hello", "TYPE: hello world", None), True),
        ("agentcpm", ("TYPE: abcd", "TYPE: abxy", None), False),
        ("osatlas", ("TYPE: red shoes", "TYPE: Red hat", None), True),
        ("osatlas", ("TYPE: red shoes size nine", "TYPE: blue hat", None), False),
        ("osatlas", ("CLICK: (100, 0)", "CLICK: the button", None), True),
        ("com", ("CLICK: (10, 10)", "CLICK: (990, 990)", [0, 0, 1000, 1000]), False),
    ],
)
def test_protocols_of_other_evaluators(protocol: str, pair: Pair, right: bool) -> None:
    assert judged([pair], PROTOCOLS[protocol]).right[0] == right  # type: ignore[index]


def test_agentcpm_treats_system_keys_as_one_type() -> None:
    assert judged([("PRESS_BACK", "PRESS_HOME", None)], PROTOCOLS["agentcpm"]).typed[0]


@pytest.mark.parametrize(
    "answer",
    [
        "CLICK: __import__('os').mkdir('harm')",
        "CLICK: " + "(" * 100_000,
        "CLICK: (" + "9" * 200 + "*" + "9" * 90 + ", 1)",
        "CLICK: (9**9**9**9, 1)",
        "CLICK: (1/0, 1)",
        "CLICK: (nan, 1)",
        "TYPE: \ud800",
        "CLICK: (1_, 1)",
    ],
)
def test_model_output_is_never_executed_and_never_raises(answer: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    found = judged([("CLICK: (5, 5)", answer, None)])
    assert not found.right[0]
    assert not list(tmp_path.iterdir())
