"""Watches a dataset folder for episodes that appear, change and disappear.

Only the contents of the folders count; the system's notifications just say when to scan. So no change is missed if
notifications get lost or never arrive, as on a network drive: there the folders are scanned every few seconds.
"""

import logging
import stat
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from watchdog.events import (
    DirDeletedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

from odyssey_recorder.dataset.change_journal import under_way
from odyssey_recorder.dataset.layout import ANNOTATIONS, annotation_path, statuses_in

_log = logging.getLogger(__name__)

_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent, FileModifiedEvent, FileClosedEvent, FileMovedEvent, FileDeletedEvent, DirDeletedEvent,
]  # fmt: skip
_QUIET_S = 0.05
"""The folders are scanned after this long without a notification: files arrive in batches."""
_AT_MOST_S = 0.5
"""The longest delay of a scan during steady changes."""
_PATIENCE_S = 2.0
_REST = 20
"""The pause after a scan, in multiples of its duration, so that a slow drive is not overloaded."""

_Stamp = tuple[int, int]
"""Modification time (ns) and size of a file."""
_Stamps = dict[str, tuple[_Stamp | None, ...]]
"""The stamps of each episode's files, its annotation first; None for a missing file."""


@dataclass(frozen=True, slots=True)
class FolderChanges:
    added: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True)
class WatchRules:
    noticed_s: float = 15.0
    unnoticed_s: float = 2.0


class DatasetWatch:
    """Watches one dataset folder, which need not exist yet, from a thread of its own.

    `tell` is called from that thread: first with all episodes, even if there are none, then with changes. `warn` gets a
    message for the annotator if the system cannot report file changes. A change of an episode's file in one of the
    folders `beside` the annotations is a change of the episode.
    """

    def __init__(
        self,
        root: Path,
        tell: Callable[[FolderChanges], object],
        warn: Callable[[str], object],
        rules: WatchRules = WatchRules(),
        *,
        beside: Sequence[str],
    ) -> None:
        self._folders = [root / name for name in (ANNOTATIONS, *beside)]
        self._root = root
        self._report = tell
        self._rules = rules
        self._notifications = _Notifications(self._folders, warn)
        self._known: _Stamps | None = None
        self._is_changing = False  # an episode is missing during a change: scan again soon
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="dataset watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop and wait for the thread; not from within `tell`. A thread that hangs on a dead drive is abandoned."""
        self._closing = True
        self._notifications.notified.set()
        self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        try:
            while not self._closing:
                is_watched = self._notifications.follow()
                began_s = time.monotonic()
                self._scan()
                duration_s = time.monotonic() - began_s
                pause_s = self._rules.noticed_s if is_watched and not self._is_changing else self._rules.unnoticed_s
                self._notifications.wait(max(pause_s, duration_s * _REST))
        finally:
            self._notifications.close()

    def _scan(self) -> None:
        try:
            found = self._with_changing(_stamps(self._folders))
        except OSError as error:
            _log.warning("%s cannot be read: %s", self._root, error)
            return  # a drive that does not respond still has its episodes
        changes = difference(self._known or {}, found)
        first = self._known is None
        self._known = found
        if (changes or first) and not self._closing:
            self._report(changes)

    def _with_changing(self, found: _Stamps) -> _Stamps:
        known = self._known or {}
        amended = {
            episode_id: known[episode_id] for episode_id in known.keys() - found.keys() if self._will_return(episode_id)
        }
        self._is_changing = bool(amended)
        return found | amended

    def _will_return(self, episode_id: str) -> bool:
        change = under_way(self._root)
        if change is not None and change.episode_id == episode_id and change.target:
            return True
        return (self._root / annotation_path(episode_id)).exists()


class _Notifications(FileSystemEventHandler):
    def __init__(self, folders: list[Path], warn: Callable[[str], object]) -> None:
        self.notified = threading.Event()
        self._folders = folders
        self._warn = warn
        self._observer: BaseObserver | None = None
        self._watches: dict[Path, tuple[tuple[int, int], ObservedWatch]] = {}
        self._is_unavailable = False

    def on_any_event(self, event: FileSystemEvent) -> None:
        self.notified.set()

    def follow(self) -> bool:
        """Watch the folders that exist now; return whether notifications of all of them will arrive."""
        for folder in self._folders:
            identity = _identity(folder)
            before, watch = self._watches.get(folder, (None, None))
            if identity == before:
                continue
            if watch is not None and self._observer is not None:
                del self._watches[folder]
                with suppress(KeyError, OSError):  # deleting a folder removes its watch
                    self._observer.unschedule(watch)
            if identity is not None and not self._is_unavailable:
                self._subscribe(folder, identity)
        return len(self._watches) == len(self._folders)

    def wait(self, at_most_s: float) -> None:
        if not self.notified.wait(at_most_s):
            return
        deadline_s = time.monotonic() + _AT_MOST_S
        while self.notified.is_set() and time.monotonic() < deadline_s:
            self.notified.clear()
            self.notified.wait(_QUIET_S)
        self.notified.clear()

    def close(self) -> None:
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()

    def _subscribe(self, folder: Path, identity: tuple[int, int]) -> None:
        try:
            if self._observer is None:
                self._observer = Observer()
                self._observer.start()
            watch = self._observer.schedule(self, str(folder), event_filter=_EVENTS)
        except OSError as error:
            self._is_unavailable = True
            _log.warning("Changes in %s cannot be watched: %s", folder, error)
            self._warn(
                f"Changes cannot be watched in {folder} ({error.strerror or error}). The list is "
                "refreshed every few seconds instead."
            )
        else:
            self._watches[folder] = identity, watch


def _stamps(folders: Sequence[Path]) -> _Stamps:
    annotations, *others = (
        {episode_id: (status.st_mtime_ns, status.st_size) for episode_id, status in statuses_in(folder)}
        for folder in folders
    )
    return {
        episode_id: (stamp, *(files.get(episode_id) for files in others)) for episode_id, stamp in annotations.items()
    }


def difference(before: Mapping[str, object], after: Mapping[str, object]) -> FolderChanges:
    return FolderChanges(
        added=frozenset(after.keys() - before.keys()),
        changed=frozenset(
            episode_id for episode_id in after.keys() & before.keys() if after[episode_id] != before[episode_id]
        ),
        removed=frozenset(before.keys() - after.keys()),
    )


def _identity(folder: Path) -> tuple[int, int] | None:
    """Device and inode, because another folder may get the same path; None if there is none."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None
