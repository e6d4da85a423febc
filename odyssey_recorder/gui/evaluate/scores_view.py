"""The scores as tables: of the whole, of another model, published ones, confusion and groups; and what does not fit."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTableView, QVBoxLayout, QWidget

from odyssey_recorder.evaluation.answers import KINDS
from odyssey_recorder.evaluation.leaderboard import TEXTS, brief
from odyssey_recorder.evaluation.report import Evaluation, shown
from odyssey_recorder.evaluation.scores import COLUMNS, Figures, paper_columns
from odyssey_recorder.figures.figure import CountGrid, Figure
from odyssey_recorder.gui.figures.figures_pane import figure_card
from odyssey_recorder.gui.kit.layouts import notice, pile, scroll_area
from odyssey_recorder.gui.kit.parts import Choice, breakable, fill_column, fix_width, row, text_label
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, allow_sorting, rows_table, table_view
from odyssey_recorder.model.plain_text import on_one_line
from odyssey_recorder.services.evaluation import ScoredFiles

_ROW_PX = 28
_FIGURE_PX, _INTERVAL_PX, _NAME_PX, _SOURCE_PX = 84, 122, 106, 190
_LONGEST_NAME = 14
_PUBLISHED = 4
"""Columns of published results for which there is room: the AMS and SR of a model and its source."""
_GROUPS = {
    "category": "category", "device": "device", "app_class": "kind of app", "length": "length of the episode",
    "action": "true action", "position": "position in the episode",
}  # fmt: skip
_TEXT_HEADS = ("Source", *TEXTS)
_WIDE_HEADS = ("95%", "AMS, alternatives")
_STEP_GROUPS = ("action", "position")

_Row = Sequence[object]


class ScoresView(QWidget):
    """Every title names the protocol. A cell of the confusion matrix is chosen by its true and predicted kind."""

    cell_chosen = Signal(object)

    def __init__(self, scored: ScoredFiles) -> None:
        super().__init__()
        self._scored = scored
        found = scored.found
        self._by = Choice("Group by")
        self._by.offer([(key, f"By {text}") for key, text in _GROUPS.items() if found.by.get(key)])
        self._by.setToolTip("Choose the groups")
        self._by.currentIndexChanged.connect(self._show_groups)
        self._groups = QVBoxLayout()
        groups = row(_title(found, "Groups"), None, fix_width(self._by, 220))
        above = (*_head(scored), *_tables(scored), self._confusion())
        sheet = pile(*above, 4, groups, self._groups, right=6, spacing=10)
        fill_column(self, (scroll_area(sheet, "Scores"), 1))
        self._show_groups()

    def _confusion(self) -> QWidget:
        found = self._scored.found
        filters = tuple(tuple(f"{y} {x}" for x in range(len(COLUMNS))) for y in range(len(KINDS)))
        grid = CountGrid(
            "", "true action", KINDS, COLUMNS, tuple(map(tuple, found.confusion)), filters=filters, by_row=True
        )
        note = "Rows are true actions, columns predicted ones. A click on a cell shows its steps."
        figure = Figure("confusion", f"Confusion of the actions, protocol {found.asked.protocol}", (grid,), note)
        return figure_card(figure, lambda cell: self.cell_chosen.emit(tuple(map(int, cell.split()))))

    def _show_groups(self) -> None:
        while (old := self._groups.takeAt(0)) is not None and (table := old.widget()) is not None:
            table.deleteLater()
        by = self._by.value
        table = _group_table(by, self._scored.found.by.get(by, {}), self._scored.other_by.get(by))
        self._groups.addWidget(table)


def problems_view(scored: ScoredFiles) -> QWidget:
    """What does not fit, with its file and place there."""
    found = scored.found
    rows = [(Path(name).name, text) for name, fit in found.fits for text in fit.problems]
    rows += [("The dataset", text) for text in found.unread]
    lines = (f"{Path(name).name}: {fit.predictions:,} predictions: {fit.counts}" for name, fit in found.fits)
    columns = [
        TableColumn[tuple[str, str]]("File", lambda problem: on_one_line(problem[0]), width=220),
        TableColumn[tuple[str, str]](
            "What", lambda problem: on_one_line(problem[1]), tip=lambda problem: breakable(problem[1])
        ),
    ]
    hints = [text_label(breakable(text.rstrip(": ") + "."), "hint") for text in lines]
    if not rows:
        return pile(*hints, notice("No problems.", "Every step has one prediction, and every prediction a step."))
    view, model = QWidget(), TableModel(columns)
    model.show(rows)
    table = table_view("Problems", model, _ROW_PX)
    model.setParent(table)
    fill_column(view, *hints, (table, 1))
    return view


def leaderboard_view(found: Sequence[Evaluation], save: QWidget) -> QWidget:
    """All that was scored since the window was opened; `save` is the button that writes it to a file."""
    heads, *rows = brief(found)
    table = _table("Leaderboard", heads, rows)
    allow_sorting(table)
    title = row(text_label("Leaderboard", "title"), None, save)
    hint = "Scores of different protocols are different metrics. Score another file, split or protocol to add a row."
    return pile(title, text_label(hint, "hint"), table, spacing=10)


def _head(scored: ScoredFiles) -> Iterator[QWidget]:
    found, asked = scored.found, scored.found.asked
    part = f"split {asked.split}, test" if asked.split else "all episodes"
    yield text_label(f"Protocol {asked.protocol} · {part} · {asked.level}-level instructions · in percent", "title")
    counts = f"{found.whole.steps:,} steps judged; {found.whole.episodes:,} episodes count for SR."
    names = f"{found.model} ({Path(asked.predictions).name})"
    if found.against is not None:
        names += f" and {on_one_line(found.against.model)} ({Path(found.against.predictions).name})"
    yield text_label(breakable(f"{names} on {asked.dataset}. {counts}"), "hint")
    yield from (text_label(note, "hint") for note in found.notes)


def _tables(scored: ScoredFiles) -> Iterator[QWidget]:
    found = scored.found
    yield _score_table(scored)
    text = f"Intervals are those of 10,000 samples of {found.units}, for SR Wilson's."
    if found.against is not None:
        text += f" Differences are on the {found.against.episodes:,} episodes that both have."
    yield text_label(text, "hint")
    if found.changes:
        yield _title(found, "What each rule changes, one after the other")
        rows: list[_Row] = [(change.switch, change.ams, change.sr, change.changed) for change in found.changes]
        yield _table("Rules of strict", ("Rule", "AMS", "SR", "Steps scored differently"), rows, wide=(3,))
    if found.published:
        yield _title(found, "Published results")
        heads, rows_of_all = found.published_table
        yield _table("Published results", heads[:_PUBLISHED], [cells[:_PUBLISHED] for cells in rows_of_all])


def _score_table(scored: ScoredFiles) -> QTableView:
    found, against = scored.found, scored.found.against
    names = ("type_match", "click", "text", "progress", "tss", "readable")

    def of(whole: Figures) -> list[object]:
        return [whole.ams, "", whole.sr, *(getattr(whole, name) for name in names)]

    labels, values, _ = zip(*found.rows, strict=True)
    intervals = {0: found.ams_interval, 2: found.sr_interval}
    columns = [labels, values, [intervals.get(at, "") for at in range(len(labels))]]
    heads = ["Score", _short(found.model), "95%"]
    if found.alternatives is not None:
        heads.append("Alternatives")
        columns.append(of(found.alternatives.whole))
    if against is not None and scored.other is not None:
        heads += [_short(against.model), "Difference", "95%"]
        more = {
            0: (_signed(against.ams_more), against.ams_interval),
            2: (_signed(against.sr_more), against.sr_interval),
        }
        theirs = [] if found.other is None else [*paper_columns(found.other).values()]
        columns += [
            [*of(scored.other), *theirs],
            *zip(*(more.get(at, ("", "")) for at in range(len(labels))), strict=True),
        ]
    return _table("Scores", heads, [*zip_longest(*columns, fillvalue="")], wide=(1, 3))


def _signed(more: float | None) -> str:
    return shown(None) if more is None else f"{more:+.2f}"


def _group_table(by: str, groups: Mapping[str, Figures], others: Mapping[str, Figures] | None) -> QTableView:
    middle_heads = ["Other AMS", "Difference", "Type match"] if others is not None else ["Type match", "Click acc."]
    last = ["Readable"] if by in _STEP_GROUPS else ["SR"] if others is not None else ["SR", "Progress"]
    heads = [_GROUPS[by].capitalize(), "Steps", "AMS", *middle_heads, *last]
    rows: list[_Row] = []
    for label, group in groups.items():
        theirs = others[label].ams if others is not None and label in others else None
        more = None if theirs is None or group.ams is None else theirs - group.ams
        cells = {
            "Steps": group.steps, "AMS": group.ams, "Other AMS": theirs, "Difference": _signed(more),
            "Type match": group.type_match, "Click acc.": group.click, "Readable": group.readable, "SR": group.sr,
            "Progress": group.progress,
        }  # fmt: skip
        rows.append([label.replace("_", " "), *(cells[head] for head in heads[1:])])
    table = _table(f"By {_GROUPS[by]}", heads, rows)
    allow_sorting(table)
    return table


def _table(name: str, heads: Sequence[str], rows: Sequence[_Row], *, wide: Sequence[int] = ()) -> QTableView:
    """The first column takes the remaining width; `wide` ones have longer heads."""
    columns: list[TableColumn[_Row]] = []
    for at, head in enumerate(heads):
        px = _NAME_PX if at in wide else _INTERVAL_PX if head in _WIDE_HEADS else _FIGURE_PX
        px = _SOURCE_PX if head == "Source" else px
        columns.append(
            TableColumn(
                head, partial(_text, at), width=px if at else 0, is_number=at > 0 and head not in _TEXT_HEADS,
                order=partial(_order, at), tip=partial(_text, at),
            )
        )  # fmt: skip
    view = rows_table(name, columns, rows, _ROW_PX)
    view.setWordWrap(False)
    return view


def _text(at: int, cells: _Row) -> str:
    return on_one_line(shown(cells[at]))


def _order(at: int, cells: _Row) -> tuple[float, str]:
    value = cells[at]
    return (float(value), "") if isinstance(value, int | float) else (-1.0, str(value))


def _title(found: Evaluation, text: str) -> QWidget:
    return text_label(f"{text}, protocol {found.asked.protocol}", "title")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
