"""The checks against episodes that were damaged on purpose: each defect is found at its step, and nothing else."""

import pytest

from tests.quality.damaged.bench import Case, make_and_check
from tests.quality.damaged.score import scores, wrong

EPISODE_CHECKS = {
    *("IMG01", "IMG02", "IMG03", "IMG04", "IMG05", "IMG07", "IMG08"),
    *("ACT01", "ACT02", "ACT03", "ACT04", "ACT05", "ACT06", "ACT07", "ACT08", "ACT09"),
    *("EPI01", "EPI02", "EPI04", "INS01", "INS02", "ANN01", "ANN02", "PRV01"),
}
CHECKS_OF_SETS = {"IMG06", "EPI03", "EPI05", "INS04", "EXP01", "SET01", "SET02", "SET03", "SET04"} | {
    f"SPL0{number}" for number in range(1, 5)
}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Case, ...]:
    return make_and_check(tmp_path_factory.mktemp("damaged"), seed=1)


def test_every_planted_defect_is_found_at_its_step_and_nothing_else(cases: tuple[Case, ...]) -> None:
    assert wrong(cases) == []


def test_every_check_that_needs_no_model_has_something_to_find(cases: tuple[Case, ...]) -> None:
    planted = {score.check for score in scores(cases) if score.planted}

    assert planted == EPISODE_CHECKS | CHECKS_OF_SETS


def test_there_are_sixty_damaged_episodes_and_as_many_clean_ones_as_there_are_tasks(cases: tuple[Case, ...]) -> None:
    episodes = [case for case in cases if not case.is_set]

    assert sum(bool(case.planted) for case in episodes) >= 60
    assert sum(not case.planted for case in episodes) >= 12
