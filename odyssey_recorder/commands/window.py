"""Opening the window from the command line. Qt itself aborts the program if there is no screen."""

import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from odyssey_recorder.errors import OdysseyError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from odyssey_recorder.gui.bridges.workplace import Workplace
    from odyssey_recorder.llm.batch import Batch
    from odyssey_recorder.services.recording import RecordingService
    from odyssey_recorder.settings import SettingsStore
    from odyssey_recorder.tasks.queue.queue import TaskQueue


def run_window(store: "SettingsStore", *, serial: str | None = None, to_review: bool = False) -> int:
    from odyssey_recorder.logs import log_unexpected, logging_to
    from odyssey_recorder.settings import log_file

    with logging_to(log_file(), store.read().log_level), log_unexpected(OdysseyError):
        return open_window(store, serial=serial, to_review=to_review)


def open_window(store: "SettingsStore", *, serial: str | None, to_review: bool = False) -> int:
    """Returns the exit code. Raises SettingsError without a screen, DeviceError without an adb server."""
    require_screen()
    from odyssey_recorder.wiring.user import annotator_service, annotator_tasks, opened_later  # isort: skip - Qt looks into every module that comes after it
    from odyssey_recorder.gui.window.app import run

    settings = store.read()
    with (
        annotator_service(settings) as service,
        opened_later(partial(annotator_tasks, settings, service.who_records)) as tasks,
    ):
        return run(service, _workplace(store, service, tasks, to_review=to_review), serial=serial, to_review=to_review)


def _workplace(
    store: "SettingsStore", service: "RecordingService", tasks: "Callable[[], TaskQueue]", *, to_review: bool
) -> "Workplace":
    from odyssey_recorder.doctor import Doctor
    from odyssey_recorder.gui.bridges.workplace import AgentModels, Workplace
    from odyssey_recorder.gui.frame.window_state import KeptFile
    from odyssey_recorder.settings import agent_file, log_file, sheets_file, shortcuts_file, window_state_file
    from odyssey_recorder.wiring import user

    def open_model(name: str, budget: float | None) -> "Batch":
        return user.open_batch(store.read().model_copy(update={"model": name}), budget)

    settings, who = store.read(), service.who_records
    index = partial(user.user_index, settings.dataset)
    return Workplace(
        tasks=tasks,
        task_service=lambda: user.task_service(store, tasks(), who),
        dataset=index,
        saved_filters=user.saved_filters,
        inventory=service.inventory,
        practice=service.practice,
        review=lambda: user.review_service(index(), who, service.connector),
        texts=partial(user.text_reviewing, settings.dataset, who),
        writing=partial(user.text_writing, store, settings.dataset, who),
        agents=AgentModels(lambda: store.read().model, open_model, KeptFile(agent_file())),
        doctor=Doctor(store.read, on_screen=True, log=log_file()),
        settings=store,
        role="reviewer" if to_review and settings.role == "annotator" else settings.role,
        theme=settings.theme,
        text_size=settings.text_size,
        outlines=settings.outlines,
        sounds=settings.sounds,
        state=KeptFile(window_state_file()),
        shortcuts=KeptFile(shortcuts_file()),
        sheets=KeptFile(sheets_file()),
    )


def has_screen() -> bool:
    return sys.platform != "linux" or any(map(os.environ.get, ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")))


def require_screen() -> None:
    """Raise SettingsError if there is no screen."""
    if not has_screen():
        raise SettingsError(
            "This session has no screen (DISPLAY is not set), so the window cannot open. Log in on a desktop, or"
            " record by script: odyssey-recorder record --help"
        )
