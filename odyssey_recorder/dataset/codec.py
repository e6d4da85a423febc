"""How an episode is spelled in JSON, in both dialects; only `episode_json` knows its keys too."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from types import MappingProxyType

from pydantic import ValidationError

from odyssey_recorder.dataset.durable import dataset_of, storage_error, write_durably
from odyssey_recorder.dataset.episode_json import (
    RELEASED_ACTIONS,
    EpisodeJson,
    Rule,
    StepJson,
    UnreadableError,
    action_of,
    check_number,
    check_screenshot,
    complaint,
    device_of,
    pair,
    task_of,
)
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.files import Largest, read_json
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
from odyssey_recorder.model.episode import Episode, Json, Step
from odyssey_recorder.model.geometry import Point


class Dialect(Enum):
    """The two spellings of the format: that of the dataset card, and that of the released files."""

    CARD = "card"
    RELEASE = "release"


def read_episode(path: Path) -> Episode:
    """The episode in the file at `path`.

    Raises DatasetError where the file cannot be read, InvalidEpisodeError where it is no episode.
    """
    try:
        data = read_json(path, Largest.ANNOTATION, within=dataset_of(path))
    except OSError as error:
        raise storage_error(error, path, "read") from error
    return decode(data, source=path.name)


def write_episode(path: Path, episode: Episode, dialect: Dialect = Dialect.CARD) -> None:
    """Write `episode` to `path` in one piece; a failure leaves what was there. Raises DatasetError."""
    write_durably(path, encode(episode, dialect), within=dataset_of(path))


def decode(data: bytes | str, *, source: str) -> Episode:
    """The episode that `data` spells, in either dialect and in any form that is known to exist.

    What the model has no place for goes into `extra` and is written back: unknown keys on every level, and an
    `info` or `ps` that says more than the action (a click with a trajectory, a trajectory that is a list).

    `source` is the file's name for the messages. Raises InvalidEpisodeError naming it, the step, the field,
    the value and what was expected; nothing else, whatever `data` holds.
    """
    with _refusals_of(source):
        return _episode(EpisodeJson.model_validate(parse(data)))


def episode_from_json(tree: Json, *, source: str) -> Episode:
    """The episode that a JSON value spells. Raises InvalidEpisodeError, as `decode` does."""
    with _refusals_of(source):
        return _episode(EpisodeJson.model_validate(tree))


def dialect_of(data: bytes | str, *, source: str) -> Dialect:
    """The dialect that an episode file is written in; CARD where it says nothing that the two spell differently.

    Raises InvalidEpisodeError naming `source`.
    """
    with _refusals_of(source):
        steps = EpisodeJson.model_validate(parse(data)).steps
    released = any(
        one.action in RELEASED_ACTIONS or (one.action, one.info) == ("CLICK", "KEY_APPSELECT") for one in steps
    )
    return Dialect.RELEASE if released else Dialect.CARD


def encode(episode: Episode, dialect: Dialect = Dialect.CARD) -> bytes:
    """`episode` as UTF-8 JSON: keys in the order of the released files, indent 4, a line end at the end.

    Raises InvalidEpisodeError where a text or an unknown key holds what JSON cannot (a lone surrogate, NaN).
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
        "steps": [_step_tree(number, step, dialect) for number, step in enumerate(episode.steps)],
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
        return action_of(StepJson.model_validate({"step": 0, "screenshot": "", **tree}))


@contextmanager
def _refusals_of(source: str) -> Iterator[None]:
    """Name the file in whatever is found wrong with it."""
    try:
        yield
    except ValidationError as error:
        raise InvalidEpisodeError(f"{source}: {complaint(error)}.") from error
    except (NotPlainJsonError, UnreadableError) as error:
        raise InvalidEpisodeError(f"{source}: {error}.") from error


# --- reading ---------------------------------------------------------------------------------------------


def _episode(raw: EpisodeJson) -> Episode:
    if raw.step_length != len(raw.steps):
        raise UnreadableError(
            f"step_length is {raw.step_length}, but steps holds {len(raw.steps)}; expected the same count", Rule.COUNT
        )
    steps = tuple(_step(raw.episode_id, number, step) for number, step in enumerate(raw.steps))
    _check_terminal(steps)
    return Episode(raw.episode_id, device_of(raw.device_info), task_of(raw.task_info), steps, raw.unknown())


def _check_terminal(steps: tuple[Step, ...]) -> None:
    ends = [number for number, step in enumerate(steps) if is_terminal(step.action)]
    if not ends:
        raise UnreadableError("no step ends the episode; expected COMPLETE or IMPOSSIBLE as the last", Rule.ENDING)
    if ends[0] != len(steps) - 1:
        raise UnreadableError(
            f"step {ends[0]}, action: {action_type(steps[ends[0]].action)} ends the episode, "
            "but steps follow; expected it as the last",
            Rule.ENDING,
        )


def _step(episode_id: str, number: int, raw: StepJson) -> Step:
    try:
        check_number(raw, number)
        check_screenshot(raw, episode_id, number)
        action = action_of(raw)
        return Step(raw.screenshot, action, MappingProxyType({**_spelled_otherwise(raw, action), **raw.unknown()}))
    except UnreadableError as error:
        raise UnreadableError(f"step {number}, {error}", error.rule) from error


def _spelled_otherwise(raw: StepJson, action: Action) -> dict[str, Json]:
    """`info` and `ps` where the file says something in them that the action cannot hold."""
    ours = _spelling(action, Dialect.RELEASE)
    match action:
        case Click() | LongPress():
            start, end = pair(raw.info)
            keeps_info = start != end
        case Complete() | Impossible():
            keeps_info = raw.info != ours["info"]
        case Scroll() | Type() | Press():
            keeps_info = False
    kept = {"info": raw.info} if keeps_info else {}
    return kept if raw.ps == ours["ps"] else kept | {"ps": raw.ps}


# --- writing ---------------------------------------------------------------------------------------------


def _step_tree(number: int, step: Step, dialect: Dialect) -> dict[str, Json]:
    return {"step": number, "screenshot": step.screenshot, **_spelling(step.action, dialect), **step.extra}


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
