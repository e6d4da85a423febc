"""The four splits of a dataset, their leaks from test into train, and what making them again would move."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTableView, QWidget

from odyssey_recorder.dataset.layout import SPLITS
from odyssey_recorder.figures.figure import CountGrid, Figure
from odyssey_recorder.gui.dataset.commands import DatasetCommand
from odyssey_recorder.gui.figures.figures_pane import figure_card
from odyssey_recorder.gui.frame.background import Background, Job, JobState, error_text
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.job_card import ReadingLine
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.layouts import labelled, notice, pile, scroll_area
from odyssey_recorder.gui.kit.parts import (
    CheckBox,
    Choice,
    breakable,
    fill_column,
    number_field,
    push_button,
    row,
    set_kind,
    text_label,
)
from odyssey_recorder.gui.kit.table import TableColumn, rows_table
from odyssey_recorder.gui.screen.step_strip import SEVERITY_GLYPHS, severity_colour
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.model.plain_text import counted, few
from odyssey_recorder.services.splits import (
    PlannedSplits,
    PresentSplits,
    UsedEpisodes,
    count_moves,
    plan_splits,
    propose_rules,
    read_episodes,
    read_present_splits,
    write_splits,
)
from odyssey_recorder.splits.drawing import DrawnSplit, DrawRules, Unit
from odyssey_recorder.splits.leaks import Leak, LeakReport

_ROW_PX = 30
_LEAST_PX = 620
_KEPT = "These splits continue a release: its episodes stay in their parts, and its rules apply."
_DRAWN_AGAIN = "Scores on the new test parts aren't comparable with scores on the released ones."
_DRAWN_BY = {
    "random": "random tasks",
    "task": "random templates of each category",
    "device": "named devices",
    "app": "the least used apps of each class",
}


_T = TypeVar("_T")
_LeakRow = tuple[str, Leak]


class SplitsView(QWidget):
    """Reads off the GUI thread whenever it is shown; the last splits stay on screen meanwhile."""

    splits_written = Signal()

    def __init__(self, root: Path, background: Background, commands: Commands) -> None:
        super().__init__()
        self._root = root
        self._background = background
        self._commands = commands
        self._job: Job | None = None
        self._found: PresentSplits | None = None
        self._status = ReadingLine("Reading the splits")
        self._message = Banner(can_dismiss=True)
        self._remark = Banner()
        self._area = scroll_area(name="Splits and their leaks")
        commands.bind(self, {DatasetCommand.MAKE_SPLITS: self._make})
        head = row(text_label("Splits", "title"), self._status, None, commands.button(DatasetCommand.MAKE_SPLITS))
        fill_column(self, head, self._message, self._remark, (self._area, 1), spacing=10)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self.refresh()

    def refresh(self) -> None:
        if self._job is None:
            self._message.end("reading")
            self._job = self._background.start(
                "Reading the splits", lambda progress, _: read_present_splits(self._root, progress), self._take,
                can_cancel=False,
            )  # fmt: skip
            self._job.changed.connect(self._tell)
            self._job.ended.connect(self._end)
            self._tell()

    def _take(self, found: PresentSplits) -> None:
        if found != self._found:
            self._found = found
            before = self._area.verticalScrollBar().value()
            self._area.setWidget(_sheet(found))
            self._area.verticalScrollBar().setValue(before)
        self._remark.hide()
        if remarks := list(map(breakable, _remarks(found, self._root))):
            first, *more = remarks
            self._remark.show_message(Tone.WARNING, first, "\n".join(more))

    def _end(self) -> None:
        job, self._job = self._job, None
        if job is not None and job.state is JobState.FAILED:
            self._message.show_message(
                Tone.DANGER,
                "Couldn't check the splits. Fix or remove the file, then open Splits again.",
                breakable(job.error),
                cause="reading",
            )
        self._tell()

    def _tell(self) -> None:
        text = "" if self._job is None else self._job.text or "Reading the splits…"
        self._status.show_text(text, is_reading=self._job is not None)

    def _make(self) -> None:
        dialog = MakeSplitsDialog(self._root, self._background, self)
        dialog.confirmed.connect(self._write)
        dialog.open()

    def _write(self, planned: PlannedSplits) -> None:
        self._commands.enable(DatasetCommand.MAKE_SPLITS, on=False, why="The splits are being saved.")
        self._background.run(partial(write_splits, self._root, planned), self._show_result, self._show_result)

    def _show_result(self, error: Exception | None) -> None:
        self._commands.enable(DatasetCommand.MAKE_SPLITS, on=True)
        if error is not None:
            self._message.show_message(Tone.DANGER, "Couldn't save the splits.", breakable(error_text(error)))
            return
        self._message.show_message(Tone.SUCCESS, "Splits saved.", breakable(str(self._root / SPLITS)))
        self.splits_written.emit()
        self.refresh()


class MakeSplitsDialog(Dialog):
    """Asks for the rules and shows what a plan by them would move; `confirmed` gives the plan to write."""

    confirmed = Signal(object)

    def __init__(self, root: Path, background: Background, parent: QWidget | None = None) -> None:
        super().__init__("Make splits", parent)
        self._root = root
        self._background = background
        self._used: UsedEpisodes | None = None
        self._proposed, self._are_fixed = DrawRules(), False
        self._planned: PlannedSplits | None = None
        self._share = number_field("Test share of the random split", 20, 99)
        self._seed = number_field("First seed to try", 0, 999_999)
        self._unit = Choice("What the random split keeps together")
        self._device = Choice("Test device of the device split")
        self._effect = text_label(kind="hint")
        self._reshuffle = CheckBox("Move released episodes too")
        self._report = text_label()
        self._plan = push_button("Preview", "Show the changes without saving them", "primary", self._start_plan)
        self._write = push_button("Save splits", "Save these splits in the dataset", "", self._confirm)
        self._lay_out()
        self._work(lambda: (read_episodes(root), propose_rules(root)), self._take, "Reading the episodes…")

    @property
    def _rules(self) -> DrawRules | None:
        """None for those of the release."""
        if self._are_fixed and not self._reshuffle.isChecked():
            return None
        unit = cast(Unit, self._unit.value)
        share, devices = self._share.value() / 100, tuple(self._device.value.split("\n"))
        return replace(self._proposed, seed=self._seed.value(), share=share, unit=unit, devices=devices)

    def _take(self, ready: tuple[UsedEpisodes, tuple[DrawRules, bool]]) -> None:
        self._used, (self._proposed, self._are_fixed) = ready
        devices = self._proposed.devices
        names = sorted({episode.device for episode in self._used.facts if episode.device} | {*devices})
        offered = [(name, name) for name in names]
        if len(devices) > 1:
            offered.insert(0, ("\n".join(devices), ", ".join(devices)))
        self._device.offer(offered)
        for part in (self._reshuffle, self._effect):
            part.setVisible(self._are_fixed)
        self._propose()

    def _propose(self) -> None:
        rules = self._proposed
        self._effect.setText(_DRAWN_AGAIN if self._reshuffle.isChecked() else _KEPT)
        self._device.choose("\n".join(rules.devices))
        self._unit.choose(rules.unit)
        self._share.setValue(round(100 * rules.share))
        self._seed.setValue(rules.seed)
        self._forget()

    def _start_plan(self) -> None:
        assert self._used is not None
        again = self._reshuffle.isChecked()
        call = partial(_planned, self._root, self._used, self._rules, reshuffle=again)
        self._work(call, self._show_plan, "Calculating the splits…")

    def _show_plan(self, plan: tuple[PlannedSplits, Sequence[str]]) -> None:
        self._planned, lines = plan
        self._tell("\n".join(lines))
        self._enable(on=True)

    def _confirm(self) -> None:
        self.confirmed.emit(self._planned)
        self.accept()

    def _work(self, call: Callable[[], _T], take: Callable[[_T], None], text: str) -> None:
        self._enable(on=False)
        self._tell(text)
        self._background.run(call, take, self._fail, of=self)

    def _fail(self, error: Exception) -> None:
        self._planned = None
        self._tell(breakable(error_text(error)))
        self._enable(on=self._used is not None)

    def _forget(self) -> None:
        """The rules differ from those of the plan."""
        self._planned = None
        lines = ["Press “Preview” to see the changes."]
        if self._used is not None:
            lines += _left_out(self._used)
        self._tell("\n".join(lines))
        self._enable(on=True)

    def _tell(self, text: str) -> None:
        self._report.setText(text)
        self._report.setMinimumHeight(0)  # or else the label would never shrink
        self._report.setMinimumHeight(self._report.heightForWidth(self._report.width()))
        self.adjustSize()

    def _enable(self, *, on: bool) -> None:
        is_free = on and (not self._are_fixed or self._reshuffle.isChecked())
        for field in (self._share, self._seed, self._unit, self._device):
            field.setEnabled(is_free)
        for part in (self._reshuffle, self._plan):
            part.setEnabled(on)
        is_planned = on and self._planned is not None
        self._write.setEnabled(is_planned)
        for button, is_next in ((self._plan, not is_planned), (self._write, is_planned)):
            set_kind(button, "primary" if is_next else "")
            button.setDefault(is_next)

    def _lay_out(self) -> None:
        self._share.setSuffix("%")
        self._seed.setMinimum(0)
        self._unit.offer([("take", "All recordings of a task"), ("episode", "Nothing")])
        self._unit.setToolTip(self._unit.accessibleName())
        self._device.setToolTip(self._device.accessibleName())
        self._reshuffle.setToolTip("Released episodes may move between train and test")
        for part in (self._reshuffle, self._effect):
            part.hide()
        for field in (self._share, self._seed):
            field.valueChanged.connect(self._forget)
        for choice in (self._unit, self._device):
            choice.currentIndexChanged.connect(self._forget)
        self._reshuffle.toggled.connect(self._propose)
        numbers = row(
            (labelled("Test share of the random split", self._share), 1), (labelled("First seed", self._seed), 1)
        )
        cancel = push_button("Cancel", "Change nothing (Esc)", call=self.reject)
        self.fill(text_label("Divide the episodes into train and test", "title"), numbers,
            labelled("The random split keeps together", self._unit),
            labelled("Test device of the device split", self._device),
            self._reshuffle, self._effect, self._report, row(None, cancel, self._plan, self._write), width=_LEAST_PX,
        )  # fmt: skip


def _planned(
    root: Path, used: UsedEpisodes, rules: DrawRules | None, *, reshuffle: bool
) -> tuple[PlannedSplits, Sequence[str]]:
    """The plan, and what it would change in words; off the GUI thread."""
    planned = plan_splits(root, used, rules, reshuffle=reshuffle)
    moves, lines = count_moves(root, planned), []
    for kind, drawn in planned.drawing.drawn.items():
        changes = f"{counted(moves[kind], 'episodes')} would move" if kind in moves else "new"
        train, test = len(drawn.split.train), len(drawn.split.test)
        lines.append(f"{kind}: {train:,} train, {test:,} test ({drawn.split.share:.1%}), {changes}")
        if not drawn.is_near:
            lines.append(_distance_text(drawn))
    errors = sum(leak.severity == "error" for split in planned.record.leaks.splits for leak in split.leaks)
    lines.append(f"Leaks: {counted(errors, 'errors')}.")
    return planned, [*lines, *planned.record.missing.values()]


def _distance_text(drawn: DrawnSplit) -> str:
    return f"{drawn.split.kind}: the test part misses its target by more than 3 points, {drawn.target:.1%} in test."


def _left_out(used: UsedEpisodes) -> Iterator[str]:
    if used.retired:
        yield f"{counted(used.retired, 'retired episodes')} left out."
    if ids := [*used.unread]:
        yield f"{counted(ids, 'episodes')} left out, damaged or by agents: {few(ids)}. Review repairs damaged ones."


def _remarks(found: PresentSplits, root: Path) -> Iterator[str]:
    if found.foreign:
        elsewhere = f"Move them out of {root / SPLITS}: the published converter opens every file there."
        yield f"These files aren't splits: {', '.join(found.foreign)}. {elsewhere}"
    if found.problem:
        yield found.problem
    if found.changed:
        yield f"{counted(found.changed, 'episodes')} added or removed since. Make the splits again."
    yield from (_distance_text(drawn) for drawn in found.splits if not drawn.is_near)
    yield from {} if found.record is None else found.record.missing.values()
    yield from (f"Left out: {why}" for why in found.unread)


# Display.


def _sheet(found: PresentSplits) -> QWidget:
    cards = list[QWidget]()
    nothing = ("No splits yet.", "Press “Make splits…” to divide the episodes into train and test.")
    cards.append(_split_table(found) if found.splits else notice(*nothing))
    if found.leaks is not None:
        rows = [(split.kind, leak) for split in found.leaks.splits for leak in split.leaks]
        cards.append(text_label("Leaks between train and test", "title"))
        if not found.leaks.with_screenshots:
            cards.append(text_label("Screenshots are not compared here; “splits check --screenshots” does.", "hint"))
        cards.append(_leak_table(rows) if rows else text_label("None found.", "hint"))
        cards.append(figure_card(_overlap_figure(found.leaks), lambda _: None))
    return pile(*cards, right=6, spacing=12)


def _split_table(found: PresentSplits) -> QTableView:
    record = found.record

    def drawn_by(drawn: DrawnSplit) -> str:
        if record is None:
            return "elsewhere"
        is_single = drawn.split.kind == "random" and record.rules.unit == "episode"
        return "random episodes" if is_single else _DRAWN_BY.get(drawn.split.kind, "")

    columns: list[TableColumn[DrawnSplit]] = [
        TableColumn("Split", lambda drawn: drawn.split.kind, width=100, is_bold=lambda _: True),
        TableColumn("Train", lambda drawn: f"{len(drawn.split.train):,}", width=80, is_number=True),
        TableColumn("Test", lambda drawn: f"{len(drawn.split.test):,}", width=80, is_number=True),
        TableColumn("Test share", lambda drawn: f"{drawn.split.share:.1%}", width=110, is_number=True),
        TableColumn(
            "Target", lambda drawn: "" if drawn.target is None else f"{drawn.target:.1%}", width=80, is_number=True
        ),
        TableColumn("Seed", lambda drawn: "" if drawn.seed is None else str(drawn.seed), width=70, is_number=True),
        TableColumn("Drawn from", drawn_by, tip=drawn_by),
        TableColumn("Held out", lambda drawn: few(drawn.held), tip=lambda drawn: ", ".join(drawn.held)),
    ]
    return rows_table("Splits", columns, found.splits, _ROW_PX)


class _SeverityColumn(TableColumn[_LeakRow]):
    def data(self, row: _LeakRow, role: int) -> object:
        if role != Qt.ItemDataRole.DecorationRole:
            return super().data(row, role)
        severity = Severity(row[1].severity)
        return icon(SEVERITY_GLYPHS[severity], severity_colour(severity))


def _leak_table(rows: Sequence[_LeakRow]) -> QTableView:
    def what(row: _LeakRow) -> str:
        values = f": {few(row[1].values)}" if row[1].values else ""
        return f"{row[0]} {row[1].found}{values}"

    columns: list[TableColumn[_LeakRow]] = [
        TableColumn("Level", lambda row: row[1].level, width=60),
        _SeverityColumn("Severity", lambda row: row[1].severity, width=110),
        TableColumn("What", what, tip=what),
        TableColumn("Episodes", lambda row: f"{len(row[1].ids):,}" if row[1].ids else "", width=84, is_number=True),
        TableColumn("Test share", lambda row: f"{row[1].share:.1%}" if row[1].share else "", width=76, is_number=True),
        TableColumn(
            "Episode ids", lambda row: few(row[1].ids, 1), width=230, tip=lambda row: "\n".join(row[1].ids[:20])
        ),
    ]
    return rows_table("Leaks", columns, rows, _ROW_PX)


def _overlap_figure(report: LeakReport) -> Figure:
    kinds = tuple(report.crossed)
    counts = tuple(tuple(report.crossed[kind].get(other, 0) for other in kinds) for kind in kinds)
    rows, columns = tuple(f"test of {kind}" for kind in kinds), tuple(f"train of {kind}" for kind in kinds)
    grid = CountGrid("", "episodes", rows, columns, counts)
    text = "L8: episodes of a test part that are in the train part of another split. Train for all four tests only on "
    return Figure("crossed", "Between the splits", (grid,), f"{text}metadata/train_in_all.txt.")
