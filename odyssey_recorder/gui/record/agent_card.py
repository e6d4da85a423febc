"""The Record page's card of an agent: what it does, and its questions."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.question_dialog import Question, ask
from odyssey_recorder.gui.kit.parts import fill_column, line_edit, push_button, row, say, set_kind, text_label
from odyssey_recorder.gui.record.agent_dialog import RunAgentDialog
from odyssey_recorder.gui.record.agent_runner import AgentRunner
from odyssey_recorder.gui.record.commands import RecordCommand


def consent_question(host: str) -> Question:
    return Question(
        title="Send screenshots",
        question=f"Send screenshots to {host}?",
        answer="Agree and run",
        tip="Send screenshots of the device to the model (Enter)",
        cancel_tip="Send nothing (Esc)",
        detail="The agent sends a screenshot of the device with each question. Password fields are blacked out. "
        "Continue only with the permission of the device's owner.",
        detail_kind="warning",
    )


_AGENT_COMMANDS = (RecordCommand.RUN_AGENT, RecordCommand.TAKE_OVER, RecordCommand.RESUME_AGENT)
_TAKEOVER_COMMANDS = (RecordCommand.PAUSE, RecordCommand.COMPLETE, RecordCommand.IMPOSSIBLE, RecordCommand.DISCARD)


class AgentCard(QFrame):
    """What an agent does, and its questions; hidden in recordings of people."""

    shown = Signal()

    def __init__(self, runner: AgentRunner | None, commands: Commands, page: QWidget) -> None:
        """Without a `runner` no agent is offered."""
        super().__init__()
        self.setProperty("kind", "banner")
        self._runner = runner
        self._commands = commands
        self._page = page
        self._title = text_label(kind="title")
        self._text = text_label()
        self._about = text_label(kind="hint")
        self._reply = line_edit("Your answer", "What the agent should know")
        self._refuse = push_button("Refuse", "Don't let the agent do this", call=lambda: self._answer(False))
        self._allow = push_button("Allow", "Let the agent do this", call=lambda: self._answer(True))
        self._send = push_button("Answer", "Tell the agent", call=lambda: self._answer(self._reply.text().strip()))
        self._reply.returnPressed.connect(self._send.click)
        self._run = commands.button(RecordCommand.RUN_AGENT)
        self._take = commands.button(RecordCommand.TAKE_OVER)
        self._resume = commands.button(RecordCommand.RESUME_AGENT)
        self._correct = commands.button(RecordCommand.CORRECT_STEP)
        buttons = row(None, self._correct, self._refuse, self._allow, self._send, self._run, self._take, self._resume)
        fill_column(self, self._title, self._text, self._reply, self._about, buttons, margins=(14, 12, 14, 12))
        self._refuse.hide()
        self.hide()
        if runner is None:
            for command in (*_AGENT_COMMANDS, RecordCommand.CORRECT_STEP):
                commands[command].setVisible(False)
                commands[command].setEnabled(False)
        else:
            self._connect(runner)

    def offer(self, why_not: str) -> None:
        """Offer to run an agent, unless `why_not` says why nothing may be recorded.

        An agent cannot continue a person's recording, as the stored actor cannot change.
        """
        runner = self._runner
        if runner is not None:
            why = runner.refusal or why_not * (not runner.can_continue)
            self._commands.enable(RecordCommand.RUN_AGENT, on=not why and runner.may_begin, why=why)
            self._commands.enable(RecordCommand.TAKE_OVER, on=runner.is_working)
            self._commands.enable(RecordCommand.RESUME_AGENT, on=runner.may_resume)

    def _show(self, runner: AgentRunner) -> None:
        question = runner.question
        is_asked = question is not None and not question.concern
        if question is not None and is_asked:
            title, text = "The agent asks", question.text
        elif question is not None:
            title, text = "Allow this action?", f"{question.text}. The agent must ask first: {question.concern}."
        else:
            title, text = "Agent at work" if runner.is_working else "Agent paused", runner.text
        self._title.setText(title)
        self._text.setText(text)
        say(self._about, runner.about)
        self.setAccessibleName(f"{title}. {text}")
        is_asking = question is not None
        if is_asking is not (self.property("tone") == "warning"):
            self.setProperty("tone", "warning" if is_asking else "")
            set_kind(self, "banner")
        for part, shown in (
            (self._refuse, is_asking and not is_asked),
            (self._allow, is_asking and not is_asked),
            (self._reply, is_asked),
            (self._send, is_asked),
            (self._take, runner.is_working and not is_asking),
            (self._run, runner.can_continue),
            (self._resume, runner.has_run and not runner.is_working),
            (self._correct, not runner.is_working),
        ):
            part.setVisible(shown)
        is_there = runner.has_run or runner.can_continue
        if self.isHidden() is is_there:
            self.setVisible(is_there)
            self.shown.emit()

    def _answer(self, answer: bool | str) -> None:
        self._reply.clear()
        if self._runner is not None:
            self._runner.answer(answer)

    def _connect(self, runner: AgentRunner) -> None:
        def choose() -> None:
            dialog = RunAgentDialog(runner.models.usual(), runner.models.kept, self._page)
            dialog.chosen.connect(runner.prepare)
            dialog.open()

        def ask_consent(host: str) -> None:
            ask(consent_question(host), self._page, runner.agree).rejected.connect(runner.forget)

        def resume() -> None:
            self._commands[RecordCommand.PAUSE].setChecked(False)
            runner.hand_over()

        runner.changed.connect(lambda: self._show(runner))
        runner.consent_needed.connect(ask_consent)
        calls = (choose, runner.take_over, resume)
        self._commands.bind(self._page, dict(zip(_AGENT_COMMANDS, calls, strict=True)))
        for command in _TAKEOVER_COMMANDS:
            self._commands[command].triggered.connect(runner.take_over)
