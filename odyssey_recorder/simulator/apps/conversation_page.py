"""The page of one conversation: bubbles, the text field, and actions on a message."""

from functools import partial

from odyssey_recorder.simulator.apps.conversations import (
    Conversation,
    Correspondence,
    Message,
    MessagesPage,
    list_width,
)
from odyssey_recorder.simulator.apps.photographs import photograph_in, without_address
from odyssey_recorder.simulator.ui.controls import Picture, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Row, Scroll, Surface
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import (
    avatar,
    bottom_sheet,
    chip,
    empty_page,
    icon_button,
    list_item,
    menu,
    page_frame,
    scroll_page,
    text_box,
)

_END = 1_000_000


class ConversationPage(MessagesPage):
    title = "Conversation"

    def __init__(self, app: Correspondence, conversation: Conversation) -> None:
        super().__init__(app)
        self.conversation = conversation
        self.chosen: Message | None = None
        self.height_dp = 0

    def build(self, look: Look) -> View:
        if look.height_dp != self.height_dp:
            self._show_end()
        self.height_dp = look.height_dp
        if not look.wide:
            return self._talk(look)
        return self.beside_list(look, self._talk(look), self.conversation)

    def build_overlay(self, look: Look) -> View | None:
        chosen = self.chosen
        if self.overlay == "menu" or chosen is None:
            mute = "Unmute" if self.conversation.muted else "Mute"
            return menu(
                ("bell-off-outline", mute, self._mute),
                ("trash-can-outline", "Delete conversation", self._delete_all),
            )
        heart = "Remove heart" if chosen.hearted else "Heart"
        return bottom_sheet(
            Text(chosen.text, 14, color="on_surface_variant", lines=3),
            Column(
                (
                    list_item("Copy", icon="content-copy", on_tap=partial(self._copy, chosen)),
                    list_item("Forward", icon="share-outline", on_tap=partial(self._forward, chosen)),
                    list_item(heart, icon="heart-outline", on_tap=partial(self._heart, chosen)),
                    list_item("Delete message", icon="trash-can-outline", on_tap=partial(self._delete, chosen)),
                )
            ),
        )

    def open(self, conversation: Conversation) -> None:
        self.close()
        super().open(conversation)

    def _talk(self, look: Look) -> View:
        conversation = self.conversation
        more = icon_button("dots-vertical", "More options", self.shows("menu"))
        name = Row(
            (
                icon_button("arrow-left", "Navigate up", self.close, color="on_surface"),
                avatar(conversation.name, conversation.color, 36),
                Text(conversation.name, 20, lines=1, flex=1),
                *((Text("Muted", 12, color="on_surface_variant"),) if conversation.muted else ()),
                more,
            ),
            gap=8,
            pad=(4, 8),
        )
        width = (look.width_dp - list_width(look) if look.wide else look.width_dp) * 0.76
        bubbles = [self._bubble(message, min(460, width)) for message in conversation.messages]
        if bubbles:
            talk: View = scroll_page(*bubbles, key="talk", gap=8, pad=(16, 8), max_width=820)
        else:
            talk = empty_page("message-text-outline", f"Say hello to {conversation.name}")
        return page_frame(name, talk, bottom=self._composer())

    def _bubble(self, message: Message, widest: float) -> View:
        photo = photograph_in(message.text)
        paper, ink = ("primary", "on_primary") if message.mine else ("surface_high", "on_surface")
        words = without_address(message.text)
        parts: list[View] = [Picture(photo.painter, 220, 165, radius=14)] if photo else []
        if words:
            parts.append(Surface(Text(words, 16, color=ink), pad=(14, 9)))
        bubble = Surface(
            Column(parts),
            color=paper,
            radius=18,
            max_width=widest,
            on_long_press=partial(self._choose, message),
            on_tap=None,
            desc=photo.caption if photo else "",
        )
        side = "end" if message.mine else "start"
        below = Text(f"{message.when}  ♥" if message.hearted else message.when, 11, color="on_surface_variant")
        return Row(
            (Column((bubble, below), gap=3, across="end" if message.mine else "start"),),
            along="end" if side == "end" else "start",
        )

    def _composer(self) -> View:
        draft = self.conversation.draft
        field = TextField(
            "message",
            draft,
            self.sets("draft", of=self.conversation),
            hint="Text message",
            action="send",
            on_action=self._send,
        )
        send = icon_button("send", "Send message", self._send, color="primary" if draft.strip() else "outline")
        line = Row((Surface(text_box(field), flex=1), send), gap=4, pad=(12, 6, 4, 10))
        if draft or not self.conversation.quick:
            return line
        chips = [chip(words, on_tap=partial(self._send_words, words)) for words in self.conversation.quick]
        return Column((Scroll(Row(chips, gap=8, pad=(12, 4)), "quick", sideways=True), line))

    def _send(self) -> None:
        if self.conversation.draft.strip():
            self._send_words(self.conversation.draft.strip())
            self.conversation.draft = ""

    def _send_words(self, words: str) -> None:
        self.app.send(self.conversation, words)
        self._show_end()
        self.memory.scroll["conversations"] = 0

    def _show_end(self) -> None:
        self.memory.scroll["talk"] = _END

    def _choose(self, message: Message) -> None:
        self.chosen = message
        self.show("message")

    def _copy(self, message: Message) -> None:
        self.show("")
        self.system.copy(message.text)

    def _forward(self, message: Message) -> None:
        self.system.share(message.text)

    def _heart(self, message: Message) -> None:
        self.show("")
        message.hearted = not message.hearted

    def _delete(self, message: Message) -> None:
        self.show("")
        self.conversation.messages.remove(message)

    def _mute(self) -> None:
        self.show("")
        self.conversation.muted = not self.conversation.muted

    def _delete_all(self) -> None:
        self.app.conversations = [other for other in self.app.conversations if other is not self.conversation]
        self.close()
