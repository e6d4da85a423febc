"""Undoing several steps in the real window: snapshots restore the device, or the annotator does."""

import pytest

from odyssey_recorder.model.action import Click, Complete
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


def test_two_steps_are_undone_and_the_device_follows_by_its_snapshot(room: Room) -> None:
    room.write_settings(practice_tasks=0, step_snapshots="always")
    with room.annotator() as annotator:
        begin_first_use(annotator)
        start_recording(annotator)
        do_steps(
            annotator,
            lambda: annotator.tap("Settings"),
            lambda: annotator.tap("Display"),
            lambda: annotator.tap("Dark theme"),
        )
        annotator.choose("Step 1:", of="Steps")
        annotator.keys("ctrl+shift+z")
        annotator.wait_for_steps(1)
        do_steps(annotator, lambda: annotator.tap("Notifications"), before=1)
        complete(annotator)

    episode = the_episode(room)
    assert [type(step.action) for step in episode.steps] == [Click, Click, Complete]
    assert_true(room, episode)


def test_without_snapshots_the_annotator_leads_the_device_back_beside_the_wanted_screen(room: Room) -> None:
    room.write_settings(practice_tasks=0, step_snapshots="never")
    with room.annotator() as annotator:
        begin_first_use(annotator)
        start_recording(annotator)
        do_steps(
            annotator,
            lambda: annotator.tap("Settings"),
            lambda: annotator.tap("Display"),
            lambda: annotator.press("Home"),
        )
        annotator.choose("Step 1:", of="Steps")
        annotator.keys("ctrl+shift+z")
        annotator.wait_for("Leading back", "Wanted screen", "Bring it to this screen")
        annotator.photograph("leading-back")
        annotator.tap("Settings")
        annotator.window.wait_until(lambda _: annotator.phone.shows("Dark theme"), "the page that was left")
        annotator.press("Back")
        annotator.wait_for_steps(1)
        do_steps(annotator, lambda: annotator.tap("Notifications"), before=1)
        complete(annotator)

    episode = the_episode(room)
    assert [type(step.action) for step in episode.steps] == [Click, Click, Complete]
    assert_true(room, episode)
