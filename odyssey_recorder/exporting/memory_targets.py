"""Samples whose answers are the memory of a step, for a model that is to write its own (Chain-of-Memory, 5.1.4).

What is asked is what `annotate run --memory` and a live memory ask. A touched element is marked in a copy of the
screenshot, which is a file of the export.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from odyssey_recorder.annotation.memory_writer import (
    ToldTask,
    Wanted,
    memory_answer,
    memory_question,
    wanted_of_step,
)
from odyssey_recorder.annotation.redacted_episode import RedactedEpisode
from odyssey_recorder.annotation.screenshots import ShownScreenshot, marked_png
from odyssey_recorder.annotation.text_kinds import MemoryKind
from odyssey_recorder.dataset.layout import SCREENSHOTS
from odyssey_recorder.dataset.png import BrokenImageError
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting.episodes import ExportedEpisode
from odyssey_recorder.exporting.hashed_files import Hashes, write_file
from odyssey_recorder.llm.model import ChatMessage, LazyImage


@dataclass(frozen=True, slots=True)
class MemoryTarget:
    """The images in `messages` are those of the export."""

    kind: MemoryKind
    messages: tuple[ChatMessage, ...]
    answer: str


def memory_targets(
    episode: RedactedEpisode | None, kinds: Collection[MemoryKind]
) -> Mapping[int, Sequence[MemoryTarget]]:
    """By the number of the step; none without an episode."""
    found: defaultdict[int, list[MemoryTarget]] = defaultdict(list)
    for number, wanted, words in () if episode is None else _remembered(episode):
        if wanted.kind in kinds:
            found[number].append(MemoryTarget(wanted.kind, _linked(wanted), memory_answer(wanted.kind, words)))
    return found


def _remembered(episode: RedactedEpisode) -> Iterator[tuple[int, Wanted, str]]:
    """What is asked at each step, and the words that are in memory."""
    task, results = ToldTask(episode.instruction, episode.apps), list[str]()
    for number, step in enumerate(episode.steps):
        asking = wanted_of_step(task, episode.steps[number - 1] if number else None, step, results)
        words: str | None = None
        with suppress(StopIteration):
            while True:
                wanted = next(asking) if words is None else asking.send(words)
                words = episode.shown(episode.memory[number].words(wanted.kind))
                yield number, wanted, words


def write_marked(exported: ExportedEpisode, folder: Path) -> Hashes:
    """The marked copies that action results show. Raises DatasetError."""
    written: Hashes = {}
    for number, step in enumerate(exported.redacted.steps if exported.redacted else ()):
        for view in step.views[1:]:
            assert view.mark is not None
            try:
                data = marked_png(exported.screenshot(number), view.mark)
            except BrokenImageError as error:
                raise DatasetError(f"{view.path} cannot be exported: {error}.") from error
            written[_link(view)] = write_file(folder, _link(view), data)
    return written


def _linked(wanted: Wanted) -> tuple[ChatMessage, ...]:
    links = {view.lazy.identity: _link(view) for view in wanted.views}
    return tuple(
        replace(
            message,
            parts=tuple(
                replace(part, identity=links[part.identity]) if isinstance(part, LazyImage) else part
                for part in message.parts
            ),
        )
        for message in memory_question(wanted).messages
    )


def _link(view: ShownScreenshot) -> str:
    return f"{SCREENSHOTS}/{view.path.stem}{'_marked' if view.mark else ''}.png"
