"""Devices rotated, folded or resized during an episode: every step matches its screen."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.device import Device
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Click, LongPress
from odyssey_recorder.model.geometry import Pixel, Size, to_grid
from odyssey_recorder.recording.state import State
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.phone import Phone
from tests.device.bench import DeviceBench, start_bench
from tests.recording.recording_bench import Recording, RecordingBench, pixels


@dataclass(frozen=True)
class Tap:
    at: Pixel
    shown: str


def taps(bench: DeviceBench) -> list[Tap]:
    entries = [json.loads(line) for line in (bench.folder / "journal.jsonl").read_text().splitlines()]
    shown = {entry["frame"]: entry["rgb_sha256"] for entry in entries if "rgb_sha256" in entry}
    downs = [entry for entry in entries if entry.get("input", "").startswith("touch down ")]
    places = [[round(float(number)) for number in entry["input"].split()[2].split(",")] for entry in downs]
    return [Tap(Pixel(x, y), shown[entry["frame"]]) for (x, y), entry in zip(places, downs, strict=True)]


def tap_on_a_screen_of(recording: Recording, size: Size, at: Pixel) -> None:
    annotator, recorder = recording.annotator, recording.recorder
    annotator.wait(lambda: annotator.newest is not None and annotator.newest.size == size)
    steps = len(recorder.view.steps)
    while len(recording.ready().steps) == steps:
        told, frame = len(annotator.notices), recording.ready().frame_number
        assert frame is not None
        recorder.touch_down(frame, at)
        recorder.lift(TouchStroke.press(at))
        annotator.wait(lambda told=told: len(annotator.notices) > told or len(recorder.view.steps) > steps)  # type: ignore[misc]


def reasons_of_a_true_episode(service: RecordingBench, bench: DeviceBench, recording: Recording) -> list[str]:
    """Publish and compare every step with the journal; returns why each screenshot differs from device_info."""
    recording.ready()
    recording.recorder.complete("done")
    recording.until(State.FINISHED)
    episode = service.store.load(recording.draft.episode_id)
    provenance = service.store.provenance(episode.episode_id)
    assert provenance is not None
    felt = taps(bench)
    assert len(felt) == len(episode.steps) - 1
    reasons = []
    for number, (step, record) in enumerate(zip(episode.steps, provenance.steps, strict=True)):
        picture = pixels(service.store.screenshot_path(episode, number))
        size = Size(*picture.size)
        about_size = [flag.code.value for flag in record.flags if str(size) in flag.values]
        assert len(about_size) == (size != episode.device.size), f"step {number}: {record.flags}"
        reasons += about_size or [""]
        if number < len(felt):
            assert hashlib.sha256(picture.tobytes()).hexdigest() == felt[number].shown, f"step {number}"
            assert isinstance(step.action, Click | LongPress), "a finger that is followed may rest on a busy computer"
            assert step.action.point == to_grid(felt[number].at, size), f"step {number}"
    return reasons


Start = Callable[[str, str], tuple[DeviceBench, Device]]


@pytest.fixture
def start(adb_server: PrivateAdbServer, tmp_path: Path) -> Iterator[Start]:
    """Starts an emulator of a profile, reached over "adb" alone or also over "gRPC"."""
    benches: list[DeviceBench] = []

    def started(profile: str, way: str) -> tuple[DeviceBench, Device]:
        bench = start_bench(profile, adb_server, tmp_path)
        benches.append(bench)
        return bench, bench.device if way == "gRPC" else AdbDevice(AdbShell(bench.emulator.serial, bench.server))

    yield started
    for bench in benches:
        bench.device.close()
        bench.emulator.stop()


@dataclass(frozen=True)
class Story:
    """What happens to a device between the taps of an episode.

    `changes` are the changes with the screen size after each; `reasons` why a step's screenshot differs from
    device_info, one for each tap and one for COMPLETE.
    """

    profile: str
    begins: Size
    changes: tuple[tuple[Callable[[Phone], None], Size], ...]
    reasons: tuple[str, ...]


FOLD = Story(
    "pixel_fold",
    Size(2208, 1840),
    (
        (lambda phone: phone.set_posture("CLOSED"), Size(1080, 2092)),
        (lambda phone: phone.set_posture("OPENED"), Size(2208, 1840)),
        (lambda phone: phone.set_rotation(1), Size(1840, 2208)),
    ),
    ("", "resized", "", "turned", "turned"),
)
TABLET = Story(
    "pixel_tablet",
    Size(2560, 1600),
    (
        (lambda phone: phone.set_rotation(3), Size(1600, 2560)),
        (lambda phone: phone.set_rotation(2), Size(2560, 1600)),
    ),
    ("", "turned", "", ""),
)
PHONE = Story(
    "medium_phone",
    Size(1080, 2400),
    (
        (lambda phone: phone.override_size(720, 1600), Size(720, 1600)),
        (lambda phone: phone.set_rotation(1), Size(1600, 720)),
        (lambda phone: phone.reset_size(), Size(2400, 1080)),
        (lambda phone: phone.set_rotation(0), Size(1080, 2400)),
    ),
    ("", "resized", "resized", "turned", "", ""),
)


@pytest.mark.parametrize("way", ["adb", "gRPC"])
@pytest.mark.parametrize("story", [FOLD, TABLET, PHONE], ids=lambda story: story.profile)
def test_each_step_has_the_screen_and_the_pixel_that_the_finger_met(
    start: Start, tmp_path: Path, way: str, story: Story
) -> None:
    bench, device = start(story.profile, way)
    service = RecordingBench(tmp_path)
    with service.recording(device) as recording:
        tap_on_a_screen_of(recording, story.begins, Pixel(301, 402))
        for number, (change, size) in enumerate(story.changes):
            change(bench.emulator.phone)
            tap_on_a_screen_of(recording, size, Pixel(310 + 7 * number, 417 + 5 * number))

        assert tuple(reasons_of_a_true_episode(service, bench, recording)) == story.reasons
