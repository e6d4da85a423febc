"""Stands in for what tests cannot have: a device in memory, whose screen changes when it is touched."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from PIL import Image, ImageDraw

from odyssey_recorder.device.device import DeviceProperties, ScreenState
from odyssey_recorder.device.input_command import check_text
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import (
    DeviceDisconnectedError,
    DeviceError,
    DeviceTimeoutError,
    InputRefusedError,
)
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Rotation, Size

PHONE_SIZE = Size(360, 640)

Input = TouchStroke | SystemKey | str
"""What was done to a fake device: a touch, a key, or typed text."""


@cache
def picture(screen: int | str, size: Size) -> Image.Image:
    """The RGB picture of screen `screen`: another number or name, another picture, the same on every run."""
    seed = screen if isinstance(screen, int) else sum(screen.encode())
    image = Image.new("RGB", (size.width, size.height), (37 * seed % 256, 91 * seed % 256, 151 * seed % 256))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, size.width, size.height // 26), fill=(20, 20, 20))
    draw.text(
        (size.width // 4, size.height // 2),
        f"screen {screen}",
        fill="white",
        stroke_fill="black",
        stroke_width=1,
    )
    return image


class FakeDevice:
    """A device in memory. Its first screen is number 0, and every input brings the next number.

    `performed` lists the inputs that were carried out, `screen_at` the screen that each of them met. `show`
    changes the screen with no input, as a device does by itself. `state` is what `screen_state` reports: put
    another one in its place to turn, fold or focus; a new size changes the pictures too. Any thread may call.
    """

    def __init__(self, size: Size = PHONE_SIZE, serial: str = "fake-1", *, patience_s: float = 0.05) -> None:
        """`patience_s` is how long a call waits for a frozen device before it times out."""
        self.performed: list[Input] = []
        self.screen_at: list[int | str | Image.Image] = []
        self._serial = serial
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._running = threading.Event()
        self._running.set()
        self._closed = False
        self._error: DeviceError | None = None
        self._refusal: str | None = None
        self._cut_frames = False
        self._screen: int | str | Image.Image = 0
        self._screens_shown = 0
        self._frames = 0
        self.state = ScreenState(size, Rotation.R0, "", "com.fake.app", "com.fake.app.Main", False, size.height // 26)

    # The device protocol.

    @property
    def serial(self) -> str:
        """The name that the fake was given."""
        return self._serial

    def properties(self) -> DeviceProperties:
        """Those of an API 35 phone of 160 dpi."""
        with self._answering():
            return DeviceProperties(
                serial=self._serial,
                product="fake",
                model="Fake Phone",
                release_version="15",
                sdk_version="35",
                fingerprint="fake/fake/fake:15",
                avd_name="Fake",
                size=self.state.size,
                density=160,
            )

    def screen_state(self) -> ScreenState:
        """What a test put into `state`."""
        with self._answering():
            return self.state

    def capture(self) -> Frame:
        """The screen as it is now."""
        started_ns = time.monotonic_ns()
        with self._answering():
            image = self._image(self._screen)
            wanted = image.width * image.height * 4
            if self._cut_frames:
                raise DeviceError(f"{self._serial} cut the picture short: {wanted // 2} of {wanted} bytes came.")
            self._frames += 1
            return Frame(
                number=self._frames,
                size=Size(image.width, image.height),
                pixels=image.convert("RGBA").tobytes(),
                started_ns=started_ns,
                arrived_ns=time.monotonic_ns(),
                source="fake",
            )

    def touch(self, stroke: TouchStroke) -> None:
        """Note the stroke, at once whatever its duration, and show the next screen."""
        self._perform(stroke)

    def press(self, key: SystemKey) -> None:
        """Note the key and show the next screen."""
        self._perform(key)

    def check_text(self, text: str) -> None:
        """Refuse what adb's `input text` cannot type."""
        check_text(text)

    def type_text(self, text: str) -> None:
        """Note the text and show the next screen."""
        check_text(text)
        self._perform(text)

    def heartbeat(self) -> None:
        """Return if no fault is switched on."""
        with self._answering():
            pass

    def close(self) -> None:
        """Let every call fail from now on, those that wait for a frozen device too."""
        self._closed = True
        self._running.set()

    # What a test does to the device.

    @property
    def screen(self) -> int | str | Image.Image:
        """What is shown: a number, or what `show` was given."""
        return self._screen

    def show(self, screen: int | str | Image.Image) -> None:
        """Change the screen to a numbered or named picture, or to an RGB picture of the device's size."""
        with self._lock:
            self._screen = screen

    def picture(self, screen: int | str) -> Image.Image:
        """The RGB picture that a capture of `screen` gives."""
        return picture(screen, self.state.size)

    def fail_with(self, error: DeviceError) -> None:
        """Raise `error` from every call until `mend`."""
        self._error = error

    def disconnect(self) -> None:
        """Be gone until `mend`."""
        self.fail_with(DeviceDisconnectedError(f"{self._serial} is gone. Start it again or plug it in."))

    def freeze(self) -> None:
        """Answer no call until `mend`; each waits `patience_s` and times out."""
        self._running.clear()

    def cut_frames(self) -> None:
        """Send every picture short until `mend`."""
        self._cut_frames = True

    def refuse_input(self, words: str = "injection is not permitted") -> None:
        """Refuse every input until `mend`."""
        self._refusal = words

    def mend(self) -> None:
        """Switch all faults off."""
        self._error = self._refusal = None
        self._cut_frames = False
        self._running.set()

    def _perform(self, done: Input) -> None:
        with self._answering():
            if self._refusal is not None:
                raise InputRefusedError(f"{self._serial} refused the input: {self._refusal}")
            self.performed.append(done)
            self.screen_at.append(self._screen)
            self._screens_shown += 1
            self._screen = self._screens_shown

    def _image(self, screen: int | str | Image.Image) -> Image.Image:
        return screen if isinstance(screen, Image.Image) else picture(screen, self.state.size)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        answered = self._running.wait(self._patience_s)
        if self._closed:
            raise DeviceDisconnectedError(f"The connection to {self._serial} was closed.")
        if not answered:
            raise DeviceTimeoutError(f"{self._serial} did not answer within {self._patience_s:g} s.")
        if self._error is not None:
            raise self._error
        with self._lock:
            yield
