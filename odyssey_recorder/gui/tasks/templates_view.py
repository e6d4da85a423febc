"""The view where a lead browses templates, generates tasks, and asks a model for new templates."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.frame.background import error_text
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.keyboard import offer_focus
from odyssey_recorder.gui.frame.panels import Panels
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.parts import Choice, SearchField, fill_column, row, text_label
from odyssey_recorder.gui.kit.table import allow_sorting, table_view
from odyssey_recorder.gui.kit.task_text import CATEGORIES
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.generate_dialog import ProposeDialog
from odyssey_recorder.gui.tasks.preparation import LoadedTemplates, TaskServiceBridge
from odyssey_recorder.gui.tasks.team_dialog import TeamDialog
from odyssey_recorder.gui.tasks.template_card import TemplateCard
from odyssey_recorder.gui.tasks.template_table import CATEGORY, LEFT, ROLES, template_rows, template_table
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.services.tasks import ModelChoice
from odyssey_recorder.tasks.templates.team import Team
from odyssey_recorder.tasks.templates.template import Template
from odyssey_recorder.tasks.wording.proposing import Proposal

_PROPOSED, _GENERATED = 5, 20
_ROW_PX = 44
_WIDE_PX = 1180
_WIDTHS = {CATEGORY: 190, ROLES: 190, LEFT: 150}


class TemplatesView(QWidget):
    """A table of templates and a card for one; proposals come first until kept or dropped."""

    propose_requested = Signal(object)
    """The templates that a model should propose, as a ModelChoice of one category."""
    generate_requested = Signal(object)
    """Likewise the tasks to generate."""

    def __init__(self, bridge: TaskServiceBridge, commands: Commands) -> None:
        super().__init__()
        self._bridge = bridge
        self._commands = commands
        self._loaded: LoadedTemplates | None = None
        self._current = ""
        self._is_proposing = False
        self.search = SearchField("Search templates", "Words of the template, a role or an id")
        self._category, self._catalogue = Choice("Templates of category"), Choice("Templates for the apps of")
        self._count = text_label(kind="hint")
        self._message = Banner(commands.button(TasksCommand.DISMISS_TASKS, kind="quiet", wordless=True))
        self._proposals: tuple[Proposal, ...] = ()
        self._table = template_table(self)
        self._view = table_view("Templates", self._table, _ROW_PX)
        self.home = self._view
        allow_sorting(self._view)
        self._card = TemplateCard(commands)
        self._category.offer([("", "All categories"), *CATEGORIES])
        self._catalogue.offer([("", "All apps")])
        self._lay_out()
        self._connect()
        self._show_current()

    def show_proposing(self, on: bool) -> None:
        """Disable asking for proposals while a model works on some."""
        self._is_proposing = on
        self._allow()

    def show_proposals(self, proposals: Sequence[Proposal]) -> None:
        self._current = proposals[0].template.template_id if proposals else self._current
        self._propose((*proposals, *self._proposals))
        offer_focus(self._view)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for column, width in _WIDTHS.items():
            self._view.setColumnWidth(column, width if self.width() >= _WIDE_PX else self._table.columns[column].width)

    def _show_loaded(self, loaded: LoadedTemplates) -> None:
        self._loaded = loaded
        catalogues = [(name, catalogue.title) for name, catalogue in loaded.library.catalogues.items()]
        self._catalogue.offer([("", "All apps"), *catalogues])
        self._keep_current(self._show_rows)
        self._allow()

    def _ask_to_think(self) -> None:
        if self._loaded is not None:
            category = Category(self._category.value or next(iter(Category)))
            preset = ModelChoice(_PROPOSED, 1, self._catalogue.value, frozenset({category}), self._loaded.names_apps)
            dialog = ProposeDialog(self._loaded, preset, self)
            dialog.accepted.connect(lambda: self.propose_requested.emit(dialog.choice))
            dialog.open()

    def _ask_for_team(self) -> None:
        loaded = self._loaded
        if loaded is None:
            return
        catalogues, team = loaded.library.catalogues, loaded.team
        if team.catalogue not in catalogues:  # there is no file yet
            team = Team(catalogue=next(iter(catalogues)))
        dialog = TeamDialog(team, catalogues[team.catalogue], self)
        dialog.changed.connect(partial(self._save_team, dialog))
        dialog.open()

    def _save_team(self, dialog: TeamDialog, team: Team) -> None:
        dialog.accepted.connect(self._bridge.read_templates)
        self._bridge.carry_out(
            lambda service: service.change_team(team),
            lambda _saved: dialog.accept(),
            lambda error: dialog.show_failure(error_text(error)),
        )

    def _use(self) -> None:
        """Keep the chosen proposal, or generate tasks like those of the chosen template."""
        shown = self._table.at(self._view.currentIndex().row())
        if shown is not None and shown.proposal is not None:
            self._commands[TasksCommand.KEEP_TEMPLATE].trigger()
        elif shown is not None and self._loaded is not None:
            of, names_apps = shown.template, self._loaded.names_apps
            preset = ModelChoice(_GENERATED, 1, of.catalogue, frozenset({of.category}), names_apps)
            self.generate_requested.emit(preset)

    def _keep(self) -> None:
        shown = self._table.at(self._view.currentIndex().row())
        proposal = shown.proposal if shown is not None else None
        if proposal is not None:
            self._bridge.carry_out(lambda service: service.keep(proposal), lambda kept: self._take_kept(proposal, kept))

    def _take_kept(self, proposal: Proposal, kept: Template) -> None:
        self._forget(proposal)
        self._current = kept.template_id
        where = f" in {kept.source}" if kept.source is not None else ""
        self._message.show_message(Tone.SUCCESS, f"Template {kept.template_id} saved{where}.")
        self._bridge.read_templates()

    def _drop(self) -> None:
        shown = self._table.at(self._view.currentIndex().row())
        if shown is not None and shown.proposal is not None:
            self._forget(shown.proposal)

    def _forget(self, proposal: Proposal) -> None:
        left = [other for other in self._proposals if other is not proposal]
        self._current = left[0].template.template_id if left else ""
        self._propose(left)

    def _propose(self, proposals: Sequence[Proposal]) -> None:
        self._proposals = tuple(proposals)
        self._keep_current(self._show_rows)

    def _show_rows(self) -> None:
        known = self._loaded
        library, left = (None, {}) if known is None else (known.library, known.left)
        self._table.show(template_rows(self._proposals, library, left))

    def _narrow(self) -> None:
        self._keep_current(
            lambda: self._table.narrow(
                category=self._category.value,
                catalogue=self._catalogue.value,
                text=self.search.text().strip().casefold(),
            )
        )

    def _keep_current(self, rearrange: Callable[[], None]) -> None:
        wanted = self._current
        rearrange()
        rows = self._table.rows
        at = next((place for place, shown in enumerate(rows) if shown.template.template_id == wanted), 0)
        if rows:
            self._view.setCurrentIndex(self._table.index(at, 0))
            self._view.scrollTo(self._view.currentIndex())
        self._show_current()
        shown, total = len(rows) - len(self._proposals), self._total
        of = f"{counted(total, 'template')}" if shown == total else f"{shown:,} of {total:,} templates"
        self._count.setText(f"{of}, {counted(sum(row.left for row in rows), 'different task')} left")

    def _show_current(self) -> None:
        shown = self._table.at(self._view.currentIndex().row())
        if shown is not None:
            self._current = shown.template.template_id
        library = self._loaded.library if self._loaded is not None else None
        self._card.show_row(shown, library, self._nothing())

    def _nothing(self) -> str:
        if self._loaded is None:
            return "Reading the templates…"
        if not self._total:
            return "No templates. Press “Propose templates…”, or write one as templates/README.md explains."
        return "No matching templates. Change the search or the filters."

    @property
    def _total(self) -> int:
        return len(self._table.all) - len(self._proposals)

    def _allow(self) -> None:
        cannot = self._loaded is None or bool(self._loaded.cannot_ask)
        self._commands.enable(
            TasksCommand.SHOW_TEAM, on=self._loaded is not None and bool(self._loaded.library.catalogues)
        )
        self._commands.enable(TasksCommand.THINK_OF_TEMPLATES, on=not cannot and not self._is_proposing)

    def _connect(self) -> None:
        self._bridge.templates_loaded.connect(self._show_loaded)
        self.search.typing_paused.connect(self._narrow)
        for choice in (self._category, self._catalogue):
            choice.currentIndexChanged.connect(lambda _at: self._narrow())
        self._view.selectionModel().currentRowChanged.connect(lambda *_: self._show_current())
        self._view.activated.connect(lambda _index: self._use())
        calls = {
            TasksCommand.THINK_OF_TEMPLATES: self._ask_to_think,
            TasksCommand.SHOW_TEAM: self._ask_for_team,
            TasksCommand.KEEP_TEMPLATE: self._keep,
            TasksCommand.DROP_TEMPLATE: self._drop,
        }
        self._commands.bind(self, calls)

    def _lay_out(self) -> None:
        filters = row((self.search, 1), self._category, self._catalogue)
        self._count.setWordWrap(False)
        for choice in (self._category, self._catalogue):
            choice.setMinimumContentsLength(15)
        asking = self._commands.buttons(TasksCommand.SHOW_TEAM, TasksCommand.THINK_OF_TEMPLATES)
        actions = row(self._count, None, *asking)
        body = Panels("templates", self._commands, self._view, {"right": (self._card, 0.4)})
        fill_column(self, filters, actions, self._message, (body, 1), spacing=10)
