"""The episodes at a path, and all that is found about them; `tests/commands/test_check.py` has the whole."""

from pathlib import Path

import pytest

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.errors import CancelledError
from odyssey_recorder.model.finding import Criterion, Finding, NotChecked, Severity
from odyssey_recorder.services.checking import check, find_episodes
from tests.checking.folders import FIRST, SECOND, write_dataset
from tests.review.interrupted_fix import interrupt_recorded_fix

JUDGED = "EPI06"
OPINION = Finding(JUDGED, Severity.NOTE, Criterion.SEQUENCE, FIRST, None, "The alarm is not set.", "Look again.")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_dataset(tmp_path / "data", FIRST, SECOND)
    return tmp_path / "data"


def test_dataset_that_was_meant_and_dataset_around_an_episode(root: Path) -> None:
    whole, one = find_episodes(root), find_episodes(root / "annotations" / f"{FIRST}.json")
    assert (whole.root, whole.dataset, whole.episode_ids) == (root, root, [FIRST, SECOND])
    assert (one.root, one.dataset, one.episode_ids) == (None, root, [FIRST])


def test_progress_is_told_for_each_episode_and_for_the_whole(root: Path) -> None:
    told: list[tuple[float | None, str]] = []
    report = check(find_episodes(root), Checker(None, 1), progress=lambda *now: told.append(now))
    assert told == [(0.5, "1 of 2 episodes"), (1.0, "2 of 2 episodes"), (None, "The whole dataset")]
    assert report.episodes == 2


def test_check_can_be_cancelled(root: Path) -> None:
    told: list[str] = []
    with pytest.raises(CancelledError):
        check(find_episodes(root), Checker(None, 1), {}, lambda _, text: told.append(text), lambda: bool(told))
    assert told == ["1 of 2 episodes"]


def test_opinion_of_a_model_is_kept_and_its_absence_is_not(root: Path, tmp_path: Path) -> None:
    checker = Checker(tmp_path / "checks.sqlite", 1)
    why = NotChecked(JUDGED, "The model did not answer.")
    report = check(find_episodes(root), checker, {FIRST: OPINION, SECOND: why})
    assert OPINION in report.findings
    known = [checker.known(root / "annotations" / f"{episode_id}.json") for episode_id in (FIRST, SECOND)]
    assert [one is not None and OPINION in one.findings for one in known] == [True, False]
    assert known[1] is not None
    assert why not in known[1].not_checked
    checker.close()


def test_interrupted_fix_is_warned_of_and_left_alone(root: Path) -> None:
    assert find_episodes(root).warning == ""
    interrupt_recorded_fix(root, FIRST, "Fixed.")
    found = find_episodes(root)
    check(found, Checker(None, 1))
    assert found.warning.startswith(f"A fix of episode {FIRST} is in progress or was interrupted.")
