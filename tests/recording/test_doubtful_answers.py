"""An annotator's answer to what was typed in passive mode is compared with the field before it is saved."""

from pathlib import Path

import pytest

from odyssey_recorder.model.action import Type
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView, TextQuestion
from tests.fakes import FakeDevice
from tests.recording.recording_bench import PASSIVE, Recording, RecordingBench, shows

FIELD = (
    "<hierarchy><node class='android.widget.EditText' focused='true' text='{}' bounds='[0,300][360,360]'/></hierarchy>"
)
NOTHING = "<hierarchy><node text='OK' bounds='[0,0][9,9]'/></hierarchy>"


@pytest.fixture
def device() -> FakeDevice:
    device = FakeDevice()
    device.streams, device.tree = True, NOTHING
    return device


def press_home(recording: Recording, device: FakeDevice, screen: int) -> None:
    steps = len(recording.recorder.view.steps)
    device.press_key("KEY_HOME")
    device.tree = NOTHING
    device.show(screen)
    recording.recorder.wait_for(lambda view: len(view.steps) > steps and view.is_read, 60)


def type_unreadably(recording: Recording, device: FakeDevice, shown: str) -> TextQuestion:
    """Letters that the field shows as others, as an app may correct them; until the annotator is asked."""

    def is_shown(view: RecordingView) -> bool:
        return view.is_read and view.frame_number != before

    recording.recorder.wait_for(lambda view: view.state is State.READY and view.is_read, 60)
    before = recording.recorder.view.frame_number
    for letter in "MILK":
        device.press_key(f"KEY_{letter}")
    device.tree = FIELD.format(shown)
    device.show(1)
    recording.recorder.wait_for(is_shown, 60)
    for screen in (2, 3):
        press_home(recording, device, screen)
    asked = recording.recorder.wait_for(lambda view: view.question is not None, 60).question
    assert asked is not None
    return asked


def answer(recording: Recording, text: str) -> TextQuestion | None:
    before = recording.recorder.view.question
    recording.recorder.answer_text(0, text)
    return recording.recorder.wait_for(lambda view: view.question != before, 60).question


def first_action(recording: Recording) -> object:
    return recording.recorder.view.steps[0].action


@pytest.mark.parametrize("second", ["silk", "milk"])
def test_answer_that_differs_from_the_field_is_asked_about_once(
    tmp_path: Path, device: FakeDevice, second: str
) -> None:
    bench = RecordingBench(tmp_path)
    with bench.recording(device, bench.draft(PASSIVE)) as recording:
        asked = type_unreadably(recording, device, "silk")
        assert (asked.step, asked.shown) == (0, "")
        assert asked.screenshot is not None
        assert shows(asked.screenshot, device, 1), "the next screenshot shows the text"

        doubted = answer(recording, "milk")
        assert doubted == TextQuestion(0, "milk", "silk", asked.screenshot)
        assert first_action(recording) != Type("milk")
        assert answer(recording, second) is None
        assert first_action(recording) == Type(second)


def test_answer_is_saved_at_once_if_no_field_says_otherwise(tmp_path: Path, device: FakeDevice) -> None:
    bench = RecordingBench(tmp_path)
    device.tree = FIELD.format("Search")  # the hint of a field whose text was submitted
    with bench.recording(device, bench.draft(PASSIVE)) as recording:
        type_unreadably(recording, device, "Search")
        assert answer(recording, "milk") is None
        assert first_action(recording) == Type("milk")
