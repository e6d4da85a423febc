"""Access to an emulator's gRPC service: its token, or tokens that we sign (JWT) with a key of our own."""

import base64
import json
import os
import re
import stat
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from odyssey_recorder.device.discovery import ControlEndpoint, KeyFolder, process_is_alive
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.files import Largest, read_file

SERVICE = "/android.emulation.control.EmulatorController/"
_NEEDED = ("getStatus", "getScreenshot", "streamScreenshot")
TOUCH, KEY, CLIPBOARD = "sendTouch", "sendKey", frozenset(("getClipboard", "setClipboard"))
"""What these do is done over adb where they are not allowed."""
_CALLS = (*_NEEDED, TOUCH, KEY, *sorted(CLIPBOARD))

_ISSUER = "gradle-utp-emulator-control"
"""Android Studio's issuer may do everything; this one may do what its tokens list."""

_LIFE_S = 600
_EARLY_S = 5
"""A token that is issued in the future, by the emulator's clock, is refused."""

_ACTIVE_S = 3.0
_POLL_S = 0.075
_NUMBER_BYTES = 32
_OUR_FILE = re.compile(r"odyssey-recorder-(\d+)-.+\.jwk")
_CREATE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
_STRING_OR_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*')
_REMEDY = "Start the emulator with -grpc-use-token, or choose adb."

Wait = Callable[[float], bool]
"""Waits some seconds; whether to give up."""


class Credentials:
    """What goes with every call: the token, else a signed token, else nothing. Thread-safe."""

    def __init__(self, endpoint: ControlEndpoint, wait: Wait | None = None) -> None:
        """Raises DeviceError if the emulator does not take our key."""
        self._endpoint = endpoint
        self._wait = wait or threading.Event().wait
        self._lock = threading.Lock()
        self._key: SigningKey | None = None
        self._has_another_key = False
        if not endpoint.token and endpoint.keys is not None:
            self._key = SigningKey(endpoint.serial, endpoint.keys, self._wait)

    @property
    def not_allowed(self) -> frozenset[str]:
        """The calls that the emulator does not allow with a signed token."""
        return frozenset() if self._key is None else self._key.not_allowed

    def metadata(self) -> tuple[tuple[str, str], ...]:
        with self._lock:
            token = self._key.token() if self._key is not None else self._endpoint.token
        return (("authorization", f"Bearer {token}"),) if token else ()

    def renew(self, *, is_unauthenticated: bool) -> bool:
        """After a refusal: whether another try makes sense. Raises DeviceError.

        A refused token is replaced by a key of ours, and a key that the emulator lost by another one, once.
        """
        with self._lock:
            key, keys = self._key, self._endpoint.keys
            if key is not None and key.is_active():
                key.forget_token()
                return True
            if keys is None or self._has_another_key or (key is None and not is_unauthenticated):
                return False
            if key is not None:
                self._has_another_key = True
                key.close()
            self._key = SigningKey(self._endpoint.serial, keys, self._wait)
            return True

    def close(self) -> None:
        if self._key is not None:
            self._key.close()


class SigningKey:
    """A key in memory, whose public half is in a file until `close` or the end of the program."""

    def __init__(self, serial: str, keys: KeyFolder, wait: Wait) -> None:
        self._active = keys.active
        self._kid = str(uuid.uuid4())
        self._private = ec.generate_private_key(ec.SECP256R1())
        self._token, self._issued_s = "", 0
        self.not_allowed = frozenset() if keys.allowlist is None else _not_allowed(serial, keys.allowlist)
        file = keys.folder / f"odyssey-recorder-{os.getpid()}-{self._kid}.jwk"
        try:
            _check_folder(serial, keys.folder)
            _remove_leftovers(keys.folder)
            self.close = weakref.finalize(self, file.unlink, missing_ok=True)
            # In place and at once: the emulator sees no renamed file, and deletes one with half its content.
            with os.fdopen(os.open(file, _CREATE, 0o600), "wb", buffering=0) as opened:
                opened.write(json.dumps(self._public()).encode())
        except OSError as error:
            raise DeviceError(
                f"The key for signed tokens (JWT) could not be given to {serial}: {error}. {_REMEDY}"
            ) from error
        self._wait_until_active(serial, wait)

    def token(self) -> str:
        """Signed again when less than a third of its life is left, or the clock was turned back."""
        now_s = int(time.time())
        if not self._token or not 0 <= now_s - self._issued_s < _LIFE_S * 2 // 3:
            self._issued_s = now_s - _EARLY_S
            claims = {"iss": _ISSUER, "aud": [SERVICE + call for call in _CALLS], "iat": self._issued_s}
            self._token = self._signed({**claims, "exp": self._issued_s + _LIFE_S})
        return self._token

    def forget_token(self) -> None:
        self._token = ""

    def is_active(self) -> bool:
        """The emulator may be writing the list: then it is not valid JSON yet."""
        try:
            listed = json.loads(read_file(self._active, Largest.WRITTEN_BY_HAND))["keys"]
            return any(key.get("kid") == self._kid for key in listed)
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return False

    def _wait_until_active(self, serial: str, wait: Wait) -> None:
        expires_s = time.monotonic() + _ACTIVE_S
        while not self.is_active():
            if wait(_POLL_S) or time.monotonic() > expires_s:
                self.close()
                raise DeviceError(f"{serial} did not accept our key for signed tokens (JWT). {_REMEDY}")

    def _public(self) -> Mapping[str, Any]:
        point = self._private.public_key().public_numbers()
        key = {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "key_ops": ["verify"], "kid": self._kid}
        return {"keys": [{**key, "x": _base64(_fixed(point.x)), "y": _base64(_fixed(point.y))}]}

    def _signed(self, claims: Mapping[str, Any]) -> str:
        """Without `typ` in the header, which the emulator refuses."""
        parts = ({"alg": "ES256", "kid": self._kid}, claims)
        text = ".".join(_base64(json.dumps(part).encode()) for part in parts)
        r, s = decode_dss_signature(self._private.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{_base64(_fixed(r) + _fixed(s))}"


def _check_folder(serial: str, folder: Path) -> None:
    """Raises OSError and DeviceError."""
    status = folder.lstat()
    is_private = os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
    if not (stat.S_ISDIR(status.st_mode) and is_private):
        raise DeviceError(
            f"Whoever can write into {folder} controls {serial}, and this folder is a link, belongs to another user, "
            f"or is writable by others. Odyssey Recorder does not use it. {_REMEDY}"
        )


def _remove_leftovers(folder: Path) -> None:
    """Of recorders that were killed. Raises OSError."""
    for path in folder.iterdir():
        ours = _OUR_FILE.fullmatch(path.name)
        if ours is not None and not process_is_alive(int(ours[1])):
            path.unlink(missing_ok=True)


def _not_allowed(serial: str, path: Path) -> frozenset[str]:
    """Those of our calls that the file lacks, none if it cannot be read. Raises DeviceError if it lacks screenshots."""
    try:
        rules = json.loads(_STRING_OR_COMMENT.sub(r"\1", read_file(path, Largest.WRITTEN_BY_HAND).decode()))
        ours = [issuer for issuer in rules["allowlist"] if issuer["iss"] == _ISSUER]
        patterns = [*rules.get("unprotected", ())]
        patterns += [one for issuer in ours for kind in ("allowed", "protected") for one in issuer.get(kind, ())]
        missing = [call for call in _CALLS if not any(re.fullmatch(one, SERVICE + call) for one in patterns)]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, re.error):
        return frozenset()
    if {*missing} & {*_NEEDED}:
        calls = ", ".join(missing)
        raise DeviceError(f"{serial} does not allow signed tokens (JWT) to call {calls}. Its list is {path}. {_REMEDY}")
    return frozenset(missing)


def _fixed(number: int) -> bytes:
    return number.to_bytes(_NUMBER_BYTES, "big")


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
