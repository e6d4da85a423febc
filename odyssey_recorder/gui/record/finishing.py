"""Ways to end a recording or undo steps, and the question before each."""

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QWidget

from odyssey_recorder.gui.bridges.recording import Phase, RecordingController
from odyssey_recorder.gui.frame.background import error_text
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.question_dialog import Question, QuestionDialog, ReasonChoices, ask
from odyssey_recorder.gui.kit.parts import line_edit, say, set_kind, text_label
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.model.action import Complete, Impossible
from odyssey_recorder.model.finding import Criterion, EpisodeReport, Finding, Severity
from odyssey_recorder.model.plain_text import step_number, steps_text
from odyssey_recorder.recording.view import RecordingView

REASONS = ("no results", "item not found", "region limitation", "login required", "payment", "app crashed")
_UNKNOWN_REASON = "not given yet"
_WIDTH_PX = 200
_MAX_LINES = 4
"""This many findings are named; the rest is counted."""

_WORDS = {
    "IMG04": "The screenshot is blank.",
    "ACT06": "The same action was done again and again.",
    "ACT07": "The click hit nothing.",
    "ACT08": "The key had no effect.",
}
"""Texts for the annotator in place of these checks' own findings, which have figures. A flag has its own sentence."""

_NOT_FOR_ANNOTATORS = ("EPI02", "ACT09")
"""Checks whose findings the annotator cannot do anything about."""

DROPPED_WITHOUT_QUESTION = 3
"""This many steps are undone or recorded again without a question."""

_CONTINUE = "Continue recording (Esc)"

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

    An answer waits for running checks and is final if they find nothing; a second answer does not wait.
    """

    ending_given = Signal(object)

    def __init__(self, question: Question, field: QWidget, parent: QWidget | None, *, practice: bool) -> None:
        self.field = field
        self._findings = text_label(kind="hint")
        super().__init__(question, parent, field, self._findings, width=_WIDTH_PX)
        self._answer = "Finish" if practice else "Publish"
        self._is_checking = not practice
        self._is_answered = False
        self.setProperty("kind", "docked")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(question.title)
        self.ok.setText(self._answer)
        say(self._findings, "" if practice else "Checking your steps…")
        self.accepted.connect(lambda: self.ending_given.emit(self.ending))

    @property
    def ending(self) -> Complete | Impossible:
        raise NotImplementedError

    def accept(self) -> None:
        if self._is_checking and not self._is_answered:
            self._is_answered = True
            self._findings.setText("Publishing when the checks are done…")
            self.ok.setText("Publish unchecked")
        else:
            super().accept()

    def show_report(self, report: EpisodeReport) -> None:
        lines = list(annotator_messages(report))
        if not lines:
            self._end_checks("The checks found no problems.")
            return
        self._is_answered = False
        set_kind(self._findings, "warning")
        self.cancel.setText("Go back and undo")
        self.cancel.setToolTip("Nothing is published yet. Undo the step and record it again (Esc)")
        self._end_checks("\n".join(("Please check:", *lines)))

    def show_failure(self, error: Exception) -> None:
        self._end_checks(f"The checks could not run; a reviewer will check the episode. {error_text(error)}")

    def _end_checks(self, text: str) -> None:
        self._is_checking = False
        self._findings.setText(text)
        self.ok.setText(self._answer)
        if self._is_answered:
            self.accept()


class CompleteDialog(EndingDialog):
    def __init__(self, parent: QWidget | None = None, *, practice: bool = False) -> None:
        question = Question(
            title="Task complete",
            question="Is the task done?",
            answer="Publish",
            tip="End the episode with COMPLETE (Enter)",
            cancel_tip=_CONTINUE,
        )
        self._note = line_edit("Note", "Answer, if the task asks for one")
        super().__init__(question, self._note, parent, practice=practice)

    @property
    def ending(self) -> Complete:
        return Complete(self._note.text().strip())


class ImpossibleDialog(EndingDialog):
    def __init__(self, parent: QWidget | None = None, *, practice: bool = False) -> None:
        question = Question(
            title="Task impossible",
            question="Why can't the task be done here?",
            answer="Publish",
            tip="End the episode with IMPOSSIBLE (Enter)",
            cancel_tip=_CONTINUE,
        )
        self._choices = ReasonChoices(REASONS)
        super().__init__(question, self._choices, parent, practice=practice)
        self._choices.changed.connect(self._allow_ending)
        self._allow_ending()

    @property
    def ending(self) -> Impossible:
        return Impossible(self._choices.reason or _UNKNOWN_REASON)

    def _allow_ending(self) -> None:
        self.ok.setEnabled(bool(self._choices.reason))


def annotator_messages(report: EpisodeReport) -> Iterator[str]:
    """One line for each step, and for the whole episode, that the annotator should look at again."""
    found: dict[int | None, str] = {}
    for finding in report.findings:
        is_for_others = finding.criterion is Criterion.INSTRUCTION or finding.check in _NOT_FOR_ANNOTATORS
        if finding.severity is not Severity.NOTE and not is_for_others:
            found.setdefault(finding.step, _line(finding))
    lines = [found[step] for step in sorted(found, key=lambda step: -1 if step is None else step)]
    yield from lines[:_MAX_LINES]
    if len(lines) > _MAX_LINES:
        yield f"{len(lines) - _MAX_LINES} more."


def _line(finding: Finding) -> str:
    if finding.step is None:
        return finding.found
    return f"Step {step_number(finding.step)}: {_WORDS.get(finding.check, finding.found)}"


class Finishing(QObject):
    asking = Signal(bool)

    def __init__(self, controller: RecordingController, commands: Commands, page: QWidget, column: QBoxLayout) -> None:
        """Questions about the shown screen are asked at the top of `column`, where they do not cover it."""
        super().__init__(page)
        self._controller = controller
        self._page = page
        self._column = column
        self._asking: EndingDialog | None = None
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
        dialog = kind(self._page, practice=self._controller.is_practising)
        self._asking = dialog
        dialog.setWindowFlags(Qt.WindowType.Widget)
        self._column.insertWidget(0, dialog)
        self.asking.emit(True)
        dialog.ending_given.connect(self._end)
        dialog.finished.connect(lambda: self._forget(dialog))
        dialog.show()
        dialog.field.setFocus()
        if not self._controller.is_practising:
            self._controller.check_trial(
                dialog.ending,
                lambda report: self._asking is dialog and dialog.show_report(report),
                lambda error: self._asking is dialog and dialog.show_failure(error),
            )

    def _end(self, ending: Complete | Impossible) -> None:
        match ending:
            case Complete(note):
                self._controller.ask(lambda recorder: recorder.complete(note))
            case Impossible(reason):
                self._controller.ask(lambda recorder: recorder.impossible(reason))

    def _follow(self, view: RecordingView) -> None:
        """Close the question once the steps change, as it was about the earlier ones."""
        if len(view.steps) != self._steps:
            self._steps = len(view.steps)
            self._close()

    def _close_outside(self, phase: Phase) -> None:
        if phase is not Phase.RECORDING:
            self._close()

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
