import os
import random
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import grpc
import pytest

from odyssey_recorder.errors import DeviceError
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.control_server import ControlOptions
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from tests.simulator.bench import TOKEN_FILE, Bench
from tests.simulator.control_client import Client, RefusedError, Stream, client_of, message

RGB = message((1, 2), (3, 72))
HOME, APP_SWITCH = 3, 187


def small_phone() -> Phone:
    return Phone(profile_named("small_phone"), animation=False)


def port_of(emulator: SimulatedEmulator) -> int:
    assert emulator.control is not None
    return emulator.control.port


def said_in(folder: Path) -> list[dict[str, str]]:
    files = sorted(folder.iterdir())
    return [dict(line.split("=", 1) for line in file.read_text("utf-8").splitlines()) for file in files]


@pytest.fixture
def stream(client: Client) -> Iterator[Stream]:
    found = client.stream("streamScreenshot", RGB)
    found.next()
    yield found
    found.cancel()


def status_code(client: Client, timeout_s: float = 5.0) -> tuple[grpc.StatusCode, str]:
    try:
        client.call("getStatus", timeout_s=timeout_s)
    except RefusedError as error:
        return error.code, error.details
    return grpc.StatusCode.OK, ""


def end_of(stream: Stream) -> grpc.StatusCode:
    with pytest.raises(RefusedError) as ended:
        stream.next()
    return ended.value.code


def change_twice(emulator: SimulatedEmulator) -> None:
    emulator.phone.press_key(APP_SWITCH)
    emulator.phone.press_key(HOME)


def console_port_with_room_above() -> int:
    """An even port that is free, with the next one and the one 3000 above."""
    for port in range(random.randrange(61000, 62000, 2), 62500, 2):
        with suppress(OSError), ExitStack() as stack:
            for one in (port, port + 1, port + 3000):
                stack.enter_context(socket.create_server(("127.0.0.1", one)))
            return port
    raise AssertionError("No such ports.")


# Authentication ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("token", "words"), [(None, "No 'authorization' header present."), ("guess", "another token")])
def test_who_does_not_show_the_token_is_not_let_in(emulator: SimulatedEmulator, token: str | None, words: str) -> None:
    stranger = Client(f"127.0.0.1:{port_of(emulator)}", token)

    code, details = status_code(stranger)

    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert words in details
    assert end_of(stranger.stream("streamScreenshot", RGB)) is grpc.StatusCode.UNAUTHENTICATED
    stranger.close()


def test_without_a_token_everybody_is_let_in(tmp_path: Path) -> None:
    with SimulatedEmulator(small_phone(), control=ControlOptions(tmp_path, token="")) as emulator:
        stranger = Client(f"127.0.0.1:{port_of(emulator)}", None)
        assert status_code(stranger)[0] is grpc.StatusCode.OK
        assert "grpc.token" not in said_in(tmp_path)[0]
        stranger.close()


# Discovery ---------------------------------------------------------------------------------------------------------


def test_each_emulator_has_a_discovery_file_for_the_user_s_eyes_alone_while_it_runs(tmp_path: Path) -> None:
    with (
        SimulatedEmulator(small_phone(), control=ControlOptions(tmp_path)) as emulator,
        SimulatedEmulator(small_phone(), control=ControlOptions(tmp_path)) as other,
    ):
        assert emulator.control is not None
        file = tmp_path / f"pid_{os.getpid()}.ini"
        said = dict(line.split("=", 1) for line in file.read_text("utf-8").splitlines())
        wanted = {
            "port.serial": str(emulator.console_port),
            "port.adb": str(emulator.adb_port),
            "grpc.port": str(emulator.control.port),
            "grpc.token": emulator.control.token,
            "avd.id": "Simulated_small_phone",
            "avd.name": "Simulated small phone",
            "emulator.build": "simulated",
        }
        assert wanted.items() <= said.items()
        assert {"avd.dir", "cmdline", "emulator.version"} <= said.keys()
        assert {one["grpc.port"] for one in said_in(tmp_path)} == {str(port_of(emulator)), str(port_of(other))}
        for each in tmp_path.iterdir():
            assert stat.S_IMODE(each.stat().st_mode) == 0o600
            os.kill(int(each.stem.removeprefix("pid_")), 0)  # the number is alive
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    emulator = SimulatedEmulator(small_phone(), control=ControlOptions(tmp_path / "file" / "running"))

    with pytest.raises(DeviceError, match="--no-grpc"):
        emulator.start()

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", emulator.console_port))


def test_the_port_is_3000_above_the_console_where_that_is_free() -> None:
    console_port = console_port_with_room_above()
    with SimulatedEmulator(small_phone(), console_port=console_port, control=ControlOptions()) as emulator:
        assert port_of(emulator) == console_port + 3000
    with socket.create_server(("127.0.0.1", console_port + 3000)):
        emulator = SimulatedEmulator(small_phone(), console_port=console_port, control=ControlOptions())
        with emulator, client_of(emulator) as client:
            assert port_of(emulator) not in {0, console_port + 3000}
            assert status_code(client)[0] is grpc.StatusCode.OK


# Errors ------------------------------------------------------------------------------------------------------------


def test_it_stops_at_once_with_a_stream_under_way_even_frozen() -> None:
    emulator = SimulatedEmulator(small_phone(), control=ControlOptions())
    with emulator, client_of(emulator) as client:
        stream = client.stream("streamScreenshot", RGB)
        stream.next()
        emulator.faults.freeze()

        emulator.stop()

        assert end_of(stream) is grpc.StatusCode.UNAVAILABLE


def test_a_stream_that_stalls_stays_open_and_goes_on_with_the_newest_frame(
    emulator: SimulatedEmulator, client: Client, stream: Stream
) -> None:
    emulator.faults.control.stall(stalled=True)
    change_twice(emulator)
    assert status_code(client)[0] is grpc.StatusCode.OK

    emulator.faults.control.stall(stalled=False)

    assert stream.next().number(5) == 2


def test_a_frozen_emulator_answers_nothing_on_grpc_either_until_it_thaws(
    emulator: SimulatedEmulator, client: Client, stream: Stream
) -> None:
    emulator.faults.freeze()
    change_twice(emulator)
    with pytest.raises(RefusedError):
        client.call("sendTouch", message((1, message((1, 9), (2, 9), (4, 1)))), timeout_s=0.1)
    assert status_code(client, timeout_s=1)[0] is grpc.StatusCode.DEADLINE_EXCEEDED, "the touch is forgotten by then"

    emulator.faults.thaw()

    assert stream.next().number(5) == 2
    assert status_code(client)[0] is grpc.StatusCode.OK
    assert emulator.guest.touch_screen().contacts() == {}


def test_frames_can_be_late(emulator: SimulatedEmulator, stream: Stream) -> None:
    emulator.faults.control.delay_frames(0.3)
    emulator.phone.press_key(APP_SWITCH)

    frame = stream.next()

    assert time.time_ns() // 1000 - frame.number(6) >= 300_000


def test_a_port_that_was_taken_meanwhile_is_told_of() -> None:
    with SimulatedEmulator(small_phone(), control=ControlOptions()) as emulator:
        emulator.faults.control.switch_off(off=True)
        with socket.create_server(("127.0.0.1", port_of(emulator))), pytest.raises(DeviceError, match="has been taken"):
            emulator.faults.control.switch_off(off=False)


def test_the_console_makes_the_service_fail_and_work_again(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    emulator = SimulatedEmulator(
        small_phone(),
        adb_server_port=adb_server.port,
        auth_token_file=adb_server.home / TOKEN_FILE,
        control=ControlOptions(tmp_path),
    )
    with emulator, client_of(emulator) as client:
        bench = Bench(adb_server, emulator)
        bench.adb("wait-for-device")

        def told(*words: str) -> grpc.StatusCode:
            assert bench.console("fault", "grpc", *words) == ["OK"]
            return status_code(client)[0]

        stream = client.stream("streamScreenshot", RGB)
        assert stream.next().number(5) == 0
        assert told("drop") is grpc.StatusCode.OK
        assert end_of(stream) is grpc.StatusCode.UNAVAILABLE

        stream = client.stream("streamScreenshot", RGB)
        assert stream.next().number(5) == 0
        assert bench.console("fault", "grpc", "off") == ["OK"]
        assert end_of(stream) is grpc.StatusCode.UNAVAILABLE
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port_of(emulator)))
        assert told("on") is grpc.StatusCode.OK

        assert told("refuse", "on") is grpc.StatusCode.UNAUTHENTICATED
        emulator.faults.clear()
        for words in (("stall", "on"), ("stall", "off"), ("delay", "0")):
            assert told(*words) is grpc.StatusCode.OK
        assert told("new-token") is grpc.StatusCode.UNAUTHENTICATED
        client.token = said_in(tmp_path)[0]["grpc.token"]
        assert status_code(client)[0] is grpc.StatusCode.OK
        assert bench.console("fault", "grpc", "explode")[0].startswith("KO: usage: ")
