"""Mails, and a mailbox that stores, searches and moves them."""

from dataclasses import dataclass, field
from datetime import date, time
from typing import Any

from odyssey_simulator.apps.content import table
from odyssey_simulator.apps.people import OWNER
from odyssey_simulator.apps.today import TODAY

OWN_ADDRESS = f"{OWNER.handle}@post.example"
FOLDERS = {
    "Inbox": "inbox-outline",
    "Starred": "star-outline",
    "Sent": "send-outline",
    "Drafts": "file-outline",
    "Archive": "archive-outline",
    "Trash": "delete-outline",
}


@dataclass(slots=True)
class Mail:
    sender: str
    address: str
    subject: str
    body: str
    date: date
    time: time
    recipient: str = OWN_ADDRESS
    folder: str = "Inbox"
    unread: bool = False
    starred: bool = False

    @property
    def is_own(self) -> bool:
        return self.address == OWN_ADDRESS

    @property
    def party(self) -> str:
        return f"To: {self.recipient or 'nobody yet'}" if self.is_own else self.sender

    @property
    def when(self) -> str:
        return f"{self.time:%H:%M}" if self.date == TODAY else f"{self.date:%b} {self.date.day}"

    @property
    def words(self) -> str:
        return f"{self.sender} {self.address} {self.recipient} {self.subject} {self.body}".lower()


def own_mail(*, recipient: str = "", subject: str = "", body: str = "") -> Mail:
    return Mail(OWNER.name, OWN_ADDRESS, subject, body, TODAY, time(10), recipient, "Drafts")


def _mail(row: dict[str, Any]) -> Mail:
    return Mail(**{**row, "body": row["body"].strip()})


@dataclass(frozen=True, slots=True)
class Moved:
    mail: Mail
    origin: str
    message: str


@dataclass(slots=True)
class Mailbox:
    mails: list[Mail] = field(default_factory=lambda: [_mail(row) for row in table("mail")["mail"]])
    moved: Moved | None = None

    def folder(self, name: str) -> list[Mail]:
        if name == "Starred":
            return [mail for mail in self.mails if mail.starred and mail.folder != "Trash"]
        return [mail for mail in self.mails if mail.folder == name]

    def search(self, query: str) -> list[Mail]:
        keywords = query.lower().split()
        return [mail for mail in self.mails if keywords and all(word in mail.words for word in keywords)]

    def contacts(self) -> dict[str, str]:
        return {mail.address: mail.sender for mail in self.mails if not mail.is_own}

    def put(self, mail: Mail, folder: str) -> None:
        mail.folder = folder
        if not any(mail is other for other in self.mails):
            self.mails.insert(0, mail)

    def move(self, mail: Mail, folder: str, text: str) -> None:
        self.moved = Moved(mail, mail.folder, text)
        self.put(mail, folder)

    def move_back(self) -> None:
        if self.moved is not None:
            self.put(self.moved.mail, self.moved.origin)
        self.moved = None

    def drop(self, mail: Mail) -> None:
        self.mails = [other for other in self.mails if other is not mail]
