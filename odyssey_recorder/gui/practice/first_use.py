"""First use: name, role and consent; consent is asked for once for each version of the text."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QLayout, QRadioButton, QScrollArea, QStackedWidget, QWidget

from odyssey_recorder.gui.bridges.practice import PracticeBridge
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.roles import ROLE_LABELS
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.layouts import labelled, pile, scroll_area
from odyssey_recorder.gui.kit.parts import column, fill_column, line_edit, push_button, row, text_label
from odyssey_recorder.practice.profiles import LONGEST_NAME
from odyssey_recorder.services.practice import ConsentText, Welcome
from odyssey_recorder.settings import Role

_WIDTH, _HEIGHT = 660, 600
_NOT_ASKED = (
    "You are asked for your consent before you record something yourself. You can change your role in Settings."
)
_ROLE_TEXTS: Mapping[Role, str] = {
    "annotator": "Practise, and record tasks for the dataset",
    "reviewer": "Review what others recorded",
    "lead": "Prepare tasks, and see everything",
}


class FirstUse(QObject):
    """Opens the first-use dialog if the consent text is new to the annotator, and on request.

    Reviewers are not asked: the dialog waits for `expect_recording`. With `asks_role`, people who open it for the first
    time choose their role there.
    """

    role_chosen = Signal(str)

    def __init__(self, coach: PracticeBridge, commands: Commands, window: QWidget, *, asks_role: bool) -> None:
        super().__init__(window)
        self._coach = coach
        self._window = window
        self._asks_role = asks_role
        self._was_asked = False
        self._expected = False
        coach.changed.connect(self._ask_once)
        commands[CommonCommand.READ_CONSENT].triggered.connect(self._open)

    def expect_recording(self) -> None:
        self._expected = True
        self._ask_once()

    def _ask_once(self) -> None:
        if self._expected and self._coach.must_ask and not self._was_asked:
            self._was_asked = True
            self._open()

    def _open(self) -> None:
        if (welcome := self._coach.welcome) is not None:
            dialog = FirstUseDialog(welcome, self._window, asks_role=self._asks_role and welcome.must_ask)
            dialog.answered.connect(self._answer)
            dialog.open()

    def _answer(self, name: str, agreed: bool | None, role: Role) -> None:
        if role:
            self._asks_role = False
            self.role_chosen.emit(role)
        self._coach.answer_consent(name, agreed=agreed)


class FirstUseDialog(Dialog):
    """Asks for name and consent, and if `asks_role` for the role; closing it answers nothing.

    `answered` carries the name, the answer (None from people who record nothing), and the role if it was asked.
    """

    answered = Signal(str, object, str)

    def __init__(self, welcome: Welcome, parent: QWidget | None = None, *, asks_role: bool = False) -> None:
        super().__init__("Before you record", parent)
        self._name = line_edit("Your name", "The name your project lead knows you by")
        self._name.setText(welcome.name)
        self._name.setMaxLength(LONGEST_NAME)
        self._agree = push_button(
            "I agree, start practice" if welcome.status.left else "I agree",
            "Record under this name (Enter)",
            "primary",
            call=lambda: self._answer(agreed=True),
        )
        self._refuse = push_button(
            "I do not agree",
            "Recording stays locked. You can read this text again under Practice",
            call=lambda: self._answer(agreed=False),
        )
        self._continue = push_button(
            "Continue", "Open the window (Enter)", "primary", call=lambda: self._answer(agreed=None)
        )
        self._roles = {role: self._role_button(role) for role in ROLE_LABELS} if asks_role else {}
        state = "You have agreed to this text." if welcome.agrees else "You can withdraw your agreement at any time."
        self._version = text_label(f"Version {welcome.consent.version} of this text. {state}", "hint")
        self._text = QStackedWidget()
        self._text.addWidget(_readable(welcome.consent))
        self._text.addWidget(pile(text_label(_NOT_ASKED, "hint")))
        self._lay_out(asks_role=asks_role)
        self._name.textChanged.connect(self._offer)
        self._offer()
        self.resize(_WIDTH, _HEIGHT)

    @property
    def _role(self) -> Role:
        """Empty if it was not asked."""
        return next((role for role, button in self._roles.items() if button.isChecked()), "")

    def _role_button(self, role: Role) -> QRadioButton:
        button = QRadioButton(ROLE_LABELS[role])
        button.setToolTip(_ROLE_TEXTS[role])
        button.setChecked(role == "annotator")
        button.toggled.connect(self._offer)
        return button

    def _offer(self) -> None:
        asks = self._role in ("", "annotator")
        for button in (self._agree, self._refuse, self._version):
            button.setVisible(asks)
        self._continue.setVisible(not asks)
        self._text.setCurrentIndex(0 if asks else 1)
        for button in (self._agree, self._continue):
            button.setEnabled(bool(self._name.text().strip()))
        (self._agree if asks else self._continue).setDefault(True)

    def _answer(self, *, agreed: bool | None) -> None:
        self.accept()
        self.answered.emit(self._name.text().strip(), agreed, self._role)

    def _lay_out(self, *, asks_role: bool) -> None:
        head = text_label("Welcome" if asks_role else "Your name and your consent", "title")
        parts: list[QWidget | QLayout] = [head, labelled("&Your name", self._name)]
        if asks_role:
            parts.append(
                column(text_label("What do you do in this project?", "field"), row(*self._roles.values(), None))
            )
        foot = row((self._version, 1), None, self._refuse, self._agree, self._continue)
        self.fill(*parts, self._text, foot, stretch=self._text)


def _readable(consent: ConsentText) -> QScrollArea:
    """The scrollable text; the first line of each paragraph is its heading."""
    page = QWidget()
    parts: list[QWidget | int] = []
    for paragraph in consent.text.split("\n\n"):
        heading, _, text = paragraph.partition("\n")
        parts += [text_label(heading, "title"), text_label(text), 8]
    fill_column(page, *parts, None, margins=(16, 14, 16, 14), spacing=4)
    area = scroll_area(page, "Consent text")
    area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    area.setProperty("kind", "reading")
    area.setAccessibleDescription(consent.text)
    return area
