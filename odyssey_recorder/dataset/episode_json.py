"""The keys of an episode file and the types of their values."""

from collections.abc import Iterator
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse, shown
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.episode import DeviceInfo, Extra, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import GRID, Point, Size
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.validation import ValidationFault, faults, first_fault


class Rule(Enum):
    COUNT = "step_length is not the number of steps"
    NUMBER = "steps are not numbered 0..n-1"
    SCREENSHOT = "a screenshot is not named after its step"
    VOCABULARY = "an action or its info is not part of the format"
    PLACE = "a point is outside the grid, or does not fit its action"
    ENDING = "the episode does not end with exactly one COMPLETE or IMPOSSIBLE"
    FORM = "a value is missing or of the wrong type"


class UnreadableError(Exception):
    def __init__(self, words: str, rule: Rule = Rule.FORM) -> None:
        super().__init__(words)
        self.rule = rule


class Border(BaseModel):
    """Strict: no string for a number, no true for 1. Unknown keys are kept."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    def unknown(self) -> Extra:
        return MappingProxyType(self.__pydantic_extra__ or {})


class DeviceJson(Border):
    product: str | None = None
    release_version: str | None = None
    sdk_version: str | None = None
    h: int = Field(ge=1, le=65_535)
    w: int = Field(ge=1, le=65_535)
    device_name: str


class TaskJson(Border):
    category: str
    app: list[str]
    meta_task: str
    task: str
    instruction: str


class StepJson(Border):
    step: int
    screenshot: str
    action: str
    info: Any = ""
    ps: Any = ""


class EpisodeJson(Border):
    # Not \d: it matches digits of every script, and the id becomes part of file names.
    episode_id: str = Field(pattern=r"^[0-9]{16}\z")
    device_info: DeviceJson
    task_info: TaskJson
    step_length: int
    steps: list[StepJson]


_Coordinate = Annotated[int, Field(strict=True, ge=0, le=GRID)]
_POINTS = TypeAdapter(list[tuple[_Coordinate, _Coordinate]])


def device_of(raw: DeviceJson) -> DeviceInfo:
    size = Size(raw.w, raw.h)
    return DeviceInfo(raw.device_name, size, raw.product, raw.release_version, raw.sdk_version, raw.unknown())


def task_of(raw: TaskJson) -> TaskInfo:
    return TaskInfo(raw.category, tuple(raw.app), raw.meta_task, raw.task, raw.instruction, raw.unknown())


def check_number(raw: StepJson, number: int) -> None:
    """Raise UnreadableError if the step's number is not its position."""
    _expect("step", raw.step, number, Rule.NUMBER)


def check_screenshot(raw: StepJson, episode_id: str, number: int) -> None:
    """Raise UnreadableError unless the name is the expected one: none in a file can point outside its folder."""
    _expect("screenshot", raw.screenshot, screenshot_name(episode_id, number), Rule.SCREENSHOT)


def action_of(raw: StepJson) -> actions.Action:
    """Raises UnreadableError naming the field, its value and what was expected."""
    match raw.action:
        case "CLICK" if isinstance(raw.info, str):
            return actions.Press(_key(raw.info))
        case "CLICK":
            return actions.Click(pair(raw.info)[0])
        case "LONG_PRESS":
            return actions.LongPress(pair(raw.info)[0])
        case "SCROLL":
            return _scroll(raw)
        case "TYPE" | "TEXT":
            return actions.Type(_words("info", raw.info))
        case "COMPLETE":
            return actions.Complete(_words("ps", raw.ps))
        case "IMPOSSIBLE" | "INCOMPLETE":
            return actions.Impossible(_words("ps", raw.ps))
        case "HOME" | "BACK" | "RECENT":
            return _own_key(actions.SystemKey(raw.action), raw.info)
        case _:
            raise _refusal("action", raw.action, f"one of {', '.join(ACTIONS)}", Rule.VOCABULARY)


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
RELEASED_ACTIONS = ("TEXT", "INCOMPLETE")
KEYS = {f"KEY_{key.value}": key for key in actions.SystemKey} | {"KEY_APPSELECT": actions.SystemKey.RECENT}


def _key(info: str) -> actions.SystemKey:
    if info not in KEYS:
        raise _refusal("info", info, f"a point or one of {', '.join(KEYS)}", Rule.VOCABULARY)
    return KEYS[info]


def _own_key(key: actions.SystemKey, info: object) -> actions.Press:
    """A system key as an action of its own, which the card allows; `info` is empty or repeats it."""
    if info and (not isinstance(info, str) or KEYS.get(info) is not key):
        raise _refusal("info", info, f'"" or KEY_{key.value}', Rule.VOCABULARY)
    return actions.Press(key)


def _scroll(raw: StepJson) -> actions.Scroll:
    points = _points("info", raw.info)
    if len(points) != 2:
        raise _refusal("info", raw.info, "the first and the last point of the scroll, [[x1, y1], [x2, y2]]", Rule.PLACE)
    start, end = points
    return actions.Scroll(start, end, trajectory(raw.ps) or (start, end))


def trajectory(ps: object) -> tuple[Point, ...]:
    """The points of a `ps`: Python's repr of a list of tuples in the released files, or a JSON list; may be empty."""
    if not isinstance(ps, str):
        return _points("ps", ps or [])
    if not ps.strip():
        return ()
    try:
        points = parse(ps.replace("(", "[").replace(")", "]"))
    except NotPlainJsonError as error:
        raise UnreadableError(f"ps: {shown(ps)} is not a trajectory; expected [(x, y), ...]", Rule.PLACE) from error
    return _points("ps", points)


def pair(info: object) -> tuple[Point, Point]:
    """The point of a press: the released files write it twice; once, or as a flat list, is accepted too."""
    match info:
        case [int(), int()]:
            info = [info]
        case _:
            pass
    points = _points("info", info)
    if not 1 <= len(points) <= 2:
        raise _refusal("info", info, "one point, [[x, y], [x, y]]", Rule.PLACE)
    return points[0], points[-1]


def _points(field: str, value: object) -> tuple[Point, ...]:
    try:
        return tuple(Point(x, y) for x, y in _POINTS.validate_python(value))
    except ValidationError as error:
        raise UnreadableError(complaint(error, within=(field,)), Rule.PLACE) from error


def _words(field: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None or value == []:
        return ""
    raise _refusal(field, value, "a text", Rule.VOCABULARY if field == "info" else Rule.FORM)


def _expect(field: str, value: object, expected: object, rule: Rule) -> None:
    if value != expected:
        raise _refusal(field, value, shown(expected), rule)


def _refusal(field: str, value: object, expected: str, rule: Rule) -> UnreadableError:
    return UnreadableError(_words_on(field, value, expected), rule)


def _words_on(field: str, value: object, expected: str) -> str:
    return f"{field} is {shown(value)}; expected {expected}"


def complaint(error: ValidationError, *, within: tuple[str, ...] = ()) -> str:
    """The first fault that pydantic found, in terms of the file: ``step 3, action is missing``."""
    return _in_words(first_fault(error), within)


def complaints(error: ValidationError) -> Iterator[tuple[tuple[int | str, ...], str]]:
    for fault in faults(error):
        yield fault.place, _in_words(fault, ())


def _in_words(fault: ValidationFault, within: tuple[str, ...]) -> str:
    place = _place(within + fault.place) or "the file"
    match fault.type:
        case "missing":
            return f"{place} is missing"
        case "model_type":
            expected = "an object"
        case "string_pattern_mismatch":
            expected = "16 decimal digits"
        case _:
            expected = fault.message.removeprefix("Input should be ")
    return _words_on(place, fault.found, expected)


def _place(keys: tuple[int | str, ...]) -> str:
    if keys[:1] == ("steps",) and len(keys) > 1:
        return ", ".join(
            filter(None, (f"step {step_number(keys[1]) if isinstance(keys[1], int) else keys[1]}", _place(keys[2:])))
        )
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")
