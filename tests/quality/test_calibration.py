"""The thresholds hold on pictures that the simulated phone labels: a part of what they were calibrated on."""

import pytest

from odyssey_recorder.quality.thresholds import NO_EFFECT_DP2
from tests.quality.calibration import VIDEO, Labelled, errors, label, looks_blank


@pytest.fixture(scope="module")
def labelled() -> Labelled:
    return label(["small_phone"], seed=3, deeds=16)


def test_what_had_an_effect_and_what_had_none_is_told_apart_a_blinking_cursor_included(labelled: Labelled) -> None:
    missed, false = errors(labelled.pairs, lambda pair: pair.area >= NO_EFFECT_DP2)

    assert {pair.kind for pair in missed} == {VIDEO}
    assert false == []
    assert {pair.changed for pair in labelled.pairs} == {True, False}


def test_nothing_at_all_is_told_from_a_dark_and_nearly_empty_page(labelled: Labelled) -> None:
    assert [sight for sight in labelled.sights if looks_blank(sight) != sight.blank] == []
    assert {sight.blank for sight in labelled.sights} == {True, False}
