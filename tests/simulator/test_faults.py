import subprocess
import time

import pytest

from odyssey_recorder.simulator.faults import FrameFault
from tests.simulator.bench import Bench, Launch
from tests.simulator.person import Person


def states(bench: Bench) -> dict[str, str]:
    """The states in the output of `adb devices`."""
    lines = bench.server.adb("devices").stdout.decode().splitlines()[1:]
    return dict(line.split("\t") for line in lines if line)


def frame_size(bench: Bench) -> int:
    screen = bench.emulator.phone.screen()
    return 16 + screen.width * screen.height * 4


# The connection


def test_an_emulator_that_goes_offline_comes_back_when_told(own: Bench) -> None:
    own.console("fault", "offline")
    own.adb("wait-for-disconnect")
    assert states(own).get(own.emulator.serial) != "device"

    own.console("fault", "online")
    assert own.adb("wait-for-device").returncode == 0
    assert own.shell("echo back") == "back\n"


def test_a_frozen_emulator_is_still_listed_and_answers_nothing_until_it_thaws(own: Bench) -> None:
    with own.running("shell", "cat; echo done") as process:
        own.console("fault", "freeze", "on")
        assert process.stdin is not None
        process.stdin.close()
        with pytest.raises(subprocess.TimeoutExpired):
            own.adb("shell", "echo hi", timeout_s=0.3)
        assert process.poll() is None
        assert states(own)[own.emulator.serial] == "device"

        own.console("fault", "freeze", "off")
        assert process.stdout is not None
        assert process.stdout.read() == b"done\n"
    assert own.shell("echo thawed") == "thawed\n"


def test_a_freeze_can_end_by_itself(own: Bench) -> None:
    begin = time.monotonic()

    own.console("fault", "freeze", "0.3")

    assert own.shell("echo thawed") == "thawed\n"
    assert time.monotonic() - begin > 0.3


@pytest.mark.parametrize("words", [("freeze", "on"), ("freeze", "60"), ("offline",)])
def test_an_emulator_stops_whatever_is_wrong_with_it(start: Launch, words: tuple[str, ...]) -> None:
    bench = start()
    bench.console("fault", *words)

    bench.emulator.stop()

    assert not bench.emulator.killed.is_set()


# Frames


@pytest.mark.parametrize("words", [("screencap",), ("screencap", "-p")])
def test_a_frame_can_be_cut_short_without_any_error(own: Bench, words: tuple[str, ...]) -> None:
    whole = own.adb("exec-out", *words).stdout
    own.console("fault", "cut-frame", "2")

    frames = [own.adb("exec-out", *words) for _ in range(3)]

    assert [frame.returncode for frame in frames] == [0, 0, 0]
    assert [len(frame.stdout) == len(whole) for frame in frames] == [False, False, True]
    assert whole.startswith(frames[0].stdout)


def test_a_frame_can_be_black_or_slow(own: Bench) -> None:
    own.console("fault", "black-frame")
    black, good = (own.adb("exec-out", "screencap").stdout[16:] for _ in range(2))
    assert black == b"\0\0\0\xff" * (len(good) // 4)
    assert good == own.emulator.phone.screen().rgba

    own.console("fault", "screencap-delay", "300")
    begin = time.monotonic()
    assert len(own.adb("exec-out", "screencap").stdout) == frame_size(own)
    assert time.monotonic() - begin > 0.3


def test_the_connection_can_drop_in_the_middle_of_a_frame(restored: Launch) -> None:
    bench = restored("pixel_7_pro")
    bench.console("fault", "drop-in-frame")

    frame = bench.adb("shell", "screencap")

    # The client does not always notice: its exit code is 0 or 255.
    assert 16 < len(frame.stdout) < frame_size(bench)
    bench.adb("wait-for-device")
    assert len(bench.adb("exec-out", "screencap").stdout) == frame_size(bench)


# Input


def reports(lines: list[str]) -> list[list[str]]:
    """The event names of each report, without the SYN_REPORT that ends it."""
    found: list[list[str]] = [[]]
    for name in [line.split()[2] for line in lines]:
        if name == "SYN_REPORT":
            found.append([])
        else:
            found[-1].append(name)
    return found[:-1]


def listed(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdout is not None
    while b"qwerty2" not in process.stdout.readline():
        pass


def test_a_running_getevent_can_be_killed(own: Bench) -> None:
    with own.running("shell", "getevent", "-lt") as process:
        listed(process)

        own.console("fault", "kill-getevent")

        assert process.wait(10) == 137


def test_a_reader_whose_buffer_overflows_loses_reports_and_is_told_so(own: Bench) -> None:
    guest = own.emulator.guest
    with own.running("shell", "getevent", "-l") as process:
        listed(process)

        own.console("fault", "syn-dropped", "2")
        guest.window_touch(100, 200, pressed=True)  # lost
        guest.window_touch(100, 300, pressed=True)  # lost except its SYN_REPORT
        guest.window_touch(100, 300, pressed=False)
        guest.window_touch(100, 300, pressed=True)
        assert process.stdout is not None
        lines = [process.stdout.readline().decode() for _ in range(9)]

    assert reports(lines) == [
        ["SYN_DROPPED", "ABS_MT_POSITION_Y"],
        ["ABS_MT_PRESSURE", "ABS_MT_TRACKING_ID"],
        ["ABS_MT_TRACKING_ID", "ABS_MT_PRESSURE"],
    ]


def test_the_phone_feels_a_touch_whose_report_is_lost(own: Bench) -> None:
    own.console("fault", "syn-dropped", "9")
    notes = Person(own.emulator.phone).find("Notes").bounds.center

    for pressed in (True, False):
        own.emulator.guest.window_touch(*notes, pressed=pressed)

    assert own.emulator.phone.state().package == "com.odyssey.notes"


def test_input_can_be_refused_and_then_reaches_nobody(own: Bench) -> None:
    own.console("fault", "refuse-input", "on")
    before = own.emulator.phone.screen()

    refused = own.adb("shell", "input tap 360 640")

    assert refused.returncode == 255
    assert b"SecurityException" in refused.stderr
    assert own.emulator.phone.screen() is before
    own.console("fault", "refuse-input", "off")
    assert own.adb("shell", "input tap 360 640").returncode == 0


# The clock, and all of them


@pytest.mark.parametrize("by_s", [1000.0, -20.0])
def test_the_guests_clock_can_jump(own: Bench, by_s: float) -> None:
    before = own.uptime_s()

    own.console("fault", "clock-jump", str(by_s))

    assert own.uptime_s() - before == pytest.approx(by_s, abs=5)


def test_clear_makes_all_well_again(own: Bench) -> None:
    for fault in FrameFault:
        own.emulator.faults.spoil_frames(fault, 5)
    for words in (("refuse-input", "on"), ("paste-limit", "3"), ("field-limit", "3"), ("offline",)):
        assert own.console("fault", *words) == ["OK"]

    own.console("fault", "clear")

    own.adb("wait-for-device")
    assert len(own.adb("exec-out", "screencap").stdout) == frame_size(own)
    assert own.shell("input tap 1 1") == ""


@pytest.mark.parametrize(
    "line",
    [
        *("", "explode", "freeze soon", "cut-frame many", "refuse-input x", "clock-jump inf", "syn-dropped x"),
        *("field-limit", "second-display"),
    ],
)
def test_a_fault_there_is_not_is_refused(bench: Bench, line: str) -> None:
    assert bench.console("fault", *line.split())[0].startswith("KO: ")
