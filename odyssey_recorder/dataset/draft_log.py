"""The draft log file: a JSON line per change of the steps; a torn last line is ignored."""

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from odyssey_recorder.dataset.goals import TaskGoal
from odyssey_recorder.dataset.provenance import RejectedRecord, ResumedRecord, StepRecord, StoredFlag, Whole
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import Largest, change_file, create_file, read_json, storage_errors, sync_folder
from odyssey_recorder.validation import FrozenModel

_SCREENSHOT = r"^[0-9]+\.png\z"
"""The name of a screenshot in the draft, which the log calls `picture`."""


class StepLine(FrozenModel):
    kind: Literal["step"] = "step"
    picture: str = Field(pattern=_SCREENSHOT)
    action: dict[str, JsonValue]
    record: StepRecord


class AmendLine(FrozenModel):
    kind: Literal["amend"] = "amend"
    changes: dict[str, JsonValue]


class AmendStepLine(FrozenModel):
    """What became known of any step, by its key."""

    kind: Literal["amend_step"] = "amend_step"
    step: Whole
    changes: dict[str, JsonValue]


class AmendTextLine(FrozenModel):
    kind: Literal["amend_text"] = "amend_text"
    step: Whole
    text: str


class DropLine(FrozenModel):
    """The last `count` steps were removed; with `leads_back` the device should show the screen before them again.

    `rejects`: the first of them is wrong, and the right action follows.
    """

    kind: Literal["drop"] = "drop"
    why: str
    dropped_us: Whole
    count: Whole = Field(default=1, ge=1)
    leads_back: bool = False
    rejects: bool = False
    next_flags: tuple[StoredFlag, ...] = ()


class RejectLine(FrozenModel):
    """A person refused what an agent wanted to do on the screen of `picture`, so it was not carried out."""

    kind: Literal["reject"] = "reject"
    picture: str = Field(pattern=_SCREENSHOT)
    record: RejectedRecord


class TouchLine(FrozenModel):
    kind: Literal["touch"] = "touch"
    picture: str = Field(pattern=_SCREENSHOT)
    touched_us: Whole


class ScreenLine(FrozenModel):
    kind: Literal["screen"] = "screen"
    picture: str = Field(pattern=_SCREENSHOT)
    flags: tuple[StoredFlag, ...] = ()


class ResumeLine(FrozenModel):
    kind: Literal["resume"] = "resume"
    record: ResumedRecord


class EndingLine(FrozenModel):
    """What the annotator has written so far at the question how the episode ends, before answering it."""

    kind: Literal["ending"] = "ending"
    action: dict[str, JsonValue]


class GoalsLine(FrozenModel):
    """What the annotator has marked so far as proof that the task is done."""

    kind: Literal["goals"] = "goals"
    goals: tuple[TaskGoal, ...]


class DropTouchLine(FrozenModel):
    kind: Literal["drop_touch"] = "drop_touch"
    why: str
    dropped_us: Whole


Line = (
    StepLine
    | AmendLine
    | AmendStepLine
    | AmendTextLine
    | DropLine
    | RejectLine
    | TouchLine
    | DropTouchLine
    | ScreenLine
    | ResumeLine
    | EndingLine
    | GoalsLine
)

_LINE: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="kind")])


class DraftLog:
    """An append-only file of lines. Call `read` first, once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._length = 0
        self._folder_synced = False

    def read(self) -> list[Line]:
        """All complete lines; empty if there is no file. Raises DatasetError for an invalid line."""
        if not self.path.exists():
            return []
        with storage_errors(self.path, "read"):
            lines = read_json(self.path, Largest.DRAFT, within=self.path.parent).split(b"\n")[:-1]
        self._length = sum(len(line) + 1 for line in lines)
        return [self._parsed(number, line) for number, line in enumerate(lines, 1)]

    def append(self, line: Line, *, durable: bool = True) -> None:
        """If it raises DatasetError, `line` is not in the log. Without `durable`, a power failure may lose it."""
        try:
            data = line.model_dump_json().encode() + b"\n"
        except ValueError as error:
            raise DatasetError(
                f"The step cannot be saved: its text contains an invalid character ({error})."
            ) from error
        with storage_errors(self.path, "written"):
            open_log = change_file if self._length or self.path.exists() else create_file
            with open_log(self.path, within=self.path.parent) as log:
                log.seek(self._length)  # overwrite what a failed write may have left
                log.truncate()
                log.write(data)
                log.flush()
                if durable:
                    os.fsync(log.fileno())
            if durable and not self._folder_synced:
                sync_folder(self.path.parent)
                self._folder_synced = True
        self._length += len(data)

    def _parsed(self, number: int, line: bytes) -> Line:
        try:
            return _LINE.validate_json(line)
        except ValidationError as error:
            raise DatasetError(f"{self.path}, line {number}: not a valid line of a draft log ({error}).") from error
