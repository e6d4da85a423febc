"""Devices rotated, folded or resized during an episode: every step matches its screen."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import screenshot_path
from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.device import Device
from odyssey_recorder.model.action import Click, LongPress
from odyssey_recorder.model.geometry import Pixel, Size, to_grid
from odyssey_recorder.recording.timeline import AT_REST_NS
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.journal import RecordedJournal
from odyssey_simulator.phone import Phone
from tests.dataset.drafts import ORIGIN
from tests.device.bench import DeviceBench, start_bench
from tests.end_to_end.emulator_bench import tap_window
from tests.end_to_end.journal_checks import is_same_position, pixel_hash, published, step_position
from tests.end_to_end.recording_child import tap_in_mirror
from tests.recording.recording_bench import PASSIVE, Recording, RecordingBench, pixels


def tap_in_window(bench: DeviceBench, recording: Recording, at: Pixel) -> None:
    steps = len(recording.ready().steps)
    tap_window(bench.emulator, at)
    recording.ready(steps=steps + 1)


def await_size(recording: Recording, size: Size) -> None:
    """Look at the new screen as long as a person does before a tap: within AT_REST_NS its frame is not proved."""
    annotator, seen_ns = recording.annotator, list[int]()

    def is_at_rest() -> bool:
        if annotator.newest is not None and annotator.newest.size == size:
            seen_ns.append(time.monotonic_ns())
        return bool(seen_ns) and time.monotonic_ns() - seen_ns[0] > AT_REST_NS

    annotator.wait(is_at_rest)


def verify_and_list_size_flags(service: RecordingBench, bench: DeviceBench, recording: Recording) -> list[str]:
    """Publish and compare every step with the journal; returns why each screenshot differs from device_info."""
    recording.ready()
    recording.finish("done")
    episode, provenance = published(service.store, recording.draft.episode_id)
    felt = RecordedJournal.read(bench.folder / "journal.jsonl").touch_downs()
    assert len(felt) == len(episode.steps) - 1
    reasons = []
    for number, (step, record) in enumerate(zip(episode.steps, provenance.steps, strict=True)):
        screenshot = service.store.root / screenshot_path(episode.episode_id, number)
        size = Size(*pixels(screenshot).size)
        size_flags = [flag.code.value for flag in record.flags if str(size) in flag.values]
        assert len(size_flags) == (size != episode.device.size), f"step {number}: {record.flags}"
        reasons += size_flags or [""]
        if number < len(felt):
            shown = felt[number].frame.rgb_sha256
            assert pixel_hash(screenshot) == shown, f"step {number}: {record.frame}, flags {record.flags}"
            assert isinstance(step.action, Click | LongPress), "a live finger may rest on a busy computer"
            assert is_same_position(record, felt[number]), f"step {number}: the emulator's window rounds to a pixel"
            assert step.action.point == to_grid(step_position(record), size), f"step {number}"
    return reasons


Start = Callable[[str, str], tuple[DeviceBench, Device]]


@pytest.fixture
def start(adb_server: PrivateAdbServer, tmp_path: Path) -> Iterator[Start]:
    """Starts an emulator of a profile, reached over "adb" alone or also over gRPC."""
    benches: list[DeviceBench] = []

    def started(profile: str, way: str) -> tuple[DeviceBench, Device]:
        bench = start_bench(profile, adb_server, tmp_path)
        benches.append(bench)
        return bench, AdbDevice(AdbShell(bench.emulator.serial, bench.server)) if way == "adb" else bench.device

    yield started
    for bench in benches:
        bench.device.close()
        bench.emulator.stop()


@dataclass(frozen=True)
class DeviceChanges:
    """Changes of a device between the taps of an episode.

    `changes` are the changes with the screen size after each; `reasons` why a step's screenshot differs from
    device_info, one for each tap and one for COMPLETE.
    """

    profile: str
    changes: tuple[tuple[Callable[[Phone], None], Size], ...]
    reasons: tuple[str, ...]


FOLD = DeviceChanges(
    "pixel_fold",
    (
        (lambda phone: phone.set_posture("CLOSED"), Size(1080, 2092)),
        (lambda phone: phone.set_posture("OPENED"), Size(2208, 1840)),
        (lambda phone: phone.set_rotation(1), Size(1840, 2208)),
    ),
    ("", "resized", "", "turned", "turned"),
)
TABLET = DeviceChanges(
    "pixel_tablet",
    ((lambda phone: phone.set_rotation(3), Size(1600, 2560)), (lambda phone: phone.set_rotation(2), Size(2560, 1600))),
    ("", "turned", "", ""),
)
PHONE = DeviceChanges(
    "medium_phone",
    (
        (lambda phone: phone.override_size(720, 1600), Size(720, 1600)),
        (lambda phone: phone.set_rotation(1), Size(1600, 720)),
        (lambda phone: phone.reset_size(), Size(2400, 1080)),
        (lambda phone: phone.set_rotation(0), Size(1080, 2400)),
    ),
    ("", "resized", "resized", "turned", "", ""),
)


@pytest.mark.parametrize(
    ("case", "way"),
    [pytest.param(FOLD, "gRPC", marks=pytest.mark.soak), (FOLD, "passive"), (TABLET, "adb"), (PHONE, "gRPC")],
    ids=lambda one: one.profile if isinstance(one, DeviceChanges) else one,
)
def test_steps_have_the_touched_screen_and_pixel(start: Start, tmp_path: Path, case: DeviceChanges, way: str) -> None:
    bench, device = start(case.profile, way)
    service = RecordingBench(tmp_path)
    with service.recording(device, service.draft(PASSIVE if way == "passive" else ORIGIN)) as recording:

        def tap(at: Pixel) -> None:
            if way == "passive":
                tap_in_window(bench, recording, at)
            else:
                tap_in_mirror(recording.recorder, recording.annotator, at)

        tap(Pixel(301, 402))
        for number, (change, size) in enumerate(case.changes):
            before = recording.ready().frame_number
            change(bench.emulator.phone)
            await_size(recording, size)
            recording.ready(after=before)
            tap(Pixel(310 + 7 * number, 417 + 5 * number))

        assert tuple(verify_and_list_size_flags(service, bench, recording)) == case.reasons
