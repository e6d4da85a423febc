"""Trouble during an episode in the real window: the program is killed, the device is lost."""

import pytest

from odyssey_recorder.model.action import Click, Complete, Press, SystemKey
from tests.end_to_end.screen.journey import (
    assert_true,
    begin_first_use,
    complete,
    do_steps,
    start_recording,
    the_episode,
)
from tests.end_to_end.screen.room import Room

pytestmark = pytest.mark.timeout(300)


def test_a_window_that_is_killed_under_the_finger_offers_the_draft_again(room: Room) -> None:
    room.write_settings(practice_tasks=0)
    with room.annotator() as annotator:
        begin_first_use(annotator)
        start_recording(annotator)
        do_steps(annotator, lambda: annotator.tap("Settings"), lambda: annotator.tap("Display"))
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
        assert annotator.wait_for_steps(2) == recorded
        do_steps(annotator, lambda: annotator.press("Home"), before=2)
        complete(annotator)

    episode = the_episode(room)
    assert [type(step.action) for step in episode.steps[:2]] == [Click, Click]
    assert [step.action for step in episode.steps[2:]] == [Press(SystemKey.HOME), Complete("")]
    assert room.store.drafts() == []
    assert_true(room, episode)


def test_a_device_that_is_lost_and_comes_back_costs_no_step(room: Room) -> None:
    room.write_settings(practice_tasks=0)
    faults = room.phone.emulator.faults
    with room.annotator() as annotator:
        begin_first_use(annotator)
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
        complete(annotator)

    episode = the_episode(room)
    assert [type(step.action) for step in episode.steps] == [Click, Click, Complete]
    assert_true(room, episode)
