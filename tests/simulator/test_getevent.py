import re
import time
from pathlib import Path

import pytest

from odyssey_simulator.evdev import InputNodes
from tests.simulator.bench import Bench

CAPTURES = Path(__file__).parents[1] / "data" / "getevent"


def capture_of(name: str, command: str) -> str:
    """The output of `command` on a real emulator, from a capture that may hold several commands."""
    text = (CAPTURES / name).read_text()
    after = text.split(command, 1)[1] if command else text
    return after.split("\n", 1)[1].split("\n# ", 1)[0].rstrip("\n") + "\n"


@pytest.mark.parametrize("option", ["-p", "-lp"])
def test_touch_node_is_described_like_a_real_one(bench: Bench, option: str) -> None:
    expected = capture_of("api36_phone_touchnode_p_lp.txt", f"getevent {option} /dev/input/event1")
    assert bench.shell(f"getevent {option} /dev/input/event1") == expected


def test_keyboard_and_foldable_nodes_are_described_like_real_ones(bench: Bench) -> None:
    keyboard = (CAPTURES / "qwerty2_node_p.txt").read_text().split("add device 2")[0]
    first_twelve = bench.shell("getevent -p").split("add device 13")[0]
    assert bench.shell("getevent -p /dev/input/event12") == keyboard.replace("event11", "event12")
    assert first_twelve == capture_of("api36_fold_all_nodes_p.txt", "")


def test_missing_node_cannot_be_read(bench: Bench) -> None:
    done = bench.adb("shell", "getevent /dev/input/event99")
    assert (done.returncode, done.stderr) == (1, b"could not open /dev/input/event99, No such file or directory\n")


def without_stamp(lines: list[str]) -> list[str]:
    return [re.sub(r"^\[ *\d+\.\d{6}\] ", "", line) for line in lines]


def test_window_touch_is_printed_like_a_real_one(bench: Bench) -> None:
    # given a real tap at raw (0x749e, 0x3d10), and the corresponding position on our panel
    real = (CAPTURES / "emulator_key_and_tap_all_devices_2024.txt").read_text().splitlines()[5:10]
    panel = bench.phone.state().physical_size
    x, y = (0x749E + 0.5) * panel.width / 32767, (0x3D10 + 0.5) * panel.height / 32767

    with bench.getevent("-lt") as events:
        bench.emulator.guest.window_touch(x, y, pressed=True)
        down = events.lines(5)
        bench.emulator.guest.window_touch(x, y, pressed=False)
        up = events.lines(3)

    assert without_stamp(down) == without_stamp(real)
    assert [line.split()[-1] for line in up] == ["00000000", "ffffffff", "00000000"]
    assert {len(line) for line in down + up} == {len(real[0])}
    assert len({line.split("]")[0] for line in down}) == 1, "one report, one stamp"


def stamp_of(line: str) -> float:
    return float(line.split("]")[0].strip("[ "))


def test_timestamps_use_the_guest_clock(bench: Bench) -> None:
    with bench.getevent("-t") as events:
        before = bench.uptime_s()
        bench.console("event", "mouse", "1", "2", "0", "1")
        bench.console("event", "mouse", "1", "2", "0", "0")
        [line] = events.lines(1)
        after = bench.uptime_s() + 0.01

    assert before <= stamp_of(line) <= after
    assert abs(time.monotonic() - after) > 5


def test_uptime_has_two_decimals_and_can_be_read_repeatedly(bench: Bench) -> None:
    lines = bench.shell("cat /proc/uptime; cat < /proc/uptime; cat /proc/uptime /proc/uptime").splitlines()
    assert all(re.fullmatch(r"\d+\.\d\d \d+\.\d\d", line) for line in lines)
    seconds = [float(line.split()[0]) for line in lines]
    assert len(seconds) == 4
    assert seconds == sorted(seconds)


def test_unchanged_values_are_not_reported(fresh_bench: Bench) -> None:
    with fresh_bench.getevent("-l") as events:
        for buttons in ("1", "0", "1", "0"):
            fresh_bench.console("event", "mouse", "300", "900", "0", buttons)
        lines = events.lines(11)

    kinds = [line.split()[2] for line in lines]
    first_tap = ["ABS_MT_TRACKING_ID", "ABS_MT_POSITION_X", "ABS_MT_POSITION_Y", "ABS_MT_PRESSURE", "SYN_REPORT"]
    lift = ["ABS_MT_PRESSURE", "ABS_MT_TRACKING_ID", "SYN_REPORT"]
    assert kinds == [*first_tap, *lift, "ABS_MT_TRACKING_ID", "ABS_MT_PRESSURE", "SYN_REPORT"]


def test_pinch_is_reported_slot_by_slot(fresh_bench: Bench) -> None:
    guest = fresh_bench.emulator.guest

    with fresh_bench.getevent("-l") as events:
        for slot, x in ((0, 100), (1, 300), (0, 50), (1, 350)):
            guest.window_touch(x, 300, pressed=True, slot=slot)
        for slot, x in ((0, 50), (1, 350)):
            guest.window_touch(x, 300, pressed=False, slot=slot)
        lines = [line.split()[2:] for line in events.lines(25)]

    down, lift = ["TRACKING_ID", "POSITION_X", "POSITION_Y", "PRESSURE"], ["PRESSURE", "TRACKING_ID"]
    assert [name.removeprefix("ABS_MT_") for name, _ in lines] == [
        *(*down, "SYN_REPORT"),
        *("SLOT", *down, "SYN_REPORT"),
        *("SLOT", "POSITION_X", "SYN_REPORT") * 2,
        *("SLOT", *lift, "SYN_REPORT") * 2,
    ]
    ids = [value for name, value in lines if name == "ABS_MT_TRACKING_ID"]
    assert ids == ["00000000", "00000001", "ffffffff", "ffffffff"]


def test_input_commands_bypass_the_kernel(bench: Bench) -> None:
    with bench.getevent("-l") as events:
        bench.shell("input tap 100 100; input keyevent BACK; input swipe 1 1 9 9 20; input text a")
        bench.console("event", "send", "EV_KEY:KEY_HOME:1", "EV_KEY:KEY_HOME:0")
        [line] = events.lines(1)
    assert line.split() == ["/dev/input/event12:", "EV_KEY", "KEY_HOME", "DOWN"]


@pytest.mark.parametrize("by", ["mouse", "sendevent"])
def test_back_key_comes_from_right_click_and_sendevent(bench: Bench, by: str) -> None:
    node = "/dev/input/event12"
    with bench.getevent("-l", "-c", "4") as events:
        if by == "mouse":
            bench.console("event", "mouse", "5", "5", "0", "2")
        for value in (1, 0) if by == "sendevent" else ():
            bench.shell(f"sendevent {node} 1 158 {value}; sendevent {node} 0 0 0")
        lines = events.lines(4)

        assert [line.split()[1:] for line in lines[::2]] == [["EV_KEY", "KEY_BACK", way] for way in ("DOWN", "UP")]
        assert events.process.wait(60) == 0, "the count ends it"


def test_folded_phone_reports_touches_on_its_outer_panel(fold: Bench) -> None:
    fold.console("fold")
    with fold.getevent() as events:
        fold.console("event", "mouse", "540", "1046", "0", "1")
        [line] = events.lines(1)
    assert line.startswith("/dev/input/event7: 0003 0039 00000000")


def test_slot_keeps_its_position_between_touches() -> None:
    nodes = InputNodes()
    screen = nodes.touch_screens[0]
    assert screen.take([(3, 0x35, 100)]) == [(3, 0x35, 100)]
    assert screen.take([(3, 0x35, 100)]) == []
    assert screen.take([(3, 0x2F, 1)]) == [], "a slot is announced only when something changes in it"
    assert screen.take([(3, 0x35, 100)]) == [(3, 0x2F, 1), (3, 0x35, 100)], "another slot knows nothing of it"
