"""The dialog that chooses an agent: its adapter and model, its history, and its limits."""

import math
import re
from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from odyssey_recorder.errors import SettingsError
from odyssey_recorder.gui.frame.question_dialog import Question, QuestionDialog
from odyssey_recorder.gui.frame.window_state import KeptFile
from odyssey_recorder.gui.kit.layouts import labelled
from odyssey_recorder.gui.kit.parts import Choice, line_edit, say, text_label
from odyssey_recorder.gui.record.agent_runner import AgentChoice

_RUN = Question(
    title="Run agent",
    question="Have a model carry out this task?",
    answer="Run agent",
    tip="Start recording, with the agent's actions as its steps (Enter)",
    detail="Touch the phone or press Esc at any time to take over.",
)
_PACKAGE = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+", re.ASCII)


class RunAgentDialog(QuestionDialog):
    """Emits what was chosen, and keeps all but the model in `kept` for the next time."""

    chosen = Signal(AgentChoice)

    def __init__(self, model: str, kept: KeptFile, parent: QWidget | None = None) -> None:
        from odyssey_recorder.agents.adapter import all_adapters  # slow to load
        from odyssey_recorder.agents.history import HistoryRule

        self._kept = kept
        self._adapter = Choice("Adapter")
        self._adapter.offer([(name, name) for name in sorted(all_adapters())])
        self._adapter.setToolTip("Prompt format of this model family; “ours” works with any model")
        self._model = _Field("&Model", "Model", "The provider's name for the model", _name)
        self._model.line.setToolTip("The model of the settings, or another one of the same server")
        self._history = _Field("&History", "History", "actions", HistoryRule.for_agent)
        self._history.line.setToolTip("Earlier steps in each question: none, actions, actions:N or screenshots:N")
        self._budget = _Field("Limit in US &dollars", "Budget in US dollars", "No limit", _dollars)
        self._budget.line.setToolTip("The agent stops before a question that could exceed it")
        self._packages = _Field("Allowed &packages", "Allowed packages", "Any app", _packages)
        self._packages.line.setToolTip("The agent asks before it touches any other app; several, separated by commas")
        self._fields = self._model, self._history, self._budget, self._packages
        parts = (field.layout for field in self._fields)
        super().__init__(_RUN, parent, labelled("&Adapter", self._adapter), *parts)
        self._show(model)
        for field in self._fields:
            field.line.textChanged.connect(self._check)
        self.accepted.connect(self._choose)
        self._check()

    def _show(self, model: str) -> None:
        kept = {name: value for name, value in self._kept.read().items() if isinstance(value, str)}
        is_known = self._adapter.findData(kept.get("adapter")) >= 0
        self._adapter.choose(kept["adapter"] if is_known else "ours")
        self._model.line.setText(model)
        self._history.line.setText(kept.get("history", "actions"))
        self._budget.line.setText(kept.get("budget", ""))
        self._packages.line.setText(kept.get("packages", ""))

    def _check(self) -> None:
        are_valid = [field.check() for field in self._fields]  # each says what is wrong with it
        self.ok.setEnabled(all(are_valid))
        width = self.sizeHint().width()
        self.resize(width, self.heightForWidth(width))  # `adjustSize` stops at two thirds of the screen

    def _choose(self) -> None:
        adapter, history = self._adapter.value, self._history.text
        budget, packages = self._budget.text, self._packages.text
        self._kept.write({"adapter": adapter, "history": history, "budget": budget, "packages": packages})
        self.chosen.emit(AgentChoice(adapter, self._model.text, history, _dollars(budget), _packages(packages)))


class _Field:
    """A line of text under a label, and below it why `read` refuses the text, by a SettingsError."""

    def __init__(self, label: str, name: str, placeholder: str, read: Callable[[str], object]) -> None:
        self.line = line_edit(name, placeholder)
        self._problem = text_label(kind="danger")
        self._read = read
        self.layout = labelled(label, self.line)
        self.layout.addWidget(self._problem)

    @property
    def text(self) -> str:
        return self.line.text().strip()

    def check(self) -> bool:
        try:
            self._read(self.text)
        except SettingsError as error:
            problem = str(error)
        else:
            problem = ""
        say(self._problem, problem)
        self.line.setAccessibleDescription(problem)
        return not problem


def _name(text: str) -> str:
    if not text:
        raise SettingsError("Enter the model's name.")
    return text


def _dollars(text: str) -> float | None:
    """None for no limit. Raises SettingsError."""
    if not text:
        return None
    try:
        dollars = float(text.replace(",", "."))
    except ValueError:
        dollars = math.nan
    if not 0 <= dollars < math.inf:
        raise SettingsError("Enter an amount such as 2.50, or nothing for no limit.")
    return dollars


def _packages(text: str) -> tuple[str, ...]:
    """Raises SettingsError."""
    packages = tuple(filter(None, re.split(r"[\s,]+", text)))
    for package in packages:
        if _PACKAGE.fullmatch(package) is None:
            raise SettingsError(f"“{package}” is not a package. Packages look like com.example.notes.")
    return packages
