"""A simulated emulator in its own process that plays a video at no cost."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageChops

from odyssey_recorder.simulated.private_emulators import PrivateEmulators
from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import Profile, profile_named
from odyssey_simulator.screen import ComposedFrame
from odyssey_simulator.ui.view import Action

PROFILE = "pixel_7_pro"
_IMAGES = 8


class VideoPhone(Phone):
    def __init__(self, profile: Profile, per_second: float) -> None:
        super().__init__(profile)
        self._per_second = per_second
        self._images = _images(super().screen())
        self._shown = super().screen()
        self._told: list[Action] = []

    def screen(self) -> ComposedFrame:
        return self._shown

    def on_frame(self, tell: Action) -> Action:
        """Call `tell` for each frame, on the video's thread; the result unsubscribes."""
        self._told.append(tell)
        return lambda: self._told.remove(tell)

    def play(self) -> None:
        threading.Thread(target=self._play, name="video", daemon=True).start()

    def _play(self) -> None:
        started_s, number = time.monotonic(), self._shown.number
        while True:
            number += 1
            pixels = self._images[number % _IMAGES]
            now_ns, now_us = time.monotonic_ns(), time.time_ns() // 1000
            self._shown = replace(self._shown, number=number, rgba=pixels, shown_ns=now_ns, shown_us=now_us)
            for tell in tuple(self._told):
                tell()
            due_s = started_s + (number - 1) / self._per_second
            time.sleep(max(0.0, due_s - time.monotonic()))


def _images(screen: ComposedFrame) -> list[bytes]:
    whole = Image.frombytes("RGBA", (screen.width, screen.height), screen.rgba)
    step = screen.height // _IMAGES
    return [ImageChops.offset(whole, 0, number * step).tobytes() for number in range(_IMAGES)]


@contextmanager
def video_phone(emulators: PrivateEmulators, *, per_second: float) -> Iterator[str]:
    command = [sys.executable, "-m", "benchmarks.phone", str(per_second), str(emulators.phones.running_dir)]
    phone = subprocess.Popen(
        command, env=emulators.server.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert phone.stdout is not None
    try:
        yield phone.stdout.readline().strip()
    finally:
        phone.communicate()


def main(per_second: float, running: Path) -> None:
    phone = VideoPhone(profile_named(PROFILE), per_second)
    server_port = int(os.environ["ANDROID_ADB_SERVER_PORT"])
    control = ControlOptions(running_dir=running)
    with SimulatedEmulator(phone, adb_server_port=server_port, control=control) as emulator:
        print(emulator.serial, flush=True)
        phone.play()
        sys.stdin.read()  # until the benchmark closes it


if __name__ == "__main__":
    main(float(sys.argv[1]), Path(sys.argv[2]))
