"""Runs the window as a program."""

import gc
import signal

from PySide6.QtCore import QTimer

from odyssey_recorder.gui.bridges.recording import RecordingController
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.gui.frame.application import ErrorHook, application, use_text_size, use_theme
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.gui.window.main_window import MainWindow
from odyssey_recorder.services.recording import RecordingService


def run(
    service: RecordingService, workplace: Workplace | None = None, *, serial: str | None = None, to_review: bool = False
) -> int:
    """Open the window on `service`, connected to `serial` if given; return the exit code.

    Without `to_review` it opens on the page shown when it was last closed. `workplace` supplies the other pages.
    """
    app = application()
    use_theme(workplace.theme if workplace is not None else "system")
    use_text_size(workplace.text_size if workplace is not None else "normal")
    controller = RecordingController(service)
    window = MainWindow(controller, workplace, ReviewCommand.REVIEW_PAGE if to_review else None)
    ErrorHook(window).install()
    window.prepared.connect(gc.freeze)  # otherwise each full collection scans all modules, for over 50 ms
    signal.signal(signal.SIGINT, lambda _number, _frame: QTimer.singleShot(0, window.close))
    window.open_on(serial)
    code = app.exec()
    controller.close()
    return code
