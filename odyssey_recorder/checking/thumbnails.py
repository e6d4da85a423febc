"""Thumbnails of the screenshots that findings are about, for a page of bounded size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from odyssey_recorder.dataset.action_marks import draw_action
from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.dataset.opened import OpenedEpisode, open_damaged
from odyssey_recorder.dataset.png import read_png
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.episode import Step
from odyssey_recorder.model.finding import Finding
from odyssey_recorder.reports import data_uri

_BOX_PX = (240, 240)
_MOST = 200
"""Thumbnails of a page: at up to 20 kB each, a browser still opens it at once."""


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """`image` is a data URI; if it is empty, `problem` says why."""

    image: str = ""
    problem: str = ""


@dataclass(slots=True)
class Thumbnails:
    """Of the episodes at `annotations`, by id; each screenshot once, with its action drawn on it."""

    annotations: Mapping[str, Path]
    _shown: set[tuple[str, int]] = field(default_factory=set)
    _opened: OpenedEpisode | None = None

    def of(self, finding: Finding) -> Thumbnail | None:
        """None if the finding is about no screenshot, or about one that was shown."""
        annotation, step = self.annotations.get(finding.episode_id), finding.step
        if annotation is None or step is None or (finding.episode_id, step) in self._shown:
            return None
        if len(self._shown) == _MOST:
            return Thumbnail(problem=f"Not shown: the page has only the first {_MOST} screenshots.")
        self._shown.add((finding.episode_id, step))
        try:
            image = read_png(EpisodeFiles(annotation, finding.episode_id).screenshot(step))
        except FileNotFoundError:
            return Thumbnail(problem="The screenshot is missing.")
        except OSError as error:
            return Thumbnail(problem=f"The screenshot is damaged: {error.strerror}.")
        image.thumbnail(_BOX_PX)
        steps = self._open(annotation)
        return Thumbnail(data_uri(draw_action(image, steps[step].action) if step < len(steps) else image))

    def _open(self, annotation: Path) -> Sequence[Step]:
        """Nothing of an episode that cannot be read; the last one is kept, because findings come by episode."""
        if self._opened is None or self._opened.files.annotation != annotation:
            try:
                self._opened = open_damaged(annotation)
            except DatasetError:
                return ()
        return self._opened.episode.steps
