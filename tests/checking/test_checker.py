import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from odyssey_recorder.checking.check_cache import Cache, CodeHashes
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.checking.code_hash import module_hash, program_hash
from odyssey_recorder.checking.evidence import ComparedEpisode, EpisodeEvidence
from odyssey_recorder.checking.screenshot import measure
from odyssey_recorder.dataset.file_stamps import ScreenshotNames, stamp_episode
from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.errors import CancelledError
from odyssey_recorder.model.finding import EpisodeReport, Severity
from tests.checking.fake_checks import CRASHING, crashing_check, fake_check
from tests.checking.folders import FIRST, SECOND, THIRD, write_dataset
from tests.checking.test_collect import overwrite_silently


class CountingCheck:
    def __init__(self) -> None:
        self.checked: list[str] = []

    def __call__(self, evidence: EpisodeEvidence) -> EpisodeReport:
        self.checked.append(evidence.episode.episode_id)
        return fake_check(evidence)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache.sqlite"


def check_all(checker: Checker, annotations: Sequence[Path]) -> tuple[dict[str, EpisodeReport], list[ComparedEpisode]]:
    reports: list[EpisodeReport] = []
    facts = checker.check_all(annotations, reports.append)
    return {report.episode_id: report for report in reports}, list(facts())


def test_several_processes_find_the_same_as_one(tmp_path: Path, cache: Path) -> None:
    annotations = write_dataset(tmp_path, FIRST, SECOND, THIRD)
    (tmp_path / "screenshots" / f"{SECOND}_1.png").write_bytes(b"not an image")
    together = check_all(Checker(cache, 2, judge=fake_check), annotations)
    assert together == check_all(Checker(None, 1, judge=fake_check), annotations)
    reports, facts = together
    assert [finding.name for finding in reports[SECOND].findings] == ["IMG01@1"]
    assert [one.episode_id for one in facts] == [FIRST, SECOND, THIRD]
    for path in tmp_path.glob("*/*"):
        overwrite_silently(path)
    counting_check = CountingCheck()
    assert check_all(Checker(cache, 1, judge=counting_check), annotations) == together
    assert counting_check.checked == [], "unchanged episodes are not checked again"


def test_results_of_another_program_version_are_not_reused(tmp_path: Path, cache: Path) -> None:
    annotation, *_ = write_dataset(tmp_path, FIRST)
    checker = Checker(cache, judge=fake_check)
    checker.check(annotation)
    checker.close()
    measures = module_hash(measure.__module__, "pillow")
    assert Cache(cache, CodeHashes(measures, program_hash())).episode(annotation) is not None
    assert Cache(cache, CodeHashes(measures, "another")).episode(annotation) is None


def test_change_of_any_opened_file_changes_the_stamp(tmp_path: Path) -> None:
    annotation, *_ = write_dataset(tmp_path, FIRST)
    with opened_files(tmp_path) as opened:
        Checker(None).check(annotation)
    files, names = EpisodeFiles.of(annotation), ScreenshotNames(tmp_path / "screenshots").of(FIRST)
    stamps = [stamp_episode(files, 3, names)]
    for number, path in enumerate(sorted(opened)):
        os.utime(path, ns=(number, number))
        stamps.append(stamp_episode(files, 3, names))
    assert len(set(stamps)) == len(stamps) >= 1 + 3 + 3 + 2  # screenshots, view hierarchies, annotation and provenance


@contextmanager
def opened_files(folder: Path) -> Iterator[set[Path]]:
    """Collects every file below `folder` that this process opens meanwhile, by any means."""
    opened: set[Path] = set()
    is_active = True

    def audit(event: str, arguments: tuple[object, ...]) -> None:
        if is_active and event == "open" and isinstance(arguments[0], str | os.PathLike):
            path = Path(arguments[0])
            if path.is_relative_to(folder):
                opened.add(path)

    sys.addaudithook(audit)  # hooks cannot be removed, only silenced
    yield opened
    is_active = False


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "screenshots" / f"{SECOND}_2.png").unlink(),
        lambda root: (root / "screenshots" / f"{SECOND}_3.png").write_bytes(b""),
        lambda root: (root / "ui_trees" / f"{SECOND}_0.xml").unlink(),
    ],
    ids=["missing screenshot", "extra screenshot", "missing view hierarchy"],
)
def test_episode_with_a_missing_or_extra_file_is_checked_again(
    tmp_path: Path, cache: Path, change: Callable[[Path], object]
) -> None:
    annotations = write_dataset(tmp_path, FIRST, SECOND)
    check_all(Checker(cache, 1, judge=fake_check), annotations)
    change(tmp_path)
    counting_check = CountingCheck()
    checker = Checker(cache, 1, judge=counting_check)
    assert checker.known(annotations[1]) is None
    reports, _ = check_all(checker, annotations)
    assert counting_check.checked == [SECOND]
    assert checker.known(annotations[1]) == reports[SECOND]


def test_unreadable_episode_is_a_finding(tmp_path: Path, cache: Path) -> None:
    annotation, missing = write_dataset(tmp_path, FIRST, SECOND)
    annotation.write_text("{")
    missing.unlink()
    checker = Checker(cache, 1, judge=fake_check)
    for report, words in ((checker.check(annotation), "expected JSON"), (checker.check(missing), "file not found")):
        (finding,) = report.findings
        assert (finding.check, finding.severity) == ("ACT01", Severity.ERROR)
        assert words in finding.found
        assert report.not_checked
    assert list(checker.check_all([annotation, missing], lambda _report: None)()) == []
    write_dataset(tmp_path, FIRST)
    assert checker.check(annotation).findings == ()


def test_episode_that_crashes_a_process_is_named_and_others_checked(tmp_path: Path, cache: Path) -> None:
    annotations = write_dataset(tmp_path, FIRST, CRASHING, SECOND)
    checker = Checker(cache, 2, judge=crashing_check)
    reports, _ = check_all(checker, annotations)
    assert {episode_id for episode_id, report in reports.items() if report.has_errors} == {CRASHING}
    assert "ended (exit code 9)" in reports[CRASHING].findings[0].found
    assert checker.known(annotations[1]) is None


def test_results_before_cancelling_are_kept(tmp_path: Path, cache: Path) -> None:
    annotations = write_dataset(tmp_path, FIRST, SECOND, THIRD)
    reports: list[EpisodeReport] = []
    checker = Checker(cache, 1, judge=fake_check)
    with pytest.raises(CancelledError):
        checker.check_all(annotations, reports.append, lambda: len(reports) == 2)
    assert [report.episode_id for report in reports] == [FIRST, SECOND]
    assert [checker.known(annotation) is None for annotation in annotations] == [False, False, True]


def test_broken_cache_is_reported_and_stops_no_check(tmp_path: Path, cache: Path) -> None:
    annotations = write_dataset(tmp_path, FIRST, SECOND)
    cache.write_bytes(os.urandom(5000))
    checker = Checker(cache, 1, judge=fake_check)
    assert len(check_all(checker, annotations)[0]) == 2
    assert "The cache of earlier checks was damaged" in checker.problem
    checker.close()
    assert Checker(cache, judge=fake_check).known(annotations[0]) is not None
