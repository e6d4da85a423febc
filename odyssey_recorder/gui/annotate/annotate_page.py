"""The Annotate page: the texts of steps beside their screenshots, and a person's decisions on them."""

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from odyssey_recorder.annotation.reviewing import (
    CONTRADICTED,
    ActiveTime,
    Choice,
    OpenedTexts,
    ShownText,
    TextReviewing,
    decided_on,
    supported,
)
from odyssey_recorder.annotation.semantics import Offer, Planted, TextDecision, TextState
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.gui.annotate.annotated_episodes import AnnotatedPane
from odyssey_recorder.gui.annotate.commands import AnnotateCommand
from odyssey_recorder.gui.annotate.decisions import DecisionSaver, Place
from odyssey_recorder.gui.annotate.step_texts import StepTexts
from odyssey_recorder.gui.annotate.writing_card import WritingCard
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.keyboard import offer_focus
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.frame.panels import Panels
from odyssey_recorder.gui.frame.question_dialog import ask, warning_question
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.layouts import notice
from odyssey_recorder.gui.kit.parts import breakable, column, fill_column, row, text_label
from odyssey_recorder.model.plain_text import counted, step_number
from odyssey_recorder.services.step_texts import TextWriting

_SPACE = 16
_LIST_PX = 270
_ROOMY_PX = 640
_KEEP = "Choose Cancel, then press Enter in the text to save it."


class AnnotatePage(MainPage):
    """Decisions are saved at once, one after the other; a text that was not saved stays in its field."""

    def __init__(
        self,
        texts: TextReviewing,
        background: Background,
        commands: Commands,
        writing: Callable[[], TextWriting] | None = None,
    ) -> None:
        super().__init__()
        self._texts = texts
        self._background = background
        self._commands = commands
        self._opened: OpenedTexts | None = None
        self._wanted = ""
        self._at = 0
        self._time = ActiveTime(time.monotonic)
        in_order = background.in_order()
        self._decisions = DecisionSaver(texts, in_order)
        self._episodes = AnnotatedPane(texts, background, in_order)
        self._steps = StepTexts(background, commands)
        self._heading = text_label(kind="title")
        self._message = Banner(commands.button(AnnotateCommand.DISMISS_ANNOTATE, kind="quiet", wordless=True))
        self._writing = None if writing is None else WritingCard(writing(), background)
        self._middle = QStackedWidget()
        self._calls = self._calls_of_texts()
        self._lay_out()
        self._connect()
        self._show_state()

    @property
    def home(self) -> QWidget:
        return self._steps if self._opened is not None else self._episodes.list

    def enter(self) -> None:
        self._episodes.read()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._steps.is_writing:
            self._decisions.unsaved.pop(self._place, None)
            self._steps.end_writing()
        super().keyPressEvent(event)

    def asks_before_closing(self, close: Callable[[], object]) -> bool:
        """Waits for decisions that are being saved, and asks about unsaved text."""
        if self._decisions.saving:
            self._decisions.settled.connect(close, Qt.ConnectionType.SingleShotConnection)
            return True
        self._note_written()
        if not self._decisions.unsaved:
            return False
        self._commands[AnnotateCommand.ANNOTATE_PAGE].trigger()
        text = f"Close and lose {counted(self._decisions.unsaved, 'unsaved text')}?"
        question = warning_question(text, _KEEP, "Close", "Close the window (Enter)")
        ask(question, self, self._forget_written).accepted.connect(close)
        return True

    # Without an episode.

    def _show_state(self) -> None:
        if self._opened is None:
            self._show_notice(*self._episodes.summary())
        self._commands.enable(AnnotateCommand.NEXT_TEXT_EPISODE, on=bool(self._episodes.next_open))

    def _show_notice(self, title: str, hint: str) -> None:
        if (old := self._middle.widget(1)) is not None:
            self._middle.removeWidget(old)
            old.deleteLater()
        self._middle.insertWidget(1, notice(title, hint))
        self._middle.setCurrentIndex(1)
        self._heading.setText(counted(self._episodes.count))
        self._arrange()

    def _report_failure(self, why: str) -> None:
        self._message.show_message(Tone.DANGER, "Couldn't read the texts.", breakable(why))

    # One episode.

    def _open(self, episode_id: str) -> None:
        self._keep_written()
        self._message.hide()
        self._wanted, self._opened = episode_id, None  # what is still shown is of another episode
        self._decisions.done.clear()
        self._episodes.mark(episode_id)
        take, fail = partial(self._show, at=None), partial(self._report_unreadable, episode_id)
        self._background.run(partial(self._texts.open, episode_id), take, fail)

    def _open_next(self) -> None:
        if following := self._episodes.next_open:
            self._open(following)

    def _report_unreadable(self, episode_id: str, error: Exception) -> None:
        if episode_id == self._wanted:
            self._report_failure(error_text(error))
            self._show_state()

    def _show(self, opened: OpenedTexts, at: int | None) -> None:
        """Show an episode; `at` is the text to go to, None for the first that is open."""
        if opened.found.episode.episode_id != self._wanted:
            return
        is_other, self._opened = self._opened is None, opened
        self._middle.setCurrentIndex(0)
        if is_other:
            self._steps.show_episode(opened)
        self._arrange()
        self._go(self._next_open(0) if at is None else at, restart=is_other)
        if is_other:
            offer_focus(self._steps)

    def _go(self, at: int, *, restart: bool = True) -> None:
        assert self._opened is not None
        every = self._opened.all
        self._at = max(0, min(at, len(every) - 1))
        shown = every[self._at]
        self._steps.show_step(self._opened.steps[shown.step], shown)
        if restart:
            self._time.restart()
            if text := self._decisions.unsaved.get(self._place, ""):
                self._steps.write(text)
        self._show_head(shown)

    def _show_head(self, shown: ShownText) -> None:
        assert self._opened is not None
        waiting = sum(text.is_open for text in self._opened.all)
        contradicted = sum(text.state == CONTRADICTED for text in self._opened.all)
        parts = (
            f"Step {step_number(shown.step)} of {len(self._opened.steps)}",
            counted(waiting, "open text"),
            f"{contradicted:,} contradicted" if contradicted else "",
        )
        self._heading.setText(" · ".join(filter(None, parts)))
        self._commands.enable(AnnotateCommand.NEXT_CONTRADICTED, on=bool(contradicted))
        self._commands.enable(AnnotateCommand.UNDO_TEXT, on=bool(self._decisions.done), why="Nothing to undo")
        self._commands.enable(
            AnnotateCommand.ACCEPT_SUPPORTED, on=bool(supported(self._opened, self._texts.who() or "?"))
        )

    @property
    def _texts_a_step(self) -> int:
        """Four, or seven with memory."""
        return len(self._opened.steps[0]) if self._opened is not None else len(TextKind)

    @property
    def _place(self) -> Place:
        return self._wanted, self._at

    def _next_open(self, start: int, state: str = "") -> int:
        """The first open text from `start`, wrapping around; `start` itself without one."""
        assert self._opened is not None
        every = self._opened.all
        order = [*range(start, len(every)), *range(start)]
        wanted = (
            at for at in order
            if every[at].is_open and (self._wanted, at) not in self._decisions.saving and state in ("", every[at].state)
        )  # fmt: skip
        return next(wanted, min(start, len(every) - 1))

    def _move(self, by: int) -> None:
        if self._opened is not None:
            self._keep_written()
            self._go(self._at + by)

    def _choose(self, kind_number: int) -> None:
        if not self._steps.is_writing:
            self._move(kind_number - self._at % self._texts_a_step)

    def _next_contradicted(self) -> None:
        if self._opened is not None:
            self._keep_written()
            self._go(self._next_open(self._at + 1, CONTRADICTED))

    def _note_written(self) -> None:
        if self._opened is not None and self._steps.is_writing:
            text = self._steps.card.field.text
            if text != self._opened.all[self._at].words:
                self._decisions.unsaved[self._place] = text

    def _keep_written(self) -> None:
        self._note_written()
        self._steps.end_writing()

    def _forget_written(self) -> None:
        self._decisions.unsaved.clear()
        self._steps.end_writing()

    # Decisions.

    def _edit(self) -> None:
        if self._opened is not None and not (shown := self._opened.all[self._at]).is_hidden:
            self._steps.write(self._decisions.unsaved.get(self._place, shown.words))

    def _accept(self) -> None:
        if self._opened is None or self._episodes.list.hasFocus():
            self._episodes.choose()
            return
        shown = self._opened.all[self._at]
        if self._steps.is_writing:
            written = self._steps.card.field.text
            is_same = " ".join(written.split()) == shown.words and not shown.is_blind
            self._decide("accept" if is_same and shown.is_open else "edit", written)
        elif shown.is_blind or shown.text.state is TextState.MISSING:
            self._edit()
        elif shown.is_open:
            self._decide("accept", shown.words)
        else:
            self._go_to_next_open()

    def _reject(self) -> None:
        if self._opened is None or (shown := self._opened.all[self._at]).suggestion is None:
            return
        if shown.words or shown.may_be_empty:
            self._decide("reject", shown.words)

    def _accept_candidate(self) -> None:
        if (other := self._steps.card.candidate) is not None:
            self._decide("accept", other.words, on=other)

    def _decide(self, choice: Choice, text: str, on: Offer | None = None) -> None:
        if self._opened is None or self._place in self._decisions.saving:
            return
        shown = self._opened.all[self._at]
        try:
            entry = decided_on(shown, self._texts.who(), choice, text, self._time.touch(), on=on)
        except DatasetError as error:
            self._message.show_message(Tone.WARNING, str(error))
            return
        self._message.hide()
        self._steps.end_writing()
        self._decisions.unsaved.pop(self._place, None)
        self._decisions.save(self._place, [entry], text if choice == "edit" else "")
        if isinstance(entry, TextDecision) and not entry.blind:
            self._go_to_next_open()

    def _go_to_next_open(self) -> None:
        assert self._opened is not None
        following = self._next_open(self._at + 1)
        if self._opened.all[following].is_open and (self._wanted, following) not in self._decisions.saving:
            self._go(following)
        else:
            self._go(self._at + 1)
            self._message.show_message(Tone.SUCCESS, "All texts of this episode are decided.", "Ctrl+J opens the next.")

    def _on_saved(self, entry: TextDecision | Planted, opened: OpenedTexts) -> None:
        if isinstance(entry, Planted) and opened.found.episode.episode_id == self._wanted:
            self._reveal_planted(entry)
        self._show_changed(opened)

    def _show_changed(self, opened: OpenedTexts) -> None:
        self._episodes.add_rows([self._texts.row(opened)])
        self._show(opened, self._at)
        self._episodes.read_figures()

    def _reveal_planted(self, entry: Planted) -> None:
        assert self._opened is not None
        every = {(shown.step_key, shown.kind): shown.plant for shown in self._opened.all}
        plant = every[entry.step_key, entry.field]
        assert plant is not None
        noticed = "You noticed." if entry.is_caught else "You did not notice."
        text = f"That text was wrong on purpose: it is that of step {step_number(plant.step)}. {noticed}"
        hint = "It was not stored. Now decide on the suggestion for this step."
        self._message.show_message(Tone.SUCCESS if entry.is_caught else Tone.WARNING, text, hint)

    def _report_unsaved(self, place: Place, why: str) -> None:
        is_shown = self._opened is not None and place[0] == self._wanted
        of = f"step {step_number(place[1] // self._texts_a_step)}" if is_shown else f"a text of {place[0]}"
        message = f"The decision on {of} was not saved."
        self._message.show_message(Tone.DANGER, message, breakable(why))
        if is_shown and not self._steps.is_writing:
            self._go(place[1])

    def _accept_supported(self) -> None:
        if self._opened is None or not self._texts.who().strip():
            self._message.show_message(Tone.WARNING, "Your name is not set. Enter it in Settings.")
        elif entries := supported(self._opened, self._texts.who()):
            self._decisions.save(self._place, entries)
            text = f"Accepted {counted(entries, 'supported text')} of this episode."
            self._message.show_message(Tone.SUCCESS, text, "Ctrl+Z takes them back.")

    def _undo_last(self) -> None:
        if self._decisions.done and self._opened is not None:
            self._decisions.undo(self._place)

    def _on_undone(self, first: TextDecision, opened: OpenedTexts) -> None:
        every = [(text.step_key, text.kind) for text in opened.all]
        self._message.hide()
        self._show_changed(opened)
        if opened.found.episode.episode_id == self._wanted and (first.step_key, first.field) in every:
            self._go(every.index((first.step_key, first.field)))

    # Wiring.

    def _arrange(self) -> None:
        is_open = self._opened is not None and self._middle.currentIndex() == 0
        self._commands.enable(*self._calls, on=is_open)
        self._panels.arrange()

    def _calls_of_texts(self) -> dict[Command, Callable[[], object]]:
        return {
            AnnotateCommand.EDIT_TEXT: self._edit,
            AnnotateCommand.REJECT_TEXT: self._reject,
            AnnotateCommand.NEXT_CONTRADICTED: self._next_contradicted,
            AnnotateCommand.ACCEPT_SUPPORTED: self._accept_supported,
            AnnotateCommand.UNDO_TEXT: self._undo_last,
            AnnotateCommand.NEXT_TEXT: lambda: self._move(1),
            AnnotateCommand.PREVIOUS_TEXT: lambda: self._move(-1),
            AnnotateCommand.NEXT_TEXT_STEP: lambda: self._move(self._texts_a_step - self._at % self._texts_a_step),
            AnnotateCommand.PREVIOUS_TEXT_STEP: lambda: self._move(-self._texts_a_step - self._at % self._texts_a_step),
            AnnotateCommand.NEXT_CANDIDATE: lambda: self._steps.card.turn_candidate(),
            AnnotateCommand.TAKE_CANDIDATE: self._accept_candidate,
        }

    def _connect(self) -> None:
        commands = self._commands
        self._episodes.chosen.connect(self._open)
        self._episodes.changed.connect(self._show_state)
        self._episodes.failed.connect(self._report_failure)
        self._decisions.saved.connect(self._on_saved)
        self._decisions.undone.connect(self._on_undone)
        self._decisions.failed.connect(self._report_unsaved)
        self._steps.chosen.connect(self._choose)
        self._steps.finished.connect(self._accept)
        self._steps.touched.connect(self._time.touch)
        commands.bind(self, self._calls)
        commands.bind(
            self,
            {
                AnnotateCommand.ACCEPT_TEXT: self._accept,
                AnnotateCommand.NEXT_TEXT_EPISODE: self._open_next,
                AnnotateCommand.READ_TEXTS: self.enter,
                AnnotateCommand.DISMISS_ANNOTATE: self._message.hide,
            },
        )
        commands.belong_to(self, AnnotateCommand.SHOW_MARK)
        commands.enable(
            AnnotateCommand.WRITE_TEXTS,
            on=self._writing is not None,
            why="No language model is set up. Choose one in Settings.",
        )
        if self._writing is not None:
            commands.bind(self, {AnnotateCommand.WRITE_TEXTS: self._writing.ask})
            self._writing.summarized.connect(self._report_written)
            self._writing.ended.connect(self._on_written)

    def _on_written(self) -> None:
        """Read again: texts may have been written, even if the job failed."""
        self.enter()
        if self._opened is not None and not self._steps.is_writing:
            fail = partial(self._report_unreadable, self._wanted)
            self._background.run(partial(self._texts.open, self._wanted), self._show_changed, fail)

    def _report_written(self, text: str, problems: str) -> None:
        self._message.show_message(Tone.WARNING if problems else Tone.SUCCESS, text, breakable(problems))

    def _lay_out(self) -> None:
        self._heading.setWordWrap(False)
        commands = self._commands
        self._middle.addWidget(self._steps)
        self._panels = Panels("texts", commands, self._middle, {"left": (self._episodes, _LIST_PX)},
                              lambda _side, px: px >= _ROOMY_PX or self._opened is None)  # fmt: skip
        buttons = commands.buttons(
            AnnotateCommand.WRITE_TEXTS, AnnotateCommand.READ_TEXTS, AnnotateCommand.NEXT_TEXT_EPISODE, kind="quiet"
        )
        head = row((self._heading, 1), *buttons)
        top = column(head, self._message, *([] if self._writing is None else [self._writing]))
        fill_column(self, top, (self._panels, 1), margins=(_SPACE, 12, _SPACE, _SPACE))
