"""Scores of predictions on a dataset, and the steps they got wrong; numpy is loaded with the first ones."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from odyssey_recorder.dataset_index.filter import Filter, parse_filter
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.errors import CancelledError, DatasetError
from odyssey_recorder.evaluation.protocols import ScoringTerms
from odyssey_recorder.files import write_durably
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.services.episodes import Selection, refresh, selected

if TYPE_CHECKING:
    from odyssey_recorder.evaluation.gold import Gold
    from odyssey_recorder.evaluation.judged_steps import JudgedStep, StepsWanted
    from odyssey_recorder.evaluation.loading import Loaded
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
    """As `score_each`, for one evaluation."""
    (scored,) = score_each(index, [terms], progress, cancelled, against=against, executor=executor)
    return scored


def score_each(  # noqa: PLR0913 - values by keyword
    index: EpisodeIndex,
    wanted: Sequence[ScoringTerms],
    progress: Progress = untold,
    cancelled: Cancelled = never,
    *,
    against: Path | None = None,
    executor: Executor | None = None,
) -> list[ScoredFiles]:
    """`against` are the predictions of another model, to compare with; the `executor` reads the true actions.

    Each file and each split is read once. Raises DatasetError, FilterError, CancelledError.
    """
    try:
        from odyssey_recorder.evaluation import report, scores  # numpy
    except ModuleNotFoundError as error:
        raise DatasetError("Scoring needs numpy. Install it: pip install 'odyssey-recorder[evaluation]'") from error
    reader = _Reader(index, progress, cancelled, map if executor is None else executor.map)
    filters = [f"{one.selection} split:{one.split}/test" if one.split else one.selection for one in wanted]
    parsed = [parse_filter(text) for text in filters]
    files = {one.predictions: reader.load(one.predictions) for one in wanted}
    other = None if against is None else reader.load(str(against))
    refresh(index, progress, cancelled)
    gold, scored = cache(reader.gold), []
    for terms, chosen in zip(wanted, parsed, strict=True):
        selection, true, unread = gold(chosen, is_lenient=terms.alternatives)
        reader.tell("Scoring…")
        loaded = files[terms.predictions]
        level = terms.level or loaded.header.level or "high"
        asked = replace(terms, dataset=terms.dataset or str(index.root), level=level)
        found = report.evaluate(true, loaded, asked, unread=unread)
        if other is not None:
            reader.tell("Comparing…")
            found = report.with_difference(found, other, str(against))
        theirs = () if found.other is None else (scores.figures(found.other), scores.breakdowns(found.other))
        scored.append(ScoredFiles(index.root, found, selection, *theirs))
    return scored


@dataclass(frozen=True, slots=True)
class _Reader:
    index: EpisodeIndex
    progress: Progress
    cancelled: Cancelled
    carry_out: Callable[..., Any]

    def tell(self, text: str) -> Callable[[int, int], None]:
        """Returns what to call with how much is done. Raises CancelledError, as that does."""

        def update(done: int, of: int) -> None:
            if self.cancelled():
                raise CancelledError("Scoring was cancelled.")
            self.progress(done / max(of, 1), text)

        update(0, 1)
        return update

    def load(self, path: str) -> "Loaded":
        from odyssey_recorder.evaluation.loading import load

        return load(Path(path), self.tell(f"Reading {Path(path).name}…"))

    def gold(self, wanted: Filter, *, is_lenient: bool) -> "tuple[Selection, Gold, tuple[str, ...]]":
        """The true actions, and if `is_lenient` the alternatives."""
        from odyssey_recorder.annotation.alternatives import accepted_actions
        from odyssey_recorder.evaluation.gold import read_gold

        selection, root = selected(self.index, wanted), self.index.root
        ids, update = frozenset(self.index.ids(selection.filter)), self.tell("Reading the true actions…")
        accepted_in = partial(accepted_actions, root) if is_lenient else None
        gold, unread = read_gold(root, ids, update, self.carry_out, accepted_in)
        if not gold.episodes:
            raise DatasetError(f"{root} has no readable episode of this selection. Check the split and the filter.")
        return selection, gold, unread


def judged(
    scored: ScoredFiles, wanted: "StepsWanted", most: int, *, of_other: bool = False
) -> tuple[Sequence["JudgedStep"], int]:
    """At most `most` of the steps, the worst first, and how many there are; `of_other`: those of the other model."""
    from odyssey_recorder.evaluation.judged_steps import judged_steps

    one, other = scored.found.scored, scored.found.other
    if of_other and other is not None:
        one, other = other, one
    return judged_steps(one, other, wanted, most)


def write_report(path: Path, scored: ScoredFiles) -> None:
    """As a page with pictures of the worst steps, or as JSON if the name ends so. Raises DatasetError."""
    from odyssey_recorder.evaluation import pictures, report
    from odyssey_recorder.evaluation.judged_steps import StepsWanted
    from odyssey_recorder.reports import report_json

    if path.suffix == ".json":
        write_durably(path, report_json(report.as_json(scored.found)).encode(errors="backslashreplace"))
    else:
        worst, _ = judged(scored, StepsWanted(), pictures.MOST)
        report.write_report(path, scored.found, [*pictures.pictures(scored.root, worst)])


def write_sample_log(path: Path, scored: Sequence[ScoredFiles]) -> None:
    """A line of JSON for each step of each file and split. Raises DatasetError."""
    from odyssey_recorder.evaluation.sample_log import sample_log

    each = {(one.found.asked.predictions, one.found.asked.split): one for one in scored}
    write_durably(path, b"".join(line for one in each.values() for line in sample_log(one.root, one.found)))
