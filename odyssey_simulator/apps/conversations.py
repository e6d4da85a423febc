"""Conversations of the messages app, and the list of them that several pages show."""

from dataclasses import dataclass, field
from functools import partial

from odyssey_simulator.apps.app import App, Page
from odyssey_simulator.apps.people import people
from odyssey_simulator.apps.photographs import photograph_in
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Text
from odyssey_simulator.ui.layout import Spacer, Surface, column, row
from odyssey_simulator.ui.view import Look, View

_PLAIN = "#5f6b7a"


@dataclass(slots=True, eq=False)
class Message:
    mine: bool
    when: str
    text: str
    hearted: bool = False


@dataclass(slots=True, eq=False)
class Conversation:
    """Oldest message first; `quick` are suggested replies."""

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
        if self.draft:
            return f"Draft: {self.draft}"
        if not self.messages:
            return ""
        message = self.messages[-1]
        text = "Photo" if photograph_in(message.text) else message.text
        return f"You: {text}" if message.mine else text


class Correspondence(App):
    conversations: list[Conversation]

    def send(self, conversation: Conversation, text: str) -> None:
        conversation.messages.append(Message(mine=True, when=self.system.clock, text=text))
        others = [other for other in self.conversations if other is not conversation]
        self.conversations = [conversation, *others]

    def conversation_page(self, conversation: Conversation) -> Page:
        raise NotImplementedError

    def recipient_page(self) -> Page:
        raise NotImplementedError


class MessagesPage(Page):
    app: Correspondence

    def list_pane(self, current: Conversation | None = None) -> View:
        search = ui.search_box(self.search_field("Search conversations"))
        query = self.query.lower()
        found = [
            self._row(conversation, current)
            for conversation in self.app.conversations
            if query in "\n".join([conversation.name, *(message.text for message in conversation.messages)]).lower()
        ]
        body: View = ui.empty_page("message-outline", "No conversations found")
        if found:
            body = ui.scroll_page(*found, Spacer(88), key="conversations")
        new = ui.fab("message-plus-outline", "Start chat", self._start, label="Start chat")
        return ui.page_frame(row(Surface(search, flex=1), pad=(16, 10, 16, 8)), body, fab=new)

    def _row(self, conversation: Conversation, current: Conversation | None) -> View:
        fresh = conversation.unread > 0
        weight = 500 if fresh else 400
        when = conversation.messages[-1].when if conversation.messages else ""
        text = column(
            Text(conversation.name, 16, 700 if fresh else 400, lines=1),
            Text(conversation.last, 14, weight, "on_surface" if fresh else "on_surface_variant", lines=1),
            gap=2,
            flex=1,
        )
        count = ui.disc(Text(str(conversation.unread), 12, 500, "on_primary"), 20, "primary") if fresh else Spacer(20)
        stamp = Text(when, 12, weight, "primary" if fresh else "on_surface_variant")
        end = column(stamp, count, gap=4, across="end")
        return Surface(
            row(ui.avatar(conversation.name, conversation.color, 48), text, end, gap=14, pad=(16, 10)),
            color="secondary_container" if conversation is current else "",
            fill=True,
            desc=conversation.name,
            on_tap=partial(self.open, conversation),
            on_long_press=None if current else partial(self.offer, conversation),
        )

    def open(self, conversation: Conversation) -> None:
        conversation.unread = 0
        self.go(self.app.conversation_page(conversation))

    def _start(self) -> None:
        self.go(self.app.recipient_page(), focus="to")

    def beside_list(self, look: Look, body: View, current: Conversation | None = None) -> View:
        rest = Surface(body, color="surface_low", flex=1)
        return row(Surface(self.list_pane(current), width=list_width(look)), rest, across="stretch")


def list_width(look: Look) -> float:
    """In dp."""
    return min(400, look.width_dp * 0.4)
