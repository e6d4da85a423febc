"""A lead's long jobs above the views: tasks being generated or rewritten, results, and why no model is available."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.frame.background import Job, JobState, error_text
from odyssey_recorder.gui.frame.command import Command, CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.estimate_dialog import EstimateDialog
from odyssey_recorder.gui.frame.job_card import JobCard
from odyssey_recorder.gui.frame.question_dialog import Question
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.parts import fill_column
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.generate_dialog import GenerateDialog
from odyssey_recorder.gui.tasks.preparation import LoadedTemplates, TaskServiceBridge
from odyssey_recorder.llm.batch import BatchProgress
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Cancelled
from odyssey_recorder.progress import Progress as Tell
from odyssey_recorder.services.tasks import ModelChoice, TaskService
from odyssey_recorder.tasks.generation.generator import GeneratedTasks
from odyssey_recorder.tasks.wording.proposing import Proposal
from odyssey_recorder.tasks.wording.rewriting import Rewritten, failures

_COUNT, _SEED = 200, 1
_MOST_NAMED = 4


class TaskJobsBar(QWidget):
    generated = Signal()
    """Tasks were generated and await approval."""
    proposed = Signal(object)
    """A model proposed these templates."""
    rewriting = Signal(bool)
    proposing = Signal(bool)

    def __init__(self, bridge: TaskServiceBridge, commands: Commands) -> None:
        super().__init__()
        self._bridge = bridge
        self._commands = commands
        self._loaded: LoadedTemplates | None = None
        self._view: Command = TasksCommand.SHOW_QUEUE
        self._queue_failure = ""
        self._batch = Banner(commands.button(CommonCommand.SETTINGS_PAGE, kind="quiet"))
        self._message = Banner(commands.button(TasksCommand.DISMISS_TASKS, kind="quiet", wordless=True))
        self._generating = JobCard()
        self._rewriting = JobCard()
        self._proposing = JobCard()
        fill_column(self, self._message, self._batch, self._generating, self._rewriting, self._proposing)
        bridge.templates_loaded.connect(self._take_loaded)
        bridge.failed.connect(self._tell_failure)
        commands[TasksCommand.DISMISS_TASKS].triggered.connect(lambda _checked: self._message.hide())
        commands.enable(TasksCommand.GENERATE_TASKS, on=False)

    def leave_to_queue(self, text: str) -> None:
        """Why the queue failed, as its own view tells; empty when it works again."""
        self._queue_failure = text
        if text and self._view is TasksCommand.SHOW_QUEUE:
            self._message.end(text)

    def _tell_failure(self, text: str) -> None:
        if self._view is not TasksCommand.SHOW_QUEUE or text != self._queue_failure:
            self._message.show_message(Tone.DANGER, "The work failed.", text, cause=text)

    def report(self, tone: Tone, text: str, detail: str = "") -> None:
        self._message.show_message(tone, text, detail)

    def show_for(self, view: Command) -> None:
        """Dismiss the last message, and say why no model is available if the view needs one."""
        self._view = view
        self._message.hide()
        self._show_missing_model()

    def _take_loaded(self, loaded: LoadedTemplates) -> None:
        self._loaded = loaded
        self._show_missing_model()
        self._commands.enable(TasksCommand.GENERATE_TASKS, on=bool(loaded.library.templates))

    def _show_missing_model(self) -> None:
        cannot_ask = "" if self._loaded is None else self._loaded.cannot_ask
        if cannot_ask and self._view in (TasksCommand.SHOW_TEMPLATES, TasksCommand.SHOW_PREPARE):
            text = "No language model is set up. New tasks use the phrasings written by people."
            self._batch.show_message(Tone.WARNING, text, cannot_ask)
        else:
            self._batch.hide()

    # Generating tasks.

    def ask_to_generate(self, preset: ModelChoice | None = None) -> None:
        loaded = self._loaded
        if loaded is not None and self._commands[TasksCommand.GENERATE_TASKS].isEnabled():
            first = ModelChoice(_COUNT, _SEED, "", frozenset(), loaded.names_apps)
            dialog = GenerateDialog(loaded, preset or first, self)
            dialog.accepted.connect(lambda: self._generate(dialog.choice))
            dialog.open()

    def _generate(self, wanted: ModelChoice) -> None:
        job = self._bridge.start(
            f"Generating {counted(wanted.count, 'task')}",
            lambda service, _tell, _cancelled: service.generate(wanted),
            partial(self._take_batch, wanted),
            can_cancel=False,
        )
        job.ended.connect(self._bridge.read_templates)
        self._follow(job, self._generating, self._show_generating)

    def _show_generating(self, on: bool) -> None:
        self._commands.enable(TasksCommand.GENERATE_TASKS, on=not on)

    def _take_batch(self, wanted: ModelChoice, batch: GeneratedTasks) -> None:
        made, left = len(batch.tasks), sum(batch.left.values())
        text = f"{counted(made, 'task')} generated. {'It waits' if made == 1 else 'They wait'} to be approved."
        if made < wanted.count:
            text = f"{made:,} of {counted(wanted.count, 'task')} generated. No more of this kind are available."
        enough = made == wanted.count
        more = f"{counted(left, 'different task')} can still be generated."
        self.generated.emit()
        self.report(Tone.SUCCESS if enough else Tone.WARNING, text, " ".join(filter(None, (more, batch.left_out))))

    # Rewriting.

    def ask_to_rewrite(self, task_ids: Sequence[str], edited: int) -> None:
        if not task_ids:
            self.report(Tone.WARNING, "None of these tasks is waiting for approval. Nothing was rewritten.")
            return
        dialog = EstimateDialog(rewrite_question(task_ids, edited), self)
        dialog.agreed.connect(partial(self._rewrite, task_ids))
        self._bridge.look(
            lambda service: service.estimate(task_ids),
            dialog.show_estimate,
            lambda error: dialog.show_failure(error_text(error)),
            of=dialog,
        )
        dialog.open()

    def ask_again(self, task_id: str) -> None:
        """Without a question: it costs as much as the task did before."""
        self._rewrite([task_id], None, again=True)

    def _rewrite(self, task_ids: Sequence[str], budget: float | None, *, again: bool = False) -> None:
        def work(service: TaskService, report: Tell, cancelled: Cancelled) -> tuple[Sequence[Rewritten], str]:
            spent = ""

            def show(progress: BatchProgress) -> None:
                nonlocal spent
                spent = f"{progress.spent}."
                report(progress.share, progress.text)

            came = self._bridge.take_rewritten
            results = service.rewrite(
                task_ids, budget=budget, again=again, progress=show, came=came, cancelled=cancelled
            )
            return results, spent

        job = self._bridge.start(f"Rewriting {counted(task_ids, 'task')}", work, self._take_rewritten)
        self._follow(job, self._rewriting, self.rewriting.emit)

    def _take_rewritten(self, ended: tuple[Sequence[Rewritten], str]) -> None:
        results, spent = ended
        failed = [result for result in results if result.trouble]
        done = counted(len(results) - len(failed), "task")
        if failed:
            text = f"{done} rewritten, {len(failed):,} failed. {spent}"
            self.report(Tone.WARNING, text, "\n".join(failure_lines(failed)))
        else:
            self.report(Tone.SUCCESS, f"{done} rewritten. {spent}", "Each still needs approval.")

    # New templates.

    def propose(self, wanted: ModelChoice) -> None:
        def work(service: TaskService, _tell: Tell, cancelled: Cancelled) -> Sequence[Proposal]:
            (category,) = wanted.categories
            return service.propose(category, wanted.count, catalogue=wanted.catalogue, cancelled=cancelled)

        job = self._bridge.start("Proposing templates", work, self._take_proposals)
        self._follow(job, self._proposing, self.proposing.emit)

    def _take_proposals(self, proposals: Sequence[Proposal]) -> None:
        if proposals:
            self.proposed.emit(proposals)
        else:
            self.report(Tone.WARNING, "The model proposed nothing new.")

    def _follow(self, job: Job, card: JobCard, show: Callable[[bool], object]) -> None:
        self._message.hide()
        card.follow(job)
        show(True)

        def end() -> None:
            show(False)
            self._bridge.settle()
            if job.state is JobState.CANCELLED:
                self.report(Tone.WARNING, f"{job.title}: stopped. Answers so far are kept.", job.text)

        job.ended.connect(end)


def rewrite_question(task_ids: Sequence[str], edited: int) -> Question:
    were = "was" if edited == 1 else "were"
    return Question(
        title="Rewrite",
        question=f"Have {counted(task_ids, 'task')} rewritten by a model?",
        answer="Rewrite",
        tip="Start; you can keep using the page (Enter)",
        detail=f"{edited:,} of them {were} written by a person and will be replaced." if edited else "",
        detail_kind="warning",
    )


def failure_lines(failed: Sequence[Rewritten]) -> Iterator[str]:
    reasons = failures(failed)
    for reason, ids in reasons[:_MOST_NAMED]:
        others = f" and {len(ids) - _MOST_NAMED:,} more" if len(ids) > _MOST_NAMED else ""
        yield f"{', '.join(ids[:_MOST_NAMED])}{others}: {reason}"
    if len(reasons) > _MOST_NAMED:
        yield f"And {counted(len(reasons) - _MOST_NAMED, 'other reason')}."
    yield "Their instructions stay as they are. Choose the status “Not rewritten” to see the reason for each."
