"""The Tasks page: the queue for annotators, and the views where a lead prepares tasks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QStackedWidget, QToolButton, QWidget

from odyssey_recorder.gui.bridges.queue import QueueBridge
from odyssey_recorder.gui.frame.command import Command, CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.frame.question_dialog import ask, warning_question
from odyssey_recorder.gui.frame.roles import leads
from odyssey_recorder.gui.frame.tabs import Tabs
from odyssey_recorder.gui.kit.parts import fill_column
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.coverage_view import CoverageView
from odyssey_recorder.gui.tasks.preparation import TaskServiceBridge
from odyssey_recorder.gui.tasks.prepare_view import PrepareView
from odyssey_recorder.gui.tasks.queue_view import QueueView
from odyssey_recorder.gui.tasks.task_jobs_bar import TaskJobsBar
from odyssey_recorder.gui.tasks.templates_view import TemplatesView
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.settings import Role

_VIEWS = (TasksCommand.SHOW_QUEUE, TasksCommand.SHOW_TEMPLATES, TasksCommand.SHOW_PREPARE, TasksCommand.SHOW_COVERAGE)
_OF_LEADS = (*_VIEWS, TasksCommand.GENERATE_TASKS, TasksCommand.DISMISS_TASKS)


_View = QueueView | TemplatesView | PrepareView | CoverageView


@dataclass(frozen=True, slots=True)
class _Lead:
    bridge: TaskServiceBridge
    jobs_bar: TaskJobsBar
    templates: TemplatesView
    prepare: PrepareView
    coverage: CoverageView


class TasksPage(MainPage):
    """Without a service bridge it shows only the queue."""

    def __init__(self, queue: QueueBridge, commands: Commands, bridge: TaskServiceBridge | None = None) -> None:
        super().__init__()
        self._queue = queue
        self._commands = commands
        self._queue_view = QueueView(queue, commands)
        self._lead: _Lead | None = None
        self._tabs: Tabs | None = None
        self._for_leads = True
        self._making = iter(()) if bridge is None else self._make(bridge)
        self._views: dict[Command, _View] = {TasksCommand.SHOW_QUEUE: self._queue_view}
        self._stack = QStackedWidget()
        self._stack.addWidget(self._queue_view)
        self._layout = fill_column(self, (self._stack, 1), margins=16, spacing=10)
        self._commands.bind(self, {TasksCommand.READ_TASKS: self._refresh, TasksCommand.FIND_TASK: self._search})

    def show_for(self, role: Role) -> None:
        self._for_leads = leads(role)
        if self._tabs is not None:
            self._tabs.setVisible(self._for_leads)
        if not self._for_leads:
            self._commands[TasksCommand.SHOW_QUEUE].setChecked(True)

    def fill(self) -> Iterator[None]:
        if self._for_leads:
            yield from self._making

    def enter(self) -> None:
        """Refresh the queue; its list is read again if the file has changed."""
        for _turn in self.fill():
            pass
        self._refresh()

    @property
    def home(self) -> QWidget:
        return self._views[self._shown].home

    def asks_before_closing(self, close: Callable[[], object]) -> bool:
        lead = self._lead
        if lead is None or not lead.prepare.card.unsaved:
            return False
        self._commands[CommonCommand.TASKS_PAGE].trigger()
        self._commands[TasksCommand.SHOW_PREPARE].setChecked(True)
        text = f"Close and lose unsaved text of {counted(lead.prepare.card.unsaved, 'task')}?"
        detail = "Not saved yet. Choose Save to keep your text."
        question = warning_question(text, detail, "Close", "Close the window (Enter)")
        ask(question, self, lead.prepare.card.forget_unsaved).accepted.connect(close)
        return True

    @property
    def _shown(self) -> Command:
        return next((command for command in _VIEWS if self._commands[command].isChecked()), TasksCommand.SHOW_QUEUE)

    def _refresh(self) -> None:
        self._queue.refresh()
        if (lead := self._lead) is not None:
            lead.bridge.read_templates()
            lead.bridge.read_rows()
            lead.bridge.read_holders()
            lead.coverage.read()

    def _search(self) -> None:
        shown = self._views[self._shown]
        if not isinstance(shown, CoverageView):
            shown.search.take_focus()

    # Views for leads.

    def _make(self, bridge: TaskServiceBridge) -> Iterator[None]:
        commands = self._commands
        jobs_bar = TaskJobsBar(bridge, commands)
        self._queue.failed.connect(jobs_bar.leave_to_queue)
        self._queue.board_changed.connect(lambda _board: jobs_bar.leave_to_queue(""))
        yield
        templates = TemplatesView(bridge, commands)
        yield
        prepare = PrepareView(bridge, commands)
        yield
        coverage = CoverageView(bridge, commands)
        yield
        self._lead = _Lead(bridge, jobs_bar, templates, prepare, coverage)
        self._views |= {  # in the order of the tabs
            TasksCommand.SHOW_TEMPLATES: templates,
            TasksCommand.SHOW_PREPARE: prepare,
            TasksCommand.SHOW_COVERAGE: coverage,
        }
        self._connect_views(self._lead)
        self._tabs = self._make_tabs()
        self._layout.insertWidget(0, self._tabs)
        self._layout.insertWidget(1, jobs_bar)
        commands[TasksCommand.SHOW_QUEUE].setChecked(True)
        yield

    def _connect_views(self, lead: _Lead) -> None:
        commands, bridge = self._commands, lead.bridge
        commands.belong_to(self, *_OF_LEADS)
        commands[TasksCommand.GENERATE_TASKS].triggered.connect(lambda _checked: lead.jobs_bar.ask_to_generate())
        lead.jobs_bar.generated.connect(self._show_generated)
        lead.jobs_bar.proposed.connect(lead.templates.show_proposals)
        lead.jobs_bar.rewriting.connect(lead.prepare.show_rewriting)
        lead.jobs_bar.proposing.connect(lead.templates.show_proposing)
        lead.templates.propose_requested.connect(lead.jobs_bar.propose)
        lead.prepare.ask_again.connect(lead.jobs_bar.ask_again)
        lead.prepare.rewrite_requested.connect(lead.jobs_bar.ask_to_rewrite)
        lead.templates.generate_requested.connect(lead.jobs_bar.ask_to_generate)
        lead.coverage.generate_requested.connect(lead.jobs_bar.ask_to_generate)
        lead.prepare.counted.connect(self._show_to_approve)
        bridge.holders_loaded.connect(self._queue_view.show_holders)
        bridge.board_changed.connect(self._queue.refresh)
        self._queue.board_changed.connect(lambda _board: bridge.follow_board())

    def _show_generated(self) -> None:
        if self._lead is not None:
            if self._shown is not TasksCommand.SHOW_COVERAGE:  # where the next gap comes first
                self._commands[TasksCommand.SHOW_PREPARE].setChecked(True)
            self._lead.prepare.show_to_approve()
            self._lead.coverage.read()

    def _show_to_approve(self, count: int) -> None:
        text = TasksCommand.SHOW_PREPARE.value.label
        self._commands[TasksCommand.SHOW_PREPARE].setText(f"{text} {count:,}" if count else text)

    def _show(self, view: Command) -> None:
        shown = self._views[view]
        self._stack.setCurrentWidget(shown)
        if self.isVisible() and not isinstance(self.focusWidget(), QToolButton):  # keep the focus on the tabs
            shown.home.setFocus()
        if (lead := self._lead) is not None:
            lead.jobs_bar.show_for(view)
            if view is TasksCommand.SHOW_COVERAGE:
                lead.coverage.read()

    def _make_tabs(self) -> Tabs:
        tabs = Tabs(self._commands)
        for command, view in self._views.items():
            tabs.add(command, partial(self._show, command))
            if self._stack.indexOf(view) < 0:
                self._stack.addWidget(view)
        tabs.row.addWidget(self._commands.button(TasksCommand.GENERATE_TASKS))
        return tabs
