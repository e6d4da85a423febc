"""The folder into which callers of the gRPC service put their public keys, watched as the emulator does on Linux."""

import ctypes
import json
import os
import shutil
import struct
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from odyssey_simulator.errors import SimulatorError

_SUFFIX = ".jwk"
_MAX_BYTES = 8 * 1024
_TRIES, _PAUSE_S = 8, 0.125
_CREATED, _MODIFIED, _DELETED, _ENDED = 0x100, 0x2, 0x200, 0x8000
_EVENT = struct.Struct("iIII")


class BadJwtError(Exception):
    """The message is what the verifying library says."""


@dataclass(frozen=True, slots=True)
class Claims:
    issuer: str
    audiences: Sequence[str]


class KeyFolder:
    """Reports creations, changes and deletions of files, but no renames: a file renamed into the folder is never seen.

    An empty file is read again some times. One without valid keys is deleted. `active` lists the keys in use; it is
    truncated and written again after each change.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.active = folder / "active.jwk"
        self._lock = threading.Lock()
        self._keys: dict[str, list[Any]] = {}
        self._verifier: Any = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="keys of the gRPC service", daemon=True)

    @property
    def has_keys(self) -> bool:
        return bool(self._keys)

    def start(self) -> None:
        """Raises SimulatorError."""
        if sys.platform != "linux":
            raise SimulatorError("The simulated emulator takes signed tokens (JWT) on Linux only. Use the token.")
        try:
            from tink import jwt  # not needed without JWT
        except ImportError as error:
            raise SimulatorError(
                "The simulated emulator verifies signed tokens (JWT) with tink, which is not installed. "
                "Install it with `pip install tink`, or use the token."
            ) from error
        jwt.register_jwt_signature()
        self._jwt = jwt
        self.folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder.mkdir(mode=0o700)
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._inotify = self._libc.inotify_init1(os.O_CLOEXEC)
        self._watched = self._libc.inotify_add_watch(
            self._inotify, os.fsencode(self.folder), _CREATED | _MODIFIED | _DELETED
        )
        self._write_active()
        self._thread.start()

    def stop(self) -> None:
        """Also removes the folder and the one of the process around it."""
        self._stopped.set()
        self._libc.inotify_rm_watch(self._inotify, self._watched)
        self._thread.join()
        os.close(self._inotify)
        shutil.rmtree(self.folder.parent.parent, ignore_errors=True)

    def claims(self, token: str) -> Claims:
        """Raises BadJwtError."""
        from tink import TinkError

        validator = self._jwt.new_validator(ignore_issuer=True, ignore_audiences=True, expect_issued_in_the_past=True)
        try:
            verified = self._verifier.verify_and_decode(token, validator)
        except TinkError as error:
            raise BadJwtError(str(error)) from error
        return Claims(
            verified.issuer() if verified.has_issuer() else "",
            verified.audiences() if verified.has_audiences() else (),
        )

    def _watch(self) -> None:
        while True:
            events = os.read(self._inotify, 64 * 1024)
            while events:
                _, mask, _, length = _EVENT.unpack_from(events)
                name = events[_EVENT.size : _EVENT.size + length].rstrip(b"\0").decode()
                events = events[_EVENT.size + length :]
                if mask & _ENDED:
                    return
                if name.endswith(_SUFFIX) and name != self.active.name:
                    self._follow(name, deleted=bool(mask & _DELETED))

    def _follow(self, name: str, *, deleted: bool) -> None:
        if deleted:
            if self._keys.pop(name, None) is None:
                return
        else:
            try:
                self._keys[name] = self._read(self.folder / name)
            except (OSError, ValueError):
                (self.folder / name).unlink(missing_ok=True)
                return
        self._write_active()

    def _read(self, file: Path) -> list[Any]:
        """Raises OSError, ValueError."""
        from tink import TinkError

        for _ in range(_TRIES):
            content = file.read_bytes()
            if content or self._stopped.wait(_PAUSE_S):
                break
        if not content or len(content) > _MAX_BYTES:
            raise ValueError(f"{file} has {len(content)} bytes")
        try:
            handle = self._jwt.jwk_set_to_public_keyset_handle(content.decode())
            handle.primitive(self._jwt.JwtPublicKeyVerify)  # refuses short keys
            keys: list[Any] = json.loads(self._jwt.jwk_set_from_public_keyset_handle(handle))["keys"]
        except TinkError as error:
            raise ValueError(f"{file} has no valid keys") from error
        return keys

    def _write_active(self) -> None:
        text = json.dumps({"keys": [key for keys in self._keys.values() for key in keys]}, indent=2)
        if self._keys:
            handle = self._jwt.jwk_set_to_public_keyset_handle(text)
            self._verifier = handle.primitive(self._jwt.JwtPublicKeyVerify)
        with suppress(OSError):
            self.active.write_text(text)
