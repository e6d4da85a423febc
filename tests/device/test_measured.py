"""What was measured on a device is kept for that device only, and a damaged file counts as empty."""

from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.device.device import DeviceProperties
from odyssey_recorder.device.measured import Measured, MeasuredDevices, screen_of
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Box, Rotation, Size

TABLET = DeviceProperties(
    "emulator-5554", "sdk_gphone64_x86_64", "sdk_gphone64_x86_64", "14", "34", "google/sdk:14/UE1A/1:user", "Tablet",
    Size(2560, 1600), 320, "36.1.9",
)  # fmt: skip


def test_each_device_has_its_own_measurements(tmp_path: Path) -> None:
    known = MeasuredDevices(tmp_path / "kept" / "measured.json")
    bar = {screen_of(Size(2560, 1600), Rotation.R0): {"BACK": (2000, 1480, 2088, 1600)}}
    known.keep(TABLET, Measured(long_press_ms=500, buttons=bar, touch_scale={"CLOSED": (2.04, 0.88)}))
    again = MeasuredDevices(tmp_path / "kept" / "measured.json")
    assert again.of(TABLET).long_press_ms == 500
    assert again.of(TABLET).buttons_on(Size(2560, 1600), Rotation.R0) == {SystemKey.BACK: Box(2000, 1480, 2088, 1600)}
    assert again.of(TABLET).buttons_on(Size(1600, 2560), Rotation.R90) == {}
    assert again.of(replace(TABLET, emulator_version="37.1.1")) == Measured()


def test_a_damaged_file_counts_as_empty_and_is_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    known = MeasuredDevices(tmp_path / "measured.json")
    (tmp_path / "measured.json").write_text('{"devices": {"x": {"long_press_ms": "soon"}}}')
    assert known.of(TABLET) == Measured()
    known.keep(TABLET, Measured(long_press_ms=400))
    assert known.of(TABLET).long_press_ms == 400
    assert "are not used" in caplog.text
    caplog.clear()
