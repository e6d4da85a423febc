import subprocess
import time

import pytest

from odyssey_recorder.simulator.faults import FrameFault
from tests.simulator.bench import Bench, Launch
from tests.simulator.person import Person


def states(bench: Bench) -> dict[str, str]:
    """What `adb devices` says of each device."""
    lines = bench.server.adb("devices").stdout.decode().splitlines()[1:]
    return dict(line.split("\t") for line in lines if line)


def frame_size(bench: Bench) -> int:
    screen = bench.emulator.phone.screen()
    return 16 + screen.width * screen.height * 4


def test_an_emulator_that_goes_offline_comes_back_when_told(start: Launch) -> None:
    bench = start()

    bench.console("fault", "offline")
    bench.adb("wait-for-disconnect")
    assert states(bench).get(bench.emulator.serial) != "device"

    bench.console("fault", "online")
    assert bench.adb("wait-for-device").returncode == 0
    assert bench.shell("echo back") == "back\n"


def test_a_frozen_emulator_is_still_listed_and_answers_nothing_until_it_thaws(start: Launch) -> None:
    bench = start()

    bench.console("fault", "freeze", "on")
    with pytest.raises(subprocess.TimeoutExpired):
        bench.adb("shell", "echo hi", timeout_s=0.5)
    assert states(bench)[bench.emulator.serial] == "device"

    bench.console("fault", "freeze", "off")
    assert bench.shell("echo thawed") == "thawed\n"


def test_a_freeze_can_end_by_itself(start: Launch) -> None:
    bench = start()
    begin = time.monotonic()

    bench.console("fault", "freeze", "0.3")

    assert bench.shell("echo thawed") == "thawed\n"
    assert time.monotonic() - begin > 0.3


def test_a_command_that_runs_when_the_emulator_freezes_is_answered_afterwards(start: Launch) -> None:
    bench = start()
    with bench.running("shell", "cat; echo done") as process:
        bench.emulator.faults.freeze()
        assert process.stdin is not None
        process.stdin.close()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        bench.emulator.faults.thaw()
        assert process.stdout is not None
        assert process.stdout.read() == b"done\n"


def test_screen_captures_can_be_made_slow(start: Launch) -> None:
    bench = start()
    bench.console("fault", "screencap-delay", "300")
    begin = time.monotonic()

    assert len(bench.adb("exec-out", "screencap").stdout) == frame_size(bench)

    assert time.monotonic() - begin > 0.3


@pytest.mark.parametrize("words", [("screencap",), ("screencap", "-p")])
def test_a_frame_can_be_cut_short_without_any_error(start: Launch, words: tuple[str, ...]) -> None:
    bench = start()
    whole = bench.adb("exec-out", *words).stdout
    bench.console("fault", "cut-frame", "2")

    frames = [bench.adb("exec-out", *words) for _ in range(3)]

    assert [frame.returncode for frame in frames] == [0, 0, 0]
    assert [len(frame.stdout) == len(whole) for frame in frames] == [False, False, True]
    assert whole.startswith(frames[0].stdout)


def test_a_frame_can_be_black(start: Launch) -> None:
    bench = start()
    bench.console("fault", "black-frame")

    black, good = (bench.adb("exec-out", "screencap").stdout[16:] for _ in range(2))

    assert black == b"\0\0\0\xff" * (len(good) // 4)
    assert good == bench.emulator.phone.screen().rgba


def test_the_connection_can_drop_in_the_middle_of_a_frame(start: Launch) -> None:
    bench = start("pixel_7_pro")
    bench.console("fault", "drop-in-frame")

    frame = bench.adb("shell", "screencap")

    # The client does not always notice: its exit code is 0 or 255.
    assert 16 < len(frame.stdout) < frame_size(bench)
    bench.adb("wait-for-device")
    assert len(bench.adb("exec-out", "screencap").stdout) == frame_size(bench)


def test_a_running_getevent_can_be_killed(start: Launch) -> None:
    bench = start()
    with bench.running("shell", "getevent", "-lt") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"add device 1: /dev/input/event0\n"

        bench.console("fault", "kill-getevent")

        assert process.wait(10) == 137


def reports(lines: list[str]) -> list[list[str]]:
    """The names of what was reported together, without the SYN_REPORT that ends each report."""
    found: list[list[str]] = [[]]
    for name in [line.split()[2] for line in lines]:
        if name == "SYN_REPORT":
            found.append([])
        else:
            found[-1].append(name)
    return found[:-1]


def listed(process: "subprocess.Popen[bytes]") -> None:
    """Read until a getevent over all nodes has listed them."""
    assert process.stdout is not None
    while b"qwerty2" not in process.stdout.readline():
        pass


def test_a_reader_whose_buffer_overflows_loses_reports_and_is_told_so(start: Launch) -> None:
    bench = start()
    guest = bench.emulator.guest
    with bench.running("shell", "getevent", "-l") as process:
        listed(process)

        bench.console("fault", "syn-dropped", "2")
        guest.window_touch(100, 200, pressed=True)  # lost
        guest.window_touch(100, 300, pressed=True)  # lost but for its end
        guest.window_touch(100, 300, pressed=False)
        guest.window_touch(100, 300, pressed=True)
        assert process.stdout is not None
        lines = [process.stdout.readline().decode() for _ in range(9)]

    assert reports(lines) == [
        ["SYN_DROPPED", "ABS_MT_POSITION_Y"],
        ["ABS_MT_PRESSURE", "ABS_MT_TRACKING_ID"],
        ["ABS_MT_TRACKING_ID", "ABS_MT_PRESSURE"],
    ]


def test_the_phone_feels_a_touch_whose_report_is_lost(start: Launch) -> None:
    bench = start()
    bench.console("fault", "syn-dropped", "9")
    notes = Person(bench.emulator.phone).find("Notes").bounds.center

    for pressed in (True, False):
        bench.emulator.guest.window_touch(*notes, pressed=pressed)

    assert bench.emulator.phone.state().package == "com.odyssey.notes"


@pytest.mark.parametrize("by_s", [1000.0, -20.0])
def test_the_guests_clock_can_jump(start: Launch, by_s: float) -> None:
    bench = start()
    before = float(bench.shell("cat /proc/uptime").split()[0])

    bench.console("fault", "clock-jump", str(by_s))

    after = float(bench.shell("cat /proc/uptime").split()[0])
    assert after - before == pytest.approx(by_s, abs=5)


def test_a_loaded_snapshot_puts_the_clock_back_lifts_the_fingers_and_cuts_every_connection(start: Launch) -> None:
    bench = start()
    guest = bench.emulator.guest
    bench.console("avd", "snapshot", "save", "fresh")
    saved_s = guest.clock.now_ns() / 1e9
    bench.console("fault", "clock-jump", "500")
    with bench.running("shell", "getevent", "-l") as process:
        listed(process)
        guest.window_touch(100, 200, pressed=True)

        bench.console("avd", "snapshot", "load", "fresh")

        process.wait(10)
    bench.adb("wait-for-device")
    assert float(bench.shell("cat /proc/uptime").split()[0]) == pytest.approx(saved_s, abs=5)
    assert not guest.touch_screen().contacts()


def test_input_can_be_refused_and_then_reaches_nobody(start: Launch) -> None:
    bench = start()
    bench.console("fault", "refuse-input", "on")
    before = bench.emulator.phone.screen()

    refused = bench.adb("shell", "input tap 360 640")

    assert refused.returncode == 255
    assert b"SecurityException" in refused.stderr
    assert bench.emulator.phone.screen() is before
    bench.console("fault", "refuse-input", "off")
    assert bench.adb("shell", "input tap 360 640").returncode == 0


def test_clear_makes_all_well_again(start: Launch) -> None:
    bench = start()
    for fault in FrameFault:
        bench.emulator.faults.spoil_frames(fault, 5)
    bench.console("fault", "refuse-input", "on")
    bench.console("fault", "offline")

    bench.console("fault", "clear")

    bench.adb("wait-for-device")
    assert len(bench.adb("exec-out", "screencap").stdout) == frame_size(bench)
    assert bench.shell("input tap 1 1") == ""


@pytest.mark.parametrize("words", [("freeze", "on"), ("freeze", "60"), ("offline",)])
def test_an_emulator_stops_whatever_is_wrong_with_it(start: Launch, words: tuple[str, ...]) -> None:
    bench = start()
    bench.console("fault", *words)

    bench.emulator.stop()

    assert not bench.emulator.killed.is_set()


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("explode",),
        ("freeze", "soon"),
        ("cut-frame", "many"),
        ("refuse-input", "x"),
        ("clock-jump", "inf"),
        ("syn-dropped", "x"),
    ],
)
def test_a_fault_there_is_not_is_refused(bench: Bench, words: tuple[str, ...]) -> None:
    assert bench.console("fault", *words)[0].startswith("KO: ")
