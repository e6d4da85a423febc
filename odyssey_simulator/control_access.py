"""Who may call the gRPC service: the holder of its token, or the signer of a JWT, and what each of them may call."""

import json
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from grpc import StatusCode

from odyssey_simulator.control_keys import BadJwtError, Claims, KeyFolder

DEFAULT_ALLOWLIST = Path(__file__).with_name("emulator_access.json")

_STRING_OR_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*')
_TOKEN_ISSUER = "android-studio"
_PREFIX = "Bearer "

Refusal = tuple[StatusCode, str]


@dataclass(slots=True)
class Access:
    """With an empty `token` and without `keys` the service is open.

    `bad_jwt` is the code for a JWT that cannot be verified. Emulators before version 33 use UNAUTHENTICATED.
    """

    token: str
    allowlist: Path
    bad_jwt: StatusCode
    keys: KeyFolder | None = None

    def refusal(self, method: str, header: str | None) -> Refusal | None:
        """None if a call of `method`, a full path, is allowed with this `authorization` header."""
        if not self.token and self.keys is None:
            return None
        rules = _Rules(self.allowlist)
        if rules.needs_no_token(method):
            return None
        if header is None:
            return StatusCode.UNAUTHENTICATED, "No 'authorization' header present."
        if self.token and header == _PREFIX + self.token:
            claims = Claims(_TOKEN_ISSUER, ())
        elif self.keys is None or not _is_jwt(header):
            return invalid_token(header)
        elif not self.keys.has_keys:
            return StatusCode.UNAUTHENTICATED, (
                f"No key set present. Make sure your public jwk is saved in {self.keys.folder}"
            )
        else:
            try:
                claims = self.keys.claims(header.removeprefix(_PREFIX))
            except BadJwtError as error:
                return self.bad_jwt, str(error)
        return rules.refusal(method, claims)


def invalid_token(header: str | None) -> Refusal:
    return StatusCode.UNAUTHENTICATED, f"The token `{header}` is invalid"


class _Rules:
    """Read from a file for every call; an unreadable one allows nothing."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._unprotected: Sequence[str] = ()
        self._issuers: dict[str, dict[str, list[str]]] = {}
        with suppress(OSError, ValueError):
            read = json.loads(_STRING_OR_COMMENT.sub(r"\1", file.read_text("utf-8")))
            self._unprotected = read.get("unprotected", ())
            self._issuers = {rules["iss"]: rules for rules in read.get("allowlist", ())}

    def needs_no_token(self, method: str) -> bool:
        return _matches(self._unprotected, method)

    def refusal(self, method: str, claims: Claims) -> Refusal | None:
        rules = self._issuers.get(claims.issuer, {})
        if _matches(rules.get("allowed", ()), method):
            return None
        if not _matches(rules.get("protected", ()), method):
            return StatusCode.PERMISSION_DENIED, (
                f"The endpoint: {method} is not on the allowlist loaded from: {self._file}"
            )
        if method not in claims.audiences:
            return StatusCode.PERMISSION_DENIED, f"The JWT does not include {method} in the aud claim"
        return None


def _is_jwt(header: str) -> bool:
    return header.startswith(_PREFIX) and header.count(".") == 2


def _matches(patterns: Collection[str], method: str) -> bool:
    return any(re.fullmatch(pattern, method) for pattern in patterns)
