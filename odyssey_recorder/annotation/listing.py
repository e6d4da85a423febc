"""The texts and the memory of an episode as rows, with their states and authors, and its memory as a file."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from odyssey_recorder.annotation.alternatives import alternatives_of
from odyssey_recorder.annotation.inputs import inputs_of, read_texts, texts_of
from odyssey_recorder.annotation.memory import Rule, memory_json, memory_of
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import SemanticsFile, SemanticsStore, StepText
from odyssey_recorder.annotation.text_kinds import MemoryKind, TextKind
from odyssey_recorder.dataset.layout import CHAIN_OF_MEMORY
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import write_durably
from odyssey_recorder.model.action import in_words_at
from odyssey_recorder.model.episode import Json

KIND_WORDS: Mapping[TextKind | MemoryKind, str] = {
    TextKind.INSTRUCTION: "Low-level instruction",
    TextKind.DESCRIPTION: "Description",
    TextKind.CONTEXT: "Context",
    TextKind.INTENTION: "Intention",
    MemoryKind.RESULT: "Action result",
    MemoryKind.SCREEN: "Screen information",
    MemoryKind.CORE: "Core text",
    MemoryKind.APP: "App in front",
}


def step_lines(root: Path, episode_id: str) -> tuple[str, ...]:
    """For each step the texts and their states and the alternatives, a line for each; empty without any.

    Raises DatasetError, ReviewError.
    """
    file = SemanticsStore(root).read_complete(episode_id)
    if not file.entries:
        return ()
    found = open_dataset_episode(root, episode_id)
    also, steps = alternatives_of(found, file), texts_of(found, file).steps
    accepted = [
        [f"Also right ({one.by}): {in_words_at(one.action)}" for one in also.get(at, ())] for at in range(len(steps))
    ]
    return tuple("\n".join((*_lines(step), *more)) for step, more in zip(steps, accepted, strict=True))


def _lines(step: Mapping[TextKind, StepText]) -> Iterator[str]:
    for kind, text in step.items():
        if text.source is not None:
            yield f"{KIND_WORDS[kind]} ({text.state.value}): {text.words}"


def listed_texts(root: Path, episode_id: str) -> Iterator[dict[str, Json]]:
    """A row for each step and kind of text. Raises DatasetError, ReviewError."""
    for number, texts in enumerate(read_texts(root, open_dataset_episode(root, episode_id)).steps):
        for kind, text in texts.items():
            yield _row(episode_id, number, kind, text)


def listed_memory(root: Path, episode_id: str) -> Iterator[dict[str, Json]]:
    """A row for each step and kind of memory. Raises DatasetError, ReviewError."""
    found, file = _opened(root, episode_id)
    for number, step in enumerate(memory_of(found, file, inputs_of(found))):
        for kind, kept in step.kept.items():
            if kept.source is not None or kept.is_open:
                yield _row(episode_id, number, kind, kept)


def _row(episode_id: str, number: int, kind: TextKind | MemoryKind, text: StepText) -> dict[str, Json]:
    return {
        "episode_id": episode_id,
        "step": number,
        "text": kind.value,
        "state": text.state.value,
        "words": text.words,
        "source": text.source.model_dump(mode="json") if text.source is not None else None,
    }


def write_memory(root: Path, episode_id: str, rule: Rule, out: Path) -> None:
    """Write ``chain_of_memory/<id>.json`` into the folder `out`. Raises DatasetError, ReviewError."""
    found, file = _opened(root, episode_id)
    data = json.dumps(memory_json(found, file, rule), ensure_ascii=False, indent=2)
    path = out / CHAIN_OF_MEMORY / f"{episode_id}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(path, f"{data}\n".encode())
    except OSError as error:
        raise DatasetError(f"{path} cannot be written: {error.strerror}.") from error


def _opened(root: Path, episode_id: str) -> tuple[OpenedEpisode, SemanticsFile]:
    file = SemanticsStore(root).read_complete(episode_id)
    return open_dataset_episode(root, episode_id), file
