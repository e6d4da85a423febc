"""Mail: folders of mails to read, star, search, archive, delete and answer."""

import re
from functools import partial

from odyssey_recorder.simulator.apps.app import App, Intent, Page, System
from odyssey_recorder.simulator.apps.mail_compose import ComposePage, face
from odyssey_recorder.simulator.apps.mailbox import FOLDERS, OWN_ADDRESS, Mail, Mailbox, own_mail
from odyssey_recorder.simulator.apps.people import OWNER
from odyssey_recorder.simulator.ui.controls import Icon, Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Row, Surface
from odyssey_recorder.simulator.ui.view import Action, Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    bottom_sheet,
    button,
    centered,
    divider,
    empty_page,
    fab,
    icon_button,
    list_item,
    menu,
    page_frame,
    scroll_page,
    search_bar,
    selectable,
    snackbar,
)


class MailApp(App):
    label = "Mail"
    package = "com.odyssey.mail"
    icon = "email"
    color = "#c0392b"
    category = "Social_Sharing"
    takes = ("send",)

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.box = Mailbox()

    def first_page(self) -> Page:
        return FolderPage(self)

    def receive(self, intent: Intent) -> Page:
        page = ComposePage(self, self.box, own_mail(subject=intent.subject, body=intent.text))
        page.focus("to")
        return page

    def opens(self, page: Page, mail: Mail) -> Action:
        def open_it() -> None:
            if mail.folder == "Drafts":
                page.go(ComposePage(self, self.box, mail))
            else:
                mail.unread = False
                page.go(MailPage(self, mail))

        return open_it


def _mail_row(page: Page, app: MailApp, mail: Mail, hold: Action | None = None) -> View:
    weight = 700 if mail.unread else 400

    def turn_star() -> None:
        mail.starred = not mail.starred

    head = Row(
        (
            Text(mail.party, 16, weight, lines=1, flex=1),
            Text(mail.when, 12, weight, "primary" if mail.unread else "on_surface_variant"),
        ),
        gap=8,
    )
    star = icon_button(
        "star" if mail.starred else "star-outline",
        f"{'Unstar' if mail.starred else 'Star'} {mail.subject}",
        turn_star,
        color="#e09400" if mail.starred else "outline",
        size=20,
    )
    words = Column(
        (
            Text(mail.subject or "(no subject)", 14, weight, lines=1),
            Text(" ".join(mail.body.split()), 14, color="on_surface_variant", lines=1),
        ),
        gap=1,
        flex=1,
        along="start",
    )
    lines = Column((head, Row((words, star), gap=4)), gap=1, flex=1, along="start")
    row = Row((face(mail.recipient if mail.is_own else mail.sender), lines), gap=14, pad=(16, 8, 12, 4), across="start")
    return Surface(row, fill=True, on_tap=app.opens(page, mail), on_long_press=hold, desc=mail.subject)


class FolderPage(Page):
    app: MailApp
    folder = "Inbox"
    held: Mail | None = None

    def build(self, look: Look) -> View:
        line = Surface(
            Row((Icon("magnify", 22), Text("Search in mail", 16, color="on_surface_variant")), gap=12, pad=(16, 0)),
            color="surface_high",
            radius=24,
            height=48,
            align="start",
            flex=1,
            on_tap=lambda: self.go(SearchPage(self.app)),
            desc="Search in mail",
        )
        search = Row((icon_button("menu", "Open folders", self.shows("folders")), line), gap=4, pad=(4, 8, 16, 8))
        bar = centered(search, 900)
        mails = self.app.box.folder(self.folder)
        if mails:
            title = Surface(Text(self.folder, 14, 500, "on_surface_variant"), pad=(16, 4, 16, 6))
            rows = [_mail_row(self, self.app, mail, partial(self._hold, mail)) for mail in mails]
            body = scroll_page(title, *rows, key=self.folder, pad=(0, 0, 0, 96), max_width=900)
        else:
            body = empty_page(FOLDERS[self.folder], f"Nothing in {self.folder}")
        write = fab("pencil-outline", "Compose", self._compose, label="Compose")
        return page_frame(bar, body, fab=write, bottom=self._snackbar())

    def _snackbar(self) -> View | None:
        moved = self.app.box.moved
        if moved is None:
            return None
        return snackbar(
            moved.words, label="Undo", on_action=self.app.box.move_back, on_dismiss=self.app.box.forget_move
        )

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay == "folders":
            return self._folders()
        return self._offers(self.held) if self.held else None

    def _folders(self) -> View:
        rows = [
            list_item(
                name,
                icon=icon,
                trail=Text(str(len(self.app.box.folder(name)) or ""), 14, 500),
                on_tap=partial(self._open_folder, name),
            )
            for name, icon in FOLDERS.items()
        ]
        who = Column((Text(OWNER.name, 16, 500), Text(OWN_ADDRESS, 14)), gap=1)
        return bottom_sheet(Row((face(OWNER.name, 44), who), gap=14), divider(), Column(rows), gap=10)

    def _offers(self, mail: Mail) -> View:
        turn = ("Mark as read", "email-open-outline") if mail.unread else ("Mark as unread", "email-outline")
        rows = (
            list_item(turn[0], icon=turn[1], on_tap=partial(self._turn_unread, mail)),
            list_item("Archive", icon="archive-outline", on_tap=partial(self._move, mail, "Archive", "Archived")),
            list_item("Delete", icon="delete-outline", on_tap=partial(self._move, mail, "Trash", "Deleted")),
        )
        return bottom_sheet(Text(mail.subject, 20, 500, lines=2), Column(rows), gap=8)

    def on_back(self) -> bool:
        if self.folder == "Inbox":
            return False
        self.folder = "Inbox"
        return True

    def _open_folder(self, name: str) -> None:
        self.folder = name
        self.show("")

    def _hold(self, mail: Mail) -> None:
        self.held = mail
        self.show("held")

    def _turn_unread(self, mail: Mail) -> None:
        mail.unread = not mail.unread
        self.show("")

    def _move(self, mail: Mail, folder: str, words: str) -> None:
        self.show("")
        self.app.box.move(mail, folder, words)

    def _compose(self) -> None:
        page = ComposePage(self.app, self.app.box, own_mail())
        page.focus("to")
        self.go(page)


class SearchPage(Page):
    app: MailApp
    title = "Search"
    query = ""
    wanted_focus = "search"

    def build(self, look: Look) -> View:
        field = TextField("search", self.query, self.sets("query"), hint="Search in mail", action="search")
        bar = search_bar(field, on_up=self.close)
        found = self.app.box.search(self.query)
        if self.query and not found:
            return page_frame(bar, empty_page("email-search-outline", "No mails found"))
        rows = [_mail_row(self, self.app, mail) for mail in found]
        return page_frame(bar, scroll_page(*rows, pad=(0, 0, 0, 24), max_width=900))


class MailPage(Page):
    app: MailApp
    title = "Conversation"

    def __init__(self, app: MailApp, mail: Mail) -> None:
        super().__init__(app)
        self.mail = mail

    def build(self, look: Look) -> View:
        mail = self.mail
        bar = app_bar(
            "",
            icon_button("archive-outline", "Archive", partial(self._move, "Archive", "Archived")),
            icon_button("delete-outline", "Delete", partial(self._move, "Trash", "Deleted")),
            icon_button("dots-vertical", "More options", self.shows("menu")),
            on_up=self.close,
        )
        who = Column(
            (
                Text(mail.sender, 16, 500, lines=1),
                Text(f"to {self._recipient}", 14, color="on_surface_variant", lines=1),
            ),
            flex=1,
            along="start",
        )
        star = icon_button(
            "star" if mail.starred else "star-outline",
            "Unstar" if mail.starred else "Star",
            self._turn_star,
            color="#e09400" if mail.starred else "on_surface_variant",
        )
        answers = (
            button("Reply", self._reply, kind="outlined", icon="reply"),
            button("Forward", self._forward, kind="outlined", icon="share"),
        )
        return page_frame(
            bar,
            scroll_page(
                Row((Surface(selectable("subject", mail.subject or "(no subject)", size=24), flex=1), star)),
                Row((face(mail.sender), who, Text(mail.when, 13, color="on_surface_variant")), gap=14),
                Surface(Column(self._body(), gap=16), pad=(0, 8)),
                *self._links(),
                Row(answers, gap=12),
                gap=12,
                pad=(20, 4, 20, 32),
            ),
        )

    @property
    def _recipient(self) -> str:
        return "me" if self.mail.recipient == OWN_ADDRESS else self.mail.recipient

    def _body(self) -> list[View]:
        return [selectable(f"body{number}", part) for number, part in enumerate(self.mail.body.split("\n\n"))]

    def _links(self) -> list[View]:
        found = re.findall(r"https://\S+", self.mail.body)
        return [
            Surface(
                Row((Icon("open-in-new", 20, "primary"), Text(link, 14, 500, "primary", lines=1, flex=1)), gap=12),
                pad=(14, 12),
                color="surface_container",
                radius=12,
                on_tap=partial(self.system.open, Intent("view", link)),
                desc=f"Open {link}",
            )
            for link in found
        ]

    def build_overlay(self, look: Look) -> View | None:
        return menu(
            ("email-outline", "Mark as unread", self._mark_unread),
            (
                "share-variant-outline",
                "Share text",
                lambda: self.system.share(self.mail.body, subject=self.mail.subject),
            ),
            ("content-copy", "Copy address", self._copy_address),
        )

    def _turn_star(self) -> None:
        self.mail.starred = not self.mail.starred

    def _move(self, folder: str, words: str) -> None:
        self.app.box.move(self.mail, folder, words)
        self.close()

    def _mark_unread(self) -> None:
        self.mail.unread = True
        self.close()

    def _copy_address(self) -> None:
        self.show("")
        self.system.copy(self.mail.address)

    def _quoted(self) -> str:
        return "\n".join(f"> {line}" for line in self.mail.body.splitlines())

    def _reply(self) -> None:
        subject = f"Re: {self.mail.subject.removeprefix('Re: ')}"
        self._write(own_mail(recipient=self.mail.address, subject=subject), "body")

    def _forward(self) -> None:
        body = f"\n\nForwarded from {self.mail.sender}:\n{self._quoted()}"
        self._write(own_mail(subject=f"Fwd: {self.mail.subject}", body=body), "to")

    def _write(self, mail: Mail, field: str) -> None:
        page = ComposePage(self.app, self.app.box, mail)
        page.focus(field)
        self.go(page)
