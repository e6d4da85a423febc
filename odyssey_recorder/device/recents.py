"""Android's list of recent apps: how `dumpsys activity recents` writes it (Android 10 to 16), and what empties it."""

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from odyssey_recorder.errors import DeviceError

_LIST = "dumpsys activity recents"

_HEADER = re.compile(r"Recent #\d+: Task(?:Record)?\{\S+ #(?P<id>\d+)\b(?P<words>.*)")
_TYPE = re.compile(r"\btype=(\w+)")
_ACTIVITY_TYPE = re.compile(r"\bactivityType=(\d+)")
_STANDARD = ("standard", "1")
_PACKAGE = re.compile(r"\b(?:mActivityComponent|realActivity|cmp|I)=([\w.]+)/")
_FLAGS = re.compile(r"\bintent=\{.*\bflg=0x([0-9a-f]+)")
_EXCLUDED = 0x00800000
"""Intent.FLAG_ACTIVITY_EXCLUDE_FROM_RECENTS."""


@dataclass(frozen=True, slots=True)
class RecentTask:
    """A card in the list of recent apps; `package` is a package's name and nothing else, or empty."""

    id: int
    package: str


def recent_tasks(dump: str) -> tuple[RecentTask, ...]:
    """The apps' tasks that the list shows, the last used first; home screens and hidden tasks are none of them.

    Raises ValueError for what is no such dump.
    """
    if "RECENT TASKS" not in dump:
        raise ValueError(f"no list of recent tasks, but {dump[:80]!r}")
    return tuple(_shown(re.split(r"^\s*\* ", dump, flags=re.MULTILINE)))


def close_tasks(serial: str, ask: Callable[[str], str]) -> None:
    """Take every card away by its number; the app of one that stays is stopped. `ask` runs a command on the device.

    Raises ValueError for a list that cannot be read, and `DeviceError` where cards are left in the end.
    """
    left = recent_tasks(ask(_LIST))
    if left:
        ask("; ".join(f"am stack remove {task.id}" for task in left))
        left = recent_tasks(ask(_LIST))
    if left:
        # Before Android 12 a card that no app stands behind any more, as after a reboot, stays without this.
        ask("; ".join(shlex.join(("am", "force-stop", task.package)) for task in left if task.package))
        left = recent_tasks(ask(_LIST))
    if left:
        named = ", ".join(task.package or f"task {task.id}" for task in left)
        raise DeviceError(f"{serial} still lists recent apps: {named}. Close them by hand: Recents, then Clear all.")


def _shown(blocks: list[str]) -> Iterator[RecentTask]:
    for block in blocks:
        header = _HEADER.match(block)
        if header is None or "inRecents=false" in block:
            continue
        kind = _TYPE.search(header["words"]) or _ACTIVITY_TYPE.search(block)
        flags = _FLAGS.search(block)
        is_excluded = flags is not None and int(flags[1], 16) & _EXCLUDED
        if kind is not None and kind[1] in _STANDARD and not is_excluded:
            package = _PACKAGE.search(block)
            yield RecentTask(int(header["id"]), package[1] if package is not None else "")
