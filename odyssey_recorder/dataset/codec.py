"""How an episode is spelled in JSON, in both dialects: no other module knows the keys of an episode file."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from odyssey_recorder.dataset.durable import storage_error, write_durably
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse, shown
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model.action import (
    Action,
    Click,
    Complete,
    Impossible,
    LongPress,
    Press,
    Scroll,
    SystemKey,
    Type,
    action_type,
    is_terminal,
)
from odyssey_recorder.model.episode import DeviceInfo, Episode, Extra, Json, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import GRID, Point, Size


class Dialect(Enum):
    """The two spellings of the format: that of the dataset card, and that of the released files."""

    CARD = "card"
    RELEASE = "release"


def read_episode(path: Path) -> Episode:
    """The episode in the file at `path`.

    Raises DatasetError where the file cannot be read, InvalidEpisodeError where it is no episode.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise storage_error(error, path, "read") from error
    return decode(data, source=path.name)


def write_episode(path: Path, episode: Episode, dialect: Dialect = Dialect.CARD) -> None:
    """Write `episode` to `path` in one piece; a failure leaves what was there. Raises DatasetError."""
    write_durably(path, encode(episode, dialect))


def decode(data: bytes | str, *, source: str) -> Episode:
    """The episode that `data` spells, in either dialect and in any form that is known to exist.

    What the model has no place for goes into `extra` and is written back: unknown keys on every level, and an
    `info` or `ps` that says more than the action (a click with a trajectory, a trajectory that is a list).

    `source` is the file's name for the messages. Raises InvalidEpisodeError naming it, the step, the field,
    the value and what was expected; nothing else, whatever `data` holds.
    """
    with _refusals_of(source):
        return _episode(_EpisodeJson.model_validate(parse(data)))


def dialect_of(data: bytes | str, *, source: str) -> Dialect:
    """The dialect that an episode file is written in; CARD where it says nothing that the two spell differently.

    Raises InvalidEpisodeError naming `source`.
    """
    with _refusals_of(source):
        steps = _EpisodeJson.model_validate(parse(data)).steps
    released = any(one.action in _RELEASED or (one.action, one.info) == ("CLICK", "KEY_APPSELECT") for one in steps)
    return Dialect.RELEASE if released else Dialect.CARD


def encode(episode: Episode, dialect: Dialect = Dialect.CARD, *, keeps_boxes: bool = False) -> bytes:
    """`episode` as UTF-8 JSON: keys in the order of the released files, indent 4, a line end at the end.

    With `keeps_boxes` an empty `sam2_bbox` stays empty in the dialect `RELEASE` too. Raises InvalidEpisodeError where
    a text or an unknown key holds what JSON cannot (a lone surrogate, NaN).
    """
    device, task = episode.device, episode.task
    tree = {
        "episode_id": episode.episode_id,
        "device_info": {
            "product": device.product,
            "release_version": device.release_version,
            "sdk_version": device.sdk_version,
            "h": device.size.height,
            "w": device.size.width,
            "device_name": device.device_name,
            **device.extra,
        },
        "task_info": {
            "category": task.category,
            "app": list(task.apps),
            "meta_task": task.meta_task,
            "task": task.task,
            "instruction": task.instruction,
            **task.extra,
        },
        "step_length": len(episode.steps),
        "steps": [
            _step_tree(number, step, dialect, keeps_box=keeps_boxes) for number, step in enumerate(episode.steps)
        ],
        **episode.extra,
    }
    try:
        return (json.dumps(tree, ensure_ascii=False, indent=4, allow_nan=False) + "\n").encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidEpisodeError(f"Episode {episode.episode_id!r} cannot be written as JSON: {error}.") from error


def action_to_json(action: Action) -> dict[str, Json]:
    """The three keys that spell `action` in a step of the `CARD` dialect."""
    return _spelling(action, Dialect.CARD)


def action_from_json(tree: dict[str, Json], *, source: str) -> Action:
    """The action that `action_to_json` spelled so. Raises InvalidEpisodeError naming `source`."""
    with _refusals_of(source):
        return _action(_StepJson.model_validate({"step": 0, "screenshot": "", **tree}))


class _Border(BaseModel):
    """Strict: no text for a number, no true for 1. Unknown keys are kept."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    def unknown(self) -> dict[str, Json]:
        return dict(self.__pydantic_extra__ or {})


class _DeviceJson(_Border):
    product: str | None = None
    release_version: str | None = None
    sdk_version: str | None = None
    h: int = Field(ge=1, le=65_535)
    w: int = Field(ge=1, le=65_535)
    device_name: str


class _TaskJson(_Border):
    category: str
    app: list[str]
    meta_task: str
    task: str
    instruction: str


class _StepJson(_Border):
    step: int
    screenshot: str
    action: str
    info: Any = ""
    ps: Any = ""


class _EpisodeJson(_Border):
    # Never \d: it takes the digits of every script, and the id becomes file names.
    episode_id: str = Field(pattern=r"^[0-9]{16}\z")
    device_info: _DeviceJson
    task_info: _TaskJson
    step_length: int
    steps: list[_StepJson]


_Coordinate = Annotated[int, Field(strict=True, ge=0, le=GRID)]
_POINTS = TypeAdapter(list[tuple[_Coordinate, _Coordinate]])


class _UnreadableError(Exception):
    """Why this JSON is no episode, and where in the file."""


@contextmanager
def _refusals_of(source: str) -> Iterator[None]:
    """Name the file in whatever is found wrong with it."""
    try:
        yield
    except ValidationError as error:
        raise InvalidEpisodeError(f"{source}: {_complaint(error)}.") from error
    except (NotPlainJsonError, _UnreadableError) as error:
        raise InvalidEpisodeError(f"{source}: {error}.") from error


# --- reading ---------------------------------------------------------------------------------------------


def _episode(raw: _EpisodeJson) -> Episode:
    if raw.step_length != len(raw.steps):
        raise _UnreadableError(
            f"step_length is {raw.step_length}, but steps holds {len(raw.steps)}; expected the same count"
        )
    steps = tuple(_step(raw.episode_id, number, step) for number, step in enumerate(raw.steps))
    _check_terminal(steps)
    device, task = raw.device_info, raw.task_info
    return Episode(
        episode_id=raw.episode_id,
        device=DeviceInfo(
            device_name=device.device_name,
            size=Size(device.w, device.h),
            product=device.product,
            release_version=device.release_version,
            sdk_version=device.sdk_version,
            extra=_extra(device.unknown()),
        ),
        task=TaskInfo(
            category=task.category,
            apps=tuple(task.app),
            meta_task=task.meta_task,
            task=task.task,
            instruction=task.instruction,
            extra=_extra(task.unknown()),
        ),
        steps=steps,
        extra=_extra(raw.unknown()),
    )


def _check_terminal(steps: tuple[Step, ...]) -> None:
    ends = [number for number, step in enumerate(steps) if is_terminal(step.action)]
    if not ends:
        raise _UnreadableError("no step ends the episode; expected COMPLETE or IMPOSSIBLE as the last")
    if ends[0] != len(steps) - 1:
        raise _UnreadableError(
            f"step {ends[0]}, action: {action_type(steps[ends[0]].action)} ends the episode, "
            "but steps follow; expected it as the last"
        )


def _step(episode_id: str, number: int, raw: _StepJson) -> Step:
    try:
        _expect("step", raw.step, number)
        # The one name that is allowed is made here, so no name in a file can lead out of its folder.
        _expect("screenshot", raw.screenshot, screenshot_name(episode_id, number))
        action = _action(raw)
        return Step(raw.screenshot, action, _extra(_spelled_otherwise(raw, action) | raw.unknown()))
    except _UnreadableError as error:
        raise _UnreadableError(f"step {number}, {error}") from error


def _action(raw: _StepJson) -> Action:
    match raw.action:
        case "CLICK" if isinstance(raw.info, str):
            return Press(_key(raw.info))
        case "CLICK":
            return Click(_pair(raw.info)[0])
        case "LONG_PRESS":
            return LongPress(_pair(raw.info)[0])
        case "SCROLL":
            return _scroll(raw)
        case "TYPE" | "TEXT":
            return Type(_words("info", raw.info))
        case "COMPLETE":
            return Complete(_words("ps", raw.ps))
        case "IMPOSSIBLE" | "INCOMPLETE":
            return Impossible(_words("ps", raw.ps))
        case "HOME" | "BACK" | "RECENT":
            return _own_key(SystemKey(raw.action), raw.info)
        case _:
            raise _refusal("action", raw.action, f"one of {', '.join(ACTIONS)}")


ACTIONS = (
    "CLICK",
    "SCROLL",
    "LONG_PRESS",
    "TYPE",
    "TEXT",
    "COMPLETE",
    "IMPOSSIBLE",
    "INCOMPLETE",
    "HOME",
    "BACK",
    "RECENT",
)
_RELEASED = ("TEXT", "INCOMPLETE")
"""What the dialect `RELEASE` alone calls actions."""
KEYS = {
    "KEY_HOME": SystemKey.HOME,
    "KEY_BACK": SystemKey.BACK,
    "KEY_RECENT": SystemKey.RECENT,
    "KEY_APPSELECT": SystemKey.RECENT,
}


def _key(info: str) -> SystemKey:
    if info not in KEYS:
        raise _refusal("info", info, f"a point or one of {', '.join(KEYS)}")
    return KEYS[info]


def _own_key(key: SystemKey, info: object) -> Press:
    """A system key that is an action of its own, as the card allows; `info` is empty or says it again."""
    if info and (not isinstance(info, str) or KEYS.get(info) is not key):
        raise _refusal("info", info, f'"" or KEY_{key.value}')
    return Press(key)


def _scroll(raw: _StepJson) -> Scroll:
    points = _points("info", raw.info)
    if len(points) != 2:
        raise _refusal("info", raw.info, "the first and the last point of the scroll, [[x1, y1], [x2, y2]]")
    start, end = points
    return Scroll(start, end, _trajectory(raw.ps) or (start, end))


def _trajectory(ps: object) -> tuple[Point, ...]:
    """The points of a `ps`: Python's repr of a list of tuples in the released files, or a JSON list."""
    if not isinstance(ps, str):
        return _points("ps", ps or [])
    if not ps.strip():
        return ()
    try:
        points = parse(ps.replace("(", "[").replace(")", "]"))
    except NotPlainJsonError as error:
        raise _UnreadableError(f"ps: {shown(ps)} is no trajectory; expected [(x, y), ...]") from error
    return _points("ps", points)


def _pair(info: object) -> tuple[Point, Point]:
    """The point of a press, which the released files write twice; once, or flat, is understood as well."""
    match info:
        case [int(), int()]:
            info = [info]
        case _:
            pass
    points = _points("info", info)
    if not 1 <= len(points) <= 2:
        raise _refusal("info", info, "one point, [[x, y], [x, y]]")
    return points[0], points[-1]


def _points(field: str, value: object) -> tuple[Point, ...]:
    try:
        return tuple(Point(x, y) for x, y in _POINTS.validate_python(value))
    except ValidationError as error:
        raise _UnreadableError(_complaint(error, within=(field,))) from error


def _words(field: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None or value == []:
        return ""
    raise _refusal(field, value, "a text")


def _spelled_otherwise(raw: _StepJson, action: Action) -> dict[str, Json]:
    """`info` and `ps` where the file says something in them that the action cannot hold."""
    ours = _spelling(action, Dialect.RELEASE)
    match action:
        case Click() | LongPress():
            start, end = _pair(raw.info)
            keeps_info = start != end
        case Complete() | Impossible():
            keeps_info = raw.info != ours["info"]
        case Scroll() | Type() | Press():
            keeps_info = False
    kept = {"info": raw.info} if keeps_info else {}
    return kept if raw.ps == ours["ps"] else kept | {"ps": raw.ps}


def _expect(field: str, value: object, expected: object) -> None:
    if value != expected:
        raise _refusal(field, value, shown(expected))


def _refusal(field: str, value: object, expected: str) -> _UnreadableError:
    return _UnreadableError(f"{field} is {shown(value)}; expected {expected}")


def _complaint(error: ValidationError, *, within: tuple[str, ...] = ()) -> str:
    """The first thing that pydantic found, in the words of the file: ``step 3, action is missing``."""
    first = error.errors(include_url=False, include_context=False)[0]
    place = _place(within + first["loc"]) or "the file"
    match first["type"]:
        case "missing":
            return f"{place} is missing"
        case "model_type":
            expected = "an object"
        case "string_pattern_mismatch":
            expected = "16 decimal digits"
        case _:
            expected = first["msg"].removeprefix("Input should be ")
    return str(_refusal(place, first["input"], expected))


def _place(keys: tuple[int | str, ...]) -> str:
    if keys[:1] == ("steps",) and len(keys) > 1:
        return ", ".join(filter(None, (f"step {keys[1]}", _place(keys[2:]))))
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")


def _extra(unknown: dict[str, Json]) -> Extra:
    return MappingProxyType(unknown)


# --- writing ---------------------------------------------------------------------------------------------


def _step_tree(number: int, step: Step, dialect: Dialect, *, keeps_box: bool) -> dict[str, Json]:
    tree: dict[str, Json] = {
        "step": number,
        "screenshot": step.screenshot,
        **_spelling(step.action, dialect),
        **step.extra,
    }
    match step.action:
        case Click(point) | LongPress(point) if _lacks_box(tree, dialect) and not keeps_box:
            # With an empty box on a press the official evaluator counts every prediction wrong; a box without
            # area leaves the verdict to the distance.
            return tree | {"sam2_bbox": [point.x, point.y, point.x, point.y]}
        case _:
            return tree


def _lacks_box(tree: dict[str, Json], dialect: Dialect) -> bool:
    return dialect is Dialect.RELEASE and tree.get("sam2_bbox") == []


def _spelling(action: Action, dialect: Dialect) -> dict[str, Json]:
    """The keys `action`, `info` and `ps` of an action."""
    release = dialect is Dialect.RELEASE
    match action:
        case Click(point) | LongPress(point):
            return _spelled(action_type(action), [[point.x, point.y], [point.x, point.y]], _repr((point,)))
        case Scroll(start, end, path):
            return _spelled("SCROLL", [[start.x, start.y], [end.x, end.y]], _repr(path))
        case Type(text):
            return _spelled("TEXT" if release else "TYPE", text)
        case Press(SystemKey.RECENT) if release:
            return _spelled("CLICK", "KEY_APPSELECT")
        case Press(key):
            return _spelled("CLICK", f"KEY_{key.value}")
        case Complete(note):
            return _spelled("COMPLETE", ps=note)
        case Impossible(reason):
            return _spelled("INCOMPLETE" if release else "IMPOSSIBLE", ps=reason)


def _spelled(action: str, info: Json = "", ps: str = "") -> dict[str, Json]:
    return {"action": action, "info": info, "ps": ps}


def _repr(path: tuple[Point, ...]) -> str:
    """The points as the released files write them: Python's repr of a list of tuples."""
    return f"[{', '.join(f'({point.x}, {point.y})' for point in path)}]"
