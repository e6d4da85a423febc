"""The window as a program: opens on a service, and ends when it is closed."""

import gc
import signal

from PySide6.QtCore import QTimer

from odyssey_recorder.gui.application import ErrorHook, application, use_theme
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.main_window import MainWindow
from odyssey_recorder.gui.record.recording_controller import RecordingController
from odyssey_recorder.gui.workplace import Workplace
from odyssey_recorder.recording_service import RecordingService


def run(
    service: RecordingService, workplace: Workplace | None = None, *, serial: str | None = None, to_review: bool = False
) -> int:
    """Open the window on `service`, connected to `serial` if one is given; the exit code, once it is closed.

    It opens `to_review`, or on the page that it was closed on.

    `workplace` is what the pages beside Record are given.
    """
    app = application()
    use_theme(workplace.theme if workplace is not None else "system")
    controller = RecordingController(service)
    window = MainWindow(controller, workplace, Command.REVIEW_PAGE if to_review else None)
    ErrorHook(window).install()
    window.prepared.connect(gc.freeze)  # else each full collection looks at all modules again, for over 50 ms
    signal.signal(signal.SIGINT, lambda _number, _frame: QTimer.singleShot(0, window.close))
    window.open_on(serial)
    code = app.exec()
    controller.close()
    return code
