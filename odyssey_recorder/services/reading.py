"""Episodes of a dataset as values, with all that is known of their steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from odyssey_recorder.annotation.boxes import ElementBox
from odyssey_recorder.annotation.boxing import chosen_boxes
from odyssey_recorder.annotation.inputs import read_texts
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import StepText
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.dataset.png import read_png
from odyssey_recorder.dataset.provenance import EpisodeProvenance, StepRecord
from odyssey_recorder.dataset_index.index import IndexedEpisode
from odyssey_recorder.files import storage_errors
from odyssey_recorder.model.action import Action
from odyssey_recorder.model.episode import StepAnnotations
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.review.status import ReviewStage

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True)
class Step:
    """One action and the screenshot before it.

    `index` counts from 0, as files do. Points of the `action` are on the grid: each axis 0..1000 of the screenshot's
    width or height. `screenshot` is a path, whether the file exists or not. `annotations` is what the annotation file
    says besides the action. `provenance` proves the step; None in released data. Redactions are not applied: only
    exports hide what they hide.
    """

    index: int
    action: Action
    screenshot: Path
    annotations: StepAnnotations
    provenance: StepRecord | None
    _episode: "Episode" = field(repr=False, compare=False)

    @property
    def number(self) -> int:
        """As people count, from 1."""
        return step_number(self.index)

    def image(self) -> "Image":
        """The screenshot in RGB, as a `PIL.Image.Image`. Raises DatasetError if it is missing or damaged."""
        with storage_errors(self.screenshot, "read"):
            return read_png(self.screenshot)

    @property
    def texts(self) -> Mapping[str, StepText]:
        """The four texts by kind, such as "context": words, state (suggested, accepted, …) and source.

        The source is the entry of a model or a person; None for a missing text, and for one that follows from the
        format. Raises DatasetError, ReviewError.
        """
        return {kind.value: text for kind, text in self._episode._texts[self.index].items()}

    @property
    def box(self) -> ElementBox | None:
        """The best known box of the pressed element, in pixels of the screenshot, with its source.

        Left and top are inclusive, right and bottom exclusive. A point without area if no box is known; None for a
        step that presses nothing. Raises DatasetError.
        """
        return self._episode._boxes[self.index]


@dataclass(frozen=True)
class Episode:
    """One task carried out once. Its steps are read from its files when they are used.

    `size` is that of the screenshots in pixels. `ending` is "complete", "impossible" or empty. `splits` are like
    "app/test". Without provenance, as in released data, `annotator` is empty and `recorded_at` None. `problem` says why
    the annotation file is damaged, and is empty otherwise; the other fields then have what could be read.
    """

    id: str
    instruction: str
    category: str
    template: str
    device: str
    size: Size | None
    apps: tuple[str, ...]
    length: int
    ending: str
    annotator: str
    recorded_at: datetime | None
    stage: ReviewStage
    splits: tuple[str, ...]
    problem: str
    _root: Path = field(repr=False, compare=False)

    @classmethod
    def of(cls, root: Path, row: IndexedEpisode) -> "Episode":
        return cls(
            row.episode_id, row.instruction, row.category, row.template, row.device, row.size, row.apps, row.steps,
            row.ending, row.annotator, row.recorded_at, row.verdict, row.splits, row.problem, root,
        )  # fmt: skip

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Raises DatasetError if annotation or provenance cannot be read."""
        files, steps = self._opened.files, enumerate(self._opened.episode.steps)
        return tuple(
            Step(index, step.action, files.screenshot(index), step.annotations, self._opened.record(index), self)
            for index, step in steps
        )

    @property
    def provenance(self) -> EpisodeProvenance | None:
        """Who recorded what with which device; None in released data. Raises DatasetError."""
        return self._opened.provenance

    @cached_property
    def _opened(self) -> OpenedEpisode:
        return open_dataset_episode(self._root, self.id)

    @cached_property
    def _texts(self) -> Sequence[Mapping[TextKind, StepText]]:
        return read_texts(self._root, self._opened).steps

    @cached_property
    def _boxes(self) -> Sequence[ElementBox | None]:
        return chosen_boxes(self._root, self._opened)
