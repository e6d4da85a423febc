"""Trouble during an episode in the real window: the device is lost, the program is killed, steps are undone."""

import pytest

from odyssey_recorder.model.action import Click, Complete
from tests.end_to_end.screen.journey import (
    assert_recorded,
    complete,
    do_steps,
    first_use_of,
    start_recording,
)
from tests.end_to_end.screen.room import Room

pytestmark = pytest.mark.timeout(300)


def test_neither_a_lost_device_nor_a_window_that_is_killed_under_the_finger_costs_a_step(room: Room) -> None:
    faults = room.phone.emulator.faults
    with first_use_of(room) as annotator:
        start_recording(annotator)
        do_steps(annotator, lambda: annotator.tap("Settings"))
        faults.control.switch_off(off=True)
        faults.go_offline()
        annotator.wait_for("Device lost. ")
        annotator.photograph("device-lost")
        faults.go_online()
        faults.control.switch_off(off=False)
        annotator.wait_for_steps(1)
        do_steps(annotator, lambda: annotator.tap("Display"), before=1)
        recorded = annotator.wait_for_steps(2)
        place = annotator.phone.place_of("Dark theme")
        annotator.hands.put_down(*annotator.mirror().place_of(place.x, place.y))
        annotator.window.kill()
        annotator.hands.lift()

    with room.annotator() as annotator:
        annotator.wait_for_dialog("Unfinished recordings")
        annotator.find("Resume")
        annotator.photograph("drafts")
        annotator.press("Resume")
        annotator.show_steps()
        assert annotator.wait_for_steps(2) == recorded
        complete(annotator)

    assert room.store.drafts() == []
    assert_recorded(room, Click, Click, Complete)


def test_after_an_undo_without_snapshots_the_annotator_leads_the_device_back_beside_the_wanted_screen(
    room: Room,
) -> None:
    with first_use_of(room, step_snapshots="never") as annotator:
        start_recording(annotator)
        do_steps(
            annotator,
            lambda: annotator.tap("Settings"),
            lambda: annotator.tap("Display"),
            lambda: annotator.press("Home"),
        )
        annotator.choose("Step 2:", of="Steps")
        annotator.keys("ctrl+shift+z")
        annotator.wait_for("Restoring", "Screen to restore", "Restore this screen")
        annotator.photograph("leading-back")
        annotator.tap("Settings")
        annotator.window.wait_until(lambda _: annotator.phone.shows("Dark theme"), "the page that was left")
        annotator.press("Back")
        annotator.wait_for_steps(1)
        do_steps(annotator, lambda: annotator.tap("Notifications"), before=1)
        complete(annotator)

    assert_recorded(room, Click, Click, Complete)
