"""Imports the progress files that kept an annotator's events before there was a database, each once.

One JSON line for each event; a truncated last line is ignored.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field, ValidationError
from sqlalchemy import Connection, insert, select

from odyssey_recorder.errors import TaskError
from odyssey_recorder.files import Largest, read_file
from odyssey_recorder.tasks.queue.source_list import restate
from odyssey_recorder.tasks.queue.tables import events, notes
from odyssey_recorder.tasks.queue.task_status import TaskEvent
from odyssey_recorder.validation import FrozenModel


class _ProgressLine(FrozenModel):
    event: TaskEvent = Field(alias="deed")
    task_id: str
    by: str
    at: datetime
    reason: str = ""
    episode_id: str = ""


def take_over(connection: Connection, file: Path, place: str) -> None:
    """Does nothing if the file is missing or already imported. Raises TaskError if it is unreadable."""
    key = f"taken over: {file.name}"
    if connection.execute(select(notes.c.key).where(notes.c.key == key)).first() is not None:
        return
    lines = _lines(file)
    if lines:
        connection.execute(insert(events), [_row(line, place) for line in lines])
        restate(connection, {line.task_id for line in lines})
        connection.execute(insert(notes).values(key=key, words=f"{len(lines)} deeds"))


def _lines(file: Path) -> Sequence[_ProgressLine]:
    try:
        whole, _newline, _torn = read_file(file, Largest.TASKS).rpartition(b"\n")
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise TaskError(
            f"{file}, which remembers your tasks, cannot be read: {error.strerror or error}. Make the "
            "file and folder readable."
        ) from error
    found: dict[object, _ProgressLine] = {}
    for number, data in enumerate(filter(None, whole.split(b"\n"))):
        line = _parsed(file, data)
        is_return = line.event is TaskEvent.SENT_BACK and line.episode_id
        found.setdefault((line.task_id, line.episode_id) if is_return else number, line)
    return tuple(found.values())


def _parsed(file: Path, line: bytes) -> _ProgressLine:
    try:
        return _ProgressLine.model_validate_json(line)
    except ValidationError as error:
        raise TaskError(f"{file} contains an invalid line: {line[:80]!r}. Fix or delete it.") from error


def _row(line: _ProgressLine, place: str) -> dict[str, object]:
    at = line.at if line.at.tzinfo else line.at.replace(tzinfo=UTC)
    return {
        "task_id": line.task_id,
        "deed": line.event.name,
        "by": line.by,
        "at_us": round(at.timestamp() * 1_000_000),
        "reason": line.reason,
        "episode_id": line.episode_id,
        "place": place,
    }
