import logging
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from odyssey_recorder import logs
from odyssey_recorder.logs import hide, log_unexpected, logging_to

_log = logging.getLogger("odyssey_recorder.somewhere")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "log" / "odyssey-recorder.log"


def text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def test_records_are_written_to_the_log_file(file: Path) -> None:
    with logging_to(file, "INFO"):
        _log.info("the device %s is back", "emulator-5554")
        _log.debug("not this")
    _log.info("nor this")
    with logging_to(file, "INFO"):
        _log.info("Authorization: bearer abc.def-123, next")
    assert "bearer ••• next" in text(file)
    assert "MainThread odyssey_recorder.somewhere: the device emulator-5554 is back" in text(file)
    assert "Odyssey Recorder" in text(file).splitlines()[0]
    assert "this" not in text(file)


def test_log_rotates_into_six_parts(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_PART_BYTES", 20_000)
    with logging_to(file, "INFO"):
        for _ in range(150):
            _log.info("x" * 1000)
    parts = sorted(part.name for part in file.parent.iterdir())
    assert parts == [file.name, *(f"{file.name}.{number}" for number in range(1, 6))]
    assert all(part.stat().st_size <= 20_000 for part in file.parent.iterdir())


@pytest.mark.parametrize("secret", ["token+with/odd=signs", "e1337" * 8])
def test_secrets_are_masked(file: Path, secret: str) -> None:
    hide(secret)
    hide("")
    with logging_to(file, "INFO"):
        _log.info("metadata %s", [("authorization", f"Bearer {secret}"), ("x", secret)])
        try:
            raise RuntimeError(f"refused: {secret}")
        except RuntimeError:
            _log.info("failed", exc_info=True)
    assert "RuntimeError: refused: •••" in text(file)
    assert secret not in text(file)


def test_device_text_cannot_forge_log_records(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # pytest would keep the lone surrogate for its report, which then cannot be sent between processes.
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    forged = "2026-11-22 10:00:00.000 CRITICAL MainThread odyssey_recorder: all is lost"
    with logging_to(file, "INFO"):
        _log.info("it said %s", f"\x1b]0;owned\x07\x9b2J\r\u202e\u2028\udc80 \N{SNOWMAN}\n{forged}")
        try:
            raise RuntimeError(f"\x1b[2J\n{forged}")
        except RuntimeError:
            _log.info("failed", exc_info=True)
    written = file.read_bytes().decode("utf-8")
    assert r"it said \x1b]0;owned\x07\x9b2J\r\u202e\u2028\udc80 " + "\N{SNOWMAN}\n" in written
    assert all(line.isprintable() for line in written.split("\n"))
    assert written.count("all is lost") == 2
    assert not any(line.startswith(forged) for line in written.split("\n"))


def test_unwritable_log_folder_only_disables_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "log").write_text("a file where the folder must be")
    hook = threading.excepthook
    with logging_to(tmp_path / "log" / "a.log", "INFO"):
        assert threading.excepthook is hook
    assert "No log is kept" in caplog.text
    caplog.clear()


def test_closing_the_log_restores_hook_and_level(file: Path) -> None:
    before = threading.excepthook, logging.getLogger().level, list(logging.getLogger().handlers)
    with logging_to(file, "DEBUG"):
        assert logging.getLogger().level == logging.DEBUG
    after = threading.excepthook, logging.getLogger().level, list(logging.getLogger().handlers)
    assert after == before


CHILD = """
import sys, threading
from pathlib import Path
from odyssey_recorder.logs import logging_to

def fail():
    raise LookupError("of a thread")

with logging_to(Path(sys.argv[1]), "INFO"):
    thread = threading.Thread(target=fail, name="worker")
    thread.start()
    thread.join()
"""


def test_uncaught_thread_error_is_logged_and_printed(file: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(file)], capture_output=True, text=True, timeout=60, check=True
    )
    for place in (text(file), child.stderr):
        assert "LookupError: of a thread" in place
    assert "in worker" in text(file)


def test_only_unexpected_errors_are_logged_with_a_traceback(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ZeroDivisionError), logging_to(file, "INFO"), log_unexpected(LookupError):
        _log.info("%d", 1 // 0)
    assert "Unexpected error\n    Traceback" in text(file)
    assert text(file).count("Traceback") == 1
    with pytest.raises(LookupError), logging_to(file, "INFO"), log_unexpected(LookupError):
        raise KeyError("no device")
    assert "Ended by KeyError: 'no device'" in text(file)
    assert text(file).count("Traceback") == 1
    caplog.clear()
