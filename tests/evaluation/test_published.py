"""Published results: the same numbers as in a second transcription of the papers' tables, and what is told of them."""

import json
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

from odyssey_recorder.evaluation.published import published, reference_results

TRANSCRIBED: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data/evaluation/reference_results.json").read_text(encoding="utf-8")
)
TURNED = ("v2_table8_granularity_AMS", "v2_table9_device_held_out")
"""Here a row has another order: by the model instead of by the test."""


def test_every_table_has_the_numbers_of_the_second_transcription() -> None:
    tables = {table.source: [*table.rows.values()] for table in reference_results()}
    for key, tree in TRANSCRIBED.items():
        paper, _, number = key.partition("_table")
        names = {"v1": "Lu et al. 2024, v1", "v2": "Lu et al. 2024, v2", "CoM": "Chain-of-Memory"}
        if paper not in names:
            continue
        ours = tables.pop(f"{names[paper]}, table {number.partition('_')[0]}")
        theirs = [row["values"] if isinstance(row, dict) else row for row in tree["rows"].values()]
        if key in TURNED:
            assert Counter(chain(*ours)) == Counter(chain(*theirs)), key
        else:
            assert ours == theirs, key
    assert [*tables] == ["README of OpenBMB/AgentCPM-GUI"]


def test_results_are_told_by_protocol_split_and_level_each_once() -> None:
    def told(*terms: str) -> dict[str, dict[str, float | None]]:
        scores = published(*terms)
        assert len({(one.model, one.source) for one in scores}) == len({(one.ams, one.source) for one in scores})
        return {one.model: one.values for one in scores}

    assert told("official", "device_pixel_fold", "high") == {"OdysseyAgent": {"AMS": 67.67, "SR": 4.48}}
    assert told("official", "random", "low")["OdysseyAgent, trained on both"] == {"AMS": 88.84, "SR": None}
    assert told("official-v1", "task", "high")["OdysseyAgent, without history"] == {"AMS": 46.22, "SR": 0.0}
    by_itself = told("com", "random", "high")["Qwen2-VL-7B, CoM by itself"]
    assert (by_itself["TSS"], by_itself["SCROLL"], by_itself["AMS"]) == (81.33, 74.78, 84.22)
    assert {"OdysseyAgent", "OdysseyAgent, all three texts"} <= told("paper", "app", "high").keys()
    assert told("strict", "random", "high") == told("official", "", "high") == {}
