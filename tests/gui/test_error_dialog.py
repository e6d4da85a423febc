"""What nobody caught is logged and shown, from whichever thread it comes."""

import sys
import threading

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.app import ErrorDialog, ErrorHook


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> QWidget:
    """A window whose hook is installed for this test."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    ErrorHook(made).install()
    return made


def test_an_error_of_a_thread_is_logged_and_shown(
    window: QWidget, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise ValueError("seven is too many")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(window.findChildren(ErrorDialog)))
    dialog = window.findChildren(ErrorDialog)[0]
    assert any("ValueError: seven is too many" in label.text() for label in dialog.findChildren(QLabel))
    assert "seven is too many" in caplog.text
    caplog.clear()


def test_the_details_can_be_copied(window: QWidget) -> None:
    dialog = ErrorDialog("It broke.", "Traceback: line 7", window)
    dialog.open()
    (copy,) = [button for button in dialog.findChildren(QAbstractButton) if button.text() == "Copy details"]
    copy.click()
    assert QGuiApplication.clipboard().text() == "Traceback: line 7"
    dialog.close()
