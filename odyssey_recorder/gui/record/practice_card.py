"""Practice on the Record page: hints during a task, and its score afterwards."""

from collections.abc import Iterable, Iterator, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from odyssey_recorder.gui.bridges.practice import PracticeBridge
from odyssey_recorder.gui.bridges.recording import RecordingController
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.parts import Card, fill_column, fill_grid, push_button, set_kind, text_label
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.practice.score import PASS_MARK, Score
from odyssey_recorder.practice.tasks import PracticeTask

_MIN_HEIGHT_PX = 72
_TEXT_PX = 236
"""Minimum height of lines, and their width on the Record page."""

_Line = tuple[str, QColor, str]

_ASK = "Do the task on the device, then press “Complete”. Stuck? Press “Show a hint”: hints cost almost nothing."
_START = "Start recording when you are ready."
_WAIT = "The practice begins as soon as the simulated emulator is ready."


class PracticeCard(Card):
    def __init__(self, coach: PracticeBridge, controller: RecordingController, commands: Commands) -> None:
        super().__init__()
        self._coach = coach
        self._controller = controller
        self._commands = commands
        self._title = text_label(kind="title")
        self._text = text_label(kind="hint")
        self._list = _LineList()
        self._hint = commands.button(RecordCommand.HINT)
        self._again = commands.button(RecordCommand.TRY_AGAIN)
        self._next = commands.button(RecordCommand.NEXT_PRACTICE)
        self._leave = commands.button(RecordCommand.LEAVE_PRACTICE, kind="quiet")
        self._simulate = push_button(
            "Start the simulated emulator", "Start the emulator for practice", "primary", self._try_again
        )
        about = (self._title, self._text, self._list, self._simulate)
        buttons = (self._hint, self._next, self._again, self._leave)
        fill_column(self, *about, *buttons, margins=(16, 12, 12, 12))
        coach.changed.connect(self._show)
        calls = {
            RecordCommand.HINT: coach.take_hint,
            RecordCommand.TRY_AGAIN: self._try_again,
            RecordCommand.NEXT_PRACTICE: self._start_next,
            RecordCommand.LEAVE_PRACTICE: coach.leave,
        }
        commands.bind(self, calls)
        self._show()

    def repaint_icons(self) -> None:
        self._show()

    def _show(self) -> None:
        task, score, welcome = self._coach.task, self._coach.score, self._coach.welcome
        self.setVisible(task is not None)
        failure, is_recording = self._coach.failure, self._coach.is_recording
        after = score is not None or bool(failure)
        left = welcome.status.left if welcome is not None else 0
        self._commands.enable(RecordCommand.HINT, on=self._coach.has_hint)
        self._commands.enable(RecordCommand.TRY_AGAIN, on=after)
        goes_on = score is not None and score.is_passed and left > 0
        self._commands.enable(RecordCommand.NEXT_PRACTICE, on=goes_on)
        self._commands.enable(RecordCommand.LEAVE_PRACTICE, on=task is not None and not is_recording)
        self._hint.setVisible(not after)
        self._leave.setVisible(not is_recording)
        self._again.setVisible(after)
        self._next.setVisible(goes_on)
        offers_phone = not (after or is_recording or self._coach.is_beginning or self._controller.is_simulated)
        self._simulate.setVisible(offers_phone and self._controller.can_simulate)
        if task is None:
            return
        is_done = score is not None and score.is_passed and not left
        self._commands[RecordCommand.LEAVE_PRACTICE].setText("Go to your tasks" if is_done else "Leave practice")
        set_kind(self._leave, "primary" if is_done else "quiet")
        set_kind(self._again, "" if score is not None and score.is_passed else "primary")
        if failure:
            self._title.setText("Something went wrong")
            self._text.setText(failure)
            self._show_lines([])
        elif score is not None:
            self._show_score(score, left)
        else:
            self._show_hints(task)

    def _show_hints(self, task: PracticeTask) -> None:
        hints = self._coach.hints
        self._title.setText(f"Practice: {task.teaches}")
        begins = _WAIT if self._coach.is_beginning else _START
        ask = _ASK if self._coach.is_recording else begins
        self._text.setText(f"{len(hints)} of {len(task.hints)} hints taken." if hints else ask)
        self._show_lines(("lightbulb_outline", Theme.current().accent, hint) for hint in hints)

    def _show_score(self, score: Score, left: int) -> None:
        theme = Theme.current()
        self._title.setText(f"{'Passed' if score.is_passed else 'Not passed yet'}: {score.value}%")
        self._text.setText(_next_step_text(score, left))
        self._show_lines(_lines(score, theme))

    def _show_lines(self, lines: Iterable[_Line]) -> None:
        self._list.show_lines(list(lines))
        self.setAccessibleName(f"{self._title.text()} {self._text.text()}".strip())

    def _try_again(self) -> None:
        if self._coach.task is not None:
            self._coach.practise(self._coach.task)

    def _start_next(self) -> None:
        if (task := self._coach.next_task) is not None:
            self._coach.practise(task)


class _LineList(QScrollArea):
    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Result")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._height = 0

    def show_lines(self, lines: Sequence[_Line]) -> None:
        page = QWidget()
        grid = fill_grid(page, across=8, down=8, stretched=1)
        grid.setContentsMargins(0, 0, 4, 0)
        for number, (name, colour, text) in enumerate(lines):
            sign = QLabel()
            sign.setPixmap(icon(name, colour).pixmap(16, 16))
            grid.addWidget(sign, number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(text_label(text), number, 1)
        grid.setRowStretch(len(lines), 1)
        self._height = grid.heightForWidth(_TEXT_PX)
        self.setWidget(page)
        self.setMinimumHeight(min(self._height, _MIN_HEIGHT_PX) if lines else 0)
        self.setMaximumHeight(max(self._height, 0))
        self.setVisible(bool(lines))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(_TEXT_PX, self._height)


def _next_step_text(score: Score, left: int) -> str:
    if not score.is_passed:
        return f"{PASS_MARK}% is needed. See what is missing, and try again."
    if not left:
        return "All practice tasks passed. You can record now."
    return f"{left} more to pass before you can record."


def _lines(score: Score, theme: Theme) -> Iterator[_Line]:
    for text in score.missed:
        yield "close_circle_outline", theme.danger, f"Missed: {text}"
    if not score.has_right_ending:
        yield "close_circle_outline", theme.danger, "The ending is wrong."
    for text in score.passed:
        yield "check_circle", theme.success, text[:1].upper() + text[1:]
    for text in score.remarks:
        yield "information_outline", theme.muted, text
