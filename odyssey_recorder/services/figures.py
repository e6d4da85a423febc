"""The figures of a dataset's episodes beside others, from the index: no file of an episode is opened."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from odyssey_recorder.dataset_index.filter import ALL, Filter
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.figures.counting import Against, all_figures, mean_steps
from odyssey_recorder.figures.episodes import CountedEpisode, class_of_app, counted_of
from odyssey_recorder.figures.figure import Figure
from odyssey_recorder.figures.page import FiguresSource
from odyssey_recorder.figures.published import PublishedFigures, published_of
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.progress import Progress, untold
from odyssey_recorder.services.episodes import Selection, selected


@dataclass(frozen=True, slots=True)
class CountedFigures:
    """`selection` is of the episodes that were counted."""

    figures: Sequence[Figure]
    source: FiguresSource
    selection: Selection


def count_figures(
    index: EpisodeIndex, wanted: Filter, against: PublishedFigures, *, agents: bool = False, progress: Progress = untold
) -> CountedFigures:
    """Of what the index knows; refresh it before. Raises FilterError."""
    progress(None, "Reading the episodes…")
    selection = selected(index, wanted, agents=agents)
    episodes, unread = figures_of(index, selection.filter)
    progress(None, f"Counting {len(episodes):,} episodes…")
    figures = all_figures(episodes, Against(against, class_of_app(index.root)))
    source = FiguresSource(str(index.root), len(episodes), against.name, str(wanted), unread)
    return CountedFigures(figures, source, selection)


def figures_to_compare(index: EpisodeIndex, name: str) -> tuple[PublishedFigures, Selection]:
    """Those of a dataset, to be compared with as if they were published under this name."""
    selection = selected(index, ALL)
    episodes, _ = figures_of(index, selection.filter)
    alone = Against(PublishedFigures(name), class_of_app(index.root))
    return published_of(name, all_figures(episodes, alone), mean_steps(episodes)), selection


def figures_of(index: EpisodeIndex, wanted: Filter = ALL) -> tuple[list[CountedEpisode], tuple[str, ...]]:
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
            read.append(CountedEpisode(
                row.episode_id, row.category, row.template, row.instruction, row.apps, row.device,
                row.size or Size(1, 1), *counts[row.episode_id], row.annotator, day, sides,
            ))  # fmt: skip
    return read, tuple(row.problem for row in rows if row.problem)
