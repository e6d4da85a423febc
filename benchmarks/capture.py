"""A requested frame over adb and over gRPC: our devices compared with bare calls and adbutils' own screenshot."""

from adbutils import AdbClient

from benchmarks.bare import BareAdb, BareControl
from benchmarks.figure import Figure, in_turn
from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.simulated.private_emulators import PrivateEmulators

ROUNDS = 25


def measure(device: AdbDevice, server: AdbServer, emulators: PrivateEmulators) -> list[Figure]:
    floor = BareAdb(server, device.serial, device.properties().size)
    theirs = AdbClient(host=server.host, port=server.port).device(device.serial)
    ours_ms, floor_ms = in_turn((device.capture, floor.capture), rounds=ROUNDS)
    again_ms, theirs_ms = in_turn((device.capture, theirs.screenshot), rounds=ROUNDS)
    bare = BareControl(device.serial, emulators.phones.running_dir)
    emulator = DeviceConnector(server, "grpc", (emulators.phones.running_dir,)).connect(device.serial)
    asked_ms, bare_ms = in_turn((emulator.capture, bare.capture), rounds=ROUNDS)
    emulator.close()
    bare.close()
    return [
        Figure("a raw frame by device/adb.py", ours_ms, "ms", "bare socket", floor_ms, "<= 1.3"),
        Figure("the same, in turn with adbutils", again_ms, "ms", "screenshot()", theirs_ms, "<= 0.2"),
        Figure("a frame asked for over gRPC", asked_ms, "ms", "bare getScreenshot", bare_ms, "<= 1.3"),
    ]
