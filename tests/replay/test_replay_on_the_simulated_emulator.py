"""An episode recorded on one simulated emulator and replayed on another, both through the real adb."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from odyssey_recorder.control.inputs import input_for
from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.settle import SettleRule, Stillness, StillnessWatch
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Action, Click, Complete, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.episode import DeviceInfo, Episode, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import Pixel, Size, to_grid
from odyssey_recorder.replay.compare import StepVerdict
from odyssey_recorder.replay.player import PlayRules, ReplayResult
from odyssey_recorder.replay.replay import ReplayOptions, replay_episode
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from tests.simulator.bench import ADB

EPISODE_ID = "0000000000000099"
SIZE = Size(720, 1280)
SETTLE = SettleRule(still_ms=100)
IMPATIENT = PlayRules(patience_ms=500, settle=SETTLE)


@dataclass(frozen=True)
class SimulatedPhone:
    device: AdbDevice
    phone: Phone

    def find(self, label: str) -> Pixel:
        """The centre of the view with `label`."""
        bounds = next(
            node.bounds for node in self.phone.view_hierarchy().walk() if label in (node.text, node.content_desc)
        )
        return Pixel((bounds.left + bounds.right) // 2, (bounds.top + bounds.bottom) // 2)

    def settled(self) -> Frame:
        watch = StillnessWatch(SETTLE, since_ns=time.monotonic_ns())
        while True:
            frame = self.device.capture()
            if watch.see(frame) is not Stillness.MOVING:
                return frame

    def perform(self, action: Action) -> None:
        match input_for(action, SIZE):
            case TouchStroke() as stroke:
                self.device.touch(stroke)
            case SystemKey() as key:
                self.device.press(key)
            case str() as text:
                self.device.type_text(text)
            case None:
                pass


Start = Callable[[], SimulatedPhone]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(ADB, tmp_path_factory.mktemp("adb-home")) as server:
        yield server


@pytest.fixture(scope="module")
def start(server: PrivateAdbServer) -> Iterator[Start]:
    """Starts a fresh simulated emulator; all of them are stopped at the end."""
    with ExitStack() as stack:

        def begin() -> SimulatedPhone:
            phone = Phone(profile_named("small_phone"))
            emulator = SimulatedEmulator(phone, adb_server_port=server.port)
            stack.callback(emulator.stop)
            emulator.start()
            device = AdbDevice(AdbShell(emulator.serial, AdbServer(port=server.port)))
            stack.callback(device.close)
            device.wait_until_ready(20)
            return SimulatedPhone(device, phone)

        yield begin


@pytest.fixture(scope="module")
def recorded(start: Start, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of writing a note; its positions are known from the grid only, as in a released episode."""
    phone = start()
    folder = tmp_path_factory.mktemp("dataset")
    steps: list[Step] = []

    def do(action: Action) -> None:
        name = screenshot_name(EPISODE_ID, len(steps))
        phone.settled().image().save(folder / name)
        steps.append(Step(name, action))
        phone.perform(action)

    def at(label: str) -> Click:
        phone.settled()
        return Click(to_grid(phone.find(label), SIZE))

    do(at("Notes"))
    do(at("New note"))
    do(at("Title"))
    do(Type("Milk & bread"))
    do(Press(SystemKey.BACK))
    do(Press(SystemKey.BACK))
    middle, top = to_grid(Pixel(360, 900), SIZE), to_grid(Pixel(360, 500), SIZE)
    do(Scroll(middle, top, (middle, to_grid(Pixel(360, 700), SIZE), top)))
    do(LongPress(at("Pancakes").point))
    do(Press(SystemKey.RECENT))
    do(Press(SystemKey.HOME))
    do(Complete("written"))
    task = TaskInfo("General_Tool", ("Notes",), "Note {}.", "Note milk.", "Write down milk and bread.")
    path = folder / f"{EPISODE_ID}.json"
    write_episode(path, Episode(EPISODE_ID, DeviceInfo("Small Phone", SIZE), task, tuple(steps)))
    return path


def verdicts(result: ReplayResult) -> list[StepVerdict]:
    return [step.comparison.verdict for step in result.steps]


def test_every_screen_comes_again_on_a_fresh_phone(start: Start, recorded: Path, tmp_path: Path) -> None:
    result = replay_episode(recorded, start().device, ReplayOptions(PlayRules(settle=SETTLE), tmp_path / "report.html"))

    assert verdicts(result) == [StepVerdict.MATCH] * 11
    assert all(step.settled and step.comparison.pixel_share == 0.0 for step in result.steps)
    assert result.exit_code == 0


def test_a_phone_on_which_somebody_wrote_a_note_before_diverges_where_it_shows(start: Start, recorded: Path) -> None:
    phone = start()
    for label in ("Notes", "New note", "Title"):
        phone.settled()
        phone.perform(Click(to_grid(phone.find(label), SIZE)))
    phone.perform(Type("Somebody was here"))
    for key in (SystemKey.BACK, SystemKey.BACK, SystemKey.HOME):
        phone.perform(Press(key))
    phone.settled()

    result = replay_episode(recorded, phone.device, ReplayOptions(IMPATIENT))

    assert verdicts(result) == [StepVerdict.MATCH, StepVerdict.DIVERGED]
    assert result.exit_code == 1
