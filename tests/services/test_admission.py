"""Which episodes are ready for others, on real files."""

import json
from collections import Counter
from pathlib import Path
from shutil import rmtree

import pytest

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.checking.one_episode import check_episode
from odyssey_recorder.dataset.layout import annotation_files
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.errors import CancelledError
from odyssey_recorder.model.finding import EpisodeReport
from odyssey_recorder.services.admission import reason_left_out
from odyssey_recorder.services.review import ReviewService
from tests.checking.folders import FIRST, SECOND, THIRD, write_dataset
from tests.commands.acceptance import accept_episodes


class CountedChecks:
    """How often each episode was checked."""

    def __init__(self) -> None:
        self.counts = Counter[str]()

    def __call__(self, evidence: EpisodeEvidence) -> EpisodeReport:
        self.counts[evidence.episode.episode_id] += 1
        return check_episode(evidence)


@pytest.fixture
def checks() -> CountedChecks:
    return CountedChecks()


@pytest.fixture
def reviews(tmp_path: Path, checks: CountedChecks) -> ReviewService:
    """Nothing is cached in a file."""
    write_dataset(tmp_path / "data", FIRST, SECOND, THIRD)
    return ReviewService(EpisodeIndex(tmp_path / "data", None), Checker(None, 1, judge=checks), str)


def test_every_episode_is_checked_once(reviews: ReviewService, checks: CountedChecks) -> None:
    accept_episodes(reviews.root, FIRST)
    reason = reason_left_out(reviews)
    reasons = [reason(file) for file in annotation_files(reviews.root)]
    assert [bool(why) for why in reasons] == [False, True, True]
    assert reasons[1] == f"{SECOND}.json is not accepted: unreviewed."
    assert checks.counts == {FIRST: 1, SECOND: 1, THIRD: 1}


@pytest.mark.parametrize(("box", "reason"), [([], "is not accepted: unreviewed."), ([9, 9, 1, 1], "(ACT09@0)")])
def test_empty_box_which_an_export_repairs_is_no_error(reviews: ReviewService, box: list[int], reason: str) -> None:
    path = annotation_files(reviews.root)[0]
    tree = json.loads(path.read_bytes())
    tree["steps"][0]["sam2_bbox"] = box
    path.write_text(json.dumps(tree))
    assert reason_left_out(reviews)(path).endswith(reason)


def test_spelling_of_a_foreign_dataset_keeps_nothing_out(reviews: ReviewService) -> None:
    rmtree(reviews.root / "provenance")  # the checks take the folder for an exported one
    path = annotation_files(reviews.root)[0]
    tree = json.loads(path.read_bytes())
    tree["steps"][0]["sam2_bbox"] = []
    path.write_text(json.dumps(tree))
    [report, *_] = reviews.check_all()
    assert "EXP01" in report.failed
    assert reason_left_out(reviews)(path) == f"{path.name} is not accepted: unreviewed."


def test_episode_that_nobody_has_checked_is_left_out(reviews: ReviewService) -> None:
    reason = reason_left_out(reviews)
    [late] = write_dataset(reviews.root, "0000000000000004")
    assert reason(late) == f"{late.name} is new, or has changed since it was checked. Try again."


def test_checks_can_be_cancelled(reviews: ReviewService) -> None:
    told: list[str] = []
    with pytest.raises(CancelledError):
        reason_left_out(reviews, lambda _, text: told.append(text), lambda: len(told) == 2)
    assert set(told) == {"Checking the episodes…"}
