"""The memory that a model writes of its own steps while it works: Algorithm 1 of Chain-of-Memory.

What it is asked is what `annotate run --memory` asks first, so both write the same for the same answers.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from odyssey_recorder.agents.adapter import Adapter
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.annotation.memory import Memorized
from odyssey_recorder.annotation.memory_writer import ToldTask, memory_question, memory_words, wanted_of_step
from odyssey_recorder.annotation.redacted_episode import RedactedStep
from odyssey_recorder.annotation.text_kinds import MemoryKind
from odyssey_recorder.checking.one_episode.apps import package_of
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.llm.model import ModelAnswer, ModelRequest

Writing = Generator[ModelRequest, ModelAnswer | None, list[Memorized]]
"""Is sent the answer to each question, None if it cannot be used: then the text is empty."""


@dataclass(slots=True)
class LiveMemory:
    """The memory of one task, which is continued; what steps that were undone left in it is forgotten."""

    task: ToldTask
    _kept: list[tuple[object, Memorized]] = field(default_factory=list)

    def write(self, steps: Sequence[RedactedStep]) -> Writing:
        """The memory at each of these steps, of which the last has no action yet; asks for what is new.

        Raises LanguageModelError if a prompt cannot be filled.
        """
        results: list[str] = []
        del self._kept[len(steps) :]
        for number, step in enumerate(steps):
            before = steps[number - 1] if number else None
            seen = before, step.views[0], step.app
            if number < len(self._kept) and self._kept[number][0] == seen:
                results += [self._kept[number][1].result] * (number > 0)
                continue
            del self._kept[number:]
            self._kept.append((seen, (yield from self._written(before, step, results))))
        return [memorized for _, memorized in self._kept]

    def _written(
        self, before: RedactedStep | None, step: RedactedStep, results: list[str]
    ) -> Generator[ModelRequest, ModelAnswer | None, Memorized]:
        words: dict[MemoryKind, str] = {}
        asking = wanted_of_step(self.task, before, step, results)
        try:
            wanted = next(asking)
            while True:
                answer = yield memory_question(wanted)
                words[wanted.kind] = "" if answer is None else memory_words(answer)
                wanted = asking.send(words[wanted.kind])
        except StopIteration:
            pass
        result, screen, core, app = (words.get(kind, "") for kind in MemoryKind)
        return Memorized(result, screen, core, step.app or package_of(app) or None)


def refuse_memory(adapter: Adapter[Any], rule: HistoryRule) -> None:
    """Raises SettingsError for a model that cannot be asked to write a memory."""
    if rule.is_live and adapter.wire != "chat":
        raise SettingsError(
            f"{adapter.name} is asked over its maker's own API, where it cannot write a memory. Use another history."
        )
