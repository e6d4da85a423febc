"""The verdicts of the columns: the official evaluator's, and what each switch of `strict` changes."""

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from odyssey_recorder.evaluation.answers import answer_of, read_answers
from odyssey_recorder.evaluation.matching import AnswerVerdicts, verdicts
from odyssey_recorder.evaluation.protocols import OFFICIAL, PROTOCOLS, SWITCHES, ScoringRules, switched
from tests.evaluation.gold_sample import Pair, gold_from, random_pair
from tests.evaluation.plain_rules import verdict

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data/evaluation/official_vectors.json").read_text(encoding="utf-8")
)


def judged(
    pairs: list[Pair], rules: ScoringRules = OFFICIAL, *, width: int = 1000, height: int = 1000
) -> AnswerVerdicts:
    answers = read_answers([said for _, said, _ in pairs], whole=rules.whole_text)
    return verdicts(gold_from(pairs, width=width, height=height), np.arange(len(pairs)), answers, rules)


def test_all_step_vectors_of_the_official_evaluator_hold() -> None:
    steps = VECTORS["steps"]
    found = judged([(one["gt"], one["pred"], one["sam2_bbox"]) for one in steps])

    assert len(steps) == 82
    for row, one in enumerate(steps):
        expected = one["expected"]
        assert found.right[row] == expected["correct"], one
        assert found.invalid[row] == (expected["info"] == "invalid"), one
        assert found.typed[row] == (expected["info"] != "action_fail"), one


@pytest.mark.parametrize("one", VECTORS["decode_action"], ids=lambda one: f"{one['action']} {one['info']}")
def test_answers_are_spelled_as_by_the_official_converter(one: dict[str, Any]) -> None:
    expected = one["expected"]
    if "raises" not in expected:
        assert answer_of(one["action"], one["info"]) == expected["gt"]
        return
    with pytest.raises((ValueError, TypeError)) as raised:
        answer_of(one["action"], one["info"])
    assert (type(raised.value).__name__, str(raised.value)) == (expected["raises"], expected["message"])


def _agree(count: int, seed: int) -> None:
    random = Random(seed)
    pairs = [random_pair(random) for _ in range(count)]
    found = judged(pairs)
    for row, (truth, said, box) in enumerate(pairs):
        right, word = verdict(truth, said, box)  # type: ignore[arg-type]
        told = bool(found.right[row]), bool(found.invalid[row]), bool(found.typed[row])
        assert told == (right, word == "invalid", word != "action_fail"), (truth, said, box, word)


def test_random_answers_are_judged_as_by_the_plain_rules() -> None:
    _agree(20_000, seed=1)


@pytest.mark.soak
def test_a_million_random_answers_are_judged_as_by_the_plain_rules() -> None:
    for seed in range(20):
        _agree(50_000, seed=seed + 2)


def test_at_a_distance_of_exactly_0_14_the_rounding_is_the_official_one() -> None:
    pairs: list[Pair] = [
        (f"CLICK: ({x}, {y})", f"CLICK: ({x + across}, {y + down})", None)
        for across, down in ((140, 0), (84, 112), (112, 84), (0, 140))
        for x in range(0, 861, 3)
        for y in (0, 407, 282, x)
    ]

    found = judged(pairs)

    assert [bool(one) for one in found.right] == [verdict(truth, said, None)[0] for truth, said, _ in pairs]


SHOWN_BY: dict[str, Pair] = {
    "first-colon": ("TYPE: 10:30 meeting", "TYPE: 10:45 lunch", None),
    "text-distance": ("TYPE: weather", "TYPE: e", None),
    "sound-box": ("CLICK: (10, 10)", "CLICK: (990, 990)", [0, 0, 1000, 1000]),
    "on-grid": ("CLICK: (990, 500)", "CLICK: (1005, 500)", None),
}


@pytest.mark.parametrize("switch", SHOWN_BY)
def test_each_switch_makes_wrong_what_the_official_rules_make_right(switch: str) -> None:
    pair = SHOWN_BY[switch]

    assert judged([pair]).right[0]
    assert not judged([pair], switched(switch)).right[0]


def test_an_answer_that_cannot_be_read_has_a_type_in_the_official_rules_alone() -> None:
    pair: Pair = "CLICK: (5, 5)", "LONG_PRESS: <5, 5>", None

    assert judged([pair]).typed[0]
    assert not judged([pair], switched("invalid-type")).typed[0]


def test_strict_has_all_switches_on() -> None:
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
def test_the_protocols_of_others_differ(protocol: str, pair: Pair, right: bool) -> None:
    assert judged([pair], PROTOCOLS[protocol]).right[0] == right  # type: ignore[index]


def test_the_system_keys_are_one_type_to_agentcpm() -> None:
    assert judged([("PRESS_BACK", "PRESS_HOME", None)], PROTOCOLS["agentcpm"]).typed[0]


@pytest.mark.parametrize(
    "said",
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
def test_nothing_that_a_model_writes_is_run_or_raises(said: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)

    found = judged([("CLICK: (5, 5)", said, None)])

    assert not found.right[0]
    assert not list(tmp_path.iterdir())
