"""Episodes recorded by listening to what is done in the emulator's own window."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from odyssey_recorder.dataset.provenance import Mode
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.settle import SettleRule, Stillness, StillnessWatch
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Click, Complete, LongPress, Press, Scroll, SystemKey
from odyssey_recorder.model.episode import Episode, TaskInfo
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.session import State
from odyssey_recorder.recording.view import RecordingView
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.control_server import ControlOptions
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from odyssey_recorder.wiring import Desk, Reach
from tests.recording.desk import Annotator

TASK = TaskInfo("General_Tool", ("Settings",), "Look at {}.", "Look at Display.", "Look at Display in Settings.")
PATIENCE_S = 30.0


@dataclass(frozen=True)
class Workplace:
    """A phone, a person's hands on it, and a desk that records it."""

    emulator: SimulatedEmulator
    desk: Desk
    device: Device
    hands: Device

    @contextmanager
    def recording(self, mode: Mode) -> Iterator[tuple[Recorder, Annotator]]:
        annotator = Annotator()
        recorder = self.desk.begin(self.device, TASK, annotator, mode)
        recorder.start()
        try:
            recorder.wait_for(lambda view: view.state is State.READY and view.frame_number is not None, PATIENCE_S)
            yield recorder, annotator
        finally:
            recorder.stop()
            recorder.join()

    def rest(self) -> None:
        """Wait until the phone's screen is still."""
        watch = StillnessWatch(SettleRule(still_ms=300), since_ns=time.monotonic_ns())
        while watch.see(self.hands.capture()) is Stillness.MOVING:
            pass

    def place_of(self, label: str) -> Pixel:
        """The middle of what carries a text or a description, the keyboard included."""
        nodes = self.emulator.phone.view_tree(all_windows=True).walk()
        bounds = next(node.bounds for node in nodes if label in {node.text, node.content_desc})
        return Pixel((bounds.left + bounds.right) // 2, (bounds.top + bounds.bottom) // 2)


@contextmanager
def workplace(server: PrivateAdbServer, folder: Path, *, capture: str = "auto") -> Iterator[Workplace]:
    folder.mkdir()
    running = folder / "running"
    phone = Phone(profile_named("small_phone"), animation=True, journal=folder / "journal.jsonl")
    emulator = SimulatedEmulator(phone, adb_server_port=server.port, control=ControlOptions(running_dir=running))
    with emulator:
        adb = AdbServer(port=server.port)
        reach = Reach(adb, capture=capture, running=(running,))  # type: ignore[arg-type]
        device = reach.connect(emulator.serial)
        hands = Reach(adb, running=(running,)).connect(emulator.serial)
        store = EpisodeStore(folder / "dataset", drafts=folder / "drafts")
        try:
            yield Workplace(emulator, Desk(reach, store, "Ada"), device, hands)
        finally:
            device.close()
            hands.close()


def finish(place: Workplace, recorder: Recorder) -> Episode:
    recorder.wait_for(lambda view: view.state is State.READY, PATIENCE_S)
    recorder.complete("Done.")
    view = recorder.wait_for(lambda view: view.state is State.FINISHED, PATIENCE_S)
    assert view.published is not None
    return place.desk.store.load(recorder.episode_id)


def work(place: Workplace, recorder: Recorder, mode: Mode) -> None:
    """Open Settings, scroll, open a topic, hold something, go home: the same in both modes."""
    deeds: list[TouchStroke | SystemKey] = [
        TouchStroke.press(place.place_of("Settings")),
        TouchStroke.drag(tuple(Pixel(300, y) for y in range(900, 500, -20)), duration_ms=700),
        TouchStroke.press(Pixel(300, 600), duration_ms=800),
        SystemKey.BACK,
        SystemKey.RECENT,
        SystemKey.HOME,
    ]
    for number, deed in enumerate(deeds, start=1):
        view = recorder.wait_for(lambda view: view.state is State.READY and view.frame_number is not None, PATIENCE_S)
        place.rest()
        if mode == "mirror":
            do_in_mirror(recorder, view, deed)
        elif isinstance(deed, SystemKey):
            place.hands.press(deed)
        else:
            place.hands.touch(deed)
        recorder.wait_for(lambda view, number=number: len(view.steps) == number, PATIENCE_S)  # type: ignore[misc]


def do_in_mirror(recorder: Recorder, view: RecordingView, deed: TouchStroke | SystemKey) -> None:
    if isinstance(deed, SystemKey):
        recorder.press(deed)
    elif view.frame_number is not None:
        recorder.touch_down(view.frame_number)
        recorder.lift(deed)


@pytest.mark.parametrize("capture", ["auto", "adb"])
def test_the_same_strokes_give_the_same_episode_in_both_modes(
    adb_server: PrivateAdbServer, tmp_path: Path, capture: str
) -> None:
    episodes, pictures = [], []
    for mode in ("mirror", "passive"):
        with (
            workplace(adb_server, tmp_path / mode, capture=capture if mode == "passive" else "auto") as place,
            place.recording(mode) as (recorder, _),
        ):
            work(place, recorder, mode)
            place.rest()
            episode = finish(place, recorder)
            store = place.desk.store
            episodes.append([step.action for step in episode.steps])
            pictures.append([store.screenshot_path(episode, n).read_bytes() for n in range(len(episode.steps))])

    kinds = [Click, Scroll, LongPress, Press, Press, Press, Complete]
    assert [type(action) for action in episodes[0]] == kinds
    assert episodes[0] == episodes[1]
    assert pictures[0] == pictures[1]
