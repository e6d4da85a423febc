"""One step: its screenshot with the action and plain, and the cards of its texts and memory."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from odyssey_recorder.annotation.reviewing import OpenedTexts, ShownText
from odyssey_recorder.annotation.text_kinds import MemoryKind, TextKind
from odyssey_recorder.gui.annotate.commands import AnnotateCommand
from odyssey_recorder.gui.annotate.text_card import TextCard
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import breakable, column, fill_row, named, row, selectable
from odyssey_recorder.gui.kit.theme import grown
from odyssey_recorder.gui.screen.action_painter import prepare_other_threads
from odyssey_recorder.gui.screen.step_strip import MarkedScreenshot
from odyssey_recorder.gui.screen.step_viewer import StepCanvas
from odyssey_recorder.model.action import in_words
from odyssey_recorder.model.geometry import Box

_BESIDE_PX = 900
"""From this width on, the plain screenshot is beside the marked one."""
_CARDS_PX = 330
_ACROSS, _DOWN = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom


class StepTexts(QWidget):
    chosen = Signal(int)
    """The number of the text in the step."""
    finished = Signal()
    touched = Signal()

    def __init__(self, background: Background, commands: Commands) -> None:
        super().__init__()
        prepare_other_threads()
        named(self, "Texts of the step").setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._mark = commands[AnnotateCommand.SHOW_MARK]
        self._opened: OpenedTexts | None = None
        self._marked, self._plain = StepCanvas(background, ()), StepCanvas(background, ())
        named(self._marked, "Screenshot with the action")
        named(self._plain, "Plain screenshot").is_marked = False
        for canvas in (self._marked, self._plain):
            canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._screenshots = row((self._marked, 1), (self._plain, 1), spacing=10)
        self._action = selectable("instruction")
        self._task = selectable("hint")
        self._cards = [TextCard(kind) for kind in (*TextKind, *MemoryKind)]
        self._area = scroll_area(pile(*self._cards, spacing=8), "Texts of the step")
        self.card = self._cards[0]
        self._lay_out(commands)
        self._mark.setChecked(True)
        self._mark.toggled.connect(lambda _on: self._arrange())
        for number, card in enumerate(self._cards):
            card.chosen.connect(lambda number=number: self.chosen.emit(number))
            card.finished.connect(self.finished)
            card.field.textChanged.connect(self.touched)

    @property
    def is_writing(self) -> bool:
        return self.card.is_writing

    def show_episode(self, opened: OpenedTexts) -> None:
        self._opened = opened
        screenshots = [_screenshot(opened, number) for number in range(len(opened.steps))]
        for canvas in (self._marked, self._plain):
            canvas.show_steps(screenshots, 0)
        sizes = [screenshot.size for screenshot in screenshots if screenshot.size is not None]
        is_wide = bool(sizes) and sizes[0].width > sizes[0].height
        self._screenshots.setDirection(_DOWN if is_wide else _ACROSS)
        self._task.setText(breakable(opened.found.episode.task.instruction))

    def show_step(self, texts: Sequence[ShownText], chosen: ShownText) -> None:
        assert self._opened is not None
        self.card = self._cards[texts.index(chosen)]
        for number, card in enumerate(self._cards):
            card.setVisible(number < len(texts))
        for card, shown in zip(self._cards, texts, strict=False):
            card.show_text(shown)
            card.mark(on=card is self.card)
        self._action.setText(breakable(in_words(self._opened.found.episode.steps[chosen.step].action)))
        for canvas in (self._marked, self._plain):
            canvas.turn_to(chosen.step)
        self._area.ensureWidgetVisible(self.card)

    def write(self, text: str) -> None:
        self.card.write(text)
        self._area.ensureWidgetVisible(self.card)

    def end_writing(self) -> None:
        if self.is_writing:
            self.card.end_writing()
            self.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        is_beside = self.width() >= grown(_BESIDE_PX)
        self._marked.setVisible(is_beside or self._mark.isChecked())
        self._plain.setVisible(is_beside or not self._mark.isChecked())
        self._mark.setVisible(not is_beside)

    def _lay_out(self, commands: Commands) -> None:
        self._area.setMinimumWidth(grown(_CARDS_PX))
        marking = commands.button(AnnotateCommand.SHOW_MARK, kind="quiet")
        left = column(self._task, row((self._action, 1), marking), spacing=6)
        left.addLayout(self._screenshots, 1)
        first = commands.buttons(
            AnnotateCommand.ACCEPT_TEXT, AnnotateCommand.EDIT_TEXT, AnnotateCommand.REJECT_TEXT, wide=True
        )
        second = commands.buttons(AnnotateCommand.NEXT_CONTRADICTED, AnnotateCommand.ACCEPT_SUPPORTED, wide=True)
        right = column((self._area, 1), row(*first), row(*second), spacing=8)
        fill_row(self, (left, 3), (right, 2), spacing=14)


def _screenshot(opened: OpenedTexts, number: int) -> MarkedScreenshot:
    record = opened.found.record(number)
    box = Box(*record.bbox) if record is not None and record.bbox is not None else None
    size = record.frame.size if record is not None else None
    return MarkedScreenshot(opened.found.files.screenshot(number), opened.found.episode.steps[number].action, box, size)
