"""The page of one conversation: bubbles, the text field, and actions on a message."""

from functools import partial
from typing import Literal

from odyssey_simulator.apps.conversations import (
    Conversation,
    Correspondence,
    Message,
    MessagesPage,
    list_width,
)
from odyssey_simulator.apps.photographs import photograph_in, without_address
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Picture, Text
from odyssey_simulator.ui.layout import ScrollView, Surface, column, row
from odyssey_simulator.ui.view import Look, View

_END = 1_000_000


class ConversationPage(MessagesPage):
    height_dp = 0

    def __init__(self, app: Correspondence, conversation: Conversation) -> None:
        super().__init__(app)
        self.conversation = conversation

    def build(self, look: Look) -> View:
        if look.height_dp != self.height_dp:
            self._show_end()
        self.height_dp = look.height_dp
        talk = self._talk(look)
        return self.beside_list(look, talk, self.conversation) if look.wide else talk

    def build_overlay(self, look: Look) -> View | None:
        conversation = self.conversation
        if self.overlay == "menu":
            mute = "Unmute" if conversation.muted else "Mute"
            return self.menu(
                ("bell-off-outline", mute, self.flips("muted", of=conversation)),
                ("trash-can-outline", "Delete conversation", self._delete_all),
            )
        chosen: Message = self.chosen
        heart = "Remove heart" if chosen.hearted else "Heart"
        return self.sheet(
            ui.muted(chosen.text, lines=3),
            ("content-copy", "Copy", partial(self.system.copy, chosen.text)),
            ("share-outline", "Forward", partial(self.system.share, chosen.text)),
            ("heart-outline", heart, self.flips("hearted", of=chosen)),
            ("trash-can-outline", "Delete message", partial(conversation.messages.remove, chosen)),
        )

    def open(self, conversation: Conversation) -> None:
        self.close()
        super().open(conversation)

    def _talk(self, look: Look) -> View:
        conversation = self.conversation
        name = row(
            ui.icon_button("arrow-left", "Navigate up", self.close, color="on_surface"),
            ui.avatar(conversation.name, conversation.color, 36),
            Text(conversation.name, 20, lines=1, flex=1),
            *((ui.muted("Muted", 12),) if conversation.muted else ()),
            ui.icon_button("dots-vertical", "More options", self.shows("menu")),
            gap=8,
            pad=(4, 8),
        )
        width = (look.width_dp - list_width(look) if look.wide else look.width_dp) * 0.76
        bubbles = [self._bubble(message, min(460, width)) for message in conversation.messages]
        talk: View = ui.empty_page("message-text-outline", f"Say hello to {conversation.name}")
        if bubbles:
            talk = ui.scroll_page(*bubbles, key="talk", gap=8, pad=(16, 8), max_width=820)
        return ui.page_frame(name, talk, bottom=self._composer())

    def _bubble(self, message: Message, widest: float) -> View:
        photo, text = photograph_in(message.text), without_address(message.text)
        paper, ink = ("primary", "on_primary") if message.mine else ("surface_high", "on_surface")
        parts: list[View] = [Picture(photo.painter, 220, 165, radius=14)] if photo else []
        if text:
            parts.append(Surface(Text(text, 16, color=ink), pad=(14, 9)))
        bubble = Surface(
            column(*parts),
            color=paper,
            radius=18,
            max_width=widest,
            on_long_press=partial(self.offer, message),
            desc=photo.caption if photo else "",
        )
        below = ui.muted(f"{message.when}  ♥" if message.hearted else message.when, 11)
        side: Literal["start", "end"] = "end" if message.mine else "start"
        return row(column(bubble, below, gap=3, across=side), along=side)

    def _composer(self) -> View:
        conversation = self.conversation
        field = self.field("draft", "Text message", of=conversation, key="message", action="send", on_action=self._send)
        line = ui.send_line(field, "Send message", self._send)
        if conversation.draft or not conversation.quick:
            return line
        chips = [ui.chip(text, on_tap=partial(self._send_words, text)) for text in conversation.quick]
        return column(ScrollView(row(*chips, gap=8, pad=(12, 4)), "quick", sideways=True), line)

    def _send(self) -> None:
        if self.conversation.draft.strip():
            self._send_words(self.conversation.draft.strip())
            self.conversation.draft = ""

    def _send_words(self, text: str) -> None:
        self.app.send(self.conversation, text)
        self._show_end()
        self.memory.scroll["conversations"] = 0

    def _show_end(self) -> None:
        self.memory.scroll["talk"] = _END

    def _delete_all(self) -> None:
        self.app.conversations = [other for other in self.app.conversations if other is not self.conversation]
        self.close()
