"""The true actions of a dataset's episodes, in columns."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from odyssey_recorder.dataset.boxes import with_boxes
from odyssey_recorder.dataset.layout import annotation_path, episode_ids
from odyssey_recorder.dataset.opened import OpenedEpisode, open_published
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.evaluation.answers import Floats, Ints, answer_of, read_answers
from odyssey_recorder.evaluation.predictions import spelled
from odyssey_recorder.model.action import Action
from odyssey_recorder.model.episode import Json, Step
from odyssey_recorder.splits.episodes import app_classes, app_key
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
    alternatives: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """By row, spelled as `answers`: what a person accepted at the step, too."""


GoldStep = tuple[str, Json]
"""Answer and box, as in the file."""


_Alternatives = dict[tuple[str, int], Sequence[str]]
_Read = tuple[list[tuple[GoldEpisode, list[GoldStep]]], list[str], _Alternatives]
AcceptedIn = Callable[[OpenedEpisode], Mapping[int, Sequence[Action]]]
"""The alternatives of an episode, by step from 0. Raises DatasetError, ReviewError."""
_AT_ONCE = 200
"""Episodes that one worker reads."""


def read_gold(
    root: Path,
    wanted: frozenset[str],
    tell: Callable[[int, int], object] = lambda _done, _of: None,
    carry_out: Callable[[Callable[[Sequence[str]], _Read], Sequence[Sequence[str]]], Iterable[_Read]] = map,
    accepted_in: AcceptedIn | None = None,
) -> tuple[Gold, tuple[str, ...]]:
    """Of those that can be read; the texts say why others cannot. `tell` gets how many are read; it may raise.

    `carry_out` reads the parts in order, such as an executor's `map`. Without `accepted_in` there are no
    alternatives.
    """
    ids = sorted(wanted)
    parts = [ids[at : at + _AT_ONCE] for at in range(0, len(ids), _AT_ONCE)]
    episodes: list[tuple[GoldEpisode, list[GoldStep]]] = []
    problems: list[str] = []
    accepted: _Alternatives = {}
    for number, (read, unread, more) in enumerate(carry_out(partial(_read_part, root, accepted_in), parts), 1):
        episodes += read
        problems += unread
        accepted |= more
        tell(min(number * _AT_ONCE, len(ids)), len(ids))
    gold = gold_of(episodes)
    by_row = {gold.row_of[place]: answers for place, answers in accepted.items()}
    return replace(gold, others=episode_ids(root) - wanted, alternatives=by_row), tuple(problems)


def _read_part(root: Path, accepted_in: AcceptedIn | None, ids: Sequence[str]) -> _Read:
    classes = app_classes(root)
    episodes: list[tuple[GoldEpisode, list[GoldStep]]] = []
    problems = []
    accepted: _Alternatives = {}
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
        pairs = zip(episode.steps, found.episode.steps, strict=True)
        episodes.append((head, [_as_official(gold_step(filled), step) for filled, step in pairs]))
        try:
            more = {} if accepted_in is None else accepted_in(found)
        except (DatasetError, ReviewError) as error:
            problems.append(f"The alternatives of {episode_id} do not count. {error}")
            continue
        accepted |= {(episode_id, at): [official_answer(one) for one in some] for at, some in more.items()}
    return episodes, problems, accepted


def _as_official(gold: GoldStep, step: Step) -> GoldStep:
    """An empty box is kept, though exports fill it: with it the official evaluator finds every press wrong."""
    return (gold[0], []) if step.annotations.sam2_bbox == () else gold


def official_answer(action: Action) -> str:
    """As the official converter spells it."""
    return answer_of(*spelled(action).values())


def gold_step(step: Step) -> GoldStep:
    box, malformed = step.annotations.sam2_bbox, step.annotations.malformed.get("sam2_bbox")
    return official_answer(step.action), malformed if box is None else list(box)


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
