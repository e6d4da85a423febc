"""Scripts are parsed strictly, and played through the same recorder as the window."""

import threading
from collections.abc import Callable

import pytest

from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.device.device import OnTyped
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import OdysseyError, RecordingError, ScriptError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Click, Impossible, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.action import Complete as CompleteAction
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.engine import OFF_SCREEN
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.script import (
    PATIENCE_S,
    PressKey,
    ScriptComplete,
    ScriptPlayer,
    ScriptProgress,
    ScriptUndo,
    Swipe,
    Tap,
    TypeText,
    Wait,
    patience_s,
    read_script,
)
from odyssey_recorder.recording.script import ScriptLongPress as LongPressLine
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView
from tests.fakes import FakeDevice, Input
from tests.recording.recording_bench import RULES, RecordingBench

SCRIPT = """
{"tap": [10, 20]}
{"long_press": [30, 40], "ms": 900}

{"swipe": [[100, 500], [100, 300], [100, 100]], "ms": 400}
{"type": "milk"}
{"key": "RECENT"}
{"wait_ms": 1}
{"undo": true}
{"key": "BACK"}
{"complete": "done"}
"""


def play(
    bench: RecordingBench,
    device: FakeDevice,
    script: str,
    on_progress: Callable[[ScriptProgress], None] = lambda _: None,
    draft: Draft | None = None,
) -> RecordingView:
    player = ScriptPlayer(on_progress)
    recorder = Recorder(device, draft or bench.draft(), bench.store, listener=player, rules=RULES)
    recorder.start()
    try:
        return player.play(read_script(script, source="script"), recorder)
    finally:
        recorder.stop()
        device.close()
        recorder.join()


# Reading.


def test_every_command_is_read() -> None:
    assert read_script(SCRIPT, source="script") == (
        Tap(tap=(10, 20)),
        LongPressLine(long_press=(30, 40), ms=900),
        Swipe(swipe=((100, 500), (100, 300), (100, 100)), ms=400),
        TypeText(type="milk"),
        PressKey(key="RECENT"),
        Wait(wait_ms=1),
        ScriptUndo(undo=True),
        PressKey(key="BACK"),
        ScriptComplete(complete="done"),
    )


@pytest.mark.parametrize(
    "line",
    [
        '{"tap": [10]}',
        '{"tap": [10, -1]}',
        '{"tap": [10, 20], "ms": 5}',
        '{"tap": [10, 20], "type": "both"}',
        '{"swipe": [[1, 2]]}',
        '{"swipe": [[1, 2], [3, 4]], "ms": 999999}',
        '{"type": ""}',
        '{"key": "POWER"}',
        '{"undo": false}',
        '{"impossible": ""}',
        '{"wait_ms": -1}',
        '{"wait_ms": NaN}',
        '{"fly": "away"}',
        "tap 10 20",
        "[]",
        "\0",
        "x" * 1_000_000,
    ],
    ids=lambda line: line[:40],
)
def test_invalid_line_is_named(line: str) -> None:
    with pytest.raises(ScriptError, match=r"my script, line 2: .* is not a command; expected one like") as caught:
        read_script(f'{{"tap": [1, 2]}}\n{line}\n{{"complete": ""}}', source="my script")
    assert len(str(caught.value)) < 300


def test_text_may_contain_unicode_line_separators() -> None:
    (command, _) = read_script('{"type": "one\u2028two\x85three"}\n{"complete": "done"}\n', source="script")
    assert command == TypeText(type="one\u2028two\x85three")


def test_progress_of_a_long_text_is_reported(bench: RecordingBench) -> None:
    class PausingTypist(FakeDevice):
        """Types the second half of a text only after progress of the first was reported."""

        reported = threading.Event()

        def type_text(self, text: str, on_typed: OnTyped = lambda _: None) -> None:
            super().type_text(text, on_typed)
            assert self.reported.wait(60)

    device = PausingTypist()
    messages = list[tuple[int, str]]()

    def note(progress: ScriptProgress) -> None:
        if progress.view.is_typing:
            messages.append((progress.done, progress.view.message))
            device.reported.set()

    view = play(bench, device, '{"tap": [10, 20]}\n{"type": "' + "a" * 3000 + '"}\n{"complete": ""}', note)

    assert view.published is not None
    assert set(messages) == {(1, "Typing: 1,500 of 3,000 characters.")}
    assert patience_s(TypeText(type="a" * 10_000)) == PATIENCE_S + 1000
    assert patience_s(Tap(tap=(1, 2))) == PATIENCE_S


@pytest.mark.parametrize(
    "script",
    [
        "",
        '{"tap": [1, 2]}',
        '{"complete": ""}\n{"tap": [1, 2]}',
        '{"complete": ""}\n{"complete": ""}',
        '{"impossible": "no"}\n{"complete": ""}',
    ],
)
def test_script_must_end_with_its_only_terminal_command(script: str) -> None:
    with pytest.raises(ScriptError, match="as the last line"):
        read_script(script, source="script")


# Playing.


def test_script_is_played_and_published(bench: RecordingBench, device: FakeDevice) -> None:
    reported: list[ScriptProgress] = []
    view = play(bench, device, SCRIPT, reported.append)
    assert view.published is not None
    episode = bench.store.load(view.published.stem)
    kinds = [type(step.action) for step in episode.steps]
    assert kinds == [Click, LongPress, Scroll, Type, Press, CompleteAction]
    assert episode.steps[4].action == Press(SystemKey.BACK)
    assert device.performed == [
        TouchStroke.press(Pixel(10, 20)),
        TouchStroke.press(Pixel(30, 40), duration_ms=900),
        TouchStroke.drag((Pixel(100, 500), Pixel(100, 300), Pixel(100, 100)), duration_ms=400),
        "milk",
        SystemKey.RECENT,
        SystemKey.BACK,
    ]
    assert [progress.done for progress in reported] == list(range(10))
    assert {progress.total for progress in reported} == {9}


class AdvertisingDevice(FakeDevice):
    """Changes its screen by itself after a few frames."""

    looked = 0

    def capture(self) -> Frame:
        self.looked += 1
        if self.looked in {6, 12}:
            self.show(f"advertisement {self.looked}")
        return super().capture()


class DisconnectingDevice(FakeDevice):
    """Disconnects instead of taking its first input, and reconnects a moment later."""

    broke = False

    def _perform(self, done: Input) -> None:
        if not self.broke:
            self.broke = True
            self.disconnect()
            threading.Timer(0.1, self.recover).start()
        super()._perform(done)


@pytest.mark.parametrize("device", [AdvertisingDevice(), DisconnectingDevice()], ids=["screen changed", "disconnected"])
def test_command_that_did_not_arrive_is_repeated(bench: RecordingBench, device: FakeDevice) -> None:
    view = play(bench, device, '{"tap": [1, 2]}\n{"key": "HOME"}\n{"impossible": "There is no shop."}')
    assert [type(step.action) for step in view.steps] == [Click, Press, Impossible]
    assert len(device.performed) == 2


def reject_input(bench: RecordingBench, device: FakeDevice) -> None:
    device.refuse_input("injection is not permitted")


def move_dataset_away(bench: RecordingBench, device: FakeDevice) -> None:
    bench.store.root.rename(bench.store.root.with_name("elsewhere"))


@pytest.mark.parametrize(
    ("line", "fault", "message"),
    [
        ('{"tap": [1, 2]}', reject_input, "was not recorded in 3 tries. .*injection is not permitted"),
        ('{"tap": [9999, 2]}', None, f"was not recorded in 3 tries. {OFF_SCREEN}"),
        ('{"undo": true}', None, "No step to undo"),
        ('{"type": "naïve"}', None, "cannot be typed over adb"),
        ('{"tap": [1, 2]}', move_dataset_away, "recorded but not published. .*dataset is missing"),
    ],
)
def test_failed_command_ends_the_script_and_keeps_the_draft(
    bench: RecordingBench,
    device: FakeDevice,
    line: str,
    fault: Callable[[RecordingBench, FakeDevice], None] | None,
    message: str,
) -> None:
    draft = bench.draft()
    if fault is not None:
        fault(bench, device)
    with pytest.raises(OdysseyError, match=message):
        play(bench, device, f'{line}\n{{"complete": ""}}', draft=draft)
    assert [draft.problem for draft in bench.store.drafts()] == [""]


def test_storage_failure_ends_the_script(bench: RecordingBench, device: FakeDevice) -> None:
    draft = bench.draft()
    for number in range(1, 5):
        (draft.folder / f"{number}.png" / "in the way").mkdir(parents=True)
    with pytest.raises(RecordingError, match="cannot be written"):
        play(bench, device, '{"complete": ""}', draft=draft)


def test_script_ends_if_the_device_comes_back_on_another_screen(bench: RecordingBench, device: FakeDevice) -> None:
    player, draft = ScriptPlayer(), bench.draft()
    recorder = Recorder(device, draft, bench.store, listener=player, rules=RULES)
    recorder.start()
    try:
        player.perform(Tap(tap=(10, 20)), recorder)
        recorder.wait_for(lambda view: view.state is State.READY, 60)
        device.disconnect()
        recorder.wait_for(lambda view: view.state is State.DEVICE_LOST, 60)
        device.show("home, after a restart")
        device.recover()
        with pytest.raises(RecordingError, match=r"Restore that screen.*A script cannot restore the screen"):
            player.perform(Tap(tap=(30, 40)), recorder)
    finally:
        recorder.stop()
        device.close()
        recorder.join()
    assert len(draft.steps) == 1
