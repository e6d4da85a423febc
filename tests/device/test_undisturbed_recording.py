"""Recordings on a phone with Android's defaults, which shows notices over the apps."""

from pathlib import Path

import pytest

from odyssey_recorder.device.repair import WHILE_RECORDING
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.state import State
from tests.device.bench import DeviceBench
from tests.recording.recording_bench import RecordingBench
from tests.simulator.person import Person


@pytest.fixture
def over_grpc() -> bool:
    return True


def test_nothing_covers_the_app_while_text_is_recorded(bench: DeviceBench, tmp_path: Path) -> None:
    phone = bench.emulator.phone
    for name in WHILE_RECORDING:
        phone.delete_setting(*name)
    person = Person(phone)
    person.open("Notes")
    person.tap("New note")
    body = person.field("body").bounds.center
    with RecordingBench(tmp_path).recording(bench.device) as recording:
        recording.gesture(TouchStroke.press(Pixel(*body)))
        assert not person.sees("Try out your stylus")
        recording.recorder.type_text("Ærlig")
        recording.ready(steps=2)
        assert person.field("body").text == "Ærlig"
        assert not person.sees("Notes pasted from your clipboard")
        recording.finish()
        recording.recorder.join()
        assert [phone.get_setting(*name) for name in WHILE_RECORDING] == [None, None]
        assert recording.recorder.view.state is State.FINISHED
