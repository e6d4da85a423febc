"""The findings of each episode, kept up to date: unchanged files are not checked again."""

from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.dataset.codec import read_episode, write_episode
from odyssey_recorder.errors import CancelledError
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.dataset_wide.dataset_checks import DatasetChecks
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.finding import EpisodeReport
from tests.quality.folders import FIRST, SECOND, THIRD, write_dataset


class Bench:
    def __init__(self, root: Path) -> None:
        self.annotations = {path.stem: path for path in write_dataset(root, FIRST, SECOND, THIRD)}
        for number, episode_id in enumerate(self.annotations):
            self.say(episode_id, f"{'word ' * (number + 1)}{number}")
        self.asked: list[str] = []
        self.told: list[set[str]] = []
        checker = Checker(None, 1, judge=self._judge)
        self.checks = DatasetChecks(root, checker, lambda changed: self.told.append(set(changed)))

    def _judge(self, evidence: EpisodeEvidence) -> EpisodeReport:
        self.asked.append(evidence.episode.episode_id)
        return EpisodeReport(evidence.episode.episode_id)

    def say(self, episode_id: str, words: str) -> None:
        written = read_episode(self.annotations[episode_id])
        task = TaskInfo("General_Tool", ("Notes",), episode_id, episode_id, words)
        write_episode(self.annotations[episode_id], replace(written, task=task))

    def found(self, episode_id: str) -> list[str]:
        report = self.checks.known(episode_id).report
        return sorted({one.check for one in report.findings} & {"INS04", "EPI05"}) if report is not None else []


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_nothing_is_settled_before_the_dataset_as_a_whole_was_looked_at(bench: Bench) -> None:
    assert bench.checks.look(FIRST).report == EpisodeReport(FIRST)
    assert bench.checks.warned(FIRST) is None
    bench.checks.run()
    assert bench.checks.known(FIRST).is_settled
    assert bench.told == [{FIRST, SECOND, THIRD}]


def test_an_episode_that_became_like_another_is_seen_in_both_and_the_third_is_not_looked_at(bench: Bench) -> None:
    bench.checks.run()
    bench.asked.clear()
    bench.say(SECOND, "word 0")
    assert not bench.checks.known(SECOND).is_settled
    assert bench.checks.look(SECOND).is_settled
    assert [bench.found(one) for one in (FIRST, SECOND, THIRD)] == [["INS04"], ["INS04"], []]
    assert set(bench.asked) == {SECOND}
    assert bench.told[-1] == {FIRST, SECOND}
    bench.say(SECOND, "quite another word")
    bench.checks.run()
    assert bench.found(FIRST) == bench.found(SECOND) == []
    assert bench.told[-1] == {FIRST, SECOND}


def test_an_episode_that_is_gone_is_like_no_other_any_more(bench: Bench) -> None:
    bench.say(SECOND, "word 0")
    bench.checks.run()
    assert bench.found(FIRST) == ["INS04"]
    bench.annotations[SECOND].unlink()
    bench.checks.run()
    assert bench.found(FIRST) == []
    assert bench.told[-1] == {FIRST, SECOND}


def test_checks_that_were_stopped_settle_nothing(bench: Bench) -> None:
    with pytest.raises(CancelledError):
        bench.checks.run(cancelled=lambda: True)
    assert bench.checks.warned(FIRST) is None
    assert bench.told == []


def test_an_episode_that_cannot_be_read_is_settled_too(bench: Bench) -> None:
    bench.annotations[THIRD].write_text("{")
    bench.checks.run()
    known = bench.checks.known(THIRD)
    assert known.is_settled
    assert known.report is not None
    assert known.report.has_errors
    bench.say(FIRST, "something else")
    bench.annotations[THIRD].write_text("[]")
    bench.checks.run()
    assert bench.told[-1] == {FIRST, THIRD}
