"""Makes the images of the documentation from the real window, with simulated emulators behind the real adb.

python -m tests.end_to_end.screen.pictures [FOLDER] [SCENE ...]
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from PIL import Image, ImageGrab
from rich.console import Console

from odyssey_recorder.commands.demo import run_demo
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.settle import SettleRule, Stillness, StillnessWatch
from odyssey_recorder.device.view_hierarchy import parse
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.practice.tasks import practice_tasks
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_recorder.simulated.private_emulators import PhoneProcesses
from odyssey_simulator.discovery import running_dir
from tests.device.bench import BUNDLED_ADB
from tests.end_to_end.screen.animation import animation
from tests.end_to_end.screen.annotator import LOOK_UP_THE_WEATHER, TELL_SOFIA, Annotator, holding, pressing
from tests.end_to_end.screen.display import Display
from tests.end_to_end.screen.phone import simulated_phone
from tests.end_to_end.screen.review_pictures import review
from tests.end_to_end.screen.sandbox import Sandbox
from tests.end_to_end.screen.task_pictures import prepare
from tests.end_to_end.screen.window import ROOT

_PASSIVE = (0, 0, 1568, 852)
_FEW_COLOURS = 2_000


def first_use(sandbox: Sandbox) -> None:
    sandbox.write_settings()
    with sandbox.annotator() as annotator:
        annotator.wait_for_dialog("Before you record")
        annotator.write("Grace", into="Your name")
        annotator.save_image("first-use")
        annotator.answer_first_dialog("Grace", "I agree, start practice")
        task = practice_tasks()[0]
        annotator.wait_for(task.task.instruction, "Stuck?")
        annotator.wait_for_steps(0)
        annotator.press("Practice", expect="You can record when all")
        annotator.save_image("practice")
        annotator.press("Record")
        annotator.press("Show a hint", expect="1 of")
        annotator.do_steps("Settings")
        annotator.save_image("hint")
        annotator.press("Undo last")
        annotator.wait_for_steps(0)
        annotator.follow_script(task.script_file)
        annotator.wait_for("Passed: ")
        annotator.save_image("practice-result")


def record(sandbox: Sandbox) -> None:
    run_demo(sandbox.folder, "medium_phone", Console(file=StringIO()))  # episodes of other annotators
    with sandbox.first_use("Grace", step_snapshots="never", adb=_neutral_adb(sandbox)) as annotator:
        annotator.press("Tasks")
        annotator.write("messages", into="Search tasks")
        annotator.wait_for("of 48 shown")
        annotator.choose("Lisbon", of="Tasks")
        annotator.save_image("tasks")
        annotator.press("Record this task")
        annotator.find("Start recording")
        annotator.save_image("record")
        annotator.start_recording()
        annotator.do_steps(*LOOK_UP_THE_WEATHER, holding("Sunday"))
        annotator.choose("Step 6:", of="Steps")
        annotator.keys("ctrl+e")
        annotator.type("Tomorrow is further down")
        annotator.keys("Return")
        annotator.save_image("recording")
        _undo_and_restore(annotator)
        annotator.do_steps(*TELL_SOFIA, before=6)
        annotator.press("Complete")
        annotator.find("Note")
        annotator.write("Sunny, 18 degrees", into="Note")
        annotator.save_image("complete")
        annotator.publish()
        annotator.save_image("published")
        _save_other_pages(annotator)


def _neutral_adb(sandbox: Sandbox) -> str:
    """The doctor shows the path of adb, which must not be one of this computer."""
    link = sandbox.folder / "platform-tools" / "adb"
    link.parent.mkdir()
    link.symlink_to(BUNDLED_ADB)
    return str(link)


def _undo_and_restore(annotator: Annotator) -> None:
    """Undo the flagged step, then one after which the device has to be restored."""
    annotator.press("Undo last")
    annotator.wait_for_steps(6)
    annotator.do_steps(pressing("Home"), before=6)
    annotator.press("Undo last", expect=("Restoring", "Screen to restore"))
    annotator.save_image("undo")
    annotator.tap("Browser")
    annotator.wait_for_steps(6)


def _save_other_pages(annotator: Annotator) -> None:
    annotator.press("Dataset", expect=("episode", "Lisbon"))
    annotator.choose("Lisbon", of="Episodes")
    annotator.save_image("dataset")
    annotator.press("Settings")
    annotator.find("Choose: Dataset")
    annotator.save_image("settings")
    annotator.press("Doctor")
    dialog = annotator.wait_for_dialog("Doctor")
    annotator.wait_for(" warning")
    annotator.xdotool.resize(dialog.window_id, 680, 405)  # hides the name and the data of this computer
    annotator.save_image("doctor")


def lost(sandbox: Sandbox) -> None:
    with sandbox.first_use("Grace") as annotator:
        annotator.start_recording()
        annotator.do_steps("Clock")
        annotator.lose_device()
        annotator.save_image("device-lost")
        annotator.reconnect_device()
        annotator.window.kill()
    with sandbox.annotator() as annotator:
        annotator.wait_for_dialog("Unfinished recordings")
        annotator.find("Resume")
        annotator.save_image("draft")


def fold(sandbox: Sandbox) -> None:
    with sandbox.first_use("Grace") as annotator:
        annotator.press("Devices")
        annotator.choose("Fold", of="Devices")
        annotator.find("Fix Animations")
        annotator.save_image("devices")


def tablet(sandbox: Sandbox) -> None:
    with sandbox.first_use("Grace") as annotator:
        annotator.choose_task("lunch with Aisha")
        annotator.press("Start recording", expect="Ready.")
        annotator.tap("Calendar")
        annotator.wait_for("1 step", "Ready.")  # the panel of the steps is closed
        annotator.save_image("tablet", "dark")


def passive(sandbox: Sandbox) -> None:
    sandbox.write_settings(practice_tasks=0)
    with _phone_with_window(sandbox) as (serial, device), sandbox.annotator("--device", serial) as annotator:
        annotator.answer_first_dialog("Grace")
        annotator.choose_task("blue cups, lemon")
        annotator.press("In the emulator's own window")
        _arrange(sandbox, annotator)
        annotator.press("Start recording", expect="Listening")
        for number, label in enumerate(("Notes", "New note"), start=1):
            _wait_until_still(device)
            _tap(device, label)
            annotator.window.wait_until(lambda c, number=number: len(c.items("Steps")) == number, "a step")  # type: ignore[misc]
        _wait_until_still(device)
        ImageGrab.grab(_PASSIVE, xdisplay=sandbox.display.name).save(sandbox.screenshot("passive"))


@contextmanager
def _phone_with_window(sandbox: Sandbox) -> Iterator[tuple[str, Device]]:
    environment = {**sandbox.server.environment, "DISPLAY": sandbox.display.name, "QT_QPA_PLATFORM": "xcb"}
    phones = PhoneProcesses(environment, window=True)
    try:
        serial = phones.start("medium_phone", animation=False)
        phones.show_window(serial, on=True)
        connector = DeviceConnector(AdbServer(port=sandbox.server.port), running=(running_dir(environment),))
        device = connector.connect(serial)
        yield serial, device
        device.close()
    finally:
        phones.stop()


def _wait_until_still(device: Device) -> None:
    watch = StillnessWatch(SettleRule(still_ms=1500), since_ns=time.monotonic_ns())
    while watch.see(device.capture()) is Stillness.MOVING:
        pass


def _tap(device: Device, label: str) -> None:
    node = next(one for one in parse(device.view_hierarchy()) if label in {one.text, one.description})
    box = node.box
    device.touch(TouchStroke.press(Pixel((box.left + box.right) // 2, (box.top + box.bottom) // 2)))


def _arrange(sandbox: Sandbox, annotator: Annotator) -> None:
    window = str(annotator.window.content().window_id)
    left, _, right, bottom = _PASSIVE
    size, position = (str(right - left - 448), str(bottom)), ("448", "0")
    environment = {**os.environ, "DISPLAY": sandbox.display.name}
    command = ["xdotool", "windowsize", window, *size, "windowmove", window, *position]
    subprocess.run(command, env=environment, check=True)


SCENES: dict[str, tuple[str, Callable[[Sandbox], None]]] = {
    "first-use": ("pixel_7_pro", first_use),
    "record": ("pixel_7_pro", record),
    "animation": ("pixel_7_pro", animation),
    "lost": ("medium_phone", lost),
    "fold": ("pixel_fold", fold),
    "tablet": ("pixel_tablet", tablet),
    "passive": ("small_phone", passive),
    "review": ("small_phone", review),
    "prepare": ("small_phone", prepare),
}


def _compress(screenshot: Path) -> None:
    """Shrink the file; 256 colours are enough for an image without a device."""
    image = Image.open(screenshot).convert("RGB")
    if image.getcolors(_FEW_COLOURS) is not None:
        image = image.quantize(256, kmeans=1, dither=Image.Dither.NONE)
    image.save(screenshot, optimize=True)


def make(scene: str, screenshots: Path) -> None:
    profile, play = SCENES[scene]
    with tempfile.TemporaryDirectory(prefix="odyssey-") as temporary, Display() as display:
        folder = Path(temporary)
        home = folder / "grace"
        home.mkdir()
        with PrivateAdbServer(BUNDLED_ADB, home) as server, simulated_phone(server, profile, folder) as phone:
            play(Sandbox(display, server, phone, home, screenshots))


def main(folder: str = str(ROOT / "docs" / "images"), *scenes: str) -> None:
    screenshots = Path(folder)
    for scene in scenes or SCENES:
        make(scene, screenshots)
    for screenshot in screenshots.glob("*.png"):
        _compress(screenshot)


if __name__ == "__main__":
    main(*sys.argv[1:])
