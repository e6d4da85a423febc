import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.errors import CancelledError
from odyssey_recorder.quality.cache import Cache, Editions
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.edition import edition, edition_of
from odyssey_recorder.quality.evidence import EpisodeEvidence, EpisodeFacts
from odyssey_recorder.quality.finding import EpisodeReport, Severity
from odyssey_recorder.quality.screenshot import measure
from odyssey_recorder.quality.sources import ScreenshotNames, stamp_episode
from tests.quality.folders import FIRST, SECOND, THIRD, edit, write_dataset
from tests.quality.judges import DEADLY, FAULTY, deadly_judge, judge
from tests.quality.test_collect import spoil_in_place


class Counting:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, evidence: EpisodeEvidence) -> EpisodeReport:
        self.asked.append(evidence.episode.episode_id)
        return judge(evidence)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache.sqlite"


def check_all(checker: Checker, annotations: Sequence[Path]) -> tuple[dict[str, EpisodeReport], list[EpisodeFacts]]:
    reports: list[EpisodeReport] = []
    facts = checker.check_all(annotations, reports.append)
    return {report.episode_id: report for report in reports}, list(facts())


def test_several_processes_find_what_one_finds(tmp_path: Path) -> None:
    annotations = write_dataset(tmp_path, FIRST, SECOND, THIRD)
    (tmp_path / "screenshots" / f"{SECOND}_1.png").write_bytes(b"no picture")
    alone, together = (Checker(None, jobs, judge=judge) for jobs in (1, 2))
    reports, facts = check_all(together, annotations)
    alone_reports, alone_facts = check_all(alone, annotations)
    assert reports == alone_reports
    assert [finding.name for finding in reports[SECOND].findings] == ["IMG01@1"]
    assert facts == alone_facts
    assert [one.episode_id for one in facts] == [FIRST, SECOND, THIRD]


def test_what_has_not_changed_is_not_looked_at_again(tmp_path: Path, cache: Path) -> None:
    annotations = write_dataset(tmp_path, FIRST, SECOND)
    first = check_all(Checker(cache, 2, judge=judge), annotations)
    for path in tmp_path.glob("*/*"):
        spoil_in_place(path)
    counting = Counting()
    again = Checker(cache, 2, judge=counting)
    assert check_all(again, annotations) == first
    assert counting.asked == []


def test_what_another_edition_of_the_program_found_is_looked_at_anew(tmp_path: Path, cache: Path) -> None:
    annotation, *_ = write_dataset(tmp_path, FIRST)
    checker = Checker(cache, judge=judge)
    checker.check(annotation)
    checker.close()
    measures = edition_of(measure.__module__, "pillow")
    assert Cache(cache, Editions(measures, edition())).episode(annotation) is not None
    assert Cache(cache, Editions(measures, "another")).episode(annotation) is None


def test_no_file_is_opened_whose_change_would_go_unseen(tmp_path: Path) -> None:
    annotation, *_ = write_dataset(tmp_path, FIRST)
    with opened_below(tmp_path) as opened:
        Checker(None).check(annotation)
    files, names = EpisodeFiles.of(annotation), ScreenshotNames(tmp_path / "screenshots").of(FIRST)
    stamps = [stamp_episode(files, 3, names)]
    for number, path in enumerate(sorted(opened)):
        os.utime(path, ns=(number, number))
        stamps.append(stamp_episode(files, 3, names))
    assert len(set(stamps)) == len(stamps) >= 1 + 3 + 3 + 2  # screenshots, view hierarchies, annotation and provenance


@contextmanager
def opened_below(folder: Path) -> Iterator[set[Path]]:
    """Collects every file below `folder` that this process opens meanwhile, by any means."""
    opened: set[Path] = set()
    listening = True

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if listening and event == "open" and isinstance(arguments[0], str | os.PathLike):
            path = Path(arguments[0])
            if path.is_relative_to(folder):
                opened.add(path)

    sys.addaudithook(hear)  # hooks cannot be removed, only silenced
    yield opened
    listening = False


def rewrite(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


@pytest.mark.parametrize(
    "change",
    [
        lambda root: edit(root / "annotations" / f"{SECOND}.json", note="another"),
        lambda root: rewrite(root / "screenshots" / f"{SECOND}_1.png"),
        lambda root: (root / "screenshots" / f"{SECOND}_2.png").unlink(),
        lambda root: (root / "screenshots" / f"{SECOND}_3.png").write_bytes(b""),
        lambda root: rewrite(root / "provenance" / f"{SECOND}.json"),
        lambda root: (root / "ui_trees" / f"{SECOND}_0.xml").unlink(),
    ],
    ids=["annotation", "picture", "screenshot gone", "screenshot too many", "proof", "view hierarchy gone"],
)
def test_an_episode_of_which_a_file_has_changed_is_looked_at_again(
    tmp_path: Path, cache: Path, change: Callable[[Path], object]
) -> None:
    annotations = write_dataset(tmp_path, FIRST, SECOND)
    check_all(Checker(cache, 1, judge=judge), annotations)
    change(tmp_path)
    counting = Counting()
    checker = Checker(cache, 1, judge=counting)
    assert checker.known(annotations[1]) is None
    reports, _ = check_all(checker, annotations)
    assert counting.asked == [SECOND]
    assert checker.known(annotations[1]) == reports[SECOND]


def test_an_episode_that_cannot_be_read_is_a_finding(tmp_path: Path, cache: Path) -> None:
    annotation, gone = write_dataset(tmp_path, FIRST, SECOND)
    annotation.write_text("{")
    gone.unlink()
    checker = Checker(cache, 1, judge=judge)
    for report, words in ((checker.check(annotation), "expected JSON"), (checker.check(gone), "file not found")):
        (finding,) = report.findings
        assert (finding.check, finding.severity) == ("ACT01", Severity.ERROR)
        assert words in finding.found
        assert report.not_checked
    assert list(checker.check_all([annotation, gone], lambda _report: None)()) == []
    write_dataset(tmp_path, FIRST)
    assert checker.check(annotation).findings == ()


def test_an_episode_that_ends_a_process_is_named_and_the_others_are_checked(tmp_path: Path, cache: Path) -> None:
    annotations = write_dataset(tmp_path, FIRST, DEADLY, FAULTY, SECOND)
    checker = Checker(cache, 2, judge=deadly_judge)
    reports, _ = check_all(checker, annotations)
    assert {episode_id for episode_id, report in reports.items() if report.has_errors} == {DEADLY, FAULTY}
    assert "ended (exit code 9)" in reports[DEADLY].findings[0].found
    assert "ZeroDivisionError: a fault of the checks" in reports[FAULTY].findings[0].found
    assert checker.known(annotations[1]) is None


def test_what_was_found_before_somebody_cancelled_is_remembered(tmp_path: Path, cache: Path) -> None:
    annotations = write_dataset(tmp_path, FIRST, SECOND, THIRD)
    reports: list[EpisodeReport] = []
    checker = Checker(cache, 1, judge=judge)
    with pytest.raises(CancelledError):
        checker.check_all(annotations, reports.append, lambda: len(reports) == 2)
    assert [report.episode_id for report in reports] == [FIRST, SECOND]
    assert [checker.known(annotation) is None for annotation in annotations] == [False, False, True]


def test_a_broken_cache_hinders_no_check_and_is_said(tmp_path: Path, cache: Path) -> None:
    annotations = write_dataset(tmp_path, FIRST, SECOND)
    cache.write_bytes(os.urandom(5000))
    checker = Checker(cache, 2, judge=judge)
    assert len(check_all(checker, annotations)[0]) == 2
    assert "The cache of earlier checks was damaged" in checker.problem
    checker.close()
    assert Checker(cache, judge=judge).known(annotations[0]) is not None
