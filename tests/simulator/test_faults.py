import time

import pytest

from odyssey_recorder.errors import DeviceError
from odyssey_simulator.faults import FrameFault
from tests.simulator.bench import Bench, StartBench
from tests.simulator.person import Person


def states(bench: Bench) -> dict[str, str]:
    """The states in the output of `adb devices`."""
    lines = bench.server.adb("devices").stdout.decode().splitlines()[1:]
    return dict(line.split("\t") for line in lines if line)


def frame_size(bench: Bench) -> int:
    screen = bench.phone.screen()
    return 16 + screen.width * screen.height * 4


def test_offline_emulator_comes_back_on_request(fresh_bench: Bench) -> None:
    fresh_bench.console("fault", "offline")
    fresh_bench.adb("wait-for-disconnect")
    assert states(fresh_bench).get(fresh_bench.emulator.serial) != "device"
    fresh_bench.console("fault", "online")
    assert fresh_bench.adb("wait-for-device").returncode == 0
    assert fresh_bench.shell("echo back") == "back\n"


def test_frozen_emulator_is_listed_but_does_not_answer(fresh_bench: Bench) -> None:
    with fresh_bench.running("shell", "cat; echo done") as process:
        fresh_bench.console("fault", "freeze", "on")
        assert process.stdin is not None
        process.stdin.close()
        with pytest.raises(DeviceError, match="did not end"):
            fresh_bench.adb("shell", "echo hi", timeout_s=0.3)
        assert process.poll() is None
        assert states(fresh_bench)[fresh_bench.emulator.serial] == "device"

        fresh_bench.console("fault", "freeze", "off")
        assert process.stdout is not None
        assert process.stdout.read() == b"done\n"
    assert fresh_bench.shell("echo thawed") == "thawed\n"


def test_freeze_can_end_after_a_time(fresh_bench: Bench) -> None:
    start_s = time.monotonic()
    fresh_bench.console("fault", "freeze", "0.3")
    assert fresh_bench.shell("echo thawed") == "thawed\n"
    assert time.monotonic() - start_s > 0.3


@pytest.mark.parametrize("arguments", [("freeze", "on"), ("freeze", "60"), ("offline",)])
def test_emulator_can_be_stopped_during_a_fault(start_bench: StartBench, arguments: tuple[str, ...]) -> None:
    bench = start_bench()
    bench.console("fault", *arguments)
    bench.emulator.stop()
    assert not bench.emulator.killed.is_set()


@pytest.mark.parametrize("arguments", [("screencap",), ("screencap", "-p")])
def test_screencap_can_be_truncated_without_an_error(fresh_bench: Bench, arguments: tuple[str, ...]) -> None:
    whole = fresh_bench.adb("exec-out", *arguments).stdout
    fresh_bench.console("fault", "cut-frame", "2")
    frames = [fresh_bench.adb("exec-out", *arguments) for _ in range(3)]
    assert [frame.returncode for frame in frames] == [0, 0, 0]
    assert [len(frame.stdout) == len(whole) for frame in frames] == [False, False, True]
    assert whole.startswith(frames[0].stdout)


def test_screencap_can_be_black_or_slow(fresh_bench: Bench) -> None:
    fresh_bench.console("fault", "black-frame")
    black, good = (fresh_bench.adb("exec-out", "screencap").stdout[16:] for _ in range(2))
    assert black == b"\0\0\0\xff" * (len(good) // 4)
    assert good == fresh_bench.phone.screen().rgba

    fresh_bench.console("fault", "screencap-delay", "300")
    start_s = time.monotonic()
    assert len(fresh_bench.adb("exec-out", "screencap").stdout) == frame_size(fresh_bench)
    assert time.monotonic() - start_s > 0.3


def test_connection_can_drop_during_a_screencap(restored_bench: StartBench) -> None:
    bench = restored_bench("pixel_7_pro")
    bench.console("fault", "drop-in-frame")

    frame = bench.adb("shell", "screencap")

    # The client does not always notice: its exit code is 0 or 255.
    assert 16 < len(frame.stdout) < frame_size(bench)
    bench.wait_for_new_connection()
    assert len(bench.adb("exec-out", "screencap").stdout) == frame_size(bench)


def reports(lines: list[str]) -> list[list[str]]:
    """The event names of each report, without the SYN_REPORT that ends it."""
    reports_so_far: list[list[str]] = [[]]
    for name in [line.split()[2] for line in lines]:
        if name == "SYN_REPORT":
            reports_so_far.append([])
        else:
            reports_so_far[-1].append(name)
    return reports_so_far[:-1]


def test_running_getevent_can_be_killed(fresh_bench: Bench) -> None:
    with fresh_bench.getevent("-lt") as events:
        fresh_bench.console("fault", "kill-getevent")
        assert events.process.wait(60) == 137


def test_buffer_overflow_loses_reports_and_sends_syn_dropped(fresh_bench: Bench) -> None:
    guest = fresh_bench.emulator.guest
    with fresh_bench.getevent("-l") as events:
        fresh_bench.console("fault", "syn-dropped", "2")
        guest.window_touch(100, 200, pressed=True)  # lost
        guest.window_touch(100, 300, pressed=True)  # lost except its SYN_REPORT
        guest.window_touch(100, 300, pressed=False)
        guest.window_touch(100, 300, pressed=True)
        lines = events.lines(9)

    assert reports(lines) == [
        ["SYN_DROPPED", "ABS_MT_POSITION_Y"],
        ["ABS_MT_PRESSURE", "ABS_MT_TRACKING_ID"],
        ["ABS_MT_TRACKING_ID", "ABS_MT_PRESSURE"],
    ]


def test_touch_works_when_its_report_is_lost(fresh_bench: Bench) -> None:
    fresh_bench.console("fault", "syn-dropped", "9")
    notes = Person(fresh_bench.phone).find("Notes").bounds.center
    for pressed in (True, False):
        fresh_bench.emulator.guest.window_touch(*notes, pressed=pressed)
    assert fresh_bench.phone.state().package == "com.odyssey.notes"


def test_refused_input_does_not_reach_the_phone(fresh_bench: Bench) -> None:
    fresh_bench.console("fault", "refuse-input", "on")
    before = fresh_bench.phone.screen()

    refused = fresh_bench.adb("shell", "input tap 360 640")

    assert refused.returncode == 255
    assert b"SecurityException" in refused.stderr
    assert fresh_bench.phone.screen() is before
    fresh_bench.console("fault", "refuse-input", "off")
    assert fresh_bench.adb("shell", "input tap 360 640").returncode == 0


@pytest.mark.parametrize("by_s", [1000.0, -20.0])
def test_guest_clock_can_jump(fresh_bench: Bench, by_s: float) -> None:
    before = fresh_bench.uptime_s()
    fresh_bench.console("fault", "clock-jump", str(by_s))
    assert fresh_bench.uptime_s() - before == pytest.approx(by_s, abs=5)


def test_clear_ends_every_fault(fresh_bench: Bench) -> None:
    for fault in FrameFault:
        fresh_bench.emulator.faults.spoil_frames(fault, 5)
    for arguments in (("refuse-input", "on"), ("paste-limit", "3"), ("field-limit", "3"), ("offline",)):
        assert fresh_bench.console("fault", *arguments) == ["OK"]

    fresh_bench.console("fault", "clear")

    fresh_bench.wait_for_new_connection()
    assert len(fresh_bench.adb("exec-out", "screencap").stdout) == frame_size(fresh_bench)
    assert fresh_bench.shell("input tap 1 1") == ""
