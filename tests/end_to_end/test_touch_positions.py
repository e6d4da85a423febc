"""Six devices, rotated, folded and resized: finger, screenshot and emulator agree on every pixel.

The reference is the emulator's journal, which has each touch in pixels of its screen. While the screen is off it
still feels touches but draws nothing, so thousands of targets take seconds.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import floor
from queue import SimpleQueue
from random import Random

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.contacts import Contact, ContactTracker, to_stroke
from odyssey_recorder.gesture.getevent import LineBuffer, parse_line
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Box, Pixel, Rotation, Size, frame_on_panel, unrotate
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.profile import PROFILES
from tests.device.bench import DeviceBench, start_bench

TARGETS = 12
SLEEP, WAKE_UP = 223, 224
STILL_PAGE = "com.odyssey.calculator"
"""An app that does not scroll: moving a finger over it draws nothing."""
FOLDED = {"CLOSED", "REAR_DISPLAY_MODE"}
"""Postures in which nobody knows where touches over gRPC land, until that is measured."""
PATIENCE_S = 60.0
ALWAYS = {(Rotation.R0, False), (Rotation.R90, True), (Rotation.R270, False)}
"""The rotations, and whether resized, of the short run; the long run has them all."""
LONG = {"medium_phone", "pixel_8_pro"}
"""Phones of the long run alone: they differ from the others only in size."""
LIKE_ANOTHER = {"HALF_OPENED", "REAR_DISPLAY_MODE"}
"""Postures with the panel of another one, once each in the short run."""


@dataclass(frozen=True)
class Case:
    """A rotation and posture, and whether `wm size` overrides the screen size."""

    profile: str
    posture: str
    rotation: Rotation
    resized: bool

    def __str__(self) -> str:
        rotated, size = f"{self.rotation * 90} degrees", "wm size" if self.resized else ""
        return "-".join(filter(None, (self.profile, self.posture, rotated, size)))

    def size(self, panel: Size) -> Size:
        return Size(panel.width * 3 // 4, panel.height // 2) if self.resized else panel


def _is_short(case: Case) -> bool:
    rotations = {(Rotation.R0, False)} if case.posture in LIKE_ANOTHER else ALWAYS
    return case.profile not in LONG and (case.rotation, case.resized) in rotations


CASES = [
    pytest.param(one := Case(name, posture, rotation, resized), marks=() if _is_short(one) else pytest.mark.soak)
    for name, profile in PROFILES.items()
    for posture, rotation, resized in product(
        [posture.name for posture in profile.postures] or [""], Rotation, (False, True)
    )
]


class Rig:
    """An emulator over adb alone and over gRPC, and the contacts that its kernel reports."""

    def __init__(self, bench: DeviceBench) -> None:
        self.bench = bench
        self.phone = bench.emulator.phone
        self.device = AdbDevice(AdbShell(bench.emulator.serial, bench.server))
        self._nodes = {node.node: node for node in self.device.input_nodes()}
        self._journal = (bench.folder / "journal.jsonl").open(encoding="utf-8")
        self._contacts: SimpleQueue[Contact] = SimpleQueue()
        self._listening = threading.Event()
        self._listener = threading.Thread(target=self._listen, name=f"getevent of {bench.emulator.serial}")
        self._listener.start()
        assert self._listening.wait(PATIENCE_S)

    def stop(self) -> None:
        self.bench.emulator.faults.kill_getevent()
        self._listener.join()
        self.device.close()
        self.bench.device.close()
        self.bench.emulator.stop()
        self._journal.close()

    def set_up(self, case: Case) -> None:
        self.phone.press_key(SLEEP)
        self.phone.set_rotation(case.rotation)
        if case.posture:
            self.phone.set_posture(case.posture)
        panel = self.phone.state().physical_size
        size = case.size(Size(panel.width, panel.height))
        self.phone.override_size(size.width, size.height)

    def touched(self) -> list[Pixel]:
        """The pixels that were touched since the last call."""
        inputs = [json.loads(line).get("input", "").split() for line in self._journal]
        positions = [words[2].split(",") for words in inputs if words[:2] in (["touch", "down"], ["touch", "move"])]
        return [Pixel(floor(float(x)), floor(float(y))) for x, y in positions]

    def shown_hash(self) -> str:
        hashes = [json.loads(line).get("rgb_sha256") for line in self._journal]
        return str([one for one in hashes if one][-1])

    def window_touch(self, natural: Pixel, case: Case, panel: Size, size: Size) -> Pixel:
        """Touch the emulator's window at a pixel of its panel; returns where the touch is recorded."""
        guest = self.bench.emulator.guest
        guest.window_touch(natural.x, natural.y, pressed=True)
        guest.window_touch(natural.x, natural.y, pressed=False)
        contact = self.contact()
        return to_stroke(contact, self._nodes[contact.node], panel, case.rotation, size).start

    def contact(self) -> Contact:
        """The next one that the kernel reports."""
        return self._contacts.get(timeout=PATIENCE_S)

    def _listen(self) -> None:
        lines, tracker = LineBuffer(), ContactTracker()

        def feed(data: bytes, _: int) -> None:
            for line in lines.feed(data):
                message = parse_line(line)
                for event in tracker.feed(message) if message else []:
                    if isinstance(event, Contact):
                        self._contacts.put(event)
                if "qwerty2" in line:  # the last one listed before the events
                    self._listening.set()

        self.device.follow_input(feed)


@pytest.fixture(scope="module")
def rigs(adb_server: PrivateAdbServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Rig]]:
    """Each is started when it is first needed."""
    started: dict[str, Rig] = {}

    def rig_of(profile: str) -> Rig:
        if profile not in started:
            started[profile] = Rig(start_bench(PROFILES[profile], adb_server, tmp_path_factory.mktemp("running")))
            started[profile].phone.start_activity(STILL_PAGE)
        return started[profile]

    yield rig_of
    for rig in started.values():
        rig.stop()


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    assert isinstance(request.param, Case)
    return request.param


@pytest.fixture(scope="module")
def rig(rigs: Callable[[str], Rig], case: Case) -> Rig:
    rig = rigs(case.profile)
    rig.set_up(case)
    return rig


def targets(size: Size, seed: object, within: Box | None = None) -> list[Pixel]:
    box = within or Box(0, 0, size.width, size.height)
    edges = [Pixel(x, y) for x in (box.left, box.right - 1) for y in (box.top, box.bottom - 1)]
    random = Random(str(seed))
    count = TARGETS - len(edges)
    xs, ys = random.sample(range(box.left, box.right), count), random.sample(range(box.top, box.bottom), count)
    return [Pixel(x, y) for x, y in zip(xs, ys, strict=True)] + edges


def are_near(first: list[Pixel], second: list[Pixel]) -> bool:
    """Within a pixel on both axes, because the emulator rounds down to axis values."""
    return all(max(abs(a.x - b.x), abs(a.y - b.y)) <= 1 for a, b in zip(first, second, strict=True))


def screenshot_size(rig: Rig, case: Case) -> Size:
    size = rig.device.screen_state().size
    return size.turned() if case.rotation % 2 else size


def test_screenshot_matches_screen_and_reported_size(rig: Rig, case: Case) -> None:
    rig.phone.press_key(WAKE_UP)
    frame: Frame = rig.device.capture()
    shown = rig.shown_hash()
    state = rig.device.screen_state()
    rig.phone.press_key(SLEEP)

    assert frame.size == screenshot_size(rig, case)
    assert hashlib.sha256(frame.image().tobytes()).hexdigest() == shown
    assert (state.rotation, state.posture) == (case.rotation, case.posture)
    assert state.size == case.size(state.panel or state.size)


def test_touch_from_recorder_is_felt_at_its_pixel(rig: Rig, case: Case) -> None:
    positions = targets(screenshot_size(rig, case), case)
    rig.touched()

    for position in positions:
        rig.device.touch(TouchStroke.press(position))

    assert rig.touched() == positions


def test_touch_in_emulator_window_is_recorded_at_its_pixel(rig: Rig, case: Case) -> None:
    panel, size = rig.device.screen_state().panel, screenshot_size(rig, case)
    assert panel is not None
    turned = panel.turned() if case.rotation % 2 else panel
    box = frame_on_panel(size, turned)
    inside = Box(box.left + 1, box.top + 1, box.right - 1, box.bottom - 1) if case.resized else box
    positions = targets(turned, case, inside)
    rig.touched()

    recorded = [rig.window_touch(unrotate(one, panel, case.rotation), case, panel, size) for one in positions]

    assert are_near(recorded, rig.touched())
    if not case.resized:
        assert recorded == positions, "unscaled, the position is exact"


def test_grpc_screenshot_live_finger_and_stroke_agree(rig: Rig, case: Case) -> None:
    device, size = rig.bench.device, screenshot_size(rig, case)
    positions = targets(size, case)
    rig.phone.press_key(WAKE_UP)
    device.capture()
    device.screen_state()
    path = "screencap" if case.resized else "gRPC"
    follows = not case.resized and case.posture not in FOLDED
    rig.bench.wait_for_path(path)
    frame, shown = device.capture(), rig.shown_hash()

    assert (frame.source, device.follows_finger) == (path, follows)
    assert frame.size == size
    assert hashlib.sha256(frame.image().tobytes()).hexdigest() == shown
    if follows:
        for position in positions:
            device.put_finger(position)
        device.lift_finger()
        rig.bench.wait_for_touches()
        assert are_near(rig.touched(), positions)
    device.touch(TouchStroke.press(positions[0]))
    rig.bench.wait_for_touches()
    assert are_near(rig.touched()[:1], positions[:1])
    for _ in range(2 if follows else 0):
        rig.contact()
    rig.phone.press_key(SLEEP)
