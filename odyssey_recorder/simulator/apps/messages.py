"""Messages: conversations with people, written by the owner of the phone alone; nobody answers by themselves."""

from dataclasses import dataclass, field
from functools import partial

from odyssey_recorder.simulator.apps.app import App, Intent, Page, System
from odyssey_recorder.simulator.apps.content import table
from odyssey_recorder.simulator.apps.people import people, people_like
from odyssey_recorder.simulator.apps.photographs import photograph_in, without_address
from odyssey_recorder.simulator.ui.controls import Picture, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Row, Scroll, Spacer, Surface
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    avatar,
    bottom_sheet,
    button,
    chip,
    dialog,
    empty_page,
    fab,
    icon_button,
    list_item,
    menu,
    page_frame,
    scroll_page,
    search_box,
    section,
    text_box,
)

_PLAIN = "#5f6b7a"
_END = 1_000_000


@dataclass(slots=True, eq=False)
class Message:
    """One message; `mine` says that the owner of the phone wrote it."""

    mine: bool
    when: str
    text: str
    hearted: bool = False


@dataclass(slots=True, eq=False)
class Conversation:
    """What was written with one person, the oldest first; `quick` are answers to tap."""

    name: str
    messages: list[Message] = field(default_factory=list)
    quick: tuple[str, ...] = ()
    unread: int = 0
    draft: str = ""
    muted: bool = False

    @property
    def color(self) -> str:
        return next((person.color for person in people() if person.name == self.name), _PLAIN)

    @property
    def last(self) -> str:
        """The line that the list shows."""
        if self.draft:
            return f"Draft: {self.draft}"
        if not self.messages:
            return ""
        message = self.messages[-1]
        words = "Photo" if photograph_in(message.text) else message.text
        return f"You: {words}" if message.mine else words


class Messages(App):
    """The text messages; the conversation that was written in last is the first."""

    label = "Messages"
    package = "com.odyssey.messages"
    icon = "message-text"
    color = "#1f7a5c"
    category = "Social_Sharing"
    takes = ("send",)

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.conversations = [
            Conversation(
                entry["name"],
                [Message(sign == ">", when, text) for sign, when, text in entry["lines"]],
                tuple(entry["quick"]),
                entry["unread"],
            )
            for entry in table("messages")["conversation"]
        ]

    def first_page(self) -> Page:
        return ConversationsPage(self)

    def receive(self, intent: Intent) -> Page:
        return RecipientPage(self, intent.text)

    def with_person(self, name: str) -> Conversation:
        """The conversation with somebody; a new one, which the first message puts on the list, where there is none."""
        for conversation in self.conversations:
            if conversation.name == name:
                return conversation
        return Conversation(name)

    def send(self, conversation: Conversation, text: str) -> None:
        conversation.messages.append(Message(mine=True, when=self.system.clock, text=text))
        others = [other for other in self.conversations if other is not conversation]
        self.conversations = [conversation, *others]


class MessagesPage(Page):
    """What both the list and a conversation can show: the list of conversations."""

    app: Messages

    def __init__(self, app: Messages) -> None:
        super().__init__(app)
        self.query = ""

    def list_pane(self, current: Conversation | None = None) -> View:
        search = TextField("search", self.query, self._search, hint="Search conversations", action="search")
        clear = icon_button("close", "Clear search", partial(self._search, "")) if self.query else None
        bar = Row((Surface(search_box(search, trail=clear), flex=1),), pad=(16, 10, 16, 8))
        wanted = self.query.lower()
        found = [
            conversation
            for conversation in self.app.conversations
            if wanted in "\n".join([conversation.name, *(message.text for message in conversation.messages)]).lower()
        ]
        body: View = empty_page("message-outline", "No conversations found")
        if found:
            body = scroll_page(*(self._row(one, one is current) for one in found), Spacer(88), key="conversations")
        new = fab("message-plus-outline", "Start chat", self._start, label="Start chat")
        return page_frame(bar, body, fab=new)

    def _row(self, conversation: Conversation, here: bool) -> View:
        fresh = conversation.unread > 0
        when = conversation.messages[-1].when if conversation.messages else ""
        side = [Text(when, 12, 500 if fresh else 400, "primary" if fresh else "on_surface_variant")]
        words = Column(
            (
                Text(conversation.name, 16, 700 if fresh else 400, lines=1),
                Text(
                    conversation.last,
                    14,
                    500 if fresh else 400,
                    "on_surface" if fresh else "on_surface_variant",
                    lines=1,
                ),
            ),
            gap=2,
            flex=1,
        )
        count: View = Spacer(20)
        if fresh:
            count = Surface(
                Text(str(conversation.unread), 12, 500, "on_primary"),
                color="primary",
                radius=10,
                width=20,
                height=20,
                align="center",
            )
        end = Column((*side, count), gap=4, across="end")
        return Surface(
            Row((avatar(conversation.name, conversation.color, 48), words, end), gap=14, pad=(16, 10)),
            color="secondary_container" if here else "",
            fill=True,
            desc=conversation.name,
            on_tap=partial(self.open, conversation),
            on_long_press=partial(self.manage, conversation),
        )

    def open(self, conversation: Conversation) -> None:
        conversation.unread = 0
        self.go(ConversationPage(self.app, conversation))

    def manage(self, conversation: Conversation) -> None:
        """Offer what can be done with a whole conversation."""

    def _search(self, words: str) -> None:
        self.query = words

    def _start(self) -> None:
        page = RecipientPage(self.app)
        page.focus("to")
        self.go(page)


class ConversationsPage(MessagesPage):
    """All conversations."""

    chosen: Conversation | None = None

    def build(self, look: Look) -> View:
        if not look.wide:
            return self.list_pane()
        rest = Surface(empty_page("forum-outline", "Choose a conversation"), color="surface_low", flex=1)
        return Row((Surface(self.list_pane(), width=_pane(look)), rest), across="stretch")

    def build_overlay(self, look: Look) -> View | None:
        chosen = self.chosen
        if chosen is None:
            return None
        if self.overlay == "delete":
            return dialog(
                "Delete conversation?",
                Text(f"All messages with {chosen.name} will be deleted.", color="on_surface_variant"),
                buttons=(
                    button("Cancel", self.shows(""), kind="text"),
                    button("Delete", partial(self._delete, chosen), kind="text"),
                ),
            )
        unread = list_item("Mark as unread", icon="message-badge-outline", on_tap=partial(self._mark, chosen))
        delete = list_item("Delete", icon="trash-can-outline", on_tap=self.shows("delete"))
        return bottom_sheet(Text(chosen.name, 20, 500), Column((unread, delete)))

    def manage(self, conversation: Conversation) -> None:
        self.chosen = conversation
        self.show("more")

    def _mark(self, conversation: Conversation) -> None:
        self.show("")
        conversation.unread = max(1, conversation.unread)

    def _delete(self, conversation: Conversation) -> None:
        self.show("")
        self.app.conversations.remove(conversation)
        self.system.toast("Conversation deleted")


class ConversationPage(MessagesPage):
    """The messages with one person, and the line to write the next."""

    title = "Conversation"

    def __init__(self, app: Messages, conversation: Conversation) -> None:
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
        talk = Surface(self._talk(look), color="surface_low", flex=1)
        return Row((Surface(self.list_pane(self.conversation), width=_pane(look)), talk), across="stretch")

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
        width = (look.width_dp - _pane(look) if look.wide else look.width_dp) * 0.76
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
        field = TextField("message", draft, self._write, hint="Text message", action="send", on_action=self._send)
        send = icon_button("send", "Send message", self._send, color="primary" if draft.strip() else "outline")
        line = Row((Surface(text_box(field), flex=1), send), gap=4, pad=(12, 6, 4, 10))
        if draft or not self.conversation.quick:
            return line
        chips = [chip(words, on_tap=partial(self._send_words, words)) for words in self.conversation.quick]
        return Column((Scroll(Row(chips, gap=8, pad=(12, 4)), "quick", sideways=True), line))

    def _write(self, words: str) -> None:
        self.conversation.draft = words

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


class RecipientPage(Page):
    """Chooses to whom a message goes; `text` is what another app has shared."""

    app: Messages
    title = "NewConversation"

    def __init__(self, app: Messages, text: str = "") -> None:
        super().__init__(app)
        self.text = text
        self.wanted = ""

    def build(self, look: Look) -> View:
        bar = app_bar("Send to" if self.text else "New conversation", on_up=self.close)
        field = TextField(
            "to", self.wanted, self._type, hint="Type a name or a number", action="go", on_action=self._first
        )
        found = people_like(self.wanted)
        number = self.wanted.replace(" ", "").lstrip("+")
        rows = [
            list_item(
                person.name,
                f"@{person.handle}  ·  {person.place}",
                lead=avatar(person.name, person.color),
                on_tap=partial(self._choose, person.name),
            )
            for person in found
        ]
        if number.isdigit():
            rows.insert(
                0,
                list_item(f"Send to {self.wanted}", icon="dialpad", on_tap=partial(self._choose, self.wanted.strip())),
            )
        top = Row(
            (Surface(Surface(text_box(field, icon="account-search-outline"), max_width=728, fill=True), flex=1),),
            pad=(16, 4, 16, 4),
            along="center",
        )
        if not rows:
            return page_frame(Column((bar, top)), empty_page("account-search-outline", "No contact has this name"))
        heading = section("All contacts" if not self.wanted else "Contacts")
        return page_frame(Column((bar, top)), scroll_page(heading, *rows))

    def _type(self, words: str) -> None:
        self.wanted = words

    def _first(self) -> None:
        found = people_like(self.wanted)
        if self.wanted and found:
            self._choose(found[0].name)

    def _choose(self, name: str) -> None:
        conversation = self.app.with_person(name)
        if self.text:
            conversation.draft = self.text
        self.close()
        page = ConversationPage(self.app, conversation)
        page.focus("message")
        self.go(page)


def _pane(look: Look) -> float:
    """The width of the list beside a conversation."""
    return min(400, look.width_dp * 0.4)
