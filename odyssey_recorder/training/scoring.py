"""Answers to samples, scored under the protocol `official`."""

from collections.abc import Iterable

import numpy as np

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.evaluation.answers import read_answers
from odyssey_recorder.evaluation.gold import GoldEpisode, gold_of, official_answer
from odyssey_recorder.evaluation.matching import verdicts
from odyssey_recorder.evaluation.protocols import OFFICIAL
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.training.samples import SampleGold


def official_right(given: Iterable[tuple[SampleGold, str]]) -> list[bool]:
    """Whether each answer of a model counts as its step's true action, as `evaluate` judges a prediction of it."""
    pairs = list(given)
    gold = gold_of(
        [
            (GoldEpisode(str(row), "", "", (), "", 1), [(sample.answer, sample.box)])
            for row, (sample, _) in enumerate(pairs)
        ]
    )
    answers = read_answers([_spelled(*pair) for pair in pairs], whole=OFFICIAL.whole_text)
    return [bool(right) for right in verdicts(gold, np.arange(len(pairs)), answers, OFFICIAL).right]


def _spelled(gold: SampleGold, answer: str) -> str:
    adapter, true_size = adapter_named(gold.adapter), Size(*gold.size)
    action = adapter.read(answer, adapter.fit(true_size), true_size).action
    return "" if action is None else official_answer(action)
