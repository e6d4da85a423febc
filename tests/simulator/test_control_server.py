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
def emulator(tmp_path: Path) -> Iterator[SimulatedEmulator]:
    with SimulatedEmulator(small_phone(), control=ControlOptions(tmp_path / "running")) as found:
        yield found


@pytest.fixture
def client(emulator: SimulatedEmulator) -> Iterator[Client]:
    with client_of(emulator) as found:
        yield found


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


def test_the_discovery_file_says_where_the_emulator_is_for_the_user_s_eyes_alone(
    emulator: SimulatedEmulator, tmp_path: Path
) -> None:
    assert emulator.control is not None
    [file] = (tmp_path / "running").iterdir()
    [said] = said_in(tmp_path / "running")

    assert file.name == f"pid_{os.getpid()}.ini"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert said["port.serial"] == str(emulator.console_port)
    assert said["port.adb"] == str(emulator.adb_port)
    assert said["grpc.port"] == str(emulator.control.port)
    assert said["grpc.token"] == emulator.control.token
    assert said["avd.id"] == "Simulated_small_phone"
    assert said["avd.name"] == "Simulated small phone"
    assert said["emulator.build"] == "simulated"
    assert {"avd.dir", "cmdline", "emulator.version"} <= said.keys()
    emulator.stop()
    assert list((tmp_path / "running").iterdir()) == []


def test_several_emulators_in_one_process_have_files_whose_numbers_are_alive(tmp_path: Path) -> None:
    with (
        SimulatedEmulator(small_phone(), control=ControlOptions(tmp_path)) as one,
        SimulatedEmulator(small_phone(), control=ControlOptions(tmp_path)) as other,
    ):
        files = sorted(tmp_path.iterdir())
        for file in files:
            os.kill(int(file.stem.removeprefix("pid_")), 0)
        assert {said["grpc.port"] for said in said_in(tmp_path)} == {str(port_of(one)), str(port_of(other))}
        assert len(files) == 2
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


def test_it_stops_at_once_with_a_stream_under_way_even_frozen(emulator: SimulatedEmulator, stream: Stream) -> None:
    emulator.faults.freeze()
    begun_s = time.monotonic()

    emulator.stop()

    assert time.monotonic() - begun_s < 10
    assert end_of(stream) is grpc.StatusCode.UNAVAILABLE


# Errors ------------------------------------------------------------------------------------------------------------


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
    assert status_code(client, timeout_s=0.3)[0] is grpc.StatusCode.DEADLINE_EXCEEDED
    with pytest.raises(RefusedError):
        client.call("sendTouch", message((1, message((1, 9), (2, 9), (4, 1)))), timeout_s=0.1)

    emulator.faults.thaw()

    assert stream.next().number(5) == 2
    assert status_code(client)[0] is grpc.StatusCode.OK
    assert emulator.guest.touch_screen().contacts() == {}


def test_a_dropped_stream_ends_and_another_can_be_opened(
    emulator: SimulatedEmulator, client: Client, stream: Stream
) -> None:
    emulator.faults.control.drop_streams()

    assert end_of(stream) is grpc.StatusCode.UNAVAILABLE
    again = client.stream("streamScreenshot", RGB)
    assert again.next().number(5) == 0
    again.cancel()


def test_the_service_can_go_off_and_come_back_on_the_same_port(
    emulator: SimulatedEmulator, client: Client, stream: Stream
) -> None:
    emulator.faults.control.switch_off(off=True)
    assert end_of(stream) is grpc.StatusCode.UNAVAILABLE
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port_of(emulator)))

    emulator.faults.control.switch_off(off=False)

    assert status_code(client)[0] is grpc.StatusCode.OK


def test_a_port_that_was_taken_meanwhile_is_told_of(emulator: SimulatedEmulator) -> None:
    emulator.faults.control.switch_off(off=True)
    with socket.create_server(("127.0.0.1", port_of(emulator))), pytest.raises(DeviceError, match="has been taken"):
        emulator.faults.control.switch_off(off=False)


def test_everybody_can_be_refused_whatever_their_token(emulator: SimulatedEmulator, client: Client) -> None:
    emulator.faults.control.refuse(refuse=True)
    assert status_code(client)[0] is grpc.StatusCode.UNAUTHENTICATED

    emulator.faults.clear()

    assert status_code(client)[0] is grpc.StatusCode.OK


def test_the_token_can_change_and_the_discovery_file_with_it(
    emulator: SimulatedEmulator, client: Client, tmp_path: Path
) -> None:
    emulator.faults.control.renew_token()
    assert status_code(client)[0] is grpc.StatusCode.UNAUTHENTICATED

    client.token = said_in(tmp_path / "running")[0]["grpc.token"]

    assert status_code(client)[0] is grpc.StatusCode.OK


def test_frames_can_be_late(emulator: SimulatedEmulator, stream: Stream) -> None:
    emulator.faults.control.delay_frames(0.3)
    emulator.phone.press_key(APP_SWITCH)

    frame = stream.next()

    assert time.time_ns() // 1000 - frame.number(6) >= 300_000


def test_the_console_makes_things_go_wrong_with_the_service(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    emulator = SimulatedEmulator(
        small_phone(),
        adb_server_port=adb_server.port,
        auth_token_file=adb_server.home / TOKEN_FILE,
        control=ControlOptions(tmp_path),
    )
    with emulator, client_of(emulator) as client:
        bench = Bench(adb_server, emulator)
        bench.adb("wait-for-device")
        stream = client.stream("streamScreenshot", RGB)
        stream.next()
        assert bench.console("fault", "grpc", "drop") == ["OK"]
        assert end_of(stream) is grpc.StatusCode.UNAVAILABLE
        for words in (["off"], ["on"], ["stall", "on"], ["stall", "off"], ["delay", "0"], ["refuse", "off"]):
            assert bench.console("fault", "grpc", *words) == ["OK"]
        assert status_code(client)[0] is grpc.StatusCode.OK
        assert bench.console("fault", "grpc", "new-token") == ["OK"]
        assert status_code(client)[0] is grpc.StatusCode.UNAUTHENTICATED
        assert bench.console("fault", "grpc", "explode")[0].startswith("KO: usage: ")
