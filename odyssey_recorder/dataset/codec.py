"""Reading and writing of episode JSON in both dialects; only `episode_json` knows its keys too."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from odyssey_recorder.dataset import episode_json
from odyssey_recorder.dataset.layout import dataset_of, read_dataset_file
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.files import Largest, write_durably
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.episode import Episode, Json, Step, StepAnnotations
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.model.plain_text import step_number

ANNOTATION_KEYS = tuple(field.name for field in fields(StepAnnotations) if field.name != "malformed")
_BOX = "sam2_bbox"


class Dialect(Enum):
    """The spelling of the dataset card, and that of the released files."""

    CARD = "card"
    RELEASE = "release"


def read_episode(path: Path) -> Episode:
    """Raises DatasetError if the file cannot be read, InvalidEpisodeError if it is not an episode."""
    return decode(read_dataset_file(path, Largest.ANNOTATION), source=path.name)


def read_annotation(path: Path) -> Episode:
    """Read an episode from the file named by its id. Raises InvalidEpisodeError for another id too."""
    return decode_annotation(read_dataset_file(path, Largest.ANNOTATION), path.stem, source=path.name)


def write_episode(path: Path, episode: Episode, dialect: Dialect = Dialect.CARD) -> None:
    """Write an episode atomically; a failure leaves the old file. Raises DatasetError."""
    write_durably(path, encode(episode, dialect), within=dataset_of(path))


def decode(data: bytes | str, *, source: str) -> Episode:
    """Parse an episode in either dialect and every known form.

    What has no place in the model is kept and written back. Raises only InvalidEpisodeError, naming `source`, the step,
    the field, the value and what was expected.
    """
    with _refusals_of(source):
        return _episode(episode_json.EpisodeJson.model_validate(parse(data)))


def decode_annotation(data: bytes, episode_id: str, *, source: str) -> Episode:
    """Like `decode`; also refuses any episode but the one that the file is named after."""
    episode = decode(data, source=source)
    if episode.episode_id != episode_id:
        raise InvalidEpisodeError(f"{source} contains episode {episode.episode_id}; expected the one in its file name.")
    return episode


def episode_from_json(tree: Json, *, source: str) -> Episode:
    """Like `decode`, from a parsed JSON value."""
    with _refusals_of(source):
        return _episode(episode_json.EpisodeJson.model_validate(tree))


def dialect_of(data: bytes | str, *, source: str) -> Dialect:
    """CARD if nothing in the file differs between the two. Raises InvalidEpisodeError naming `source`."""
    with _refusals_of(source):
        steps = episode_json.EpisodeJson.model_validate(parse(data)).steps
    released = any(
        step.action in episode_json.RELEASED_ACTIONS or (step.action, step.info) == ("CLICK", "KEY_APPSELECT")
        for step in steps
    )
    return Dialect.RELEASE if released else Dialect.CARD


def encode(episode: Episode, dialect: Dialect = Dialect.CARD) -> bytes:
    """UTF-8 JSON as in the released files. Raises InvalidEpisodeError for a lone surrogate or NaN."""
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
        "steps": [_step_tree(number, step, dialect) for number, step in enumerate(episode.steps)],
        **episode.extra,
    }
    try:
        return (json.dumps(tree, ensure_ascii=False, indent=4, allow_nan=False) + "\n").encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidEpisodeError(f"Episode {episode.episode_id!r} cannot be written as JSON: {error}.") from error


def action_from_json(tree: dict[str, Json], *, source: str) -> actions.Action:
    """Inverse of `action_to_json`. Raises InvalidEpisodeError naming `source`."""
    with _refusals_of(source):
        return episode_json.action_of(episode_json.StepJson.model_validate({"step": 0, "screenshot": "", **tree}))


@contextmanager
def _refusals_of(source: str) -> Iterator[None]:
    try:
        yield
    except ValidationError as error:
        raise InvalidEpisodeError(f"{source}: {episode_json.complaint(error)}.") from error
    except (NotPlainJsonError, episode_json.UnreadableError) as error:
        raise InvalidEpisodeError(f"{source}: {error}.") from error


# --- reading ---------------------------------------------------------------------------------------------


def _episode(raw: episode_json.EpisodeJson) -> Episode:
    if raw.step_length != len(raw.steps):
        raise episode_json.UnreadableError(
            f"step_length is {raw.step_length}, but there are {len(raw.steps)} steps; expected the same number",
            episode_json.Rule.COUNT,
        )
    steps = tuple(_step(raw.episode_id, number, step) for number, step in enumerate(raw.steps))
    _check_terminal(steps)
    return Episode(
        raw.episode_id,
        episode_json.device_of(raw.device_info),
        episode_json.task_of(raw.task_info),
        steps,
        raw.unknown(),
    )


def _check_terminal(steps: tuple[Step, ...]) -> None:
    ends = [number for number, step in enumerate(steps) if actions.is_terminal(step.action)]
    if not ends:
        raise episode_json.UnreadableError(
            "no step ends the episode; expected COMPLETE or IMPOSSIBLE as the last", episode_json.Rule.ENDING
        )
    if ends[0] != len(steps) - 1:
        raise episode_json.UnreadableError(
            f"step {step_number(ends[0])}, action: {actions.action_type(steps[ends[0]].action)} ends the episode, "
            "but steps follow; expected it as the last",
            episode_json.Rule.ENDING,
        )


def _step(episode_id: str, number: int, raw: episode_json.StepJson) -> Step:
    try:
        episode_json.check_number(raw, number)
        episode_json.check_screenshot(raw, episode_id, number)
        action = episode_json.action_of(raw)
        beside = raw.unknown()
        annotations = annotations_of(beside)
        extra = MappingProxyType({key: value for key, value in beside.items() if key not in ANNOTATION_KEYS})
        spelling = MappingProxyType(_spelled_otherwise(raw, action))
        return Step(raw.screenshot, action, annotations, spelling, extra, tuple(beside))
    except episode_json.UnreadableError as error:
        raise episode_json.UnreadableError(f"step {step_number(number)}, {error}", error.rule) from error


def annotations_of(keys: Mapping[str, Json]) -> StepAnnotations:
    """The annotations among the keys of a step; values of the wrong type go into `malformed`."""
    present = {key: keys[key] for key in ANNOTATION_KEYS if key in keys}
    values: dict[str, Any] = {key: value for key, value in present.items() if key != _BOX and isinstance(value, str)}
    match present.get(_BOX):
        case [] | [_, _, _, _] as box if all(type(edge) is int for edge in box):
            values[_BOX] = tuple(box)
        case _:
            pass
    malformed = {key: value for key, value in present.items() if key not in values}
    return StepAnnotations(**values, malformed=MappingProxyType(malformed))


def _spelled_otherwise(raw: episode_json.StepJson, action: actions.Action) -> dict[str, Json]:
    ours = action_to_json(action, Dialect.RELEASE)
    match action:
        case actions.Click() | actions.LongPress():
            start, end = episode_json.pair(raw.info)
            keeps_info = start != end
        case actions.Complete() | actions.Impossible():
            keeps_info = raw.info != ours["info"]
        case actions.Scroll() | actions.Type() | actions.Press():
            keeps_info = False
    kept = {"info": raw.info} if keeps_info else {}
    return kept if raw.ps == ours["ps"] else kept | {"ps": raw.ps}


# --- writing ---------------------------------------------------------------------------------------------


def _step_tree(number: int, step: Step, dialect: Dialect) -> dict[str, Json]:
    beside = {**step.extra, **_annotations_tree(step.annotations)}
    keys = [key for key in (*step.keys, *beside) if key in beside]
    spelled = {**action_to_json(step.action, dialect), **step.spelling}
    return {"step": number, "screenshot": step.screenshot, **spelled, **{key: beside[key] for key in keys}}


def _annotations_tree(annotations: StepAnnotations) -> dict[str, Json]:
    values = {key: getattr(annotations, key) for key in ANNOTATION_KEYS}
    known = {key: list(value) if key == _BOX else value for key, value in values.items() if value is not None}
    return {**known, **annotations.malformed}


def action_to_json(action: actions.Action, dialect: Dialect = Dialect.CARD) -> dict[str, Json]:
    release = dialect is Dialect.RELEASE
    match action:
        case actions.Click(point) | actions.LongPress(point):
            return _spelled(actions.action_type(action), [[point.x, point.y], [point.x, point.y]], _repr((point,)))
        case actions.Scroll(start, end, path):
            return _spelled("SCROLL", [[start.x, start.y], [end.x, end.y]], _repr(path))
        case actions.Type(text):
            return _spelled("TEXT" if release else "TYPE", text)
        case actions.Press(actions.SystemKey.RECENT) if release:
            return _spelled("CLICK", "KEY_APPSELECT")
        case actions.Press(key):
            return _spelled("CLICK", f"KEY_{key.value}")
        case actions.Complete(note):
            return _spelled("COMPLETE", ps=note)
        case actions.Impossible(reason):
            return _spelled("INCOMPLETE" if release else "IMPOSSIBLE", ps=reason)


def _spelled(action: str, info: Json = "", ps: str = "") -> dict[str, Json]:
    return {"action": action, "info": info, "ps": ps}


def _repr(path: tuple[Point, ...]) -> str:
    """The points as the released files write them: Python's repr of a list of tuples."""
    return f"[{', '.join(f'({point.x}, {point.y})' for point in path)}]"
