"""The page on which a mail is written, sent, or kept as a draft."""

import re
from functools import partial

from odyssey_recorder.simulator.apps.app import App, Page
from odyssey_recorder.simulator.apps.mailbox import OWN_ADDRESS, Mail, Mailbox
from odyssey_recorder.simulator.ui.controls import Text, TextField
from odyssey_recorder.simulator.ui.layout import Row, Surface
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    avatar,
    divider,
    icon_button,
    list_item,
    menu,
    page_frame,
    scroll_page,
)

_COLORS = ("#7a5195", "#2f7f86", "#b5573c", "#4f7a3a", "#3a6ea5", "#a0722a", "#8b2f4b")


def face(name: str, size: float = 40) -> View:
    return avatar(name, _COLORS[sum(map(ord, name)) % len(_COLORS)], size)


class ComposePage(Page):
    title = "Compose"

    def __init__(self, app: App, box: Mailbox, mail: Mail) -> None:
        super().__init__(app)
        self.box = box
        self.mail = mail

    def build(self, look: Look) -> View:
        bar = app_bar(
            "Compose",
            icon_button("send", "Send", self._send, color="primary"),
            icon_button("dots-vertical", "More options", self.shows("menu")),
            on_up=self._leave,
        )
        mail = self.mail
        to = TextField(
            "to",
            mail.recipient,
            self.sets("recipient", of=self.mail),
            hint="",
            action="next",
            on_action=lambda: self._choose(next(iter(self._offers()), self.mail.recipient)),
        )
        subject = TextField(
            "subject",
            mail.subject,
            self.sets("subject", of=self.mail),
            hint="Subject",
            action="next",
            on_action=partial(self.focus, "body"),
        )
        body = TextField(
            "body", mail.body, self.sets("body", of=self.mail), hint="Compose email", multiline=True, min_lines=10
        )
        return page_frame(
            bar,
            scroll_page(
                _line("From", Text(OWN_ADDRESS, 16, lines=1)),
                divider(),
                _line("To", to),
                *self._suggestions(),
                divider(),
                Surface(subject, pad=(20, 16)),
                divider(),
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
            list_item(name, address, lead=face(name), on_tap=partial(self._choose, address), lines=1)
            for address, name in list(self._offers().items())[:4]
        ]

    def build_overlay(self, look: Look) -> View | None:
        return menu(("file-outline", "Save draft", self._save), ("delete-outline", "Discard", self._discard))

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
        self.box.forget_move()
        self.close()
        self.system.toast("Sent")

    def _save(self) -> None:
        self.show("")
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
    return Row((Text(label, 15, color="on_surface_variant"), Surface(value, flex=1)), gap=18, pad=(20, 16))
