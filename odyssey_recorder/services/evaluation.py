"""Scores of predictions on a dataset, and the steps they got wrong; numpy is loaded with the first ones."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from odyssey_recorder.dataset_index.filter import parse_filter
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.errors import CancelledError, DatasetError
from odyssey_recorder.evaluation.protocols import ScoringTerms
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.services.episodes import Selection, refresh, selected

if TYPE_CHECKING:
    from odyssey_recorder.evaluation.judged_steps import JudgedStep, StepsWanted
    from odyssey_recorder.evaluation.report import Evaluation
    from odyssey_recorder.evaluation.scores import Figures


@dataclass(frozen=True, slots=True)
class ScoredFiles:
    """`other` and `other_by` are of the model to compare with."""

    root: Path
    found: "Evaluation"
    selection: Selection
    other: "Figures | None" = None
    other_by: Mapping[str, Mapping[str, "Figures"]] = field(default_factory=dict)


def score_files(  # noqa: PLR0913 - values by keyword
    index: EpisodeIndex,
    terms: ScoringTerms,
    progress: Progress = untold,
    cancelled: Cancelled = never,
    *,
    against: Path | None = None,
    executor: Executor | None = None,
) -> ScoredFiles:
    """`against` are the predictions of another model, to compare with; the `executor` reads the true actions.

    Raises DatasetError, FilterError, CancelledError.
    """
    try:
        from odyssey_recorder.evaluation import report, scores
        from odyssey_recorder.evaluation.gold import read_gold
        from odyssey_recorder.evaluation.loading import load
    except ModuleNotFoundError as error:
        raise DatasetError("Scoring needs numpy. Install it: pip install 'odyssey-recorder[evaluation]'") from error

    def progress_of(text: str) -> Callable[[int, int], None]:
        def update(done: int, of: int) -> None:
            if cancelled():
                raise CancelledError("Scoring was cancelled.")
            progress(done / max(of, 1), text)

        update(0, 1)
        return update

    wanted = parse_filter(f"{terms.selection} split:{terms.split}/test" if terms.split else terms.selection)
    predictions = Path(terms.predictions)
    loaded = load(predictions, progress_of(f"Reading {predictions.name}…"))
    other = None if against is None else load(against, progress_of(f"Reading {against.name}…"))
    refresh(index, progress, cancelled)
    selection = selected(index, wanted)
    ids, carry_out = frozenset(index.ids(selection.filter)), map if executor is None else executor.map
    gold, unread = read_gold(index.root, ids, progress_of("Reading the true actions…"), carry_out)
    if not gold.episodes:
        raise DatasetError(f"{index.root} has no readable episode of this selection. Check the split and the filter.")
    progress_of("Scoring…")
    level = terms.level or loaded.header.level or "high"
    asked = replace(terms, dataset=terms.dataset or str(index.root), level=level)
    found = report.evaluate(gold, loaded, asked, unread=unread)
    if other is None:
        return ScoredFiles(index.root, found, selection)
    progress_of("Comparing…")
    found = report.with_difference(found, other, str(against))
    assert found.other is not None
    return ScoredFiles(index.root, found, selection, scores.figures(found.other), scores.breakdowns(found.other))


def judged(
    scored: ScoredFiles, wanted: "StepsWanted", most: int, *, of_other: bool = False
) -> tuple[Sequence["JudgedStep"], int]:
    """At most `most` of the steps, the worst first, and how many there are; `of_other`: those of the other model."""
    from odyssey_recorder.evaluation.judged_steps import judged_steps

    one, other = scored.found.scored, scored.found.other
    if of_other and other is not None:
        one, other = other, one
    return judged_steps(one, other, wanted, most)
