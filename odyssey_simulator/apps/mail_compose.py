"""The page on which a mail is written, sent, or kept as a draft."""

import re
from functools import partial

from odyssey_simulator.apps.app import App, Page
from odyssey_simulator.apps.mailbox import OWN_ADDRESS, Mail, Mailbox
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Divider, Text, TextField
from odyssey_simulator.ui.layout import Surface, row
from odyssey_simulator.ui.view import Look, View

_COLORS = ("#7a5195", "#2f7f86", "#b5573c", "#4f7a3a", "#3a6ea5", "#a0722a", "#8b2f4b")


def face(name: str, size: float = 40) -> View:
    return ui.avatar(name, _COLORS[sum(map(ord, name)) % len(_COLORS)], size)


class ComposePage(Page):
    def __init__(self, app: App, box: Mailbox, mail: Mail) -> None:
        super().__init__(app)
        self.box = box
        self.mail = mail

    def build(self, look: Look) -> View:
        bar = ui.app_bar(
            "Compose",
            ui.icon_button("send", "Send", self._send, color="primary"),
            ui.icon_button("dots-vertical", "More options", self.shows("menu")),
            on_up=self._leave,
        )
        mail = self.mail
        to = TextField(
            "to",
            mail.recipient,
            self.sets("recipient", of=mail),
            action="next",
            on_action=lambda: self._choose(next(iter(self._offers()), self.mail.recipient)),
        )
        subject = self.field("subject", "Subject", of=mail, then="body")
        body = self.field("body", "Compose email", of=mail, multiline=True, min_lines=10)
        return ui.page_frame(
            bar,
            ui.scroll_page(
                _line("From", Text(OWN_ADDRESS, 16, lines=1)),
                Divider(),
                _line("To", to),
                *self._suggestions(),
                Divider(),
                Surface(subject, pad=(20, 16)),
                Divider(),
                Surface(body, pad=(20, 16)),
            ),
        )

    def _offers(self) -> dict[str, str]:
        typed = self.mail.recipient.strip().lower()
        contacts = self.box.contacts()
        if not typed or typed in contacts:
            return {}
        return {address: name for address, name in contacts.items() if typed in f"{name} {address}".lower()}

    def _suggestions(self) -> list[View]:
        return [
            ui.list_item(name, address, lead=face(name), on_tap=partial(self._choose, address), lines=1)
            for address, name in list(self._offers().items())[:4]
        ]

    def build_overlay(self, look: Look) -> View | None:
        return self.menu(("file-outline", "Save draft", self._save), ("delete-outline", "Discard", self._discard))

    def on_back(self) -> bool:
        self._leave()
        return True

    def _choose(self, address: str) -> None:
        self.mail.recipient = address
        self.focus("subject" if not self.mail.subject else "body")

    def _send(self) -> None:
        if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", self.mail.recipient.strip()):
            self.system.toast("Enter a valid address")
            self.focus("to")
            return
        self.box.put(self.mail, "Sent")
        self.box.moved = None
        self.close()
        self.system.toast("Sent")

    def _save(self) -> None:
        self.box.put(self.mail, "Drafts")
        self.system.toast("Draft saved")

    def _leave(self) -> None:
        if self.mail.recipient or self.mail.subject or self.mail.body:
            self._save()
        self.close()

    def _discard(self) -> None:
        self.box.drop(self.mail)
        self.close()
        self.system.toast("Discarded")


def _line(label: str, value: View) -> View:
    return row(ui.muted(label, 15), Surface(value, flex=1), gap=18, pad=(20, 16))
