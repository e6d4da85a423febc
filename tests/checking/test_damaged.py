"""The checks on the damaged set: each planted defect is found at its step, and nothing else."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from odyssey_recorder.checking.one_episode import CHECKS
from tests.checking.damaged.cases import check_damaged_set
from tests.checking.damaged.score import mistakes
from tests.checking.damaged.scripted_tasks import FEW_TASKS, SCRIPTED_TASKS, ScriptedTask

NEED_A_MODEL = {"EPI06", "INS03"}


@pytest.mark.timeout(300)  # it records the episodes first
@pytest.mark.parametrize(
    "tasks",
    [pytest.param(FEW_TASKS, id="few tasks"), pytest.param(SCRIPTED_TASKS, id="all tasks", marks=pytest.mark.soak)],
)
def test_every_planted_defect_is_found_and_nothing_else(tmp_path: Path, tasks: Sequence[ScriptedTask]) -> None:
    cases = [*check_damaged_set(tmp_path, seed=1, tasks=tasks)]
    assert mistakes(cases) == []
    planted = {check for case in cases for check, _, _ in case.planted}
    assert planted >= {check.id for check in CHECKS if check.look} - NEED_A_MODEL, "each has something to find"
