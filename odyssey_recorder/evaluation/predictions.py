"""Prediction files of our own: JSON Lines, a header and then one predicted step per line.

The header is ``{"format": "odyssey-predictions", "version": 1, "adapter", "model", "history", "level", "sample"}``; a
step has `episode`, `step` (from 0), `action` (`action` and `info` as the released files spell them, or null), `raw`,
`problem`, `tokens_in`, `tokens_out` and `seconds`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import count
from os import PathLike
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

from odyssey_recorder.dataset.codec import Dialect, action_to_json
from odyssey_recorder.dataset.plain_json import shown
from odyssey_recorder.files import storage_errors, write_durably
from odyssey_recorder.model.action import Action
from odyssey_recorder.model.episode import Json, is_episode_id

FORMAT = "odyssey-predictions"
VERSION = 1
RANDOM = "random"
"""The adapter in the header of a file whose actions are random."""
LONGEST_LINE = 1024 * 1024
"""In bytes; the answer of a model to one step has a thousandth of that."""


@dataclass(frozen=True, slots=True)
class PredictionsHeader:
    """`sample` says how many steps were drawn, such as "500 steps"; empty: all steps of the episodes."""

    adapter: str = ""
    model: str = ""
    history: str = ""
    level: str = ""
    sample: str = ""


class Prediction(NamedTuple):
    """`step` counts from 0. `action` is spelled as in the release, with `action` and `info`; None: `problem` says why.

    `raw` is the model's answer.
    """

    episode: str
    step: int
    action: dict[str, Json] | None
    raw: str = ""
    problem: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0


class BrokenLineError(Exception):
    """Why a line is not a prediction; the caller adds the file and the line."""


def spelled(action: Action) -> dict[str, Json]:
    """The value of `Prediction.action`."""
    tree = action_to_json(action, Dialect.RELEASE)
    return {key: tree[key] for key in ("action", "info")}


def header_line(header: PredictionsHeader) -> bytes:
    return _line({"format": FORMAT, "version": VERSION, **asdict(header)})


def prediction_line(prediction: Prediction) -> bytes:
    return _line(prediction._asdict())


def write_predictions(
    path: str | PathLike[str], actions: Mapping[tuple[str, int], Action | None], *, model: str = "", level: str = "high"
) -> None:
    """Write a model's action for each episode id and step, counted from 0; None where it gave no answer.

    `level` is "high" or "low", as the instructions that the model got. Raises DatasetError.
    """
    lines = [header_line(PredictionsHeader(model=model, level=level))]
    for (episode, step), action in actions.items():
        said = (None, "", "no answer") if action is None else (spelled(action), "", "")
        lines.append(prediction_line(Prediction(episode, step, *said)))
    with storage_errors(Path(path), "written"):
        write_durably(Path(path), b"".join(lines))


def read_header(line: bytes) -> PredictionsHeader | None:
    """None if the line is not the header of such a file. Raises BrokenLineError for a later version."""
    try:
        tree = json_of(line)
    except BrokenLineError:
        return None
    if not isinstance(tree, dict) or tree.get("format") != FORMAT:
        return None
    if tree.get("version") != VERSION:
        raise BrokenLineError(f"version is {shown(tree.get('version'))}; expected {VERSION}")
    return PredictionsHeader(*(_text(tree, key) for key in ("adapter", "model", "history", "level", "sample")))


def prediction_of(tree: Json) -> Prediction:
    """Raises BrokenLineError."""
    if not isinstance(tree, dict):
        raise BrokenLineError("it is not an object")
    episode, action = tree.get("episode"), tree.get("action")
    if not isinstance(episode, str) or not is_episode_id(episode):
        raise BrokenLineError(f"episode is {shown(episode)}; expected 16 decimal digits")
    if action is not None and not isinstance(action, dict):
        raise BrokenLineError(f"action is {shown(action)}; expected an object or null")
    step = _number(tree, "step", None)
    if type(step) is not int or step > _MOST_STEPS:
        raise BrokenLineError(f"step is {shown(step)}; expected a whole number from 0 to {_MOST_STEPS:,}")
    tokens = int(_number(tree, "tokens_in")), int(_number(tree, "tokens_out"))
    return Prediction(
        episode, step, action, _text(tree, "raw"), _text(tree, "problem"), *tokens, float(_number(tree, "seconds"))
    )


def lines_of(file: BinaryIO, start: int) -> Iterator[tuple[int, bytes]]:
    """The lines that are not empty with their numbers, from `start`; of one that is too long, its beginning only."""
    for number in count(start):
        rest = line = file.readline(LONGEST_LINE + 1)
        if not line:
            return
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST_LINE + 1)
        if line.strip():
            yield number, line


def json_of(line: bytes) -> Json:
    """Raises BrokenLineError."""
    if len(line) > LONGEST_LINE:
        raise BrokenLineError(f"it is longer than the limit of {LONGEST_LINE:,} bytes")
    try:
        tree: Json = _DECODER.decode(line.decode())
    except UnicodeDecodeError as error:
        raise BrokenLineError(f"byte {error.start} is not UTF-8; expected UTF-8 JSON") from error
    except json.JSONDecodeError as error:
        raise BrokenLineError(f"column {error.colno}: {error.msg}; expected JSON") from error
    except RecursionError as error:
        raise BrokenLineError("lists and objects are nested too deep") from error
    except ValueError as error:
        raise BrokenLineError("it has a number that JSON does not have, or one with too many digits") from error
    return tree


_MOST_STEPS = 1_000_000
_MOST = 1e12


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)


_DECODER = json.JSONDecoder(parse_constant=_no_number)


def _line(tree: dict[str, Json]) -> bytes:
    return json.dumps(tree, allow_nan=False).encode() + b"\n"


def _text(tree: dict[str, Json], key: str) -> str:
    value = tree.get(key)
    if value is not None and not isinstance(value, str):
        raise BrokenLineError(f"{key} is {shown(value)}; expected a text")
    return value or ""


def _number(tree: dict[str, Json], key: str, default: int | None = 0) -> int | float:
    value = tree.get(key, default)
    if type(value) not in (int, float) or not 0 <= value <= _MOST:  # type: ignore[operator]
        raise BrokenLineError(f"{key} is {shown(value)}; expected a number from 0")
    return value  # type: ignore[return-value]
