"""`uiautomator dump`: how long it takes, who may run it, and what it restores."""

import asyncio
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest

from odyssey_simulator.shell.uiautomator import compressed_tree
from odyssey_simulator.ui.geometry import Rect
from odyssey_simulator.ui.node import Node
from odyssey_simulator.ui_automation import DumpTiming
from tests.cli import wait_until
from tests.simulator.bench import Bench

NEVER_RESTS = DumpTiming(start_s=0.0, rest_s=3600.0, patience_s=3600.0)
GIVES_UP = DumpTiming(start_s=0.0, rest_s=3600.0, patience_s=0.1)


class Seconds:
    """A clock that moves only while somebody sleeps; the screen changes at `changes_s`."""

    def __init__(self, *changes_s: float) -> None:
        self.now_s = 0.0
        self._changes_s = changes_s

    def now_ns(self) -> int:
        return round(self.now_s * 1e9)

    def changed_ns(self) -> int:
        return round(max((at for at in (-5.0, *self._changes_s) if at <= self.now_s), default=0.0) * 1e9)

    async def sleep(self, for_s: float) -> None:
        self.now_s += for_s

    def rests(self) -> bool:
        return asyncio.run(DumpTiming().rests(self.changed_ns, self.now_ns, self.sleep))


@pytest.mark.parametrize(
    ("changes_s", "rested_s"),
    [((), 1.0), ((0.4,), 1.4), ((0.4, 1.3, 2.2), 3.2), ((0.5, 1.6), 1.5)],
    ids=["a screen at rest", "one change", "three changes", "a change after the rest"],
)
def test_dump_waits_for_a_second_without_a_change(changes_s: tuple[float, ...], rested_s: float) -> None:
    seconds = Seconds(*changes_s)

    assert seconds.rests()
    assert seconds.now_s == pytest.approx(rested_s)


def test_dump_gives_up_after_ten_seconds() -> None:
    seconds = Seconds(*(0.5 * number for number in range(40)))

    assert not seconds.rests()
    assert seconds.now_s == pytest.approx(10.0)


@pytest.fixture
def bench(fresh_bench: Bench) -> Iterator[Bench]:
    """With the real timing: its tests never wait for it to pass, or wait for no more than they must."""
    automation = fresh_bench.emulator.guest.automation
    before, automation.timing = automation.timing, DumpTiming()
    yield fresh_bench
    automation.timing = before


def test_dump_takes_as_long_as_on_a_device(bench: Bench) -> None:
    before_s = bench.uptime_s()
    assert "dumped to" in bench.shell("uiautomator dump")
    assert bench.uptime_s() - before_s >= 1.28, "on the guest's clock, which shows hundredths"


def test_screen_that_never_rests_has_no_dump(bench: Bench) -> None:
    bench.emulator.guest.automation.timing = GIVES_UP
    completed = bench.adb("shell", "uiautomator dump /sdcard/x.xml; cat /sdcard/x.xml")
    assert completed.stderr.decode().splitlines()[0] == "ERROR: could not get idle state."
    assert completed.stdout == b""


def test_second_dump_fails_while_one_runs(bench: Bench) -> None:
    automation = bench.emulator.guest.automation
    automation.timing = NEVER_RESTS
    before = automation.dumps
    with bench.running("shell", "uiautomator dump"):
        wait_until(lambda: automation.dumps > before)
        second = bench.adb("shell", "uiautomator dump")
    assert second.returncode != 0
    assert second.stderr.startswith(b"java.lang.IllegalStateException: UiAutomationService ")
    assert b"already registered!" in second.stderr


def test_dump_fails_while_another_program_is_connected(bench: Bench) -> None:
    bench.console("fault", "other-automation", "on")
    assert b"already registered!" in bench.adb("shell", "uiautomator dump").stderr
    bench.console("fault", "other-automation", "off")
    assert "dumped to" in bench.shell("uiautomator dump")


@pytest.mark.parametrize("locked", ["0", "1"], ids=["locked", "free"])
def test_rotation_chosen_during_a_dump_is_undone(bench: Bench, locked: str) -> None:
    automation, phone = bench.emulator.guest.automation, bench.phone
    phone.put_setting("system", "accelerometer_rotation", locked)
    automation.timing = NEVER_RESTS
    before = automation.dumps
    with bench.running("shell", "uiautomator dump"):
        wait_until(lambda: automation.dumps > before)
        phone.put_setting("system", "accelerometer_rotation", "0")
        phone.put_setting("system", "user_rotation", "1")
        assert phone.screen().rotation == 1
    wait_until(lambda: phone.get_setting("system", "accelerometer_rotation") == locked)
    wait_until(lambda: phone.get_setting("system", "user_rotation") == "0")


def test_compressed_dump_leaves_out_views_that_only_hold_others() -> None:
    box = Rect(0, 0, 9, 9)
    leaf = Node("android.widget.TextView", "app", box, text="Milk")
    row = Node("android.view.ViewGroup", "app", box, clickable=True, children=(leaf,))
    frame = Node("android.widget.FrameLayout", "app", box, children=(row,))
    root = Node("android.widget.FrameLayout", "app", box, children=(frame,))

    assert [*compressed_tree(root).walk()][1:] == [row, leaf]


def test_only_a_compressed_dump_may_find_the_window(bench: Bench) -> None:
    bench.emulator.guest.automation.timing = DumpTiming(0.0, 0.0)
    bench.console("fault", "hide-root", "on")
    assert b"null root node" in bench.adb("shell", "uiautomator dump").stderr
    assert _views(bench, "--compressed")


def _views(bench: Bench, option: str) -> list[str]:
    dumped = bench.shell(f"uiautomator dump {option} /dev/tty").partition("</hierarchy>")
    return [node.get("text", "") for node in ET.fromstring(dumped[0] + dumped[1]).iter("node")]
