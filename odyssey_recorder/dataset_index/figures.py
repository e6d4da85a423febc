"""The values that figures count, from the index: no file of an episode is opened."""

from itertools import groupby
from operator import itemgetter

from odyssey_recorder.dataset_index.filter import ALL, Filter
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.figures.episodes import EpisodeFigures, counted_of
from odyssey_recorder.model.geometry import Size


def figures_of(index: EpisodeIndex, wanted: Filter = ALL) -> tuple[list[EpisodeFigures], tuple[str, ...]]:
    """The episodes, sorted by id, and why others cannot be read. Days are local, as those of filters.

    Raises FilterError.
    """
    steps = groupby(index.steps(wanted), itemgetter(0))
    counts = {episode_id: counted_of(step for _, step in of_it) for episode_id, of_it in steps}
    rows = index.rows(wanted)
    read = []
    for row in rows:
        if not row.problem and row.episode_id in counts:
            day = None if row.recorded_at is None else row.recorded_at.astimezone().date()
            sides = dict(side.split("/", 1) for side in row.splits)
            read.append(EpisodeFigures(
                row.episode_id, row.category, row.template, row.instruction, row.apps, row.device,
                row.size or Size(1, 1), *counts[row.episode_id], row.annotator, day, sides,
            ))  # fmt: skip
    return read, tuple(row.problem for row in rows if row.problem)
