"""The watch, with real files and notifications of the system."""

import errno
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from watchdog.events import FileSystemEventHandler
from watchdog.observers.api import BaseObserver

from odyssey_recorder.dataset.change_journal import Change
from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.layout import HISTORY, PROVENANCE
from odyssey_recorder.dataset.watch import DatasetWatch, FolderChanges, WatchRules
from odyssey_recorder.model.action import Complete
from tests.episodes import episode

ONE, TWO, THREE = "0000000000000001", "0000000000000002", "0000000000000003"
PATIENCE_S = 60.0
NEVER_S = 3600.0
FAST_RETRY = WatchRules(noticed_s=NEVER_S, unnoticed_s=0.02)
StartWatch = Callable[..., DatasetWatch]


class Listener:
    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.changes: list[FolderChanges] = []
        self.warnings: list[str] = []
        self._changed = threading.Condition()

    def on_changes(self, changes: FolderChanges) -> None:
        with self._changed:
            self.changes.append(changes)
            self.ids = (self.ids | changes.added) - changes.removed
            self._changed.notify_all()

    def on_warning(self, text: str) -> None:
        self.warnings.append(text)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, PATIENCE_S), (self.ids, self.changes)


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def watch(listener: Listener) -> Iterator[StartWatch]:
    """Starts a watch and waits for its first report; by default it polls only if notifications are unavailable."""
    started: list[DatasetWatch] = []

    def start(root: Path, rules: WatchRules = FAST_RETRY, beside: Sequence[str] = (PROVENANCE,)) -> DatasetWatch:
        started.append(DatasetWatch(root, listener.on_changes, listener.on_warning, rules, beside=beside))
        listener.wait_for(lambda: bool(listener.changes))
        return started[-1]

    yield start
    for one in started:
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


def test_added_changed_and_removed_episodes_are_reported(root: Path, listener: Listener, watch: StartWatch) -> None:
    watch(root)
    path = put(root, ONE)
    listener.wait_for(lambda: listener.changes[-1] == FolderChanges(added=frozenset({ONE})))
    put(root, ONE)  # replaced by a file of the same size
    listener.wait_for(lambda: listener.changes[-1] == FolderChanges(changed=frozenset({ONE})))
    path.unlink()
    listener.wait_for(lambda: listener.changes[-1] == FolderChanges(removed=frozenset({ONE})))


@pytest.mark.parametrize("folder", [PROVENANCE, "reviews"])
def test_new_companion_file_changes_its_episode(root: Path, listener: Listener, watch: StartWatch, folder: str) -> None:
    put(root, ONE)
    watch(root, FAST_RETRY, (PROVENANCE, "reviews"))
    (root / folder).mkdir(exist_ok=True)
    (root / folder / f"{ONE}.json").write_text("{}")
    listener.wait_for(lambda: listener.changes[-1] == FolderChanges(changed=frozenset({ONE})))


def test_only_complete_episode_files_are_reported(root: Path, listener: Listener, watch: StartWatch) -> None:
    folder = root / "annotations"
    watch(root)
    for name in (f"{ONE}.json.part", f".{ONE}.json.swp", "notes.txt", "1.json", f"{ONE}.json~", f"{TWO[:-1]}٣.json"):
        (folder / name).write_text("{")
    (folder / f"{TWO}.json").mkdir()
    put(root, THREE)
    listener.wait_for(lambda: bool(listener.ids))
    assert listener.ids == {THREE}


def test_folder_may_be_created_later(tmp_path: Path, listener: Listener, watch: StartWatch) -> None:
    watch(tmp_path / "later")
    assert listener.changes == [FolderChanges()]
    (tmp_path / "later" / "annotations").mkdir(parents=True)
    put(tmp_path / "later", ONE)
    listener.wait_for(lambda: listener.ids == {ONE})


def test_folder_may_be_deleted_and_created_again(root: Path, listener: Listener, watch: StartWatch) -> None:
    put(root, ONE)
    put(root, THREE)
    watch(root)
    assert listener.changes == [FolderChanges(added=frozenset({ONE, THREE}))]
    shutil.rmtree(root)
    listener.wait_for(lambda: listener.ids == set())
    for name in ("annotations", "provenance"):
        (root / name).mkdir(parents=True)
    put(root, TWO)
    listener.wait_for(lambda: listener.ids == {TWO})
    put(root, THREE)
    listener.wait_for(lambda: listener.ids == {TWO, THREE})


def test_unavailable_notifications_are_replaced_by_polling(
    root: Path, listener: Listener, watch: StartWatch, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    def fail(*_args: object, **_more: object) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    monkeypatch.setattr(BaseObserver, "schedule", fail)
    watch(root)
    put(root, ONE)
    listener.wait_for(lambda: listener.ids == {ONE})
    (warning,) = listener.warnings
    assert "inotify watch limit reached" in warning
    assert "every few seconds" in warning
    caplog.clear()


def test_lost_notifications_are_replaced_by_polling(
    root: Path, listener: Listener, watch: StartWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = BaseObserver.schedule
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()

    def watch_elsewhere(observer: BaseObserver, handler: FileSystemEventHandler, *_: object, **__: object) -> object:
        return schedule(observer, handler, str(elsewhere))

    monkeypatch.setattr(BaseObserver, "schedule", watch_elsewhere)
    watch(root, WatchRules(noticed_s=0.05, unnoticed_s=NEVER_S))
    put(root, ONE)
    listener.wait_for(lambda: listener.ids == {ONE})


def test_closed_watch_reports_nothing(root: Path, listener: Listener, watch: StartWatch) -> None:
    started = watch(root)
    started.close()
    put(root, ONE)
    assert listener.changes == [FolderChanges()]
    assert "dataset watch" not in {thread.name for thread in threading.enumerate()}


@pytest.fixture
def journal_file(root: Path, listener: Listener, watch: StartWatch) -> Path:
    """The journal of a change of episode ONE, during which its annotation is missing."""
    path = put(root, ONE)
    watch(root)
    assert listener.ids == {ONE}
    version = f"{HISTORY}/{ONE}/{'0' * 64}-{'0' * 16}"
    journal_file = root / HISTORY / "change.json"
    journal_file.parent.mkdir(parents=True)
    journal_file.write_text(Change(episode_id=ONE, source=version, target=version).model_dump_json())
    path.unlink()
    put(root, TWO)
    listener.wait_for(lambda: listener.ids == {ONE, TWO})
    return journal_file


def test_episode_is_not_removed_while_it_is_amended(root: Path, listener: Listener, journal_file: Path) -> None:
    write_episode(root / "annotations" / f"{ONE}.json", episode(Complete("amended"), episode_id=ONE))
    journal_file.unlink()
    listener.wait_for(lambda: listener.changes[-1].changed == {ONE})
    assert not any(one.removed for one in listener.changes)


def test_episode_lost_in_a_change_is_reported_as_removed(listener: Listener, journal_file: Path) -> None:
    journal_file.unlink()
    listener.wait_for(lambda: listener.ids == {TWO})
