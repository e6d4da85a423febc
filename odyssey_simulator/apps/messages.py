"""Messages: text conversations in which only the owner of the phone writes; nobody replies."""

from functools import partial

from odyssey_simulator.apps.app import Intent, Page, System
from odyssey_simulator.apps.content import table
from odyssey_simulator.apps.conversation_page import ConversationPage
from odyssey_simulator.apps.conversations import Conversation, Correspondence, Message, MessagesPage
from odyssey_simulator.apps.people import people_like
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.layout import column
from odyssey_simulator.ui.view import Look, View


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
        return next((known for known in self.conversations if known.name == name), Conversation(name))


class ConversationsPage(MessagesPage):
    def build(self, look: Look) -> View:
        if not look.wide:
            return self.list_pane()
        return self.beside_list(look, ui.empty_page("forum-outline", "Choose a conversation"))

    def build_overlay(self, look: Look) -> View | None:
        chosen: Conversation = self.chosen
        if self.overlay == "delete":
            text = f"All messages with {chosen.name} will be deleted."
            return self.question("Delete conversation?", text, "Delete", partial(self._delete, chosen))
        return self.sheet(
            chosen.name,
            ("message-badge-outline", "Mark as unread", self.puts("unread", max(1, chosen.unread), of=chosen)),
            ("trash-can-outline", "Delete", self.shows("delete")),
        )

    def _delete(self, conversation: Conversation) -> None:
        self.app.conversations.remove(conversation)
        self.system.toast("Conversation deleted")


class RecipientPage(Page):
    app: Messages

    def __init__(self, app: Messages, text: str = "") -> None:
        super().__init__(app)
        self.text = text
        self.to = ""

    def build(self, look: Look) -> View:
        bar = ui.app_bar("Send to" if self.text else "New conversation", on_up=self.close)
        field = self.field("to", "Type a name or a number", action="go", on_action=self._first)
        top = column(bar, ui.centered(ui.text_box(field, icon="account-search-outline"), 728, pad=(16, 4)))
        found = self._found()
        if not found:
            return ui.page_frame(top, ui.empty_page("account-search-outline", "No contact has this name"))
        heading = ui.section("Contacts" if self.to else "All contacts")
        return ui.page_frame(top, ui.scroll_page(heading, *map(self._row, found)))

    def _found(self) -> list[str]:
        query = self.to.strip()
        names = [query] if query.replace(" ", "").removeprefix("+").isdigit() else []
        names += [person.name for person in people_like(query)]
        names += [talk.name for talk in self.app.conversations if query.lower() in talk.name.lower()]
        return list(dict.fromkeys(names))

    def _row(self, name: str) -> View:
        person = next((person for person in people_like(name) if person.name == name), None)
        text = f"@{person.handle}  ·  {person.place}" if person else ""
        lead = ui.avatar(name, Conversation(name).color)
        return ui.list_item(name, text, lead=lead, on_tap=partial(self._choose, name), lines=1)

    def _first(self) -> None:
        found = self._found()
        if self.to and found:
            self._choose(found[0])

    def _choose(self, name: str) -> None:
        conversation = self.app.with_person(name)
        if self.text:
            conversation.draft = self.text
        self.close()
        self.go(ConversationPage(self.app, conversation), focus="message")
