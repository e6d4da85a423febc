"""The messages of the Record page: which of them is shown, and the last ones to read again."""

from collections import deque
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.fix_list import entry
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import push_button, row, text_label
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.recording.notice import Notice, NoticeKind

_TONES = {
    NoticeKind.NEWS: Tone.SUCCESS,
    NoticeKind.REFUSAL: Tone.WARNING,
    NoticeKind.WARNING: Tone.WARNING,
    NoticeKind.FAILURE: Tone.DANGER,
}
_KEPT = 50
_BUTTON_PX = 28
"""Narrow, so that a message in the right panel has few lines."""


@dataclass(frozen=True, slots=True)
class _Message:
    notice: Notice
    detail: str
    cause: str
    at: datetime


class MessageArea(Banner):
    """Shows the newest message of the highest rank that still holds.

    A message that another one has replaced comes back if it still holds once the other one leaves.
    """

    def __init__(self, commands: Commands) -> None:
        buttons = commands.buttons(RecordCommand.MESSAGES, RecordCommand.DISMISS, kind="quiet", wordless=True)
        for button in buttons:
            button.setFixedWidth(_BUTTON_PX)
        super().__init__(*buttons)
        self._holding: list[_Message] = []
        self._last: deque[_Message] = deque(maxlen=_KEPT)
        self._step: int | None = None

    def tell(self, notice: Notice, detail: str = "", *, cause: str = "") -> None:
        message = _Message(notice, detail, cause, datetime.now().astimezone())
        self._last.appendleft(message)
        self._hold([*(one for one in self._holding if one.notice != notice), message])

    def say(self, kind: NoticeKind, text: str, detail: str = "", *, cause: str = "") -> None:
        """A message of the page itself."""
        self.tell(Notice(text, kind, self._step), detail, cause=cause)

    def follow(self, last_step: int | None) -> None:
        """The step with this key is now the last one; messages about another last step leave."""
        self._step = last_step
        self._hold([one for one in self._holding if one.notice.after == last_step])

    def end(self, cause: str) -> None:
        self._hold([one for one in self._holding if one.cause != cause])

    def clear(self) -> None:
        self._hold([])

    def _hold(self, messages: list[_Message]) -> None:
        self._holding = messages
        if not messages:
            self.hide()
            return
        shown = max(reversed(messages), key=lambda one: one.notice.kind.rank)
        self.show_message(_TONES[shown.notice.kind], shown.notice.text, shown.detail)

    def open_last(self) -> None:
        _LastMessages(tuple(self._last), self.window()).open()


class _LastMessages(Dialog):
    def __init__(self, messages: tuple[_Message, ...], parent: QWidget) -> None:
        super().__init__("Messages", parent)
        self._messages = messages
        self._area = scroll_area(name="Messages, newest first")
        self._area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        close = push_button("Close", "Close the messages (Esc)", "primary", call=self.accept)
        self.fill(self._area, row(None, close), stretch=self._area)
        self.repaint_icons()
        self.resize(480, 420)

    def repaint_icons(self) -> None:
        rows = [_row(message) for message in self._messages] or [text_label("No messages yet.", "hint")]
        self._area.setWidget(pile(*rows, right=8, spacing=14))


def _row(message: _Message) -> QWidget:
    tone = _TONES[message.notice.kind]
    text = f"{message.notice.text} {message.detail}".strip()
    return entry(tone.icon, (text, f"{message.at:%H:%M:%S}"), (), name=tone.name.capitalize())
