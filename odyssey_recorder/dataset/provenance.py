"""The provenance of an episode: for each step which frame was taken when, and what was sent to the device.

Stored beside the data: ``provenance/<episode_id>.json``. Times are microseconds since 1970 (UTC), derived from the
host's monotonic clock, so that their differences are exact. Pixels are those of the step's screenshot.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, JsonValue, PlainSerializer, PlainValidator, ValidationError

from odyssey_recorder.dataset.goals import TaskGoal
from odyssey_recorder.dataset.layout import provenance_path, read_dataset_file
from odyssey_recorder.errors import DatasetError, MissingFileError
from odyssey_recorder.files import Largest
from odyssey_recorder.gesture.recognizer import LONG_PRESS_MS
from odyssey_recorder.model.assignment import TaskOrigin
from odyssey_recorder.model.episode import Actor, Json, Mode
from odyssey_recorder.model.flag import Flag, flag_from_values
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.model.moment import LARGEST_WHOLE
from odyssey_recorder.validation import FrozenModel, first_fault

FORMAT = 2
"""A reader refuses any other. New keys do not raise it: see docs/dataset-format.md."""


Whole = Annotated[int, Field(ge=-LARGEST_WHOLE, le=LARGEST_WHOLE)]
"""Bounded: a number of a thousand digits would break conversions to times and sizes."""

Extent = Annotated[int, Field(ge=1, le=65_535)]


def _read_flag(value: object) -> Flag:
    match value:
        case Flag():
            return value
        case {"code": str(code), **values}:
            return flag_from_values(
                code, {str(name): item for name, item in values.items() if isinstance(item, str | int | float)}
            )
        case _:
            raise ValueError("expected a flag: its code and values")


def _write_flag(flag: Flag) -> dict[str, str | float]:
    return {"code": flag.code.value, **flag.named_values()}


StoredFlag = Annotated[Flag, PlainValidator(_read_flag), PlainSerializer(_write_flag)]
"""``{"code": ..., value names ...}``."""


def flags_json(flags: Iterable[Flag]) -> list[Json]:
    return [{**_write_flag(flag)} for flag in flags]


class FrameRecord(FrozenModel):
    """The frame that became the screenshot, and the hashes of its file and of its RGB pixels.

    It was on the screen at some moment from `started_us` to `arrived_us`; a `streamed` one from `started_us` on.
    """

    number: Whole
    source: str
    started_us: Whole
    arrived_us: Whole
    settled: bool
    width: Extent
    height: Extent
    png_sha256: str
    rgb_sha256: str
    streamed: bool = False

    @property
    def size(self) -> Size:
        return Size(self.width, self.height)


class CheckRecord(FrozenModel):
    """A frame requested after the touch-down that was equal: the finger met the screen of the screenshot."""

    number: Whole
    started_us: Whole
    arrived_us: Whole


class StrokeRecord(FrozenModel):
    """A finger on the screen; each sample is ``[x, y, microseconds since touch-down]``."""

    kind: Literal["stroke"] = "stroke"
    samples: tuple[tuple[Whole, Whole, Whole], ...]
    duration_us: Whole


class KeyRecord(FrozenModel):
    kind: Literal["key"] = "key"
    key: str


class TextRecord(FrozenModel):
    kind: Literal["text"] = "text"
    text: str


class EndRecord(FrozenModel):
    action: Literal["COMPLETE", "IMPOSSIBLE"]
    words: str


class ScreenRecord(FrozenModel):
    rotation: Whole
    posture: str
    package: str
    activity: str
    keyboard_shown: bool
    app_version: str = ""


class AgentRecord(FrozenModel):
    """The answer of the agent that made a step, with what it took; a person `approved` it if the guard asked.

    `model` is the one that answered. `seconds` is how long the request took.
    """

    adapter: str
    model: str
    raw: str
    problem: str = ""
    tokens_in: Whole = 0
    tokens_out: Whole = 0
    seconds: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    approved: bool = False


class RejectedRecord(FrozenModel):
    """An agent's action that a person rejected, as in an annotation file, and the answer that it was made from."""

    action: dict[str, JsonValue]
    agent: AgentRecord


class StepRecord(FrozenModel):
    """One step. `end` is that of the terminal step. `sent_until_us` is None while it is unknown whether the input was
    carried out.

    `age_us` is how long before `touched_us` the frame was on the screen; None if the input was held until a second
    frame proved the first. `ui_tree` is the file name of the view hierarchy, and `ui_tree_absent` says why there is
    none. `bbox` is the box of the touched element: left, top, right, bottom in pixels, right and bottom exclusive; it
    is from the view hierarchy, or a reviewer drew it ("human"). In passive mode `clock_offset_us` was added to the
    device's clock to get `touched_us`, exact to within `clock_uncertainty_us`. `note` is the annotator's. `agent` is
    None for a step by a person or a script. `rejected` are an agent's actions in place of which this one was shown.
    `redone`: the annotator had the recorder send the action of an undone step again.
    """

    frame: FrameRecord
    check: CheckRecord | None
    touched_us: Whole
    input: StrokeRecord | KeyRecord | TextRecord | None
    end: EndRecord | None = None
    sent_us: Whole | None = None
    sent_until_us: Whole | None = None
    screen: ScreenRecord | None = None
    flags: tuple[StoredFlag, ...] = ()
    age_us: Whole | None = None
    ui_tree: str | None = Field(default=None, pattern=r"^([0-9]{16}_)?[0-9]+\.xml\z")
    ui_tree_absent: str = ""
    bbox: tuple[Whole, Whole, Whole, Whole] | None = None
    bbox_source: Literal["hierarchy", "human"] | None = None
    clock_offset_us: Whole | None = None
    clock_uncertainty_us: Whole | None = None
    note: str = ""
    agent: AgentRecord | None = None
    rejected: tuple[RejectedRecord, ...] = ()
    redone: bool = False

    @property
    def day(self) -> date:
        """Of the touch, in UTC."""
        return datetime.fromtimestamp(self.touched_us / 1e6, UTC).date()

    @property
    def package(self) -> str:
        """Of the app in front; empty if it is not known."""
        return "" if self.screen is None else self.screen.package


class StartRecord(FrozenModel):
    """`cleared` are the packages whose data was deleted, `kept` the task's apps that kept theirs all the same."""

    kind: Literal["as_found", "clean_home", "snapshot"] = "as_found"
    snapshot: str = ""
    cleared: tuple[str, ...] = Field(default=(), exclude_if=lambda cleared: not cleared)
    kept: tuple[str, ...] = Field(default=(), exclude_if=lambda kept: not kept)


class DroppedRecord(FrozenModel):
    """A step that was removed, and why; `action` is "TOUCH" for a finger that became no step."""

    action: str
    why: str
    dropped_us: Whole


class ResumedRecord(FrozenModel):
    resumed_us: int
    serial: str
    model: str
    fingerprint: str
    avd_name: str


class Origin(FrozenModel):
    """Who recorded with what. `consent` is the version of the consent text agreed to; empty if nobody was asked."""

    recorder_version: str
    mode: Mode
    actor: Actor
    annotator: str
    task_id: str
    serial: str
    model: str
    fingerprint: str
    avd_name: str
    density: Whole
    long_press_ms: Whole = LONG_PRESS_MS
    start: StartRecord = StartRecord()
    consent: str = ""
    making: TaskOrigin | None = None
    emulator_version: str = ""
    system_image: str = ""


class EpisodeProvenance(FrozenModel):
    """The whole file. `goals` are what the annotator marked as proof that the task is done."""

    format: Whole
    episode_id: str
    origin: Origin
    started_us: Whole
    published_us: Whole
    steps: tuple[StepRecord, ...]
    dropped: tuple[DroppedRecord, ...]
    resumed: tuple[ResumedRecord, ...] = ()
    goals: tuple[TaskGoal, ...] = ()


class ProvenanceHead(FrozenModel):
    origin: Origin
    started_us: Whole


def read_provenance(path: Path) -> EpisodeProvenance | None:
    """None if there is no such file. Raises DatasetError."""
    try:
        data = read_dataset_file(path, Largest.PROVENANCE)
    except MissingFileError:
        return None
    try:
        provenance = EpisodeProvenance.model_validate_json(data)
    except ValidationError as error:
        with suppress(ValidationError):
            expect_format(_Format.model_validate_json(data).format, path)
        raise DatasetError(f"{path} is not a provenance file: {first_fault(error)}.") from error
    expect_format(provenance.format, path)
    return provenance


class _Format(FrozenModel):
    format: Whole


def expect_format(number: int, path: Path) -> None:
    """Raise DatasetError unless the file at `path`, of format `number`, has ours."""
    if number > FORMAT:
        raise DatasetError(f"{path} was written by a newer version of Odyssey Recorder. Update this one.")
    if number < FORMAT:
        raise DatasetError(
            f"{path} was written before the first release of Odyssey Recorder (format {number}) and is no longer "
            "read. Record the episode again."
        )


def by_agents(root: Path, episode_ids: Iterable[str]) -> frozenset[str]:
    """The episodes that agents recorded; unreadable ones do not count."""
    found = set()
    for episode_id in episode_ids:
        with suppress(DatasetError, ValidationError):
            data = read_dataset_file(root / provenance_path(episode_id), Largest.PROVENANCE)
            if ProvenanceHead.model_validate_json(data).origin.actor == "agent":
                found.add(episode_id)
    return frozenset(found)
