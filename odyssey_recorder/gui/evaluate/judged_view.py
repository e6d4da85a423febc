"""Single steps: the true and the predicted action in a list, and drawn on the screenshot of the chosen one."""

from collections.abc import Sequence
from functools import partial
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from odyssey_recorder.dataset.layout import annotation_path, screenshot_path
from odyssey_recorder.dataset.opened import OpenedEpisode, open_published
from odyssey_recorder.evaluation.answers import KINDS
from odyssey_recorder.evaluation.judged_steps import JudgedStep, StepsWanted, Which, drawn
from odyssey_recorder.evaluation.scores import COLUMNS
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.parts import (
    Choice,
    breakable,
    column,
    fill_column,
    fix_width,
    named,
    push_button,
    row,
    selectable,
    text_label,
)
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, allow_sorting, table_view
from odyssey_recorder.gui.kit.theme import MARK, PREDICTED, Theme, grown
from odyssey_recorder.gui.screen.action_painter import prepare_other_threads
from odyssey_recorder.gui.screen.step_strip import MarkedScreenshot
from odyssey_recorder.gui.screen.step_viewer import StepCanvas
from odyssey_recorder.model.geometry import GRID, Size
from odyssey_recorder.model.plain_text import counted, on_one_line, step_number
from odyssey_recorder.services.evaluation import ScoredFiles, judged

_ROW_PX = 28
_MAX_ROWS = 1_000
_OTHER_PX, _EPISODE_PX = 540, 640
"""From these widths of the list on, it shows the other model and the episode."""
_EPISODE, _OTHER = 0, 5
_APART = 60
"""Two scrolls are drawn this far from the middle, on the grid."""
_NOTHING = "–"  # noqa: RUF001 - the mark of an empty cell


class JudgedView(QWidget):
    def __init__(self, scored: ScoredFiles, background: Background) -> None:
        super().__init__()
        prepare_other_threads()
        self._scored = scored
        self._background = background
        self._wanted = StepsWanted()
        self._is_swapped = False  # the steps are those of the other model
        self._places: dict[int, int] = {}
        self._shown: JudgedStep | None = None
        self._which = Choice("Steps to show")
        self._heading = text_label(kind="title")
        self._all = push_button("Show all wrong", "Show the wrong steps of all actions again", call=self._show_all)
        named(self._all, "Show all wrong")
        self._model = TableModel(_COLUMNS, key=lambda step: step.row, parent=self)
        self._list = table_view("Judged steps", self._model, _ROW_PX)
        self._canvas = StepCanvas(background, ())
        self._task = selectable("hint")
        self._truth, self._predicted, self._other = selectable(), selectable(), selectable("hint")
        self._lay_out()
        self._read()

    def show_cell(self, cell: tuple[int, int]) -> None:
        """The steps of a cell of the confusion matrix: the kinds of the true and the predicted action."""
        self._wanted, self._is_swapped = StepsWanted(cell=cell), False
        self._read()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._list.setColumnHidden(_EPISODE, self._list.width() < grown(_EPISODE_PX))
        is_compared = self._scored.found.against is not None
        self._list.setColumnHidden(_OTHER, not is_compared or self._list.width() < grown(_OTHER_PX))

    # Which steps.

    def _show_all(self) -> None:
        self._wanted = StepsWanted()
        self._which.choose("")
        self._read()

    def _choose_which(self) -> None:
        chosen = self._which.value
        self._is_swapped = chosen == "only the other"
        self._wanted = StepsWanted("only this" if self._is_swapped else cast(Which, chosen or "wrong"))
        self._read()

    def _read(self) -> None:
        wanted = self._wanted
        read = partial(judged, self._scored, wanted, _MAX_ROWS, of_other=self._is_swapped)
        self._background.run(read, partial(self._show_judged, wanted), of=self)

    def _show_judged(self, wanted: StepsWanted, read: tuple[Sequence[JudgedStep], int]) -> None:
        if wanted is not self._wanted:
            return
        steps, count = read
        self._places = {step.row: at for at, step in enumerate(steps)}
        self._canvas.show_steps([self._screenshot(step) for step in steps], 0)
        self._model.load(steps)
        self._heading.setText(self._words(wanted, count))
        self._all.setVisible(wanted != StepsWanted())
        self._list.selectRow(0)
        if not steps:
            self._show_step(None)

    def _words(self, wanted: StepsWanted, count: int) -> str:
        found = self._scored.found
        text = counted(count, "wrong step")
        if wanted.cell is not None:
            truth, predicted = wanted.cell
            text = f"{KINDS[truth]} predicted as {COLUMNS[predicted]}: {counted(count, 'step')}"
        few = f"; the worst {_MAX_ROWS:,} are listed" if count > _MAX_ROWS else ""
        return f"{text}, protocol {found.asked.protocol}{few}"

    # The chosen one.

    def _show_step(self, step: JudgedStep | None) -> None:
        self._shown = step
        for label in (self._task, self._truth, self._predicted, self._other):
            label.setText("")
        self._canvas.setVisible(step is not None)
        if step is None:
            return
        self._canvas.turn_to(self._places[step.row])
        self._truth.setText(breakable(f"True: {on_one_line(step.truth)}"))
        verdict = step.verdict[:1].lower() + step.verdict[1:]
        self._predicted.setText(breakable(f"{self._name()}: {_answer_text(step.said)} ({verdict})"))
        if step.other_right is not None:
            verdict = "right" if step.other_right else "wrong"
            self._other.setText(breakable(f"{self._name(is_other=True)}: {_answer_text(step.other_said)} ({verdict})"))
        read = partial(open_published, self._scored.root / annotation_path(step.episode_id))
        take, fail = partial(self._show_task, step), partial(self._show_task_error, step)
        self._background.run(read, take, fail, of=self)

    def _name(self, *, is_other: bool = False) -> str:
        found = self._scored.found
        if is_other is not self._is_swapped and found.against is not None:
            return on_one_line(found.against.model)
        return found.model

    def _show_task(self, step: JudgedStep, opened: OpenedEpisode) -> None:
        place = f"Episode {step.episode_id}, step {step_number(step.step)} of {len(opened.episode.steps)}"
        self._show_task_text(step, f"{place}: {opened.episode.task.instruction}")

    def _show_task_error(self, step: JudgedStep, error: Exception) -> None:
        self._show_task_text(step, error_text(error))

    def _show_task_text(self, step: JudgedStep, text: str) -> None:
        if step is self._shown:
            self._task.setText(breakable(text))

    def _screenshot(self, step: JudgedStep) -> MarkedScreenshot:
        action = drawn(step.truth, off=-_APART)
        assert action is not None
        path = self._scored.root / screenshot_path(step.episode_id, step.step)
        return MarkedScreenshot(path, action, step.box, Size(GRID, GRID), drawn(step.said, off=_APART))

    # Layout.

    def _lay_out(self) -> None:
        found = self._scored.found
        self._list.selectionModel().currentRowChanged.connect(
            lambda now, _before: self._show_step(self._model.at(now.row()))
        )
        self._list.setWordWrap(False)
        allow_sorting(self._list)
        if found.against is not None:
            one, other = found.model, on_one_line(found.against.model)
            self._which.offer([("", f"Wrong: {one}"), ("only this", f"Wrong only: {one}"),
                               ("only the other", f"Wrong only: {other}"), ("both", "Wrong: both")])  # fmt: skip
            self._which.currentIndexChanged.connect(self._choose_which)
        self._which.setVisible(found.against is not None)
        self._which.setToolTip("Choose the steps")
        legend = column(row(_swatch(MARK), (self._truth, 1)), row(_swatch(PREDICTED), (self._predicted, 1)),
                        self._other, spacing=2)  # fmt: skip
        drawn_step = column(self._task, legend, (self._canvas, 1), spacing=6)
        head = row((self._heading, 1), self._all, fix_width(self._which, 240))
        fill_column(self, head, (row((self._list, 5), (drawn_step, 4), spacing=12), 1), spacing=8)


def _swatch(colour: QColor) -> QLabel:
    label = QLabel()
    label.setPixmap(icon("circle_double", colour).pixmap(16, 16))
    label.setAlignment(Qt.AlignmentFlag.AlignTop)
    return label


def _answer_text(answer: str | None) -> str:
    return _NOTHING if answer is None else on_one_line(answer)


def _colour(is_right: bool | None) -> QColor | None:
    return None if is_right is None else Theme.current().success if is_right else Theme.current().danger


_COLUMNS: list[TableColumn[JudgedStep]] = [
    TableColumn("Episode", lambda step: step.episode_id, width=142),
    TableColumn(
        "Step", lambda step: str(step_number(step.step)), order=lambda step: step.step, width=46, is_number=True
    ),
    TableColumn("True", lambda step: on_one_line(step.truth), tip=lambda step: breakable(step.truth)),
    TableColumn("Predicted", lambda step: _answer_text(step.said), tip=lambda step: breakable(step.said or "")),
    TableColumn(
        "Verdict",
        lambda step: step.verdict,
        order=lambda step: (step.verdict.partition(" ")[2], -step.apart),
        colour=lambda step: _colour(step.is_right),
        width=122,
    ),
    TableColumn(
        "Other model",
        lambda step: _answer_text(step.other_said),
        tip=lambda step: breakable(step.other_said or ""),
        colour=lambda step: _colour(step.other_right),
        width=130,
    ),
]
