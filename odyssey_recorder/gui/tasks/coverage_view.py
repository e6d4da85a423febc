"""The coverage view for leads: categories by devices, classes of apps, and the largest gaps."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStyle, QWidget

from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.parts import Choice, column, fill_column, fix_width, row, say, text_label
from odyssey_recorder.gui.kit.task_text import category_text, device_text
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.coverage_table import (
    CoverageList,
    CoverageModel,
    Legend,
    TallyRow,
    board_height,
    board_view,
    place_text,
)
from odyssey_recorder.gui.tasks.preparation import LoadedTemplates, TaskServiceBridge
from odyssey_recorder.model.episode import Category
from odyssey_recorder.services.tasks import ModelChoice
from odyssey_recorder.tasks.generation.coverage import Cell, Coverage

_MOST_GAPS = 100
_LOWEST_PX = 160
_NOTHING = "No template or task uses these apps. Choose other apps, or write a template."


class CoverageView(QWidget):
    generate_requested = Signal(object)

    def __init__(self, bridge: TaskServiceBridge, commands: Commands) -> None:
        super().__init__()
        self._bridge = bridge
        self._commands = commands
        self._coverage = Coverage({}, ())
        self._names_apps = True
        self._catalogue = Choice("Coverage for the apps of")
        self._legend = Legend()
        self._nothing = text_label(_NOTHING, "hint")
        self._nothing.hide()
        self._model = CoverageModel(self)
        self._board = board_view(self._model)
        self.home = self._board
        self._classes_title = text_label(kind="field")
        self._classes = CoverageList("Kinds of app in this cell")
        self._gaps = CoverageList("Largest gaps")
        self._lay_out()
        self._connect()
        self._allow()

    def read(self) -> None:
        catalogue = self._catalogue.value
        if catalogue:
            self._bridge.look(lambda service: service.coverage(catalogue), self._show)

    @property
    def current(self) -> Cell | None:
        """The selected cell; without a device or a class of apps it stands for all."""
        category, device = self._model.cell(self._board.currentIndex())
        return (self._classes.cell or Cell(category, device, "")) if category else None

    def _show_loaded(self, loaded: LoadedTemplates) -> None:
        before = self._catalogue.value
        self._names_apps = loaded.names_apps
        self._catalogue.offer([(name, catalogue.title) for name, catalogue in loaded.library.catalogues.items()])
        if self._catalogue.value != before and not before:
            self.read()

    def _show(self, coverage: Coverage) -> None:
        before = self.current
        self._coverage = coverage
        self._model.show_coverage(coverage)
        self._board.setMaximumHeight(board_height(self._board, self._model.rowCount()))
        self._board.setVisible(bool(coverage.tallies))
        self._legend.setVisible(bool(coverage.tallies))
        say(self._nothing, "" if coverage.tallies else _NOTHING)
        self._gaps.show_rows(
            [TallyRow(cell, _gap_name(cell), coverage.tallies[cell]) for cell in coverage.emptiest[:_MOST_GAPS]]
        )
        first = coverage.emptiest[0] if coverage.emptiest else next(iter(coverage.tallies), None)
        is_there = before is not None and self._model.cell_index(before.category, before.device).isValid()
        self._turn_to(before if is_there else first)

    def _turn_to(self, cell: Cell | None) -> None:
        if cell is not None:
            self._board.setCurrentIndex(self._model.cell_index(cell.category, cell.device))
            self._show_classes()
            self._classes.turn_to(cell)
            self._gaps.turn_to(cell)
        self._allow()

    def _show_place(self) -> None:
        self._show_classes()
        self._gaps.turn_to(None)
        self._allow()

    def _show_classes(self) -> None:
        category, device = self._model.cell(self._board.currentIndex())
        whole = TallyRow(Cell(category, device, ""), "All kinds of app", self._coverage.at(category, device))
        classes = self._coverage.classes(category, device)
        worst_first = sorted(classes.items(), key=lambda entry: (-entry[1].lacking, entry[0]))
        entries = [TallyRow(Cell(category, device, name), name, tally) for name, tally in worst_first]
        self._classes_title.setText(f"{category_text(category)} on {place_text(device)}, by kind of app")
        self._classes.show_rows([whole, *entries])
        self._classes.turn_to(whole.cell)

    def _go_to_next_gap(self) -> None:
        gaps = self._coverage.emptiest[:_MOST_GAPS]
        if gaps:
            at = gaps.index(self._gaps.cell) + 1 if self._gaps.cell in gaps else 0
            self._turn_to(gaps[at % len(gaps)])

    def _fill(self) -> None:
        cell = self.current
        if cell is None:
            return
        classes = self._coverage.classes(cell.category, cell.device)
        tally = classes.get(cell.app_class) or self._coverage.at(cell.category, cell.device)
        self.generate_requested.emit(
            ModelChoice(
                count=max(1, tally.missing),
                seed=1,
                catalogue=self._catalogue.value,
                categories=frozenset({Category(cell.category)}),
                names_apps=self._names_apps,
                device=cell.device,
                app_class=cell.app_class,
            )
        )

    def _allow(self) -> None:
        self._commands.enable(TasksCommand.NEXT_GAP, on=bool(self._coverage.emptiest))
        self._commands.enable(TasksCommand.FILL_GAP, on=self.current is not None)

    def _connect(self) -> None:
        self._bridge.templates_loaded.connect(self._show_loaded)
        self._catalogue.currentIndexChanged.connect(lambda _at: self.read())
        self._board.selectionModel().currentChanged.connect(lambda *_: self._show_place())
        self._classes.cell_chosen.connect(lambda _cell: self._allow())
        self._gaps.cell_chosen.connect(self._turn_to)
        for places in (self._board, self._classes, self._gaps):
            places.activated.connect(lambda _index: self._fill())
            if not places.style().styleHint(QStyle.StyleHint.SH_ItemView_ActivateItemOnSingleClick, None, places):
                places.clicked.connect(lambda _index: self._fill())
        self._commands.bind(self, {TasksCommand.NEXT_GAP: self._go_to_next_gap, TasksCommand.FILL_GAP: self._fill})

    def _lay_out(self) -> None:
        actions = row(self._catalogue, None, *self._commands.buttons(TasksCommand.NEXT_GAP, TasksCommand.FILL_GAP))
        fix_width(self._catalogue, 240)
        self._board.setMinimumHeight(_LOWEST_PX)
        below = row(spacing=16)
        for title, places in (
            (self._classes_title, self._classes), (text_label("Largest gaps first", "field"), self._gaps),
        ):  # fmt: skip
            part = column(title, (places, 1), spacing=4)
            below.addLayout(part, 1)
        fill_column(self, actions, self._legend, self._nothing, (self._board, 3), (below, 1), spacing=10)


def _gap_name(cell: Cell) -> str:
    return f"{category_text(cell.category)} · {device_text(cell.device)} · {cell.app_class}"
