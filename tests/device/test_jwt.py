"""Access to the simulated emulator's gRPC service by token and by signed token (JWT), verified by Google's library."""

import gc
import json
import logging
import os
import stat
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from tink import jwt as tink_jwt

from odyssey_recorder.device import jwt
from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.discovery import ControlEndpoint, KeyFolder, find_control
from odyssey_recorder.device.emulator_grpc import EmulatorControl
from odyssey_recorder.device.jwt import Credentials, SigningKey
from odyssey_recorder.device.preflight import findings, take_readings
from odyssey_recorder.errors import DeviceError, InputRefusedError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.logs import logging_to
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.emulator import SimulatedEmulator
from tests.cli import wait_until
from tests.simulator.bench import phone_of
from tests.simulator.signer import read_active


@contextmanager
def started(running: Path, **options: Any) -> Iterator[ControlEndpoint]:
    control = ControlOptions(running, **{"token": "", "jwt": True, **options})
    with SimulatedEmulator(phone_of(), control=control) as emulator:
        found = find_control(emulator.serial, (running,))
        assert found is not None
        yield found


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[ControlEndpoint]:
    with started(tmp_path) as found:
        yield found


def connected(endpoint: ControlEndpoint) -> "closing[EmulatorControl]":
    return closing(EmulatorControl(endpoint.serial, endpoint.address, Credentials(endpoint), answer_s=20))


def keys_of(endpoint: ControlEndpoint) -> KeyFolder:
    assert endpoint.keys is not None
    return endpoint.keys


def our_files(endpoint: ControlEndpoint) -> list[Path]:
    return sorted(keys_of(endpoint).folder.glob("odyssey-recorder-*"))


def call_all(control: EmulatorControl) -> None:
    control.has_keyboard()
    control.put_finger(Pixel(5, 5))
    control.lift_finger(Pixel(5, 5))
    control.press(SystemKey.HOME)
    control.set_clipboard("copied")
    assert control.clipboard() == "copied"
    stream = control.stream()
    frame = stream.take(20)
    stream.close()
    assert frame is not None
    assert frame.size == control.screenshot().size


def lose_key(endpoint: ControlEndpoint) -> None:
    """Let the emulator forget our key."""
    for file in our_files(endpoint):
        file.unlink()
    wait_until(lambda: read_active(keys_of(endpoint).folder) == [])


@pytest.mark.parametrize("jwt", [False, True], ids=["", "JWT"])
@pytest.mark.parametrize("token", ["", "secret"], ids=["", "token"])
def test_every_call_is_allowed_in_every_mode(tmp_path: Path, token: str, jwt: bool) -> None:
    with started(tmp_path, token=token, jwt=jwt) as endpoint:
        with connected(endpoint) as control:
            call_all(control)
            assert endpoint.token == token
            assert len(our_files(endpoint) if jwt else []) == (jwt and not token), "the token is preferred"
        assert not jwt or not our_files(endpoint)


def test_refused_token_is_replaced_by_a_key(tmp_path: Path) -> None:
    with started(tmp_path, token="secret") as endpoint, connected(replace(endpoint, token="stale")) as control:
        call_all(control)
        assert len(our_files(endpoint)) == 1


def test_refused_token_without_a_folder_for_keys_is_reported(tmp_path: Path) -> None:
    with (
        started(tmp_path, token="secret", jwt=False) as endpoint,
        connected(replace(endpoint, token="stale")) as control,
        pytest.raises(DeviceError, match="rejected the token"),
    ):
        control.has_keyboard()


def test_key_file_is_private_and_has_our_name(endpoint: ControlEndpoint) -> None:
    with closing(Credentials(endpoint)):
        [file] = our_files(endpoint)
        [key] = json.loads(file.read_text())["keys"]
        assert file.name == f"odyssey-recorder-{os.getpid()}-{key['kid']}.jwk"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert key.keys() == {"kty", "crv", "alg", "use", "key_ops", "kid", "x", "y"}, "the private half stays here"
    assert our_files(endpoint) == []


@pytest.mark.parametrize("code", [grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNAUTHENTICATED])
@pytest.mark.parametrize("others", [0, 1])
def test_lost_key_is_replaced_once(tmp_path: Path, code: grpc.StatusCode, others: int) -> None:
    with started(tmp_path, bad_jwt=code) as endpoint, ExitStack() as stack:
        control = stack.enter_context(connected(endpoint))
        lose_key(endpoint)
        if others:
            stack.enter_context(closing(Credentials(endpoint)))
        call_all(control)
        assert len(our_files(endpoint)) == 1 + others
        for file in our_files(endpoint):
            file.unlink()
        wait_until(lambda: read_active(keys_of(endpoint).folder) == [])
        with pytest.raises(DeviceError, match="gRPC service of emulator"):
            control.has_keyboard()
        assert our_files(endpoint) == []


def test_key_goes_when_it_is_forgotten_or_the_program_ends(endpoint: ControlEndpoint) -> None:
    forgotten = Credentials(endpoint)
    assert len(our_files(endpoint)) == 1
    del forgotten
    gc.collect()
    assert our_files(endpoint) == []

    keys = keys_of(endpoint)
    program = (
        "import sys; from pathlib import Path; from odyssey_recorder.device.discovery import KeyFolder;"
        "from odyssey_recorder.device.jwt import SigningKey; folder = Path(sys.argv[1]);"
        "key = SigningKey('emulator-1', KeyFolder(folder, folder / 'active.jwk', None), lambda _: False);"
        "print(len(list(folder.glob('odyssey-recorder-*'))))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(keys.folder)], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
    assert our_files(endpoint) == []


def test_files_of_dead_recorders_are_removed(endpoint: ControlEndpoint) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        pass
    folder = keys_of(endpoint).folder
    content = '{"keys": []}'
    kept = [folder / "studio.key", folder / f"odyssey-recorder-{os.getpid()}-other.txt"]
    for path in (*kept, folder / f"odyssey-recorder-{dead.pid}-1.jwk"):
        path.write_text(content)
    with closing(Credentials(endpoint)):
        assert not (folder / f"odyssey-recorder-{dead.pid}-1.jwk").exists()
        assert all(path.exists() for path in kept)


@pytest.mark.parametrize("problem", ["group may write", "all may write", "link", "other user", "file"])
def test_folder_that_others_control_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: str) -> None:
    folder = tmp_path / "jwks"
    folder.mkdir(mode=0o700)
    match problem:
        case "group may write":
            folder.chmod(0o720)
        case "all may write":
            folder.chmod(0o702)
        case "link":
            folder.rename(tmp_path / "real")
            folder.symlink_to(tmp_path / "real")
        case "other user":
            uid = os.getuid()
            monkeypatch.setattr(os, "getuid", lambda: uid + 1)
        case _:
            folder.rmdir()
            folder.touch()
    with pytest.raises(DeviceError, match=f"Whoever can write into {folder} controls emulator-1"):
        SigningKey("emulator-1", KeyFolder(folder, folder / "active.jwk", None), lambda _: False)
    assert not list(tmp_path.rglob("*.jwk"))


def test_key_is_active_when_the_whole_list_has_it(tmp_path: Path) -> None:
    active = tmp_path / "active.jwk"

    def contents() -> Iterator[str]:
        [file] = tmp_path.glob("odyssey-recorder-*")
        kid = json.loads(file.read_text())["keys"][0]["kid"]
        yield from ("", f'{{"keys": [{{"kid": "{kid}"', f'{{"keys": [{{"kid": "other", "x": "{kid}"}}]}}', "[]", "7")
        yield f'{{"keys": [{{"x": "1"}}, {{"kid": "{kid}"}}]}}'

    steps: list[Iterator[str]] = []

    def wait(_: float) -> bool:
        if not steps:
            steps.append(contents())
        active.write_text(next(steps[0]))
        return False

    key = SigningKey("emulator-1", KeyFolder(tmp_path, active, None), wait)
    assert list(steps[0]) == [], "all were read"
    assert key.is_active()


def test_key_that_is_not_taken_is_reported_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = KeyFolder(tmp_path, tmp_path / "active.jwk", None)
    with pytest.raises(DeviceError, match="did not accept our key"):
        SigningKey("emulator-1", keys, lambda _: True)  # the device is being closed
    monkeypatch.setattr(jwt, "_ACTIVE_S", 0)
    with pytest.raises(
        DeviceError, match=r"emulator-1 did not accept our key.*Start the emulator with -grpc-use-token"
    ):
        SigningKey("emulator-1", keys, lambda _: False)
    assert list(tmp_path.iterdir()) == []


def test_token_is_signed_again_in_time(endpoint: ControlEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = time.time()
    key = SigningKey("emulator-1", keys_of(endpoint), lambda _: False)

    def token_at(later_s: float) -> str:
        monkeypatch.setattr(time, "time", lambda: now_s + later_s)
        return key.token()

    first = token_at(0)
    assert token_at(394) == first
    second = token_at(396)
    assert second != first
    assert token_at(0) not in {first, second}, "the clock was turned back"
    monkeypatch.undo()
    key.close()


def test_numbers_of_keys_and_signatures_have_a_fixed_width(
    endpoint: ControlEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One number in 256 begins with a zero byte, which must not be left out."""
    short = ec.generate_private_key(ec.SECP256R1())
    while short.public_key().public_numbers().x >= 1 << 248:
        short = ec.generate_private_key(ec.SECP256R1())
    monkeypatch.setattr(ec, "generate_private_key", lambda _: short)
    key = SigningKey("emulator-1", keys_of(endpoint), lambda _: False)
    [file] = our_files(endpoint)
    verifier = tink_jwt.jwk_set_to_public_keyset_handle(file.read_text()).primitive(tink_jwt.JwtPublicKeyVerify)
    validator = tink_jwt.new_validator(
        ignore_issuer=True, ignore_audiences=True, expect_issued_in_the_past=True, allow_missing_expiration=False
    )
    signatures = set()
    for _ in range(1000):
        key.forget_token()
        signatures.add(key.token().rpartition(".")[2])
        verifier.verify_and_decode(key.token(), validator)
    assert {len(signature) for signature in signatures} == {86}
    assert len(signatures) == 1000
    key.close()


DEFAULT = Path(sys.modules[SimulatedEmulator.__module__].__file__ or "").with_name("emulator_access.json")


@pytest.mark.parametrize(
    ("removed", "missing"),
    [
        ("", ""),
        ("/getStatus", "getStatus"),
        ("gradle-utp-", "getStatus, getScreenshot, streamScreenshot, sendTouch, .*"),
    ],
)
def test_calls_that_an_allowlist_lacks_are_listed(tmp_path: Path, removed: str, missing: str) -> None:
    allowlist = tmp_path / "list.json"
    allowlist.write_text(DEFAULT.read_text().replace(removed, "") if removed else DEFAULT.read_text())
    with started(tmp_path, allowlist=allowlist) as endpoint:
        if not missing:
            with connected(endpoint) as control:
                call_all(control)
            return
        with pytest.raises(DeviceError, match=rf"to call {missing}\. Its list is {allowlist}"):
            Credentials(endpoint)


@pytest.mark.parametrize("content", [None, "no JSON", "[]", '{"allowlist": [1]}'])
def test_allowlist_that_cannot_be_read_is_left_to_the_emulator(tmp_path: Path, content: str | None) -> None:
    with started(tmp_path) as endpoint:
        if content is not None:
            (tmp_path / "list.json").write_text(content)
        other = replace(keys_of(endpoint), allowlist=tmp_path / "list.json")
        with closing(Credentials(replace(endpoint, keys=other))):
            assert len(our_files(endpoint)) == 1


def refused_calls() -> dict[str, tuple[dict[str, Any], Callable[[ControlEndpoint], None]]]:
    return {
        "stale token": ({"token": "right", "jwt": False}, lambda _: None),
        "no key": ({}, lose_key),
        "not on the list": ({"token": "PLANTED.e30", "jwt": False, "allowlist": Path("gone")}, lambda _: None),
    }


@pytest.mark.parametrize(("options", "prepare"), refused_calls().values(), ids=refused_calls())
@pytest.mark.parametrize("call", ["unary", "stream"])
def test_refusals_never_repeat_the_token(
    tmp_path: Path, options: dict[str, Any], prepare: Callable[[ControlEndpoint], None], call: str
) -> None:
    with started(tmp_path, **options) as endpoint, ExitStack() as stack:
        if options:
            endpoint = replace(endpoint, token="PLANTED.e30")
        credentials = stack.enter_context(closing(Credentials(endpoint)))
        [(_, header)] = credentials.metadata()
        control = stack.enter_context(connected(replace(endpoint, token=header.removeprefix("Bearer "), keys=None)))
        if not options:
            prepare(endpoint)
        stream = control.stream()
        assert stream.take(20) is None
        with pytest.raises(DeviceError) as caught:
            control.has_keyboard()
        error = caught.value if call == "unary" else stream.error
        with logging_to(tmp_path / "a.log", "DEBUG"):
            logging.getLogger("any").info("failed at %r", endpoint, exc_info=error)
        told = "".join((*traceback.format_exception(error), repr(error), (tmp_path / "a.log").read_text()))
        assert "gRPC service of emulator" in told
        for part in header.removeprefix("Bearer ").split("."):
            assert part not in told


def test_refused_signed_token_is_masked_without_its_prefix(tmp_path: Path) -> None:
    with started(tmp_path) as endpoint, closing(Credentials(endpoint)) as credentials:
        token = credentials.metadata()[0][1].removeprefix("Bearer ")
        with logging_to(tmp_path / "a.log", "DEBUG"):
            logging.getLogger("any").info("sent %s, refused", token)
    assert "sent •••, refused" in (tmp_path / "a.log").read_text()


def test_device_without_calls_that_are_not_allowed(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    """Screenshots still come over gRPC; the rest goes over adb, and the device says so."""
    allowlist = tmp_path / "list.json"
    allowlist.write_text(DEFAULT.read_text().replace("/(get|set|stream)Clipboard", "").replace("Key|Touch|", ""))
    control = ControlOptions(tmp_path, token="", jwt=True, allowlist=allowlist)
    with SimulatedEmulator(phone_of(), adb_server_port=adb_server.port, control=control) as emulator:
        adb_server.adb("-s", emulator.serial, "wait-for-device")
        connector = DeviceConnector(AdbServer(port=adb_server.port), "grpc", (tmp_path,), shared_memory=True)
        with closing(connector.connect(emulator.serial)) as device:
            assert (device.capture_path, device.follows_finger) == ("gRPC", False)
            assert device.next_frame(20) is not None
            device.touch(TouchStroke.press(Pixel(5, 5)))
            device.press(SystemKey.HOME)
            with pytest.raises(InputRefusedError):
                device.type_text("café")
            assert device.capture_path == "gRPC", "nothing was tried over gRPC and refused"
            (said,) = (one for one in findings(take_readings(device)) if one.what == "Screenshots")
            assert "without getClipboard, sendKey, sendTouch, setClipboard" in said.found


def test_device_with_signed_tokens_alone(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    control = ControlOptions(tmp_path, token="", jwt=True)
    with SimulatedEmulator(phone_of(), adb_server_port=adb_server.port, control=control) as emulator:
        adb_server.adb("-s", emulator.serial, "wait-for-device")
        connector = DeviceConnector(AdbServer(port=adb_server.port), "grpc", (tmp_path,), shared_memory=True)
        [listed] = [device for device in connector.devices() if device.serial == emulator.serial]
        assert connector.capture_path(listed) == "gRPC"
        endpoint = find_control(emulator.serial, (tmp_path,))
        assert endpoint is not None
        device = connector.connect(emulator.serial)
        assert device.capture_path == "gRPC"
        assert device.next_frame(20) is not None
        device.put_finger(Pixel(5, 5))
        device.lift_finger()
        assert len(our_files(endpoint)) == 1
        device.close()
        assert our_files(endpoint) == []


def test_other_invalid_argument_keeps_the_token(endpoint: ControlEndpoint) -> None:
    with closing(Credentials(replace(endpoint, token="secret"))) as credentials:
        assert not credentials.renew(is_unauthenticated=False)
        assert credentials.metadata() == (("authorization", "Bearer secret"),)
        assert our_files(endpoint) == []
