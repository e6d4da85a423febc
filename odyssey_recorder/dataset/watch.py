"""Which episodes of a dataset folder come, change and go, by whoever's hand.

What counts is what the folders hold: the system's notices only say when to look. So nothing is missed where notices
are lost, or never come, as on a network drive: there the folders are looked at every few seconds.
"""

import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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

from odyssey_recorder.dataset.journal import under_way
from odyssey_recorder.dataset.layout import ANNOTATIONS, FILE_NAMES, PROVENANCE, annotation_path

_log = logging.getLogger(__name__)

_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent, FileModifiedEvent, FileClosedEvent, FileMovedEvent, FileDeletedEvent, DirDeletedEvent,
]  # fmt: skip
_QUIET_S = 0.05
"""So long nothing must happen before the folders are looked at: files come in heaps."""
_AT_MOST_S = 0.5
"""So long they are not looked at, however much happens."""
_PATIENCE_S = 2.0
_REST = 20
"""Looking takes at most one part in this many of the time, however slow the drive is."""

_Stamp = tuple[int, int]
"""When a file was last written (ns), and how long it is."""
_Stamps = dict[str, tuple[_Stamp | None, ...]]
"""What the files of each episode look like from outside, its annotation first; None for one that is not there."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The ids of the episodes that came, changed or went since it was last told."""

    added: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True)
class WatchRules:
    """How often the folders are looked at where nothing is noticed: while notices come, and where they cannot."""

    noticed_s: float = 15.0
    unnoticed_s: float = 2.0


class DatasetWatch:
    """Watches one dataset folder, which need not be there yet, from a thread of its own.

    `tell` is called from that thread: first with every episode that is there, even where there is none, then with what
    has changed. `warn` is called with words for the annotator where the system cannot give notice of changes. An
    episode has also changed where its file in one of the folders `beside` the annotations has.
    """

    def __init__(
        self,
        root: Path,
        tell: Callable[[Changes], object],
        warn: Callable[[str], object] = lambda _: None,
        rules: WatchRules = WatchRules(),
        *,
        beside: Sequence[str] = (PROVENANCE,),
    ) -> None:
        self._folders = [root / name for name in (ANNOTATIONS, *beside)]
        self._root = root
        self._tell = tell
        self._rules = rules
        self._notices = _Notices(self._folders, warn)
        self._known: _Stamps | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="dataset watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Tell nothing more, and wait until the thread has ended; not from within `tell`.

        Where a drive does not answer, the thread is left to itself.
        """
        self._closing = True
        self._notices.stirred.set()
        self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        try:
            while not self._closing:
                noticed = self._notices.follow()
                began_s = time.monotonic()
                self._look()
                took_s = time.monotonic() - began_s
                rest_s = self._rules.noticed_s if noticed else self._rules.unnoticed_s
                self._notices.wait(max(rest_s, took_s * _REST))
        finally:
            self._notices.close()

    def _look(self) -> None:
        try:
            found = self._with_amended(_stamps(self._folders))
        except OSError as error:
            _log.warning("%s cannot be looked at: %s", self._root, error)
            return  # a drive that does not answer has lost no episode
        changes = _difference(self._known or {}, found)
        first = self._known is None
        self._known = found
        if (changes or first) and not self._closing:
            self._tell(changes)

    def _with_amended(self, found: _Stamps) -> _Stamps:
        """What was found, and the episode whose annotation is away because it is being amended."""
        known = self._known or {}
        return found | {one: known[one] for one in known.keys() - found.keys() if self._comes_back(one)}

    def _comes_back(self, episode_id: str) -> bool:
        """Whether an episode that was not there a moment ago is being amended, or was until now."""
        change = under_way(self._root)
        if change is not None and change.episode_id == episode_id and change.target:
            return True
        return (self._root / annotation_path(episode_id)).exists()


class _Notices(FileSystemEventHandler):
    """The system's notices of what happens in some folders, which come and go themselves."""

    def __init__(self, folders: list[Path], warn: Callable[[str], object]) -> None:
        self.stirred = threading.Event()
        self._folders = folders
        self._warn = warn
        self._observer: BaseObserver | None = None
        self._watches: dict[Path, tuple[tuple[int, int], ObservedWatch]] = {}
        self._refused = False

    def on_any_event(self, event: FileSystemEvent) -> None:
        self.stirred.set()

    def follow(self) -> bool:
        """Ask for notices of the folders that are there by now; whether those of all of them will come."""
        for folder in self._folders:
            here = _identity(folder)
            before, watch = self._watches.get(folder, (None, None))
            if here == before:
                continue
            if watch is not None and self._observer is not None:
                del self._watches[folder]
                with suppress(KeyError, OSError):  # a folder that is gone has taken its watch along
                    self._observer.unschedule(watch)
            if here is not None and not self._refused:
                self._ask(folder, here)
        return len(self._watches) == len(self._folders)

    def wait(self, at_most_s: float) -> None:
        """Wait for a notice, and then until there are no more for a moment."""
        if not self.stirred.wait(at_most_s):
            return
        deadline_s = time.monotonic() + _AT_MOST_S
        while self.stirred.is_set() and time.monotonic() < deadline_s:
            self.stirred.clear()
            self.stirred.wait(_QUIET_S)
        self.stirred.clear()

    def close(self) -> None:
        """Ask for none any more."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()

    def _ask(self, folder: Path, identity: tuple[int, int]) -> None:
        try:
            if self._observer is None:
                self._observer = Observer()
                self._observer.start()
            watch = self._observer.schedule(self, str(folder), event_filter=_EVENTS)
        except OSError as error:
            self._refused = True
            _log.warning("There will be no notices of changes in %s: %s", folder, error)
            self._warn(
                f"This computer gives no notice of changes in {folder} ({error.strerror or error}): the list is"
                " brought up to date every few seconds instead."
            )
        else:
            self._watches[folder] = identity, watch


def _stamps(folders: Sequence[Path]) -> _Stamps:
    """The stamps of all that have a file in the first of the folders; a folder that is not there holds none."""
    annotations, *others = (dict(_files(folder)) for folder in folders)
    return {
        episode_id: (stamp, *(files.get(episode_id) for files in others)) for episode_id, stamp in annotations.items()
    }


def _files(folder: Path) -> Iterator[tuple[str, _Stamp]]:
    try:
        entries = os.scandir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    with entries:
        for entry in entries:
            named = FILE_NAMES[ANNOTATIONS].fullmatch(entry.name)
            if named is None:
                continue
            with suppress(FileNotFoundError):  # it went while we looked
                about = entry.stat()
                if stat.S_ISREG(about.st_mode):
                    yield named[1], (about.st_mtime_ns, about.st_size)


def _difference(before: Mapping[str, object], after: Mapping[str, object]) -> Changes:
    return Changes(
        added=frozenset(after.keys() - before.keys()),
        changed=frozenset(one for one in after.keys() & before.keys() if after[one] != before[one]),
        removed=frozenset(before.keys() - after.keys()),
    )


def _identity(folder: Path) -> tuple[int, int] | None:
    """Which folder it is, for another one may take its place and name; None where there is none."""
    try:
        about = folder.stat()
    except OSError:
        return None
    return (about.st_dev, about.st_ino) if stat.S_ISDIR(about.st_mode) else None
