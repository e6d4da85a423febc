"""What the Tasks page asks of the place where tasks are prepared; all calls may block, and raise OdysseyError."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from odyssey_recorder.llm.batch import BatchProgress, Estimate
from odyssey_recorder.model.episode import Category
from odyssey_recorder.task.generation.coverage import Coverage
from odyssey_recorder.task.generation.generator import GeneratedTasks, Targets
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.queue.queue import Board, Holder
from odyssey_recorder.task.templates.template import Template, TemplateLibrary
from odyssey_recorder.task.wording.proposing import Proposal
from odyssey_recorder.task.wording.rewriting import Rewritten
from odyssey_recorder.task_service import ModelChoice

__all__ = ["ModelChoice", "Preparing"]


class Preparing(Protocol):
    """Where tasks are made, put into words, and approved, by whoever sits there."""

    @property
    def can_ask(self) -> str:
        """Why no language model can be asked ("No model is set: ..."); empty where one can."""

    @property
    def names_apps(self) -> bool:
        """Whether instructions name the apps to use, as long as nobody asks for something else."""

    def library(self) -> TemplateLibrary:
        """All templates, those of the user with those that come with the program."""

    def left(self) -> Mapping[str, int]:
        """How many distinct tasks each template can still give, by its id."""

    def targets(self) -> Targets:
        """The lead's lasting targets, which leave out what has no share of them."""

    def board(self) -> Board:
        """Every task, also what is to be approved or was rejected."""

    def generate(self, wanted: ModelChoice) -> GeneratedTasks:
        """Make tasks and put them down to be approved."""

    def estimate(self, task_ids: Sequence[str]) -> Estimate:
        """What it takes to have these put into words."""

    def rewrite(
        self,
        task_ids: Sequence[str],
        *,
        budget: float | None,
        progress: Callable[[BatchProgress], None],
        came: Callable[[Rewritten], None],
        cancelled: Callable[[], bool],
    ) -> Sequence[Rewritten]:
        """Have these put into words; each is put down as soon as it is there, and then handed to `came`.

        `budget` is in US dollars. `progress` and `came` are called from any thread.
        """

    def edit(self, task_id: str, instruction: str) -> ListedTask:
        """Put a person's words in the place of the instruction; the rules look at them."""

    def approve(self, tasks: Iterable[ListedTask]) -> None:
        """Let tasks, as they are shown, wait to be recorded; none where one has changed meanwhile."""

    def reject(self, tasks: Iterable[ListedTask], reason: str) -> None:
        """Leave tasks, as they are shown, out; none where one has changed meanwhile."""

    def holders(self) -> tuple[Holder, ...]:
        """Who works on what now."""

    def coverage(self, catalogue: str) -> Coverage:
        """What is there of each category, device and class of apps."""

    def propose(
        self, category: Category, count: int, *, catalogue: str = "android", cancelled: Callable[[], bool]
    ) -> Sequence[Proposal]:
        """Have a language model think of new templates for the apps of a catalogue."""

    def keep(self, proposal: Proposal) -> Template:
        """Write a proposal that a person approved to the user's own templates."""
