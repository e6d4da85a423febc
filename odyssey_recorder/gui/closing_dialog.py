"""What stands in the way of closing the window: jobs at work, which are cancelled and waited for."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QDialog, QWidget

from odyssey_recorder.gui.jobs import Jobs
from odyssey_recorder.gui.parts import fill_dialog, push_button, row, text_label

_QUIET_MS = 600
"""So long a job may take to end before the annotator is told of it."""


class ClosingDialog(QDialog):
    """Says for which jobs the window waits, once they take longer than a moment."""

    may_close = Signal()
    """No job is at work any more, or the annotator does not want to wait."""

    def __init__(self, jobs: Jobs, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Closing")
        self._jobs = jobs
        self._waits = False
        self._given_up = False
        self._names = text_label()
        self._patience = QTimer(self, singleShot=True, interval=_QUIET_MS)
        self._patience.timeout.connect(self._tell)
        jobs.all_ended.connect(self._end)
        title = text_label("Waiting for work that cannot stop in the middle.", "title")
        hint = text_label("It was asked to stop; the window closes by itself as soon as it has.", "hint")
        stay = push_button("Keep the window open", "The work is stopped all the same (Esc)")
        stay.clicked.connect(self.reject)
        leave = push_button("Close at once", "Close now; what is started on the device may be left half done")
        leave.clicked.connect(self._give_up)
        fill_dialog(self, title, self._names, hint, row(None, leave, stay))
        self.setMinimumWidth(460)

    def must_wait(self) -> bool:
        """Whether the window must stay until `may_close`; every job at work is asked to end."""
        if self._given_up or not self._jobs.at_work:
            return False
        self._waits = True
        self._jobs.cancel_all()
        self._patience.start()
        return True

    def reject(self) -> None:
        self._waits = False
        super().reject()

    def _tell(self) -> None:
        if self._waits:
            self._names.setText("\n".join(f"• {job.title}" for job in self._jobs.at_work))
            self.open()

    def _end(self) -> None:
        if self._waits:
            self._waits = False
            self._patience.stop()
            self.hide()
            self.may_close.emit()

    def _give_up(self) -> None:
        self._given_up = True
        self._end()
