"""The texts of an episode as rows, with their states and authors."""

from collections.abc import Iterator
from pathlib import Path

from odyssey_recorder.annotation.asked import open_dataset_episode
from odyssey_recorder.annotation.inputs import texts_of
from odyssey_recorder.annotation.semantics import SemanticsStore
from odyssey_recorder.dataset.entry_file import refuse_problems
from odyssey_recorder.model.episode import Json


def listed_texts(root: Path, episode_id: str) -> Iterator[dict[str, Json]]:
    """A row for each step and kind of text. Raises DatasetError, ReviewError."""
    file = SemanticsStore(root).read(episode_id)
    refuse_problems(file)
    found = open_dataset_episode(root, episode_id)
    for number, texts in enumerate(texts_of(found, file).steps):
        for kind, text in texts.items():
            yield {
                "episode_id": episode_id,
                "step": number,
                "text": kind.value,
                "state": text.state.value,
                "words": text.words,
                "source": text.source.model_dump(mode="json") if text.source is not None else None,
            }
