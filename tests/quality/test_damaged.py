"""The checks on damaged episodes: each defect is found at its step, and nothing else."""

import pytest

from odyssey_recorder.quality.checks import CHECKS
from tests.quality.damaged.bench import Case, make_and_check
from tests.quality.damaged.score import scores, wrong

pytestmark = pytest.mark.timeout(300)  # twelve episodes are recorded first

NEED_A_MODEL = {"EPI06", "INS03"}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Case, ...]:
    return make_and_check(tmp_path_factory.mktemp("damaged"), seed=1)


def test_every_planted_defect_is_found_at_its_step_and_nothing_else(cases: tuple[Case, ...]) -> None:
    assert wrong(cases) == []


def test_every_check_that_needs_no_model_has_something_to_find(cases: tuple[Case, ...]) -> None:
    planted = {score.check for score in scores(cases) if score.planted}

    assert planted == {check.id for check in CHECKS} - NEED_A_MODEL


def test_there_are_sixty_damaged_episodes_and_as_many_clean_ones_as_there_are_tasks(cases: tuple[Case, ...]) -> None:
    episodes = [case for case in cases if not case.is_set]

    assert sum(bool(case.planted) for case in episodes) >= 60
    assert sum(not case.planted for case in episodes) >= 12
