import os
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.errors import SimulatorError
from tests.simulator.bench import TOKEN_FILE, Bench, free_console_port, phone_of
from tests.simulator.control_client import Client, Stream, client_of, message, status_of

RGB = message((1, 2), (3, 72))
HOME, APP_SWITCH = 3, 187


def port_of(emulator: SimulatedEmulator) -> int:
    assert emulator.control is not None
    return emulator.control.port


def read_discovery_files(folder: Path) -> list[dict[str, str]]:
    files = sorted(folder.iterdir())
    return [dict(line.split("=", 1) for line in file.read_text("utf-8").splitlines()) for file in files]


@pytest.fixture
def stream(client: Client) -> Iterator[Stream]:
    open_stream = client.stream("streamScreenshot", RGB)
    open_stream.next()
    yield open_stream
    open_stream.cancel()


def status_code(client: Client, timeout_s: float = 5.0) -> tuple[grpc.StatusCode, str]:
    try:
        client.call("getStatus", timeout_s=timeout_s)
    except grpc.RpcError as error:
        return status_of(error)
    return grpc.StatusCode.OK, ""


def end_of(stream: Stream) -> grpc.StatusCode:
    with pytest.raises(grpc.RpcError) as ended:
        stream.next()
    return status_of(ended.value)[0]


def change_twice(emulator: SimulatedEmulator) -> None:
    emulator.phone.press_key(APP_SWITCH)
    emulator.phone.press_key(HOME)


@pytest.mark.parametrize(
    ("token", "arguments"), [(None, "No 'authorization' header present."), ("guess", "`Bearer guess` is invalid")]
)
def test_client_without_the_token_is_rejected(emulator: SimulatedEmulator, token: str | None, arguments: str) -> None:
    other_client = Client(f"127.0.0.1:{port_of(emulator)}", token)
    code, details = status_code(other_client)
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert arguments in details
    assert end_of(other_client.stream("streamScreenshot", RGB)) is grpc.StatusCode.UNAUTHENTICATED
    other_client.close()


def test_any_client_is_accepted_without_a_token(tmp_path: Path) -> None:
    with SimulatedEmulator(phone_of(), control=ControlOptions(tmp_path, token="")) as emulator:
        other_client = Client(f"127.0.0.1:{port_of(emulator)}", None)
        assert status_code(other_client)[0] is grpc.StatusCode.OK
        assert "grpc.token" not in read_discovery_files(tmp_path)[0]
        other_client.close()


def test_discovery_file_is_private_and_removed_at_exit(tmp_path: Path) -> None:
    with (
        SimulatedEmulator(phone_of(), control=ControlOptions(tmp_path)) as emulator,
        SimulatedEmulator(phone_of(), control=ControlOptions(tmp_path)) as other,
    ):
        assert emulator.control is not None
        assert (tmp_path / f"pid_{os.getpid()}.ini").exists()
        found = {entries["grpc.port"]: entries for entries in read_discovery_files(tmp_path)}
        assert found.keys() == {str(port_of(emulator)), str(port_of(other))}
        entries = found[str(port_of(emulator))]
        wanted = {
            "port.serial": str(emulator.console_port),
            "port.adb": str(emulator.adb_port),
            "grpc.token": emulator.control.token,
            "avd.id": "Simulated_small_phone",
            "avd.name": "Simulated small phone",
            "emulator.build": "simulated",
        }
        assert wanted.items() <= entries.items()
        assert {"avd.dir", "cmdline", "emulator.version"} <= entries.keys()
        for each in tmp_path.iterdir():
            assert stat.S_IMODE(each.stat().st_mode) == 0o600
            os.kill(int(each.stem.removeprefix("pid_")), 0)  # the number is alive
    assert list(tmp_path.iterdir()) == []


def test_unwritable_discovery_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    emulator = SimulatedEmulator(phone_of(), control=ControlOptions(tmp_path / "file" / "running"))
    with pytest.raises(SimulatorError, match="--no-grpc"):
        emulator.start()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", emulator.console_port))


def test_grpc_port_is_3000_above_the_console_if_free() -> None:
    console_port = free_console_port()
    with SimulatedEmulator(phone_of(), console_port=console_port, control=ControlOptions()) as emulator:
        assert port_of(emulator) == console_port + 3000
    with socket.create_server(("127.0.0.1", console_port + 3000)):
        emulator = SimulatedEmulator(phone_of(), console_port=console_port, control=ControlOptions())
        with emulator, client_of(emulator) as client:
            assert port_of(emulator) not in {0, console_port + 3000}
            assert status_code(client)[0] is grpc.StatusCode.OK


def test_frozen_emulator_stops_with_an_open_stream() -> None:
    emulator = SimulatedEmulator(phone_of(), control=ControlOptions())
    with emulator, client_of(emulator) as client:
        stream = client.stream("streamScreenshot", RGB)
        stream.next()
        emulator.faults.freeze()

        emulator.stop()

        assert end_of(stream) is grpc.StatusCode.UNAVAILABLE


def test_stalled_stream_resumes_with_the_newest_frame(
    emulator: SimulatedEmulator, client: Client, stream: Stream
) -> None:
    emulator.faults.control.stall(stalled=True)
    change_twice(emulator)
    assert status_code(client)[0] is grpc.StatusCode.OK
    emulator.faults.control.stall(stalled=False)
    assert stream.next().number(5) == 2


def test_frozen_emulator_does_not_answer_grpc_calls(
    emulator: SimulatedEmulator, client: Client, stream: Stream
) -> None:
    emulator.faults.freeze()
    change_twice(emulator)
    with pytest.raises(grpc.RpcError):
        client.call("sendTouch", message((1, message((1, 9), (2, 9), (4, 1)))), timeout_s=0.1)
    assert status_code(client, timeout_s=1)[0] is grpc.StatusCode.DEADLINE_EXCEEDED, "the touch is forgotten by then"

    emulator.faults.thaw()

    assert stream.next().number(5) == 2
    assert status_code(client)[0] is grpc.StatusCode.OK
    assert emulator.guest.touch_screen().contacts() == {}


def test_frames_can_be_delayed(emulator: SimulatedEmulator, stream: Stream) -> None:
    emulator.faults.control.delay_frames(0.3)
    emulator.phone.press_key(APP_SWITCH)
    frame = stream.next()
    assert time.time_ns() // 1000 - frame.number(6) >= 300_000


def test_port_taken_in_the_meantime_is_reported() -> None:
    with SimulatedEmulator(phone_of(), control=ControlOptions()) as emulator:
        emulator.faults.control.switch_off(off=True)
        with (
            socket.create_server(("127.0.0.1", port_of(emulator))),
            pytest.raises(SimulatorError, match="has been taken"),
        ):
            emulator.faults.control.switch_off(off=False)


def test_console_controls_grpc_faults(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    emulator = SimulatedEmulator(
        phone_of(),
        adb_server_port=adb_server.port,
        auth_token_file=adb_server.home / TOKEN_FILE,
        control=ControlOptions(tmp_path),
    )
    with emulator, client_of(emulator) as client:
        bench = Bench(adb_server, emulator)
        bench.adb("wait-for-device")

        def fault_status(*arguments: str) -> grpc.StatusCode:
            assert bench.console("fault", "grpc", *arguments) == ["OK"]
            return status_code(client)[0]

        stream = client.stream("streamScreenshot", RGB)
        assert stream.next().number(5) == 0
        assert fault_status("drop") is grpc.StatusCode.OK
        assert end_of(stream) is grpc.StatusCode.UNAVAILABLE

        stream = client.stream("streamScreenshot", RGB)
        assert stream.next().number(5) == 0
        assert bench.console("fault", "grpc", "off") == ["OK"]
        assert end_of(stream) is grpc.StatusCode.UNAVAILABLE
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port_of(emulator)))
        assert fault_status("on") is grpc.StatusCode.OK

        assert fault_status("refuse", "on") is grpc.StatusCode.UNAUTHENTICATED
        emulator.faults.clear()
        for arguments in (("stall", "on"), ("stall", "off"), ("delay", "0")):
            assert fault_status(*arguments) is grpc.StatusCode.OK
        assert fault_status("new-token") is grpc.StatusCode.UNAUTHENTICATED
        client.token = read_discovery_files(tmp_path)[0]["grpc.token"]
        assert status_code(client)[0] is grpc.StatusCode.OK
        assert bench.console("fault", "grpc", "explode")[0].startswith("KO: usage: ")
