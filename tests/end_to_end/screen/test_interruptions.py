"""Trouble during an episode in the real window: the device is lost, the program is killed, steps are undone."""

import pytest

from odyssey_recorder.model.action import Click, Complete
from tests.end_to_end.screen.annotator import pressing
from tests.end_to_end.screen.sandbox import Sandbox

pytestmark = pytest.mark.timeout(300)


@pytest.mark.soak
def test_no_step_is_lost_with_device_or_killed_program(sandbox: Sandbox) -> None:
    with sandbox.first_use() as annotator:
        annotator.start_recording()
        annotator.do_steps("Settings")
        annotator.lose_device()
        annotator.check_layout("device-lost")
        annotator.reconnect_device()
        annotator.do_steps("Display", before=1)
        recorded = annotator.wait_for_steps(2)
        annotator.xdotool.put_down(*annotator.mirror_position("Dark theme"))
        annotator.window.kill()
        annotator.xdotool.lift()

    with sandbox.annotator() as annotator:
        annotator.wait_for_dialog("Unfinished recordings")
        annotator.find("Resume")
        annotator.check_layout("drafts")
        annotator.press("Resume")
        annotator.show_steps()
        assert annotator.wait_for_steps(2) == recorded
        annotator.complete()

    assert sandbox.store.drafts() == []
    sandbox.assert_recorded(Click, Click, Complete)


@pytest.mark.soak
def test_annotator_restores_screen_after_undo_without_snapshots(sandbox: Sandbox) -> None:
    with sandbox.first_use(step_snapshots="never") as annotator:
        annotator.start_recording()
        annotator.do_steps("Settings", "Display", pressing("Home"))
        annotator.choose("Step 2:", of="Steps")
        annotator.keys("ctrl+shift+u", expect=("Restoring", "Screen to restore", "Restore this screen"))
        annotator.check_layout("restoring")
        annotator.tap("Settings")
        annotator.window.wait_until(lambda _: annotator.phone.shows("Dark theme"), "the previous page")
        annotator.press("Back")
        annotator.wait_for_steps(1)
        annotator.do_steps("Notifications", before=1)
        annotator.complete()

    sandbox.assert_recorded(Click, Click, Complete)
