"""Planning, consent and execution of the texts that a model writes about a dataset."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from odyssey_recorder.annotation.consent import give_consent, needs_consent
from odyssey_recorder.annotation.conversations import Conversations, Ended, Plan
from odyssey_recorder.annotation.memory_writer import MemoryWriter, Mode
from odyssey_recorder.annotation.step_text_writer import Calls, StepTextWriter
from odyssey_recorder.llm.batch import Batch, BatchProgress

if TYPE_CHECKING:
    from odyssey_recorder.checking.evidence import EpisodeEvidence


@dataclass(frozen=True, slots=True)
class TextsWanted:
    """The texts of steps, by `calls`, or Chain-of-Memory in the mode `memory`; `prompts` as `chosen_prompts`."""

    calls: Calls = "three"
    memory: Mode | None = None
    effort: str = ""
    prompts: tuple[str, ...] = ()

    def writer(self, batch: Batch, root: Path, evidence: "Callable[[Path], EpisodeEvidence]") -> Conversations:
        if self.memory is None:
            return StepTextWriter(batch, root, calls=self.calls, effort=self.effort, prompts=self.prompts)
        return MemoryWriter(batch, root, evidence, mode=self.memory, effort=self.effort, prompts=self.prompts)


@dataclass(frozen=True, slots=True)
class TextWriting:
    """For the window; calls block, and raise OdysseyError. `open_batch` takes the budget in US dollars."""

    root: Path
    ids: Callable[[], Sequence[str]]
    evidence: "Callable[[Path], EpisodeEvidence]"
    open_batch: Callable[[float | None], Batch]
    who: Callable[[], str]

    def plan(self, wanted: TextsWanted) -> tuple[Plan, bool]:
        """The plan for all episodes, and whether the owner of the dataset has yet to agree."""
        found = self._writer(wanted, None).plan(self.ids())
        return found, needs_consent(self.root, found.estimate.host, found.screenshots, found.bytes)

    def agree(self, plan: Plan) -> None:
        """The owner agrees that the screenshots of the plan are sent to its host."""
        give_consent(self.root, plan.estimate.host, plan.screenshots, plan.bytes, by=self.who() or "unknown")

    def run(
        self,
        wanted: TextsWanted,
        budget: float | None,
        progress: Callable[[BatchProgress], None],
        cancelled: Callable[[], bool],
    ) -> list[Ended]:
        return self._writer(wanted, budget).run(self.ids(), progress=progress, cancelled=cancelled)

    def _writer(self, wanted: TextsWanted, budget: float | None) -> Conversations:
        return wanted.writer(self.open_batch(budget), self.root, self.evidence)
