"""The Review page: the list of episodes, the open one, and its verdict."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from textwrap import shorten

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QProgressBar, QStackedWidget, QWidget

from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.errors import ReviewError
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.job_card import CHECKING
from odyssey_recorder.gui.frame.keyboard import offer_focus
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.frame.panels import Panels, Side, SideName
from odyssey_recorder.gui.frame.question_dialog import ANSWERS, Question, ask_why, reply_question
from odyssey_recorder.gui.frame.window_state import KeptFile
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.parts import breakable, fill_column, fill_row, named, row, text_label
from odyssey_recorder.gui.review.answers import (
    ReviewAnswers,
    ReviewAnswerStore,
    Stopwatch,
    moved_steps,
    taken_back_answers,
)
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.review.episodes_pane import EpisodesPane
from odyssey_recorder.gui.review.review_cards import ReviewCards
from odyssey_recorder.gui.review.review_table import MINE, UNCHECKED, title
from odyssey_recorder.gui.review.review_viewer import ReviewViewer
from odyssey_recorder.gui.review.verdict_panel import VerdictPanel
from odyssey_recorder.model.plain_text import steps_text
from odyssey_recorder.review.review import Decision
from odyssey_recorder.review.status import same_person
from odyssey_recorder.review.views import AlsoRight, OpenedReview, ReviewNews, ReviewRow, VerdictDraft, outcome_text
from odyssey_recorder.services.review import ReviewService
from odyssey_recorder.services.reviewed_dataset import ReviewSubscription

_SPACE = 16
_ROOMY_PX = 1030
"""Where the open episode has this much, the list stays beside it."""
_LIST_PX, _PANEL_PX = 300, 350
_TITLE_LETTERS = 32
_REOPEN_REASONS = ("I overlooked something", "I pressed the wrong key", "The annotator is right", "A fault was found")
_OF_EPISODES = (
    ReviewCommand.FIND_REVIEW,
    ReviewCommand.CLEAR_REVIEW,
    ReviewCommand.REVIEW_LIST,
    ReviewCommand.CHECK_EPISODES,
)


class ReviewPage(MainPage):
    """Follows the dataset from when it is first shown, and loads the next episode ahead.

    Unsubmitted answers are kept until they are submitted.
    """

    _news_arrived = Signal(object)
    _warning_arrived = Signal(str)

    def __init__(
        self,
        reviewing: ReviewService,
        background: Background,
        commands: Commands,
        answers: KeptFile | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`answers` has the unsubmitted ones of earlier runs; without a file they are not kept."""
        super().__init__()
        self._reviewing = reviewing
        self._background = background
        self._commands = commands
        self._following: ReviewSubscription | None = None
        self._checked_automatically = False
        self._to_read = 0
        self._episode_id = ""  # the id of the episode that is open or loading
        self._opened: OpenedReview | None = None
        self._ahead: OpenedReview | None = None
        self._loading: dict[str, object] = {}  # the latest request for each episode; answers to earlier ones are old
        self._submitting = ""
        self._judged: list[str] = []  # the episodes judged here, whose verdicts were not taken back
        self._fixed_here = 0  # fixes of the open episode since it was opened, without those undone
        self._passing = ""  # the open episode, once the reviewer was told that it still needs a verdict
        self._removed_here: frozenset[str] = frozenset()  # the episode being submitted, once it is in the trash
        self._sheets = ReviewAnswerStore(answers or KeptFile(), reviewing, background, self)
        self._watch = Stopwatch(clock)
        self._pane = EpisodesPane(commands)
        self._viewer = ReviewViewer(background, commands)
        self._cards = ReviewCards(reviewing, background, commands, self._viewer)
        self._panel = VerdictPanel(commands, lambda: self._watch.seconds)
        self._title = text_label(kind="title")
        self._outcome = text_label(kind="hint")
        self._bar = named(QProgressBar(), "Reading the episodes")
        self._message = Banner(commands.button(ReviewCommand.DISMISS_REVIEW, kind="quiet", wordless=True))
        self._workspace = QWidget()
        listed: Mapping[SideName, Side] = {"left": (self._pane, _LIST_PX)}
        self._listing = Panels("episodes", commands, self._workspace, listed, lambda _side, px: px >= _ROOMY_PX)
        self._stack = QStackedWidget()
        self._make_figures: Callable[[], QWidget] | None = None
        self._lay_out()
        self._connect()
        self._arrange()

    def fill(self) -> Iterator[None]:
        if self._make_figures is not None and self._stack.count() == 1:
            self._stack.addWidget(self._make_figures())
            yield

    def enter(self) -> None:
        for _turn in self.fill():
            pass
        if self._following is None:
            self._following = self._reviewing.follow(self._news_arrived.emit, self._warning_arrived.emit)
            self._title.setText("Loading episodes…")

    @property
    def home(self) -> QWidget:
        if (figures := self._stack.widget(1)) is not None and figures.isVisible():
            return figures
        return self._viewer.home if self._workspace.isVisible() else self._pane.home

    def close_down(self) -> None:
        self._keep_sheet()
        self._sheets.close()
        if self._following is not None:
            self._following.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._run_watch()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._watch.run(on=False)

    def offer_figures(self, make: Callable[[], QWidget]) -> None:
        self._make_figures = make
        self._commands[ReviewCommand.REVIEW_FIGURES].setVisible(True)

    def show_recording(self, serial: str) -> None:
        """Exclude the device that is recording; empty if there is none."""
        self._cards.replay.show_recording(serial)

    # News.

    def _take(self, news: ReviewNews) -> None:
        if self._submitting in news.gone:  # the reviewer's own decision, whose answer has not arrived yet
            self._removed_here = frozenset({self._submitting})
            news = replace(news, gone=news.gone - self._removed_here)
        self._to_read = max(self._to_read, news.unread) if news.unread else 0
        self._bar.setRange(0, self._to_read)
        self._bar.setValue(self._to_read - news.unread)
        self._bar.setVisible(bool(news.unread))
        self._pane.take(news)
        rows = {review.episode_id: review for review in news.read}
        if self._ahead is not None and (self._ahead.row.episode_id in news.gone or self._ahead.row.episode_id in rows):
            self._ahead = None
        if self._episode_id in news.gone:
            self._close_episode()
            self._message.show_message(Tone.WARNING, "The open episode is no longer in the dataset.")
        elif (
            self._opened is not None
            and self._panel.isEnabled()
            and _differs(rows.get(self._episode_id), self._opened.row)
        ):
            self._reload()
        if not news.unread and not self._checked_automatically and self._unchecked:
            self._check()

    @property
    def _unchecked(self) -> int:
        return self._pane.table.counts["check"][UNCHECKED]

    def _check(self) -> None:
        self._checked_automatically = True
        job = self._background.start(CHECKING, self._reviewing.check_all)
        self._commands.enable(ReviewCommand.CHECK_EPISODES, on=False)
        job.ended.connect(self._take_checked)
        self._pane.job_card.follow(job)

    def _take_checked(self) -> None:
        """From now on check changes automatically, unless the checks were stopped or failed."""
        self._checked_automatically = bool(self._unchecked)
        self._update_title()

    def _update_title(self) -> None:
        self._title.setText(self._pane.summary)
        checking = any(job.title == CHECKING for job in self._background.jobs)
        self._commands.enable(ReviewCommand.CHECK_EPISODES, on=bool(self._unchecked) and not checking)
        self._commands.enable(ReviewCommand.NEXT_REVIEW, on=bool(self._next(self._episode_id)))
        self._commands.enable(ReviewCommand.UNDO_VERDICT, on=bool(self._judged or self._fixed_here))

    # Episode by episode.

    def _next(self, after: str) -> str:
        return self._pane.table.next_to_review(after)

    def _pass_over(self) -> None:
        """Open the next episode; if the open one still needs a verdict, show it and say so the first time."""
        shown = self._pane.table.all.get(self._episode_id)
        is_waiting = shown is not None and MINE in shown.values["stage"] and self._submitting != self._episode_id
        if not is_waiting or self._passing == self._episode_id:
            self._open_next()
            return
        self._passing = self._episode_id
        self._open(self._episode_id)
        text = "This episode still needs your verdict."
        self._message.show_message(Tone.WARNING, text, "Press “Open next” again to leave it for later.")

    def _open_next(self) -> None:
        following = self._next(self._episode_id)
        if following:
            self._open(following)
        else:
            self._close_episode()

    def _open(self, episode_id: str) -> None:
        self._keep_sheet()
        self._message.hide()
        self._commands[ReviewCommand.REVIEW_LIST].setChecked(False)
        self._commands[ReviewCommand.REVIEW_FIGURES].setChecked(False)
        if episode_id != self._episode_id:
            self._panel.refusal.hide()
            self._episode_id, self._opened = episode_id, None
            self._fixed_here, self._passing = 0, ""
            self._pane.mark(episode_id)
            ahead = self._ahead
            if ahead is not None and ahead.row.episode_id == episode_id:
                self._show(ahead)
            else:
                self._panel.show_waiting(True)
                self._fetch(episode_id)
        self._arrange()

    def _fetch(self, episode_id: str) -> None:
        if episode_id not in self._loading:
            request = self._loading[episode_id] = object()
            self._background.run(
                partial(self._reviewing.open, episode_id),
                partial(self._take_fetched, request),
                partial(self._show_open_error, request, episode_id),
            )

    def _reload(self) -> None:
        """Reload the open episode; a request under way may return an old state."""
        self._loading.pop(self._episode_id, None)
        self._fetch(self._episode_id)

    def _wait(self) -> None:
        """Until a change of the open episode is answered, which shows it as it is then."""
        self._loading.pop(self._episode_id, None)
        self._panel.show_waiting(True)

    def _take_fetched(self, request: object, opened: OpenedReview) -> None:
        if self._loading.get(opened.row.episode_id) is not request:
            return
        del self._loading[opened.row.episode_id]
        if opened.row.episode_id == self._episode_id:
            self._show(opened)
        elif opened.row.episode_id == self._next(self._episode_id):
            self._ahead = opened
            self._viewer.prepare(opened)

    def _show_open_error(self, request: object, episode_id: str, error: Exception) -> None:
        if self._loading.get(episode_id) is not request:
            return
        del self._loading[episode_id]
        if episode_id != self._episode_id:
            return
        self._close_episode()
        self._message.show_message(Tone.DANGER, f"Episode {episode_id} cannot be opened.", breakable(str(error)))

    def _show(self, opened: OpenedReview) -> None:
        if self._opened is None:
            self._cards.turn_to(ReviewCommand.SHOW_TASK)
            sheet = self._stored_answers(opened)
            self._watch.set(sheet.seconds)
        else:
            sheet = self._carried_over(self._opened, opened)
        self._show_damage(opened)
        self._opened = opened
        self._panel.show_waiting(False)
        self._panel.show_review(opened, sheet)
        self._viewer.show_review(opened, sheet.seen)
        self._cards.show_review(opened)
        offer_focus(self._viewer.home)
        self._look_ahead()

    def _show_damage(self, opened: OpenedReview) -> None:
        damage = opened.opened.damage
        if damage:
            text = "The file of this episode is damaged. Repair it, send it back or reject it."
            self._message.show_message(Tone.WARNING, text, breakable(damage))
        elif self._opened is not None and self._opened.opened.damage:
            self._message.hide()

    def _look_ahead(self) -> None:
        following = self._next(self._episode_id)
        if following and (self._ahead is None or self._ahead.row.episode_id != following):
            self._fetch(following)

    def _stored_answers(self, opened: OpenedReview) -> ReviewAnswers:
        """The stored answers of an episode; only the note if its revision has changed."""
        kept = self._sheets.get(opened.row.episode_id)
        if kept is None or kept.revision == opened.revision:
            return ReviewAnswers() if kept is None else kept.sheet
        sheet = ReviewAnswers(note=kept.sheet.note, seconds=kept.sheet.seconds)
        if kept.sheet.judgements:
            stays = "Please answer again. Your note is still here." if sheet.note else "Please answer again."
            text = "The episode has changed since you answered. Your answers were for an earlier version."
            self._message.show_message(Tone.WARNING, text, stays)
        return sheet

    def _carried_over(self, before: OpenedReview, opened: OpenedReview) -> ReviewAnswers:
        sheet = self._panel.sheet
        if before.revision == opened.revision:
            return sheet
        numbers = moved_steps(before, opened)
        if gone := sorted(sheet.named - numbers.keys()):
            text = f"Since you answered, {steps_text(gone)} changed."
            self._message.show_message(
                Tone.WARNING, text, "Your answers are kept, but the changed steps are no longer selected."
            )
        return sheet.moved(numbers)

    def _keep_sheet(self) -> None:
        if (opened := self._opened) is not None:
            sheet = replace(self._panel.sheet, seconds=self._watch.seconds)
            self._sheets.put(opened.row.episode_id, opened.revision, sheet)

    def _close_episode(self) -> None:
        self._episode_id, self._opened = "", None
        self._cards.clear()
        self._pane.mark("")
        self._arrange()

    def _update_step(self, number: int) -> None:
        if self._opened is not None:
            self._panel.show_step(number, frozenset(self._viewer.seen_steps))

    # Fixes.

    def _fix(self, amendment: Amendment | AlsoRight, why: str) -> None:
        if isinstance(amendment, AlsoRight):
            self._change(lambda episode_id, _: self._reviewing.accept_also(episode_id, amendment, why), 0)
            return
        self._change(lambda episode_id, revision: self._reviewing.fix(episode_id, amendment, why, revision), 1)

    def _undo_fix(self) -> None:
        self._change(self._reviewing.undo, -1)

    def _change(self, change: Callable[[str, str], OpenedReview], fixes: int) -> None:
        if (opened := self._opened) is not None:
            episode_id = opened.row.episode_id
            self._wait()
            self._background.run(
                partial(change, episode_id, opened.revision),
                partial(self._take_changed, fixes),
                partial(self._show_fix_error, episode_id),
            )

    def _take_changed(self, fixes: int, opened: OpenedReview) -> None:
        if opened.row.episode_id == self._episode_id:
            self._fixed_here = max(0, self._fixed_here + fixes)
        self._pane.take(ReviewNews(read=(opened.row,)))
        if opened.row.episode_id == self._episode_id:
            self._show(opened)

    def _show_fix_error(self, episode_id: str, error: Exception) -> None:
        self._panel.show_waiting(False)
        self._message.show_message(Tone.DANGER, "The episode was not changed.", breakable(str(error)))
        self._reload_if_refused(episode_id, error)

    # Verdict.

    def _submit(self, decision: Decision) -> None:
        opened = self._opened
        if opened is None:
            return
        sheet = self._panel.sheet
        verdict_draft = VerdictDraft(decision, sheet.all_three(), sheet.note, opened.revision, self._watch.seconds)
        self._wait()
        self._submitting = opened.row.episode_id
        self._background.run(
            partial(self._reviewing.submit, opened.row.episode_id, verdict_draft),
            self._take_submitted,
            partial(self._show_submit_error, opened.row.episode_id),
        )

    def _take_submitted(self, submitted: ReviewRow) -> None:
        self._panel.show_waiting(False)
        is_open = submitted.episode_id == self._episode_id
        if is_open:
            self._opened = None
        self._sheets.drop(submitted.episode_id)
        if submitted.is_hit is None:
            self._judged.append(submitted.episode_id)
        self._pane.take(ReviewNews(read=(submitted,)))
        self._outcome.setText(
            f"{outcome_text(submitted)}: {shorten(title(submitted), _TITLE_LETTERS, placeholder='…')}"
        )
        if is_open:
            self._open_next()
        self._end_submitting()

    def _end_submitting(self) -> None:
        went, self._submitting, self._removed_here = self._removed_here, "", frozenset()
        if went:
            self._take(ReviewNews(gone=went))

    def _show_submit_error(self, episode_id: str, error: Exception) -> None:
        self._panel.show_waiting(False)
        self._end_submitting()
        if episode_id != self._episode_id:
            return
        self._panel.refuse("The verdict was not saved. Your answers are still here.", str(error))
        self._reload_if_refused(episode_id, error)

    def _undo(self) -> None:
        if self._fixed_here:
            self._undo_fix()
        elif self._judged:
            self._reopen(self._judged[-1])

    def _ask_to_reopen(self) -> None:
        opened = self._opened
        if opened is None:
            return
        by = opened.row.reopens
        whose = "your verdict" if same_person(by, self._reviewing.reviewer) else f"the verdict of {by}"
        question = Question(
            "Reopen the review", f"Why are you taking back {whose}?", "Reopen", "Take the verdict back (Enter)",
            detail="The verdict stays in the history but no longer counts. The episode needs a new verdict.",
        )  # fmt: skip
        ask_why(question, _REOPEN_REASONS, self.window(), partial(self._reopen, opened.row.episode_id))

    def _ask_to_answer(self) -> None:
        if (opened := self._opened) is not None:
            question = reply_question(opened.row.episode.annotator or "the annotator", opened.row.thread)
            ask_why(question, ANSWERS, self.window(), self._answer, "Something else")

    def _answer(self, words: str) -> None:
        self._change(lambda episode_id, _: self._reviewing.reply(episode_id, words), 0)

    def _reopen(self, episode_id: str, why: str = "") -> None:
        self._wait()
        self._background.run(
            partial(self._reviewing.reopen, episode_id, why), self._take_reopened, self._show_reopen_error
        )

    def _take_reopened(self, opened: OpenedReview) -> None:
        """Show the episode with the answers that the reviewer gave."""
        episode_id = opened.row.episode_id
        self._panel.show_waiting(False)
        self._judged = [judged for judged in self._judged if judged != episode_id]
        self._pane.take(ReviewNews(read=(opened.row,)))
        if episode_id == self._episode_id:
            self._episode_id, self._opened = "", None
        if (sheet := taken_back_answers(opened, self._reviewing.reviewer)) is not None:
            self._sheets.put(episode_id, opened.revision, sheet)
        self._ahead = opened
        self._outcome.setText(f"Verdict taken back: {shorten(title(opened.row), _TITLE_LETTERS, placeholder='…')}")
        self._open(episode_id)

    def _show_reopen_error(self, error: Exception) -> None:
        self._panel.show_waiting(False)
        self._message.show_message(Tone.DANGER, "The verdict was not taken back.", breakable(str(error)))
        if self._opened is not None:
            self._reload()

    def _reload_if_refused(self, episode_id: str, error: Exception) -> None:
        """A refusal often means that the episode has changed since."""
        if episode_id == self._episode_id and isinstance(error, ReviewError):
            self._panel.show_waiting(True)
            self._reload()

    # Wiring.

    def _run_watch(self) -> None:
        """Count time only while an episode is shown, and the window or its dialog is active."""
        window: QWidget | None = QApplication.activeWindow()
        while window is not None and window is not self.window():
            parent = window.parentWidget()
            window = parent.window() if parent is not None else None
        self._watch.run(on=window is not None and self._workspace.isVisible())

    def _arrange(self) -> None:
        listed = self._commands[ReviewCommand.REVIEW_LIST].isChecked() or not self._episode_id
        self._workspace.setVisible(not listed)
        self._pane.show_narrow(not listed)
        self._listing.arrange()
        self._commands.enable(ReviewCommand.REVIEW_LIST, on=bool(self._episode_id))
        self._run_watch()
        self._update_title()

    def _show_figures(self, on: bool) -> None:
        self._stack.setCurrentIndex(1 if on else 0)
        for command in _OF_EPISODES:
            self._commands[command].setVisible(not on)
        self._commands[ReviewCommand.REVIEW_FIGURES].setText("Show episodes" if on else "Show figures")
        self._run_watch()
        self.focus_home()

    def _dismiss(self) -> None:
        self._message.hide()
        self._panel.refusal.hide()

    def _connect(self) -> None:
        queued = Qt.ConnectionType.QueuedConnection
        self._news_arrived.connect(self._take, queued)
        self._warning_arrived.connect(lambda text: self._message.show_message(Tone.WARNING, breakable(text)), queued)
        self._pane.open_requested.connect(self._open)
        self._pane.counted.connect(self._update_title)
        self._viewer.step_changed.connect(self._update_step)
        self._cards.fixes.fix_requested.connect(self._fix)
        self._cards.history.undo_requested.connect(self._undo_fix)
        self._panel.decided.connect(self._submit)
        self._panel.changed.connect(self._keep_sheet)
        self._panel.step_requested.connect(self._viewer.go_to_step)
        self._panel.writing_ended.connect(self.focus_home)
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.focusWindowChanged.connect(self._run_watch)
        commands = self._commands
        commands[ReviewCommand.REVIEW_LIST].toggled.connect(self._arrange)
        commands[ReviewCommand.REVIEW_FIGURES].toggled.connect(self._show_figures)
        calls = {
            ReviewCommand.NEXT_REVIEW: self._pass_over,
            ReviewCommand.UNDO_VERDICT: self._undo,
            ReviewCommand.REOPEN_EPISODE: self._ask_to_reopen,
            ReviewCommand.ANSWER_REPLY: self._ask_to_answer,
            ReviewCommand.CHECK_EPISODES: self._check,
            ReviewCommand.DISMISS_REVIEW: self._dismiss,
        }
        commands.bind(self, calls)
        commands.belong_to(self, *_OF_EPISODES, ReviewCommand.REVIEW_FIGURES)

    def _lay_out(self) -> None:
        self._title.setWordWrap(False)
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(QSize(120, 6))
        self._bar.hide()
        commands = self._commands
        commands[ReviewCommand.REVIEW_FIGURES].setVisible(False)
        figures = commands.button(ReviewCommand.REVIEW_FIGURES, kind="quiet")
        buttons = commands.buttons(ReviewCommand.CHECK_EPISODES, ReviewCommand.REVIEW_LIST, ReviewCommand.NEXT_REVIEW)
        undo = commands.button(ReviewCommand.UNDO_VERDICT, kind="quiet")
        head = row(self._title, self._bar, (self._outcome, 1), undo, figures, *buttons)
        right = QWidget()
        fill_column(right, (self._cards, 1), self._panel, spacing=10)
        fill_row(self._workspace, Panels("review", commands, self._viewer, {"right": (right, _PANEL_PX)}))
        self._stack.addWidget(self._listing)
        fill_column(self, head, self._message, (self._stack, 1), margins=(_SPACE, 12, _SPACE, _SPACE), spacing=10)


def _differs(rows: ReviewRow | None, shown: ReviewRow) -> bool:
    """Whether a row differs in anything but its check results: the opened episode has the latest."""
    return rows is not None and _unreported(rows) != _unreported(shown)


def _unreported(row: ReviewRow) -> ReviewRow:
    return replace(row, report=None, is_settled=False)
