"""The findings of each episode, kept up to date: unchanged files are not checked again."""

from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.checking.whole_dataset.dataset_checks import DatasetChecks
from odyssey_recorder.dataset.codec import read_episode, write_episode
from odyssey_recorder.errors import CancelledError
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.finding import EpisodeReport
from tests.checking.folders import FIRST, SECOND, THIRD, write_dataset


class CheckedDataset:
    def __init__(self, root: Path) -> None:
        self.annotations = {path.stem: path for path in write_dataset(root, FIRST, SECOND, THIRD)}
        for number, episode_id in enumerate(self.annotations):
            self.set_instruction(episode_id, f"{'word ' * (number + 1)}{number}")
        self.checked: list[str] = []
        self.notified: list[set[str]] = []
        checker = Checker(None, 1, judge=self._check)
        self.checks = DatasetChecks(root, checker, lambda changed: self.notified.append(set(changed)))

    def _check(self, evidence: EpisodeEvidence) -> EpisodeReport:
        self.checked.append(evidence.episode.episode_id)
        return EpisodeReport(evidence.episode.episode_id)

    def set_instruction(self, episode_id: str, words: str) -> None:
        written = read_episode(self.annotations[episode_id])
        task = TaskInfo("General_Tool", ("Notes",), episode_id, episode_id, words)
        write_episode(self.annotations[episode_id], replace(written, task=task))

    def duplicates_of(self, episode_id: str) -> list[str]:
        report = self.checks.known(episode_id).report
        return sorted({one.check for one in report.findings} & {"INS04", "EPI05"}) if report is not None else []


@pytest.fixture
def dataset(tmp_path: Path) -> CheckedDataset:
    return CheckedDataset(tmp_path)


def test_findings_settle_once_the_whole_dataset_is_checked(dataset: CheckedDataset) -> None:
    assert dataset.checks.look(FIRST).report == EpisodeReport(FIRST)
    assert dataset.checks.warned(FIRST) is None
    dataset.checks.run()
    assert dataset.checks.known(FIRST).is_settled
    assert dataset.notified == [{FIRST, SECOND, THIRD}]


def test_new_duplicate_is_found_in_both_without_checking_others(dataset: CheckedDataset) -> None:
    dataset.checks.run()
    dataset.checked.clear()
    dataset.set_instruction(SECOND, "word 0")
    assert not dataset.checks.known(SECOND).is_settled
    assert dataset.checks.look(SECOND).is_settled
    assert [dataset.duplicates_of(one) for one in (FIRST, SECOND, THIRD)] == [["INS04"], ["INS04"], []]
    assert set(dataset.checked) == {SECOND}
    assert dataset.notified[-1] == {FIRST, SECOND}
    dataset.set_instruction(SECOND, "quite another word")
    dataset.checks.run()
    assert dataset.duplicates_of(FIRST) == dataset.duplicates_of(SECOND) == []
    assert dataset.notified[-1] == {FIRST, SECOND}


def test_removed_episode_is_no_longer_a_duplicate(dataset: CheckedDataset) -> None:
    dataset.set_instruction(SECOND, "word 0")
    dataset.checks.run()
    assert dataset.duplicates_of(FIRST) == ["INS04"]
    dataset.annotations[SECOND].unlink()
    dataset.checks.run()
    assert dataset.duplicates_of(FIRST) == []
    assert dataset.notified[-1] == {FIRST, SECOND}


def test_cancelled_checks_settle_nothing(dataset: CheckedDataset) -> None:
    with pytest.raises(CancelledError):
        dataset.checks.run(cancelled=lambda: True)
    assert dataset.checks.warned(FIRST) is None
    assert dataset.notified == []


def test_unreadable_episode_is_settled(dataset: CheckedDataset) -> None:
    dataset.annotations[THIRD].write_text("{")
    dataset.checks.run()
    known = dataset.checks.known(THIRD)
    assert known.is_settled
    assert known.report is not None
    assert known.report.has_errors
    dataset.set_instruction(FIRST, "something else")
    dataset.annotations[THIRD].write_text("[]")
    dataset.checks.run()
    assert dataset.notified[-1] == {FIRST, THIRD}
