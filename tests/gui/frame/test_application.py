"""The application: colours, uncaught errors, and the thread of garbage collection."""

import gc
import sys
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.frame.application import ErrorDialog, ErrorHook, GarbageCollector, use_theme
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.kit.theme import READABLE, Theme, contrast


@pytest.fixture(autouse=True)
def _restore_theme(qapp: QApplication) -> Iterator[None]:
    yield
    use_theme("system")


def test_theme_is_dark_light_or_the_systems(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    system = QApplication.palette().window().color()
    for name, least, most in (("dark", 0.0, 0.3), ("light", 0.8, 1.0), ("dark", 0.0, 0.3)):
        recorder = EventRecorder()
        window.installEventFilter(recorder)
        use_theme("dark" if name == "dark" else "light")
        assert QEvent.Type.ThemeChange in recorder.types
        theme, palette = Theme.current(), QApplication.palette()
        assert least <= palette.window().color().lightnessF() <= most
        placeholder = palette.color(QPalette.ColorRole.PlaceholderText)
        for ink, ground in ((theme.text, theme.card), (theme.muted, theme.card), (placeholder, theme.field)):
            assert contrast(ink, ground) >= READABLE
    use_theme("system")
    assert QApplication.palette().window().color() == system


class EventRecorder(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.types: list[QEvent.Type] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's spelling
        self.types.append(event.type())
        return False


def palette(window: str, text: str, accent: str) -> QPalette:
    made = QPalette()
    made.setColor(QPalette.ColorRole.Window, QColor(window))
    made.setColor(QPalette.ColorRole.WindowText, QColor(text))
    made.setColor(QPalette.ColorRole.Accent, QColor(accent))
    return made


PALETTES = {
    "light": ("#efefef", "#000000", "#308cc6"),
    "dark": ("#2b2d31", "#f0f0f0", "#308cc6"),
    "black": ("#000000", "#ffffff", "#ffd400"),
    "pale accent": ("#ffffff", "#202020", "#ffe680"),
}


@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
def test_text_is_readable_on_every_background(qtbot: QtBot, colours: tuple[str, str, str]) -> None:
    theme = Theme.of(palette(*colours))
    pairs = [(theme.text, ground) for ground in (theme.window, theme.card, theme.field, theme.tint)]
    pairs += [(ink, theme.card) for ink in (theme.muted, theme.warning, theme.danger)]
    pairs += [(theme.on_accent, theme.accent)]
    assert [contrast(ink, ground) >= READABLE for ink, ground in pairs] == [True] * len(pairs)


def test_contrast_of_black_on_white_is_highest() -> None:
    assert contrast(QColor("white"), QColor("black")) == pytest.approx(21)
    assert contrast(QColor("red"), QColor("red")) == pytest.approx(1)


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> QWidget:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    ErrorHook(made).install()
    return made


def test_error_in_thread_is_shown_and_logged(window: QWidget, qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
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
    (copy,) = [button for button in dialog.findChildren(QAbstractButton) if button.text() == "Copy details"]
    copy.click()
    assert "in fail" in QGuiApplication.clipboard().text()


class ReferenceCycle:
    """A reference cycle that notes the thread it is collected on."""

    def __init__(self, threads: list[threading.Thread]) -> None:
        self.itself = self
        self.threads = threads

    def __del__(self) -> None:
        self.threads.append(threading.current_thread())


def leave_cycle(threads: list[threading.Thread]) -> list[list[int]]:
    """Leave a cycle behind, and allocate enough to trigger a collection."""
    ReferenceCycle(threads)
    return [[number] for number in range(20 * gc.get_threshold()[0])]


@pytest.fixture
def collector(qtbot: QtBot, qapp: QApplication) -> Iterator[GarbageCollector]:
    collector = GarbageCollector(qapp)
    collector.start()
    yield collector
    collector.stop()


def test_garbage_of_other_threads_is_collected_on_gui_thread(qtbot: QtBot, collector: GarbageCollector) -> None:
    background, collectors, results = Background(), list[threading.Thread](), list[list[list[int]]]()
    background.run(lambda: leave_cycle(collectors), results.append, lambda error: pytest.fail(str(error)))
    qtbot.waitUntil(lambda: bool(collectors))
    assert collectors == [threading.current_thread()]
    background.close()


def test_stopping_the_collector_enables_pythons_own(qapp: QApplication) -> None:
    collector = GarbageCollector(qapp)
    collector.start()
    assert not gc.isenabled()
    collector.stop()
    assert gc.isenabled()
