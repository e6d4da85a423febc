"""The file that remembers what an annotator did with the tasks: a JSON line for each deed; a torn last line is none."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, ValidationError

from odyssey_recorder.errors import TaskError
from odyssey_recorder.task.queue import Deed, HistoryEntry

_PATIENCE_S = 5.0
_TAIL = 1 << 16
"""Bytes that are looked through for the end of the last whole line; a deed has some hundred."""


class ProgressLine(BaseModel):
    """One deed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    deed: Deed
    task_id: str
    by: str
    at: datetime
    reason: str = ""
    episode_id: str = ""

    @property
    def entry(self) -> HistoryEntry:
        """The deed as the history of its task shows it."""
        return HistoryEntry(self.deed, self.by, self.at, self.reason, self.episode_id)


class ProgressFile:
    """An append-only file of lines, which several windows may share; not thread-safe."""

    def __init__(self, path: Path, annotator: str) -> None:
        self.path = path
        self.annotator = annotator
        self._lock = FileLock(path.with_suffix(".lock"), timeout=_PATIENCE_S, thread_local=False)
        self._read_to = 0

    def read_new(self) -> Sequence[ProgressLine]:
        """The whole lines that came since the last call. Raises TaskError."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._read_to)
                whole, newline, _torn = file.read().rpartition(b"\n")
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise self._error("read", error) from error
        if not newline:
            return ()
        lines = [self._parsed(line) for line in whole.split(b"\n")]
        self._read_to += len(whole) + 1
        return lines

    def append(self, deed: Deed, task_id: str, *, by: str = "", reason: str = "", episode_id: str = "") -> None:
        """Write that the annotator, or `by`, did this now; it is on the disk when this returns. Raises TaskError."""
        who, now = by or self.annotator, datetime.now(UTC)
        line = ProgressLine(deed=deed, task_id=task_id, by=who, at=now, reason=reason, episode_id=episode_id)
        try:
            data = line.model_dump_json(exclude_defaults=True).encode() + b"\n"
        except ValueError as error:
            raise TaskError(f"The reason holds half a character: write it anew ({error}).") from error
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._lock, self.path.open("a+b") as file:
                _cut_torn_line(self.path)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._error("written", error) from error

    def _parsed(self, line: bytes) -> ProgressLine:
        try:
            return ProgressLine.model_validate_json(line)
        except ValidationError as error:
            raise TaskError(f"{self.path} holds a line that is no deed: {line[:80]!r}. Mend or remove it.") from error

    def _error(self, deed: str, error: OSError) -> TaskError:
        return TaskError(
            f"{self.path}, which remembers your tasks, cannot be {deed}: {error.strerror or error}. Make room, or the"
            " folder writable."
        )


def _cut_torn_line(path: Path) -> None:
    """Take away what a write that was cut short has left behind the last newline."""
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        if end == 0:
            return
        file.seek(max(0, end - _TAIL))
        tail = file.read()
        torn = len(tail) - (tail.rfind(b"\n") + 1)
        if torn:
            file.truncate(end - torn)
