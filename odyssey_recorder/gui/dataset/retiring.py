"""Retires and restores episodes or sends them to review: asks before, and offers to undo it; and shows duplicates."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import shorten

import shiboken6
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QTableView, QWidget

from odyssey_recorder.curation.duplicates import Candidate, DuplicateGroup, Likeness, duplicate_groups
from odyssey_recorder.curation.retired import RetireDecision, Verb, plan_decisions, read_retired, record_decisions
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.gui.frame.job_card import JobCard
from odyssey_recorder.gui.frame.question_dialog import Question, QuestionDialog, ReasonDialog
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.parts import (
    Choice,
    breakable,
    fill_column,
    fill_dialog,
    labelled,
    push_button,
    row,
    text_label,
)
from odyssey_recorder.gui.kit.table import TableColumn, TableModel, table_view
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Cancelled, Progress
from odyssey_recorder.review.review_log import ReviewLog
from odyssey_recorder.review.status import ReviewStage
from odyssey_recorder.splits.episodes import read_facts

_ROW_PX = 30
_SHOWN = 6
_CHARACTERS = 60
_SHARE = 0.85
"""Of the window, both ways."""
_REASONS = ("Duplicate", "Recorded by mistake", "Personal data", "App has changed", "Bad quality")
_REQUEST_REASONS = ("Part of the next release", "Looks wrong", "Reviewed too quickly", "The reviewer was new")
_REQUEST = (
    "Each gets a second review by somebody else. Episodes are left out if a second review was "
    "requested before, if 2 reviewers have judged them, or if they were sent back or rejected."
)
_LIKENESSES: tuple[tuple[Likeness, str], ...] = (
    ("take", "Task and apps"),
    ("instruction", "Instruction"),
    ("annotation", "Annotation, but for the id"),
    ("screenshots", "All screenshots (reads every file)"),
)


class Retiring(QWidget):
    """Its banner tells what was done and undoes it."""

    decided = Signal()

    def __init__(self, index: EpisodeIndex, who: Callable[[], str], background: Background, job: JobCard) -> None:
        super().__init__()
        self._index = index
        self._who = who
        self._reviews = ReviewLog(index.root, who)
        self._background = background
        self._job = job
        self._revert: Callable[[], object] = list
        self._undo = push_button("Undo", "Undo the last change", call=self._undo_last)
        self._banner = Banner(self._undo, can_dismiss=True)
        fill_column(self, self._banner, spacing=0)

    def retire(self, ids: Iterable[str]) -> None:
        self._plan("retire", dict.fromkeys(sorted(ids)), reason="")

    def restore(self, ids: Iterable[str]) -> None:
        self._plan("restore", dict.fromkeys(sorted(ids)), reason="restored in the window")

    def supersede(self, better: Mapping[str, str | None], reason: str) -> None:
        """Retire the episodes that are keys in favour of others."""
        self._plan("retire", better, reason=reason)

    def request_review(self, ids: Iterable[str]) -> None:
        chosen = sorted(ids)
        question = Question(
            "Send to review", f"Send {counted(chosen, 'episodes')} to review?", "Send to review",
            "Request a second review of each (Enter)", "Change nothing (Esc)", _REQUEST,
        )  # fmt: skip
        dialog = ReasonDialog(question, _REQUEST_REASONS, self.window())
        dialog.reason_given.connect(partial(self._request, chosen))
        dialog.open()

    def _request(self, ids: Sequence[str], why: str) -> None:
        def take(sent: Sequence[str]) -> None:
            self._revert = lambda: [self._reviews.withdraw(decision, "undone") for decision in sent]
            text = f"{counted(sent, 'episodes')} sent to review, {len(ids) - len(sent):,} left out."
            self._show_message(Tone.SUCCESS if sent else Tone.WARNING, text, can_undo=bool(sent))

        work = partial(_requested, self._index, self._reviews, ids, why)
        self._job.follow(self._background.start(f"Sending {counted(ids, 'episodes')} to review", work, take))

    def _plan(self, verb: Verb, better: Mapping[str, str | None], *, reason: str) -> None:
        who = self._who()
        wanted = [
            RetireDecision(episode_id=episode_id, decision=verb, reason=reason, superseded_by=kept, who=who)
            for episode_id, kept in better.items()
        ]

        self._background.run(partial(_planned, self._index, wanted), partial(self._ask, verb, len(wanted)), self._fail)

    def _ask(self, verb: Verb, selected: int, plan: "_Plan") -> None:
        planned = plan.decisions
        if not planned:
            state = "retired already" if verb == "retire" else "not retired"
            self._show_message(Tone.WARNING, f"Nothing to {verb}: {counted(selected, 'episodes')} {state}.")
            return
        question = Question(
            f"{verb.capitalize()} episodes", f"{verb.capitalize()} {counted(len(planned), 'episodes')}?",
            verb.capitalize(), f"{verb.capitalize()} them; no file is moved (Enter)", "Change nothing (Esc)",
            "\n".join(_lines(plan, selected)),
        )  # fmt: skip
        undo = [plan.retired.get(decision.episode_id, _reversed(decision)) for decision in planned]
        if verb == "retire" and not planned[0].reason:
            reasons = ReasonDialog(question, _REASONS, self.window())
            reasons.reason_given.connect(
                lambda reason: self._decide(
                    verb, [decision.model_copy(update={"reason": reason}) for decision in planned], undo
                )
            )
            reasons.open()
            return
        dialog = QuestionDialog(question, self.window())
        dialog.accepted.connect(lambda: self._decide(verb, planned, undo))
        dialog.open()

    def _decide(self, verb: Verb, decisions: Sequence[RetireDecision], undo: Sequence[RetireDecision]) -> None:
        def take(_: None) -> None:
            self._revert = partial(record_decisions, self._index.root, undo)
            still = " Nothing was deleted; the filter is:retired shows them again." if verb == "retire" else ""
            self._show_message(Tone.SUCCESS, f"{counted(len(decisions), 'episodes')} {verb}d.{still}", can_undo=True)
            self.decided.emit()

        self._background.run(partial(record_decisions, self._index.root, decisions), take, self._fail)

    def _undo_last(self) -> None:
        def take(_: object) -> None:
            self._banner.hide()
            self.decided.emit()

        self._undo.hide()
        self._background.run(self._revert, take, self._fail)

    def _show_message(self, tone: Tone, text: str, *, can_undo: bool = False) -> None:
        self._undo.setVisible(can_undo)
        self._banner.show_message(tone, text)

    def _fail(self, error: Exception) -> None:
        self._show_message(Tone.DANGER, breakable(error_text(error)))


def _requested(  # noqa: PLR0913 - the work of a job
    index: EpisodeIndex, reviews: ReviewLog, ids: Sequence[str], why: str, progress: Progress, cancelled: Cancelled
) -> list[str]:
    """The ids for which a review was requested; stops when cancelled."""
    sent = []
    for done, summary in enumerate(index.rows(among=ids)):
        if cancelled():
            break
        progress(done / len(ids), f"{done:,} of {counted(ids, 'episodes')}")
        sent += [summary.episode_id] if reviews.request(summary, why) else []
    return sent


class DuplicatesDialog(QDialog):
    """Groups of episodes that have something in common, the one to keep first; reads them when it opens."""

    retire_requested = Signal(object, str)
    """The better episode of each that is to be retired, and the reason."""

    def __init__(self, index: EpisodeIndex, background: Background, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Duplicates")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._index = index
        self._background = background
        self._title = text_label(kind="title")
        self._by = Choice("What duplicates have in common")
        self._by.offer(_LIKENESSES)
        self._by.currentIndexChanged.connect(self._search)
        self._model = TableModel(_COLUMNS)
        self._view = table_view("Duplicates", self._model, _ROW_PX)
        self._view.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self._view.selectionModel().selectionChanged.connect(lambda _now, _before: self._offer())
        tip = "Retire all but the best of the selected groups; shows first which"
        self._retire = push_button("Retire others…", tip, call=self._ask)
        close = push_button("Close", "Close (Esc)", call=self.reject)
        hint = text_label(
            "Recordings of a task by other people or on other devices are usually wanted. The command "
            "“curate duplicates” also finds episodes with nearly the same actions.", "hint",
        )  # fmt: skip
        head = labelled("&Same", self._by)
        fill_dialog(self, self._title, hint, head, self._view, row(None, close, self._retire), stretch=self._view)
        self.resize(parent.window().size() * _SHARE)
        self._search()

    def _search(self) -> None:
        by = next(likeness for likeness, _ in _LIKENESSES if likeness == self._by.value)
        self._title.setText("Reading the episodes…")
        self._model.show(())
        self._offer()
        self._background.run(partial(groups_of, self._index, by), partial(self._take, by), partial(self._take, by))

    def _take(self, by: Likeness, found: Sequence[DuplicateGroup] | Exception) -> None:
        if not shiboken6.isValid(self) or by != self._by.value:
            return
        if isinstance(found, Exception):
            self._title.setText(breakable(error_text(found)))
            return
        title = f"{counted(len(found), 'groups')} of episodes that may be the same" if found else "No duplicates found"
        self._title.setText(title)
        self._model.show(
            (number, group, candidate) for number, group in enumerate(found, 1) for candidate in _members(group)
        )
        self._offer()

    def _offer(self) -> None:
        self._retire.setEnabled(bool(self._view.selectionModel().selectedRows()))

    def _ask(self) -> None:
        chosen = filter(None, (self._model.at(index.row()) for index in self._view.selectionModel().selectedRows()))
        groups = {number: group for number, group, _ in chosen}.values()
        better = {other.episode_id: group.best.episode_id for group in groups for other in group.others}
        self.accept()
        self.retire_requested.emit(better, f"duplicate: same {self._by.value}")


def groups_of(index: EpisodeIndex, by: Likeness) -> list[DuplicateGroup]:
    facts = read_facts(index.root, without=read_retired(index.root), with_screenshots=by == "screenshots")
    known = {episode.episode_id: episode for episode in index.rows()}
    rows = ((episode, known[episode.episode_id]) for episode in facts if episode.episode_id in known)
    candidates = (
        Candidate(episode, row.verdict is ReviewStage.ACCEPTED, row.recorded_at is not None, row.errors, row.warnings)
        for episode, row in rows
    )
    return duplicate_groups(candidates, (by,))


_Member = tuple[int, DuplicateGroup, Candidate]


def _members(group: DuplicateGroup) -> tuple[Candidate, ...]:
    return (group.best, *group.others)


def _state(candidate: Candidate) -> str:
    accepted = "accepted" if candidate.is_accepted else "not accepted"
    return f"{accepted}, {counted(candidate.errors, 'errors')}, {counted(candidate.warnings, 'warnings')}"


_COLUMNS: list[TableColumn[_Member]] = [
    TableColumn("Group", lambda member: str(member[0]), width=56, is_number=True),
    TableColumn(
        "Proposal", lambda member: f"keep: {member[1].why}" if member[2] is member[1].best else "retire", width=190,
        is_bold=lambda member: member[2] is member[1].best,
    ),
    TableColumn("Episode", lambda member: member[2].episode_id, width=150),
    TableColumn("Device", lambda member: member[2].facts.device, width=120),
    TableColumn("State", lambda member: _state(member[2]), width=240),
    TableColumn("Instruction", lambda member: " ".join(member[2].facts.instruction.split())),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Plan:
    """What would change, what is retired now, and the instruction of each episode."""

    decisions: Sequence[RetireDecision]
    retired: Mapping[str, RetireDecision]
    instructions: Mapping[str, str]


def _planned(index: EpisodeIndex, wanted: Sequence[RetireDecision]) -> _Plan:
    decisions = plan_decisions(index.root, wanted)
    rows = index.rows(among=[decision.episode_id for decision in decisions])
    return _Plan(decisions, read_retired(index.root), {episode.episode_id: episode.instruction for episode in rows})


def _lines(plan: _Plan, selected: int) -> Iterable[str]:
    planned = plan.decisions
    for decision in planned[:_SHOWN]:
        instruction = shorten(plan.instructions.get(decision.episode_id, ""), _CHARACTERS, placeholder="…")
        better = f", superseded by {decision.superseded_by}" if decision.superseded_by else ""
        yield f"{decision.episode_id}{better}: {instruction}".rstrip(": ")
    if len(planned) > _SHOWN:
        yield f"and {len(planned) - _SHOWN:,} more"
    if same := selected - len(planned):
        yield f"{counted(same, 'episodes')} unchanged"


def _reversed(decision: RetireDecision) -> RetireDecision:
    verb: Verb = "restore" if decision.decision == "retire" else "retire"
    return RetireDecision(episode_id=decision.episode_id, decision=verb, reason="undone", who=decision.who)
