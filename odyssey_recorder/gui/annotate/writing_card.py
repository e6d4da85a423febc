"""Has a model write the texts of steps: a dialog with the cost, and the job."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from odyssey_recorder.annotation.conversations import Ended, Plan
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.gui.frame.estimate_dialog import EstimateDialog
from odyssey_recorder.gui.frame.job_card import JobCard
from odyssey_recorder.gui.frame.question_dialog import Question
from odyssey_recorder.gui.kit.layouts import labelled
from odyssey_recorder.gui.kit.parts import CheckBox, Choice, named
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Cancelled, Progress
from odyssey_recorder.services.step_texts import TextsWanted, TextWriting

_WRITE = Question(
    title="Write texts",
    question="Have a model write what is missing?",
    answer="Write texts",
    tip="Start; you can keep using the page (Enter)",
    detail="Every text is a suggestion until a person accepts it.",
)
_WANTED = {
    "three": ("Texts of steps, three requests each", TextsWanted()),
    "combined": ("Texts of steps, one request each (cheaper)", TextsWanted("combined")),
    "full": ("Chain-of-Memory, three candidates each", TextsWanted(memory="full")),
    "cheap": ("Chain-of-Memory, one candidate (cheaper)", TextsWanted(memory="cheap")),
}


class WriteDialog(EstimateDialog):
    """Emits `wanted` whenever something else is to be written; agreed to only with the owner's consent, if needed."""

    wanted = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        self._what = Choice("What to write")
        self._what.offer([(key, text) for key, (text, _) in _WANTED.items()])
        self._consent = named(CheckBox("The &owner of the dataset agrees"), "The owner agrees")
        self._consent.setToolTip(
            "Screenshots leave this computer; password fields and redacted boxes are black in them"
        )
        super().__init__(_WRITE, parent, labelled("&What to write", self._what), below=(self._consent,))
        self._consent.hide()
        self._what.currentIndexChanged.connect(lambda _at: self._ask())
        self._consent.toggled.connect(lambda on: self.ok.setEnabled(on))

    @property
    def chosen(self) -> TextsWanted:
        return _WANTED[self._what.value][1]

    def show_plan(self, plan: Plan, *, needs_consent: bool) -> None:
        sent = f"{counted(plan.screenshots, 'screenshot')}, about {plan.bytes / 1e6:,.1f} MB, to {plan.estimate.host}"
        more = [("Sent", sent)] if plan.screenshots else []
        if plan.problems:
            more.append(("Left out", f"{counted(plan.problems, 'episode')}: {next(iter(plan.problems.values()))}"))
        self.show_estimate(plan.estimate, *more)
        self._consent.setVisible(needs_consent)
        self.ok.setEnabled(bool(plan.estimate.calls or plan.estimate.kept) and not needs_consent)
        if not plan.estimate.calls and not plan.estimate.kept:
            self.show_failure("Nothing is missing.")
        self.adjustSize()

    def _ask(self) -> None:
        self.wait_for_estimate()
        self._consent.setChecked(False)
        self._consent.hide()
        self.wanted.emit(self.chosen)


class WritingCard(JobCard):
    """Plans, asks for agreement, and shows the job; `ended` once texts may have been written."""

    ended = Signal()
    summarized = Signal(str, str)
    """The result, and details if something was not written."""

    def __init__(self, writing: TextWriting, background: Background) -> None:
        super().__init__()
        self._writing = writing
        self._background = background
        self._planned: tuple[TextsWanted, Plan, bool] | None = None
        self.is_running = False

    def ask(self) -> None:
        if self.is_running:
            return
        dialog = WriteDialog(self.window())
        dialog.wanted.connect(partial(self._plan, dialog))
        dialog.agreed.connect(self._write)
        self._plan(dialog, dialog.chosen)
        dialog.open()

    def _plan(self, dialog: WriteDialog, wanted: TextsWanted) -> None:
        self._planned = None

        def show(found: tuple[Plan, bool]) -> None:
            if dialog.chosen == wanted:  # otherwise it asks for something else by now
                self._planned = wanted, *found
                dialog.show_plan(found[0], needs_consent=found[1])

        def fail(error: Exception) -> None:
            text = error_text(error)
            if dialog.chosen == wanted:
                dialog.show_failure(text)

        self._background.run(partial(self._writing.plan, wanted), show, fail, of=dialog)

    def _write(self, budget: float | None) -> None:
        if self._planned is None or self.is_running:
            return
        wanted, plan, needs_consent = self._planned

        def work(progress: Progress, cancelled: Cancelled) -> list[Ended]:
            if needs_consent:
                self._writing.agree(plan)
            return self._writing.run(wanted, budget, lambda now: progress(now.share, now.text), cancelled)

        self.is_running = True
        job = self._background.start("Writing texts", work, self._summarize)
        job.ended.connect(self._end)
        self.follow(job)

    def _end(self) -> None:
        self.is_running = False
        self.ended.emit()

    def _summarize(self, ended: list[Ended]) -> None:
        failed = [episode for episode in ended if episode.problem]
        text = f"{counted(sum(episode.texts for episode in ended), 'text')} added for {counted(ended, 'episode')}."
        more = f"{counted(failed, 'episode')} not finished: {failed[0].problem}" if failed else ""
        self.summarized.emit(text, more)
