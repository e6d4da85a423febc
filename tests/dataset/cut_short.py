"""Changes of a dataset that are interrupted at a chosen file operation: the process is killed, or the disk is full."""

import errno
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from odyssey_recorder.dataset.amendment import DropSteps
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import DatasetError

_OPERATIONS = {"os.rename", "os.remove", "os.link", "os.mkdir", "os.rmdir"}

DEEDS: dict[str, Callable[[Path, str, str], object]] = {
    "drop steps": lambda root, name, _: Versions(root).amend(name, DropSteps(first=1, last=1)),
    "bring a version back": lambda root, name, version: Versions(root).restore(name, version),
    "to the trash": lambda root, name, _: Trash(root).move(name),
    "out of the trash": lambda root, name, _: Trash(root).restore(name),
    "recover": lambda root, _, __: Versions(root).recover(),
}

Deed = tuple[str, str, str]
"""A key of `DEEDS`, the id of an episode, and one of its versions."""


def carry_out(root: Path, deed: Deed) -> None:
    what, episode_id, version = deed
    DEEDS[what](root, episode_id, version)


class Fate:
    """Intercepts this process's file operations that change something under `root`."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._left = 0
        self._strikes: Callable[[], object] | None = None
        self._forever = False
        sys.addaudithook(self._hear)

    def comes(self, after: int, strikes: Callable[[], object], *, forever: bool = False) -> None:
        """Let `after` operations pass, then call `strikes` at the next one, or at all that follow."""
        self._left, self._strikes, self._forever = after, strikes, forever

    def goes(self) -> bool:
        """Stop intercepting; returns whether it has struck."""
        self._strikes = None
        return self._left < 0

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if self._strikes is None or not (event in _OPERATIONS or (event == "open" and _writes(args))):
            return
        if not str(args[0]).startswith(self._root):
            return
        self._left -= 1
        if self._left == -1 or (self._forever and self._left < 0):
            self._strikes()


def _writes(args: tuple[Any, ...]) -> bool:
    return bool(args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def be_killed(root: Path, deed: Deed, after: int) -> None:
    """Make a change, and kill this process after `after` file operations."""
    os.fsync = lambda fd: None
    Fate(root).comes(after, lambda: os.kill(os.getpid(), signal.SIGKILL))
    carry_out(root, deed)


def fail(stages: Path, original: Path, deed: Deed, *, forever: bool, every: int) -> range:
    """Make a change repeatedly, each time in a new copy of a dataset, with the disk full `every` operations later.

    With `forever` it stays full until the change has failed, otherwise for one operation. The results are in `stages`,
    in folders named by the returned numbers.
    """
    fate = Fate(stages)
    os.fsync = lambda fd: None
    for after in range(0, 1000, every):
        root = Path(shutil.copytree(original, stages / str(after)))
        fate.comes(after, _full, forever=forever)
        try:
            carry_out(root, deed)
            if not fate.goes():
                return range(0, after + 1, every)
        except DatasetError:
            fate.goes()
            Versions(root).recover()
    raise AssertionError("it never ends")


def _full() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
