"""Faults between a recorder and the simulated emulator of a laboratory, and their remedies."""

from collections.abc import Callable
from dataclasses import dataclass

from odyssey_recorder.simulator.faults import FrameFault
from tests.end_to_end.laboratory import Laboratory

ADB, BOTH = ("adb",), ("adb", "gRPC")


@dataclass(frozen=True)
class Fault:
    """A fault and its remedy.

    `changing`: it changes the screen. `cuts_off`: the ways, "adb" or "gRPC", that lose the device, so that the remedy
    waits until the loss is noticed. `deafens`: it ends getevent.
    """

    name: str
    strike: Callable[[Laboratory], None]
    mend: Callable[[Laboratory], None] = lambda _: None
    changing: bool = False
    cuts_off: tuple[str, ...] = ()
    deafens: bool = False


def spoiling(fault: FrameFault) -> Callable[[Laboratory], None]:
    return lambda lab: lab.emulator.faults.spoil_frames(fault)


def clear(lab: Laboratory) -> None:
    lab.emulator.faults.clear()


def clear_and_bring_back(lab: Laboratory) -> None:
    lab.emulator.faults.clear()
    lab.bring_back()


def start_server(lab: Laboratory) -> None:
    lab.server.start()
    lab.bring_back()


def drop_events(lab: Laboratory) -> None:
    lab.emulator.guest.nodes.lose_reports(1)


def lose_no_more_events(lab: Laboratory) -> None:
    lab.emulator.guest.nodes.lose_reports(0)


OFFLINE = Fault(
    "the device goes offline",
    lambda lab: lab.emulator.faults.go_offline(),
    clear_and_bring_back,
    cuts_off=ADB,
    deafens=True,
)
BROKEN = Fault(
    "all connections break", lambda lab: lab.emulator.faults.break_connections(), Laboratory.bring_back, deafens=True
)
SERVER = Fault("the adb server is killed", lambda lab: lab.server.stop(), start_server, cuts_off=ADB, deafens=True)
SNAPSHOT = Fault("a snapshot is loaded", Laboratory.load_snapshot, Laboratory.bring_back, changing=True, deafens=True)
FROZEN = Fault("the device freezes", lambda lab: lab.emulator.faults.freeze(), clear, cuts_off=BOTH)
HICCUP = Fault("the device freezes for a moment", lambda lab: lab.emulator.faults.freeze(0.2), clear)
CUT = Fault("a screenshot is cut", spoiling(FrameFault.CUT), clear)
BLACK = Fault("a screenshot is black", spoiling(FrameFault.BLACK), clear, changing=True)
DROP = Fault("a connection breaks in a screenshot", spoiling(FrameFault.DROP), clear_and_bring_back)
LATE = Fault("screenshots are late", lambda lab: lab.emulator.faults.delay_screencap(0.2), clear)
REFUSED = Fault("inputs are refused", lambda lab: lab.emulator.faults.refuse_input(refuse=True), clear)
KILLED = Fault("getevent is killed", lambda lab: lab.emulator.faults.kill_getevent(), deafens=True)
DROPPED = Fault("events are dropped", drop_events, lose_no_more_events)
SET_BACK = Fault("the device's clock is set back", lambda lab: lab.emulator.guest.clock.jump(-30.0))
SET_AHEAD = Fault("the device's clock is set ahead", lambda lab: lab.emulator.guest.clock.jump(30.0))
TURNED = Fault(
    "the device is turned", lambda lab: lab.phone.set_rotation(1), lambda lab: lab.phone.set_rotation(0), changing=True
)

OVER_ADB = (OFFLINE, FROZEN, HICCUP, BROKEN, CUT, BLACK, DROP, LATE, KILLED, SET_BACK, SERVER, TURNED, SNAPSHOT)

OVER_GRPC = (
    Fault("the stream stalls", lambda lab: lab.emulator.faults.control.stall(stalled=True), clear),
    Fault("the stream breaks", lambda lab: lab.emulator.faults.control.drop_streams()),
    Fault("calls are refused", lambda lab: lab.emulator.faults.control.refuse(refuse=True), clear),
    Fault("the token changes", lambda lab: lab.emulator.faults.control.renew_token()),
    Fault("the gRPC service goes away", lambda lab: lab.emulator.faults.control.switch_off(off=True), clear),
    Fault("screenshots of the stream are late", lambda lab: lab.emulator.faults.control.delay_frames(0.1), clear),
)
