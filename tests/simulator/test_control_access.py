"""Who may call the simulated emulator's gRPC service, in all modes; signed tokens are verified by Google's library."""

import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from odyssey_simulator.control_server import ControlOptions
from odyssey_simulator.emulator import SimulatedEmulator
from odyssey_simulator.errors import SimulatorError
from tests.cli import wait_until
from tests.simulator.bench import phone_of
from tests.simulator.control_client import SERVICE, Client, status_of
from tests.simulator.signer import Signer, read_active
from tests.simulator.test_control_server import read_discovery_files

OK, UNAUTHENTICATED, DENIED = grpc.StatusCode.OK, grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED
INVALID = grpc.StatusCode.INVALID_ARGUMENT


def discovered(running: Path) -> dict[str, str]:
    [file] = running.glob("pid_*.ini")
    return dict(line.split("=", 1) for line in file.read_text("utf-8").splitlines())


class Service:
    """A running emulator that takes signed tokens."""

    def __init__(self, emulator: SimulatedEmulator, running: Path) -> None:
        assert emulator.control is not None
        self._address = emulator.control.address
        self.token = emulator.control.token
        self.folder = Path(discovered(running)["grpc.jwks"])

    def call(self, token: str | None, method: str = "getStatus") -> tuple[grpc.StatusCode, str]:
        client = Client(self._address, token)
        try:
            client.call(method)
        except grpc.RpcError as error:
            return status_of(error)
        finally:
            client.close()
        return OK, ""


@contextmanager
def started(running: Path, **options: Any) -> Iterator[Service]:
    control = ControlOptions(running, **{"token": "", "jwt": True, **options})
    with SimulatedEmulator(phone_of(), control=control) as emulator:
        yield Service(emulator, running)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("running")


@pytest.fixture(scope="module")
def started_service(running: Path) -> Iterator[Service]:
    with started(running) as service:
        yield service


@pytest.fixture
def service(started_service: Service) -> Iterator[Service]:
    yield started_service
    for file in started_service.folder.glob("*.jwk"):
        if file.name != "active.jwk":
            file.unlink(missing_ok=True)
    wait_until(lambda: read_active(started_service.folder) == [])


@pytest.mark.parametrize(
    ("token", "jwt", "keys"),
    [
        ("", False, set()),
        ("secret", False, {"grpc.token", "grpc.allowlist"}),
        ("", True, {"grpc.jwks", "grpc.jwk_active", "grpc.allowlist"}),
        ("secret", True, {"grpc.token", "grpc.jwks", "grpc.jwk_active", "grpc.allowlist"}),
    ],
    ids=["open", "token", "JWT", "token and JWT"],
)
def test_discovery_file_of_each_mode(tmp_path: Path, token: str, jwt: bool, keys: set[str]) -> None:
    control = ControlOptions(tmp_path, token=token, jwt=jwt)
    with SimulatedEmulator(phone_of(), control=control):
        entries = discovered(tmp_path)
        access = {key for key in entries if key.startswith("grpc.")} - {"grpc.port"}
        assert access == keys
        if jwt:
            folder = Path(entries["grpc.jwks"])
            assert folder.parent == tmp_path / str(os.getpid()) / "jwks"
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert json.loads(Path(entries["grpc.jwk_active"]).read_text()) == {"keys": []}
    assert list(tmp_path.iterdir()) == [], "the folder of the process goes with it"


ACCEPTED_KEYS: dict[str, Callable[[], Signer]] = {
    "ES256": Signer,
    "ES384": lambda: Signer("ES384"),
    "ES512": lambda: Signer("ES512"),
    "RS256": lambda: Signer("RS256"),
    "PS256": lambda: Signer("PS256"),
    "no use": lambda: Signer(use=None),
    "no key_ops": lambda: Signer(key_ops=None),
    "other members": lambda: Signer(note="ignored"),
}
REFUSED_KEYS: dict[str, Callable[[], Signer]] = {
    "EdDSA": lambda: Signer("EdDSA"),
    "no alg": lambda: Signer(alg=None),
    "other use": lambda: Signer(use="enc"),
    "other key_ops": lambda: Signer(key_ops=["sign"]),
    "RSA 1024": lambda: Signer("RS256", rsa_bits=1024),
}


@pytest.mark.parametrize("signer", ACCEPTED_KEYS.values(), ids=ACCEPTED_KEYS)
def test_key_is_accepted_and_listed_with_its_kid(service: Service, signer: Callable[[], Signer]) -> None:
    caller = signer()
    caller.activate(service.folder)
    assert [key["kid"] for key in read_active(service.folder)] == ["own"]
    assert service.call(caller.token()) == (OK, "")


def test_key_and_token_without_kid_are_accepted(service: Service) -> None:
    signer = Signer(kid=None)  # type: ignore[arg-type]
    signer.activate(service.folder)
    assert service.call(signer.token()) == (OK, "")


def test_two_keys_with_one_kid_both_work(service: Service) -> None:
    signers = Signer(), Signer()
    for number, signer in enumerate(signers):
        signer.activate(service.folder, f"{number}.jwk")
    assert [service.call(signer.token()) for signer in signers] == [(OK, "")] * 2


def refuse(service: Service, content: str) -> None:
    """Returns when the emulator has deleted the file."""
    file = service.folder / "refused.jwk"
    file.write_text(content)
    wait_until(lambda: not file.exists())


@pytest.mark.parametrize("signer", REFUSED_KEYS.values(), ids=REFUSED_KEYS)
def test_file_of_a_key_that_is_refused_is_deleted(service: Service, signer: Callable[[], Signer]) -> None:
    caller = signer()
    refuse(service, json.dumps({"keys": [caller.public]}))
    assert read_active(service.folder) == []
    code, details = service.call(caller.token())
    assert (code, details) == (
        UNAUTHENTICATED,
        f"No key set present. Make sure your public jwk is saved in {service.folder}",
    )


def test_other_files_are_refused_and_deleted(service: Service) -> None:
    signer = Signer()
    whole = json.dumps({"keys": [signer.public]})
    private = json.dumps({"keys": [{**signer.public, "d": signer.secret}]})
    for content in (json.dumps(signer.public), private, whole[:-9], "", " " * 8193 + whole):
        refuse(service, content)
    assert read_active(service.folder) == []


def test_renamed_file_is_never_seen(service: Service) -> None:
    late, seen = Signer(kid="late"), Signer(kid="seen")
    late.put(service.folder, "late.tmp")
    (service.folder / "late.tmp").rename(service.folder / "late.jwk")
    seen.activate(service.folder)
    assert [key["kid"] for key in read_active(service.folder)] == ["seen"]


def test_deleted_file_revokes_its_key(service: Service) -> None:
    first, second = Signer(kid="1"), Signer(kid="2")
    first.activate(service.folder, "1.jwk")
    second.activate(service.folder, "2.jwk")
    (service.folder / "1.jwk").unlink()
    wait_until(lambda: [key["kid"] for key in read_active(service.folder)] == ["2"])
    assert service.call(first.token())[0] is INVALID
    assert service.call(second.token()) == (OK, "")


def soon(seconds: int) -> int:
    return int(time.time()) + seconds


ACCEPTED_TOKENS: dict[str, Callable[[Signer], str]] = {
    "plain": lambda signer: signer.token(),
    "no kid": lambda signer: signer.token(header={"kid": None}),
    "audience is text": lambda signer: signer.token(aud=f"{SERVICE}getStatus"),
    "several audiences": lambda signer: signer.token(aud=[f"{SERVICE}sendKey", f"{SERVICE}getStatus"]),
    "long life": lambda signer: signer.token(exp=soon(10**8)),
    "nbf in the past": lambda signer: signer.token(nbf=soon(-1)),
    "jti": lambda signer: signer.token(jti="1"),
}
REFUSED_TOKENS: dict[str, tuple[Callable[[Signer], str], str]] = {
    "typ": (lambda signer: signer.token(header={"typ": "JWT"}), "type_header"),
    "wrong kid": (lambda signer: signer.token(header={"kid": "other"}), ""),
    "crit": (lambda signer: signer.token(header={"crit": ["x"]}), "crit"),
    "no iat": (lambda signer: signer.token(iat=None), "iat"),
    "iat in the future": (lambda signer: signer.token(iat=soon(3)), "iat claim in the future"),
    "no exp": (lambda signer: signer.token(exp=None), "exp"),
    "expired": (lambda signer: signer.token(exp=soon(-1)), "expired"),
    "nbf in the future": (lambda signer: signer.token(nbf=soon(60)), "before"),
    "other signer": (lambda _: Signer().token(), ""),
    "DER signature": (lambda signer: signer.der_signed(signer.token()), ""),
}


@pytest.mark.parametrize("make", ACCEPTED_TOKENS.values(), ids=ACCEPTED_TOKENS)
def test_accepted_tokens(service: Service, make: Callable[[Signer], str]) -> None:
    signer = Signer()
    signer.activate(service.folder)
    assert service.call(make(signer)) == (OK, "")


@pytest.mark.parametrize(("make", "text"), REFUSED_TOKENS.values(), ids=REFUSED_TOKENS)
def test_refused_tokens(service: Service, make: Callable[[Signer], str], text: str) -> None:
    signer = Signer()
    signer.activate(service.folder)
    code, details = service.call(make(signer))
    assert code is INVALID
    assert text in details


def test_older_emulators_refuse_tokens_with_another_code(tmp_path: Path) -> None:
    with started(tmp_path, bad_jwt=UNAUTHENTICATED) as service:
        signer = Signer()
        signer.activate(service.folder)
        assert service.call(signer.token(exp=soon(-1)))[0] is UNAUTHENTICATED


NOT_IN_AUD = "The JWT does not include {path} in the aud claim"
NOT_LISTED = "The endpoint: {path} is not on the allowlist loaded from: {list}"


@pytest.mark.parametrize(
    ("method", "claims", "expected"),
    [
        ("getStatus", {}, (OK, "")),
        ("getStatus", {"aud": None}, (DENIED, NOT_IN_AUD)),
        ("getStatus", {"aud": [f"{SERVICE}.*"]}, (DENIED, NOT_IN_AUD)),
        ("setPosture", {"aud": None}, (INVALID, "0 is not a valid PostureValue")),
        ("getStatus", {"iss": "android-studio", "aud": None}, (OK, "")),
        ("getStatus", {"iss": "someone"}, (DENIED, NOT_LISTED)),
        ("getStatus", {"iss": None}, (DENIED, NOT_LISTED)),
    ],
)
def test_allowlist(
    service: Service, running: Path, method: str, claims: dict[str, Any], expected: tuple[grpc.StatusCode, str]
) -> None:
    signer = Signer()
    signer.activate(service.folder)
    places = {"path": SERVICE + method, "list": discovered(running)["grpc.allowlist"]}
    assert service.call(signer.token(method, **claims), method) == (expected[0], expected[1].format(**places))


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, DENIED),
        ("no JSON", DENIED),
        ('{"unprotected": [".*"]} // "open"', OK),
        ('{"allowlist": [{"iss": "x", "allowed": [".*"]}]}', DENIED),
    ],
    ids=["missing", "broken", "unprotected", "other issuer"],
)
def test_other_allowlist_holds_for_the_token_too(tmp_path: Path, content: str | None, code: grpc.StatusCode) -> None:
    allowlist = tmp_path / "list.json"
    if content is not None:
        allowlist.write_text(content)
    with started(tmp_path, token="secret", allowlist=allowlist) as service:
        assert service.call("secret")[0] is code


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, "No 'authorization' header present."),
        ("stale", "The token `Bearer stale` is invalid"),
        ("a.b", "The token `Bearer a.b` is invalid"),
        ("a.b.c", "No key set present. Make sure your public jwk is saved in {folder}"),
    ],
)
def test_refusals_without_a_key(service: Service, header: str | None, expected: str) -> None:
    assert service.call(header) == (UNAUTHENTICATED, expected.format(folder=service.folder))


def test_token_and_signed_tokens_side_by_side(tmp_path: Path) -> None:
    with started(tmp_path, token="secret") as service:
        signer = Signer()
        signer.activate(service.folder)
        assert [service.call(token)[0] for token in ("secret", signer.token(), "stale")] == [OK, OK, UNAUTHENTICATED]


def test_ordinary_users_need_no_tink(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tink", None)
    with SimulatedEmulator(phone_of(), control=ControlOptions(tmp_path, token="secret")):
        assert read_discovery_files(tmp_path)[0]["grpc.token"] == "secret"
    emulator = SimulatedEmulator(phone_of(), control=ControlOptions(tmp_path, jwt=True))
    with pytest.raises(SimulatorError, match="pip install tink"):
        emulator.start()
