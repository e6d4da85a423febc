import subprocess
import time

import pytest

from odyssey_recorder.simulator.faults import FrameFault
from tests.simulator.bench import Bench, Launch


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


@pytest.mark.parametrize("words", [(), ("explode",), ("freeze", "soon"), ("cut-frame", "many"), ("refuse-input", "x")])
def test_a_fault_there_is_not_is_refused(bench: Bench, words: tuple[str, ...]) -> None:
    assert bench.console("fault", *words)[0].startswith("KO: ")
