"""Flags of steps whose screenshots have another size than the episode's device_info."""

from dataclasses import replace
from typing import Any

import pytest

from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.geometry import Box, Pixel, Size
from odyssey_recorder.recording.effects import SaveStep
from odyssey_recorder.recording.events import Touch
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.step_writer import StepWriter
from tests.fakes import PHONE_SIZE, FakeDevice
from tests.recording.recording_bench import Recording, RecordingBench

SMALLER = Size(320, 480)


def resize_screen(device: FakeDevice, size: Size) -> None:
    """Give the next screen another size, as when the device is turned or folded."""
    device.state = replace(device.state, size=size)


def record_tap(recording: Recording, device: FakeDevice, size: Size) -> None:
    """Record a tap on a screen of that size."""
    view = recording.ready()
    if device.state.size != size:
        resize_screen(device, size)
        view = recording.ready(after=view.frame_number)
    recording.tap()
    recording.ready(steps=len(view.steps) + 1)


def publish(bench: RecordingBench, recording: Recording) -> Episode:
    recording.ready()
    recording.recorder.complete("done")
    recording.until(State.FINISHED)
    return bench.store.load(recording.draft.episode_id)


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
    ("size", "why"),
    [(PHONE_SIZE.turned(), "the screen was rotated"), (SMALLER, "the screen had another size")],
    ids=["turned", "folded"],
)
def test_step_of_another_size_is_flagged(bench: RecordingBench, device: FakeDevice, size: Size, why: str) -> None:
    with bench.recording(device) as recording:
        record_tap(recording, device, PHONE_SIZE)
        record_tap(recording, device, size)
        record_tap(recording, device, PHONE_SIZE)
        flags = [step.flag for step in recording.recorder.view.steps]

    assert flags == ["", f"{why}: the screenshot is {size}, device_info says {PHONE_SIZE}", ""]


def test_episode_that_starts_rotated_flags_upright_steps(bench: RecordingBench, device: FakeDevice) -> None:
    with bench.recording(device) as recording:
        record_tap(recording, device, PHONE_SIZE.turned())
        record_tap(recording, device, PHONE_SIZE)
        episode = publish(bench, recording)
        flags = [step.flag for step in recording.recorder.view.steps]

    assert episode.device.size == PHONE_SIZE.turned()
    assert [flag.partition(":")[0] for flag in flags] == ["", "the screen was rotated", "the screen was rotated"], (
        "COMPLETE is a step like any other"
    )
