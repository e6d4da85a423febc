"""What can be understood of an episode file that breaks the format, and each place where it does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from odyssey_recorder.dataset.codec import ACTIONS, KEYS, action_from_json, decode
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse, shown
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model.action import Action, action_type, is_terminal
from odyssey_recorder.model.episode import NOTHING, DeviceInfo, Episode, Extra, Json, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import Size


class Rule(Enum):
    """What of the format is broken."""

    COUNT = "step_length is not the count of the steps"
    NUMBER = "steps are not numbered 0..n-1"
    SCREENSHOT = "a screenshot has not the name of its step"
    VOCABULARY = "an action or its info is not one of the format's"
    PLACE = "a point is not on the grid, or has not the form of its action"
    ENDING = "the episode does not end with its one COMPLETE or IMPOSSIBLE"
    FORM = "a value is missing or of another kind"


@dataclass(frozen=True, slots=True)
class Breach:
    """One place where a file breaks a rule; `words` name field, value and what was expected."""

    rule: Rule
    step: int | None
    words: str


@dataclass(frozen=True, slots=True)
class LooseStep:
    """One step by its place in the file; `action` is None where it cannot be understood. `spelled` is all it says."""

    action: Action | None
    spelled: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class LooseEpisode:
    """What a file says; `strict` is the episode that the codec reads, None where there are breaches.

    Texts that are missing or of another kind are empty, and `device` is None where its name or size is.
    """

    episode_id: str
    device: DeviceInfo | None
    task: TaskInfo
    steps: tuple[LooseStep, ...]
    breaches: tuple[Breach, ...]
    strict: Episode | None
    extra: Extra


def read_loosely(data: bytes, *, source: str) -> LooseEpisode:
    """What `data` says of an episode, breaches and all; there are none exactly where the codec takes it.

    Raises InvalidEpisodeError, naming `source`, only where it is no JSON object with a list of steps.
    """
    try:
        tree = parse(data)
    except NotPlainJsonError as error:
        raise InvalidEpisodeError(f"{source}: {error}.") from error
    if not isinstance(tree, dict) or not isinstance(tree.get("steps"), list):
        raise InvalidEpisodeError(f"{source} is no episode: expected an object with a list of steps.")
    try:
        strict, refusal = decode(data, source=source), ""
    except InvalidEpisodeError as error:
        strict, refusal = None, str(error).removeprefix(f"{source}: ").removesuffix(".")
    reader = _Reader(tree, source)
    breaches = reader.breaches() if strict is None else []
    if strict is None and not breaches:
        breaches = [Breach(Rule.FORM, None, refusal)]  # what only the codec knows to be wrong
    return LooseEpisode(
        reader.episode_id, reader.device, reader.task, reader.steps, tuple(breaches), strict, reader.extra
    )


class _Reader:
    """Reads what it can of one tree."""

    def __init__(self, tree: dict[str, Json], source: str) -> None:
        self._tree = tree
        self._source = source
        self._spelled = [step if isinstance(step, dict) else {} for step in _list(tree.get("steps"))]
        self._refusals: dict[int, str] = {}
        self.episode_id = _text(tree.get("episode_id"))
        self.device = _device(_object(tree.get("device_info")))
        self.task = _task(_object(tree.get("task_info")))
        self.steps = tuple(self._step(number, spelled) for number, spelled in enumerate(self._spelled))
        known = ("episode_id", "device_info", "task_info", "step_length", "steps")
        self.extra: Extra = MappingProxyType({key: value for key, value in tree.items() if key not in known})

    def breaches(self) -> list[Breach]:
        """Every place where a rule is broken, those of the whole episode first."""
        return [*self._head(), *self._count(), *self._ending(), *self._steps()]

    def _step(self, number: int, spelled: dict[str, Json]) -> LooseStep:
        said: dict[str, Json] = {key: spelled[key] for key in ("action", "info", "ps") if key in spelled}
        try:
            action: Action | None = action_from_json(said, source=self._source)
        except InvalidEpisodeError as error:
            action = None
            self._refusals[number] = str(error).removeprefix(f"{self._source}: ").removesuffix(".")
        return LooseStep(action, MappingProxyType(spelled))

    def _head(self) -> Iterator[Breach]:
        if not _is_id(self._tree.get("episode_id")):
            yield _wrong(None, "episode_id", self._tree.get("episode_id"), "16 decimal digits")
        about = _object(self._tree.get("device_info"))
        if self.device is None:
            yield _wrong(None, "device_info", about or self._tree.get("device_info"), "device_name, h and w")
        task = _object(self._tree.get("task_info"))
        for key in ("category", "meta_task", "task", "instruction"):
            if not isinstance(task.get(key), str):
                yield _wrong(None, f"task_info.{key}", task.get(key), "a text")
        apps = task.get("app")
        if not isinstance(apps, list) or not all(isinstance(app, str) for app in apps):
            yield _wrong(None, "task_info.app", apps, "a list of names")

    def _count(self) -> Iterator[Breach]:
        told, count = self._tree.get("step_length"), len(self._spelled)
        if type(told) is not int or told != count:
            yield _wrong(None, "step_length", told, f"{count}, the count of the steps", Rule.COUNT)

    def _ending(self) -> Iterator[Breach]:
        ends = [n for n, step in enumerate(self.steps) if step.action is not None and is_terminal(step.action)]
        last = len(self.steps) - 1
        if last not in ends:
            yield Breach(Rule.ENDING, last if last >= 0 else None, "no COMPLETE or IMPOSSIBLE ends the episode")
        for number in ends:
            action = self.steps[number].action
            if number != last and action is not None:
                words = f"{action_type(action)} ends the episode, but steps follow; expected it as the last"
                yield Breach(Rule.ENDING, number, words)

    def _steps(self) -> Iterator[Breach]:
        for number, spelled in enumerate(self._spelled):
            if not spelled:
                yield Breach(Rule.FORM, number, "it is no object; expected a step")
                continue
            if type(spelled.get("step")) is not int or spelled["step"] != number:
                yield _wrong(number, "step", spelled.get("step"), str(number), Rule.NUMBER)
            name = screenshot_name(self.episode_id, number)
            if spelled.get("screenshot") != name:
                yield _wrong(number, "screenshot", spelled.get("screenshot"), shown(name), Rule.SCREENSHOT)
            if number in self._refusals:
                yield Breach(_rule(spelled), number, self._refusals[number])


def _rule(spelled: Mapping[str, Json]) -> Rule:
    """Which rule an action breaks that the codec refuses."""
    action, info = spelled.get("action"), spelled.get("info")
    if not isinstance(action, str):
        return Rule.FORM
    if action not in ACTIONS:
        return Rule.VOCABULARY
    if action in ("HOME", "BACK", "RECENT") or (action == "CLICK" and isinstance(info, str) and info not in KEYS):
        return Rule.VOCABULARY
    return Rule.PLACE if action in ("CLICK", "LONG_PRESS", "SCROLL") else Rule.FORM


def _wrong(step: int | None, field: str, value: Json, expected: str, rule: Rule = Rule.FORM) -> Breach:
    return Breach(rule, step, f"{field} is {shown(value)}; expected {expected}")


def _device(about: dict[str, Json]) -> DeviceInfo | None:
    name, width, height = about.get("device_name"), about.get("w"), about.get("h")
    if not isinstance(name, str) or not _is_extent(width) or not _is_extent(height):
        return None
    product, release, sdk = (_text(about.get(key)) or None for key in ("product", "release_version", "sdk_version"))
    return DeviceInfo(name, Size(int(str(width)), int(str(height))), product, release, sdk)


def _task(told: dict[str, Json]) -> TaskInfo:
    apps = tuple(app for app in _list(told.get("app")) if isinstance(app, str))
    known = ("category", "app", "meta_task", "task", "instruction")
    return TaskInfo(
        category=_text(told.get("category")),
        apps=apps,
        meta_task=_text(told.get("meta_task")),
        task=_text(told.get("task")),
        instruction=_text(told.get("instruction")),
        extra=MappingProxyType({key: value for key, value in told.items() if key not in known}) or NOTHING,
    )


def _is_extent(value: Json) -> bool:
    return type(value) is int and 1 <= value <= 65_535


def _is_id(value: Json) -> bool:
    return isinstance(value, str) and len(value) == 16 and value.isascii() and value.isdecimal()


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else []


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
