"""Trouble during an episode in the real window: the device is lost, the program is killed, steps are undone."""

import pytest

from odyssey_recorder.model.action import Click, Complete
from tests.end_to_end.screen.journey import (
    assert_recorded,
    bring_device_back,
    complete,
    do_steps,
    first_use_of,
    lose_device,
    pressing,
    start_recording,
)
from tests.end_to_end.screen.room import Room

pytestmark = pytest.mark.timeout(300)


def test_neither_a_lost_device_nor_a_window_that_is_killed_under_the_finger_costs_a_step(room: Room) -> None:
    with first_use_of(room) as annotator:
        start_recording(annotator)
        do_steps(annotator, "Settings")
        lose_device(annotator)
        annotator.photograph("device-lost")
        bring_device_back(annotator)
        do_steps(annotator, "Display", before=1)
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


def test_after_an_undo_without_snapshots_the_annotator_leads_the_device_back(room: Room) -> None:
    with first_use_of(room, step_snapshots="never") as annotator:
        start_recording(annotator)
        do_steps(annotator, "Settings", "Display", pressing("Home"))
        annotator.choose("Step 2:", of="Steps")
        annotator.keys("ctrl+shift+z")
        annotator.wait_for("Restoring", "Screen to restore", "Restore this screen")
        annotator.photograph("leading-back")
        annotator.tap("Settings")
        annotator.window.wait_until(lambda _: annotator.phone.shows("Dark theme"), "the page that was left")
        annotator.press("Back")
        annotator.wait_for_steps(1)
        do_steps(annotator, "Notifications", before=1)
        complete(annotator)

    assert_recorded(room, Click, Click, Complete)
