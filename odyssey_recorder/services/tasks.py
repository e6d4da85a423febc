"""Preparing tasks: generate from templates, rewrite, approve, and queue them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from odyssey_recorder.device.profile import profiles
from odyssey_recorder.errors import OdysseyError, TaskError
from odyssey_recorder.llm.batch import Batch, BatchProgress, Estimate
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.text_origin import Approval, Equivalence, TextOrigin, Writer
from odyssey_recorder.tasks.generation import generator
from odyssey_recorder.tasks.generation.coverage import Coverage, asking_for, cover
from odyssey_recorder.tasks.generation.supply import phrased
from odyssey_recorder.tasks.generation.targets import load_targets
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.task_status import Holder, QueueContents, TaskEvent, checked_reason
from odyssey_recorder.tasks.templates.team import Team, load_team, team_faults, write_team
from odyssey_recorder.tasks.templates.template import Template, TemplateLibrary
from odyssey_recorder.tasks.templates.template_files import load_library
from odyssey_recorder.tasks.templates.template_writing import write_template
from odyssey_recorder.tasks.wording.equivalence import bare_words, rule_faults
from odyssey_recorder.tasks.wording.proposing import Proposal, Proposing
from odyssey_recorder.tasks.wording.rewriting import Rewriting, Rewritten

if TYPE_CHECKING:  # loads a database library
    from odyssey_recorder.tasks.queue.queue import TaskQueue


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """No categories means all; `device` is a profile for all tasks, empty for all profiles in proportion.

    `app_class` is the class that one app of each task must have, empty for any.
    """

    count: int
    seed: int
    catalogue: str
    categories: frozenset[Category]
    names_apps: bool
    device: str = ""
    app_class: str = ""


def suiting(library: TemplateLibrary, choice: ModelChoice, targets: generator.Targets) -> tuple[Template, ...]:
    if choice.app_class:
        library = asking_for(library, choice.catalogue, choice.app_class)
    categories = choice.categories or frozenset(Category)
    return generator.suitable(library, choice.catalogue, categories, targets.for_device(choice.device))


@dataclass(frozen=True, slots=True)
class TemplateChoice:
    """Where templates come from, read on each use because settings change: the `folders`, shipped ones first, the
    user's `own` folder, and the file that says which apps the `team` has."""

    folders: Callable[[], Sequence[Path]]
    own: Callable[[], Path]
    names_apps: Callable[[], bool]
    team: Callable[[], Path]


class TaskService:
    """The tasks of one queue and their templates. Calls are safe from any thread, may block, and raise TaskError.

    `open_batch` takes a budget in US dollars or None; raises OdysseyError if no model is available.
    """

    def __init__(
        self,
        queue: "TaskQueue",
        annotator: Callable[[], str],
        templates: TemplateChoice,
        open_batch: Callable[[float | None], Batch],
    ) -> None:
        self._queue = queue
        self._annotator = annotator
        self._templates = templates
        self._open_batch = open_batch
        self._times_proposed = -1
        self._phrased: dict[str, ListedTask] = {}  # the phrasing of each task rewritten here
        self._edited: dict[str, tuple[ListedTask, ...]] = {}  # before and after versions of each task edited here

    # Reading.

    @property
    def names_apps(self) -> bool:
        return self._templates.names_apps()

    def library(self) -> TemplateLibrary:
        return load_library(self._templates.folders(), self._templates.team())

    def team(self) -> Team:
        return load_team(self._templates.team())

    def change_team(self, team: Team) -> None:
        """What the team has for tasks made from now on. Raises TaskError for apps that cannot be added."""
        shipped = load_library(self._templates.folders()).catalogues
        for _place, fault in team_faults(team, shipped.get(team.catalogue)):
            raise TaskError(f"Couldn't change the apps of the team: {fault}.")
        write_team(self._templates.team(), team)

    def left(self) -> Mapping[str, int]:
        """The number of distinct tasks that each template can still give, by template id."""
        return generator.left(self.library(), (task.listed for task in self.board().tasks), date.today())

    def board(self) -> QueueContents:
        return self._queue.board()

    def holders(self) -> tuple[Holder, ...]:
        return self._queue.holders()

    def coverage(self, catalogue: str) -> Coverage:
        devices = [profile.key for profile in profiles()]
        return cover(self.board().tasks, self.library(), catalogue, self.targets(), devices)

    # Generating.

    def generate(self, choice: ModelChoice) -> generator.GeneratedTasks:
        board, library, targets = self.board(), self.library(), self.targets()
        batch = generator.generate(
            replace(library, templates=suiting(library, choice, targets)),
            generator.GenerationOrder(
                count=choice.count,
                seed=choice.seed,
                day=date.today(),
                catalogue=choice.catalogue,
                targets=targets.for_device(choice.device),
                names_apps=choice.names_apps,
                categories=choice.categories or frozenset(Category),
                have=tuple(task.listed for task in board.tasks),
            ),
        )
        self._queue.add(batch.tasks, to_approve=True)
        return batch

    def targets(self) -> generator.Targets:
        return load_targets(self._templates.folders())

    def propose(
        self, category: Category, count: int, *, catalogue: str = "android", cancelled: Callable[[], bool]
    ) -> Sequence[Proposal]:
        """Raises SettingsError, LanguageModelError."""
        self._times_proposed += 1
        proposing = Proposing(self._open_batch(None), self.library(), catalogue)
        return proposing.propose(category, count, again=self._times_proposed, cancelled=cancelled)

    def keep(self, proposal: Proposal) -> Template:
        path = write_template(self._templates.own(), proposal.template)
        return replace(proposal.template, template_id=path.stem, source=path)

    # Rewriting.

    @property
    def can_ask(self) -> str:
        """Why no language model is available; empty if one is."""
        try:
            self._open_batch(None)
        except OdysseyError as error:
            return str(error)
        return ""

    def estimate(self, task_ids: Sequence[str]) -> Estimate:
        """Raises SettingsError, LanguageModelError."""
        batch = self._open_batch(None)
        rewriting = Rewriting(batch, self.library())
        return batch.estimate(rewriting.likely_questions(self._listed(task_ids), names_apps=self.names_apps))

    def rewrite(  # noqa: PLR0913 - values by keyword
        self,
        task_ids: Sequence[str],
        *,
        budget: float | None,
        again: bool = False,
        progress: Callable[[BatchProgress], None],
        came: Callable[[Rewritten], None],
        cancelled: Callable[[], bool],
    ) -> Sequence[Rewritten]:
        """Each result is stored as soon as it arrives, and then passed to `came`; `budget` is in US dollars.

        The history of a task that could not be rewritten says why.

        With `again` the model is asked for other words than before.
        A task that someone changes meanwhile stays as they left it. Raises SettingsError, CancelledError.
        """
        tasks = self._listed(task_ids)
        before = {task.task_id: task for task in tasks}
        others = [task.listed for task in self.board().tasks]
        rewriting = Rewriting(self._open_batch(budget), self.library(), others, again=again)
        return rewriting.rewrite(
            tasks,
            names_apps=self.names_apps,
            on_rewritten=lambda rewritten: came(self._store(rewritten, before[rewritten.task.task_id])),
            progress=progress,
            cancelled=cancelled,
        )

    def _store(self, rewritten: Rewritten, before: ListedTask) -> Rewritten:
        failed = rewritten.task == before
        event = TaskEvent.NOT_REWRITTEN if failed else TaskEvent.REWRITTEN
        reason = checked_reason(rewritten.trouble) if failed else ""
        try:
            self._queue.amend([rewritten.task], self._annotator(), before=[before], event=event, reason=reason)
        except TaskError as error:
            with suppress(TaskError):
                (before,) = self._listed([before.task_id])
            return Rewritten(before, str(error))
        if (
            not failed
            and before.text is not None
            and before.text.writer is Writer.PHRASING
            and not before.text.edited_by
        ):
            self._phrased[before.task_id] = before
        return rewritten

    def rephrase(self, task_ids: Sequence[str]) -> Sequence[ListedTask]:
        """Restore the phrasings that tasks had, or one of their template's. All or none."""
        library = {template.template_id: template for template in self.library().templates}
        before = self._listed(task_ids)
        after: list[ListedTask] = []
        for task in before:
            try:
                after.append(self._phrased.get(task.task_id) or phrased(task, library[task.template]))
            except KeyError:
                words = f"Task {task.task_id} has no phrasing: its template {task.template} is gone or has changed."
                raise TaskError(f"{words} Edit the instruction instead.") from None
        self._queue.amend(after, self._annotator(), before=before)
        for task_id in task_ids:
            self._edited.pop(task_id, None)
        return after

    def edit(self, task_id: str, instruction: str) -> ListedTask:
        words = " ".join(instruction.split())
        if not words:
            raise TaskError("An instruction must not be empty.")
        (task,) = self._listed([task_id])
        text = task.text or TextOrigin(Writer.PERSON)
        faults = rule_faults(
            task,
            words,
            names_apps=text.names_apps,
            catalogue=self.library().catalogue_for(task.template, task.task.apps),
            others={
                bare_words(other.listed.task.instruction) for other in self.board().tasks if other.task_id != task_id
            },
        )
        text = replace(
            text, edited_by=self._annotator(), equivalence=Equivalence(faults), approval=Approval.OPEN, approved_by=""
        )
        edited = replace(task, task=replace(task.task, instruction=words), text=text)
        self._queue.amend([edited], self._annotator(), before=[task])
        versions = self._edited.get(task_id, ())
        self._edited[task_id] = (*(versions if task in versions else (task,)), edited)
        return edited

    # Approving.

    def approve(self, tasks: Iterable[ListedTask]) -> None:
        """All or none."""
        self._queue.approve(map(self._with_own_edits, tasks), self._annotator())

    def reject(self, tasks: Iterable[ListedTask], reason: str) -> None:
        """All or none."""
        self._queue.reject(map(self._with_own_edits, tasks), self._annotator(), reason)

    def _with_own_edits(self, task: ListedTask) -> ListedTask:
        """The task with this person's last edit, which a stale list may lack."""
        versions = self._edited.get(task.task_id, ())
        return versions[-1] if task in versions else task

    def _listed(self, task_ids: Sequence[str]) -> list[ListedTask]:
        tasks = {task.task_id: task.listed for task in self.board().tasks}
        if gone := [task_id for task_id in task_ids if task_id not in tasks]:
            raise TaskError(f"Task {gone[0]} is no longer in the queue. Refresh the list.")
        return [tasks[task_id] for task_id in task_ids]
