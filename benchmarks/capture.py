"""One raw frame: our device against a bare socket loop, and against adbutils' own screenshot."""

from adbutils import AdbClient

from benchmarks.bare import BareAdb
from benchmarks.figure import Figure, in_turn
from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer

ROUNDS = 25


def measure(device: AdbDevice, server: AdbServer) -> list[Figure]:
    """The two figures of a frame."""
    floor = BareAdb(server, device.serial, device.properties().size)
    theirs = AdbClient(host=server.host, port=server.port).device(device.serial)
    ours_ms, floor_ms = in_turn((device.capture, floor.capture), rounds=ROUNDS)
    again_ms, theirs_ms = in_turn((device.capture, theirs.screenshot), rounds=ROUNDS)
    return [
        Figure("a raw frame by device/adb.py", ours_ms, "ms", "bare socket", floor_ms, "<= 1.3"),
        Figure("the same, in turn with adbutils", again_ms, "ms", "screenshot()", theirs_ms, "<= 0.2"),
    ]
