"""What stands in the way of a recording on a device, and what is well: the list of what to mend with its heading."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.gui.fix_list import FixList
from odyssey_recorder.gui.parts import row, text_label

_LOOKING = "Looking what recording needs of this device…"


class PreflightCard(QFrame):
    """The findings before a recording: what lacks something first, what is well in one line."""

    mend_asked = Signal(object)
    """The finding that is to be mended."""

    def __init__(self, check: QWidget, title: str = "Before you start") -> None:
        """`check` asks to look again."""
        super().__init__()
        self.setProperty("kind", "card")
        self._findings: Sequence[PreflightFinding] = ()
        self._said = text_label(kind="hint")
        self._list = FixList(check)
        self._list.mend_asked.connect(self.mend_asked)
        head = row(text_label(title, "title"), check)
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

    def show_findings(self, findings: Sequence[PreflightFinding]) -> None:
        """Show what was found in place of what was found before."""
        self._findings = findings
        self._list.show_findings(findings)
        well = ", ".join(finding.what for finding in findings if not finding.mend)
        nothing = "" if any(finding.mend for finding in findings) else "Nothing stands in the way. "
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
        self._list.repaint_icons()
