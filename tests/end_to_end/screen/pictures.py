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
from operator import methodcaller
from pathlib import Path

from PIL import Image, ImageGrab
from rich.console import Console

from odyssey_recorder.commands.demo import run_demo
from odyssey_recorder.connector import DeviceConnector
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.settle import SettleRule, Stillness, StillnessWatch
from odyssey_recorder.device.view_hierarchy import parse
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.practice.tasks import practice_tasks
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.discovery import running_dir
from odyssey_recorder.simulator.lab import PhoneProcesses
from tests.end_to_end.laboratory import BUNDLED_ADB
from tests.end_to_end.screen.animation import animation
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.display import Display
from tests.end_to_end.screen.journey import (
    LOOK_UP_THE_WEATHER,
    TELL_SOFIA,
    begin_first_use,
    bring_device_back,
    choose_task,
    do_steps,
    first_use_of,
    follow_script,
    lose_device,
    pressing,
    publish,
    start_recording,
)
from tests.end_to_end.screen.keeping import keep
from tests.end_to_end.screen.phone import shown_phone
from tests.end_to_end.screen.review_pictures import review
from tests.end_to_end.screen.room import Room
from tests.end_to_end.screen.task_pictures import prepare
from tests.end_to_end.screen.window import ROOT

_PASSIVE = (0, 0, 1568, 852)
_FEW_COLOURS = 2_000


def first_use(room: Room) -> None:
    room.write_settings()
    with room.annotator() as annotator:
        annotator.wait_for_dialog("Before you record")
        annotator.write("Grace", into="Your name")
        keep(room, annotator, "first-use")
        begin_first_use(annotator, "Grace", "I agree, start practice")
        task = practice_tasks()[0]
        annotator.wait_for(task.task.instruction, "take a hint")
        annotator.wait_for_steps(0)
        annotator.press("Practice")
        annotator.wait_for("You can record when all")
        keep(room, annotator, "practice")
        annotator.press("Record")
        annotator.press("Show a hint")
        annotator.wait_for("1 of")
        do_steps(annotator, "Settings")
        keep(room, annotator, "hint")
        annotator.press("Undo last")
        annotator.wait_for_steps(0)
        follow_script(annotator, task.script_file)
        annotator.wait_for("Passed: ")
        keep(room, annotator, "practice-result")


def record(room: Room) -> None:
    run_demo(room.folder, "medium_phone", Console(file=StringIO()))  # episodes of other annotators
    with first_use_of(room, "Grace", step_snapshots="never", adb=_linked_adb(room)) as annotator:
        annotator.press("Tasks")
        annotator.write("messages", into="Search tasks")
        annotator.wait_for("of 48 shown")
        annotator.choose("Lisbon", of="Tasks")
        keep(room, annotator, "tasks")
        annotator.press("Record this task")
        annotator.find("Start recording")
        keep(room, annotator, "record")
        start_recording(annotator)
        do_steps(annotator, *LOOK_UP_THE_WEATHER, methodcaller("hold", "Sunday"))
        annotator.choose("Step 6:", of="Steps")
        annotator.keys("ctrl+e")
        annotator.type("Tomorrow is further down")
        annotator.keys("Return")
        keep(room, annotator, "recording")
        _lead_back(room, annotator)
        do_steps(annotator, *TELL_SOFIA, before=6)
        annotator.press("Complete")
        annotator.find("Note")
        annotator.write("Sunny, 18 degrees", into="Note")
        keep(room, annotator, "complete")
        publish(annotator)
        keep(room, annotator, "published")
        _keep_the_other_pages(room, annotator)


def _linked_adb(room: Room) -> str:
    """The doctor shows its path, and that of the real one belongs to whoever makes the pictures."""
    link = room.folder / "platform-tools" / "adb"
    link.parent.mkdir()
    link.symlink_to(BUNDLED_ADB)
    return str(link)


def _lead_back(room: Room, annotator: Annotator) -> None:
    """Undo the flagged step, then one after which the device has to be restored."""
    annotator.press("Undo last")
    annotator.wait_for_steps(6)
    do_steps(annotator, pressing("Home"), before=6)
    annotator.press("Undo last")
    annotator.wait_for("Restoring", "Screen to restore")
    keep(room, annotator, "undo")
    annotator.tap("Browser")
    annotator.wait_for_steps(6)


def _keep_the_other_pages(room: Room, annotator: Annotator) -> None:
    annotator.press("Dataset")
    annotator.wait_for("episode", "Lisbon")
    annotator.choose("Lisbon", of="Episodes")
    keep(room, annotator, "dataset")
    annotator.press("Settings")
    annotator.find("Choose: Dataset")
    keep(room, annotator, "settings")
    annotator.press("Doctor")
    dialog = annotator.wait_for_dialog("Doctor")
    annotator.wait_for(" warning")
    annotator.hands.resize(dialog.window, 680, 405)  # hides the name and the data of this computer
    keep(room, annotator, "doctor")


def lost(room: Room) -> None:
    with first_use_of(room, "Grace") as annotator:
        start_recording(annotator)
        do_steps(annotator, "Clock")
        lose_device(annotator)
        keep(room, annotator, "device-lost")
        bring_device_back(annotator)
        annotator.window.kill()
    with room.annotator() as annotator:
        annotator.wait_for_dialog("Unfinished recordings")
        annotator.find("Resume")
        keep(room, annotator, "draft")


def fold(room: Room) -> None:
    with first_use_of(room, "Grace") as annotator:
        annotator.press("Devices")
        annotator.choose("Fold", of="Devices")
        annotator.find("Fix Animations")
        keep(room, annotator, "devices")


def tablet(room: Room) -> None:
    with first_use_of(room, "Grace") as annotator:
        choose_task(annotator, "lunch with Aisha")
        annotator.press("Start recording")
        annotator.wait_for("Ready.")
        annotator.tap("Calendar")
        annotator.wait_for("1 step", "Ready.")  # the list of steps is folded
        keep(room, annotator, "tablet", "dark")


def passive(room: Room) -> None:
    room.write_settings(practice_tasks=0)
    with _phone_with_a_window(room) as (serial, device), room.annotator("--device", serial) as annotator:
        begin_first_use(annotator, "Grace")
        choose_task(annotator, "blue cups, lemon")
        annotator.press("In the emulator's own window")
        _arrange(room, annotator)
        annotator.press("Start recording")
        annotator.wait_for("Listening")
        for number, label in enumerate(("Notes", "New note"), start=1):
            _look_around(device)
            _tap(device, label)
            annotator.window.wait_until(lambda s, number=number: len(s.items("Steps")) == number, "a step")  # type: ignore[misc]
        _look_around(device)
        ImageGrab.grab(_PASSIVE, xdisplay=room.display.name).save(room.screenshot("passive"))


@contextmanager
def _phone_with_a_window(room: Room) -> Iterator[tuple[str, Device]]:
    environment = {**room.server.environment, "DISPLAY": room.display.name, "QT_QPA_PLATFORM": "xcb"}
    phones = PhoneProcesses(environment, window=True)
    try:
        serial = phones.start("medium_phone", animation=False)
        phones.show_window(serial, on=True)
        device = DeviceConnector(AdbServer(port=room.server.port), running=(running_dir(environment),)).connect(serial)
        yield serial, device
        device.close()
    finally:
        phones.stop()


def _look_around(device: Device) -> None:
    watch = StillnessWatch(SettleRule(still_ms=1500), since_ns=time.monotonic_ns())
    while watch.see(device.capture()) is Stillness.MOVING:
        pass


def _tap(device: Device, label: str) -> None:
    node = next(one for one in parse(device.view_hierarchy()) if label in {one.text, one.description})
    box = node.box
    device.touch(TouchStroke.press(Pixel((box.left + box.right) // 2, (box.top + box.bottom) // 2)))


def _arrange(room: Room, annotator: Annotator) -> None:
    window = str(annotator.window.look().window)
    left, _, right, bottom = _PASSIVE
    size, place = (str(right - left - 448), str(bottom)), ("448", "0")
    environment = {**os.environ, "DISPLAY": room.display.name}
    subprocess.run(["xdotool", "windowsize", window, *size, "windowmove", window, *place], env=environment, check=True)


SCENES: dict[str, tuple[str, Callable[[Room], None]]] = {
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
    with tempfile.TemporaryDirectory(prefix="odyssey-") as place, Display() as display:
        folder = Path(place)
        home = folder / "grace"
        home.mkdir()
        with PrivateAdbServer(BUNDLED_ADB, home) as server, shown_phone(server, profile, folder) as phone:
            play(Room(display, server, phone, home, screenshots))


def main(folder: str = str(ROOT / "docs" / "images"), *scenes: str) -> None:
    screenshots = Path(folder)
    for scene in scenes or SCENES:
        make(scene, screenshots)
    for screenshot in screenshots.glob("*.png"):
        _compress(screenshot)


if __name__ == "__main__":
    main(*sys.argv[1:])
