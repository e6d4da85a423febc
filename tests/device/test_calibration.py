"""What is measured on builds of the emulator that place touches and turn frames in different ways."""

from pathlib import Path

import pytest

from odyssey_recorder.device.calibration import measure_frames, measure_touch
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.measured import Measured, MeasuredDevices
from odyssey_recorder.errors import DeviceError
from tests.device.bench import DeviceBench, StartBench


@pytest.fixture
def over_grpc() -> bool:
    return True


def emulator_of(bench: DeviceBench) -> EmulatorDevice:
    assert isinstance(bench.device, EmulatorDevice)
    return bench.device


@pytest.fixture
def fold(start_bench: StartBench) -> DeviceBench:
    return start_bench("pixel_fold")


INNER_BY_OUTER = (2208 / 1080, 1840 / 2092)
RIGHT = (1.0, 1.0)


@pytest.mark.parametrize(
    ("posture", "knows_outer_panel", "uses_first_node", "expected"),
    [
        ("OPENED", False, False, RIGHT),
        ("CLOSED", False, False, INNER_BY_OUTER),
        ("CLOSED", False, True, INNER_BY_OUTER),
        ("CLOSED", True, False, RIGHT),
    ],
)
def test_touch_scale_is_measured(
    fold: DeviceBench, posture: str, knows_outer_panel: bool, uses_first_node: bool, expected: tuple[float, float]
) -> None:
    control = fold.emulator.faults.control
    control.knows_outer_panel, control.uses_first_node = knows_outer_panel, uses_first_node
    fold.emulator.phone.set_posture(posture)
    shown = fold.emulator.phone.state().package

    for _ in range(2):
        found = measure_touch(emulator_of(fold))
        assert (found.across, found.down) == pytest.approx(expected, abs=0.0005)
        assert found.strays == ()

    assert fold.emulator.phone.state().package == shown, "nothing was tapped"
    assert fold.inputs()[-1].startswith("touch up")


def test_touches_that_no_factor_brings_where_they_should_are_named(fold: DeviceBench) -> None:
    fold.emulator.faults.control.bend_px = 60
    found = measure_touch(emulator_of(fold))
    assert (found.across, found.down) == pytest.approx(RIGHT, abs=0.0005)
    assert [stray.y for stray in found.strays] == [round(920 * 0.79)], "the only one in the last quarter"


@pytest.mark.parametrize(
    ("held", "shown", "further"), [(0, 0, 0), (1, 1, 0), (1, 1, 1), (0, 0, 3), (1, 0, 0), (1, 2, 1)]
)
@pytest.mark.parametrize("posture", ["OPENED", "CLOSED"])
def test_turns_of_frames_are_measured(fold: DeviceBench, posture: str, held: int, shown: int, further: int) -> None:
    """Beyond those that a frame tells itself: with a rotation lock it is turned as the device is held."""
    fold.emulator.phone.set_posture(posture)
    fold.emulator.phone.set_rotation(held)
    fold.emulator.phone.lock_rotation(shown)
    fold.emulator.faults.control.frame_turns = further
    assert measure_frames(emulator_of(fold)) == (f"{posture}/{shown}/{held}", further)


def test_measured_turns_count_only_while_the_device_is_held_in_that_way(fold: DeviceBench, tmp_path: Path) -> None:
    """Here a device that is held upright has other turns than one that is held sideways."""
    phone, control, known = fold.emulator.phone, fold.emulator.faults.control, MeasuredDevices(tmp_path / "measured")
    phone.lock_rotation(1)
    control.frame_turns = 2
    place, turns = measure_frames(emulator_of(fold))
    assert turns == 2
    known.keep(fold.device.properties(), Measured(frame_turns={place: turns}))
    control.frame_turns = 0
    phone.set_rotation(1)
    device = fold.connect(known=known)
    assert device.capture_path == "gRPC"
    assert device.capture().shows_same_as(device.screencap())


def test_frames_under_another_size_cannot_be_turned(fold: DeviceBench) -> None:
    fold.emulator.phone.override_size(540, 500)
    assert measure_frames(emulator_of(fold))[1] is None


def test_measuring_without_the_service_says_why(fold: DeviceBench) -> None:
    fold.switch_off_grpc()
    for measure in (measure_touch, measure_frames):
        with pytest.raises(DeviceError, match=r"gRPC service of .* cannot be reached"):
            measure(emulator_of(fold))
