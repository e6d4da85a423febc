"""Checks what the recorder needs on this computer: findings, fixes, and a report to save."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from odyssey_recorder.doctor import Doctor, DoctorFinding, Level, as_text
from odyssey_recorder.gui.frame.background import Background, Job, error_text
from odyssey_recorder.gui.frame.job_card import JobCard
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.dialogs import Dialog, ask_for_file
from odyssey_recorder.gui.kit.fix_list import entry
from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.layouts import scroll_area
from odyssey_recorder.gui.kit.parts import breakable, fill_column, named, push_button, row, text_label
from odyssey_recorder.gui.kit.theme import Theme

_NO_PROBLEMS = "No problems found."
_STOPPED = "Stopped before all checks had run."
_WORST_FIRST = (Level.MISSING, Level.NOTE, Level.OK)


class DoctorDialog(Dialog):
    def __init__(self, doctor: Doctor, background: Background, parent: QWidget) -> None:
        super().__init__("Doctor", parent, is_kept=True)
        self._doctor = doctor
        self._background = background
        self._job: Job | None = None
        self._findings: Sequence[DoctorFinding] = ()
        self._progress = JobCard()
        self._summary = text_label(kind="title")
        self._list = scroll_area(name="Findings")
        self._list.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._message = Banner()
        self._again = push_button("Check again", "Run all checks again", call=self._run_checks)
        self._copy = push_button("Copy report", "Copy the findings as text", call=self._copy_report)
        self._save = push_button(
            "Save report…", "Save the findings as a text or JSON file", call=self._ask_where_to_save
        )
        close = push_button("Close", "Close the doctor (Esc)", "primary", call=self.accept)
        buttons = row(self._again, None, self._copy, self._save, close)
        self.fill(self._summary, self._progress, self._message, self._list, buttons, stretch=self._list)
        self.resize(680, 560)

    def open(self) -> None:
        super().open()
        self._run_checks()

    def _run_checks(self) -> None:
        if self._job is not None and not self._job.state.has_ended:
            return
        self._summary.hide()
        self._message.hide()
        self._job = self._background.start("Checking this computer", self._doctor.examine, self._show)
        self._progress.follow(self._job)
        self._job.ended.connect(self._update_buttons)
        self._update_buttons()

    def done(self, result: int) -> None:
        if self._job is not None:
            self._job.cancel()
        super().done(result)

    def repaint_icons(self) -> None:
        self._list.setWidget(_entries(self._findings))

    def _show(self, findings: Sequence[DoctorFinding]) -> None:
        self._findings = sorted(findings, key=lambda finding: _WORST_FIRST.index(finding.level))
        missing, notes = (sum(finding.level is level for finding in findings) for level in (Level.MISSING, Level.NOTE))
        warnings = "1 warning" if notes == 1 else f"{notes} warnings"
        counts = [f"{missing} missing"] * bool(missing) + [warnings] * bool(notes)
        stopped = self._job is not None and self._job.is_cancelled
        summary = f"{', '.join(counts)}." if counts else _NO_PROBLEMS
        self._summary.setText(_STOPPED if stopped else summary)
        self._summary.show()
        self._list.setWidget(_entries(self._findings))
        self._update_buttons()

    def _update_buttons(self) -> None:
        is_running = self._job is not None and not self._job.state.has_ended
        self._again.setEnabled(not is_running)
        for button in (self._copy, self._save):
            button.setEnabled(not is_running and bool(self._findings))

    def _copy_report(self) -> None:
        QGuiApplication.clipboard().setText(as_text(self._findings))
        self._message.show_message(Tone.SUCCESS, "The report is copied.")

    def _ask_where_to_save(self) -> None:
        kinds = ("Text (*.txt)", "JSON (*.json)")
        ask_for_file(self, "Save report", "odyssey-recorder-report.txt", kinds, self._save_to)

    def _save_to(self, file: Path) -> None:
        save = partial(self._doctor.save, self._findings, file)
        show = self._message.show_message
        self._background.run(
            save,
            lambda _: show(Tone.SUCCESS, "The report is saved.", str(file)),
            lambda error: show(Tone.DANGER, "Couldn't save the report.", error_text(error)),
        )


def _entries(findings: Sequence[DoctorFinding]) -> QWidget:
    content = QWidget()
    fill_column(content, *(_entry(finding) for finding in findings), None, margins=(0, 4, 8, 4), spacing=14)
    return content


def _entry(finding: DoctorFinding) -> QWidget:
    theme = Theme.current()
    icons = {
        Level.OK: ("check_circle", theme.success),
        Level.NOTE: ("alert", theme.warning),
        Level.MISSING: ("alert_circle", theme.danger),
    }
    buttons: list[QWidget] = []
    if finding.command:
        copy = named(push_button("Copy command", f"Copy {finding.command}"), f"Copy the command for {finding.what}")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(finding.command))
        buttons.append(copy)
    texts = breakable(f"{finding.what}: {finding.found}"), breakable(finding.fix)
    return entry(icon(*icons[finding.level]), texts, buttons, name=finding.level.value)
