"""Files of predictions, our own and those of others, read as answers to steps; what cannot be read is a problem told
with its line.

Known are the official evaluator's list and its final file, AgentCPM-GUI's `all.jsonl` and OS-Atlas' JSON Lines.
"""

import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal

from odyssey_recorder.dataset.plain_json import shown
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.evaluation.answers import answer_of, direction
from odyssey_recorder.evaluation.predictions import (
    LONGEST_LINE,
    BrokenLineError,
    PredictionsHeader,
    json_of,
    lines_of,
    prediction_of,
    read_header,
)
from odyssey_recorder.files import Largest, open_file, storage_errors
from odyssey_recorder.model.answer_failure import Failure, failure_in

Layout = Literal["odyssey", "official", "agentcpm", "osatlas"]
Tell = Callable[[int, int], object]
"""Gets how many bytes are read, of how many; it may raise."""

_LINES_AT_ONCE = 500
_LONGEST_FILE = 4 * 1024**3
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_STEP = re.compile(r"([0-9]{1,6})(?:\.[A-Za-z]+)?").fullmatch
_STOPS = {"finish": "COMPLETE", "satisfied": "COMPLETE"} | dict.fromkeys(
    ("impossible", "interrupt", "need_feedback"), "IMPOSSIBLE"
)
_LONG_MS = 200
_WILD = {5: "PRESS_BACK", 6: "PRESS_HOME", 7: "PRESS_ENTER", 10: "COMPLETE", 11: "IMPOSSIBLE"}
_LONGEST_TAP = 0.04
"""Of the screen's width and height (its `is_tap_action`)."""
_USUAL_QUESTION = re.compile(r"[^<]*<img>(?:[^<>]*/)?([0-9]{16})_([0-9]{1,6})\.png</img>").match
_USUAL_KEYS = 4
"""Of a prediction in the official list; more keys may name the screenshot."""


@dataclass(slots=True)
class Loaded:
    """A row per prediction: episode id, step from 0, answer or None, the file's own true answer or None, line number.

    `unit` is what the numbers count: lines, or the predictions of a list.
    """

    layout: Layout
    header: PredictionsHeader = field(default_factory=PredictionsHeader)
    unit: str = "line"
    episodes: list[str] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    answers: list[str | None] = field(default_factory=list)
    truths: list[str | None] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    failures: Counter[Failure] = field(default_factory=Counter)
    """Why predictions have no action, as `predict` wrote it."""
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0

    def add(self, number: int, place: tuple[str, int], answer: str | None, truth: str | None = None) -> None:
        self.episodes.append(place[0])
        self.steps.append(place[1])
        self.answers.append(answer)
        self.truths.append(truth)
        self.numbers.append(number)


def load(path: Path, tell: Tell = lambda _done, _of: None) -> Loaded:
    """Raises DatasetError if it is not a prediction file."""
    with storage_errors(path, "read"), open_file(path, _LONGEST_FILE) as file:
        first = file.readline(LONGEST_LINE + 1)
        try:
            header = read_header(first)
        except BrokenLineError as error:
            raise DatasetError(f"{path}, line 1: {error}. Use the version of the program that wrote it.") from error
        if header is not None:
            return _read_lines(file, Loaded("odyssey", header), _own, tell, start=2)
        layout = _layout(first)
        file.seek(0)
        if layout == "official":
            return _document(path, file)
        take = _agentcpm if layout == "agentcpm" else _osatlas
        return _read_lines(file, Loaded(layout), take, tell, start=1)


def _layout(first: bytes) -> Layout:
    with suppress(BrokenLineError):
        tree = json_of(first)
        if isinstance(tree, dict) and "conversations" in tree:
            return "osatlas"
        if isinstance(tree, dict) and "metrics" not in tree:
            return "agentcpm"
    return "official"


Reader = Callable[[Loaded, int, Any], None]
"""Takes in one prediction. Raises BrokenLineError, or what a value of another type raises."""

_ANOTHER_TYPE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)


def _read_lines(file: BinaryIO, into: Loaded, take: Reader, tell: Tell, *, start: int) -> Loaded:
    for number, line in lines_of(file, start):
        if number % _LINES_AT_ONCE == 0:
            tell(file.tell(), os.fstat(file.fileno()).st_size)
        try:
            take(into, number, json_of(line))
        except BrokenLineError as error:
            into.problems.append(f"line {number}: {error}")
        except _ANOTHER_TYPE:
            into.problems.append(f"line {number}: it is not a prediction")
    return into


def _own(into: Loaded, number: int, tree: Any) -> None:
    prediction = prediction_of(tree)
    answer = None
    if prediction.action is not None:
        try:
            answer = answer_of(prediction.action["action"], prediction.action["info"])
        except _ANOTHER_TYPE:
            into.problems.append(f"line {number}: action is {shown(prediction.action)}; expected one of the release")
    elif (failure := failure_in(prediction.problem)) is not None:
        into.failures[failure] += 1
    into.add(number, (prediction.episode, prediction.step), answer)
    into.tokens_in += prediction.tokens_in
    into.tokens_out += prediction.tokens_out
    into.seconds += prediction.seconds


# --- the official evaluator ------------------------------------------------------------------------------


def _document(path: Path, file: BinaryIO) -> Loaded:
    data = file.read(Largest.INDEX + 1)
    words = f"{path} is not a file of predictions"
    if len(data) > Largest.INDEX:
        raise DatasetError(f"{words}: a list of more than {Largest.INDEX:,} bytes. Write it as JSON Lines.")
    try:
        tree = json.loads(data, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{words}: it is neither JSON nor JSON Lines of a known form ({error}).") from error
    into = Loaded("official", unit="prediction")
    if isinstance(tree, dict):
        into.header = PredictionsHeader(model=str(tree.get("model", "")))
        metrics = tree.get("metrics")
        tree = metrics.get("pred") if isinstance(metrics, dict) else None
    if not isinstance(tree, list):
        raise DatasetError(f"{words}: expected a list of predictions, or metrics with one.")
    for number, answer in enumerate(tree, start=1):
        try:
            _official(into, number, answer)
        except _ANOTHER_TYPE:
            into.problems.append(f"prediction {number}: it does not name a screenshot, or has no pred")
    return into


def _official(into: Loaded, number: int, tree: Any) -> None:
    predicted, truth = tree["pred"], tree["gt"]
    usual = _USUAL_QUESTION(tree["question"]) if len(tree) == _USUAL_KEYS else None
    place = (usual[1], int(usual[2])) if usual else place_of(_image(tree))
    into.add(number, place, predicted if isinstance(predicted, str) else None, truth)


def _image(tree: Any) -> str:
    """The path of the screenshot, where the official evaluator looks for it."""
    return str(tree.get("img") or tree.get("image") or tree["question"].partition("</img>")[0].split("<img>")[1])


def place_of(image: str) -> tuple[str, int]:
    """Episode id and step of a screenshot's path, as the official evaluator parses it. Raises ValueError."""
    name = image.rpartition("/")[2]
    tail = name.rpartition("_")[2]
    step = _STEP(tail)
    if step is None:
        raise ValueError(image[:80])
    return name.replace(f"_{tail}", ""), int(step[1])


# --- OS-Atlas --------------------------------------------------------------------------------------------


def _osatlas(into: Loaded, number: int, tree: Any) -> None:
    turns = tree["conversations"]
    truth = _atlas_answer(turns[-1]["value"])
    predicted = tree["pred"]
    place = place_of(_last(tree["image"]))
    into.add(number, place, _atlas_answer(predicted) if isinstance(predicted, str) else None, truth)


def _last(image: Any) -> str:
    return str(image[-1] if isinstance(image, list) else image)


def _atlas_answer(text: str) -> str:
    """``CLICK <point>[[x,y]]</point>`` and ``TYPE [text]`` as an official answer."""
    words = text.rpartition("actions:")[2].strip().partition("\n")[0].strip()
    name, _, rest = words.partition(" ")
    rest = rest.strip()
    if name in ("CLICK", "LONG_PRESS"):
        numbers = _NUMBER.findall(rest[:200])
        return f"{name}: ({numbers[0]}, {numbers[1]})" if len(numbers) == 2 else f"{name}: {rest}"
    if name in ("TYPE", "SCROLL"):
        return f"{name}: {rest.removeprefix('[').removesuffix(']')}"
    return "IMPOSSIBLE" if name == "WAIT" else name


# --- AgentCPM-GUI ----------------------------------------------------------------------------------------


def _agentcpm(into: Loaded, number: int, tree: Any) -> None:
    if not isinstance(tree, dict):
        raise BrokenLineError("it is not an object")
    place = str(tree["episode_id"]), int(tree["step_id"])
    truth = None
    with suppress(*_ANOTHER_TYPE):
        truth = _agentcpm_truth(tree)
    into.add(number, place, _agentcpm_answer(_compact(tree.get("pred", tree.get("action_predict")))), truth)


def _agentcpm_truth(tree: dict[str, Any]) -> str | None:
    """The true action in the form of Android in the Wild: a number, and points y, x from 0 to 1 as a text."""
    match tree.get("result_action_type"):
        case 0 | 4 as kind:
            (y, x), (to_y, to_x) = (json.loads(tree[key]) for key in ("result_touch_yx", "result_lift_yx"))
            if kind == 4 and math.hypot(to_x - x, to_y - y) > _LONGEST_TAP:
                return f"SCROLL: {direction(to_x - x, to_y - y)}"
            return f"{'CLICK' if kind else 'LONG_PRESS'}: ({1000 * x:.0f}, {1000 * y:.0f})"
        case 3:
            return f"TYPE: {tree['result_action_text']}"
        case int(kind):
            return _WILD.get(kind)
        case _:
            return None


def _compact(answer: Any) -> dict[str, Any] | None:
    """The action, also where it is a text or in the form of its evaluator."""
    if isinstance(answer, str):
        with suppress(BrokenLineError):
            answer = json_of(answer.encode(errors="replace"))
    if isinstance(answer, dict) and isinstance(coa := answer.get("COA"), dict):
        answer = coa.get("txt")
    if not isinstance(answer, dict) or "ACTION" not in answer:
        return answer if isinstance(answer, dict) else None
    parts = [part for part in (answer.get("ARGS"), answer["ACTION"]) if isinstance(part, dict)]
    return {key: value for part in parts for key, value in part.items()} | {"STATUS": answer.get("STATUS")}


def _agentcpm_answer(answer: Any) -> str | None:
    match answer:
        case {"STATUS": str(status)} if status in _STOPS:
            return _STOPS[status]
        case {"TYPE": str(text)}:
            return f"TYPE: {text}"
        case {"POINT": [x, y], "to": [across, down]}:
            return f"SCROLL: {direction(across - x, down - y)}"
        case {"POINT": _, "to": str(to)}:
            return f"SCROLL: {to.upper()}"
        case {"POINT": [x, y], "duration": int(held)} if held > _LONG_MS:
            return f"LONG_PRESS: ({x}, {y})"
        case {"POINT": [x, y]}:
            return f"CLICK: ({x}, {y})"
        case {"PRESS": str(key)}:
            return f"PRESS_{key}"
        case _:
            return None
