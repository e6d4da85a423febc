"""First use: the annotator's name and consent, asked once for each version of the text."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QScrollArea, QWidget

from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import (
    fill_column,
    fill_dialog,
    labelled,
    line_edit,
    push_button,
    row,
    scroll_area,
    text_label,
)
from odyssey_recorder.gui.practice.practice_bridge import PracticeBridge
from odyssey_recorder.practice.profiles import LONGEST_NAME
from odyssey_recorder.practice.service import ConsentText, Welcome

_WIDTH, _HEIGHT = 660, 560


class FirstUse(QObject):
    """Opens the first-use dialog if the consent text is new to the annotator, and on request.

    Reviewers are not asked: the dialog waits for `expect_recording`.
    """

    def __init__(self, coach: PracticeBridge, commands: Commands, window: QWidget) -> None:
        super().__init__(window)
        self._coach = coach
        self._window = window
        self._was_asked = False
        self._expected = False
        coach.changed.connect(self._ask_once)
        commands[Command.READ_CONSENT].triggered.connect(self._open)

    def expect_recording(self) -> None:
        self._expected = True
        self._ask_once()

    def _ask_once(self) -> None:
        welcome = self._coach.welcome
        if self._expected and welcome is not None and welcome.must_ask and not self._was_asked:
            self._was_asked = True
            self._open()

    def _open(self) -> None:
        if (welcome := self._coach.welcome) is not None:
            dialog = FirstUseDialog(welcome, self._window)
            dialog.answered.connect(lambda name, agreed: self._coach.answer_consent(name, agreed=agreed))
            dialog.open()


class FirstUseDialog(QDialog):
    """Asks for name and consent; closing it answers nothing."""

    answered = Signal(str, bool)

    def __init__(self, welcome: Welcome, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Before you record")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._name = line_edit("Your name", "The name your project lead knows you by")
        self._name.setText(welcome.name)
        self._name.setMaxLength(LONGEST_NAME)
        self._agree = push_button(
            "I agree", "Record under this name (Enter)", "primary", call=lambda: self._answer(agreed=True)
        )
        refuse = push_button(
            "I do not agree",
            "Recording stays locked. You can read this text again under Practice",
            call=lambda: self._answer(agreed=False),
        )
        self._name.textChanged.connect(lambda text: self._agree.setEnabled(bool(text.strip())))
        self._agree.setEnabled(bool(welcome.name.strip()))
        area = _readable(welcome.consent)
        head = text_label("Your name and your consent", "title")
        state = "You have agreed to this text." if welcome.agrees else "You can withdraw your agreement at any time."
        version = text_label(f"Version {welcome.consent.version} of this text. {state}", "hint")
        foot = row((version, 1), refuse, self._agree)
        fill_dialog(self, head, labelled("&Your name", self._name), area, foot, stretch=area)
        self.resize(_WIDTH, _HEIGHT)

    def _answer(self, *, agreed: bool) -> None:
        self.accept()
        self.answered.emit(self._name.text().strip(), agreed)


def _readable(consent: ConsentText) -> QScrollArea:
    """The scrollable text; the first line of each paragraph is its heading."""
    page = QWidget()
    parts: list[QWidget | int] = []
    for paragraph in consent.text.split("\n\n"):
        heading, _, words = paragraph.partition("\n")
        parts += [text_label(heading, "title"), text_label(words), 8]
    fill_column(page, *parts, None, margins=(16, 14, 16, 14), spacing=4)
    area = scroll_area(page, "Consent text")
    area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    area.setProperty("kind", "reading")
    area.setAccessibleDescription(consent.text)
    return area
