"""Work off the GUI thread: results and progress arrive on it, and long jobs get a card."""

import threading

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QProgressBar
from pytestqt.qtbot import QtBot

from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gui.frame.background import Background, Job, JobState
from odyssey_recorder.gui.frame.job_card import JobCard
from odyssey_recorder.progress import Cancelled, Progress
from tests.gui.pilot import button_in, texts_in


@pytest.fixture
def card(qtbot: QtBot) -> JobCard:
    made = JobCard()
    qtbot.addWidget(made)
    return made


class BlockingWork:
    """Work that runs until released or cancelled."""

    def __init__(self, *, ignores_cancel: bool = False) -> None:
        self.may_end, self.was_cancelled = threading.Event(), threading.Event()
        self._ignores_cancel = ignores_cancel

    def __call__(self, progress: Progress, cancelled: Cancelled) -> str:
        progress(0.25, "Booting: 5 s of about 20 s")
        while not self.may_end.wait(0.01):
            if cancelled():
                self.was_cancelled.set()
                if not self._ignores_cancel:
                    raise DeviceError("It was stopped half way.")
        return "emulator-5554"


def failing(progress: Progress, cancelled: Cancelled) -> None:
    raise DeviceError("emulator-5554 did not start: free some space.")


def wait_for(qtbot: QtBot, job: Job, state: JobState) -> None:
    qtbot.waitUntil(lambda: job.state is state)


def test_outcome_of_a_thread_is_delivered_on_the_gui_thread(background: Background, qtbot: QtBot) -> None:
    error = DeviceError("gone")
    results: list[object] = []

    def fail() -> object:
        raise error

    background.run(threading.current_thread, lambda there: results.extend([there, threading.current_thread()]))
    qtbot.waitUntil(lambda: bool(results))
    there, here = results
    assert there is not here
    assert here is threading.main_thread()
    background.run(fail, results.append, results.append)
    qtbot.waitUntil(lambda: results[2:] == [error])


def test_nothing_is_delivered_after_closing(qtbot: QtBot) -> None:
    background = Background()
    results: list[object] = []
    began, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        go_on.wait(30)

    def job(progress: Progress, cancelled: Cancelled) -> None:
        go_on.wait(30)
        ended.set()

    background.run(work, results.append, results.append)
    background.start("Starting", job, results.append)
    assert began.wait(60)
    go_on.set()
    background.close()
    background.run(work, results.append, results.append)
    assert ended.wait(60)
    qtbot.wait(1)
    assert results == []


class TrackedReceiver:
    """Notes which thread destroys it."""

    def __init__(self, destroyers: list[threading.Thread]) -> None:
        self._destroyers = destroyers

    def take(self, _result: object) -> None:
        pass

    def __del__(self) -> None:
        self._destroyers.append(threading.current_thread())


def test_closing_drops_callbacks_of_running_jobs(qtbot: QtBot) -> None:
    background, destroyers = Background(), list[threading.Thread]()
    may_end, ended = threading.Event(), threading.Event()

    def work(progress: Progress, cancelled: Cancelled) -> None:
        may_end.wait(30)
        ended.set()

    background.start("Starting", work, TrackedReceiver(destroyers).take)
    background.run(lambda: None, TrackedReceiver(destroyers).take)
    assert destroyers == []
    background.close()
    assert destroyers == [threading.main_thread()] * 2
    may_end.set()
    assert ended.wait(60)


def test_in_order_runs_one_function_at_a_time(background: Background, qtbot: QtBot) -> None:
    part, results = background.in_order(), list[int]()
    may_end = threading.Event()
    part.run(lambda: may_end.wait(30) and 1, results.append)
    part.run(lambda: 2, results.append)
    background.run(may_end.set)
    qtbot.waitUntil(lambda: len(results) == 2)
    assert results == [1, 2]


def test_card_shows_progress_of_job(background: Background, card: JobCard, qtbot: QtBot) -> None:
    work, results = BlockingWork(), list[str]()
    job = background.start("Starting Pixel 7 Pro", work, results.append)
    card.follow(job)
    card.show()
    qtbot.waitUntil(lambda: "Booting: 5 s of about 20 s" in texts_in(card))
    bar = card.findChild(QProgressBar)
    assert bar is not None
    assert (bar.value() / bar.maximum(), "Starting Pixel 7 Pro" in texts_in(card)) == (0.25, True)
    work.may_end.set()
    qtbot.waitUntil(lambda: not card.isVisible())
    assert (results, job.state, background.jobs) == (["emulator-5554"], JobState.DONE, ())


def test_cancelled_job_shows_stopping_and_disappears(background: Background, card: JobCard, qtbot: QtBot) -> None:
    job = background.start("Starting", BlockingWork())
    card.follow(job)
    bar = card.findChild(QProgressBar)
    assert bar is not None
    assert (bar.minimum(), bar.maximum()) == (0, 0), "no share of the work is known"
    button_in(card, "Cancel").click()
    assert (job.state, "Stopping…" in texts_in(card)) == (JobState.CANCELLING, True)
    wait_for(qtbot, job, JobState.CANCELLED)
    assert not card.isVisible()


def test_uncancellable_job_has_no_cancel_button(background: Background, card: JobCard, qtbot: QtBot) -> None:
    work = BlockingWork(ignores_cancel=True)
    job = background.start("Saving the snapshot home", work, can_cancel=False)
    card.follow(job)
    card.show()
    assert not any(button.isVisible() for button in card.findChildren(QAbstractButton))
    work.may_end.set()
    wait_for(qtbot, job, JobState.DONE)


def test_result_counts_if_work_ignores_cancel(background: Background, qtbot: QtBot) -> None:
    work, results = BlockingWork(ignores_cancel=True), list[str]()
    job = background.start("Starting", work, results.append)
    job.cancel()
    work.may_end.set()
    wait_for(qtbot, job, JobState.DONE)
    assert results == ["emulator-5554"]


def test_failure_is_shown_with_details_to_copy(background: Background, card: JobCard, qtbot: QtBot) -> None:
    card.follow(background.start("Starting Pixel 7 Pro", failing))
    qtbot.waitUntil(lambda: "Starting Pixel 7 Pro failed." in texts_in(card))
    assert "emulator-5554 did not start: free some space." in texts_in(card)
    button_in(card, "Copy details").click()
    assert "Traceback" in QGuiApplication.clipboard().text()
    button_in(card, "Dismiss").click()
    assert not card.isVisible()


def test_unexpected_error_is_logged(background: Background, qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    def broken(progress: Progress, cancelled: Cancelled) -> None:
        raise ZeroDivisionError("seven")

    job = background.start("Dividing", broken)
    wait_for(qtbot, job, JobState.FAILED)
    assert "ZeroDivisionError: seven. Try again. If it happens again, copy the details" in job.error
    assert "in broken" in caplog.text
    caplog.clear()


def test_only_newest_progress_is_delivered(background: Background, qtbot: QtBot) -> None:
    reported, texts = threading.Event(), list[str]()

    def chatty(progress: Progress, cancelled: Cancelled) -> None:
        for number in range(10_000):
            progress(None, str(number))
        reported.set()

    job = background.start("Counting", chatty)
    job.changed.connect(lambda: texts.append(job.text))
    assert reported.wait(60)  # the GUI thread is busy meanwhile
    wait_for(qtbot, job, JobState.DONE)
    assert texts == ["9999", "9999"]
