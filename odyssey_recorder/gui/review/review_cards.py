"""The cards beside the steps, one at a time; the task comes first."""

from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from odyssey_recorder.checking.one_episode import CHECKS
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.tabs import Tabs
from odyssey_recorder.gui.kit.layouts import scroll_area
from odyssey_recorder.gui.kit.parts import fill_column
from odyssey_recorder.gui.review.amend_card import FIXES, AmendCard
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.review.findings_card import FindingsCard
from odyssey_recorder.gui.review.history_card import HistoryCard
from odyssey_recorder.gui.review.replay_card import ReplayCard
from odyssey_recorder.gui.review.review_viewer import ReviewViewer
from odyssey_recorder.gui.review.texts_card import TextsCard
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.review.views import OpenedReview
from odyssey_recorder.services.review import ReviewService

_LOWEST_PX = 160


class ReviewCards(QWidget):
    def __init__(
        self, reviewing: ReviewService, background: Background, commands: Commands, viewer: ReviewViewer
    ) -> None:
        super().__init__()
        self._commands = commands
        self._texts = TextsCard()
        self._findings = FindingsCard(commands, (check.id for check in CHECKS if check.look is not None))
        self.fixes = AmendCard(background, commands)
        self.replay = ReplayCard(reviewing, background, commands)
        self._replay_room = scroll_area(self.replay)
        self.history = HistoryCard(commands)
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect(viewer)
        self.turn_to(ReviewCommand.SHOW_TASK)

    def show_review(self, opened: OpenedReview) -> None:
        self._texts.show_review(opened)
        self._findings.show_report(opened.report)
        self._show(next(card for card in self._cards.values() if card is self._stack.currentWidget()))
        self.fixes.show_review(opened)
        self.replay.show_review(opened)
        self.history.show_review(opened)
        grave = opened.report.count(Severity.ERROR) + opened.report.count(Severity.WARNING)
        text = ReviewCommand.SHOW_FINDINGS.value.label
        self._commands[ReviewCommand.SHOW_FINDINGS].setText(f"{text} {grave}" if grave else text)

    def clear(self) -> None:
        self.fixes.clear()
        self.history.clear()

    def sizeHint(self) -> QSize:
        """As low as possible: the verdict beside it needs the height."""
        return self.minimumSizeHint()

    def hasHeightForWidth(self) -> bool:
        """Otherwise hidden cards would claim height."""
        return False

    @property
    def _cards(self) -> dict[Command, QWidget]:
        return {
            ReviewCommand.SHOW_TASK: self._texts,
            ReviewCommand.SHOW_FINDINGS: self._findings,
            ReviewCommand.SHOW_FIXES: self.fixes,
            ReviewCommand.SHOW_REPLAY: self._replay_room,
            ReviewCommand.SHOW_HISTORY: self.history,
        }

    def turn_to(self, command: Command) -> None:
        self._commands[command].setChecked(True)

    def _show(self, shown: QWidget) -> None:
        """Let only the visible card determine the size."""
        policy = QSizePolicy.Policy
        for card in self._cards.values():
            card.setSizePolicy(policy.Preferred, policy.Preferred if card is shown else policy.Ignored)
        self._stack.setCurrentWidget(shown)
        self._stack.setMinimumHeight(0 if shown.minimumSizeHint().height() > _LOWEST_PX else _LOWEST_PX)

    def _connect(self, viewer: ReviewViewer) -> None:
        commands = self._commands
        viewer.step_changed.connect(self.fixes.show_step)
        self._findings.step_requested.connect(viewer.go_to_step)
        self.replay.badges_cleared.connect(viewer.clear_replay)
        self.replay.step_replayed.connect(viewer.show_replay_step)
        findings = (ReviewCommand.NEXT_FINDING, ReviewCommand.PREVIOUS_FINDING)
        for command in findings:
            commands[command].triggered.connect(lambda _checked: self.turn_to(ReviewCommand.SHOW_FINDINGS))
        commands[ReviewCommand.SHOW_REPLAY].toggled.connect(lambda on: self.replay.look_for_devices() if on else None)
        commands.belong_to(self, *self._cards, *FIXES, *findings, ReviewCommand.UNDO_FIX)

    def _lay_out(self) -> None:
        tabs = Tabs(self._commands, Qt.ToolButtonStyle.ToolButtonTextOnly)
        for command, card in self._cards.items():
            tabs.add(command, partial(self._show, card))
            self._stack.addWidget(card)
        fill_column(self, tabs, (self._stack, 1), spacing=6)
