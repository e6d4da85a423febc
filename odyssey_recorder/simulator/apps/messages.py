"""Messages: text conversations in which only the owner of the phone writes; nobody replies."""

from functools import partial

from odyssey_recorder.simulator.apps.app import Intent, Page, System
from odyssey_recorder.simulator.apps.content import table
from odyssey_recorder.simulator.apps.conversation_page import ConversationPage
from odyssey_recorder.simulator.apps.conversations import Conversation, Correspondence, Message, MessagesPage
from odyssey_recorder.simulator.apps.people import people_like
from odyssey_recorder.simulator.ui.controls import Text, TextField
from odyssey_recorder.simulator.ui.layout import Column
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    avatar,
    bottom_sheet,
    button,
    centered,
    dialog,
    empty_page,
    list_item,
    page_frame,
    scroll_page,
    section,
    text_box,
)


class Messages(Correspondence):
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

    def conversation_page(self, conversation: Conversation) -> Page:
        return ConversationPage(self, conversation)

    def recipient_page(self) -> Page:
        return RecipientPage(self)

    def with_person(self, name: str) -> Conversation:
        for conversation in self.conversations:
            if conversation.name == name:
                return conversation
        return Conversation(name)


class ConversationsPage(MessagesPage):
    chosen: Conversation | None = None

    def build(self, look: Look) -> View:
        if not look.wide:
            return self.list_pane()
        return self.beside_list(look, empty_page("forum-outline", "Choose a conversation"))

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


class RecipientPage(Page):
    app: Messages
    title = "NewConversation"

    def __init__(self, app: Messages, text: str = "") -> None:
        super().__init__(app)
        self.text = text
        self.wanted = ""

    def build(self, look: Look) -> View:
        bar = app_bar("Send to" if self.text else "New conversation", on_up=self.close)
        field = TextField(
            "to", self.wanted, self.sets("wanted"), hint="Type a name or a number", action="go", on_action=self._first
        )
        top = Column((bar, centered(text_box(field, icon="account-search-outline"), 728, pad=(16, 4))))
        found = self._found()
        if not found:
            return page_frame(top, empty_page("account-search-outline", "No contact has this name"))
        heading = section("Contacts" if self.wanted else "All contacts")
        return page_frame(top, scroll_page(heading, *(self._row(name) for name in found)))

    def _found(self) -> list[str]:
        wanted = self.wanted.strip()
        names = [wanted] if wanted.replace(" ", "").removeprefix("+").isdigit() else []
        names += [person.name for person in people_like(wanted)]
        names += [talk.name for talk in self.app.conversations if wanted.lower() in talk.name.lower()]
        return list(dict.fromkeys(names))

    def _row(self, name: str) -> View:
        person = next((person for person in people_like(name) if person.name == name), None)
        words = f"@{person.handle}  ·  {person.place}" if person else ""
        return list_item(
            name, words, lead=avatar(name, Conversation(name).color), on_tap=partial(self._choose, name), lines=1
        )

    def _first(self) -> None:
        found = self._found()
        if self.wanted and found:
            self._choose(found[0])

    def _choose(self, name: str) -> None:
        conversation = self.app.with_person(name)
        if self.text:
            conversation.draft = self.text
        self.close()
        page = ConversationPage(self.app, conversation)
        page.focus("message")
        self.go(page)
