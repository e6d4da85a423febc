"""Devices, settings, shortcuts and dialogs in the real window, and a short episode by keyboard alone."""

import tomllib
from operator import methodcaller

import pytest

from odyssey_recorder.model.action import Click, Complete
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.journey import do_steps, first_use_of, pressing, publish, the_episode
from tests.end_to_end.screen.room import Room

pytestmark = [pytest.mark.timeout(300), pytest.mark.parametrize("profile", ["small_phone"], indirect=True)]


def test_a_device_is_mended_and_a_simulated_fold_started_folded_turned_and_brought_back(room: Room) -> None:
    room.phone.emulator.phone.put_setting("global", "animator_duration_scale", "1.0")
    with first_use_of(room) as annotator:
        annotator.press("Devices")
        annotator.wait_for("Device: Small Phone")
        annotator.press("Fix Animations")
        annotator.window.wait_until(lambda sight: not list(sight.named("Fix Animations")), "the fixed finding")
        annotator.photograph("devices-mended")
        annotator.choose("Pixel Fold: Not created yet", of="Devices")
        annotator.photograph("devices-not-made")
        annotator.press("Start simulated")
        annotator.wait_for("Pixel Fold: Simulated")
        annotator.choose("Pixel Fold: Simulated", of="Devices")
        annotator.wait_for("Posture: open", "Rotation: 0")
        annotator.write("opened", into="Name of the new snapshot")
        annotator.press("Save")
        annotator.window.wait_until(lambda sight: bool(sight.items("Snapshots")), "the snapshot")
        annotator.press("Fold")
        annotator.wait_for("Posture: folded")
        annotator.press("Rotate")
        annotator.wait_for("Rotation: 90")
        annotator.choose("opened", of="Snapshots")
        annotator.press("Load")
        annotator.wait_for("Posture: open", "Rotation: 0")
        annotator.photograph("devices")
        annotator.press("Stop")
        annotator.wait_for("Pixel Fold: Not created yet")


def look_at_dialogs(annotator: Annotator, **titles: str) -> None:
    """Open the dialog of each button, and leave it again."""
    for button, title in titles.items():
        annotator.press(button)
        with annotator.dialog(title):
            annotator.photograph(button.lower())
            annotator.keys("Escape")


def test_settings_and_a_shortcut_are_changed_and_used_and_every_dialog_is_opened_and_left_again(room: Room) -> None:
    with first_use_of(room) as annotator:
        annotator.find("Start recording")
        annotator.photograph("live-view")
        annotator.press("Practice")
        annotator.wait_for("no practice is required")
        annotator.press("Settings")
        annotator.wait_for("Folders", "Device connection")
        annotator.photograph("settings")
        annotator.choose("Recording", of="Sections")
        annotator.select("Never", of="Snapshots for Undo")
        annotator.press("View hierarchies")
        annotator.keys("ctrl+s")
        annotator.wait_for("Saved.")
        annotator.choose("Shortcuts", of="Sections")
        annotator.choose("Ctrl+R", of="Keys of all actions", times=2)
        annotator.keys("ctrl+shift+g")
        annotator.choose("Ctrl+Shift+G", of="Keys of all actions")
        annotator.photograph("shortcuts")
        annotator.press("Record")
        annotator.find("Start recording")
        look_at_dialogs(annotator, Skip="Skip the task", Doctor="Doctor")
        annotator.keys("ctrl+shift+g")
        annotator.wait_for_steps(0)
        annotator.photograph("recording")
        do_steps(annotator, *map(pressing, ["Recent", "Home"] * 2))
        look_at_dialogs(annotator, Discard="Discard the recording")
        for button, field in (("Impossible", "Another reason"), ("Complete", "Note")):
            annotator.press(button)
            annotator.find(field)
            annotator.photograph(button.lower())
            annotator.keys("Escape")
            annotator.window.wait_until(lambda sight, field=field: not any(sight.named(field)), "the steps alone")  # type: ignore[misc]
        annotator.choose("Step 1:", of="Steps")
        annotator.keys("ctrl+shift+z")
        with annotator.dialog("Undo to here"):
            annotator.photograph("undo-to-here")
            annotator.keys("Escape")

    written = tomllib.loads((room.folder / "config" / "odyssey-recorder" / "settings.toml").read_text())
    assert (written["step_snapshots"], written["view_trees"]) == ("never", False)


def test_a_short_episode_needs_the_mouse_for_nothing_but_the_device(room: Room) -> None:
    room.write_settings(practice_tasks=0)
    with room.annotator() as annotator:
        with annotator.dialog("Before you record"):
            annotator.type("Ada")
            annotator.keys("Return")
        annotator.find("Start recording")
        annotator.keys("ctrl+r")
        annotator.wait_for_steps(0)
        do_steps(annotator, "Browser", methodcaller("keys", "F3"))
        annotator.keys("ctrl+z")
        annotator.wait_for_steps(1)
        annotator.keys("ctrl+Return")
        annotator.find("Note")
        annotator.type("as asked")
        publish(annotator, lambda: annotator.keys("Return"))
        annotator.keys("ctrl+n")
        annotator.find("Start recording")

    actions = [step.action for step in the_episode(room).steps]
    assert [type(action) for action in actions] == [Click, Complete]
    assert actions[-1] == Complete("as asked")
