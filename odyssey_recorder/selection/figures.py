"""The values that figures count, from the index: no file of an episode is opened."""

from collections import defaultdict

from odyssey_recorder.figures.facts import EpisodeFigures
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.selection.filter import ALL, Filter
from odyssey_recorder.selection.index import EpisodeIndex, EpisodeRow

_PRESSES = ("CLICK", "LONG_PRESS")


def figures_of(index: EpisodeIndex, wanted: Filter = ALL) -> tuple[list[EpisodeFigures], tuple[str, ...]]:
    """The episodes, sorted by id, and why others cannot be read. Days are local, as those of filters.

    Raises FilterError.
    """
    actions: defaultdict[str, list[str]] = defaultdict(list)
    presses: defaultdict[str, list[Point]] = defaultdict(list)
    for episode_id, step in index.steps(wanted):
        actions[episode_id].append(step.action)
        if step.action in _PRESSES and step.x is not None and step.y is not None:
            presses[episode_id].append(Point(step.x, step.y))
    rows = index.rows(wanted)
    read = [_counted(row, tuple(actions[row.episode_id]), tuple(presses[row.episode_id]))
            for row in rows if not row.problem]  # fmt: skip
    return read, tuple(row.problem for row in rows if row.problem)


def _counted(row: EpisodeRow, actions: tuple[str, ...], presses: tuple[Point, ...]) -> EpisodeFigures:
    day = None if row.recorded_at is None else row.recorded_at.astimezone().date()
    sides = dict(side.split("/", 1) for side in row.splits)
    return EpisodeFigures(
        row.episode_id, row.category, row.template, row.instruction, row.apps, row.device,
        row.size or Size(1, 1), actions, presses, row.annotator, day, sides,
    )  # fmt: skip
