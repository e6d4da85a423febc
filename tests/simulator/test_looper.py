import threading

import pytest

from odyssey_recorder.simulator.looper import Looper, PhoneStoppedError
from tests.simulator.person import wait_until


def test_a_call_brings_back_what_it_returns_or_raises() -> None:
    looper = Looper("test")
    looper.start()

    assert looper.call(lambda: threading.current_thread().name) == "test"
    with pytest.raises(ZeroDivisionError):
        looper.call(lambda: 1 // 0)
    with pytest.raises(TimeoutError, match="its own"):
        looper.call(lambda: _raise(TimeoutError("its own")))
    looper.stop()


def _raise(error: Exception) -> None:
    raise error


def test_a_call_from_the_thread_itself_runs_at_once() -> None:
    looper = Looper("test")
    looper.start()

    assert looper.call(lambda: looper.call(lambda: "inner")) == "inner"
    looper.stop()


def test_timers_fire_in_the_order_of_their_time_and_cancelled_ones_never() -> None:
    looper = Looper("test")
    fired: list[str] = []
    looper.start()

    def arrange() -> None:
        looper.later(0.05, lambda: fired.append("late"))
        looper.later(0.02, lambda: fired.append("early"))
        looper.later(0.03, lambda: fired.append("never")).cancel()

    looper.call(arrange)
    wait_until(lambda: "late" in fired)
    looper.stop()

    assert fired == ["early", "late"]


def test_a_timer_that_fails_is_logged_and_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    looper = Looper("test")
    looper.start()
    looper.later(0.0, lambda: _raise(ValueError("broken")))

    assert looper.call(lambda: "alive") == "alive"
    assert "A timer of the simulated phone failed." in caplog.text
    caplog.clear()
    looper.stop()


def test_a_stopped_looper_takes_no_calls_and_drops_those_that_wait() -> None:
    looper = Looper("test")
    with pytest.raises(PhoneStoppedError):
        looper.call(lambda: None)
    looper.start()
    busy, errors = threading.Event(), []

    def wait_in_vain() -> None:
        try:
            looper.call(lambda: None)
        except PhoneStoppedError as error:
            errors.append(error)

    looper.later(0.0, lambda: _finish(busy))
    waiting = threading.Thread(target=wait_in_vain)
    waiting.start()
    stopping = threading.Thread(target=looper.stop)
    stopping.start()
    wait_until(lambda: is_stopped(looper))
    busy.set()
    stopping.join()
    waiting.join()

    assert len(errors) == 1


def is_stopped(looper: Looper) -> bool:
    try:
        looper.later(0.0, lambda: None)
    except PhoneStoppedError:
        return True
    return False


def _finish(busy: threading.Event) -> None:
    busy.wait()
