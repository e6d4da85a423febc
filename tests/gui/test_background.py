"""Work off the GUI thread: results and progress arrive on it, and long jobs get a card."""

import threading

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QLabel, QProgressBar
from pytestqt.qtbot import QtBot

from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gui.background import Background, Cancelled, Job, JobState, Progress
from odyssey_recorder.gui.job_card import JobCard
from tests.gui.pilot import button_in


@pytest.fixture
def card(qtbot: QtBot) -> JobCard:
    made = JobCard()
    qtbot.addWidget(made)
    return made


class Patient:
    """Work that runs until released; checks for cancellation in between."""

    def __init__(self, *, deaf: bool = False) -> None:
        self.may_end, self.was_cancelled = threading.Event(), threading.Event()
        self._deaf = deaf

    def __call__(self, progress: Progress, cancelled: Cancelled) -> str:
        progress(0.25, "Booting: 5 s of about 20 s")
        while not self.may_end.wait(0.01):
            if cancelled():
                self.was_cancelled.set()
                if not self._deaf:
                    raise DeviceError("It was stopped half way.")
        return "emulator-5554"


def failing(progress: Progress, cancelled: Cancelled) -> None:
    raise DeviceError("emulator-5554 did not start: free some space.")


def words(card: JobCard) -> list[str]:
    return [label.text() for label in card.findChildren(QLabel) if label.isVisible() and label.text()]


def wait_for(qtbot: QtBot, job: Job, state: JobState) -> None:
    qtbot.waitUntil(lambda: job.state is state)


def test_the_call_runs_elsewhere_and_its_result_or_error_comes_here(background: Background, qtbot: QtBot) -> None:
    error = DeviceError("gone")
    came: list[object] = []

    def fail() -> object:
        raise error

    background.run(threading.current_thread, lambda there: came.extend([there, threading.current_thread()]))
    qtbot.waitUntil(lambda: bool(came))
    there, here = came
    assert there is not here
    assert here is threading.main_thread()
    background.run(fail, came.append, came.append)
    qtbot.waitUntil(lambda: came[2:] == [error])


def test_nothing_comes_after_closing(qtbot: QtBot) -> None:
    background = Background()
    came: list[object] = []
    began, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        go_on.wait(5)

    def job(progress: Progress, cancelled: Cancelled) -> None:
        go_on.wait(5)
        ended.set()

    background.run(work, came.append, came.append)
    background.start("Starting", job, came.append)
    assert began.wait(5)
    go_on.set()
    background.close()
    background.run(work, came.append, came.append)
    assert ended.wait(5)
    qtbot.wait(1)
    assert came == []


class Callee:
    """Tells which thread destroys it."""

    def __init__(self, destroyers: list[threading.Thread]) -> None:
        self._destroyers = destroyers

    def take(self, _result: object) -> None:
        pass

    def __del__(self) -> None:
        self._destroyers.append(threading.current_thread())


def test_closing_takes_what_would_be_called_back_from_a_job_that_still_works(qtbot: QtBot) -> None:
    background, destroyers = Background(), list[threading.Thread]()
    may_end, ended = threading.Event(), threading.Event()

    def work(progress: Progress, cancelled: Cancelled) -> None:
        may_end.wait(20)
        ended.set()

    background.start("Starting", work, Callee(destroyers).take)
    background.run(lambda: None, Callee(destroyers).take)
    assert destroyers == []
    background.close()
    assert destroyers == [threading.main_thread()] * 2
    may_end.set()
    assert ended.wait(20)


def test_a_part_of_it_runs_one_function_after_the_other(background: Background, qtbot: QtBot) -> None:
    part, came = background.in_order(), list[int]()
    may_end = threading.Event()
    part.run(lambda: may_end.wait(20) and 1, came.append)
    part.run(lambda: 2, came.append)
    background.run(may_end.set)
    qtbot.waitUntil(lambda: len(came) == 2)
    assert came == [1, 2]


def test_a_card_shows_how_far_the_job_is(background: Background, card: JobCard, qtbot: QtBot) -> None:
    work, results = Patient(), list[str]()
    job = background.start("Starting Pixel 7 Pro", work, results.append)
    card.follow(job)
    card.show()
    qtbot.waitUntil(lambda: "Booting: 5 s of about 20 s" in words(card))
    bar = card.findChild(QProgressBar)
    assert bar is not None
    assert (bar.value() / bar.maximum(), "Starting Pixel 7 Pro" in words(card)) == (0.25, True)
    work.may_end.set()
    qtbot.waitUntil(lambda: not card.isVisible())
    assert (results, job.state, background.jobs) == (["emulator-5554"], JobState.DONE, ())


def test_a_cancelled_job_says_that_it_stops_and_goes(background: Background, card: JobCard, qtbot: QtBot) -> None:
    job = background.start("Starting", Patient())
    card.follow(job)
    bar = card.findChild(QProgressBar)
    assert bar is not None
    assert (bar.minimum(), bar.maximum()) == (0, 0), "nobody knows yet how long it takes"
    button_in(card, "Cancel").click()
    assert (job.state, "Stopping…" in words(card)) == (JobState.CANCELLING, True)
    wait_for(qtbot, job, JobState.CANCELLED)
    assert not card.isVisible()


def test_work_that_never_asks_offers_no_cancel(background: Background, card: JobCard, qtbot: QtBot) -> None:
    work = Patient(deaf=True)
    job = background.start("Saving the snapshot home", work, can_cancel=False)
    card.follow(job)
    card.show()
    assert not any(button.isVisible() for button in card.findChildren(QAbstractButton))
    work.may_end.set()
    wait_for(qtbot, job, JobState.DONE)


def test_work_that_was_done_before_it_heard_of_the_cancel_counts(background: Background, qtbot: QtBot) -> None:
    work, results = Patient(deaf=True), list[str]()
    job = background.start("Starting", work, results.append)
    job.cancel()
    work.may_end.set()
    wait_for(qtbot, job, JobState.DONE)
    assert results == ["emulator-5554"]


def test_a_failure_is_told_with_details_to_copy(background: Background, card: JobCard, qtbot: QtBot) -> None:
    card.follow(background.start("Starting Pixel 7 Pro", failing))
    qtbot.waitUntil(lambda: "Starting Pixel 7 Pro failed." in words(card))
    assert "emulator-5554 did not start: free some space." in words(card)
    button_in(card, "Copy details").click()
    assert "Traceback" in QGuiApplication.clipboard().text()
    button_in(card, "Dismiss").click()
    assert not card.isVisible()


def test_an_unexpected_error_is_logged(background: Background, qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    def broken(progress: Progress, cancelled: Cancelled) -> None:
        raise ZeroDivisionError("seven")

    job = background.start("Dividing", broken)
    wait_for(qtbot, job, JobState.FAILED)
    assert "ZeroDivisionError: seven. Try again. If it happens again, copy the details" in job.error
    assert "in broken" in caplog.text
    caplog.clear()


def test_of_much_progress_the_window_hears_the_newest(background: Background, qtbot: QtBot) -> None:
    told, heard = threading.Event(), list[str]()

    def chatty(progress: Progress, cancelled: Cancelled) -> None:
        for number in range(10_000):
            progress(None, str(number))
        told.set()

    job = background.start("Counting", chatty)
    job.changed.connect(lambda: heard.append(job.words))
    assert told.wait(10)  # the GUI thread is busy meanwhile
    wait_for(qtbot, job, JobState.DONE)
    assert heard == ["9999", "9999"]
