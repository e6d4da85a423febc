"""The check of a device, on simulated emulators behind the real adb."""

from collections.abc import Callable
from pathlib import Path

import pytest

from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.measured import MeasuredDevices
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.services.device_check import DeviceCheck, DeviceReport, Outcome, Patience
from odyssey_simulator.profile import PROFILES
from tests.device.bench import DeviceBench
from tests.device.conftest import adb_server, bench, emulators, over_grpc, start_bench

__all__ = ["adb_server", "bench", "emulators", "over_grpc", "start_bench"]

QUICK = Patience(SettleRule(still_ms=40, unmoved_ms=100), effect_ms=1500)


def check_of(bench: DeviceBench, folder: Path) -> DeviceCheck:
    connector = DeviceConnector(
        bench.server,
        running=(bench.folder,),
        console_token=folder / "no token",
        measured=MeasuredDevices(folder / "measured.json"),
    )
    return DeviceCheck(connector, QUICK)


def lines_of(report: DeviceReport, outcome: Outcome) -> list[str]:
    return [f"{line.what}: {line.found}" for line in report.lines if line.outcome is outcome]


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_nothing_differs_on_a_simulated_device(
    start_bench: Callable[[str], DeviceBench], tmp_path: Path, profile: str
) -> None:
    bench = start_bench(profile)
    before = bench.emulator.phone.state()
    report = check_of(bench, tmp_path).run(bench.emulator.serial)
    assert lines_of(report, Outcome.DIFFERENT) == []
    assert lines_of(report, Outcome.NOT_POSSIBLE) == []
    assert bench.emulator.phone.state() == before
