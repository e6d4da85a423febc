import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from odyssey_recorder.simulator.looper import Looper, PhoneStoppedError
from tests.simulator.person import wait_until


@pytest.fixture
def looper() -> Iterator[Looper]:
    looper = Looper("test")
    looper.start()
    yield looper
    looper.stop()


def test_a_call_brings_back_what_it_returns_or_raises_also_from_the_thread_itself(looper: Looper) -> None:
    assert looper.call(lambda: threading.current_thread().name) == "test"
    assert looper.call(lambda: looper.call(lambda: "inner")) == "inner"
    with pytest.raises(TimeoutError, match="its own"):
        looper.call(lambda: _raise(TimeoutError("its own")))


def _raise(error: Exception) -> None:
    raise error


def test_a_timer_that_fails_is_logged_and_stops_nothing(looper: Looper, caplog: pytest.LogCaptureFixture) -> None:
    looper.later(0.0, lambda: _raise(ValueError("broken")))

    assert looper.call(lambda: "alive") == "alive"
    assert "A timer of the simulated emulator failed." in caplog.text
    caplog.clear()


def test_a_stopped_looper_takes_no_calls_and_drops_those_that_wait() -> None:
    looper = Looper("test")
    with pytest.raises(PhoneStoppedError):
        looper.call(lambda: None)
    looper.start()
    busy = threading.Event()
    looper.later(0.0, lambda: _finish(busy))

    with ThreadPoolExecutor(2) as calls:
        waiting = calls.submit(looper.call, lambda: None)
        stopping = calls.submit(looper.stop)
        wait_until(lambda: is_stopped(looper))
        busy.set()
        stopping.result()

        assert isinstance(waiting.exception(), PhoneStoppedError)


def _finish(busy: threading.Event) -> None:
    busy.wait()


def is_stopped(looper: Looper) -> bool:
    try:
        looper.later(0.0, lambda: None)
    except PhoneStoppedError:
        return True
    return False
