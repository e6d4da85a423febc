"""What the figures count: a few values of each episode."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from odyssey_recorder.dataset.codec import read_annotation
from odyssey_recorder.dataset.layout import annotation_path, episode_ids, provenance_path
from odyssey_recorder.dataset.provenance import read_provenance_head
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import Click, LongPress, action_type
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.splits.facts import app_key
from odyssey_recorder.splits.files import app_classes
from odyssey_recorder.task.templates.template import OTHER


@dataclass(frozen=True, slots=True)
class EpisodeFigures:
    """`actions` are the paper's names, `presses` the clicks and long presses, `sides` maps splits to "train" or "test".

    Without provenance, `annotator` is empty and `day` is None.
    """

    episode_id: str
    category: str
    meta_task: str
    instruction: str
    apps: tuple[str, ...]
    device: str
    size: Size
    actions: tuple[str, ...]
    presses: tuple[Point, ...] = ()
    annotator: str = ""
    day: date | None = None
    sides: Mapping[str, str] = field(default_factory=dict)

    @property
    def combination(self) -> tuple[str, ...]:
        """The different apps, sorted."""
        return tuple(sorted(set(self.apps)))


def read_figures(
    root: Path, sides: Mapping[str, Mapping[str, str]], among: Collection[str] | None = None
) -> Iterator[EpisodeFigures | DatasetError]:
    """One item for each annotation file of a dataset, or of those `among`, sorted by id; `sides` by episode."""
    for episode_id in sorted(episode_ids(root)):
        if among is not None and episode_id not in among:
            continue
        try:
            episode = read_annotation(root / annotation_path(episode_id))
        except DatasetError as error:
            yield error
            continue
        yield _counted(episode, *_origin(root / provenance_path(episode_id)), sides.get(episode_id, {}))


def class_of_app() -> Callable[[str], str]:
    """By the shipped catalogues, which are read."""
    classes = app_classes()
    return lambda app: classes.get(app_key(app), OTHER)


def _origin(provenance: Path) -> tuple[str, date | None]:
    try:
        head = read_provenance_head(provenance)
        if head is not None:
            return head.origin.annotator, datetime.fromtimestamp(head.started_us / 1_000_000, UTC).date()
    except (DatasetError, ValueError):
        pass  # `check` reports it
    return "", None


def _counted(episode: Episode, annotator: str, day: date | None, sides: Mapping[str, str]) -> EpisodeFigures:
    task, actions = episode.task, [step.action for step in episode.steps]
    return EpisodeFigures(
        episode.episode_id,
        task.category,
        task.meta_task,
        task.instruction,
        task.apps,
        episode.device.device_name,
        episode.device.size,
        tuple(map(action_type, actions)),
        tuple(action.point for action in actions if isinstance(action, Click | LongPress)),
        annotator,
        day,
        sides,
    )
