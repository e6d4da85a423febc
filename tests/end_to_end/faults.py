"""Faults between a recorder and the simulated emulator, and their repairs."""

from collections.abc import Callable
from dataclasses import dataclass

from odyssey_simulator.faults import FrameFault
from tests.end_to_end.emulator_bench import EmulatorBench

ADB, BOTH = ("adb",), ("adb", "gRPC")


@dataclass(frozen=True)
class Fault:
    """A fault and its repair.

    `disconnects`: the ways, "adb" or "gRPC", that lose the device, so that the repair waits until the loss is noticed.
    """

    name: str
    inject: Callable[[EmulatorBench], None]
    repair: Callable[[EmulatorBench], None] = lambda _: None
    changes_screen: bool = False
    disconnects: tuple[str, ...] = ()
    stops_getevent: bool = False


def bad_frames(fault: FrameFault) -> Callable[[EmulatorBench], None]:
    return lambda bench: bench.emulator.faults.spoil_frames(fault)


def clear(bench: EmulatorBench) -> None:
    bench.emulator.faults.clear()


def clear_and_reconnect(bench: EmulatorBench) -> None:
    bench.emulator.faults.clear()
    bench.reconnect()


def start_server(bench: EmulatorBench) -> None:
    bench.server.start()
    bench.reconnect()


OFFLINE = Fault(
    "the device goes offline",
    lambda bench: bench.emulator.faults.go_offline(),
    clear_and_reconnect,
    disconnects=ADB,
    stops_getevent=True,
)
BROKEN = Fault(
    "all connections break",
    lambda bench: bench.emulator.faults.break_connections(),
    EmulatorBench.reconnect,
    stops_getevent=True,
)
SERVER = Fault(
    "the adb server is killed", lambda bench: bench.server.stop(), start_server, disconnects=ADB, stops_getevent=True
)
SNAPSHOT = Fault(
    "a snapshot is loaded",
    EmulatorBench.load_snapshot,
    EmulatorBench.reconnect,
    changes_screen=True,
    stops_getevent=True,
)
FROZEN = Fault("the device freezes", lambda bench: bench.emulator.faults.freeze(), clear, disconnects=BOTH)
HICCUP = Fault("the device freezes for a moment", lambda bench: bench.emulator.faults.freeze(0.2), clear)
CUT = Fault("a screenshot is cut", bad_frames(FrameFault.CUT), clear)
BLACK = Fault("a screenshot is black", bad_frames(FrameFault.BLACK), clear, changes_screen=True)
DROP = Fault("a connection breaks in a screenshot", bad_frames(FrameFault.DROP), clear_and_reconnect)
LATE = Fault("screenshots are late", lambda bench: bench.emulator.faults.delay_screencap(0.2), clear)
REFUSED = Fault("inputs are refused", lambda bench: bench.emulator.faults.refuse_input(refuse=True), clear)
KILLED = Fault("getevent is killed", lambda bench: bench.emulator.faults.kill_getevent(), stops_getevent=True)
DROPPED = Fault(
    "events are dropped",
    lambda bench: bench.emulator.guest.nodes.lose_reports(1),
    lambda bench: bench.emulator.guest.nodes.lose_reports(0),
)
SET_BACK = Fault("the device's clock is set back", lambda bench: bench.emulator.guest.clock.jump(-30.0))
SET_AHEAD = Fault("the device's clock is set ahead", lambda bench: bench.emulator.guest.clock.jump(30.0))
ROTATED = Fault(
    "the device is rotated",
    lambda bench: bench.phone.set_rotation(1),
    lambda bench: bench.phone.set_rotation(0),
    changes_screen=True,
)

OVER_ADB = (OFFLINE, FROZEN, HICCUP, BROKEN, CUT, BLACK, DROP, LATE, KILLED, SET_BACK, SERVER, ROTATED, SNAPSHOT)

OVER_GRPC = (
    Fault("the stream stalls", lambda bench: bench.emulator.faults.control.stall(stalled=True), clear),
    Fault("the stream breaks", lambda bench: bench.emulator.faults.control.drop_streams()),
    Fault("calls are refused", lambda bench: bench.emulator.faults.control.refuse(refuse=True), clear),
    Fault("the token changes", lambda bench: bench.emulator.faults.control.renew_token()),
    Fault("the gRPC service goes away", lambda bench: bench.emulator.faults.control.switch_off(off=True), clear),
    Fault("screenshots of the stream are late", lambda bench: bench.emulator.faults.control.delay_frames(0.1), clear),
)
