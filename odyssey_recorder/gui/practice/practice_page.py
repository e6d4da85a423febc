"""The Practice page: tasks and progress, the annotator's name, and the consent text."""

from dataclasses import dataclass

from PySide6.QtCore import QItemSelectionModel, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QListView, QProgressBar

from odyssey_recorder.gui.bridges.practice import PracticeBridge
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.parts import Card, fill_column, fix_width, named, push_button, row, set_kind, text_label
from odyssey_recorder.gui.kit.row_delegate import RowDelegate, RowMark
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, fill_list
from odyssey_recorder.gui.kit.theme import Theme
from odyssey_recorder.gui.practice.commands import PracticeCommand
from odyssey_recorder.practice.score import PASS_MARK
from odyssey_recorder.practice.tasks import PracticeTask
from odyssey_recorder.services.practice import Welcome

_HEIGHT, _MARGIN, _SIGN = 52, 14, 20


@dataclass(frozen=True, slots=True)
class PracticeRow:
    """A task, its number from 1, and its best score in percent; None if not tried."""

    task: PracticeTask
    number: int
    best: int | None

    @property
    def state(self) -> str:
        if self.best is None:
            return "to do"
        return f"passed, {self.best}%" if self.best >= PASS_MARK else f"not passed yet, {self.best}%"


def practice_model(parent: QObject) -> TableModel[PracticeRow]:
    column = TableColumn[PracticeRow](
        "", lambda row: f"{row.number}. {row.task.teaches}: {row.state}", tip=lambda row: row.task.task.instruction
    )
    return TableModel((column,), key=lambda row: row.task.task_id, parent=parent)


def practice_list(model: TableModel[PracticeRow]) -> QListView:
    view = QListView()
    view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
    return fill_list(view, "Practice tasks", model, RowDelegate(_paint, QSize(200, _HEIGHT), view, RowMark((2.5, 1.5))))


def _paint(painter: QPainter, area: QRectF, row: PracticeRow, plain: QFont) -> None:
    theme = Theme.current()
    name, colour = _sign(row.best, theme)
    left = area.left() + _MARGIN
    sign = QRectF(left, area.center().y() - _SIGN / 2, _SIGN, _SIGN)
    icon(name, colour).paint(painter, sign.toRect())
    bold = QFont(plain)
    bold.setWeight(QFont.Weight.DemiBold)
    width = QFontMetricsF(plain).horizontalAdvance(row.state)
    place = area.adjusted(_MARGIN, 0, -_MARGIN, 0)
    painter.setFont(plain)
    painter.setPen(colour)
    painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, row.state)
    upper = QRectF(left + _SIGN + 12, area.top() + 6, place.right() - width - 16 - left - _SIGN - 12, 20)
    painter.setPen(theme.text)
    _write(painter, upper, f"{row.number}.  {row.task.teaches}", bold)
    painter.setPen(theme.muted)
    _write(painter, upper.translated(0, 21), row.task.task.instruction, plain)


def _sign(best: int | None, theme: Theme) -> tuple[str, QColor]:
    if best is None:
        return "circle_outline", theme.muted
    return ("check_circle", theme.success) if best >= PASS_MARK else ("alert_circle", theme.warning)


def _write(painter: QPainter, area: QRectF, text: str, font: QFont) -> None:
    painter.setFont(font)
    shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


_SPACE = 16
_INTRODUCTION = (
    "You do these tasks on the simulated emulator, just like real ones. The score depends on the "
    "screens and apps you visit and on how you end, not on where exactly you click. You can "
    "try as often as you like; the best attempt counts."
)


class PracticePage(MainPage):
    def __init__(self, coach: PracticeBridge, commands: Commands) -> None:
        super().__init__()
        self._coach = coach
        self._commands = commands
        self._status = text_label(kind="hint")
        self._progress = named(QProgressBar(), "Practice tasks passed")
        self._progress.setTextVisible(False)
        self._progress.setFixedHeight(6)
        self._message = Banner(commands.button(CommonCommand.READ_CONSENT, kind="primary"))
        self._read_again = commands.button(CommonCommand.READ_CONSENT, kind="quiet")
        self._record = push_button(
            "Go to your tasks", "Record your next task", "primary", commands[CommonCommand.RECORD_PAGE].trigger
        )
        self._practise_button = commands.button(PracticeCommand.PRACTISE).set_wide()
        self._model = practice_model(self)
        self._list = practice_list(self._model)
        self._home = self._list
        self._title = text_label(kind="title")
        self._instruction = text_label(kind="instruction")
        self._state = text_label(kind="hint")
        self._lay_out()
        self._list.selectionModel().currentChanged.connect(self._show_chosen)
        self._list.activated.connect(lambda _index: commands[PracticeCommand.PRACTISE].trigger())
        commands.bind(self, {PracticeCommand.PRACTISE: self._practise})
        coach.changed.connect(self._show)
        self._show()

    def enter(self) -> None:
        self._coach.look()
        if (task := self._coach.next_task) is not None and self._model.rowCount():
            self._choose(task)

    @property
    def _chosen(self) -> PracticeRow | None:
        return self._model.at(self._list.currentIndex().row())

    def _show(self) -> None:
        welcome, failure = self._coach.welcome, self._coach.failure
        if welcome is None:
            self._status.setText(failure or "Loading your progress…")
            return
        best = welcome.status.best
        self._model.show(
            PracticeRow(task, at, best.get(task.task_id)) for at, task in enumerate(welcome.tasks, start=1)
        )
        passed, wanted = len(welcome.status.wanted) - welcome.status.left, len(welcome.status.wanted)
        self._status.setText(_status_text(welcome))
        self._progress.setRange(0, max(wanted, 1))
        self._progress.setValue(passed if wanted else 1)
        self._progress.setAccessibleDescription(f"{passed} of {wanted}")
        self._read_again.setVisible(welcome.agrees)
        may_record = welcome.agrees and not welcome.status.left
        self._record.setVisible(may_record)
        set_kind(self._practise_button, "" if may_record else "primary")
        if failure:
            self._message.show_message(Tone.DANGER, failure)
        elif welcome.agrees:
            self._message.hide()
        else:
            self._message.show_message(Tone.WARNING, "You can record after you agree to the consent text.")
        if not self._list.currentIndex().isValid():
            self._choose(self._coach.next_task or welcome.tasks[0])
        self._show_chosen()

    def _choose(self, task: PracticeTask) -> None:
        index = self._model.place_index(task.task_id)
        self._list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _show_chosen(self) -> None:
        chosen = self._chosen
        if chosen is not None:
            self._title.setText(chosen.task.teaches)
            self._instruction.setText(chosen.task.task.instruction)
            self._state.setText(f"{chosen.state.capitalize()}.")
        recording = self._coach.is_recording
        self._commands[PracticeCommand.PRACTISE].setText("Return to the recording" if recording else "Practise this")
        self._commands.enable(
            PracticeCommand.PRACTISE, on=recording or (chosen is not None and self._coach.can_practise)
        )

    def _practise(self) -> None:
        if self._coach.is_recording:
            self._commands[CommonCommand.RECORD_PAGE].trigger()
        elif self._chosen is not None and self._coach.can_practise:
            self._coach.practise(self._chosen.task)

    def _lay_out(self) -> None:
        head = Card()
        line = row((text_label("Practice", "title"), 1), self._read_again, self._record)
        fill_column(head, line, self._status, self._progress, margins=(16, 12, 12, 14), spacing=6)
        card = Card()
        fill_column(card, self._list, margins=8)
        side = Card()
        fix_width(side, 320)
        about = (self._title, self._instruction, self._state, None)
        below = (text_label(_INTRODUCTION, "hint"), self._practise_button)
        fill_column(side, *about, *below, margins=(16, 14, 16, 16), spacing=12)
        body = row((card, 1), side, spacing=_SPACE)
        fill_column(self, head, self._message, (body, 1), margins=_SPACE, spacing=_SPACE)
        self._list.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


def _status_text(welcome: Welcome) -> str:
    wanted, left = len(welcome.status.wanted), welcome.status.left
    if not wanted:
        return f"{welcome.name}, no practice is required. You can record now, or practise first."
    if not left:
        return f"{welcome.name}, you have passed all {wanted}. You can record now, and practise again at any time."
    passed = wanted - left
    return (
        f"{welcome.name}, {passed} of {wanted} practice tasks are passed, each with {PASS_MARK}% "
        f"or more. You can record when all {wanted} are passed."
    )
