"""Scores files of predictions with progress, off the GUI thread; imports numpy, so it is imported there too."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from odyssey_recorder.dataset_index.filter import parse_filter, unretired, without_agents
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.errors import CancelledError, DatasetError
from odyssey_recorder.evaluation import report, scores
from odyssey_recorder.evaluation.gold import read_gold
from odyssey_recorder.evaluation.loading import load
from odyssey_recorder.gui.evaluate.order import ScoreOrder

if TYPE_CHECKING:
    from odyssey_recorder.progress import Cancelled, Progress


@dataclass(frozen=True, slots=True)
class ScoredFiles:
    """`other` and `other_by` are of the model to compare with."""

    root: Path
    found: report.Evaluation
    other: scores.Figures | None = None
    other_by: dict[str, dict[str, scores.Figures]] = field(default_factory=dict)


def score_files(
    order: ScoreOrder, open_index: Callable[[], EpisodeIndex], progress: "Progress", cancelled: "Cancelled"
) -> ScoredFiles:
    """Raises DatasetError, FilterError, CancelledError."""

    def progress_of(text: str) -> Callable[[int, int], None]:
        def update(done: int, of: int) -> None:
            if cancelled():
                raise CancelledError("Scoring was cancelled.")
            progress(done / max(of, 1), text)

        update(0, 1)
        return update

    loaded = load(order.predictions, progress_of(f"Reading {order.predictions.name}…"))
    against = order.against and load(order.against, progress_of(f"Reading {order.against.name}…"))
    with closing(EpisodeIndex(order.dataset, None) if order.dataset else open_index()) as index:
        index.refresh(progress_of("Reading the dataset…"), cancelled)
        wanted = without_agents(unretired(parse_filter(order.split and f"split:{order.split}/test")))
        root, ids = index.root, index.ids(wanted)
    gold, unread = read_gold(root, frozenset(ids), progress_of("Reading the true actions…"))
    if not gold.episodes:
        raise DatasetError(f"{root} has no readable episode of this split. Check the dataset and the split.")
    progress_of("Scoring…")
    level = order.level or loaded.header.level or "high"
    asked = report.ScoringTerms(str(root), str(order.predictions), order.protocol, order.split, level)
    found = report.evaluate(gold, loaded, asked, unread=unread)
    if not against:
        return ScoredFiles(root, found)
    progress_of("Comparing…")
    found = report.with_difference(found, against, str(order.against))
    assert found.other is not None
    return ScoredFiles(root, found, scores.figures(found.other), scores.breakdowns(found.other))
