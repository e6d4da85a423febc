"""The demo's window: only the pages that work there, and only its own simulated emulators."""

import pytest

from tests.end_to_end.screen.room import Room

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def profile() -> str:
    return "small_phone"


def test_the_demo_has_tasks_and_a_dataset_and_leads_from_its_device_to_recording(room: Room) -> None:
    demo = ("demo", "--gui", "--out", str(room.folder / "demo"), "--profile", "small_phone")
    with room.annotator(*demo) as annotator:
        annotator.wait_for("Live view. ")
        annotator.press("Dataset")
        annotator.wait_for("No episodes yet")
        annotator.press("Tasks")
        annotator.wait_for("48 in all")
        annotator.press("Devices")
        annotator.choose("Pixel Tablet", of="Devices")
        annotator.wait_for("left alone by the demo")
        annotator.choose("Small Phone", of="Devices")
        annotator.wait_for("Ready to record. ")  # what is known of the device moves its buttons
        annotator.press("Record on it")
        annotator.wait_for("Live view. ")
        annotator.find("Start recording")
