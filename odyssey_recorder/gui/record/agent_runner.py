"""Runs an agent on the Record page: its turns in a thread of their own, and their state for the window."""

from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from odyssey_recorder.gui.bridges.recording import Phase, RecordingController
from odyssey_recorder.gui.bridges.workplace import AgentModels
from odyssey_recorder.gui.frame.background import error_text
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView

if TYPE_CHECKING:  # loaded when an agent is chosen
    from odyssey_recorder.agents.asking import Agent
    from odyssey_recorder.agents.online import AgentRun
    from odyssey_recorder.agents.outcome import RunOutcome
    from odyssey_recorder.recording.recorder import Recorder

MOST_STEPS = 30
"""Of one turn."""
_WATCH_S = 0.1
OPENING = "Opening the model…"
_THINKING = "Looking at the screen, asking the model…"
_TAKEN_OVER = "You have taken over. What you do is recorded as your steps."
_INTERRUPTED = "An agent started this recording. Continue it yourself, or press “Run agent…”."
_CORRECT = "Now do the right action on the device. It's saved together with the rejected one."
_RESTORE = "When the screen is restored, do the right action."
_ENDS = {
    "guard": "You didn't allow the last action. Do the right one, which is saved with it, or resume the agent.",
    "step limit": f"The agent has done {MOST_STEPS} steps. Resume it for more.",
    "repeated": "The agent repeats itself: {}.",
    "budget": "{} To do so, stop, resume the draft, and run an agent again.",
    "unreadable": "Couldn't understand the agent's answers: {}",
}
"""Why a turn ended, by what ended it."""


@dataclass(frozen=True, slots=True)
class AgentChoice:
    """`budget` is in US dollars, None for no limit; without `packages`, no app needs to be asked about."""

    adapter: str
    model: str
    history: str
    budget: float | None
    packages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AgentQuestion:
    """What the guard asks; `answer` is True if the person allows the action.

    Without a `concern` it is the agent's own question, and `answer` the person's words, or False.
    """

    text: str
    concern: str
    answer: "Future[bool | str]"


class AgentRunner(QObject):
    """Prepares an agent and runs its turns; passes the questions of its guard to the person."""

    changed = Signal()
    prepared = Signal()
    consent_needed = Signal(str)
    """Screens would be sent to this host; `prepared` only once `agree` was called."""
    is_there = True
    _progress_came = Signal(int, str)
    _question_came = Signal(object)

    def __init__(self, models: AgentModels, controller: RecordingController) -> None:
        super().__init__(controller)
        self.models = models
        self.about = ""  # the model and its adapter
        self.question: AgentQuestion | None = None
        self.is_opening = False
        self._controller = controller
        self._thread = controller.background.in_order()
        self._agent: Agent | None = None
        self._run: AgentRun | None = None
        self._turns = 0  # that have not ended in the thread
        self._has_turn = False  # as the recorder says
        self._is_correcting = self._is_restoring = False
        self._steps = 0
        self._doing = ""
        self._end = ""
        self._progress_came.connect(self._on_progress, Qt.ConnectionType.QueuedConnection)
        self._question_came.connect(self._on_question, Qt.ConnectionType.QueuedConnection)
        controller.view_changed.connect(self._on_view)
        controller.phase_changed.connect(self._on_phase)

    @property
    def is_prepared(self) -> bool:
        """An agent is chosen, and its recording has not begun."""
        return self._agent is not None and self._run is None

    @property
    def has_run(self) -> bool:
        """Whether an agent takes part in this recording."""
        return self._run is not None

    @property
    def is_working(self) -> bool:
        return self._turns > 0 and self._has_turn

    @property
    def may_resume(self) -> bool:
        return self._run is not None and not self._turns and not self._is_restoring

    @property
    def refusal(self) -> str:
        """Why no agent may record here and now; empty if one may."""
        if self.is_opening:
            return OPENING
        return "An agent works in this window only." if self._controller.mode == "passive" else ""

    @property
    def can_continue(self) -> bool:
        """Whether an agent began the open recording, which was interrupted and has been resumed."""
        controller = self._controller
        return controller.phase is Phase.RECORDING and controller.is_agents and self._run is None

    @property
    def may_begin(self) -> bool:
        return self.can_continue or self._controller.phase is Phase.WATCHING

    @property
    def text(self) -> str:
        """What the agent does, or why it does nothing."""
        if self._run is None:
            return _INTERRUPTED
        if self.is_working:
            return self._doing or _THINKING
        if self._is_correcting and not self._end:
            return _RESTORE if self._is_restoring else _CORRECT
        return self._end or _TAKEN_OVER

    # Before the recording.

    def prepare(self, choice: AgentChoice) -> None:
        """Open the model in the background; a failure is the controller's `failed`."""

        def fail(error: Exception) -> None:
            self.is_opening = False
            self.changed.emit()
            self._controller.failed.emit(error_text(error))

        self.is_opening = True
        self.changed.emit()
        call = partial(_open, self.models, choice, self._controller.serial)
        self._controller.background.run(call, self._on_agent_opened, fail)

    def agree(self) -> None:
        """The owner agrees that screens are sent to the model's host."""
        if self.is_prepared:
            self.prepared.emit()

    def forget(self) -> None:
        self._agent = self._run = self.question = None
        self._doing = self._end = ""
        self._has_turn = self._is_correcting = self._is_restoring = False
        self.changed.emit()

    def _on_agent_opened(self, opened: "tuple[Agent, str, str]") -> None:
        from odyssey_recorder.llm.model import is_on_this_computer

        self.is_opening = False
        self.forget()
        self._agent, model, host = opened
        self.about = f"{model}, asked as {self._agent.adapter.name}"
        if is_on_this_computer(host):
            self.prepared.emit()
        else:
            self.consent_needed.emit(host)

    # Its turns.

    def begin(self, instruction: str) -> None:
        """Start the first turn in the open recording, unless a person began that recording."""
        if self._controller.is_agents:
            self._controller.ask(partial(self._start_run, instruction))
        else:
            self.forget()

    def hand_over(self) -> None:
        run = self._run
        if run is None:
            return
        self._turns += 1
        self._has_turn, self._doing, self._end = True, "", ""
        run.recorder.hand_over()
        self._thread.run(run.play, partial(self._end_turn, run), self._abort)
        self.changed.emit()

    def take_over(self) -> None:
        if self._turns:
            self._controller.ask(lambda recorder: recorder.take_over())

    def answer(self, answer: bool | str) -> None:
        if self.question is not None:
            self.question.answer.set_result(answer)
            self.question = None
            self.changed.emit()

    def _start_run(self, instruction: str, recorder: "Recorder") -> None:
        from odyssey_recorder.agents.online import AgentRun

        if self._agent is not None:
            self._run = AgentRun(self._agent, recorder, self, instruction, MOST_STEPS)
            self.hand_over()

    def _end_turn(self, run: "AgentRun", ended: "RunOutcome") -> None:
        self._turns -= 1
        if run is self._run:
            self._end = _ENDS.get(ended.stop.value, "{}").format(ended.why)
            self.question = None
        self.changed.emit()

    def _abort(self, error: Exception) -> None:
        self._turns -= 1
        self.forget()
        raise error

    def _on_view(self, view: RecordingView) -> None:
        if self._run is None:
            return
        before = self._state
        if len(view.steps) < self._steps:
            self._end = ""
        if len(view.steps) != self._steps:
            self._steps, self._doing = len(view.steps), ""
        self._has_turn, self._is_correcting = view.is_agents_turn, view.is_correcting
        self._is_restoring = view.state in (State.RETURNING, State.RESTORING)
        if self._state != before:
            self.changed.emit()

    @property
    def _state(self) -> tuple[object, ...]:
        return self.text, self.is_working, self.may_resume, self.question

    def _on_phase(self, phase: Phase) -> None:
        if phase is not Phase.STARTING:
            self.forget() if phase is not Phase.RECORDING else self.changed.emit()

    def _on_progress(self, step: int, text: str) -> None:
        self._doing = f"Step {step}: {text}"
        self.changed.emit()

    def _on_question(self, question: AgentQuestion) -> None:
        if self.is_working:
            self.question = question
            self.changed.emit()

    # Calls from the agent's thread.

    def report(self, step: int, text: str) -> None:
        self._progress_came.emit(step, text)

    def allows(self, text: str, concern: str) -> bool | None:
        """Blocks until the person answers; None if it is no longer the agent's turn."""
        answer = self._answer_to(text, concern)
        return None if answer is None else bool(answer)

    def reply(self, question: str) -> str | None:
        """Blocks as `allows`; None also if the person gives no answer."""
        answer = self._answer_to(question, "")
        return answer if isinstance(answer, str) else None

    def _answer_to(self, text: str, concern: str) -> bool | str | None:
        run, answer = self._run, Future[bool | str]()
        self._question_came.emit(AgentQuestion(text, concern, answer))
        while run is not None and run.recorder.is_agents_turn:
            try:
                return answer.result(_WATCH_S)
            except TimeoutError:
                pass
        return None

    def has_stopped(self) -> bool:
        return False  # the recorder says whose turn it is


def _open(models: AgentModels, choice: AgentChoice, serial: str) -> "tuple[Agent, str, str]":
    """The agent, its model and the model's host."""
    from odyssey_recorder.agents.adapter import adapter_named
    from odyssey_recorder.agents.asking import Agent
    from odyssey_recorder.agents.guard import Guard
    from odyssey_recorder.agents.history import HistoryRule

    guard = Guard(packages=frozenset(choice.packages), asks_before_end=True)
    guard.admit(serial)
    batch = models.open(choice.model, choice.budget)
    plan = batch.estimate(())
    agent = Agent(adapter_named(choice.adapter), batch, HistoryRule.for_agent(choice.history), guard)
    return agent, plan.model, plan.host
