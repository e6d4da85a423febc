"""What a device or this computer lacks: findings, their fixes, and the cards that list them."""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import (
    Card,
    Part,
    breakable,
    column,
    fill_column,
    fill_row,
    named,
    push_button,
    row,
    text_label,
)
from odyssey_recorder.gui.kit.theme import Theme

_FIXING = "Fixing…"


class FixList(QWidget):
    """The findings that can be fixed, those that prevent a recording first."""

    fix_asked = Signal(object)
    """Carries the finding to fix."""

    def __init__(self, after: QWidget | None = None) -> None:
        """`after` is the widget before the first button in tab order."""
        super().__init__()
        self._after = after
        self._shown: Sequence[PreflightFinding] = ()
        self._fixing = False
        self._area = scroll_area()
        fill_column(self, self._area)

    def show_findings(self, findings: Sequence[PreflightFinding]) -> None:
        """Show what can be fixed; rebuilt only after a change, so that the focus stays."""
        fixable = sorted((finding for finding in findings if finding.fix), key=lambda finding: not finding.prevents)
        if fixable != self._shown or self._fixing:
            self._shown = fixable
            self._fixing = False
            self.repaint_icons()

    def repaint_icons(self) -> None:
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self._area.isAncestorOf(focus)
        self._area.setWidget(pile(*map(self._entry, self._shown), spacing=14))
        buttons = self._area.findChildren(QPushButton)
        if self._after is not None:
            for first, second in pairwise((self._after, *buttons)):
                QWidget.setTabOrder(first, second)
        if had_focus and buttons:
            buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _entry(self, finding: PreflightFinding) -> QWidget:
        theme = Theme.current()
        mark = icon("alert_circle", theme.danger) if finding.prevents else icon("alert", theme.warning)
        texts = f"{finding.what}: {breakable(finding.found)}", breakable(finding.why or finding.fix)
        return entry(mark, texts, self._buttons(finding, theme.text), right=8)

    def _buttons(self, finding: PreflightFinding, colour: QColor) -> list[QWidget]:
        buttons: list[QWidget] = []
        if finding.repairs:
            fix = _button("Fix", f"Fix this now: {finding.what}", "wrench_outline", colour)
            fix.clicked.connect(lambda: self._ask_to_fix(fix, finding))
            buttons.append(named(fix, f"Fix {finding.what}"))
        if finding.command:
            copy = _button("Copy command", f"Copy {finding.command}", "content_copy", colour)
            copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(finding.command))
            buttons.append(named(copy, f"Copy the command for {finding.what}"))
        return buttons

    def _ask_to_fix(self, button: QPushButton, finding: PreflightFinding) -> None:
        self._fixing = True
        button.setText(_FIXING)
        button.setEnabled(False)
        self.fix_asked.emit(finding)


def _button(text: str, tip: str, glyph: str, colour: QColor) -> QPushButton:
    button = push_button(text, tip)
    button.setIcon(icon(glyph, colour))
    button.setIconSize(QSize(16, 16))
    return button


def entry(
    mark: QIcon, texts: tuple[str, str], buttons: Sequence[QWidget], *, right: int = 0, name: str = ""
) -> QWidget:
    """A text, a hint and buttons beside an icon, whose `name` is for screen readers."""
    text, hint = texts
    parts: list[Part] = [text_label(text)]
    if hint:
        parts.append(text_label(hint, "hint"))
    if buttons:
        parts += [4, row(*buttons, None)]
    label, content = named(QLabel(), name), QWidget()
    label.setPixmap(mark.pixmap(20, 20))
    layout = fill_row(content, margins=(0, 0, right, 0))
    layout.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
    layout.addLayout(column(*parts, spacing=2), 1)
    return content


_CHECKING = "Checking this device…"


class PreflightCard(Card):
    fix_asked = Signal(object)

    def __init__(self, check: QWidget, title: str = "Before you start", *more: QWidget) -> None:
        """`more` are buttons below the findings."""
        super().__init__()
        self._findings: Sequence[PreflightFinding] = ()
        self._summary = text_label(kind="hint")
        self._list = FixList(check)
        self._list.fix_asked.connect(self.fix_asked)
        self._fix_all = push_button("Fix all", "Fix all of these now", call=self._ask_to_fix_all)
        head = row((text_label(title, "title"), 1), self._fix_all, check)
        parts = (head, self._summary, (self._list, 1), row(*more, None))
        fill_column(self, *(parts if more else parts[:-1]), margins=(16, 10, 8, 12))
        self.show_checking()

    def show_checking(self) -> None:
        self.show_findings(())
        self._summary.setText(_CHECKING)

    def show_findings(self, findings: Sequence[PreflightFinding]) -> None:
        self._findings = findings
        self._list.show_findings(findings)
        self._fix_all.setVisible(sum(bool(finding.repairs) for finding in findings) > 1)
        passed, count = [finding.what for finding in findings if not finding.fix], len(findings)
        share = f"Ready. All {count}" if len(passed) == count else f"{len(passed)} of {count}"
        self._summary.setText(f"{share} checks passed." if findings else "")
        self._summary.setToolTip(f"Passed: {', '.join(passed)}" if passed else "")

    def _ask_to_fix_all(self) -> None:
        self._fix_all.hide()
        repairs = tuple(repair for finding in self._findings for repair in finding.repairs)
        self.fix_asked.emit(PreflightFinding("All findings", "", repairs=repairs))

    def show_failure(self, text: str) -> None:
        self.show_findings(())
        self._summary.setText(text)

    @property
    def prevents(self) -> bool:
        return any(finding.prevents for finding in self._findings)


class MissingCard(Card):
    def __init__(self) -> None:
        super().__init__()
        self._list = FixList()
        title = text_label("Needed for Android Studio's emulators", "title")
        hint = text_label("Simulated devices work without it.", "hint")
        fill_column(self, title, hint, (self._list, 1), margins=(16, 14, 8, 12))
        self.hide()

    def show_findings(self, findings: Sequence[PreflightFinding]) -> None:
        self._list.show_findings(findings)
        self.setVisible(bool(findings))
