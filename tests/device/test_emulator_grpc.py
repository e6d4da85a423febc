import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from odyssey_recorder.device import emulator_control_pb2 as pb
from odyssey_recorder.device.emulator_grpc import EmulatorControl, FrameMemory, ScreenshotStream
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel, Rotation, Size
from tests.device.scripted_control import LENGTH, SIZE, ScriptedService, image, with_token

CALLS: dict[str, Callable[[EmulatorControl], object]] = {
    "has_keyboard": lambda control: control.has_keyboard(),
    "screenshot": lambda control: control.screenshot(),
    "put_finger": lambda control: control.put_finger(Pixel(1, 2)),
    "lift_finger": lambda control: control.lift_finger(Pixel(1, 2)),
    "press": lambda control: control.press(SystemKey.HOME),
    "clipboard": lambda control: control.clipboard(),
    "set_clipboard": lambda control: control.set_clipboard("x"),
}


@pytest.fixture
def service() -> Iterator[ScriptedService]:
    with ScriptedService() as scripted:
        yield scripted


@pytest.fixture
def control(service: ScriptedService) -> Iterator[EmulatorControl]:
    with closing(EmulatorControl("emulator-1", service.address, with_token("secret"), answer_s=5)) as control:
        yield control


Open = Callable[..., ScreenshotStream]


@pytest.fixture
def open_stream(service: ScriptedService, control: EmulatorControl) -> Iterator[Open]:
    """Opens a stream, which sends the given frames and stays open."""
    opened: list[ScreenshotStream] = []

    def begin(*images: pb.Image, memory: FrameMemory | None = None) -> ScreenshotStream:
        if images:
            service.stream = lambda _: service.keep_open(*images)
        opened.append(control.stream(memory))
        return opened[-1]

    yield begin
    for stream in opened:
        stream.close()
        stream.join()


@pytest.fixture
def memory() -> Iterator[FrameMemory]:
    with closing(FrameMemory(Size(*SIZE))) as memory:
        yield memory


def taken(stream: ScreenshotStream, wait_s: float = 5) -> Frame:
    frame = stream.take(wait_s)
    assert frame is not None
    return frame


def test_generated_code_matches_the_proto_file(tmp_path: Path) -> None:
    folder = files("odyssey_recorder.device")
    (tmp_path / "emulator_control.proto").write_bytes(folder.joinpath("emulator_control.proto").read_bytes())
    compiled = tmp_path / "compiled"

    options = [f"-I{tmp_path}", f"--descriptor_set_out={compiled}", f"--pyi_out={tmp_path}"]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *options, "emulator_control.proto"], check=True)

    [expected] = FileDescriptorSet.FromString(compiled.read_bytes()).file
    for message in expected.message_type:
        for each in message.field:
            each.ClearField("json_name")
    assert pb.DESCRIPTOR.serialized_pb == expected.SerializeToString()
    written = folder.joinpath("emulator_control_pb2.pyi").read_text()
    assert written == (tmp_path / "emulator_control_pb2.pyi").read_text()


@pytest.mark.parametrize("token", ["secret", ""], ids=["guarded", "open"])
def test_every_call_sends_the_token(service: ScriptedService, token: str) -> None:
    with closing(EmulatorControl("emulator-1", service.address, with_token(token))) as control:
        for call in CALLS.values():
            call(control)
    sent = [metadata.get("authorization") for metadata in service.metadata]
    assert sent == ["Bearer secret" if token else None] * len(CALLS)


def test_requests_are_sent_as_given(service: ScriptedService, control: EmulatorControl) -> None:
    control.put_finger(Pixel(3, 4))
    control.lift_finger(Pixel(5, 6))
    control.press(SystemKey.RECENT)
    control.set_clipboard("é")

    assert service.requests == [
        pb.TouchEvent(touches=[pb.Touch(x=3, y=4, pressure=1024)]),
        pb.TouchEvent(touches=[pb.Touch(x=5, y=6)]),
        pb.KeyboardEvent(eventType=pb.KeyboardEvent.keypress, key="AppSwitch"),
        pb.ClipData(text="é"),
    ]
    assert control.clipboard() == "old"
    assert not control.has_keyboard(), "the status has no hardware configuration"


def test_screenshot_has_size_rotation_and_times(service: ScriptedService, control: EmulatorControl) -> None:
    rotation = pb.Rotation(rotation=pb.Rotation.REVERSE_LANDSCAPE)
    service.screenshot = lambda _: image(7, rotation=rotation)
    before_ns = time.monotonic_ns()

    screenshot = control.screenshot(Size(100, 200))

    assert (screenshot.size, screenshot.rotation, screenshot.number) == (Size(*SIZE), Rotation.R270, 7)
    assert screenshot.pixels == bytes([7]) * LENGTH
    assert before_ns <= screenshot.started_ns <= screenshot.arrived_ns <= time.monotonic_ns()
    assert service.requests == [pb.ImageFormat(format=pb.ImageFormat.RGB888, width=100, height=200)]


@pytest.mark.parametrize("pixels", [b"", b"\0" * (LENGTH - 1), b"\0" * (LENGTH + 1)])
def test_incomplete_screenshot_is_an_error(service: ScriptedService, control: EmulatorControl, pixels: bytes) -> None:
    service.screenshot = lambda _: image(pixels=pixels)
    with pytest.raises(DeviceError, match=f"{len(pixels)} bytes for 4x6, {LENGTH} expected"):
        control.screenshot()


def test_screenshot_may_exceed_the_default_message_limit(service: ScriptedService, control: EmulatorControl) -> None:
    service.screenshot = lambda _: image(pixels=bytes(1440 * 3120 * 3), size=(1440, 3120))
    assert len(control.screenshot().pixels) == 1440 * 3120 * 3


@pytest.mark.parametrize(
    ("age_s", "least_s", "most_s"),
    [(0.5, 0.5, 5.0), (None, 0.0, 0.0), (-60.0, 0.0, 0.0)],
    ids=["old", "none", "future"],
)
def test_age_of_a_streamed_screenshot(open_stream: Open, age_s: float | None, least_s: float, most_s: float) -> None:
    screenshot = taken(open_stream(image(age_s=age_s)))
    assert least_s <= (screenshot.arrived_ns - screenshot.started_ns) / 1e9 <= most_s


def test_start_times_in_a_stream_never_decrease(open_stream: Open) -> None:
    stream = open_stream(image(0, age_s=1), image(1, age_s=60))
    assert stream.wait_for_more(1, 5)
    screenshot = taken(stream, 0)
    assert (screenshot.arrived_ns - screenshot.started_ns) / 1e9 < 30


def test_newest_frame_is_taken_and_all_are_counted(open_stream: Open) -> None:
    stream = open_stream(*(image(seq) for seq in (0, 1, 2, 5)))
    assert stream.wait_for_more(3, 5)
    assert taken(stream, 0).number == 5
    assert stream.take(0) is None
    assert stream.received == 4


def test_ended_stream_stops_waiting_and_says_why(service: ScriptedService, open_stream: Open) -> None:
    service.stream = lambda _: iter([])
    stream = open_stream()
    assert stream.take(30) is None
    assert stream.ended.is_set()
    assert "has ended" in str(stream.error)


def test_screenshot_without_size_is_skipped(open_stream: Open) -> None:
    off = pb.Image(format=pb.ImageFormat(format=pb.ImageFormat.RGB888))
    assert taken(open_stream(off, image(1))).number == 1


def written(request: pb.ImageFormat, seq: int, *, age_s: float = 0.0) -> pb.Image:
    answer_image = image(seq, age_s=age_s, pixels=b"")
    with Path(url2pathname(urlsplit(request.transport.handle).path)).open("r+b") as file:
        file.write(bytes([seq]) * LENGTH)
    return answer_image


@pytest.mark.parametrize("shares", [True, False], ids=["shared", "sent all the same"])
def test_screenshots_arrive_in_shared_memory_or_messages(
    service: ScriptedService, open_stream: Open, memory: FrameMemory, shares: bool
) -> None:
    service.stream = lambda request: service.keep_open(written(request, 9) if shares else image(9))
    screenshot = taken(open_stream(memory=memory))
    assert screenshot.pixels == bytes([9]) * LENGTH
    assert not shares or time.monotonic_ns() >= screenshot.arrived_ns + 15_000_000


def test_copy_is_dropped_if_overwritten_while_copied(
    service: ScriptedService, open_stream: Open, memory: FrameMemory
) -> None:
    service.stream = lambda request: service.keep_open(written(request, 1, age_s=2), image(2, age_s=1))
    stream = open_stream(memory=memory)
    assert stream.wait_for_more(1, 5)
    assert taken(stream).number == 2
    assert stream.take(0.05) is None


def test_copy_is_kept_if_the_next_screenshot_is_later(
    service: ScriptedService, open_stream: Open, memory: FrameMemory
) -> None:
    def screenshots(request: pb.ImageFormat) -> Iterator[pb.Image]:
        yield written(request, 1)
        service.stopped.wait(0.05)
        yield image(2, age_s=-1)
        yield from service.keep_open()

    service.stream = screenshots
    stream = open_stream(memory=memory)

    assert [taken(stream).number for _ in range(2)] == [1, 2]


def test_too_fast_emulator_ends_the_stream(service: ScriptedService, open_stream: Open, memory: FrameMemory) -> None:
    service.stream = lambda request: service.keep_open(*(written(request, seq, age_s=60) for seq in range(32)))
    stream = open_stream(memory=memory)
    assert stream.ended.wait(60)
    assert "faster than they can be copied" in str(stream.error)


def test_too_small_memory_ends_the_stream(open_stream: Open) -> None:
    memory = FrameMemory(Size(4, 5))
    stream = open_stream(image(1, pixels=b""), memory=memory)
    assert stream.ended.wait(60)
    memory.close()
    assert "60 bytes for 4x6" in str(stream.error)


def test_shared_memory_is_private_and_deleted_on_close() -> None:
    memory = FrameMemory(Size(10, 3))
    path = Path(url2pathname(urlsplit(memory.uri).path))
    modes = [place.stat().st_mode & 0o077 for place in (path, path.parent)]

    memory.close()

    assert memory.uri.startswith("file:///")
    assert modes == [0, 0]
    assert not path.parent.exists()


ERRORS = {
    grpc.StatusCode.UNAUTHENTICATED: (DeviceError, "rejected the token"),
    grpc.StatusCode.PERMISSION_DENIED: (DeviceError, "-grpc-use-token"),
    grpc.StatusCode.UNIMPLEMENTED: (DeviceError, "Update the emulator"),
    grpc.StatusCode.UNAVAILABLE: (DeviceDisconnectedError, "cannot be reached"),
    grpc.StatusCode.CANCELLED: (DeviceDisconnectedError, "was cancelled during a call"),
    grpc.StatusCode.DEADLINE_EXCEEDED: (DeviceTimeoutError, "did not respond in time"),
    grpc.StatusCode.RESOURCE_EXHAUSTED: (DeviceError, "has no resources"),
}


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK])
def test_every_grpc_error_maps_to_ours_with_advice(
    service: ScriptedService, control: EmulatorControl, code: grpc.StatusCode
) -> None:
    service.error = code
    kind, message = ERRORS.get(code, (DeviceError, "restart the emulator"))

    with pytest.raises(DeviceError, match=f"emulator-1 .*{message}.* \\(gRPC {code.name}: as scripted\\)") as caught:
        control.has_keyboard()
    stream = control.stream()
    assert stream.take(30) is None

    assert type(caught.value) is kind
    assert type(stream.error) is kind
    stream.join()


def errors_of(control: EmulatorControl) -> set[type[DeviceError]]:
    """The error types of all calls; each message names the emulator."""
    errors = set()
    for call in CALLS.values():
        with pytest.raises(DeviceError, match="emulator-1") as caught:
            call(control)
        errors.add(type(caught.value))
    return errors


def test_missing_or_closed_service_cannot_be_reached(service: ScriptedService) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with closing(EmulatorControl("emulator-1", f"127.0.0.1:{unused.getsockname()[1]}", with_token(""))) as missing:
            assert errors_of(missing) == {DeviceDisconnectedError}

    with closing(EmulatorControl("emulator-1", service.address, with_token(""))) as closed:
        pass
    assert errors_of(closed) == {DeviceDisconnectedError}


def test_silent_service_times_out(service: ScriptedService) -> None:
    def never(_: pb.ImageFormat) -> pb.Image:
        service.stopped.wait(30)
        return image()

    service.screenshot = never
    control = EmulatorControl("emulator-1", service.address, with_token(""), answer_s=0.1)

    with closing(control), pytest.raises(DeviceTimeoutError, match="did not respond in time"):
        control.screenshot()
