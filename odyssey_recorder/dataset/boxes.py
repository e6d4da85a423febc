"""The box of the touched element in each step, for the tools of the second release."""

from collections.abc import Iterator
from dataclasses import replace

from odyssey_recorder.dataset.amending import (
    BOX,
    box_refusal,
    on_grid,
    provenance_refusal,
    touched_pixel,
    with_grid_box,
)
from odyssey_recorder.dataset.provenance import EpisodeProvenance, StepRecord
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model.action import Click, LongPress
from odyssey_recorder.model.episode import Episode, Json, Step
from odyssey_recorder.model.geometry import Box


def with_boxes(episode: Episode, provenance: EpisodeProvenance | None, *, always: bool = False) -> Episode:
    """Give every step a `sam2_bbox`: for a press the one that a person drew, else its own, else that of the
    provenance, else one without area.

    With ``[]`` at a press the official evaluator counts every prediction as wrong; with ``[x, y, x, y]`` it uses the
    distance alone. An episode without boxes and provenance is as in the first release, and stays so unless `always`.
    Raises InvalidEpisodeError if the provenance belongs to other steps.
    """
    if provenance is None and not always and not _has_boxes(episode):
        return episode
    if provenance is not None and (refusal := provenance_refusal(episode, provenance)):
        raise InvalidEpisodeError(refusal)
    records = (None,) * len(episode.steps) if provenance is None else provenance.steps
    pairs = zip(episode.steps, records, strict=True)
    return replace(episode, steps=tuple(_with_box(step, record) for step, record in pairs))


def repaired_steps(episode: Episode) -> Iterator[int]:
    """Numbers of the presses whose box is empty, or missing where other steps have one; `with_boxes` fills them."""
    if _has_boxes(episode):
        for number, step in enumerate(episode.steps):
            if isinstance(step.action, Click | LongPress) and not _kept(step):
                yield number


def _has_boxes(episode: Episode) -> bool:
    return any(step.annotations.has(BOX) for step in episode.steps)


def _kept(step: Step) -> Json:
    box = step.annotations.sam2_bbox
    return list(box) if box else step.annotations.malformed.get(BOX)


def _with_box(step: Step, record: StepRecord | None) -> Step:
    pressed = step.action if isinstance(step.action, Click | LongPress) else None
    proved = () if pressed is None else _proved(pressed, record)
    is_drawn = proved and record is not None and record.bbox_source == "human"
    if _kept(step) and not is_drawn:
        return step
    point = () if pressed is None else 2 * (pressed.point.x, pressed.point.y)
    return with_grid_box(step, proved or point)


def _proved(action: Click | LongPress, record: StepRecord | None) -> tuple[int, ...]:
    """The box of the provenance on the grid; empty if there is none or it cannot be that of the element."""
    if record is None or record.bbox is None:
        return ()
    size, box = record.frame.size, Box(*record.bbox)
    return () if box_refusal(box, touched_pixel(action, record, size), size) else on_grid(box, size)
