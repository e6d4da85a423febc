import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from odyssey_simulator.looper import Looper, PhoneStoppedError
from tests.cli import wait_until


@pytest.fixture
def looper() -> Iterator[Looper]:
    looper = Looper("test")
    looper.start()
    yield looper
    looper.stop()


def test_call_returns_or_raises_from_any_thread(looper: Looper) -> None:
    assert looper.call(lambda: threading.current_thread().name) == "test"
    assert looper.call(lambda: looper.call(lambda: "inner")) == "inner"
    with pytest.raises(TimeoutError, match="its own"):
        looper.call(lambda: raise_error(TimeoutError("its own")))


def raise_error(error: Exception) -> None:
    raise error


def test_failing_timer_is_logged_and_does_not_stop_the_looper(looper: Looper, caplog: pytest.LogCaptureFixture) -> None:
    looper.later(0.0, lambda: raise_error(ValueError("broken")))
    assert looper.call(lambda: "alive") == "alive"
    assert "A timer of the simulated emulator failed." in caplog.text
    caplog.clear()


def test_stopped_looper_rejects_new_and_waiting_calls() -> None:
    looper = Looper("test")
    with pytest.raises(PhoneStoppedError):
        looper.call(lambda: None)
    looper.start()
    busy = threading.Event()
    looper.later(0.0, lambda: wait_until(busy.is_set))

    with ThreadPoolExecutor(2) as calls:
        waiting = calls.submit(looper.call, lambda: None)
        stopping = calls.submit(looper.stop)
        wait_until(lambda: is_stopped(looper))
        busy.set()
        stopping.result()

        assert isinstance(waiting.exception(), PhoneStoppedError)


def is_stopped(looper: Looper) -> bool:
    try:
        looper.later(0.0, lambda: None)
    except PhoneStoppedError:
        return True
    return False
