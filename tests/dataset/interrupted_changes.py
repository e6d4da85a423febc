"""Changes of a dataset that are interrupted at a chosen file operation: the process is killed, or the disk is full."""

import errno
import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from odyssey_recorder.dataset.amendment import DropSteps
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import DatasetError, OdysseyError

_OPERATIONS = {"os.rename", "os.remove", "os.link", "os.mkdir", "os.rmdir"}

CHANGES: dict[str, Callable[[Path, str, str], object]] = {
    "drop steps": lambda root, name, _: Versions(root).amend(name, DropSteps(first=1, last=1)),
    "restore a version": lambda root, name, version: Versions(root).restore(name, version),
    "move to the trash": lambda root, name, _: Trash(root).move(name),
    "restore from the trash": lambda root, name, _: Trash(root).restore(name),
    "recover": lambda root, _, __: Versions(root).recover(),
}

ChangeCase = tuple[str, str, str]
"""A key of `CHANGES`, the id of an episode, and one of its versions."""


def apply_change(root: Path, case: ChangeCase) -> None:
    change, episode_id, version = case
    CHANGES[change](root, episode_id, version)


class FaultInjector:
    """Intercepts this process's file operations that change something under `root`."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._remaining = 0
        self._fault: Callable[[], object] | None = None
        self._forever = False
        sys.addaudithook(self._audit)

    def arm(self, after: int, fault: Callable[[], object], *, forever: bool = False) -> None:
        """Let `after` operations pass, then call `fault` at the next one, or at all that follow."""
        self._remaining, self._fault, self._forever = after, fault, forever

    def disarm(self) -> bool:
        """Stop intercepting; returns whether there was a fault."""
        self._fault = None
        return self._remaining < 0

    def fills_disk(self, after: int, change: Callable[..., object], *args: object) -> bool:
        """Make a change during which the disk gets full after `after` operations; False if it ended before."""
        self.arm(after, fill_the_disk, forever=True)
        try:
            change(*args)
        except OdysseyError as error:
            assert "the disk is full" in str(error)  # noqa: PT017 - the last attempt succeeds
        return self.disarm()

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if self._fault is None or not (event in _OPERATIONS or (event == "open" and _opens_for_writing(args))):
            return
        if not str(args[0]).startswith(self._root):
            return
        self._remaining -= 1
        if self._remaining == -1 or (self._forever and self._remaining < 0):
            self._fault()


def _opens_for_writing(args: tuple[Any, ...]) -> bool:
    return bool(args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def fill_the_disk() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


_processes = multiprocessing.get_context(
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else None
)
_processes.set_forkserver_preload([__name__])


def killed_after(operations: int, root: Path, change: Callable[..., object], *args: object) -> bool:
    """Make a change in a process that is killed after file operations under `root`; False if it ended before."""
    child = _processes.Process(target=_change_and_be_killed, args=(operations, root, change, args))
    child.start()
    child.join(60)
    assert child.exitcode in (0, -signal.SIGKILL)
    return child.exitcode != 0


def _change_and_be_killed(operations: int, root: Path, change: Callable[..., object], args: tuple[object, ...]) -> None:
    os.fsync = lambda fd: None
    FaultInjector(root).arm(operations, lambda: os.kill(os.getpid(), signal.SIGKILL))
    change(*args)


def copies_of_killed_changes(root: Path, case: ChangeCase) -> list[Path]:
    """Make a change of a dataset; returns copies of it as a kill at each of the file operations would leave it."""
    with ProcessPoolExecutor(1, mp_context=_processes) as pool:
        return pool.submit(_copy_at_each_operation, root, case).result(60)


def _copy_at_each_operation(root: Path, case: ChangeCase) -> list[Path]:
    copies: list[Path] = []
    os.fsync = lambda fd: None
    injector = FaultInjector(root)
    injector.arm(0, lambda: copies.append(_copy_with_links(root, len(copies))), forever=True)
    apply_change(root, case)
    injector.disarm()
    return copies


def _copy_with_links(root: Path, number: int) -> Path:
    """A copy in which the same files are hard links to each other as in `root`."""
    copied: dict[int, str] = {}

    def copy(file: str, target: str) -> None:
        first = copied.setdefault(Path(file).stat().st_ino, target)
        if first == target:
            shutil.copyfile(file, target)
        else:
            os.link(first, target)

    target = root.parent / f"killed in {root.name}" / str(number)
    return Path(shutil.copytree(root, target, copy_function=copy))


def repeat_with_full_disk(stages: Path, original: Path, case: ChangeCase, *, forever: bool, every: int) -> range:
    """Make a change repeatedly, each time in a new copy of a dataset, with the disk full `every` operations later.

    With `forever` it stays full until the change has failed, otherwise for one operation. The results are in `stages`,
    in folders named by the returned numbers.
    """
    with ProcessPoolExecutor(1, mp_context=_processes) as pool:
        return pool.submit(_repeat_with_full_disk, stages, original, case, forever, every).result(60)


def _repeat_with_full_disk(stages: Path, original: Path, case: ChangeCase, forever: bool, every: int) -> range:
    injector = FaultInjector(stages)
    os.fsync = lambda fd: None
    for after in range(0, 1000, every):
        root = Path(shutil.copytree(original, stages / str(after)))
        injector.arm(after, fill_the_disk, forever=forever)
        try:
            apply_change(root, case)
            if not injector.disarm():
                return range(0, after + 1, every)
        except DatasetError:
            injector.disarm()
            Versions(root).recover()
    raise AssertionError("it never ends")
