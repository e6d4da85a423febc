"""The true actions of a dataset's episodes, in columns."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from odyssey_recorder.dataset.boxes import with_boxes
from odyssey_recorder.dataset.layout import annotation_path, episode_ids
from odyssey_recorder.dataset.opened import open_published
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.evaluation.answers import Floats, Ints, answer_of, read_answers
from odyssey_recorder.evaluation.predictions import spelled
from odyssey_recorder.model.episode import Json, Step
from odyssey_recorder.splits.episodes import app_key
from odyssey_recorder.splits.files import app_classes
from odyssey_recorder.tasks.templates.template import OTHER

NO_BOX, BOX, BROKEN_BOX = 0, 1, 2


@dataclass(frozen=True, slots=True)
class GoldEpisode:
    """`classes` are those of its apps."""

    episode_id: str
    category: str
    device: str
    classes: tuple[str, ...]
    meta_task: str
    length: int
    width: int = 1000
    height: int = 1000


@dataclass(frozen=True, slots=True)
class Gold:
    """A row per step, by episode and step. `text` is that of a TYPE, or a SCROLL's direction; `boxed` says what `box`
    is: left, top, right, bottom on the grid.
    """

    episodes: Sequence[GoldEpisode]
    episode: Ints
    step: Ints
    kind: Ints
    x: Floats
    y: Floats
    text: list[str]
    box: Floats
    boxed: Ints
    row_of: Mapping[tuple[str, int], int]
    """Rows by episode id and step, from 0."""
    answers: Sequence[str]
    """Spelled as by the official converter."""
    others: frozenset[str] = frozenset()
    """The dataset's other episodes, by id."""


GoldStep = tuple[str, Json]
"""Answer and box, as in the file."""


_Read = tuple[list[tuple[GoldEpisode, list[GoldStep]]], list[str]]
_AT_ONCE = 200
"""Episodes that one worker reads."""


def read_gold(
    root: Path,
    wanted: frozenset[str],
    tell: Callable[[int, int], object] = lambda _done, _of: None,
    carry_out: Callable[[Callable[[Sequence[str]], _Read], Sequence[Sequence[str]]], Iterable[_Read]] = map,
) -> tuple[Gold, tuple[str, ...]]:
    """Of those that can be read; the texts say why others cannot. `tell` gets how many are read; it may raise.

    `carry_out` reads the parts in order, such as an executor's `map`.
    """
    ids = sorted(wanted)
    parts = [ids[at : at + _AT_ONCE] for at in range(0, len(ids), _AT_ONCE)]
    episodes: list[tuple[GoldEpisode, list[GoldStep]]] = []
    problems: list[str] = []
    for number, (read, unread) in enumerate(carry_out(partial(_read_part, root), parts), 1):
        episodes += read
        problems += unread
        tell(min(number * _AT_ONCE, len(ids)), len(ids))
    return replace(gold_of(episodes), others=episode_ids(root) - wanted), tuple(problems)


def _read_part(root: Path, ids: Sequence[str]) -> _Read:
    classes = app_classes()
    episodes: list[tuple[GoldEpisode, list[GoldStep]]] = []
    problems = []
    for episode_id in ids:
        path = root / annotation_path(episode_id)
        try:
            found = open_published(path)
            episode = with_boxes(found.episode, found.provenance, always=True)
        except DatasetError as error:
            problems.append(str(error))
            continue
        kinds = sorted({classes.get(app_key(app), OTHER) for app in episode.task.apps})
        size, task = episode.device.size, episode.task
        head = GoldEpisode(
            episode_id, task.category, episode.device.device_name, tuple(kinds), task.meta_task, len(episode.steps),
            size.width, size.height,
        )  # fmt: skip
        episodes.append((head, [gold_step(step) for step in episode.steps]))
    return episodes, problems


def gold_step(step: Step) -> GoldStep:
    action, box = spelled(step.action), step.annotations.sam2_bbox
    malformed = step.annotations.malformed.get("sam2_bbox")
    return answer_of(action["action"], action["info"]), malformed if box is None else list(box)


def gold_of(episodes: Sequence[tuple[GoldEpisode, Sequence[GoldStep]]]) -> Gold:
    steps = [(at, number, *step) for at, (_, some) in enumerate(episodes) for number, step in enumerate(some)]
    at, number, answers, box = zip(*steps, strict=True) if steps else ((),) * 4
    boxed = [NO_BOX if corners is None else BOX if _is_box(corners) else BROKEN_BOX for corners in box]
    edges = [corners if kind == BOX else (0, 0, 0, 0) for corners, kind in zip(box, boxed, strict=True)]
    read = read_answers(answers, whole=True)
    return Gold(
        [head for head, _ in episodes], np.array(at, np.int64), np.array(number, np.int64),
        read.kind, read.x, read.y, read.info, np.array(edges, float).reshape(-1, 4), np.array(boxed, np.int64),
        {(episodes[index][0].episode_id, step): row for row, (index, step) in enumerate(zip(at, number, strict=True))},
        answers,
    )  # fmt: skip


def _is_box(box: Json) -> bool:
    return isinstance(box, list) and len(box) == 4 and all(type(edge) in (int, float) for edge in box)
