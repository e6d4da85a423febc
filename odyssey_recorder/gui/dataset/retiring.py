"""Retires and restores episodes or sends them to review: asks before, and offers to undo it; and shows duplicates."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from textwrap import shorten

import shiboken6
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTableView, QWidget

from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.dataset.selection_dialog import SelectionDialog
from odyssey_recorder.gui.frame.background import Background, Job, JobState, error_text
from odyssey_recorder.gui.frame.job_card import JobCard
from odyssey_recorder.gui.frame.question_dialog import Question, ask, ask_why
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.layouts import labelled
from odyssey_recorder.gui.kit.parts import Choice, breakable, push_button, row, text_label
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, table_view
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.review.review import DEFECTS, Defect
from odyssey_recorder.services.curation import (
    Candidate,
    CheckAll,
    DuplicateGroup,
    Likeness,
    PlannedDecisions,
    Reasons,
    Verb,
    find_duplicates,
    plan,
    record_decisions,
    superseded,
)
from odyssey_recorder.services.review_files import InTrash, trashed_episodes
from odyssey_recorder.services.reviewed_dataset import ListedControl, ReviewedDataset

_ROW_PX = 30
_SHOWN = 6
_CHARACTERS = 60
_SHARE = 0.85
"""Of the window, both ways."""
_REASONS = ("Duplicate", "Recorded by mistake", "Personal data", "App has changed", "Bad quality")
_REQUEST_REASONS = ("Part of the next release", "Looks wrong", "Reviewed too quickly", "The reviewer was new")
_REQUEST = (
    "Somebody else reviews each episode again. Skipped: episodes whose second review was already requested, "
    "and episodes that were reviewed twice, sent back or rejected."
)
_WITHDRAW_REASONS = ("Recorded by mistake", "A step is wrong", "Personal data", "The task was not finished")
_WITHDRAW = "Episodes that nobody has reviewed move to the trash. Their tasks can be recorded again."
_CONTROLS = (
    "Control episodes look unreviewed to everybody who has no part in them. Verdicts on them change nothing; the "
    "figures show how often each reviewer is right. Choose accepted episodes, and episodes that were sent back."
)
_ADD = "Turn the episodes selected on the page into control episodes"
_AS_IT_IS = "As it was recorded"
_LIKENESSES: tuple[tuple[Likeness, str], ...] = (
    ("take", "Task and apps"),
    ("instruction", "Instruction"),
    ("actions", "Task, device and nearly all actions"),
    ("annotation", "Same annotation, ignoring the id"),
    ("screenshots", "All screenshots (reads every file)"),
)


class Retiring(Banner):
    """Says what was done, and undoes it."""

    decided = Signal()

    def __init__(self, index: EpisodeIndex, who: Callable[[], str], background: Background, job: JobCard) -> None:
        self._undo = push_button("Undo", "Undo the last change")
        super().__init__(self._undo, can_dismiss=True)
        self._undo.clicked.connect(self._undo_last)
        self._index = index
        self._who = who
        self._background = background
        self._job = job
        self._revert: Callable[[], object] = list

    def retire(self, ids: Iterable[str]) -> None:
        self._plan("retire", dict.fromkeys(sorted(ids), ("", None)))

    def restore(self, ids: Iterable[str]) -> None:
        self._plan("restore", dict.fromkeys(sorted(ids), ("restored in the window", None)))

    def supersede(self, reasons: Reasons) -> None:
        """Retire the episodes that are keys in favour of others."""
        self._plan("retire", reasons)

    def request_review(self, reviewing: ReviewedDataset, ids: Iterable[str]) -> None:
        chosen = sorted(ids)
        question = Question(
            "Send to review", f"Send {counted(chosen, 'episodes')} to review?", "Send to review",
            "Request a second review of each (Enter)", "Change nothing (Esc)", _REQUEST,
        )  # fmt: skip
        ask_why(question, _REQUEST_REASONS, self.window(), partial(self._request, reviewing, chosen))

    def _request(self, reviewing: ReviewedDataset, ids: Sequence[str], why: str) -> None:
        def take(sent: Sequence[str]) -> None:
            self._revert = partial(reviewing.withdraw, sent, "undone")
            text = f"{counted(sent, 'episodes')} sent to review, {len(ids) - len(sent):,} left out."
            self._show_message(Tone.SUCCESS if sent else Tone.WARNING, text, can_undo=bool(sent))

        work = partial(reviewing.request, ids, why)
        self._job.follow(self._background.start(f"Sending {counted(ids, 'episodes')} to review", work, take))

    def withdraw(self, reviewing: ReviewedDataset, ids: Iterable[str]) -> None:
        chosen = sorted(ids)
        question = Question(
            "Withdraw episodes", f"Withdraw {len(chosen):,} of your episodes?", "Withdraw",
            "Move them to the trash (Enter)", "Change nothing (Esc)", _WITHDRAW,
        )  # fmt: skip
        ask_why(question, _WITHDRAW_REASONS, self.window(), partial(self._withdraw, reviewing, chosen))

    def _withdraw(self, reviewing: ReviewedDataset, ids: Sequence[str], why: str) -> None:
        def take(_: None) -> None:
            self._revert = partial(reviewing.restore, ids, "undone")
            self._show_message(Tone.SUCCESS, f"{counted(ids, 'episodes')} moved to the trash.", can_undo=True)
            self.decided.emit()

        self._background.run(partial(reviewing.withdraw_episodes, ids, why), take, self._fail)

    def show_trash(self, reviewing: ReviewedDataset) -> None:
        self._background.run(
            partial(trashed_episodes, reviewing.root), partial(self._open_trash, reviewing), self._fail
        )

    def _open_trash(self, reviewing: ReviewedDataset, episodes: Sequence[InTrash]) -> None:
        def restore(chosen: Sequence[InTrash]) -> None:
            def take(_: None) -> None:
                self._show_message(Tone.SUCCESS, f"{counted(chosen, 'episodes')} restored, to be reviewed again.")
                self.decided.emit()

            ids = [episode.episode_id for episode in chosen]
            self._background.run(partial(reviewing.restore, ids, "restored in the window"), take, self._fail)

        title = f"{counted(episodes, 'episodes')} in the trash" if episodes else "The trash is empty"
        act = "Restore", "Put them back into the dataset, to be reviewed again"
        dialog = SelectionDialog("Trash", title, _TRASH_COLUMNS, episodes, act, self.window())
        dialog.selected.connect(restore)
        dialog.open()

    def show_controls(self, reviewing: ReviewedDataset, ids: Collection[str]) -> None:
        self._background.run(reviewing.controls, partial(self._open_controls, reviewing, ids), self._fail)

    def _open_controls(
        self, reviewing: ReviewedDataset, ids: Collection[str], controls: Sequence[ListedControl]
    ) -> None:
        def add() -> None:
            dialog.accept()
            work = partial(reviewing.control, ids, Defect(defect.value) if defect.value else None)
            job = self._background.start("Adding control episodes", work, partial(take, "added", len(ids)))
            self._job.follow(job)

        def end(chosen: Sequence[ListedControl]) -> None:
            work = partial(reviewing.end_controls, [control.episode_id for control in chosen])
            self._background.run(work, partial(take, "removed", len(chosen)), self._fail)

        def take(verb: str, asked: int, changed: Sequence[str]) -> None:
            tone = Tone.SUCCESS if changed else Tone.WARNING
            left_out = f", {asked - len(changed):,} left out" if verb == "added" else ""
            self._show_message(tone, f"{counted(changed, 'control episode')} {verb}{left_out}.")

        defect = Choice("Added episodes are shown to reviewers")
        defect.offer([("", _AS_IT_IS), *((one.value, text) for one, text in DEFECTS.items())])
        button = push_button(f"Add {counted(ids, 'selected episode')}", _ADD, "primary", call=add)
        button.setEnabled(bool(ids))
        title = counted(controls, "control episode") if controls else "No control episodes yet"
        act = "Remove", "Turn the selected control episodes back into ordinary ones"
        dialog = SelectionDialog(
            "Control episodes", title, _CONTROL_COLUMNS, controls, act, self.window(),
            labelled("&Added episodes are shown to reviewers", defect), hint=_CONTROLS, primary=button,
        )  # fmt: skip
        dialog.selected.connect(end)
        dialog.open()

    def _plan(self, verb: Verb, reasons: Reasons) -> None:
        work = partial(_planned, self._index, verb, reasons, self._who())
        self._background.run(work, lambda planned: self._ask(verb, *planned), self._fail)

    def _ask(self, verb: Verb, planned: PlannedDecisions, lines: Sequence[str]) -> None:
        if not planned.decisions:
            state = "retired already" if verb == "retire" else "not retired"
            text = f"Nothing to {verb}: {counted(planned.unchanged, 'episodes')} {state}."
            self._show_message(Tone.WARNING, text)
            return
        question = Question(
            f"{verb.capitalize()} episodes", f"{verb.capitalize()} {counted(planned.decisions, 'episodes')}?",
            verb.capitalize(), f"{verb.capitalize()} them; no file is moved (Enter)", "Change nothing (Esc)",
            "\n".join(lines),
        )  # fmt: skip
        if planned.decisions[0].reason:
            ask(question, self.window(), lambda: self._decide(verb, planned))
        else:
            ask_why(question, _REASONS, self.window(), lambda why: self._decide(verb, planned.because(why)))

    def _decide(self, verb: Verb, planned: PlannedDecisions) -> None:
        def take(_: None) -> None:
            self._revert = partial(record_decisions, self._index.root, planned.undo)
            still = " Nothing was deleted; the filter is:retired shows them again." if verb == "retire" else ""
            text = f"{counted(planned.decisions, 'episodes')} {verb}d.{still}"
            self._show_message(Tone.SUCCESS, text, can_undo=True)
            self.decided.emit()

        self._background.run(partial(record_decisions, self._index.root, planned.decisions), take, self._fail)

    def _undo_last(self) -> None:
        def take(_: object) -> None:
            self.hide()
            self.decided.emit()

        self._undo.hide()
        self._background.run(self._revert, take, self._fail)

    def _show_message(self, tone: Tone, text: str, *, can_undo: bool = False) -> None:
        self._undo.setVisible(can_undo)
        self.show_message(tone, text)

    def _fail(self, error: Exception) -> None:
        self._show_message(Tone.DANGER, breakable(error_text(error)))


class DuplicatesDialog(Dialog):
    """Groups of episodes that have something in common, the one to keep first; looks for them when it opens."""

    retire_requested = Signal(object)
    """The reason and the better episode of each that is to be retired."""

    def __init__(self, index: EpisodeIndex, check_all: CheckAll, background: Background, parent: QWidget) -> None:
        super().__init__("Duplicates", parent)
        self._index = index
        self._check_all = check_all
        self._background = background
        self._job: Job | None = None
        self._card = JobCard()
        self._title = text_label(kind="title")
        self._by = Choice("Find duplicates by")
        self._by.offer(_LIKENESSES)
        self._by.currentIndexChanged.connect(self._search)
        self._model = TableModel(_COLUMNS)
        self._view = table_view("Duplicates", self._model, _ROW_PX)
        self._view.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self._view.selectionModel().selectionChanged.connect(lambda _now, _before: self._offer())
        tip = "Keep the best episode of each selected group and retire the others. You confirm first."
        self._retire = push_button("Retire the rest…", tip, call=self._ask)
        close = push_button("Close", "Close (Esc)", call=self.reject)
        hint = text_label("Recordings of a task by other people or on other devices are usually wanted.", "hint")
        head = labelled("&Find duplicates by", self._by)
        buttons = row(None, close, self._retire)
        self.fill(self._title, hint, head, self._card, self._view, buttons, stretch=self._view)
        self.resize(parent.window().size() * _SHARE)
        self.finished.connect(self._stop)
        self._search()

    def _search(self) -> None:
        self._stop()
        by = next(likeness for likeness, _ in _LIKENESSES if likeness == self._by.value)
        self._title.setText("Duplicates")
        self._model.show(())
        self._offer()
        work = partial(find_duplicates, self._index, self._check_all, (by,))
        self._job = self._background.start("Looking for duplicates", work, partial(self._take, by))
        self._job.ended.connect(self._end)
        self._card.follow(self._job)

    def _stop(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _end(self) -> None:
        """An earlier job may end while the present one runs."""
        if self._job is not None and self._job.state in (JobState.FAILED, JobState.CANCELLED):
            self._title.setText("The search did not finish")

    def _take(self, by: Likeness, found: tuple[Sequence[DuplicateGroup], Sequence[str]]) -> None:
        if not shiboken6.isValid(self) or by != self._by.value:
            return
        groups, unread = found
        title = f"{counted(groups, 'groups')} of possible duplicates" if groups else "No duplicates found"
        left_out = f", {counted(unread, 'damaged episodes')} left out" if unread else ""
        self._title.setText(f"{title}{left_out}")
        self._model.show(
            (number, group, candidate)
            for number, group in enumerate(groups, 1)
            for candidate in (group.best, *group.others)
        )
        self._offer()

    def _offer(self) -> None:
        self._retire.setEnabled(bool(self._view.selectionModel().selectedRows()))

    def _ask(self) -> None:
        chosen = filter(None, (self._model.at(index.row()) for index in self._view.selectionModel().selectedRows()))
        reasons = superseded({number: group for number, group, _ in chosen}.values())
        self.accept()
        self.retire_requested.emit(reasons)


_TRASH_COLUMNS: list[TableColumn[InTrash]] = [
    TableColumn("Since", lambda trashed: f"{trashed.moved_at.astimezone():%Y-%m-%d %H:%M}", width=140),
    TableColumn("By", lambda trashed: trashed.by, width=100),
    TableColumn("Reason", lambda trashed: trashed.why, width=170, tip=lambda trashed: trashed.why),
    TableColumn("Episode", lambda trashed: trashed.episode_id, width=150),
    TableColumn("Instruction", lambda trashed: " ".join(trashed.instruction.split())),
]
_CONTROL_COLUMNS: list[TableColumn[ListedControl]] = [
    TableColumn("Shown to reviewers", lambda one: DEFECTS[one.defect] if one.defect else _AS_IT_IS, width=300),
    TableColumn("Added by", lambda one: one.by, width=110),
    TableColumn("Judged", lambda one: f"{one.judged:,}", width=70, is_number=True),
    TableColumn("Episode", lambda one: one.episode_id, width=150),
    TableColumn("Instruction", lambda one: " ".join(one.instruction.split())),
]
_Member = tuple[int, DuplicateGroup, Candidate]


def _state(candidate: Candidate) -> str:
    accepted = "accepted" if candidate.is_accepted else "not accepted"
    return f"{accepted}, {counted(candidate.errors, 'errors')}, {counted(candidate.warnings, 'warnings')}"


_COLUMNS: list[TableColumn[_Member]] = [
    TableColumn("Group", lambda member: str(member[0]), width=56, is_number=True),
    TableColumn(
        "Proposal", lambda member: f"keep: {member[1].why}" if member[2] is member[1].best else "retire", width=150,
        is_bold=lambda member: member[2] is member[1].best,
    ),
    TableColumn("Episode", lambda member: member[2].episode_id, width=150),
    TableColumn("Device", lambda member: member[2].facts.device, width=110),
    TableColumn("State", lambda member: _state(member[2]), width=215),
    TableColumn("Instruction", lambda member: " ".join(member[2].facts.instruction.split())),
]  # fmt: skip


def _planned(index: EpisodeIndex, verb: Verb, reasons: Reasons, who: str) -> tuple[PlannedDecisions, list[str]]:
    """With what would change, in words."""
    planned = plan(index.root, verb, reasons, who)
    shown = planned.decisions[:_SHOWN]
    rows = index.rows(among=[decision.episode_id for decision in shown])
    instructions = {episode.episode_id: episode.instruction for episode in rows}
    lines = []
    for decision in shown:
        instruction = shorten(instructions.get(decision.episode_id, ""), _CHARACTERS, placeholder="…")
        better = f", superseded by {decision.superseded_by}" if decision.superseded_by else ""
        lines.append(f"{decision.episode_id}{better}: {instruction}".rstrip(": "))
    if more := len(planned.decisions) - len(shown):
        lines.append(f"and {more:,} more")
    if planned.unchanged:
        lines.append(f"{counted(planned.unchanged, 'episodes')} unchanged")
    return planned, lines
