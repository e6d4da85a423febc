import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from odyssey_recorder.dataset.entry_file import spell
from odyssey_recorder.dataset.watch import FolderChanges
from odyssey_recorder.dataset_index.filter import Filter, Key, parse_filter
from odyssey_recorder.dataset_index.index import EpisodeIndex, IndexedEpisode
from odyssey_recorder.errors import CancelledError
from odyssey_recorder.model.action import Action, Click, Complete
from odyssey_recorder.model.finding import EpisodeReport, Finding, Severity
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.review.review import ReviewFile
from odyssey_recorder.review.status import ReviewStage
from tests.checking.verdicts import verdict
from tests.dataset.drafts import provenance_of
from tests.dataset_index.datasets import LONG_AGO_NS, datasets, put, write, write_retired, write_splits
from tests.dataset_index.oracle import Facts, filters, matches

GARBAGE = b"{ not an episode"


def facts(number: int, **changes: object) -> Facts:
    usual: dict[str, object] = {
        "episode_id": f"{number:016}", "category": "Multi_Apps", "device": "Pixel Fold", "apps": ("Chrome",),
        "template": "Do {}.", "annotator": "", "verdict": "unreviewed", "ending": "complete", "actions": frozenset(),
        "findings": (), "sides": (), "steps": 2, "recorded_at": None, "published_at": None,
        "texts": ("", f"Buy milk number {number}."),
    }  # fmt: skip
    return Facts(**{**usual, **changes})  # type: ignore[arg-type]


DONE: tuple[Action, ...] = (Click(Point(1, 2)), Complete("found it"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A dataset of three episodes."""
    for number in range(3):
        write(tmp_path / "dataset", facts(number), DONE)
    return tmp_path / "dataset"


@contextmanager
def opened(root: Path, folder: Path | None = None, **options: Any) -> Iterator[EpisodeIndex]:
    with closing(EpisodeIndex(root, folder, **options)) as index:
        index.refresh()
        yield index


@pytest.fixture
def index(root: Path) -> Iterator[EpisodeIndex]:
    with opened(root, root.parent / "cache") as index:
        yield index


def annotation(root: Path, number: int) -> Path:
    return root / "annotations" / f"{number:016}.json"


def ids(*numbers: int) -> tuple[str, ...]:
    return tuple(f"{number:016}" for number in numbers)


def row(index: EpisodeIndex, number: int) -> IndexedEpisode:
    [found] = index.rows(among=ids(number))
    return found


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(datasets, st.lists(filters, min_size=10, max_size=20))
def test_filter_selects_the_same_as_the_oracle(
    written: list[tuple[Facts, tuple[Action, ...]]], wanted_filters: list[Filter]
) -> None:
    with TemporaryDirectory() as name:
        root, all_facts = Path(name), [known for known, _ in written]
        reports = [write(root, known, done) for known, done in written]
        put(root / "reviews" / "policy.json", b'{"seed": 0, "second_share": 0}')
        write_splits(root, all_facts)
        write_retired(root, all_facts)
        with opened(root, zone=UTC) as index:
            index.take_reports(reports, settled=True)
            for wanted in wanted_filters:
                expected = tuple(one.episode_id for one in all_facts if matches(wanted, one))
                assert index.ids(wanted) == expected
                assert tuple(found.episode_id for found in index.rows(wanted)) == expected
            _expect_facets(index, wanted_filters[0], all_facts)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("steps:>2", (1,)), ("steps:>=2", (0, 1)), ("steps:<3", (0,)), ("steps:2", (0,)), ("steps:3..9", (1,)),
        ("mil", (0, 1)), ("ilk", ()), ('"buy mil"', (0, 1)), ('"number 1 found"', ()), ("-milkman", (0, 1)),
    ],
)  # fmt: skip
def test_filters_are_exact(tmp_path: Path, text: str, found: tuple[int, ...]) -> None:
    for number in (0, 1):
        write(tmp_path, facts(number), (*DONE[:1] * number, *DONE))
    with opened(tmp_path) as index:
        assert index.ids(parse_filter(text)) == ids(*found)


def _expect_facets(index: EpisodeIndex, wanted: Filter, all_facts: list[Facts]) -> None:
    for key, (total, counts) in index.facets(wanted).items():
        others = [one for one in all_facts if matches(wanted.without(key), one)]
        assert total == len(others)
        for each in counts:
            chosen = wanted.choosing(key, [each.value])
            assert each.count == sum(matches(chosen, one) for one in all_facts), (key, each)
        if key in (Key.CATEGORY, Key.DEVICE, Key.BY, Key.VERDICT, Key.ENDING, Key.STEPS):
            assert sum(each.count for each in counts) == len(others)


def test_row_has_the_fields_of_a_list(index: EpisodeIndex) -> None:
    found = row(index, 1)
    assert (found.instruction, found.device, found.apps) == ("Buy milk number 1.", "Pixel Fold", ("Chrome",))
    assert (found.steps, found.ending, found.verdict) == (2, "complete", ReviewStage.UNREVIEWED)
    assert (found.problem, found.is_checked, found.recorded_at, found.splits) == ("", False, None, ())


def test_damaged_episode_is_found_by_what_can_be_read(index: EpisodeIndex, root: Path) -> None:
    whole, path = row(index, 1), annotation(root, 1)
    path.write_bytes(path.read_bytes().replace(b'"step_length": 2', b'"step_length": 3'))
    index.refresh()
    damaged = row(index, 1)
    assert "step_length is 3" in damaged.problem
    assert replace(damaged, problem="", revision=whole.revision, ending="complete") == whole
    assert index.ids(parse_filter('category:multi_apps device:"Pixel Fold" app:chrome steps:2 "number 1"')) == ids(1)
    [counted] = index.facets()[Key.CATEGORY].counts
    assert (counted.value, counted.count) == ("Multi_Apps", 3)


def test_steps_have_positions_and_texts(index: EpisodeIndex) -> None:
    (first, click), (_, end) = index.steps(parse_filter(f"id:{ids(2)[0]}"))
    assert (first, click.action, click.x, click.y) == (ids(2)[0], "CLICK", 1, 2)
    assert (end.number, end.action, end.text) == (1, "COMPLETE", "found it")


def test_only_changed_files_are_read(index: EpisodeIndex, root: Path) -> None:
    for number in (0, 1):
        path = annotation(root, number)
        path.write_bytes(GARBAGE.ljust(path.stat().st_size))
    os.utime(annotation(root, 0), ns=(LONG_AGO_NS, LONG_AGO_NS))
    os.utime(annotation(root, 1), ns=(LONG_AGO_NS, LONG_AGO_NS + 1))
    changes = index.refresh()
    assert changes == FolderChanges(changed=frozenset(ids(1)))
    assert [bool(one.problem) for one in index.rows()] == [False, True, False]


def test_update_applies_new_changed_and_removed_episodes(index: EpisodeIndex, root: Path) -> None:
    write(root, facts(7), DONE)
    write(root, facts(1, category="Web_Shopping"), (*DONE[:1], *DONE))
    annotation(root, 0).unlink()
    changes = index.update(ids(0, 1, 7, 8))
    assert changes == FolderChanges(frozenset(ids(7)), frozenset(ids(1)), frozenset(ids(0)))
    assert index.ids() == ids(1, 2, 7)
    assert index.ids(parse_filter("category:web_shopping steps:3")) == ids(1)
    assert index.ids(parse_filter('"number 0"')) == ()


def test_recently_changed_file_is_read_again(index: EpisodeIndex, root: Path) -> None:
    path = annotation(root, 0)
    os.utime(path)
    assert index.refresh().changed == {*ids(0)}
    assert index.refresh().changed <= {*ids(0)}
    path.write_bytes(GARBAGE)
    assert index.refresh().changed == {*ids(0)}
    assert row(index, 0).problem


def test_provenance_is_indexed(index: EpisodeIndex, root: Path) -> None:
    provenance = provenance_of(ids(1)[0], annotator="Ada").model_dump(mode="json")
    put(root / "provenance" / f"{ids(1)[0]}.json", json.dumps(provenance).encode())
    assert index.refresh().changed == {*ids(1)}
    assert index.ids(parse_filter("by:ada recorded:<2000-01-01")) == ids(1)


def test_cancelled_refresh_is_completed_by_the_next(root: Path) -> None:
    folder = root.parent / "cache"
    with closing(EpisodeIndex(root, folder)) as index, pytest.raises(CancelledError):
        index.refresh(cancelled=lambda: True)
    with closing(EpisodeIndex(root, folder)) as index:
        assert index.refresh().added == {*ids(0, 1, 2)}


class ChangeListener:
    def __init__(self, index: EpisodeIndex) -> None:
        self._changes: Queue[FolderChanges] = Queue()
        self.watch = index.follow(self._changes.put, print)

    def wait_for(self, *, added: tuple[str, ...] = (), removed: tuple[str, ...] = ()) -> None:
        """Until exactly these were announced, in any number of parts."""
        added_ids, removed_ids = Counter[str](), Counter[str]()
        while added_ids.keys() != {*added} or removed_ids.keys() != {*removed}:
            changes = self._changes.get(timeout=60)
            added_ids.update(changes.added)
            removed_ids.update(changes.removed)
        assert {*added_ids.values(), *removed_ids.values()} == {1}


@pytest.fixture
def listeners(index: EpisodeIndex, root: Path) -> Iterator[list[ChangeListener]]:
    """Of two indexes on one file, each with a thread of its own."""
    with closing(EpisodeIndex(root, root.parent / "cache")) as other:
        both = [ChangeListener(index), ChangeListener(other)]
        for one in both:
            one.wait_for(added=ids(0, 1, 2))
        yield both
        for one in both:
            one.watch.close()


def test_watch_updates_the_index(index: EpisodeIndex, root: Path, listeners: list[ChangeListener]) -> None:
    write(root, facts(5), DONE)
    for one in listeners:
        one.wait_for(added=ids(5))
    assert index.ids() == ids(0, 1, 2, 5)


def test_every_follower_hears_of_every_change(index: EpisodeIndex, root: Path, listeners: list[ChangeListener]) -> None:
    numbers = range(3, 23)
    for number in numbers:
        write(root, facts(number), DONE)
        index.update(ids(number))
    for one in listeners:
        one.wait_for(added=ids(*numbers))
    for number in numbers:
        annotation(root, number).unlink()
        index.update(ids(number))
    for one in listeners:
        one.wait_for(removed=ids(*numbers))


def test_followers_of_an_empty_dataset_are_notified_once(tmp_path: Path) -> None:
    output: Queue[FolderChanges] = Queue()
    with closing(EpisodeIndex(tmp_path / "dataset", None)) as index:
        watch = index.follow(output.put, print)
        assert output.get(timeout=60) == FolderChanges()
        watch.close()


def test_changed_splits_are_read(index: EpisodeIndex, root: Path) -> None:
    split = put(
        root / "splits" / "app_split.json", json.dumps({"train": [f"{ids(0)[0]}.json"], "test": ids(1)}).encode()
    )
    index.refresh()
    assert (index.ids(parse_filter("split:app/test")), index.ids(parse_filter("-split:app"))) == (ids(1), ids(2))
    assert row(index, 0).splits == ("app/train",)
    split.write_text("{")
    index.refresh()
    assert index.ids(parse_filter("split:app")) == ()


def put_verdict(index: EpisodeIndex) -> None:
    stored = verdict("Grace", revision=row(index, 0).revision, recorder="")
    put(index.root / "reviews" / f"{ids(0)[0]}.json", spell(ReviewFile(ids(0)[0], (stored,))))


def _report(number: int, severity: Severity | None) -> EpisodeReport:
    found = () if severity is None else (Finding("IMG06", severity, None, ids(number)[0], None, "", ""),)
    return EpisodeReport(ids(number)[0], found)


@pytest.mark.parametrize(
    ("severity", "settled", "share", "stage"),
    [
        (None, False, 0, ReviewStage.CHECKING),
        (None, True, 0, ReviewStage.ACCEPTED),
        (Severity.WARNING, False, 0, ReviewStage.SECOND),
        (None, True, 1, ReviewStage.SECOND),
        (None, False, 1, ReviewStage.SECOND),
    ],
)
def test_verdict_follows_the_review_rules(  # noqa: PLR0913 - the row of a table
    index: EpisodeIndex, root: Path, severity: Severity | None, settled: bool, share: int, stage: ReviewStage
) -> None:
    put(root / "reviews" / "policy.json", json.dumps({"second_share": share}).encode())
    put_verdict(index)
    index.refresh()
    index.take_reports([_report(number, severity if number == 0 else None) for number in range(3)], settled=settled)
    assert row(index, 0).verdict is stage


def test_verdict_on_another_revision_does_not_count(index: EpisodeIndex, root: Path) -> None:
    put_verdict(index)
    index.refresh()
    assert row(index, 0).verdict is not ReviewStage.UNREVIEWED
    write(root, facts(0, texts=("", "Buy bread.")), DONE)
    index.refresh()
    assert row(index, 0).verdict is ReviewStage.UNREVIEWED


def test_findings_survive_a_new_verdict_but_not_new_files(index: EpisodeIndex, root: Path) -> None:
    index.take_reports([_report(2, Severity.ERROR)], settled=True)
    put(root / "reviews" / f"{ids(2)[0]}.json", spell(ReviewFile(ids(2)[0])))
    index.refresh()
    assert index.ids(parse_filter("finding:img06 finding:error")) == ids(2)
    write(root, facts(2, texts=("", "Buy bread.")), DONE)
    index.refresh()
    assert (index.ids(parse_filter("finding:error")), row(index, 2).is_checked) == ((), False)


def test_findings_survive_another_look_at_a_file_that_was_just_written(index: EpisodeIndex, root: Path) -> None:
    os.utime(annotation(root, 2))
    index.refresh()
    index.take_reports([_report(2, Severity.ERROR)], settled=True)
    while index.refresh():
        assert index.ids(parse_filter("finding:error")) == ids(2)
    assert row(index, 2).is_checked


def test_findings_are_read_from_the_check_cache(root: Path) -> None:
    cached = {annotation(root, 1): _report(1, Severity.WARNING)}
    with opened(root, known=cached.get) as index:
        assert index.ids(parse_filter("finding:warning")) == ids(1)
        assert (row(index, 1).warnings, row(index, 1).is_checked, row(index, 2).is_checked) == (1, True, False)


def test_strange_files_are_skipped_or_have_a_problem(index: EpisodeIndex, root: Path, tmp_path: Path) -> None:
    os.mkfifo(annotation(root, 3))
    annotation(root, 4).symlink_to(put(tmp_path / "outside.json", annotation(root, 0).read_bytes()))
    put(annotation(root, 5), b"[" * 100_000)
    put(annotation(root, 6), annotation(root, 0).read_bytes())
    (root / "provenance").mkdir()
    (root / "provenance" / f"{ids(0)[0]}.json").mkdir()
    index.refresh()
    problems = {one.episode_id: one.problem for one in index.rows()}
    assert [*problems] == [*ids(0, 1, 2, 4, 5, 6)]
    assert "leads out of" in problems[ids(4)[0]]
    assert problems[ids(5)[0]]
    assert "contains episode" in problems[ids(6)[0]]
    assert not problems[ids(0)[0]]


def test_folder_linked_outside_the_dataset_is_not_read(root: Path, tmp_path: Path) -> None:
    (root / "annotations").rename(tmp_path / "elsewhere")
    (root / "annotations").symlink_to(tmp_path / "elsewhere")
    with opened(root) as index:
        assert all("leads out of" in one.problem for one in index.rows())


def _file(root: Path) -> Path:
    [path] = (root.parent / "cache").glob("*.sqlite")
    return path


def test_index_is_persistent(index: EpisodeIndex, root: Path) -> None:
    index.close()
    with closing(EpisodeIndex(root, root.parent / "cache")) as again:
        assert again.ids() == ids(0, 1, 2)
        assert not again.refresh()


@pytest.mark.parametrize("number", [0, 99])
def test_index_of_another_format_is_rebuilt(index: EpisodeIndex, root: Path, number: int) -> None:
    index.close()
    with closing(sqlite3.connect(_file(root))) as file:
        file.executescript(f"DROP TABLE apps; CREATE TABLE apps (other); PRAGMA user_version = {number}")
    with closing(EpisodeIndex(root, root.parent / "cache")) as again:
        assert again.refresh().added == {*ids(0, 1, 2)}
        assert (again.ids(parse_filter("app:chrome")), again.problem) == (ids(0, 1, 2), "")


def test_damaged_file_is_replaced(index: EpisodeIndex, root: Path) -> None:
    index.close()
    _file(root).write_bytes(b"no database" * 1000)
    with opened(root, root.parent / "cache") as again:
        assert again.ids() == ids(0, 1, 2)
        assert "damaged" in again.problem


def test_damage_found_later_is_repaired(index: EpisodeIndex, root: Path) -> None:
    with closing(sqlite3.connect(_file(root))) as file:
        file.executescript("DROP TABLE apps")
    assert index.ids(parse_filter("app:chrome")) == ids(0, 1, 2)
    assert "damaged" in index.problem


def test_index_without_a_usable_folder_is_in_memory(root: Path, tmp_path: Path) -> None:
    put(tmp_path / "taken", b"")
    with opened(root, tmp_path / "taken") as index:
        assert index.ids() == ids(0, 1, 2)
        assert "cannot be kept" in index.problem


_IN_A_PROCESS = """
import resource, signal, sys
from pathlib import Path
from odyssey_recorder.dataset_index.index import EpisodeIndex
root, folder, limit = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
if limit:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
index = EpisodeIndex(root, folder)
print("open", flush=True)
index.refresh()
print(len(index.ids()), index.problem, flush=True)
"""


def _process(root: Path, limit: int = 0) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", _IN_A_PROCESS, str(root), str(root.parent / "cache"), str(limit)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_index_on_a_full_disk_is_in_memory(root: Path) -> None:
    for number in range(3, 900):
        shutil.copy(annotation(root, 0), annotation(root, number))
    with _process(root, limit=200_000) as process:
        output, _ = process.communicate(timeout=60)
    assert "900 The index of the dataset cannot be kept" in output


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.soak)])
def test_killed_process_leaves_a_usable_index(root: Path, kills: int) -> None:
    for number in range(3, 1500):
        shutil.copy(annotation(root, 0), annotation(root, number))
    for _ in range(kills):
        with _process(root) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(signal.SIGKILL)
    with opened(root, root.parent / "cache") as index:
        assert (len(index.ids()), index.problem) == (1500, "")


def test_processes_and_threads_share_the_index(root: Path) -> None:
    for number in range(3, 300):
        write(root, facts(number), DONE)
    with closing(EpisodeIndex(root, root.parent / "cache")) as index, _process(root) as one, _process(root) as other:
        threads = [Thread(target=work) for work in (index.refresh, index.facets, index.rows, index.refresh)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        output = [process.communicate(timeout=60)[0].split("\n")[1] for process in (one, other)]
        index.refresh()
        assert (output, index.problem) == (["300 ", "300 "], "")
        counted = Counter(each.action for _, each in index.steps())
        assert counted == {"CLICK": 300, "COMPLETE": 300}
