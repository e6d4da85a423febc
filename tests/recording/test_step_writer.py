"""Flags of steps whose screenshots have another size than the episode's device_info."""

from dataclasses import replace
from typing import Any

import pytest

from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Box, Pixel, Size
from odyssey_recorder.recording.effects import SaveStep
from odyssey_recorder.recording.events import Touch
from odyssey_recorder.recording.step_writer import StepWriter
from tests.fakes import PHONE_SIZE, FakeDevice
from tests.recording.recording_bench import Recording, RecordingBench

UPRIGHT, ROTATED, SMALLER = PHONE_SIZE, PHONE_SIZE.turned(), Size(320, 480)


def differs(screenshot: Size, device_info: Size) -> str:
    return f"the screenshot is {screenshot}, device_info says {device_info}"


BUTTON = f'<hierarchy><node clickable="true" bounds="[0,0][{PHONE_SIZE.width},300]"/></hierarchy>'


@pytest.mark.parametrize(
    ("change", "has_box"),
    [
        ({}, True),
        ({"keyboard": Box(0, 90, PHONE_SIZE.width, PHONE_SIZE.height)}, False),
        ({"navigation_bar": Box(0, 90, PHONE_SIZE.width, 150)}, False),
        ({"navigation_bar": Box(0, 110, PHONE_SIZE.width, 150)}, True),
        ({"status_bar_px": 101}, False),
    ],
)
def test_touch_on_a_system_bar_or_keyboard_has_no_element_box(
    bench: RecordingBench, device: FakeDevice, change: dict[str, Any], has_box: bool
) -> None:
    draft = bench.draft()
    writer = StepWriter(draft, TouchRules.for_density(160))
    frame = device.capture()
    writer.hold(frame, frozenset())
    writer.take_screenshot(writer.write_screenshot(frame))
    writer.take_screen(frame.number, replace(device.state, **change))
    writer.take_tree(frame.number, writer.write_tree(BUTTON))

    touch = Touch(TouchStroke.press(Pixel(50, 100)))
    writer.save(SaveStep(frame.number, frame.number, settled=True, touched_ns=0, intent=touch))

    assert draft.steps[0].record.bbox == ((0, 0, PHONE_SIZE.width, 300) if has_box else None)
    draft.close()


@pytest.mark.parametrize(
    ("sizes", "flags"),
    [
        ((UPRIGHT, ROTATED, UPRIGHT), ["", f"the screen was rotated: {differs(ROTATED, UPRIGHT)}", "", ""]),
        ((UPRIGHT, SMALLER, UPRIGHT), ["", f"the screen had another size: {differs(SMALLER, UPRIGHT)}", "", ""]),
        ((ROTATED, UPRIGHT), ["", *[f"the screen was rotated: {differs(UPRIGHT, ROTATED)}"] * 2]),
    ],
    ids=["rotated", "folded", "rotated from the start"],
)
def test_steps_of_another_size_than_the_first_are_flagged(
    bench: RecordingBench, recording: Recording, device: FakeDevice, sizes: tuple[Size, ...], flags: list[str]
) -> None:
    for size in sizes:
        view = recording.ready()
        if device.state.size != size:
            device.state = replace(device.state, size=size)
            recording.ready(after=view.frame_number)
        recording.tap_and_wait()
    recording.ready()
    assert [step.flag for step in recording.finish("done").steps] == flags
    assert bench.store.load(recording.draft.episode_id).device.size == sizes[0]
