"""The thresholds on labelled screenshots of the simulated emulator: a part of the calibration data."""

import pytest

from odyssey_recorder.checking.thresholds import NO_EFFECT_DP2
from tests.checking.calibration import VIDEO, errors, looks_blank
from tests.checking.labelled import hard_pairs, labelled_screens, random_pairs


@pytest.mark.parametrize("actions", [0, pytest.param(16, marks=pytest.mark.soak)])
def test_real_effects_are_told_from_a_blinking_cursor(actions: int) -> None:
    pairs = hard_pairs("small_phone")
    pairs += random_pairs("small_phone", seed=3, actions=actions) if actions else []
    missed, false = errors(pairs, lambda pair: pair.area >= NO_EFFECT_DP2)
    assert {pair.kind for pair in missed} == {VIDEO}
    assert false == []
    assert {pair.changed for pair in pairs} == {True, False}


def test_blank_screens_are_told_from_dark_sparse_pages() -> None:
    screens = labelled_screens("small_phone")
    assert [screen for screen in screens if looks_blank(screen) != screen.blank] == []
    assert {screen.blank for screen in screens} == {True, False}
