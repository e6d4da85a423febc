"""Wrong steps for a page: each screenshot as others may see it, with the true and the predicted action drawn on it."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from PIL import Image

from odyssey_recorder.annotation.redacted_episode import HIDDEN, RedactedEpisode, read_redacted_episode
from odyssey_recorder.dataset.action_marks import PREDICTED, draw_action
from odyssey_recorder.errors import DatasetError, LanguageModelError, ReviewError
from odyssey_recorder.evaluation.judged_steps import JudgedStep, drawn
from odyssey_recorder.model.action import Click, LongPress, Scroll, Type
from odyssey_recorder.reports import data_uri

MOST = 40
"""Pictures of a page: at about 15 kB each, a browser still opens it at once."""
_BOX_PX = (240, 360)
_APART = 60
"""Two scrolls are drawn this far from the middle, on the grid."""


@dataclass(frozen=True, slots=True)
class StepPicture:
    """`truth` and `said` without what is redacted. `image` is a data URI; if it is empty, `problem` says why."""

    step: JudgedStep
    truth: str
    said: str
    image: str = ""
    problem: str = ""


def pictures(root: Path, steps: Sequence[JudgedStep]) -> Iterator[StepPicture]:
    """Of the first `MOST` steps. Redacted areas and password fields are black, as a model is shown them."""
    read = lru_cache(8)(partial(read_redacted_episode, root))
    for step in steps[:MOST]:
        try:
            yield _picture(read(step.episode_id), step)
        except (DatasetError, ReviewError, LanguageModelError) as error:
            yield StepPicture(step, HIDDEN, HIDDEN, problem=str(error))


def _picture(episode: RedactedEpisode, step: JudgedStep) -> StepPicture:
    shown = episode.steps[step.step]
    is_secret = shown.act == Type(HIDDEN)
    truth, said = (HIDDEN if is_secret else episode.shown(text) for text in (step.truth, step.said or ""))
    image: Image.Image = Image.open(io.BytesIO(shown.views[0].load().data))
    image.thumbnail(_BOX_PX)
    if not is_secret and (true := drawn(truth, off=-_APART)) is not None:
        image = draw_action(image, true)
    if isinstance(predicted := drawn(step.said, off=_APART), Click | LongPress | Scroll):
        image = draw_action(image, predicted, PREDICTED)
    return StepPicture(step, truth, said, data_uri(image))
