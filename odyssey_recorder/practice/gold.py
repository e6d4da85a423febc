"""The trail of an episode: the app, the texts on its screen and the action of each step; and gold episode files."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from pydantic import JsonValue, ValidationError

from odyssey_recorder.dataset.codec import decode, encode
from odyssey_recorder.dataset.provenance import EpisodeProvenance, StepRecord
from odyssey_recorder.device.view_hierarchy import ViewNode, parse
from odyssey_recorder.errors import DeviceError, InvalidEpisodeError, PracticeError
from odyssey_recorder.files import Largest, read_file
from odyssey_recorder.model.action import Action
from odyssey_recorder.model.episode import Episode, Step, screenshot_name
from odyssey_recorder.practice.tasks import PracticeTask
from odyssey_recorder.validation import FrozenModel, first_fault

Trees = Callable[[int], str | None]
"""The view hierarchy of a step as XML; None if there is none."""


@dataclass(frozen=True, slots=True)
class PassedStep:
    """One step; `texts` are those of the app's views, None if they could not be read.

    `is_idle`: the next step began on the same frame, so this one changed nothing.
    """

    action: Action
    package: str
    activity: str
    texts: tuple[str, ...] | None
    is_idle: bool = False


Trail = tuple[PassedStep, ...]


def trail_of(episode: Episode, provenance: EpisodeProvenance, trees: Trees) -> Trail:
    records = provenance.steps
    screenshots = [record.frame.rgb_sha256 for record in records]
    return tuple(
        _passed_step(
            step.action, record, trees(number), is_idle=screenshots[number : number + 2].count(screenshots[number]) == 2
        )
        for number, (step, record) in enumerate(zip(episode.steps, records, strict=True))
    )


def _passed_step(action: Action, record: StepRecord, tree: str | None, *, is_idle: bool) -> PassedStep:
    nodes = _nodes(tree)
    screen = record.screen
    package = screen.package if screen else _largest_package(nodes or ())
    texts = None if nodes is None else tuple(dict.fromkeys(_texts(nodes, package)))
    return PassedStep(action, package, screen.activity if screen else "", texts, is_idle)


def _nodes(tree: str | None) -> tuple[ViewNode, ...] | None:
    try:
        return None if tree is None else parse(tree)
    except DeviceError:
        return None


def _texts(nodes: tuple[ViewNode, ...], package: str) -> list[str]:
    """Texts of the app's own views, without the bars and the keyboard."""
    own = (node for node in nodes if node.package == package)
    return [text for node in own for text in (node.text, node.description) if text]


def _largest_package(nodes: tuple[ViewNode, ...]) -> str:
    active = [node for node in nodes if node.active]
    return max(active, key=lambda node: node.box.area).package if active else ""


FORMAT = 1
_ID = "0" * 16
"""The id of every gold episode, so that a new recording gives the same file."""


@dataclass(frozen=True, slots=True)
class GoldTrail:
    episode: Episode
    trail: Trail


class _Screen(FrozenModel):
    package: str
    activity: str
    texts: tuple[str, ...] | None
    is_idle: bool = False


class _File(FrozenModel):
    format: int
    episode: dict[str, JsonValue]
    screens: tuple[_Screen, ...]


def read_gold(task: PracticeTask) -> GoldTrail:
    """Raises PracticeError."""
    path = task.gold_file
    try:
        read = _File.model_validate_json(read_file(path, Largest.PROVENANCE))
        episode = decode(json.dumps(read.episode), source=path.name)
    except ValidationError as error:
        raise PracticeError(f"The gold episode {path} cannot be read: {first_fault(error)}.") from error
    except (OSError, InvalidEpisodeError) as error:
        raise PracticeError(f"The gold episode {path} cannot be read: {error}.") from error
    if read.format != FORMAT or len(episode.steps) != len(read.screens):
        raise PracticeError(f"The gold episode {path} is incomplete. Record it again (docs/practice.md).")
    pairs = zip(episode.steps, read.screens, strict=True)
    trail = tuple(PassedStep(step.action, s.package, s.activity, s.texts, s.is_idle) for step, s in pairs)
    return GoldTrail(episode, trail)


def gold_as_json(episode: Episode, trail: Trail) -> bytes:
    """The file of a gold episode; identical for every recording with the same actions and screens."""
    steps = tuple(Step(screenshot_name(_ID, number), step.action) for number, step in enumerate(episode.steps))
    annotation = json.loads(encode(replace(episode, episode_id=_ID, steps=steps)))
    screens = [
        {"package": p.package, "activity": p.activity, "texts": p.texts and list(p.texts), "is_idle": p.is_idle}
        for p in trail
    ]
    lines = ",\n  ".join(json.dumps(screen, ensure_ascii=False) for screen in screens)
    head = json.dumps(annotation, ensure_ascii=False)
    return f'{{"format": {FORMAT},\n "episode": {head},\n "screens": [\n  {lines}\n ]}}\n'.encode()
