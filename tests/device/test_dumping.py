"""Reading the views of a device where only one program at a time may: a thread, another process, another program."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from subprocess import DEVNULL, Popen

import pytest

from odyssey_recorder.device import dumping
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.repair import PutSetting
from odyssey_recorder.errors import DeviceError
from odyssey_simulator.ui_automation import DumpTiming, UiAutomation
from tests.cli import wait_until
from tests.device.bench import DeviceBench

NEVER_RESTS = DumpTiming(start_s=0.0, rest_s=3600.0, patience_s=3600.0)
SLOW = DumpTiming(start_s=0.0, rest_s=0.3)


@pytest.fixture
def automation(bench: DeviceBench) -> Iterator[UiAutomation]:
    automation = bench.emulator.guest.automation
    before = automation.timing
    automation.timing = SLOW
    yield automation
    automation.timing = before


def test_all_readers_of_a_process_take_turns(bench: DeviceBench, automation: UiAutomation) -> None:
    refusals = automation.refusals
    devices = [bench.device, bench.connect_over_adb(), bench.connect_over_adb()]
    with ThreadPoolExecutor(len(devices)) as readers:
        dumps = list(readers.map(lambda device: device.view_hierarchy(), devices))

    assert all("Clock" in dump for dump in dumps)
    assert automation.refusals == refusals


def test_reading_waits_for_a_dump_of_another_process(bench: DeviceBench, automation: UiAutomation) -> None:
    automation.timing = NEVER_RESTS
    dumps, refusals = automation.dumps, automation.refusals
    command = [*bench.device.adb_command, "shell", "uiautomator dump"]
    with Popen(command, stdin=DEVNULL, stdout=DEVNULL) as other, ThreadPoolExecutor(1) as reader:
        wait_until(lambda: automation.dumps > dumps)
        dump = reader.submit(bench.device.view_hierarchy)
        wait_until(lambda: automation.refusals > refusals)
        automation.timing = SLOW
        other.kill()
        assert "Clock" in dump.result()


def test_program_that_keeps_reading_is_named(bench: DeviceBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumping, "PAUSES_S", (0.0, 0.0))
    bench.emulator.faults.take_automation(taken=True)
    with pytest.raises(DeviceError, match=r"Another program reads its views: Appium, .*already registered"):
        bench.device.view_hierarchy()


def test_program_that_stays_connected_costs_one_try_a_minute(
    bench: DeviceBench, automation: UiAutomation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dumping, "PAUSES_S", (0.0, 0.0))
    now_s = 1000.0
    reader = dumping.ViewReader(AdbShell(bench.emulator.serial, bench.server), lambda: now_s)

    def tries() -> int:
        before = automation.refusals
        with pytest.raises(DeviceError, match="Another program reads its views"):
            reader.read()
        return automation.refusals - before

    bench.emulator.faults.take_automation(taken=True)
    assert [tries(), tries(), tries()] == [3, 1, 1]
    now_s += dumping.KNOWN_TAKEN_S - 1
    assert tries() == 1
    now_s += 1
    assert [tries(), tries()] == [3, 1]
    bench.emulator.faults.take_automation(taken=False)
    assert "Clock" in reader.read()
    bench.emulator.faults.take_automation(taken=True)
    assert tries() == 3, "it may be another recorder's dump again"


def test_window_is_looked_for_again_in_a_smaller_tree(bench: DeviceBench) -> None:
    bench.emulator.faults.hide_root(hidden=True)
    assert "Clock" in bench.device.view_hierarchy()


def test_tree_that_is_too_large_is_read_smaller(bench: DeviceBench, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bench.device.view_hierarchy()
    monkeypatch.setattr(dumping, "LONGEST", len(whole) - 1)
    dumps = bench.emulator.guest.automation.dumps
    assert "Clock" in bench.device.view_hierarchy()
    assert bench.emulator.guest.automation.dumps == dumps + 2


def test_change_of_the_rotation_waits_for_the_reading(bench: DeviceBench, automation: UiAutomation) -> None:
    automation.timing = NEVER_RESTS
    before = automation.dumps
    reading = bench.connect_over_adb()
    turned = threading.Event()

    def turn() -> None:
        bench.device.repair(PutSetting("system", "user_rotation", "1"))
        turned.set()

    with ThreadPoolExecutor(2) as threads:
        dump = threads.submit(reading.view_hierarchy)
        wait_until(lambda: automation.dumps > before)
        turn_done = threads.submit(turn)
        assert not turned.wait(0.2), "Android would undo it at the end of the reading"
        reading.close()
        with pytest.raises(DeviceError):
            dump.result()
        turn_done.result()
    assert bench.emulator.phone.get_setting("system", "user_rotation") == "1"
