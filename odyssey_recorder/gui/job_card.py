"""The card of one long job: what is done, how far it is, Cancel; and why it failed, if it did."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QProgressBar, QVBoxLayout, QWidget

from odyssey_recorder.gui.banner import Banner, Tone
from odyssey_recorder.gui.jobs import Job, JobState
from odyssey_recorder.gui.parts import named, push_button, row, text_label

_PARTS = 1000


class JobCard(QWidget):
    """Follows a job: gone where there is none and where it ended well, and a banner where it failed."""

    dismissed = Signal()
    """The annotator has read why the job failed."""

    def __init__(self) -> None:
        super().__init__()
        self._job: Job | None = None
        self._title = text_label(kind="title")
        self._words = text_label(kind="hint")
        self._bar = named(QProgressBar(), "Progress")
        self._bar.setTextVisible(False)
        self._cancel = named(push_button("Cancel", "Stop this work"), "Cancel")
        self._work = self._card()
        copy = push_button("Copy details", "Copy what the program knows of the failure, to report it")
        copy.clicked.connect(self._copy)
        dismiss = push_button("Dismiss", "Dismiss this message", "quiet")
        dismiss.clicked.connect(self._dismiss)
        self._failure = Banner(copy, dismiss)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._work)
        column.addWidget(self._failure)
        self.hide()

    def follow(self, job: Job) -> None:
        """Show `job` from now on, in place of the one before."""
        if self._job is not None:
            self._job.changed.disconnect(self._show)
        self._job = job
        job.changed.connect(self._show)
        self._show()

    def repaint_icons(self) -> None:
        """Draw the icon anew for another palette."""
        self._failure.repaint_icons()

    def _show(self) -> None:
        job = self._job
        if job is None:
            return
        if job.state is JobState.FAILED:
            self._failure.show_message(Tone.DANGER, f"{job.title} failed.", job.error)
        else:
            self._failure.hide()
        self._title.setText(job.title)
        self._words.setText("Stopping…" if job.state is JobState.CANCELLING else job.words)
        self._words.setVisible(bool(self._words.text()))
        self._bar.setRange(0, 0 if job.share is None else _PARTS)
        self._bar.setValue(round((job.share or 0) * _PARTS))
        self._bar.setAccessibleName(f"Progress of: {job.title}")
        self._cancel.setVisible(job.can_cancel)
        self._cancel.setEnabled(job.state is JobState.RUNNING)
        self._work.setVisible(not job.state.has_ended)
        self.setVisible(not job.state.has_ended or job.state is JobState.FAILED)

    def _ask_to_cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _copy(self) -> None:
        if self._job is not None:
            QGuiApplication.clipboard().setText(self._job.details)

    def _dismiss(self) -> None:
        self.hide()
        self.dismissed.emit()

    def _card(self) -> QFrame:
        self._cancel.clicked.connect(self._ask_to_cancel)
        card = QFrame()
        card.setProperty("kind", "card")
        head = row(self._title, self._cancel)
        head.setStretch(0, 1)
        column = QVBoxLayout(card)
        column.setContentsMargins(16, 12, 12, 14)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self._bar)
        column.addWidget(self._words)
        return card
