"""What the figures count: a few values of each episode."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from itertools import starmap
from pathlib import Path

from odyssey_recorder.dataset.quick_reading import StepRow, read_episodes
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.splits.episodes import app_classes, app_key

_PRESSES = ("CLICK", "LONG_PRESS")


@dataclass(frozen=True, slots=True)
class CountedEpisode:
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
    root: Path, sides: Mapping[str, Mapping[str, str]], among: Collection[str]
) -> Iterator[CountedEpisode]:
    """Of the episodes `among` a dataset's that can be read, sorted by id; `sides` by episode. Days are in UTC."""
    for episode in read_episodes(root, sorted(among)):
        read, day = episode.contents, None if episode.recorded_at is None else episode.recorded_at.date()
        if not read.problem:
            task, size = read.task, Size(read.width, read.height)
            actions, presses = counted_of(starmap(StepRow, read.steps))
            yield CountedEpisode(
                episode.episode_id, task.category, task.meta_task, task.instruction, task.apps, read.device, size,
                actions, presses, episode.annotator, day, sides.get(episode.episode_id, {}),
            )  # fmt: skip


def counted_of(steps: Iterable[StepRow]) -> tuple[tuple[str, ...], tuple[Point, ...]]:
    """The actions and presses of an episode."""
    every = tuple(steps)
    presses = (
        Point(row.x, row.y) for row in every if row.action in _PRESSES and row.x is not None and row.y is not None
    )
    return tuple(row.action for row in every), tuple(presses)


def class_of_app(root: Path) -> Callable[[str], str]:
    """Of the apps in the dataset `root`, empty for an unknown one: see `app_classes`. Raises DatasetError."""
    classes = app_classes(root)
    return lambda app: classes.get(app_key(app), "")
