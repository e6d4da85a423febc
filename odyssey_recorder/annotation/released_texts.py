"""Step texts that come from released data, and those that an export writes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from odyssey_recorder.annotation.inputs import inputs_of, read_texts
from odyssey_recorder.annotation.memory import Recall, memory_of, recalled
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import SemanticsStore, Suggestion, suggestion_id
from odyssey_recorder.annotation.text_kinds import TextKind, fixed_text
from odyssey_recorder.dataset.codec import read_annotation
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.model.episode import Episode, StepAnnotations
from odyssey_recorder.model.plain_text import steps_text

Texts = Literal["none", "accepted", "all"]
"""Which texts an export writes: those of the annotation files as they are, those that a person accepted or wrote, or
also suggestions. Stale ones never."""


def import_released(root: Path, source: Path, episode_id: str) -> int:
    """Add the texts of a released episode as suggestions; returns how many are new.

    `source` is a dataset, which may be `root` itself. The episode must have the same steps in both. Raises
    DatasetError, ReviewError.
    """
    found = open_dataset_episode(root, episode_id)
    released = read_annotation(source / annotation_path(episode_id))
    if [step.action for step in released.steps] != [step.action for step in found.episode.steps]:
        raise DatasetError(f"{episode_id}: {source} has other steps. Its texts were not imported.")
    inputs = inputs_of(found)
    entries = []
    for number, step in enumerate(released.steps):
        for kind in TextKind:
            words = (getattr(step.annotations, kind.value) or "").strip()
            if not words or words == fixed_text(step.action, number, kind):
                continue
            step_inputs = inputs[number]
            entries.append(
                Suggestion(
                    id=suggestion_id(step_inputs.step_key, kind, words, "released"),
                    at=datetime.now(UTC),
                    step_key=step_inputs.step_key,
                    field=kind,
                    words=words,
                    inputs_sha=step_inputs.shown(kind, [None] * number, with_box=False),
                    origin="released",
                )
            )
    store = SemanticsStore(root)
    known = {entry.id for entry in store.read(episode_id).entries}
    store.add(episode_id, entries)
    return sum(entry.id not in known for entry in entries)


def missing_texts(root: Path, episode_id: str, texts: Texts) -> str:
    """Why an export cannot write these texts of an episode; empty if it can."""
    if texts == "none":
        return ""
    try:
        with_texts(root, open_dataset_episode(root, episode_id), texts)
    except (DatasetError, ReviewError) as error:
        return str(error)
    return ""


def with_texts(root: Path, found: OpenedEpisode, texts: Texts) -> Episode:
    """The episode with these texts in every step. Raises DatasetError, also if one is missing; ReviewError."""
    if texts == "none":
        return found.episode
    by_step = read_texts(root, found).steps
    written = [{kind: text.exported(texts) for kind, text in step.items()} for step in by_step]
    lacking = [number for number, step in enumerate(written) if None in step.values()]
    if lacking:
        raise DatasetError(f"{found.episode.episode_id}: {_lacking(lacking, texts)}")
    steps = tuple(
        replace(step, annotations=step.annotations.taking(_annotations(words), *(kind.value for kind in TextKind)))
        for step, words in zip(found.episode.steps, written, strict=True)
    )
    return replace(found.episode, steps=steps)


def recalled_in(root: Path, found: OpenedEpisode, recall: Recall) -> list[str]:
    """What each step recalls, in words. Raises DatasetError, also if memory is missing; ReviewError."""
    file = SemanticsStore(root).read_complete(found.episode.episode_id)
    return recalled(found.episode.episode_id, memory_of(found, file, inputs_of(found)), recall)


def _annotations(words: dict[TextKind, str | None]) -> StepAnnotations:
    named = {kind.value: text for kind, text in words.items()}
    return StepAnnotations(**named)  # type: ignore[arg-type]


def _lacking(steps: Sequence[int], texts: Texts) -> str:
    what = "an accepted text" if texts == "accepted" else "a text"
    return f"{what} is missing in {steps_text(steps[:10])}{' and more' if len(steps) > 10 else ''}."
