"""The watch, with real files and the system's own notifications."""

import errno
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from watchdog.events import FileSystemEventHandler
from watchdog.observers.api import BaseObserver

from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.journal import Change
from odyssey_recorder.dataset.layout import HISTORY, PROVENANCE
from odyssey_recorder.dataset.watch import DatasetWatch, FolderChanges, WatchRules
from odyssey_recorder.model.action import Complete
from tests.episodes import episode

ONE, TWO, THREE = "0000000000000001", "0000000000000002", "0000000000000003"
PATIENCE_S = 10.0
NEVER_S = 3600.0
EAGER = WatchRules(noticed_s=NEVER_S, unnoticed_s=0.02)
Begin = Callable[..., DatasetWatch]


class Told:
    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.changes: list[FolderChanges] = []
        self.warnings: list[str] = []
        self._news = threading.Condition()

    def tell(self, changes: FolderChanges) -> None:
        with self._news:
            self.changes.append(changes)
            self.ids = (self.ids | changes.added) - changes.removed
            self._news.notify_all()

    def warn(self, words: str) -> None:
        self.warnings.append(words)

    def wait_for(self, wanted: Callable[[], bool]) -> None:
        with self._news:
            assert self._news.wait_for(wanted, PATIENCE_S), (self.ids, self.changes)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def watch(told: Told) -> Iterator[Begin]:
    """Starts watches; they scan unprompted only where notifications fail, unless `rules` say otherwise."""
    begun: list[DatasetWatch] = []

    def begin(root: Path, rules: WatchRules = EAGER, beside: Sequence[str] = (PROVENANCE,)) -> DatasetWatch:
        begun.append(DatasetWatch(root, told.tell, told.warn, rules, beside=beside))
        return begun[-1]

    yield begin
    for one in begun:
        one.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("annotations", "provenance"):
        (tmp_path / "dataset" / name).mkdir(parents=True)
    return tmp_path / "dataset"


def put(root: Path, episode_id: str) -> Path:
    path = root / "annotations" / f"{episode_id}.json"
    write_episode(path, episode(episode_id=episode_id))
    return path


@pytest.mark.parametrize("ids", [(), (ONE, TWO)])
def test_it_begins_with_the_episodes_that_are_there(root: Path, told: Told, watch: Begin, ids: Sequence[str]) -> None:
    for episode_id in ids:
        put(root, episode_id)
    watch(root)
    told.wait_for(lambda: told.changes == [FolderChanges(added=frozenset(ids))])


def test_what_comes_changes_and_goes_is_noticed(root: Path, told: Told, watch: Begin) -> None:
    watch(root)
    told.wait_for(lambda: bool(told.changes))
    path = put(root, ONE)
    told.wait_for(lambda: told.changes[-1] == FolderChanges(added=frozenset({ONE})))
    put(root, ONE)  # replaced by one as long
    told.wait_for(lambda: told.changes[-1] == FolderChanges(changed=frozenset({ONE})))
    path.unlink()
    told.wait_for(lambda: told.changes[-1] == FolderChanges(removed=frozenset({ONE})))


@pytest.mark.parametrize("folder", [PROVENANCE, "reviews"])
def test_a_file_beside_it_that_comes_later_changes_its_episode(
    root: Path, told: Told, watch: Begin, folder: str
) -> None:
    put(root, ONE)
    watch(root, EAGER, (PROVENANCE, "reviews"))
    told.wait_for(lambda: ONE in told.ids)
    (root / folder).mkdir(exist_ok=True)
    (root / folder / f"{ONE}.json").write_text("{}")
    told.wait_for(lambda: told.changes[-1] == FolderChanges(changed=frozenset({ONE})))


def test_only_whole_files_that_are_called_as_episodes_are_told(root: Path, told: Told, watch: Begin) -> None:
    folder = root / "annotations"
    watch(root)
    told.wait_for(lambda: bool(told.changes))
    for name in (f"{ONE}.json.part", f".{ONE}.json.swp", "notes.txt", "1.json", f"{ONE}.json~", f"{TWO[:-1]}٣.json"):
        (folder / name).write_text("{")
    (folder / f"{TWO}.json").mkdir()
    put(root, THREE)
    told.wait_for(lambda: bool(told.ids))
    assert told.ids == {THREE}


def test_a_folder_that_is_not_there_yet_is_waited_for(tmp_path: Path, told: Told, watch: Begin) -> None:
    watch(tmp_path / "later")
    told.wait_for(lambda: told.changes == [FolderChanges()])
    (tmp_path / "later" / "annotations").mkdir(parents=True)
    put(tmp_path / "later", ONE)
    told.wait_for(lambda: told.ids == {ONE})


def test_a_folder_that_is_taken_away_and_comes_again_is_followed(root: Path, told: Told, watch: Begin) -> None:
    put(root, ONE)
    watch(root)
    told.wait_for(lambda: told.ids == {ONE})
    shutil.rmtree(root)
    told.wait_for(lambda: told.ids == set())
    for name in ("annotations", "provenance"):
        (root / name).mkdir(parents=True)
    put(root, TWO)
    told.wait_for(lambda: told.ids == {TWO})
    put(root, THREE)
    told.wait_for(lambda: told.ids == {TWO, THREE})


def test_where_the_system_gives_no_notice_it_says_so_and_looks_again_and_again(
    root: Path, told: Told, watch: Begin, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    def refuse(*_args: object, **_more: object) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    monkeypatch.setattr(BaseObserver, "schedule", refuse)
    watch(root)
    told.wait_for(lambda: bool(told.changes))
    put(root, ONE)
    told.wait_for(lambda: told.ids == {ONE})
    (warning,) = told.warnings
    assert "inotify watch limit reached" in warning
    assert "every few seconds" in warning
    caplog.clear()


def test_notices_that_are_lost_are_made_up_for(
    root: Path, told: Told, watch: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = BaseObserver.schedule
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()

    def deaf(observer: BaseObserver, handler: FileSystemEventHandler, _path: str, **_more: object) -> object:
        return schedule(observer, handler, str(elsewhere))

    monkeypatch.setattr(BaseObserver, "schedule", deaf)
    watch(root, WatchRules(noticed_s=0.05, unnoticed_s=NEVER_S))
    told.wait_for(lambda: bool(told.changes))
    put(root, ONE)
    told.wait_for(lambda: told.ids == {ONE})


def test_nothing_is_told_once_it_is_closed(root: Path, told: Told, watch: Begin) -> None:
    begun = watch(root)
    told.wait_for(lambda: bool(told.changes))
    begun.close()
    put(root, ONE)
    assert told.changes == [FolderChanges()]
    assert "dataset watch" not in {thread.name for thread in threading.enumerate()}


@pytest.fixture
def intent(root: Path, told: Told, watch: Begin) -> Path:
    """The journal of a change of episode ONE, whose annotation is away just now."""
    path = put(root, ONE)
    watch(root)
    told.wait_for(lambda: told.ids == {ONE})
    version = f"{HISTORY}/{ONE}/{'0' * 64}-{'0' * 16}"
    intent = root / HISTORY / "change.json"
    intent.parent.mkdir(parents=True)
    intent.write_text(Change(episode_id=ONE, source=version, target=version).model_dump_json())
    path.unlink()
    put(root, TWO)
    told.wait_for(lambda: told.ids == {ONE, TWO})
    return intent


def test_an_episode_that_is_being_amended_has_not_gone(root: Path, told: Told, intent: Path) -> None:
    write_episode(root / "annotations" / f"{ONE}.json", episode(Complete("amended"), episode_id=ONE))
    intent.unlink()
    told.wait_for(lambda: told.changes[-1].changed == {ONE})
    assert not any(one.removed for one in told.changes)


def test_an_episode_that_does_not_come_back_from_a_change_is_told_without_another_notice(
    told: Told, intent: Path
) -> None:
    intent.unlink()
    told.wait_for(lambda: told.ids == {TWO})
