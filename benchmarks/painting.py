"""Frames painted by the mirror while the screen never rests, relative to what the transport alone delivers."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue

from PySide6.QtCore import QEvent, QObject

from benchmarks.bare import BareAdb, BareControl
from benchmarks.figure import Figure, medians_in_turn
from benchmarks.phone import video_phone
from benchmarks.window import run_events
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import CapturePolicy, DeviceConnector
from odyssey_recorder.device.device import Device, FrameStream
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.gui.bridges.recorder import RecorderBridge
from odyssey_recorder.gui.frame.application import application
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording.frame_reader import FrameReader
from odyssey_recorder.recording.provenance_records import EpochClock, encode_frame
from odyssey_recorder.simulated.private_emulators import PrivateEmulators

VIDEO_PER_SECOND = 60.0
ROUND_S = 2.0
ROUNDS = 5
ENCODED_PER_SECOND = 1.5
_WARM_UP_S = 0.3
_READY_S = 15.0
_VIEW = 400, 867


def measure(emulators: PrivateEmulators) -> list[Figure]:
    application()
    with video_phone(emulators, per_second=VIDEO_PER_SECOND) as serial:
        return [
            _over_adb(emulators, serial),
            _over_grpc(emulators, serial, shares_memory=False),
            _over_grpc(emulators, serial, shares_memory=True),
            _while_encoding(emulators, serial),
        ]


def _over_adb(emulators: PrivateEmulators, serial: str) -> Figure:
    with _connected(emulators, serial, "adb") as device:
        floor = BareAdb(AdbServer(port=emulators.server.port), serial, device.properties().size)

        def carry(until_s: float) -> int:
            count = 0
            while time.monotonic() < until_s:
                floor.capture()
                count += 1
            return count

        ours, carried = medians_in_turn((lambda: _painted(device), lambda: _carried(carry)), rounds=ROUNDS)
    return Figure("frames painted, over adb", ours, "/s", "transport alone", carried, ">= 0.6")


def _over_grpc(emulators: PrivateEmulators, serial: str, *, shares_memory: bool) -> Figure:
    bare = BareControl(serial, emulators.phones.running_dir)
    size = Size(1440, 3120)

    def carry(until_s: float) -> int:
        with bare.stream(size if shares_memory else None) as frames:
            return sum(1 for _ in _until(frames, until_s))

    def paint() -> float:
        with _connected(emulators, serial, "grpc", shares_memory=shares_memory) as device:
            return _painted(device)

    painted, carried = medians_in_turn((paint, lambda: _carried(carry)), rounds=ROUNDS)
    bare.close()
    way = "gRPC and shared memory" if shares_memory else "gRPC"
    return Figure(f"frames painted, over {way}", painted, "/s", "transport alone", carried, ">= 0.9")


def _while_encoding(emulators: PrivateEmulators, serial: str) -> Figure:
    """While steps are recorded, each with a frame, as fast as a script without waits."""
    with _connected(emulators, serial, "grpc", shares_memory=False) as device:
        painted, alone = medians_in_turn(
            (lambda: _painted(device, encoding=True), lambda: _painted(device)), rounds=ROUNDS
        )
    return Figure("frames painted while PNGs are encoded", painted, "/s", "none encoded", alone, ">= 0.8")


@contextmanager
def _connected(
    emulators: PrivateEmulators, serial: str, policy: CapturePolicy, *, shares_memory: bool = True
) -> Iterator[Device]:
    server = AdbServer(port=emulators.server.port)
    device = DeviceConnector(server, policy, (emulators.phones.running_dir,), shared_memory=shares_memory).connect(
        serial
    )
    try:
        yield device
    finally:
        device.close()


def _until(frames: Iterator[bytes], until_s: float) -> Iterator[bytes]:
    for frame in frames:
        yield frame
        if time.monotonic() >= until_s:
            return


def _carried(carry: Callable[[float], int]) -> float:
    """Frames per second that `carry` takes on a thread beside an idle window."""
    counts: list[int] = []
    worker = threading.Thread(target=lambda: counts.append(carry(time.monotonic() + ROUND_S)))
    started_s = time.monotonic()
    worker.start()
    run_events(ROUND_S)
    worker.join()
    return counts[0] / (time.monotonic() - started_s)


def _painted(device: FrameStream, *, encoding: bool = False) -> float:
    """Distinct frames per second that a mirror paints; `encoding` makes PNGs of some."""
    view = MirrorView()
    view.set_overlay(None)
    view.resize(*_VIEW)
    bridge = RecorderBridge(view)
    bridge.frame_came.connect(view.show_frame)
    counter = _PaintCounter(view)
    encoder = _Encoder()

    def take(frame: Frame) -> None:
        bridge.frame(frame)
        if encoding:
            encoder.take(frame)

    reader = FrameReader(device, on_frame=take, on_failure=_fail)
    view.show()
    reader.start()
    run_events(_WARM_UP_S)
    before, started_s = counter.painted, time.monotonic()
    run_events(ROUND_S)
    painted = (counter.painted - before) / (time.monotonic() - started_s)
    reader.stop()
    reader.join()
    encoder.stop()
    view.close()
    view.deleteLater()
    return painted


class _Encoder:
    def __init__(self) -> None:
        self._due_s = 0.0
        self._waiting: SimpleQueue[Frame | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def take(self, frame: Frame) -> None:
        if time.monotonic() >= self._due_s:
            self._due_s = time.monotonic() + 1 / ENCODED_PER_SECOND
            self._waiting.put(frame)

    def stop(self) -> None:
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        clock = EpochClock()
        while (frame := self._waiting.get()) is not None:
            encode_frame(frame, clock)


class _PaintCounter(QObject):
    def __init__(self, view: MirrorView) -> None:
        super().__init__(view)
        self.painted = 0
        self._view = view
        self._number: int | None = None
        view.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and self._view.frame_number != self._number:
            self._number = self._view.frame_number
            self.painted += 1
        return False


def _fail(error: DeviceError) -> None:
    raise error
