"""Devices, settings, shortcuts and dialogs in the real window, and a short episode by keyboard alone."""

import tomllib

import pytest

from odyssey_recorder.model.action import Click, Complete
from tests.end_to_end.screen.annotator import Annotator, pressing
from tests.end_to_end.screen.sandbox import Sandbox

pytestmark = [pytest.mark.timeout(300), pytest.mark.parametrize("profile", ["small_phone"], indirect=True)]


def test_device_is_fixed_and_simulated_fold_is_controlled(sandbox: Sandbox) -> None:
    sandbox.phone.emulator.phone.put_setting("global", "animator_duration_scale", "1.0")
    with sandbox.first_use() as annotator:
        annotator.press("Devices", expect="Device: Small Phone")
        annotator.press("Fix Animations")
        annotator.window.wait_until(lambda content: not content.named("Fix Animations"), "the fixed finding")
        annotator.check_layout("devices-fixed")
        annotator.choose("Pixel Fold: Not created yet", of="Devices")
        annotator.check_layout("devices-not-created")
        annotator.press("Start simulated", expect="Pixel Fold: Simulated")
        annotator.choose("Pixel Fold: Simulated", of="Devices", expect=("Posture: open", "Rotation: 0"))
        annotator.write("opened", into="Name of the new snapshot")
        annotator.press("Save")
        annotator.window.wait_until(lambda content: bool(content.items("Snapshots")), "the snapshot")
        annotator.press("Fold", expect="Posture: folded")
        annotator.press("Rotate", expect="Rotation: 90")
        annotator.choose("opened", of="Snapshots")
        annotator.press("Load", expect=("Posture: open", "Rotation: 0"))
        annotator.check_layout("devices")
        annotator.press("Stop", expect="Pixel Fold: Not created yet")


def open_dialogs(annotator: Annotator, **titles: str) -> None:
    """Open the dialog of each button, and close it."""
    for button, title in titles.items():
        annotator.press(button)
        with annotator.dialog(title):
            annotator.check_layout(button.lower())
            annotator.keys("Escape")


@pytest.mark.soak
def test_settings_shortcuts_and_dialogs(sandbox: Sandbox) -> None:
    with sandbox.first_use() as annotator:
        annotator.find("Start recording")
        annotator.check_layout("live-view")
        annotator.press("Practice", expect="no practice is required")
        annotator.press("Settings", expect=("Folders", "Device connection"))
        annotator.check_layout("settings")
        annotator.choose("Recording", of="Sections")
        annotator.select("Never", of="Snapshots for Undo")
        annotator.press("View hierarchies")
        annotator.keys("ctrl+s", expect="Saved.")
        annotator.choose("Shortcuts", of="Sections")
        annotator.choose("Ctrl+R", of="Keys of all actions", times=2)
        annotator.keys("ctrl+shift+g")
        annotator.choose("Ctrl+Shift+G", of="Keys of all actions")
        annotator.check_layout("shortcuts")
        annotator.press("Record")
        annotator.find("Start recording")
        open_dialogs(annotator, Skip="Skip the task", Doctor="Doctor")
        annotator.keys("ctrl+shift+g")
        annotator.wait_for_steps(0)
        annotator.check_layout("recording")
        annotator.do_steps(*map(pressing, ["Recent", "Home"] * 2))
        open_dialogs(annotator, Discard="Discard the recording")
        for button, field in (("Impossible", "Another reason"), ("Complete", "Note")):
            annotator.press(button)
            annotator.find(field)
            annotator.check_layout(button.lower())
            annotator.keys("Escape")
            annotator.window.wait_until(lambda c, field=field: not c.named(field), "the steps alone")  # type: ignore[misc]
        annotator.choose("Step 1:", of="Steps")
        annotator.keys("ctrl+shift+u")
        with annotator.dialog("Undo to here"):
            annotator.check_layout("undo-to-here")
            annotator.keys("Escape")

    written = tomllib.loads((sandbox.folder / "config" / "odyssey-recorder" / "settings.toml").read_text())
    assert (written["step_snapshots"], written["view_trees"]) == ("never", False)


@pytest.mark.soak
def test_keyboard_suffices_except_for_the_device(sandbox: Sandbox) -> None:
    sandbox.write_settings(practice_tasks=0)
    with sandbox.annotator() as annotator:
        with annotator.dialog("Before you record"):
            annotator.type("Ada")
            annotator.keys("Return")
        annotator.find("Start recording")
        annotator.keys("ctrl+r")
        annotator.wait_for_steps(0)
        annotator.do_steps("Browser", lambda annotator: annotator.keys("F3"))
        annotator.keys("ctrl+z")
        annotator.wait_for_steps(1)
        annotator.keys("ctrl+Return")
        annotator.find("Note")
        annotator.type("as asked")
        annotator.publish(lambda: annotator.keys("Return"))
        annotator.keys("ctrl+n")
        annotator.find("Start recording")

    actions = [step.action for step in sandbox.episode.steps]
    assert [type(action) for action in actions] == [Click, Complete]
    assert actions[-1] == Complete("as asked")
