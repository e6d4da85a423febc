"""What can be read of an episode file that breaks the format, and where it does."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from odyssey_recorder.dataset.codec import action_to_json, annotations_of, episode_from_json
from odyssey_recorder.dataset.episode_json import (
    DeviceJson,
    EpisodeJson,
    Rule,
    StepJson,
    UnreadableError,
    action_of,
    check_number,
    check_screenshot,
    complaints,
    device_of,
)
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model import episode
from odyssey_recorder.model.action import Action, Complete, Impossible, action_type, is_terminal
from odyssey_recorder.model.plain_text import step_number

__all__ = ("Breach", "LenientEpisode", "LenientStep", "Rule", "read_damaged", "read_leniently", "with_end")

_RULES = {"step_length": Rule.COUNT, "step": Rule.NUMBER, "screenshot": Rule.SCREENSHOT, "action": Rule.VOCABULARY}


@dataclass(frozen=True, slots=True)
class Breach:
    """One place where a file breaks a rule; `message` names field, value and what was expected."""

    rule: Rule
    step: int | None
    message: str


@dataclass(frozen=True, slots=True)
class LenientStep:
    """One step by its position; `action` is None if it cannot be read, `name` is what the file calls it."""

    action: Action | None
    name: str = ""
    annotations: episode.StepAnnotations = episode.NO_ANNOTATIONS


@dataclass(frozen=True, slots=True)
class LenientEpisode:
    """The contents of a file; `strict` is the episode that the codec reads, None if there are breaches."""

    episode_id: str
    device: episode.DeviceInfo | None
    task: episode.TaskInfo
    steps: tuple[LenientStep, ...]
    breaches: tuple[Breach, ...]
    strict: episode.Episode | None


def read_leniently(data: bytes, *, source: str) -> LenientEpisode:
    """Raises InvalidEpisodeError, naming `source`, only if it is not a JSON object with a list of steps."""
    tree = _tree(data, source)
    raw_steps = _steps(tree, source)
    try:
        strict = episode_from_json(tree, source=source)
    except InvalidEpisodeError as error:
        return _with_breaches(tree, raw_steps, str(error))
    steps = tuple(LenientStep(step.action, annotations=step.annotations) for step in strict.steps)
    return LenientEpisode(strict.episode_id, strict.device, strict.task, steps, (), strict)


def read_damaged(data: bytes, episode_id: str) -> episode.Episode | None:
    """None if it breaks rules other than those of numbers, names, counts or ending; may lack a terminal step."""
    try:
        with_some_end, has_end = _respelled(data, episode_id, Complete(), in_place=False)
    except InvalidEpisodeError:
        return None
    return with_some_end if has_end else replace(with_some_end, steps=with_some_end.steps[:-1])


def with_end(data: bytes, episode_id: str, end: Complete | Impossible | None, *, in_place: bool) -> episode.Episode:
    """Like `read_damaged`, with `end` after the last step, or in place of it, if a terminal step is missing.

    Raises InvalidEpisodeError if that is not enough.
    """
    return _respelled(data, episode_id, end, in_place=in_place)[0]


def _respelled(
    data: bytes, episode_id: str, end: Complete | Impossible | None, *, in_place: bool
) -> tuple[episode.Episode, bool]:
    tree = _tree(data, episode_id)
    steps = _steps(tree, episode_id)
    last = _action(steps[-1]) if steps else None
    has_end = last is not None and is_terminal(last)
    if not has_end and end is not None:
        steps = steps if last is not None else steps[:-1]  # an unreadable action was meant to be the terminal one
        steps = [*(steps[:-1] if in_place else steps), dict(action_to_json(end))]
    for number, step in enumerate(steps):
        step |= {"step": number, "screenshot": episode.screenshot_name(episode_id, number)}
    whole = {**tree, "episode_id": episode_id, "step_length": len(steps), "steps": list[episode.Json](steps)}
    return episode_from_json(whole, source=f"{episode_id}.json"), has_end


def _tree(data: bytes, source: str) -> dict[str, episode.Json]:
    try:
        tree = parse(data)
    except NotPlainJsonError as error:
        raise InvalidEpisodeError(f"{source}: {error}.") from error
    if not isinstance(tree, dict):
        raise InvalidEpisodeError(f"{source}: it is not a JSON object; expected an episode.")
    return tree


def _steps(tree: dict[str, episode.Json], source: str) -> list[dict[str, episode.Json]]:
    steps = tree.get("steps")
    if not isinstance(steps, list):
        raise InvalidEpisodeError(f"{source}: it has no list of steps.")
    return [step if isinstance(step, dict) else {} for step in steps]


# --- breaches of the format ------------------------------------------------------------------------------


def _with_breaches(
    tree: dict[str, episode.Json], raw_steps: list[dict[str, episode.Json]], refusal: str
) -> LenientEpisode:
    breaches = list(_schema_breaches(tree))
    steps = tuple(LenientStep(_action(keys), str(keys.get("action", "")), annotations_of(keys)) for keys in raw_steps)
    episode_id = _text(tree, "episode_id")
    for number, keys in enumerate(raw_steps):
        breaches += _step_breaches(episode_id, number, keys)
    breaches += _count_breaches(tree, len(steps))
    breaches += _ending_breaches(steps)
    return LenientEpisode(
        episode_id=episode_id,
        device=_device(tree),
        task=_task(tree),
        steps=steps,
        # Whatever the codec refuses is a breach, even if nothing above names it.
        breaches=tuple(breaches) or (Breach(Rule.FORM, None, refusal),),
        strict=None,
    )


def _schema_breaches(tree: dict[str, episode.Json]) -> Iterator[Breach]:
    try:
        EpisodeJson.model_validate(tree)
    except ValidationError as error:
        for place, words in complaints(error):
            match place:
                case ("steps", int(step), *_):
                    yield Breach(_RULES.get(str(place[-1]), Rule.FORM), step, words)
                case _:
                    yield Breach(_RULES.get(str(place[0]), Rule.FORM) if place else Rule.FORM, None, words)


def _step_breaches(episode_id: str, number: int, keys: dict[str, episode.Json]) -> Iterator[Breach]:
    checks: Sequence[tuple[str, Callable[[StepJson], object]]] = (
        ("step", lambda raw: check_number(raw, number)),
        ("screenshot", lambda raw: check_screenshot(raw, episode_id, number)),
        ("action", action_of),
    )
    for field, check in checks:
        raw = _single_value(keys, field)
        try:
            if raw is not None:
                check(raw)
        except UnreadableError as error:
            yield Breach(error.rule, number, f"step {step_number(number)}, {error}")


def _count_breaches(tree: dict[str, episode.Json], count: int) -> Iterator[Breach]:
    stated = tree.get("step_length")
    if isinstance(stated, int) and not isinstance(stated, bool) and stated != count:
        words = f"step_length is {str(stated)[:20]}, but there are {count} steps; expected the same number"
        yield Breach(Rule.COUNT, None, words)


def _ending_breaches(steps: Sequence[LenientStep]) -> Iterator[Breach]:
    for number, step in enumerate(steps[:-1]):
        if step.action is not None and is_terminal(step.action):
            words = f"step {step_number(number)}, action: {action_type(step.action)} ends the episode, but steps follow"
            yield Breach(Rule.ENDING, number, words)
    last = steps[-1].action if steps else None
    if not steps or (last is not None and not is_terminal(last)):
        yield Breach(Rule.ENDING, None, "the last step does not end the episode; expected COMPLETE or IMPOSSIBLE")


# --- what can be read ------------------------------------------------------------------------------


def _action(keys: dict[str, episode.Json]) -> Action | None:
    raw = _single_value(keys, "action")
    try:
        return None if raw is None else action_of(raw)
    except UnreadableError:
        return None


def _single_value(keys: dict[str, episode.Json], field: str) -> StepJson | None:
    wanted = {name: value for name, value in keys.items() if name in (field, "info", "ps")}
    try:
        return StepJson.model_validate({"step": 0, "screenshot": "", "action": "", **wanted} if field in keys else {})
    except ValidationError:
        return None


def _device(tree: dict[str, episode.Json]) -> episode.DeviceInfo | None:
    try:
        return device_of(DeviceJson.model_validate(tree.get("device_info")))
    except ValidationError:
        return None


def _task(tree: dict[str, episode.Json]) -> episode.TaskInfo:
    info = tree.get("task_info")
    keys = info if isinstance(info, dict) else {}
    apps = keys.get("app")
    return episode.TaskInfo(
        category=_text(keys, "category"),
        apps=tuple(app for app in apps if isinstance(app, str)) if isinstance(apps, list) else (),
        meta_task=_text(keys, "meta_task"),
        task=_text(keys, "task"),
        instruction=_text(keys, "instruction"),
    )


def _text(keys: dict[str, episode.Json], key: str) -> str:
    value = keys.get(key)
    return value if isinstance(value, str) else ""
