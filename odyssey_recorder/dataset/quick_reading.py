"""What lists, figures and splits need of an episode, read from its files several times faster than by the codec.

Only a file in its usual form is read here; any other goes through the codec, which also says what is wrong with it.
What the codec refuses in keys that are not read here, or that occur twice, goes unnoticed.
"""

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Annotated, NamedTuple, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from odyssey_recorder.dataset.codec import decode_annotation
from odyssey_recorder.dataset.episode_json import KEYS
from odyssey_recorder.dataset.layout import ANNOTATIONS, PROVENANCE, REVIEWS, read_dataset_file, statuses_in
from odyssey_recorder.dataset.provenance import ProvenanceHead, Whole
from odyssey_recorder.errors import DatasetError, InvalidEpisodeError, MissingFileError
from odyssey_recorder.files import Largest, check_within, storage_errors
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.validation import FrozenModel

_USUAL = 256 * 1024
"""Bytes; larger files are read with all precautions."""
_SETTLED_NS = 100_000_000
"""A file may change twice within one tick of the file system's clock: one younger than this is read again next time."""
_IN_FOLDER = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_COORDINATE = r"(?:1000|[0-9]{1,3})"
_PATH = re.compile(rf"\[\({_COORDINATE}, {_COORDINATE}\)(?:, \({_COORDINATE}, {_COORDINATE}\))*\]")
_ENDS = {"COMPLETE": "COMPLETE", "IMPOSSIBLE": "IMPOSSIBLE", "INCOMPLETE": "IMPOSSIBLE"}
_ENDINGS = {"COMPLETE": "complete", "IMPOSSIBLE": "impossible"}
_NOWHERE = (None,) * 4
_AGAIN = "?"
"""The stamp of a file that must be read again."""
_EPOCH = datetime.fromtimestamp(0, UTC)


class StepRow(NamedTuple):
    """`action` is one of the nine. Positions are grid points; `end_x`, `end_y` are the end of a scroll. `text` is that
    of a TYPE, or the note or reason of the end.
    """

    number: int
    action: str
    x: int | None = None
    y: int | None = None
    end_x: int | None = None
    end_y: int | None = None
    text: str = ""


StepFields = tuple[int | str | None, ...]
"""Those of a `StepRow`, without defaults at the end."""


@dataclass(frozen=True, slots=True)
class EpisodeContents:
    """`problem` says why the codec refuses the annotation, or is empty: then the other fields but `sha256` are."""

    sha256: str
    task: TaskInfo
    device: str
    width: int
    height: int
    steps: list[StepFields]
    problem: str = ""

    @property
    def ending(self) -> str:
        return _ENDINGS[str(self.steps[-1][1])] if self.steps else ""

    @property
    def texts(self) -> list[str]:
        return [str(step[6]) for step in self.steps if len(step) > 6]


class _StepNote(FrozenModel):
    note: str = ""


class Origins(ProvenanceHead):
    """Who recorded an episode, when, and the notes on its steps."""

    published_us: Whole | None = None
    steps: tuple[_StepNote, ...] = ()


class Folder:
    """The files of one folder of a dataset; it is held open, so that a path is not resolved for each file."""

    def __init__(self, root: Path, name: str) -> None:
        self._path = root / name
        self._handle = self._open(root) if _IN_FOLDER else None

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)

    def stamps(self) -> dict[str, str]:
        """Episode ids to stamps that change with their files; empty if there is no such folder. Raises OSError."""
        now_ns = time.time_ns()
        return {episode_id: _stamp(known, now_ns) for episode_id, known in statuses_in(self._path)}

    def stamp(self, episode_id: str) -> str:
        """Empty if there is no such file."""
        try:
            known = (self._path / f"{episode_id}.json").stat()
        except OSError:
            return ""
        return _stamp(known, time.time_ns()) if stat.S_ISREG(known.st_mode) else ""

    def read(self, episode_id: str, at_most: int) -> bytes:
        """Raises DatasetError, MissingFileError if there is no such file."""
        name = f"{episode_id}.json"
        data = None if self._handle is None else _read_quickly(name, self._handle)
        return read_dataset_file(self._path / name, at_most) if data is None else data

    def _open(self, root: Path) -> int | None:
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            return None
        try:
            check_within(self._path, root, handle)
        except OSError:  # reading each file says so
            os.close(handle)
            return None
        return handle


class Stamps(NamedTuple):
    """Of an episode's annotation, provenance and review file; empty for a missing one."""

    annotation: str
    provenance: str
    review: str


@dataclass(frozen=True, slots=True)
class ReadEpisode:
    """What is known of an episode from its files; `data` is its annotation, empty if that cannot be opened."""

    episode_id: str
    stamps: Stamps
    contents: EpisodeContents
    origins: Origins | None
    data: bytes = field(default=b"", repr=False)

    @property
    def annotator(self) -> str:
        return "" if self.origins is None else self.origins.origin.annotator

    @property
    def task_id(self) -> str:
        return "" if self.origins is None else self.origins.origin.task_id

    @property
    def recorded_at(self) -> datetime | None:
        return None if self.origins is None else moment(self.origins.started_us)


_UNKNOWN = Stamps(_AGAIN, _AGAIN, "")


class QuickReader:
    """Reads the episodes of the dataset at `root`; must be closed."""

    def __init__(self, root: Path) -> None:
        self._folders = [Folder(root, name) for name in (ANNOTATIONS, PROVENANCE, REVIEWS)]
        self._root = root

    def close(self) -> None:
        for folder in self._folders:
            folder.close()

    def stamps(self, only: Iterable[str] | None) -> dict[str, Stamps]:
        """Of all episodes, or of `only` those that exist. Raises DatasetError."""
        if only is not None:
            found = {episode_id: Stamps(*(folder.stamp(episode_id) for folder in self._folders)) for episode_id in only}
            return {episode_id: stamps for episode_id, stamps in found.items() if stamps.annotation}
        with storage_errors(self._root, "read"):
            annotations, provenance, reviews = (folder.stamps() for folder in self._folders)
        return {
            episode_id: Stamps(stamp, provenance.get(episode_id, ""), reviews.get(episode_id, ""))
            for episode_id, stamp in annotations.items()
        }

    def read(self, episode_id: str, stamps: Stamps) -> ReadEpisode | None:
        """None if the episode no longer exists."""
        annotations, provenance, _ = self._folders
        kept, data = stamps, b""
        try:
            data = annotations.read(episode_id, Largest.ANNOTATION)
            contents = read_contents(data, episode_id)
        except MissingFileError:
            return None
        except DatasetError as error:
            contents, kept = unread(str(error)), kept._replace(annotation=_AGAIN)
        origins = None
        if stamps.provenance:
            try:
                origins = read_origins(provenance.read(episode_id, Largest.PROVENANCE))
            except DatasetError:
                kept = kept._replace(provenance=_AGAIN)
        return ReadEpisode(episode_id, kept, contents, origins, data)


def read_episodes(root: Path, episode_ids: Iterable[str]) -> Iterator[ReadEpisode]:
    """Of those that exist, in this order."""
    with closing(QuickReader(root)) as reader:
        yield from filter(None, (reader.read(episode_id, _UNKNOWN) for episode_id in episode_ids))


def moment(since_us: int | None) -> datetime | None:
    """None also if it is beyond all calendars."""
    try:
        return None if since_us is None else _EPOCH + timedelta(microseconds=since_us)
    except OverflowError:
        return None


def read_contents(data: bytes, episode_id: str) -> EpisodeContents:
    """Of an annotation in whatever state."""
    try:
        return _usual(data, episode_id)
    except (LookupError, ValueError):
        return _unusual(data, episode_id)


def unread(problem: str, digest: str = "") -> EpisodeContents:
    return EpisodeContents(digest, TaskInfo("", (), "", "", ""), "", 0, 0, [], problem)


def read_origins(data: bytes) -> Origins | None:
    """None if it is not a provenance file."""
    with suppress(ValidationError):
        return Origins.model_validate_json(data)
    with suppress(ValidationError):
        return Origins(**dict(ProvenanceHead.model_validate_json(data)))
    return None


# --- files -----------------------------------------------------------------------------------------------


def is_same_file(one: str, other: str) -> bool:
    """Whether these are stamps of one file with one size and time of change; the moment of looking does not count."""
    return _AGAIN not in (one, other) and one.split()[:3] == other.split()[:3]


def _stamp(known: os.stat_result, now_ns: int) -> str:
    fresh = f" {now_ns}" if 0 <= now_ns - known.st_mtime_ns < _SETTLED_NS else ""
    return f"{known.st_size} {known.st_mtime_ns} {known.st_ino}{fresh}"


def _read_quickly(name: str, folder: int) -> bytes | None:
    """None if it is a link, large, or no longer what it was."""
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY, dir_fd=folder)
    except OSError:
        return None
    try:
        known = os.fstat(handle)
        if not stat.S_ISREG(known.st_mode) or known.st_size > _USUAL:
            return None
        data = os.read(handle, known.st_size + 1)
        return data if len(data) == known.st_size else None
    except OSError:
        return None
    finally:
        os.close(handle)


# --- the usual form --------------------------------------------------------------------------------------

_Axis = Annotated[int, Field(ge=0, le=1000)]
_Ends = tuple[tuple[_Axis, _Axis], tuple[_Axis, _Axis]]
_Extent = Annotated[int, Field(ge=1, le=65_535)]


class _DeviceKeys(TypedDict):
    product: NotRequired[str | None]
    release_version: NotRequired[str | None]
    sdk_version: NotRequired[str | None]
    h: _Extent
    w: _Extent
    device_name: str


class _TaskKeys(TypedDict):
    category: str
    app: list[str]
    meta_task: str
    task: str
    instruction: str


class _StepKeys(TypedDict):
    step: int
    screenshot: str
    action: str
    info: Annotated[_Ends | str, Field(union_mode="left_to_right")]
    ps: str


class _EpisodeKeys(TypedDict):
    __pydantic_config__ = ConfigDict(strict=True)  # type: ignore[misc]

    episode_id: str
    device_info: _DeviceKeys
    task_info: _TaskKeys
    step_length: int
    steps: list[_StepKeys]


_KEYS_AND_TYPES = TypeAdapter(_EpisodeKeys)


def _usual(data: bytes, episode_id: str) -> EpisodeContents:
    """Raises LookupError or ValueError for any other form."""
    tree = _KEYS_AND_TYPES.validate_json(data)
    steps = list(_usual_steps(tree["steps"], episode_id))
    ends = [step[0] for step in steps if step[1] in _ENDINGS]
    if tree["episode_id"] != episode_id or tree["step_length"] != len(steps) or ends != [len(steps) - 1]:
        raise ValueError(episode_id)
    device, task = tree["device_info"], tree["task_info"]
    known = TaskInfo(task["category"], tuple(task["app"]), task["meta_task"], task["task"], task["instruction"])
    return EpisodeContents(sha256(data).hexdigest(), known, device["device_name"], device["w"], device["h"], steps)


def _usual_steps(told: list[_StepKeys], episode_id: str) -> Iterator[StepFields]:
    for number, step in enumerate(told):
        if step["step"] != number or step["screenshot"] != f"{episode_id}_{number}.png":
            raise ValueError(number)
        action, info = step["action"], step["info"]
        if isinstance(info, tuple) and action in ("CLICK", "LONG_PRESS"):
            yield (number, action, *info[0])
        elif isinstance(info, tuple) and action == "SCROLL" and _PATH.fullmatch(step["ps"]):
            yield (number, action, *info[0], *info[1])
        elif isinstance(info, str) and action == "CLICK":
            yield (number, KEYS[info].value)
        elif isinstance(info, str) and action in ("TYPE", "TEXT"):
            yield (number, "TYPE", *_NOWHERE, info)
        else:
            yield (number, _ENDS[action], *_NOWHERE, step["ps"])


# --- any other form --------------------------------------------------------------------------------------


def _unusual(data: bytes, episode_id: str) -> EpisodeContents:
    digest = sha256(data).hexdigest()
    try:
        episode = decode_annotation(data, episode_id, source=f"{episode_id}.json")
    except InvalidEpisodeError as error:
        return unread(str(error), digest)
    steps = [_fields(number, step.action) for number, step in enumerate(episode.steps)]
    device, size = episode.device, episode.device.size
    return EpisodeContents(digest, episode.task, device.device_name, size.width, size.height, steps)


def _fields(number: int, action: actions.Action) -> StepFields:
    name = actions.action_type(action)
    match action:
        case actions.Click(point) | actions.LongPress(point):
            return (number, name, point.x, point.y)
        case actions.Scroll(start, end):
            return (number, name, start.x, start.y, end.x, end.y)
        case actions.Type(text) | actions.Complete(text) | actions.Impossible(text):
            return (number, name, *_NOWHERE, text)
        case actions.Press():
            return (number, name)
