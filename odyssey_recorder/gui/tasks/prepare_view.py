"""The view where a lead approves tasks: filters, the list, and the current task."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QTimer, Signal
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.panels import Panels
from odyssey_recorder.gui.frame.question_dialog import Question, ask, ask_why, warning_question
from odyssey_recorder.gui.kit.parts import Choice, SearchField, fill_column, row, text_label
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.preparation import LoadedTemplates, TaskServiceBridge
from odyssey_recorder.gui.tasks.prepared_card import PreparedCard
from odyssey_recorder.gui.tasks.prepared_table import (
    BY_MODEL,
    BY_PERSON,
    STAGES,
    TO_APPROVE,
    WITH_FAULTS,
    WRITERS,
    PreparedRow,
    counted,
    prepared_list,
    prepared_table,
    with_instruction,
    with_status,
)
from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.task_status import Status
from odyssey_recorder.tasks.wording.origin_text import judge_text, rule_texts

_REASONS = (
    "cannot be done on the device",
    "the apps do not fit",
    "makes no sense",
    "much like another task",
    "needs a login or a payment",
)
_REWRITING = (TasksCommand.REPHRASE_TASKS, TasksCommand.ASK_AGAIN, TasksCommand.REWRITE_TASKS, TasksCommand.REWRITE_ALL)
_NOTHING_YET = "No tasks to prepare. Press “Generate…” to make some from the templates."
_ALL_DONE = "Nothing left to approve. Press “Generate…” to make more; Coverage shows what is missing."
_NONE_LIKE_THIS = "No matching tasks. Change the search or the filters."


class PrepareView(QWidget):
    """Decides on one or many tasks; decided ones leave the list at once."""

    rewrite_requested = Signal(object, int)
    """Task ids, and how many of them a person has edited."""
    ask_again = Signal(str)
    counted = Signal(int)

    def __init__(self, bridge: TaskServiceBridge, commands: Commands) -> None:
        super().__init__()
        self._bridge = bridge
        self._commands = commands
        self._cannot_ask = ""
        self._is_rewriting = False
        self._is_read = False
        self.search = SearchField("Search tasks to prepare", "Words of the instruction, an app, a template or an id")
        self._stage, self._writer, self._category = Choice("Status"), Choice("Author"), Choice("Task category")
        self._count = text_label(kind="hint")
        self._table = prepared_table(self)
        self._view = prepared_list(self._table)
        self.home = self._view
        self.card = PreparedCard(commands)
        self._selected = QTimer(self, singleShot=True, interval=0)
        self._stage.offer([(stage, stage) for stage in STAGES])  # the first is chosen
        self._lay_out()
        self._connect()
        self._narrow()

    @property
    def chosen(self) -> Sequence[PreparedRow]:
        rows: list[PreparedRow] = []
        for part in sorted(self._view.selectionModel().selection().toList(), key=lambda part: part.top()):
            rows.extend(self._table.rows[part.top() : part.bottom() + 1])
        return rows

    def show_to_approve(self) -> None:
        self.search.clear()
        for choice, value in ((self._stage, TO_APPROVE), (self._writer, ""), (self._category, "")):
            choice.choose(value)
        self._narrow()

    def show_rewriting(self, on: bool) -> None:
        self._is_rewriting = on
        self._allow()

    def _take(self, rows: Sequence[PreparedRow]) -> None:
        self._is_read = True
        self._keep_current(lambda: self._table.show(rows))

    def _take_rewritten(self, tasks: Sequence[ListedTask]) -> None:
        known = ((self._table.all.get(task.task_id), task) for task in tasks)
        self._change([with_instruction(row, task) for row, task in known if row is not None])

    def _show_loaded(self, loaded: LoadedTemplates) -> None:
        self._cannot_ask = loaded.cannot_ask
        self._allow()

    def _approve(self) -> None:
        rows = [prepared for prepared in self.chosen if prepared.task.status in (Status.TO_APPROVE, Status.REJECTED)]
        faulty = sum(bool(prepared.faults) for prepared in rows)
        if len(rows) > 1:
            detail = f"{faulty:,} with faults." if faulty else ""
            text = f"Approve {len(rows):,} tasks at once?"
            question = warning_question(text, detail, "Approve", "Approve all of them (Enter)")
        elif faulty:
            verdict = rows[0].task.listed.text.equivalence if rows[0].task.listed.text else None
            found = "\n".join(filter(None, (*rule_texts(verdict), judge_text(verdict))))
            text = "Approve this task despite its faults?"
            question = warning_question(text, found, "Approve", "Approve it as it is (Enter)")
        else:
            self._approve_these(rows)
            return
        ask(question, self, partial(self._approve_these, rows))

    def _approve_these(self, rows: Sequence[PreparedRow]) -> None:
        tasks = [prepared.task.listed for prepared in rows]
        self._decide(rows, Status.WAITING)
        self._bridge.change(lambda service: service.approve(tasks))

    def _ask_to_reject(self) -> None:
        rows = [prepared for prepared in self.chosen if prepared.task.status in (Status.TO_APPROVE, Status.WAITING)]
        if not rows:
            return
        what = "this task" if len(rows) == 1 else f"these {len(rows):,} tasks"
        question = Question(
            title="Reject",
            question=f"Why reject {what}?",
            answer="Reject",
            tip="Reject (Enter); you can approve it later",
            cancel_tip="Keep (Esc)",
            detail=rows[0].task.listed.task.instruction if len(rows) == 1 else "",
        )
        ask_why(question, _REASONS, self, partial(self._reject, rows))

    def _reject(self, rows: Sequence[PreparedRow], reason: str) -> None:
        tasks = [prepared.task.listed for prepared in rows]
        self._decide(rows, Status.REJECTED)
        self._bridge.change(lambda service: service.reject(tasks, reason))

    def _decide(self, rows: Sequence[PreparedRow], status: Status) -> None:
        following = self._following({prepared.task_id for prepared in rows})
        self._change([with_status(prepared, status) for prepared in rows], following)
        self._view.setFocus()

    def _save_instruction(self, task_id: str, text: str) -> None:
        self._bridge.change(lambda service: [service.edit(task_id, text)], self._take_rewritten)

    def _ask_to_rewrite(self) -> None:
        rows = [prepared for prepared in self.chosen if prepared.task.status is Status.TO_APPROVE]
        self.rewrite_requested.emit(
            [prepared.task_id for prepared in rows], sum(prepared.writer == BY_PERSON for prepared in rows)
        )

    def _ask_to_rewrite_all(self) -> None:
        """All listed tasks except those that a person has edited."""
        rows = [
            prepared
            for prepared in self._table.rows
            if prepared.task.status is Status.TO_APPROVE and prepared.writer != BY_PERSON
        ]
        self.rewrite_requested.emit([prepared.task_id for prepared in rows], 0)

    def _ask_again(self) -> None:
        current = self._table.at(self._view.currentIndex().row())
        if current is not None:
            self.ask_again.emit(current.task_id)

    def _rephrase(self) -> None:
        ids = [
            prepared.task_id
            for prepared in self.chosen
            if prepared.task.status is Status.TO_APPROVE and prepared.writer == BY_MODEL
        ]
        self._bridge.change(lambda service: service.rephrase(ids), self._take_rewritten)

    def _following(self, gone: set[str]) -> str:
        at = self._view.currentIndex().row()
        below, above = range(at, self._table.rowCount()), range(at - 1, -1, -1)
        for place in (*below, *above):
            shown = self._table.at(place)
            if shown is not None and shown.task_id not in gone:
                return shown.task_id
        return ""

    def _change(self, rows: Sequence[PreparedRow], following: str = "") -> None:
        self._keep_current(lambda: self._table.change(rows), following)

    def _keep_current(self, rearrange: Callable[[], None], current: str = "") -> None:
        shown = self._table.at(self._view.currentIndex().row())
        wanted = current or (shown.task_id if shown is not None else "")
        rearrange()
        at = self._table.place(wanted)
        if at < 0:
            at = 0
        choice, moves = self._view.selectionModel(), at != self._view.currentIndex().row()
        if self._table.rowCount() and (moves or current or not choice.hasSelection()):
            choice.setCurrentIndex(self._table.index(at, 0), QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._show_current()
        self._count_all()

    def _narrow(self) -> None:
        self._keep_current(
            lambda: self._table.narrow(
                stage=self._stage.value,
                writer=self._writer.value,
                category=self._category.value,
                text=self.search.text().strip().casefold(),
            )
        )

    def _show_current(self) -> None:
        chosen = sum(part.bottom() - part.top() + 1 for part in self._view.selectionModel().selection().toList())
        self.card.show_row(self._table.at(self._view.currentIndex().row()), chosen, self._nothing())
        self._allow()

    def _nothing(self) -> str:
        if self._table.rowCount():
            return "Select a task to see its details."
        if not self._is_read:
            return "Loading tasks…"
        if not self._table.all:
            return _NOTHING_YET
        unfiltered = not (self.search.text() or self._writer.value or self._category.value)
        return _ALL_DONE if unfiltered and self._stage.value == TO_APPROVE else _NONE_LIKE_THIS

    def _count_all(self) -> None:
        stages, writers, categories = counted(self._table.all.values())
        self._stage.offer([*((stage, f"{stage} ({stages[stage]:,})") for stage in STAGES), ("", "All")])
        options = [(writer, f"{_WRITER_WORDS[writer]} ({writers[writer]:,})") for writer in WRITERS if writers[writer]]
        self._writer.offer([("", "All authors"), *options])
        of = [
            (category.value, f"{category_text(category.value)} ({categories[category.value]:,})")
            for category in Category
        ]
        self._category.offer([("", "All categories"), *of])
        shown, total = self._table.rowCount(), len(self._table.all)
        self._count.setText(f"{total:,} in total" if shown == total else f"{shown:,} of {total:,} shown")
        self.counted.emit(stages[TO_APPROVE])

    def _allow(self) -> None:
        may_ask = not self._cannot_ask and not self._is_rewriting
        any_open = self._stage.value in (TO_APPROVE, WITH_FAULTS, "") and bool(self._table.rowCount())
        current = self._table.at(self._view.currentIndex().row())
        is_open = current is not None and current.task.status is Status.TO_APPROVE
        is_models = is_open and current is not None and current.writer == BY_MODEL
        self._commands.enable(TasksCommand.REWRITE_TASKS, on=may_ask and is_open)
        self._commands.enable(TasksCommand.ASK_AGAIN, on=may_ask and is_models)
        self._commands.enable(TasksCommand.REPHRASE_TASKS, on=is_models and not self._is_rewriting)
        self._commands.enable(TasksCommand.REWRITE_ALL, on=may_ask and any_open)

    def _connect(self) -> None:
        bridge = self._bridge
        bridge.rows_loaded.connect(self._take)
        bridge.templates_loaded.connect(self._show_loaded)
        bridge.rewritten.connect(self._take_rewritten)
        self.card.instruction_edited.connect(self._save_instruction)
        self.card.writing_ended.connect(self._view.setFocus)
        self.search.typing_paused.connect(self._narrow)
        for choice in (self._stage, self._writer, self._category):
            choice.currentIndexChanged.connect(lambda _at: self._narrow())
        self._view.activated.connect(lambda _index: self._commands[TasksCommand.EDIT_TASK].trigger())
        self._view.selectionModel().selectionChanged.connect(lambda *_: self._selected.start())
        self._view.selectionModel().currentChanged.connect(lambda *_: self._selected.start())
        self._selected.timeout.connect(self._show_current)
        calls = {
            TasksCommand.APPROVE_TASKS: self._approve,
            TasksCommand.REJECT_TASKS: self._ask_to_reject,
            TasksCommand.REWRITE_TASKS: self._ask_to_rewrite,
            TasksCommand.REWRITE_ALL: self._ask_to_rewrite_all,
            TasksCommand.ASK_AGAIN: self._ask_again,
            TasksCommand.REPHRASE_TASKS: self._rephrase,
        }
        self._commands.bind(self, calls)

    def _lay_out(self) -> None:
        filters = row((self.search, 1), self._stage, self._writer, self._category)
        self._count.setWordWrap(False)
        for choice, letters in ((self._stage, 20), (self._writer, 15), (self._category, 15)):
            choice.setMinimumContentsLength(letters)
        actions = row(self._count, None, *self._commands.buttons(*_REWRITING))
        body = Panels("prepare", self._commands, self._view, {"right": (self.card, 0.6)})
        fill_column(self, filters, actions, (body, 1), spacing=10)


_WRITER_WORDS = {"Phrasing": "People's phrasings", "Model": "A model", "Person": "A person", "Template": "The template"}
