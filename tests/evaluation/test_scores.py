"""AMS, SR and their intervals: the official totals, and how often an interval holds the truth."""

from typing import Any

import numpy as np
import pytest

from odyssey_recorder.evaluation import scores
from odyssey_recorder.evaluation.gold import GoldEpisode, GoldStep, gold_of
from odyssey_recorder.evaluation.intervals import by_unit, percentiles, ratios
from odyssey_recorder.evaluation.loading import Loaded, place_of
from odyssey_recorder.evaluation.placement import place
from odyssey_recorder.evaluation.protocols import OFFICIAL
from odyssey_recorder.evaluation.scores import Placed, Scored
from tests.evaluation.test_matching import VECTORS


def scored(samples: list[dict[str, Any]]) -> Scored:
    """By the official rules, with steps numbered as they come."""
    episodes: dict[str, tuple[GoldEpisode, list[GoldStep]]] = {}
    loaded = Loaded("official")
    for number, one in enumerate(samples):
        name, _ = place_of(one["screenshot"])
        head = GoldEpisode(name, one["category"], "Phone", (), "", one["step_length"])
        _, steps = episodes.setdefault(name, (head, []))
        loaded.add(number, (name, len(steps)), one["pred"])
        steps.append((one["gt"], one["sam2_bbox"]))
    gold = gold_of(list(episodes.values()))
    return scores.score(gold, place(gold, loaded)[0], OFFICIAL)


@pytest.mark.parametrize("vector", VECTORS["metrics"], ids=lambda one: one["id"])
def test_totals_match_the_official_evaluator(vector: dict[str, Any]) -> None:
    found = scored(vector["samples"])
    pooled, means = scores.figures(found), scores.category_mean(found)
    macro, micro = vector["expected"]["macro"], vector["expected"]["micro"]
    if "raises" not in macro:
        assert (pooled.ams, pooled.sr or 0.0, pooled.steps) == (macro["AMS"], macro["SR"], macro["total"])
        assert macro["action_type"].endswith(f"= {pooled.type_match:.2f}")
        assert macro["text"] == f"{pooled.right_texts} / {pooled.texts} = {pooled.text:.2f}"
    if "raises" not in micro:
        assert means == (micro["AMS"], micro["SR"])
    if not vector["samples"]:
        assert (pooled.ams, pooled.sr, means) == (None, None, (None, None))


def score_episode(answers: list[tuple[str, str]]) -> Scored:
    samples = [
        {"screenshot": f"1_{at}.png", "category": "c", "step_length": len(answers), "gt": truth, "pred": said,
         "sam2_bbox": None}
        for at, (truth, said) in enumerate(answers)
    ]  # fmt: skip
    return scored(samples)


def test_home_counts_for_tss_only_with_the_step_after_it() -> None:
    home, done = ("PRESS_HOME", "PRESS_HOME"), ("COMPLETE", "COMPLETE")
    wrong = "CLICK: (1, 1)", "PRESS_BACK"
    assert scores.figures(score_episode([home, wrong, home, done])).tss == 50
    assert scores.figures(score_episode([wrong, home])).tss is None


def test_goal_progress_is_the_share_before_the_first_mistake() -> None:
    right, wrong = ("COMPLETE", "COMPLETE"), ("COMPLETE", "IMPOSSIBLE")
    assert scores.figures(score_episode([right, wrong, right, right])).progress == 25


def test_text_accuracy_is_of_texts_that_were_typed() -> None:
    """As the official script prints it: a text step that was answered with a click is not among them."""
    answers = [("TYPE: a", "TYPE: a"), ("TYPE: a", "TYPE: zz"), ("TYPE: a", "CLICK: (1, 1)"), ("COMPLETE", "TYPE: a")]
    found = scores.figures(score_episode(answers))
    assert (found.right_texts, found.texts, found.text) == (1, 2, 50)


def test_confusion_matrix_counts_invalid_and_missing_answers() -> None:
    gold = gold_of([(GoldEpisode("1", "c", "d", (), "", 3), [("TYPE: a", None)] * 3)])
    placed = Placed(np.array([0, 1]), ["COMPLETE", "prose"], np.zeros(0, np.int64), np.array([2]))
    row = scores.confusion(scores.score(gold, placed, OFFICIAL))[3]
    assert {name: count for name, count in zip(scores.COLUMNS, row, strict=True) if count} == {
        "COMPLETE": 1, "invalid": 1, "missing": 1
    }  # fmt: skip


def test_95_percent_interval_has_the_stated_coverage() -> None:
    random = np.random.default_rng(23)
    held = 0
    for seed in range(1000):
        steps = random.integers(3, 30, 150)
        right = random.binomial(steps, random.beta(6, 3, 150))  # episodes are easy or hard as a whole
        interval = percentiles(ratios([(right, steps)], samples=1000, seed=seed)[:, 0], 150)
        assert interval is not None
        held += interval.low <= 100 * 6 / 9 <= interval.high
    assert 930 <= held <= 970


def test_interval_of_few_units_is_widened_by_students_t() -> None:
    column = np.linspace(0, 100, 10_001)
    intervals = [percentiles(column, units) for units in (1, 6, 20, 10_000)]
    assert [one and one.low for one in intervals] == [None, 0.26, 1.59, 2.5]


def test_bootstrap_samples_of_two_models_share_episodes() -> None:
    steps = np.full(40, 10)
    right = np.arange(40) % 10
    drawn = ratios([(right, steps), (right + 1, steps)], samples=50)
    assert np.allclose(drawn[:, 1] - drawn[:, 0], 10)


def test_templates_are_resampled_as_one_unit() -> None:
    assert by_unit(np.array([1, 2, 3]), ["b", "a", "b"]).tolist() == [2, 4]
