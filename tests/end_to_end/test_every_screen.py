"""Six devices, rotated, folded and resized: finger, screenshot and emulator agree on every pixel.

The reference is the emulator's journal, which has each touch in pixels of its screen. While the screen is off it
still feels touches but draws nothing, so thousands of targets take seconds.
"""

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import floor
from pathlib import Path
from queue import SimpleQueue
from random import Random

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.contacts import Contact, ContactTracker, to_stroke
from odyssey_recorder.gesture.getevent import InputDeviceNode, LineBuffer, parse_line
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Box, Pixel, Rotation, Size, picture_on_panel, unrotate
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import PROFILES, profile_named

TARGETS = 24
SLEEP, WAKE_UP = 223, 224
PATIENCE_S = 20.0


@dataclass(frozen=True)
class Case:
    """A rotation and posture, and whether `wm size` overrides the screen size."""

    profile: str
    posture: str
    rotation: Rotation
    resized: bool

    def __str__(self) -> str:
        turned, size = f"{self.rotation * 90} degrees", "wm size" if self.resized else ""
        return "-".join(filter(None, (self.profile, self.posture, turned, size)))

    def size(self, panel: Size) -> Size:
        return Size(panel.width * 3 // 4, panel.height // 2) if self.resized else panel


CASES = [
    Case(name, posture, rotation, resized)
    for name, profile in PROFILES.items()
    for posture, rotation, resized in product(
        [posture.name for posture in profile.postures] or [""], Rotation, (False, True)
    )
]


class Rig:
    def __init__(self, profile: str, server: PrivateAdbServer, journal: Path) -> None:
        self.phone = Phone(profile_named(profile), animation=False, journal=journal)
        self.emulator = SimulatedEmulator(self.phone, adb_server_port=server.port)
        self.emulator.start()
        self.device = AdbDevice(AdbShell(self.emulator.serial, AdbServer(port=server.port)))
        self.device.wait_until_ready(PATIENCE_S)
        self.nodes = {node.node: node for node in self.device.input_nodes()}
        self._journal = journal.open(encoding="utf-8")
        self._contacts: SimpleQueue[Contact] = SimpleQueue()
        self._listening = threading.Event()
        self._listener = threading.Thread(target=self._listen, name=f"getevent of {profile}")
        self._listener.start()
        assert self._listening.wait(PATIENCE_S)

    def stop(self) -> None:
        self.emulator.faults.kill_getevent()
        self._listener.join()
        self.device.close()
        self.emulator.stop()
        self._journal.close()

    def hold(self, case: Case) -> None:
        self.phone.press_key(SLEEP)
        self.phone.set_rotation(case.rotation)
        if case.posture:
            self.phone.set_posture(case.posture)
        panel = self.phone.state().physical_size
        size = case.size(Size(panel.width, panel.height))
        self.phone.override_size(size.width, size.height)

    def felt(self) -> list[tuple[float, float]]:
        words = [json.loads(line).get("input", "").split() for line in self._journal]
        downs = [word[2].split(",") for word in words if word[:2] == ["touch", "down"]]
        return [(float(x), float(y)) for x, y in downs]

    def shown(self) -> str:
        digests = [json.loads(line).get("rgb_sha256") for line in self._journal]
        return str([digest for digest in digests if digest][-1])

    def contact(self) -> tuple[Contact, InputDeviceNode]:
        contact = self._contacts.get(timeout=PATIENCE_S)
        return contact, self.nodes[contact.node]

    def _listen(self) -> None:
        lines, tracker = LineBuffer(), ContactTracker()

        def take(data: bytes, _: int) -> None:
            for line in lines.feed(data):
                message = parse_line(line)
                for news in tracker.feed(message) if message else []:
                    if isinstance(news, Contact):
                        self._contacts.put(news)
                if "qwerty2" in line:  # the last one listed before the events
                    self._listening.set()

        self.device.follow_input(take)


@pytest.fixture(scope="module")
def rigs(adb_server: PrivateAdbServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rig]]:
    folder = tmp_path_factory.mktemp("journals")
    started: dict[str, Rig] = {}
    for profile in PROFILES:
        started[profile] = Rig(profile, adb_server, folder / profile)
    yield started
    for rig in started.values():
        rig.stop()


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    assert isinstance(request.param, Case)
    return request.param


@pytest.fixture(scope="module")
def rig(rigs: dict[str, Rig], case: Case) -> Rig:
    rig = rigs[case.profile]
    rig.hold(case)
    return rig


def targets(size: Size, seed: object, within: Box | None = None) -> list[Pixel]:
    box = within or Box(0, 0, size.width, size.height)
    edges = [Pixel(x, y) for x in (box.left, box.right - 1) for y in (box.top, box.bottom - 1)]
    random = Random(str(seed))
    count = TARGETS - len(edges)
    xs, ys = random.sample(range(box.left, box.right), count), random.sample(range(box.top, box.bottom), count)
    return [Pixel(x, y) for x, y in zip(xs, ys, strict=True)] + edges


def picture_size(rig: Rig, case: Case) -> Size:
    size = rig.device.screen_state().size
    return size.turned() if case.rotation % 2 else size


def test_the_picture_is_what_the_phone_shows_and_as_large_as_the_device_says(rig: Rig, case: Case) -> None:
    rig.phone.press_key(WAKE_UP)
    frame: Frame = rig.device.capture()
    shown = rig.shown()
    state = rig.device.screen_state()
    rig.phone.press_key(SLEEP)

    assert frame.size == picture_size(rig, case)
    assert hashlib.sha256(frame.image().tobytes()).hexdigest() == shown
    assert (state.rotation, state.posture) == (case.rotation, case.posture)
    assert state.size == case.size(state.panel or state.size)


def test_a_finger_in_the_recorder_is_felt_at_its_pixel(rig: Rig, case: Case) -> None:
    places = targets(picture_size(rig, case), case)
    rig.felt()

    for place in places:
        rig.device.touch(TouchStroke.press(place))

    assert rig.felt() == [(place.x, place.y) for place in places]


def test_a_finger_in_the_emulators_window_is_recorded_at_the_pixel_that_felt_it(rig: Rig, case: Case) -> None:
    """To a pixel: the emulator rounds down when it converts to axis values, so the device feels up to a pixel less."""
    state, size = rig.device.screen_state(), picture_size(rig, case)
    assert state.panel is not None
    panel = state.panel.turned() if case.rotation % 2 else state.panel
    box = picture_on_panel(size, panel)
    inside = Box(box.left + 1, box.top + 1, box.right - 1, box.bottom - 1) if case.resized else box
    places = targets(panel, case, inside)
    rig.felt()

    recorded = []
    for place in places:
        natural = unrotate(place, state.panel, case.rotation)
        rig.emulator.guest.window_touch(natural.x, natural.y, pressed=True)
        rig.emulator.guest.window_touch(natural.x, natural.y, pressed=False)
        contact, node = rig.contact()
        recorded.append(to_stroke(contact, node, state.panel, state.rotation, size).start)

    felt = rig.felt()
    assert len(felt) == TARGETS
    for pixel, (x, y) in zip(recorded, felt, strict=True):
        assert abs(pixel.x - floor(x)) <= 1
        assert abs(pixel.y - floor(y)) <= 1
    if not case.resized:
        assert recorded == places, "where a pixel of the window is a pixel of the picture, it is that very one"
