"""Ways to end a recording or undo steps, and the question before each."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from odyssey_recorder.dataset.goals import TaskGoal
from odyssey_recorder.gui.bridges.recording import Phase, RecordingController
from odyssey_recorder.gui.frame.background import error_text
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.question_dialog import Question, QuestionDialog, ReasonChoices, ask
from odyssey_recorder.gui.kit.layouts import scroll_area
from odyssey_recorder.gui.kit.parts import line_edit, set_kind, text_label
from odyssey_recorder.gui.kit.theme import grown
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.gui.record.proof import ProofDialog, ProofRow
from odyssey_recorder.model.action import Complete, Impossible
from odyssey_recorder.model.finding import Criterion, EpisodeReport, Finding, Severity, in_order
from odyssey_recorder.model.plain_text import step_number, steps_text
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView

if TYPE_CHECKING:  # loaded on first use: the window opens sooner
    from odyssey_recorder.services.proof import EndProof

REASONS = (
    "no results",
    "item not found",
    "not available in this country",
    "login required",
    "needs a payment",
    "app crashed",
)
_UNKNOWN_REASON = "not given yet"
_WIDTH_PX = 200
_FINDINGS_PX = 200
"""Findings that are higher than this are scrolled."""
_WRITING_MS = 600
"""After a pause of this length in its text, an ending is checked again."""

_WORDS = {
    "IMG04": "The screenshot is blank.",
    "ACT06": "The same action was done again and again.",
    "ACT07": "The click hit nothing.",
    "ACT08": "The key had no effect.",
}
"""Texts for the annotator in place of these checks' own findings, which have figures. A flag has its own sentence."""

DROPPED_WITHOUT_QUESTION = 3
"""This many steps are undone or recorded again without a question."""

_NOT_COMPARED = (
    "The episode was published without your marks of proof, because the screen had changed since you made them. "
    "Next time, wait a moment before you publish."
)
_CONTINUE = "Continue recording; what you wrote here is kept (Esc)"

DISCARD = Question(
    title="Discard the recording",
    question="Discard this recording?",
    answer="Discard",
    tip="Stop and move the draft to the trash",
    cancel_tip="Continue recording (Enter or Esc)",
    detail="Its steps move to the trash folder.",
    keeps="Keep recording",
)


def again_question(steps: int) -> Question:
    return Question(
        title="Record again",
        question="Start this task again?",
        answer="Record again",
        tip="Move the recording to the trash and start again (Enter)",
        cancel_tip="Continue recording (Esc)",
        detail=f"The {steps} steps so far move to the trash folder.",
    )


def undo_question(first: int, last: int) -> Question:
    return Question(
        title="Undo to here",
        question=f"Undo {last - first + 1} steps?",
        answer="Undo",
        tip="Undo these steps (Enter)",
        cancel_tip="Keep them (Esc)",
        detail=f"{steps_text(range(first, last + 1)).capitalize()} are removed. "
        f"The device returns to the screen of step {step_number(first)}.",
    )


class EndingDialog(QuestionDialog):
    """Asks beside the phone whether the episode ends, and shows what the checks find before anything is published.

    An answer waits for running checks and is final if they find nothing; a second answer does not wait. Emits the
    ending whenever it is `written`, and when it wants the present one checked.
    """

    ending_given = Signal(object)
    written = Signal(object)
    check_wanted = Signal(object)

    def __init__(
        self, question: Question, field: QWidget, parent: QWidget | None, *more: QWidget, practice: bool
    ) -> None:
        self.field = field
        self._findings = text_label(kind="hint")
        self._findings_area = scroll_area(self._findings, "Findings")
        super().__init__(question, parent, field, *more, self._findings_area, width=_WIDTH_PX)
        self._answer = "Finish" if practice else "Publish"
        self._has_checks = not practice
        self._is_checking = not practice
        self._is_answered = False
        self._pause = QTimer(self, interval=_WRITING_MS, singleShot=True)
        self._pause.timeout.connect(self._want_check)
        self.setProperty("kind", "docked")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(question.title)
        self.ok.setText(self._answer)
        self._say("" if practice else "Checking your steps…")
        self.accepted.connect(lambda: self.ending_given.emit(self.ending))

    @property
    def ending(self) -> Complete | Impossible:
        raise NotImplementedError

    def accept(self) -> None:
        if self._is_checking and not self._is_answered:
            self._is_answered = True
            self._say("Publishing when the checks are done…")
            self.ok.setText("Publish unchecked")
            if self._pause.isActive():
                self._want_check()
        else:
            super().accept()

    def show_outcome(self, outcome: EpisodeReport | Exception, steps: int | None = None) -> None:
        """Of the checks: what they found, or why they could not run; `steps` is their number before the ending."""
        if isinstance(outcome, Exception):
            self._end_checks(
                f"Couldn't run the checks. You can still publish; a reviewer will look at it. {error_text(outcome)}"
            )
            return
        lines = list(annotator_messages(outcome, steps))
        if not lines:
            set_kind(self._findings, "hint")
            self._end_checks("The checks found no problems.")
            return
        self._is_answered = False
        set_kind(self._findings, "warning")
        self.cancel.setText("Go back and undo")
        self.cancel.setToolTip("Nothing is published yet. Undo the step and record it again (Esc)")
        self._end_checks("\n".join(("Please check:", *lines)))

    def take_steps(self) -> None:
        """The steps have changed: the answer to the earlier ones no longer counts, and the checks see the new ones."""
        if self._has_checks:
            self._is_answered = False
            set_kind(self._findings, "hint")
            self._say("Checking your steps…")
            self.ok.setText(self._answer)
            self.cancel.setText("Cancel")
            self._is_checking = True
            self._pause.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_findings()

    def _follow_text(self) -> None:
        """The ending was changed by the annotator: the checks see it as soon as the writing pauses."""
        self.written.emit(self.ending)
        if self._has_checks:
            self._is_checking = True
            self._pause.start()

    def _want_check(self) -> None:
        self._pause.stop()
        self.check_wanted.emit(self.ending)

    def _say(self, text: str) -> None:
        self._findings.setText(text)
        self._findings_area.setVisible(bool(text))
        self._fit_findings()

    def _fit_findings(self) -> None:
        height = self._findings.heightForWidth(self._findings_area.viewport().width())
        self._findings_area.setFixedHeight(min(max(height, 0), grown(_FINDINGS_PX)))  # -1 without a text

    def _end_checks(self, text: str) -> None:
        self._is_checking = False
        self._say(text)
        self.ok.setText(self._answer)
        if self._is_answered:
            self.accept()


class CompleteDialog(EndingDialog):
    def __init__(self, parent: QWidget | None = None, note: str = "", *, practice: bool = False) -> None:
        question = Question(
            title="Task complete",
            question="Is the task done?",
            answer="Publish",
            tip="End the episode with COMPLETE (Enter)",
            cancel_tip=_CONTINUE,
        )
        self._note = line_edit("Note", "Answer, if the task asks for one")
        self._note.setText(note)
        self.proof = ProofRow()
        super().__init__(question, self._note, parent, *[self.proof] * (not practice), practice=practice)
        self._note.textChanged.connect(self._follow_text)

    @property
    def ending(self) -> Complete:
        return Complete(self._note.text().strip())


class ImpossibleDialog(EndingDialog):
    def __init__(self, parent: QWidget | None = None, reason: str = "", *, practice: bool = False) -> None:
        question = Question(
            title="Task impossible",
            question="Why can't the task be done here?",
            answer="Publish",
            tip="End the episode with IMPOSSIBLE (Enter)",
            cancel_tip=_CONTINUE,
        )
        self._choices = ReasonChoices(REASONS)
        self._choices.show_reason(reason)
        super().__init__(question, self._choices, parent, practice=practice)
        self._choices.changed.connect(self._allow_ending)
        self._choices.changed.connect(self._follow_text)
        self._allow_ending()

    @property
    def ending(self) -> Impossible:
        return Impossible(self._choices.reason)

    def _allow_ending(self) -> None:
        self.ok.setEnabled(bool(self._choices.reason))


def annotator_messages(report: EpisodeReport, end: int | None = None) -> Iterator[str]:
    """All that `check` would warn about: one line for each step, and one for each finding of the whole episode.

    `end` is the step of the ending, which the annotator does not see as a step yet.
    """
    found = [finding for finding in in_order(report.findings) if finding.severity is not Severity.NOTE]
    yield from dict.fromkeys(_sentence(finding) for finding in found if finding.step is None)
    for step in dict.fromkeys(finding.step for finding in found if finding.step is not None):
        sentences = dict.fromkeys(_sentence(finding) for finding in found if finding.step == step)
        place = "Last screen" if step == end else f"Step {step_number(step)}"
        yield f"{place}: {' '.join(sentences)}"


def _sentence(finding: Finding) -> str:
    sentence = _WORDS.get(finding.check, finding.found)
    return f"{sentence} Tell your lead." if finding.criterion is Criterion.INSTRUCTION else sentence


class Finishing(QObject):
    asking = Signal(bool)

    def __init__(self, controller: RecordingController, commands: Commands, page: QWidget, column: QBoxLayout) -> None:
        """Questions about the shown screen are asked at the top of `column`, where they do not cover it."""
        super().__init__(page)
        self._controller = controller
        self._page = page
        self._column = column
        self._asking: EndingDialog | None = None
        self._texts: dict[type[EndingDialog], str] = {}  # of the present recording, not answered yet
        self._goals: tuple[TaskGoal, ...] = ()
        self._are_marks_old = False  # not compared with the present screen yet
        self._is_comparing = False
        self._steps = 0
        calls: dict[Command, Callable[[], object]] = {
            RecordCommand.COMPLETE: partial(self._ask, CompleteDialog),
            RecordCommand.IMPOSSIBLE: partial(self._ask, ImpossibleDialog),
            RecordCommand.DISCARD: self._ask_to_discard,
            RecordCommand.AGAIN: self._record_again,
        }
        commands.bind(page, calls)
        controller.view_changed.connect(self._follow)
        controller.phase_changed.connect(self._close_outside)

    def _ask(self, kind: type[CompleteDialog] | type[ImpossibleDialog]) -> None:
        if isinstance(self._asking, kind):
            self._asking.field.setFocus()
            return
        self._close()
        dialog = kind(self._page, self._texts.get(kind, ""), practice=self._controller.is_practising)
        self._asking = dialog
        dialog.setWindowFlags(Qt.WindowType.Widget)
        self._column.insertWidget(0, dialog)
        self.asking.emit(True)
        dialog.ending_given.connect(self._end)
        dialog.written.connect(self._keep)
        dialog.check_wanted.connect(partial(self._check, dialog))
        dialog.finished.connect(lambda: self._forget(dialog))
        if isinstance(dialog, CompleteDialog):
            self._offer_proof(dialog)
        dialog.show()
        dialog.field.setFocus()
        if not self._controller.is_practising:
            self._check(dialog, dialog.ending)

    def _check(self, dialog: EndingDialog, ending: Complete | Impossible) -> None:
        """An outcome is shown unless ending or steps changed meanwhile. A missing reason is no finding yet."""
        steps = self._steps

        def show(outcome: EpisodeReport | Exception) -> None:
            if self._asking is dialog and (dialog.ending, self._steps) == (ending, steps):
                dialog.show_outcome(outcome, self._steps)

        self._controller.check_trial(Impossible(_UNKNOWN_REASON) if ending == Impossible("") else ending, show, show)

    def _offer_proof(self, dialog: CompleteDialog) -> None:
        """What was marked before is dropped if it no longer holds."""
        dialog.proof.wanted.connect(partial(self._find_proof, dialog))
        dialog.proof.show_marks(self._goals)
        self._are_marks_old = bool(self._goals)
        self._compare_marks()

    def _find_proof(self, dialog: CompleteDialog) -> None:
        self._controller.find_proof(
            partial(self._ask_proof, dialog), lambda error: self._controller.failed.emit(error_text(error))
        )

    def _compare_marks(self) -> None:
        """With the present screen, if it can be read; otherwise the next view tries again."""
        if self._are_marks_old and not self._is_comparing:
            self._is_comparing = True
            self._controller.find_proof(partial(self._check_marks, self._steps), lambda _: self._check_marks(-1, None))

    def _ask_proof(self, dialog: CompleteDialog, proof: "EndProof") -> None:
        if self._asking is dialog:
            goals = [goal for goal in self._goals if not proof.contradicts(goal)]
            question = ProofDialog(proof, goals, self._page)
            question.marked.connect(self._mark)
            question.open()

    def _check_marks(self, steps: int, proof: "EndProof | None") -> None:
        """Of the screen after so many steps."""
        self._is_comparing = False
        if proof is None or steps != self._steps:
            return
        self._are_marks_old = False
        lost = [goal for goal in self._goals if proof.contradicts(goal)]
        if lost:
            self._mark(tuple(goal for goal in self._goals if goal not in lost), lost)

    def _mark(self, goals: tuple[TaskGoal, ...], lost: Sequence[TaskGoal] = ()) -> None:
        self._goals, self._are_marks_old = goals, False
        self._controller.ask(lambda recorder: recorder.mark_goals(goals))
        if isinstance(self._asking, CompleteDialog):
            self._asking.proof.show_marks(goals, lost)

    def _keep(self, ending: Complete | Impossible) -> None:
        match ending:
            case Complete(note):
                self._texts[CompleteDialog] = note
            case Impossible(reason):
                self._texts[ImpossibleDialog] = reason
        self._controller.ask(lambda recorder: recorder.keep_ending(ending))

    def _end(self, ending: Complete | Impossible) -> None:
        match ending:
            case Complete(note):
                if self._are_marks_old:
                    self._mark(())
                    self._controller.failed.emit(_NOT_COMPARED)
                self._controller.ask(lambda recorder: recorder.complete(note))
            case Impossible(reason):
                self._controller.ask(lambda recorder: recorder.impossible(reason))

    def _follow(self, view: RecordingView) -> None:
        """The question stays while the annotator looks something up on the device, for its answer."""
        if not self._texts:
            self._texts = {CompleteDialog: view.note, ImpossibleDialog: view.reason}
            self._goals = view.goals
        if len(view.steps) != self._steps:
            self._steps = len(view.steps)
            self._are_marks_old = bool(self._goals)
            if self._asking is not None:
                self._asking.take_steps()
        if view.state is State.READY and (view.is_read or view.no_tree):
            self._compare_marks()

    def _close_outside(self, phase: Phase) -> None:
        if phase is not Phase.RECORDING:
            self._close()
            self._texts = {}
            self._goals, self._are_marks_old, self._is_comparing = (), False, False

    def _close(self) -> None:
        if self._asking is not None:
            self._asking.reject()

    def _forget(self, dialog: EndingDialog) -> None:
        if dialog is self._asking:
            self._asking = None
            self.asking.emit(False)

    def _record_again(self) -> None:
        if self._steps <= DROPPED_WITHOUT_QUESTION:
            self._controller.record_again()
        else:
            ask(again_question(self._steps), self._page, self._controller.record_again)

    def _ask_to_discard(self) -> None:
        ask(DISCARD, self._page, lambda: self._controller.ask(lambda recorder: recorder.abandon()))
