"""A recording in progress on disk: an append-only log of steps beside their pictures, whole at every instant.

<drafts>/<id>/draft.json    what is recorded, on which device, by whom
              steps.jsonl   a line for each thing that happened to the steps; a torn last line is none
              <n>.png       the pictures, in the order in which they were kept
              lock          held while a process works on the draft
"""

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Annotated, Literal

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from odyssey_recorder.dataset.codec import action_from_json, action_to_json
from odyssey_recorder.dataset.durable import make_folder, storage_error, sync_folder, write_durably
from odyssey_recorder.dataset.provenance import FORMAT, DroppedRecord, Origin, StepRecord
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import Action, action_type, is_terminal
from odyssey_recorder.model.episode import DeviceInfo, Json, TaskInfo
from odyssey_recorder.model.geometry import Size


@dataclass(frozen=True, slots=True)
class DraftStep:
    """One recorded step: what was done, the picture from before it, and the proof."""

    action: Action
    picture: Path
    record: StepRecord


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True)


class _StepLine(_Line):
    kind: Literal["step"] = "step"
    picture: str = Field(pattern=r"^[0-9]+\.png\z")
    action: dict[str, JsonValue]
    record: StepRecord


class _AmendLine(_Line):
    """What became known of the last step afterwards."""

    kind: Literal["amend"] = "amend"
    changes: dict[str, JsonValue]


class _DropLine(_Line):
    kind: Literal["drop"] = "drop"
    why: str
    dropped_us: int


_LINE: TypeAdapter[_StepLine | _AmendLine | _DropLine] = TypeAdapter(
    Annotated[_StepLine | _AmendLine | _DropLine, Field(discriminator="kind")]
)


class DraftHead(BaseModel):
    """draft.json: what is known of a draft before its first step, also while another process works on it."""

    model_config = ConfigDict(frozen=True)

    format: int
    episode_id: str = Field(pattern=r"^[0-9]{16}\z")
    dataset: str
    started_us: int
    category: str
    apps: tuple[str, ...]
    meta_task: str
    task: str
    instruction: str
    device_name: str
    width: int
    height: int
    product: str | None
    release_version: str | None
    sdk_version: str | None
    origin: Origin

    @property
    def task_info(self) -> TaskInfo:
        """What is to be done."""
        return TaskInfo(self.category, self.apps, self.meta_task, self.task, self.instruction)

    @property
    def device_info(self) -> DeviceInfo:
        """On which device."""
        size = Size(self.width, self.height)
        return DeviceInfo(self.device_name, size, self.product, self.release_version, self.sdk_version)


def hold(folder: Path) -> FileLock:
    """Take a draft for this process alone, until the lock is released.

    Raises DatasetError where another window has it, or there is none.
    """
    if not folder.is_dir():
        raise DatasetError(f"There is no draft {folder.name} in {folder.parent}.")
    lock = FileLock(folder / "lock", blocking=False, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise DatasetError(f"The draft {folder.name} is open in another window: close it there first.") from error
    except OSError as error:
        raise storage_error(error, folder, "opened") from error
    return lock


class Draft:
    """One draft, held by this process until `close`. Not thread-safe but for `keep_picture` and `forget_picture`.

    Every change is on the disk when its method returns; one that raises DatasetError changed nothing.
    """

    def __init__(self, folder: Path) -> None:
        """Open the draft in `folder`. Raises DatasetError if it is no draft, or another process works on it."""
        self._head = read_head(folder)
        self._lock = hold(folder)
        self.folder = folder
        self._steps: list[DraftStep] = []
        self._dropped: list[DroppedRecord] = []
        try:
            self._length = self._replay_log()
        except DatasetError:
            self.close()
            raise
        self._picture_numbers = count(1 + max((int(path.stem) for path in folder.glob("[0-9]*.png")), default=0))

    @classmethod
    def create(cls, folder: Path, *, dataset: Path, task: TaskInfo, device: DeviceInfo, origin: Origin) -> "Draft":
        """Begin a draft in `folder`, whose name is the episode's id. Raises DatasetError."""
        head = DraftHead(
            format=FORMAT,
            episode_id=folder.name,
            dataset=str(dataset),
            started_us=time.time_ns() // 1000,
            category=task.category,
            apps=task.apps,
            meta_task=task.meta_task,
            task=task.task,
            instruction=task.instruction,
            device_name=device.device_name,
            width=device.size.width,
            height=device.size.height,
            product=device.product,
            release_version=device.release_version,
            sdk_version=device.sdk_version,
            origin=origin,
        )
        make_folder(folder)
        write_durably(folder / "draft.json", head.model_dump_json(indent=2).encode())
        return cls(folder)

    @property
    def episode_id(self) -> str:
        """The id that the episode will have."""
        return self._head.episode_id

    @property
    def dataset(self) -> Path:
        """The dataset folder that the episode is meant for."""
        return Path(self._head.dataset)

    @property
    def started_us(self) -> int:
        """When the recording began, in microseconds since 1970."""
        return self._head.started_us

    @property
    def origin(self) -> Origin:
        """Who records, with what."""
        return self._head.origin

    @property
    def task(self) -> TaskInfo:
        """What is to be done."""
        return self._head.task_info

    @property
    def device(self) -> DeviceInfo:
        """On which device."""
        return self._head.device_info

    @property
    def steps(self) -> tuple[DraftStep, ...]:
        """The steps so far."""
        return tuple(self._steps)

    @property
    def dropped(self) -> tuple[DroppedRecord, ...]:
        """The steps that were taken away again."""
        return tuple(self._dropped)

    @property
    def complete(self) -> bool:
        """Whether the last step is terminal: the draft waits to be published."""
        return bool(self._steps) and is_terminal(self._steps[-1].action)

    @property
    def uncertain(self) -> bool:
        """Whether it is not known that the last step's input was carried out."""
        return bool(self._steps) and not self.complete and self._steps[-1].record.sent_until_us is None

    def keep_picture(self, png: bytes) -> Path:
        """Store a picture, over none that is there; thread-safe. Raises DatasetError."""
        path = self.folder / f"{next(self._picture_numbers)}.png"
        write_durably(path, png)
        return path

    def forget_picture(self, picture: Path) -> None:
        """Delete a picture that no step uses; thread-safe."""
        with suppress(OSError):
            picture.unlink(missing_ok=True)

    def add_step(self, action: Action, picture: Path, record: StepRecord) -> None:
        """Add a step; its picture must have been kept. Raises DatasetError."""
        self._write(_StepLine(picture=picture.name, action=action_to_json(action), record=record))

    def amend_last(self, changes: Mapping[str, Json]) -> None:
        """Add to the last step's record what became known later, by the names of `StepRecord`. Raises DatasetError."""
        self._write(_AmendLine(changes=dict(changes)))

    def drop_last(self, why: str) -> None:
        """Take the last step away; the log remembers it, and why. Raises DatasetError."""
        self._write(_DropLine(why=why, dropped_us=time.time_ns() // 1000))

    def close(self) -> None:
        """Let another window have the draft."""
        self._lock.release()

    def _write(self, line: _StepLine | _AmendLine | _DropLine) -> None:
        path = self.folder / "steps.jsonl"
        steps, dropped = self._after(line)
        try:
            data = line.model_dump_json().encode() + b"\n"
        except ValueError as error:
            raise DatasetError(f"The step cannot be written: a text holds half a character ({error}).") from error
        try:
            with path.open("r+b" if self._length or path.exists() else "xb") as log:
                log.seek(self._length)  # over what a failed write may have left
                log.truncate()
                log.write(data)
                log.flush()
                os.fsync(log.fileno())
            if self._length == 0:
                sync_folder(self.folder)
        except OSError as error:
            raise storage_error(error, path, "written") from error
        self._length += len(data)
        self._steps, self._dropped = steps, dropped

    def _after(self, line: _StepLine | _AmendLine | _DropLine) -> tuple[list[DraftStep], list[DroppedRecord]]:
        """The steps and the dropped steps as `line` leaves them. Raises DatasetError."""
        steps, dropped = [*self._steps], [*self._dropped]
        match line:
            case _StepLine(picture=picture, action=action, record=record):
                steps.append(DraftStep(self._action(action), self.folder / picture, record))
            case _AmendLine(changes=changes) if steps:
                last = steps[-1]
                record = StepRecord.model_validate({**last.record.model_dump(), **changes})
                steps[-1] = replace(last, record=record)
            case _DropLine(why=why, dropped_us=dropped_us) if steps:
                name = action_type(steps.pop().action)
                dropped.append(DroppedRecord(action=name, why=why, dropped_us=dropped_us))
            case _AmendLine() | _DropLine():
                raise DatasetError(f"{self.folder / 'steps.jsonl'} changes a step that is not there.")
        return steps, dropped

    def _action(self, tree: dict[str, Json]) -> Action:
        return action_from_json(tree, source=f"{self.folder / 'steps.jsonl'}, step {len(self._steps)}")

    def _replay_log(self) -> int:
        """Take in the lines of the log; how many bytes they fill, a torn last line left out."""
        path = self.folder / "steps.jsonl"
        if not path.exists():
            return 0
        try:
            lines = path.read_bytes().split(b"\n")[:-1]
        except OSError as error:
            raise storage_error(error, path, "read") from error
        for number, line in enumerate(lines, 1):
            try:
                self._steps, self._dropped = self._after(_LINE.validate_json(line))
            except ValidationError as error:
                raise DatasetError(f"{path}, line {number}: not a line of a draft's log ({error}).") from error
        return sum(len(line) + 1 for line in lines)


def read_head(folder: Path) -> DraftHead:
    """The head of the draft in `folder`. Raises DatasetError."""
    path = folder / "draft.json"
    try:
        head = DraftHead.model_validate_json(path.read_bytes())
    except OSError as error:
        raise storage_error(error, path, "read") from error
    except ValidationError as error:
        raise DatasetError(f"{path} is not a draft's head: {error}.") from error
    if head.episode_id != folder.name or head.format > FORMAT:
        raise DatasetError(f"{path} belongs to another draft, or to a newer Odyssey Recorder.")
    return head
