"""What stands in the way of passive mode on the chosen device, how to mend it, and the command for it to copy."""

import re
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from odyssey_recorder.device.preflight import Finding
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.icons import icon
from odyssey_recorder.gui.parts import push_button, row, scroll_area, text_label
from odyssey_recorder.gui.theme import Theme

_LOOKING = "Looking what passive mode finds on this device…"


class PreflightCard(QFrame):
    """The findings before a recording in passive mode: what lacks something first, what is well in one line."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._findings: Sequence[Finding] = ()
        self._said = text_label(kind="hint")
        self._list = scroll_area()
        head = row(text_label("Before you start", "title"), commands.button(Command.LOOK_OVER, kind="quiet"))
        head.setStretch(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 8, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._said)
        column.addWidget(self._list, 1)
        self.show_looking()

    def show_looking(self) -> None:
        """Say that the device is looked at."""
        self.show_findings(())
        self._said.setText(_LOOKING)

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show what was found in place of what was found before."""
        self._findings = findings
        lacking = sorted((one for one in findings if one.mend), key=lambda one: not one.prevents)
        self._list.setWidget(_below_each_other([_entry(finding) for finding in lacking]))
        well = ", ".join(finding.what for finding in findings if not finding.mend)
        nothing = "" if lacking else "Nothing stands in the way. "
        self._said.setText(f"{nothing}All well: {well}." if well else nothing)

    def show_failure(self, words: str) -> None:
        """Say why nothing could be found out."""
        self.show_findings(())
        self._said.setText(words)

    @property
    def prevents(self) -> bool:
        """Whether nothing can be recorded in passive mode as things are."""
        return any(finding.prevents for finding in self._findings)

    def repaint_icons(self) -> None:
        """Draw the icons anew for another palette."""
        self.show_findings(self._findings)


def _entry(finding: Finding) -> QWidget:
    theme = Theme.current()
    sign = QLabel()
    name, colour = ("alert_circle", theme.danger) if finding.prevents else ("alert", theme.warning)
    sign.setPixmap(icon(name, colour).pixmap(20, 20))
    words = QVBoxLayout()
    words.setSpacing(2)
    words.addWidget(text_label(f"{finding.what}: {finding.found}"))
    words.addWidget(text_label(_breakable(finding.mend), "hint"))
    if finding.command:
        copy = push_button("Copy command", f"Copy {finding.command}")
        copy.setIcon(icon("content_copy", theme.text))
        copy.setIconSize(QSize(16, 16))
        copy.setAccessibleName(f"Copy the command for {finding.what}")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(finding.command))
        words.addSpacing(4)
        words.addWidget(copy, 0, Qt.AlignmentFlag.AlignLeft)
    entry = QWidget()
    whole = QHBoxLayout(entry)
    whole.setContentsMargins(0, 0, 8, 0)
    whole.setSpacing(8)
    whole.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
    whole.addLayout(words, 1)
    return entry


def _below_each_other(entries: Sequence[QWidget]) -> QWidget:
    whole = QWidget()
    column = QVBoxLayout(whole)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(14)
    for entry in entries:
        column.addWidget(entry)
    column.addStretch()
    return whole


def _breakable(words: str) -> str:
    """`words` with places to break a line inside of long names, which a card is too narrow for."""
    return re.sub(r"(?<=[._/])(?=\w)", "\u200b", words)
