"""The thresholds on labelled screenshots of the simulated emulator: a part of the calibration data."""

import pytest

from odyssey_recorder.quality.thresholds import NO_EFFECT_DP2
from tests.quality.calibration import VIDEO, errors, looks_blank
from tests.quality.labelled import hard_pairs_on, pairs_on, sights_on


@pytest.mark.parametrize("deeds", [0, pytest.param(16, marks=pytest.mark.soak)])
def test_what_had_an_effect_and_what_had_none_is_told_apart_a_blinking_cursor_included(deeds: int) -> None:
    pairs = hard_pairs_on("small_phone")
    pairs += pairs_on("small_phone", seed=3, deeds=deeds) if deeds else []
    missed, false = errors(pairs, lambda pair: pair.area >= NO_EFFECT_DP2)
    assert {pair.kind for pair in missed} == {VIDEO}
    assert false == []
    assert {pair.changed for pair in pairs} == {True, False}


def test_nothing_at_all_is_told_from_a_dark_and_nearly_empty_page() -> None:
    sights = sights_on("small_phone")
    assert [sight for sight in sights if looks_blank(sight) != sight.blank] == []
    assert {sight.blank for sight in sights} == {True, False}
