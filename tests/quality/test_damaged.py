"""The checks on damaged episodes: each defect is found at its step, and nothing else."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from odyssey_recorder.quality.checks import CHECKS
from tests.quality.damaged.bench import make_and_check
from tests.quality.damaged.errands import ERRANDS, SHORT, Errand
from tests.quality.damaged.score import wrong

NEED_A_MODEL = {"EPI06", "INS03"}


@pytest.mark.timeout(300)  # the episodes are recorded first
@pytest.mark.parametrize(
    "errands", [pytest.param(SHORT, id="five tasks"), pytest.param(ERRANDS, id="all tasks", marks=pytest.mark.soak)]
)
def test_every_planted_defect_is_found_at_its_step_and_nothing_else(tmp_path: Path, errands: Sequence[Errand]) -> None:
    cases = make_and_check(tmp_path, seed=1, errands=errands)
    assert wrong(cases) == []
    planted = {check for case in cases for check, _, _ in case.planted}
    assert planted >= {check.id for check in CHECKS if check.look} - NEED_A_MODEL, "each has something to find"
