"""The demo's window: only the pages that work there, and only its own simulated emulators."""

import pytest

from tests.end_to_end.screen.sandbox import Sandbox

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def profile() -> str:
    return "small_phone"


@pytest.mark.soak
def test_demo_shows_its_pages_and_records_on_its_device(sandbox: Sandbox) -> None:
    demo = ("demo", "--gui", "--out", str(sandbox.folder / "demo"), "--profile", "small_phone")
    with sandbox.annotator(*demo) as annotator:
        annotator.wait_for("Live view. ")
        annotator.press("Dataset", expect="No episodes yet")
        annotator.press("Tasks", expect="48 in total")
        annotator.press("Devices")
        annotator.choose("Pixel Tablet", of="Devices", expect="left alone by the demo")
        annotator.choose("Small Phone", of="Devices")
        annotator.wait_for("checks passed.")  # the buttons move when the device has been checked
        annotator.press("Record on it", expect="Live view. ")
        annotator.find("Start recording")
