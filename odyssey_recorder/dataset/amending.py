"""How an amendment changes an episode and its provenance, and which amendments are refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from odyssey_recorder.dataset import amendment as amendments
from odyssey_recorder.dataset.layout import ui_tree_name
from odyssey_recorder.dataset.provenance import EndRecord, EpisodeProvenance, StepRecord, StrokeRecord
from odyssey_recorder.errors import ReviewError
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Type, is_terminal
from odyssey_recorder.model.episode import NOTHING, Episode, Step, StepAnnotations, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import GRID, Box, Pixel, Size, to_pixel
from odyssey_recorder.model.plain_text import step_number

LARGEST_BOX_PERCENT = 60
"""An element does not cover more of the screen than this."""
BOX, _INTENTION, _INSTRUCTED, _CONTEXT = "sam2_bbox", "intention", "low_level_instruction", "context"
"""Annotations of a step: the first three describe its action, the context describes the steps before it."""


@dataclass(frozen=True, slots=True)
class Amended:
    """An episode after an amendment; `kept[n]` is the number that its step n had before.

    `removed` maps the keys of annotations that were no longer valid to the former numbers of their steps.
    """

    episode: Episode
    provenance: EpisodeProvenance | None
    kept: tuple[int, ...]
    removed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


def amended(
    episode: Episode,
    provenance: EpisodeProvenance | None,
    amendment: amendments.Amendment,
    *,
    screenshot_size: Size | None = None,
) -> Amended:
    """The episode after `amendment`. A box needs the `screenshot_size`. Raises ReviewError."""
    after = _after(episode, provenance, amendment, screenshot_size)
    if (after.episode, after.provenance) == (episode, provenance):
        raise ReviewError(f"Episode {episode.episode_id} is already like this. Nothing would change.")
    return replace(after, removed=_removed(episode, after))


def _after(
    episode: Episode,
    provenance: EpisodeProvenance | None,
    amendment: amendments.Amendment,
    screenshot_size: Size | None,
) -> Amended:
    all_steps = tuple(range(len(episode.steps)))
    match amendment:
        case amendments.NewInstruction() | amendments.NewApps():
            after = Amended(replace(episode, task=_with_task(episode.task, amendment)), provenance, all_steps)
        case amendments.NewEnd(words=words):
            after = Amended(_with_end(episode, words), provenance, all_steps)
        case amendments.NewNote(step=number, note=note):
            _step(episode, number)
            after = Amended(episode, _with_record(_required(episode, provenance), number, {"note": note}), all_steps)
        case amendments.NewPress(step=number, long=long):
            after = Amended(_with_press(episode, number, long=long), provenance, all_steps)
        case amendments.NewText(step=number, text=text):
            after = Amended(_with_text(episode, number, text), provenance, all_steps)
        case amendments.NewBox(step=number, box=box):
            after = Amended(*_with_box(episode, provenance, number, Box(*box), screenshot_size), all_steps)
        case amendments.DropSteps(first=first, last=last):
            after = _without(episode, provenance, first, last)
        case amendments.DropTail(at=at):
            after = _shortened(episode, provenance, at)
        case amendments.Repair():
            raise ReviewError(f"Episode {episode.episode_id} is not damaged. There is nothing to repair.")
    return after


def _removed(before: Episode, after: Amended) -> dict[str, tuple[int, ...]]:
    pairs = [
        (old, before.steps[old].annotations, step.annotations)
        for step, old in zip(after.episode.steps, after.kept, strict=True)
    ]
    keys = (BOX, _INTENTION, _INSTRUCTED, _CONTEXT)
    removed = {key: tuple(old for old, had, has in pairs if had.has(key) and not has.has(key)) for key in keys}
    return {key: numbers for key, numbers in removed.items() if numbers}


def box_refusal(box: Box, touched: Pixel, size: Size) -> str:
    """Why `box` cannot be the box of an element touched at `touched`; empty if it can."""
    if not (0 <= box.left < box.right <= size.width and 0 <= box.top < box.bottom <= size.height):
        return f"The box is outside the screenshot of {size}. Draw it again."
    if touched not in box:
        return f"The box does not contain the touched point {touched.x}, {touched.y}. Draw it around that point."
    if box.area * 100 > size.width * size.height * LARGEST_BOX_PERCENT:
        return f"The box fills more than {LARGEST_BOX_PERCENT}% of the screen. Draw it around the touched element only."
    return ""


def touched_pixel(action: Click | LongPress, record: StepRecord | None, size: Size) -> Pixel:
    """The position of the touch-down: exact if the provenance has it, else the middle of the grid cell."""
    if record is not None and isinstance(record.input, StrokeRecord) and record.input.samples:
        x, y, _ = record.input.samples[0]
        return Pixel(x, y)
    return to_pixel(action.point, size)


# Texts and actions.


def _with_task(task: TaskInfo, amendment: amendments.NewInstruction | amendments.NewApps) -> TaskInfo:
    match amendment:
        case amendments.NewInstruction(instruction=words):
            if not words.strip():
                raise ReviewError("The instruction is empty. Enter the task.")
            return replace(task, instruction=words)
        case amendments.NewApps(category=category, apps=apps):
            if not all(app.strip() for app in apps):
                raise ReviewError("An app needs a name.")
            if problem := category.lacks_apps(apps):
                raise ReviewError(f"{problem}. Name every app that was used, or choose another category.")
            return replace(task, category=category.value, apps=apps)


def _with_end(episode: Episode, words: str) -> Episode:
    end: Action
    match episode.steps[-1].action:
        case Complete():
            end = Complete(words)
        case Impossible() if words.strip():
            end = Impossible(words)
        case Impossible():
            raise ReviewError("IMPOSSIBLE needs a reason. Enter what made the task impossible.")
        case _:
            raise ReviewError(f"Episode {episode.episode_id} has no final step. It must be recorded again.")
    return _with_action(episode, len(episode.steps) - 1, end)


def _with_press(episode: Episode, number: int, *, long: bool) -> Episode:
    match _step(episode, number).action:
        case Click(point) | LongPress(point) as before:
            after = LongPress(point) if long else Click(point)
            return episode if after == before else _with_action(episode, number, after)
        case _:
            raise ReviewError(
                f"Step {step_number(number)} is neither CLICK nor LONG_PRESS. Its type cannot be changed."
            )


def _with_text(episode: Episode, number: int, text: str) -> Episode:
    if not isinstance(_step(episode, number).action, Type):
        raise ReviewError(f"Step {step_number(number)} is not a TYPE and has no text to change.")
    if not text:
        raise ReviewError(f"Step {step_number(number)} needs text. Drop the step if nothing was typed.")
    return _with_action(episode, number, Type(text))


def _with_action(episode: Episode, number: int, action: Action) -> Episode:
    """Drop the texts that described the old action. The box stays because the touched position does."""
    step = episode.steps[number]
    if action == step.action:
        return episode
    outdated = (_INTENTION,) if is_terminal(action) else (_INTENTION, _INSTRUCTED)
    annotations = step.annotations.without(*outdated)
    changed = _with_step(episode, number, replace(step, action=action, spelling=NOTHING, annotations=annotations))
    return _without_context(changed, number + 1)


def _without_context(episode: Episode, first: int) -> Episode:
    later = (replace(step, annotations=step.annotations.without(_CONTEXT)) for step in episode.steps[first:])
    return replace(episode, steps=(*episode.steps[:first], *later))


# Boxes.


def _with_box(
    episode: Episode, provenance: EpisodeProvenance | None, number: int, box: Box, screenshot_size: Size | None
) -> tuple[Episode, EpisodeProvenance | None]:
    step = _step(episode, number)
    if not isinstance(step.action, Click | LongPress):
        raise ReviewError(f"Step {step_number(number)} is neither CLICK nor LONG_PRESS and has no box.")
    record = None if provenance is None else _required(episode, provenance).steps[number]
    size = screenshot_size or (record.frame.size if record else episode.device.size)
    if refusal := box_refusal(box, touched_pixel(step.action, record, size), size):
        raise ReviewError(f"Step {step_number(number)}: {refusal}")
    if provenance is not None:
        corners = (box.left, box.top, box.right, box.bottom)
        provenance = _with_record(provenance, number, {"bbox": corners, "bbox_source": "human"})
    if provenance is None or step.annotations.has(BOX):
        episode = _with_step(episode, number, with_grid_box(step, on_grid(box, size)))
    return episode, provenance


def with_grid_box(step: Step, box: tuple[int, ...]) -> Step:
    return replace(step, annotations=step.annotations.taking(StepAnnotations(sam2_bbox=box), BOX))


def on_grid(box: Box, size: Size) -> tuple[int, ...]:
    return (
        box.left * GRID // size.width,
        box.top * GRID // size.height,
        -(-box.right * GRID // size.width),
        -(-box.bottom * GRID // size.height),
    )


# Steps.


def _without(episode: Episode, provenance: EpisodeProvenance | None, first: int, last: int) -> Amended:
    if first > last:
        raise ReviewError(
            f"Steps {step_number(first)} to {step_number(last)} are not a range. Enter the first step before the last."
        )
    _step(episode, last)
    end = len(episode.steps) - 1
    if last == end:
        raise ReviewError(
            f"Step {step_number(end)} ends the episode and cannot be dropped. "
            "End the episode at an earlier step instead."
        )
    after = _with_steps(episode, provenance, [number for number in range(end + 1) if not first <= number <= last])
    return replace(after, episode=_without_context(after.episode, first))


def _shortened(episode: Episode, provenance: EpisodeProvenance | None, at: int) -> Amended:
    step, end = _step(episode, at), episode.steps[-1]
    if at == len(episode.steps) - 1:
        raise ReviewError(f"Episode {episode.episode_id} already ends at step {step_number(at)}.")
    annotations = step.annotations.without(_INTENTION).taking(end.annotations, BOX, _INSTRUCTED)
    last = replace(step, action=end.action, spelling=end.spelling, annotations=annotations)
    after = _with_steps(episode, provenance, range(at + 1))
    return replace(
        after,
        episode=_with_step(after.episode, at, last),
        provenance=nothing_sent(after.provenance, at, provenance.steps[-1].end)
        if provenance and after.provenance
        else None,
    )


_NOTHING_SENT = {"input": None, "sent_us": None, "sent_until_us": None, "bbox": None, "bbox_source": None}


def nothing_sent(provenance: EpisodeProvenance, number: int, end: EndRecord | None = None) -> EpisodeProvenance:
    """The provenance of an episode that ends at step `number`: what was done on its screen is removed."""
    return _with_record(provenance, number, {**_NOTHING_SENT, "end": end} if end else _NOTHING_SENT)


def _with_steps(episode: Episode, provenance: EpisodeProvenance | None, kept: Sequence[int]) -> Amended:
    name = episode.episode_id
    steps = tuple(replace(episode.steps[old], screenshot=screenshot_name(name, new)) for new, old in enumerate(kept))
    if provenance is not None:
        old_records = _required(episode, provenance).steps
        records = tuple(_renamed(old_records[old], name, new) for new, old in enumerate(kept))
        provenance = provenance.model_copy(update={"steps": records})
        if kept[0] != 0:  # device_info has the size of the first screenshot
            episode = replace(episode, device=replace(episode.device, size=records[0].frame.size))
    return Amended(replace(episode, steps=steps), provenance, tuple(kept))


def _renamed(record: StepRecord, episode_id: str, number: int) -> StepRecord:
    if record.ui_tree is None:
        return record
    return record.model_copy(update={"ui_tree": ui_tree_name(episode_id, number)})


def _step(episode: Episode, number: int) -> Step:
    if number >= len(episode.steps):
        raise ReviewError(f"No step {step_number(number)}: the last one is {len(episode.steps)}.")
    return episode.steps[number]


def _required(episode: Episode, provenance: EpisodeProvenance | None) -> EpisodeProvenance:
    if provenance is None:
        raise ReviewError(
            f"Episode {episode.episode_id} has no provenance, where notes are stored. Notes cannot be changed."
        )
    if refusal := provenance_refusal(episode, provenance):
        raise ReviewError(f"{refusal} This cannot be fixed here. Send the episode back.")
    return provenance


def provenance_refusal(episode: Episode, provenance: EpisodeProvenance) -> str:
    """Why the provenance cannot belong to the episode's steps; empty if it can."""
    if len(provenance.steps) == len(episode.steps):
        return ""
    return (
        f"The provenance of episode {episode.episode_id} has {len(provenance.steps)} steps, the "
        f"episode {len(episode.steps)}. It is unknown which belong together."
    )


def _with_record(provenance: EpisodeProvenance, number: int, changes: Mapping[str, object]) -> EpisodeProvenance:
    records = list(provenance.steps)
    records[number] = records[number].model_copy(update=dict(changes))
    return provenance.model_copy(update={"steps": tuple(records)})


def _with_step(episode: Episode, number: int, step: Step) -> Episode:
    return replace(episode, steps=(*episode.steps[:number], step, *episode.steps[number + 1 :]))
