"""Mail: folders of mails to read, star, search, archive, delete and answer."""

import re
from functools import partial

from odyssey_simulator.apps.app import App, Intent, Page, System
from odyssey_simulator.apps.mail_compose import ComposePage, face
from odyssey_simulator.apps.mailbox import FOLDERS, OWN_ADDRESS, Mail, Mailbox, own_mail
from odyssey_simulator.apps.people import OWNER
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Divider, Icon, Text
from odyssey_simulator.ui.layout import Surface, column, row
from odyssey_simulator.ui.view import Look, View


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


class MailsPage(Page):
    app: MailApp

    def mail_row(self, mail: Mail) -> View:
        weight = 700 if mail.unread else 400
        when = Text(mail.when, 12, weight, "primary" if mail.unread else "on_surface_variant")
        text = column(
            Text(mail.subject or "(no subject)", 14, weight, lines=1),
            ui.muted(" ".join(mail.body.split()), lines=1),
            gap=1,
            flex=1,
        )
        star = self.star(mail, f" {mail.subject}", ink="outline", size=20)
        head = row(Text(mail.party, 16, weight, lines=1, flex=1), when, gap=8)
        lines = column(head, row(text, star, gap=4), gap=1, flex=1)
        who = face(mail.recipient if mail.is_own else mail.sender)
        return Surface(
            row(who, lines, gap=14, pad=(16, 8, 12, 4), across="start"),
            fill=True,
            on_tap=partial(self._open, mail),
            on_long_press=partial(self.offer, mail),
            desc=mail.subject,
        )

    def build_overlay(self, look: Look) -> View | None:
        mail: Mail = self.chosen
        icon, label = ("email-open-outline", "read") if mail.unread else ("email-outline", "unread")
        return self.sheet(
            mail.subject,
            (icon, f"Mark as {label}", self.flips("unread", of=mail)),
            ("archive-outline", "Archive", partial(self.app.box.move, mail, "Archive", "Archived")),
            ("delete-outline", "Delete", partial(self.app.box.move, mail, "Trash", "Deleted")),
        )

    def star(self, mail: Mail, of: str = "", *, ink: str = "on_surface_variant", size: float = 24) -> View:
        icon, label = ("star", "Unstar") if mail.starred else ("star-outline", "Star")
        color = "#e09400" if mail.starred else ink
        return ui.icon_button(icon, label + of, self.flips("starred", of=mail), color=color, size=size)

    def _open(self, mail: Mail) -> None:
        if mail.folder == "Drafts":
            self.go(ComposePage(self.app, self.app.box, mail))
        else:
            mail.unread = False
            self.go(MailPage(self.app, mail))

    def write(self, mail: Mail, field: str = "to") -> None:
        self.go(ComposePage(self.app, self.app.box, mail), focus=field)


class FolderPage(MailsPage):
    folder = "Inbox"

    def build(self, look: Look) -> View:
        line = Surface(
            row(Icon("magnify", 22), ui.muted("Search in mail", 16), gap=12, pad=(16, 0)),
            color="surface_high",
            radius=24,
            height=48,
            align="start",
            flex=1,
            on_tap=lambda: self.go(SearchPage(self.app)),
            desc="Search in mail",
        )
        search = row(ui.icon_button("menu", "Open folders", self.shows("folders")), line, gap=4, pad=(4, 8, 16, 8))
        body = ui.empty_page(FOLDERS[self.folder], f"Nothing in {self.folder}")
        if mails := self.app.box.folder(self.folder):
            title = Surface(Text(self.folder, 14, 500, "on_surface_variant"), pad=(16, 4, 16, 6))
            body = ui.scroll_page(title, *map(self.mail_row, mails), key=self.folder, pad=(0, 0, 0, 96), max_width=900)
        write = ui.fab("pencil-outline", "Compose", lambda: self.write(own_mail()), label="Compose")
        box, undo = self.app.box, None
        if box.moved:
            undo = ui.snackbar(box.moved.message, on_undo=box.move_back, on_dismiss=self.puts("moved", None, of=box))
        return ui.page_frame(ui.centered(search, 900), body, fab=write, bottom=undo)

    def build_overlay(self, look: Look) -> View | None:
        return self._folders() if self.overlay == "folders" else super().build_overlay(look)

    def _folders(self) -> View:
        rows = [
            ui.list_item(
                name,
                icon=icon,
                trail=Text(str(len(self.app.box.folder(name)) or ""), 14, 500),
                on_tap=self.closing(self.puts("folder", name)),
            )
            for name, icon in FOLDERS.items()
        ]
        who = column(Text(OWNER.name, 16, 500), Text(OWN_ADDRESS, 14), gap=1)
        return ui.bottom_sheet(row(face(OWNER.name, 44), who, gap=14), Divider(), column(*rows), gap=10)

    def on_back(self) -> bool:
        if self.folder == "Inbox":
            return False
        self.folder = "Inbox"
        return True


class SearchPage(MailsPage):
    wanted_focus = "search"

    def build(self, look: Look) -> View:
        bar = ui.search_bar(self.search_field("Search in mail"), on_up=self.close)
        found = self.app.box.search(self.query)
        if self.query and not found:
            return ui.page_frame(bar, ui.empty_page("email-search-outline", "No mails found"))
        return ui.page_frame(bar, ui.scroll_page(*map(self.mail_row, found), pad=(0, 0, 0, 24), max_width=900))


class MailPage(MailsPage):
    def __init__(self, app: MailApp, mail: Mail) -> None:
        super().__init__(app)
        self.mail = mail

    def build(self, look: Look) -> View:
        mail = self.mail
        bar = ui.app_bar(
            "",
            ui.icon_button("archive-outline", "Archive", partial(self._move, "Archive", "Archived")),
            ui.icon_button("delete-outline", "Delete", partial(self._move, "Trash", "Deleted")),
            ui.icon_button("dots-vertical", "More options", self.shows("menu")),
            on_up=self.close,
        )
        recipient = "me" if mail.recipient == OWN_ADDRESS else mail.recipient
        who = column(Text(mail.sender, 16, 500, lines=1), ui.muted(f"to {recipient}", lines=1), flex=1)
        subject = ui.selectable("subject", mail.subject or "(no subject)", size=24)
        body = [ui.selectable(f"body{number}", part) for number, part in enumerate(mail.body.split("\n\n"))]
        answers = (
            ui.button("Reply", self._reply, kind="outlined", icon="reply"),
            ui.button("Forward", self._forward, kind="outlined", icon="share"),
        )
        return ui.page_frame(
            bar,
            ui.scroll_page(
                row(Surface(subject, flex=1), self.star(mail)),
                row(face(mail.sender), who, ui.muted(mail.when, 13), gap=14),
                Surface(column(*body, gap=16), pad=(0, 8)),
                *map(self._link, re.findall(r"https://\S+", mail.body)),
                row(*answers, gap=12),
                gap=12,
                pad=(20, 4, 20, 32),
            ),
        )

    def _link(self, link: str) -> View:
        return Surface(
            row(Icon("open-in-new", 20, "primary"), Text(link, 14, 500, "primary", lines=1, flex=1), gap=12),
            pad=(14, 12),
            color="surface_container",
            radius=12,
            on_tap=partial(self.system.open, Intent("view", link)),
            desc=f"Open {link}",
        )

    def build_overlay(self, look: Look) -> View | None:
        mail = self.mail
        return self.menu(
            ("email-outline", "Mark as unread", self._mark_unread),
            ("share-variant-outline", "Share text", partial(self.system.share, mail.body, subject=mail.subject)),
            ("content-copy", "Copy address", partial(self.system.copy, mail.address)),
        )

    def _move(self, folder: str, text: str) -> None:
        self.app.box.move(self.mail, folder, text)
        self.close()

    def _mark_unread(self) -> None:
        self.mail.unread = True
        self.close()

    def _reply(self) -> None:
        subject = f"Re: {self.mail.subject.removeprefix('Re: ')}"
        self.write(own_mail(recipient=self.mail.address, subject=subject), "body")

    def _forward(self) -> None:
        quoted = "\n".join(f"> {line}" for line in self.mail.body.splitlines())
        body = f"\n\nForwarded from {self.mail.sender}:\n{quoted}"
        self.write(own_mail(subject=f"Fwd: {self.mail.subject}", body=body))
