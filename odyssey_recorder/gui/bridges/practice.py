"""State of first use and practice for the window: consent, the current task, what is left to pass."""

from PySide6.QtCore import QObject, Qt, Signal

from odyssey_recorder.gui.bridges.recording import Phase, RecordingController
from odyssey_recorder.gui.frame.background import error_text
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.practice.score import Score
from odyssey_recorder.practice.tasks import PracticeTask
from odyssey_recorder.recording.view import RecordingView
from odyssey_recorder.services.practice import PracticeService, Welcome
from odyssey_recorder.services.recording import DraftSummary

_UNDER_WAY = (Phase.STARTING, Phase.RECORDING)
_NOT_YET_KNOWN = "Loading your profile…"
_NO_CONSENT = "Recording is locked because you have not agreed to the consent text. Read it under Practice."
_NOT_SIMULATED = "Practice needs the simulated emulator; this device has other apps."


class PracticeBridge(QObject):
    """Leads through the practice tasks; methods return at once and `changed` reports outcomes.

    `practised` carries the assignment for the Record page, or None when practice ends; `opened`: a task was begun from
    any page. `annotator_changed`: someone else records from now on.
    """

    changed = Signal()
    practised = Signal(object)
    opened = Signal()
    annotator_changed = Signal()

    def __init__(
        self, practice: PracticeService, controller: RecordingController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._practice = practice
        self._controller = controller
        self.welcome: Welcome | None = None  # None until known
        self.task: PracticeTask | None = None
        self._hints = 0
        self.score: Score | None = None  # of the last attempt; None before its end
        self._is_scoring = False
        self._is_answering = False  # the answer to the consent text is being saved
        self._may_simulate = False  # for the task that is about to begin
        self.is_beginning = False  # the task begins as soon as its device is there
        self.failure = ""  # why the last request failed; empty if it did not
        self._phase = controller.phase
        controller.view_changed.connect(self._score_if_published)
        # Queued: the Record page has followed by then, which clears the recorded task.
        controller.phase_changed.connect(self._follow_phase, Qt.ConnectionType.QueuedConnection)

    @property
    def hints(self) -> tuple[str, ...]:
        return () if self.task is None else self.task.hints[: self._hints]

    @property
    def can_practise(self) -> bool:
        """Whether a task may go to the Record page: the annotator agreed, and nothing is being recorded."""
        return not self.is_recording and not self.refusal

    @property
    def is_recording(self) -> bool:
        return self._controller.phase in _UNDER_WAY

    @property
    def has_hint(self) -> bool:
        recording = self._controller.phase is Phase.RECORDING
        return recording and self.task is not None and self._hints < len(self.task.hints)

    @property
    def next_task(self) -> PracticeTask | None:
        if self.welcome is None:
            return None
        tasks, status = self.welcome.tasks, self.welcome.status
        at = tasks.index(self.task) + 1 if self.task in tasks else 0
        return next((task for task in (*tasks[at:], *tasks[:at]) if not status.has_passed(task.task_id)), None)

    @property
    def refusal(self) -> str:
        """Why nothing may be recorded; empty once the annotator has agreed."""
        if self.welcome is None or self._is_answering:
            return self.failure or _NOT_YET_KNOWN
        return "" if self.welcome.agrees else _NO_CONSENT

    @property
    def must_ask(self) -> bool:
        """Whether the consent text is new to the annotator."""
        return self.welcome is not None and self.welcome.must_ask and not self._is_answering

    def closed(self, assignment: Assignment | None) -> str:
        """Why `assignment` may not be recorded now; empty if it may, also if the start asks for consent first."""
        if self.must_ask:
            return ""
        if self.welcome is None or self.refusal:
            return self.refusal
        if assignment is not None and assignment.is_practice:
            return "" if self._controller.is_simulated else _NOT_SIMULATED
        if left := self.welcome.status.left:
            tasks = "1 practice task is" if left == 1 else f"{left} practice tasks are"
            return f"Practice first: {tasks} left to pass before you can record. Open Practice."
        return ""

    # Commands of the annotator.

    def look(self) -> None:
        self._controller.background.run(self._practice.welcome, self._update_welcome, self._report_failure)

    def answer_consent(self, name: str, *, agreed: bool | None) -> None:
        """Save the answer; those who agree continue with the first practice task that is left."""

        def follow(welcome: Welcome) -> None:
            self._is_answering = False
            self._update_welcome(welcome)
            if agreed and welcome.status.left and self.can_practise and (task := self.next_task) is not None:
                self.practise(task)

        def fail(error: Exception) -> None:
            self._is_answering = False
            self._report_failure(error)

        self._is_answering = True
        self.changed.emit()
        self._controller.background.run(lambda: self._practice.answer_consent(name, agreed=agreed), follow, fail)

    def practise(self, task: PracticeTask) -> None:
        """Begin a task on the Record page, on the simulated emulator, which is started if needed.

        Only while `can_practise`. In passive mode the annotator begins it.
        """
        self.task, self._hints, self.score, self.failure = task, 0, None, ""
        self._controller.record_another()
        self.practised.emit(task.assignment)
        self.opened.emit()
        self.is_beginning = self._may_simulate = True
        self._begin_if_ready()
        self.changed.emit()

    def resume(self, draft: DraftSummary) -> None:
        tasks = () if self.welcome is None else self.welcome.tasks
        self.task = next((task for task in tasks if task.task_id == draft.task_id), None)
        self._hints, self.score = 0, None
        self.changed.emit()

    def take_hint(self) -> None:
        if self.has_hint:
            self._hints += 1
            self.changed.emit()

    def leave(self) -> None:
        self.task, self.score, self.is_beginning = None, None, False
        self._controller.record_another()
        self.practised.emit(None)
        self.changed.emit()

    # Outcomes.

    def _begin_if_ready(self) -> None:
        controller = self._controller
        if not self.is_beginning or self.task is None or controller.phase is Phase.CONNECTING:
            return
        if controller.phase is Phase.WATCHING and controller.is_simulated:
            self.is_beginning = False
            if controller.mode == "mirror":
                controller.start(self.task.assignment)
        elif self._may_simulate and controller.can_simulate:
            self._may_simulate = False
            controller.start_simulated()
        else:
            self.is_beginning = False

    def _score_if_published(self, view: RecordingView) -> None:
        under_way = self._controller.assignment
        if view.published is None or self.task is None or self._is_scoring or self.score is not None:
            return
        if under_way is not None and under_way.task_id != self.task.task_id:
            return
        self._is_scoring = True
        task, episode_id, hints = self.task, view.published.stem, self._hints

        def score_attempt() -> tuple[Score, Welcome]:
            return self._practice.score_attempt(task.task_id, episode_id, hints=hints), self._practice.welcome()

        self._controller.background.run(score_attempt, self._on_scored, self._report_failure)

    def _on_scored(self, judged: tuple[Score, Welcome]) -> None:
        self._is_scoring = False
        self.score, welcome = judged
        self._update_welcome(welcome)

    def _follow_phase(self, phase: Phase) -> None:
        before, self._phase = self._phase, phase
        if phase is Phase.STARTING:
            self.score = None
        if phase is Phase.WATCHING and self.task is not None:
            if self.score is not None:
                self.task, self.score = None, None  # the annotator went on to something else
            elif before in _UNDER_WAY:
                self.practised.emit(self.task.assignment)  # it was stopped or discarded: try again
        self._begin_if_ready()
        self.changed.emit()

    def _update_welcome(self, welcome: Welcome) -> None:
        before, self.welcome, self.failure = self.welcome, welcome, ""
        if before is not None and before.name != welcome.name:
            self.annotator_changed.emit()
        self.changed.emit()

    def _report_failure(self, error: Exception) -> None:
        self._is_scoring = False
        self.failure = error_text(error)
        self.changed.emit()
