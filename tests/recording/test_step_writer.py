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


TASKBAR = """<displays><display id="0"><window bounds="[0,90][360,150]" active="false" layer="3">
<node bounds="[0,90][360,150]"><node clickable="true" bounds="[40,95][60,140]"/></node>
</window><window bounds="[0,0][360,300]" layer="1"><node clickable="true" bounds="[0,0][360,300]"/></window></display>
</displays>"""
APP_ICON = (40, 95, 60, 140)
BAR = {"navigation_bar": Box(0, 90, 360, 150)}
BUTTON = '<hierarchy><node clickable="true" bounds="[0,0][360,300]"/></hierarchy>'
PAGE = f'<hierarchy><node bounds="[0,0][360,640]">{BUTTON}</node></hierarchy>'
WHOLE = (0, 0, 360, 300)


@pytest.mark.parametrize(
    ("tree", "change", "box"),
    [
        pytest.param(BUTTON, {}, WHOLE, id="nothing covers it"),
        pytest.param(BUTTON, {"keyboard": Box(0, 90, 360, 640)}, None, id="keyboard"),
        pytest.param(BUTTON, BAR, None, id="bar"),
        pytest.param(BUTTON, {"navigation_bar": Box(0, 110, 360, 150)}, WHOLE, id="above the bar"),
        pytest.param(BUTTON, {"status_bar_px": 101}, None, id="status bar"),
        pytest.param(BUTTON, {"has_pop_up": True}, WHOLE, id="a pop-up's own views"),
        pytest.param(PAGE, {"has_pop_up": True}, None, id="views beneath a pop-up"),
        pytest.param(PAGE, {}, WHOLE, id="a page"),
        pytest.param(TASKBAR, BAR, APP_ICON, id="app of a taskbar"),
        pytest.param(TASKBAR.replace("[0,90]", "[0,120]"), BAR, None, id="bar without views there"),
        pytest.param(TASKBAR, {**BAR, "has_pop_up": True}, APP_ICON, id="all windows, with a pop-up"),
    ],
)
def test_touch_on_what_covers_the_app_has_no_box_of_the_app(
    bench: RecordingBench,
    device: FakeDevice,
    tree: str,
    change: dict[str, Any],
    box: tuple[int, ...] | None,
) -> None:
    draft = bench.draft()
    writer = StepWriter(draft, TouchRules.for_density(160))
    frame = device.capture()
    writer.hold(frame, frozenset())
    writer.take_screenshot(writer.write_screenshot(frame))
    writer.take_screen(frame.number, replace(device.state, **change))
    writer.take_tree(frame.number, writer.write_tree(tree))

    touch = Touch(TouchStroke.press(Pixel(50, 100)))
    writer.save(SaveStep(frame.number, frame.number, settled=True, touched_ns=0, intent=touch))

    assert draft.steps[0].record.bbox == box
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
