"""A job's card, and the dialog that waits for all jobs before the window closes."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QProgressBar, QWidget

from odyssey_recorder.gui.frame.background import Background, Job, JobState
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.parts import Card, fill_column, fill_row, named, push_button, row, say, text_label

CHECKING = "Checking the episodes"
"""The title of the job that checks all episodes; two pages start it."""

_BAR_STEPS = 1000
_DELAY_MS = 600


class JobCard(QWidget):
    """Follows a job: hidden without one and after success, a banner after failure."""

    dismissed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._job: Job | None = None
        self._title = text_label(kind="title")
        self._text = text_label(kind="hint")
        self._bar = named(QProgressBar(), "Progress")
        self._bar.setTextVisible(False)
        self._cancel = named(push_button("Cancel", "Stop this work", call=self._cancel_job), "Cancel")
        self._work = Card()
        head = row((self._title, 1), self._cancel)
        fill_column(self._work, head, self._bar, self._text, margins=(16, 12, 12, 14), spacing=6)
        copy = push_button("Copy details", "Copy the details of the error for a report", call=self._copy)
        dismiss = push_button("Dismiss", "Dismiss this message", "quiet", call=self._dismiss)
        self._failure = Banner(copy, dismiss)
        fill_column(self, self._work, self._failure, spacing=-1)
        self.hide()

    def follow(self, job: Job) -> None:
        if self._job is not None:
            self._job.changed.disconnect(self._show)
        self._job = job
        job.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        job = self._job
        if job is None:
            return
        if job.state is JobState.FAILED:
            self._failure.show_message(Tone.DANGER, f"{job.title} failed.", job.error)
        else:
            self._failure.hide()
        self._title.setText(job.title)
        say(self._text, "Stopping…" if job.state is JobState.CANCELLING else job.text)
        self._bar.setRange(0, 0 if job.share is None else _BAR_STEPS)
        self._bar.setValue(round((job.share or 0) * _BAR_STEPS))
        self._bar.setAccessibleName(f"Progress of: {job.title}")
        self._cancel.setVisible(job.can_cancel)
        self._cancel.setEnabled(job.state is JobState.RUNNING)
        self._work.setVisible(not job.state.has_ended)
        self.setVisible(not job.state.has_ended or job.state is JobState.FAILED)

    def _cancel_job(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _copy(self) -> None:
        if self._job is not None:
            QGuiApplication.clipboard().setText(self._job.details)

    def _dismiss(self) -> None:
        self.hide()
        self.dismissed.emit()


class ReadingLine(QWidget):
    """What was read, in a line beside a title, and a bar while it is read."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._text = text_label(kind="hint")
        self._text.setWordWrap(False)
        self._bar = named(QProgressBar(), name)
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 0)
        self._bar.setFixedWidth(120)
        fill_row(self, self._text, self._bar)

    def show_text(self, text: str, *, is_reading: bool) -> None:
        self._text.setText(text)
        self._bar.setVisible(is_reading)


class ClosingDialog(Dialog):
    may_close = Signal()
    """No job is running, or the annotator does not want to wait."""

    def __init__(self, background: Background, parent: QWidget) -> None:
        super().__init__("Closing", parent, is_kept=True)
        self._background = background
        self._waits = False
        self._closes_now = False
        self._names = text_label()
        self._delay = QTimer(self, singleShot=True, interval=_DELAY_MS)
        self._delay.timeout.connect(self._show_jobs)
        background.all_ended.connect(self._end)
        title = text_label("Finishing work that cannot be interrupted.", "title")
        hint = text_label("The window closes when this work has stopped.", "hint")
        stay = push_button("Keep the window open", "The work still stops (Esc)", call=self.reject)
        leave = push_button(
            "Close now", "Close the window now; work on the device may stay incomplete", call=self._close_now
        )
        self.fill(title, self._names, hint, row(None, leave, stay))
        self.setMinimumWidth(460)

    def must_wait(self) -> bool:
        """Cancel all jobs; returns whether the window must stay until `may_close`."""
        if self._closes_now or not self._background.jobs:
            return False
        self._waits = True
        self._background.cancel_jobs()
        self._delay.start()
        return True

    def reject(self) -> None:
        self._waits = False
        super().reject()

    def _show_jobs(self) -> None:
        if self._waits:
            self._names.setText("\n".join(f"• {job.title}" for job in self._background.jobs))
            self.open()

    def _end(self) -> None:
        if self._waits:
            self._waits = False
            self._delay.stop()
            self.hide()
            self.may_close.emit()

    def _close_now(self) -> None:
        self._closes_now = True
        self._end()
