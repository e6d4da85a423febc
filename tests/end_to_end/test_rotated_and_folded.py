"""Devices rotated, folded or resized during an episode: every step matches its screen."""

import time
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import screenshot_path
from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.calibration import measure_frames, measure_touch
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.measured import NOTHING_MEASURED, Measured, MeasuredDevices
from odyssey_recorder.model.action import Click, LongPress
from odyssey_recorder.model.geometry import Pixel, Rotation, Size, to_grid, unrotate
from odyssey_recorder.recording.timeline import AT_REST_NS
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.journal import RecordedJournal
from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import profile_named
from tests.dataset.drafts import ORIGIN
from tests.device.bench import DeviceBench, start_bench
from tests.end_to_end.emulator_bench import tap_window
from tests.end_to_end.journal_checks import is_same_position, pixel_hash, published, step_position
from tests.end_to_end.recording_child import tap_in_mirror
from tests.recording.recording_bench import PASSIVE, Recording, RecordingBench, pixels
from tests.simulator.bench import half_as_dense

KEY_HOME = 3


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
    """Starts an emulator of a profile, with a quarter of its pixels, reached over "adb" alone or also over gRPC."""
    benches: list[DeviceBench] = []

    def started(profile: str, way: str) -> tuple[DeviceBench, Device]:
        bench = start_bench(half_as_dense(profile_named(profile)), adb_server, tmp_path)
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


@dataclass(frozen=True)
class Build:
    """How a folded emulator differs from others, and whether it was measured before the recording."""

    knows_outer_panel: bool = False
    uses_first_node: bool = False
    frame_turns: int = 0
    shown: int = 0
    measured: bool = False

    def set_up(self, bench: DeviceBench) -> None:
        control = bench.emulator.faults.control
        control.knows_outer_panel, control.uses_first_node = self.knows_outer_panel, self.uses_first_node
        control.frame_turns = self.frame_turns
        bench.emulator.phone.set_posture("CLOSED")
        bench.emulator.phone.lock_rotation(self.shown)


BUILDS = {
    "unfolded scaling": Build(),
    "unfolded scaling, measured": Build(measured=True),
    "right scaling": Build(knows_outer_panel=True),
    "right scaling, measured": Build(knows_outer_panel=True, measured=True),
    "old node": Build(uses_first_node=True, measured=True),
    "frames a quarter turn off": Build(frame_turns=1),
    "frames a quarter turn off, measured": Build(frame_turns=3, measured=True),
    "rotation-locked app": Build(shown=1),
    "rotation-locked app, measured": Build(shown=3, measured=True),
}


def measured(bench: DeviceBench, path: Path) -> MeasuredDevices:
    known, device = MeasuredDevices(path), bench.connect()
    (place, turns), touch = measure_frames(device), measure_touch(device)
    assert turns is not None
    known.keep(
        device.properties(),
        Measured(
            touch_scale={device.screen_state().posture: (touch.across, touch.down)},
            frame_turns={place: turns},
        ),
    )
    bench.emulator.phone.press_key(KEY_HOME)
    return known


SHORT = {
    *("unfolded scaling", "right scaling, measured", "old node", "frames a quarter turn off, measured"),
    "rotation-locked app",
}
"""Each kind of build, measured or not; the long run has both."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SHORT else pytest.mark.soak) for name in BUILDS]
)
def test_folded_mirror_steps_equal_passive_ones(start: Start, tmp_path: Path, name: str) -> None:
    """On every build the touched element reacts, and its screenshot is what apps showed at touch-down."""
    bench, _ = start("pixel_fold", "gRPC")
    build, phone = BUILDS[name], bench.emulator.phone
    build.set_up(bench)
    known = measured(bench, tmp_path / "measured.json") if build.measured else NOTHING_MEASURED
    service = RecordingBench(tmp_path)
    panel = Size(*astuple(phone.state().physical_size))
    steps = []
    for way in ("mirror", "passive"):
        tap_window(bench.emulator, Pixel(9, 9))  # a second touch of one place would come without its position
        device = bench.connect(known=known)
        assert device.capture_path == "gRPC"
        assert device.follows_finger == build.measured
        with service.recording(device, service.draft(PASSIVE if way == "passive" else ORIGIN)) as recording:
            at = bench.center_of("Notes")
            if way == "mirror":
                tap_in_mirror(recording.recorder, recording.annotator, at)
            else:
                await_size(recording, Size(*astuple(phone.state().size)))
                tap_in_window(bench, recording, unrotate(at, panel, Rotation(build.shown)))
            assert phone.state().package == "com.odyssey.notes"
            recording.ready(steps=1)
            recording.finish("done")
            episode, provenance = published(service.store, recording.draft.episode_id)
        felt = RecordedJournal.read(bench.folder / "journal.jsonl").touch_downs()[-1]
        assert pixel_hash(service.store.root / screenshot_path(episode.episode_id, 0)) == felt.frame.rgb_sha256
        assert is_same_position(provenance.steps[0], felt)
        steps.append(episode.steps[0].action)
        phone.press_key(KEY_HOME)

    assert steps[0] == steps[1]


FOLD = DeviceChanges(
    "pixel_fold",
    (
        (lambda phone: phone.set_posture("CLOSED"), Size(540, 1046)),
        (lambda phone: phone.set_posture("OPENED"), Size(1104, 920)),
        (lambda phone: phone.set_rotation(1), Size(920, 1104)),
    ),
    ("", "resized", "", "turned", "turned"),
)
TABLET = DeviceChanges(
    "pixel_tablet",
    ((lambda phone: phone.set_rotation(3), Size(800, 1280)), (lambda phone: phone.set_rotation(2), Size(1280, 800))),
    ("", "turned", "", ""),
)
PHONE = DeviceChanges(
    "medium_phone",
    (
        (lambda phone: phone.override_size(360, 800), Size(360, 800)),
        (lambda phone: phone.set_rotation(1), Size(800, 360)),
        (lambda phone: phone.reset_size(), Size(1200, 540)),
        (lambda phone: phone.set_rotation(0), Size(540, 1200)),
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
    bench.emulator.faults.take_automation(taken=True)  # a dump of views would undo a rotation that happens meanwhile
    service = RecordingBench(tmp_path)
    with service.recording(device, service.draft(PASSIVE if way == "passive" else ORIGIN)) as recording:

        def tap(at: Pixel) -> None:
            if way == "passive":
                tap_in_window(bench, recording, at)
            else:
                tap_in_mirror(recording.recorder, recording.annotator, at)

        tap(Pixel(151, 202))
        for number, (change, size) in enumerate(case.changes):
            before = recording.ready().frame_number
            change(bench.emulator.phone)
            await_size(recording, size)
            recording.ready(after=before)
            tap(Pixel(155 + 7 * number, 217 + 5 * number))

        assert tuple(verify_and_list_size_flags(service, bench, recording)) == case.reasons
