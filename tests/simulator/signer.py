"""Public keys and signed tokens (JWT), right ones and wrong ones."""

import base64
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from tests.cli import wait_until
from tests.simulator.control_client import SERVICE

ISSUER = "gradle-utp-emulator-control"
CURVES: dict[str, tuple[type[ec.EllipticCurve], type[hashes.HashAlgorithm], str, int]] = {
    "ES256": (ec.SECP256R1, hashes.SHA256, "P-256", 32),
    "ES384": (ec.SECP384R1, hashes.SHA384, "P-384", 48),
    "ES512": (ec.SECP521R1, hashes.SHA512, "P-521", 66),
}


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _number(value: int, length: int) -> str:
    return base64url(value.to_bytes(length, "big"))


def without_nones(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


class Signer:
    """`public` changes the members of its public key; None leaves one out."""

    def __init__(self, algorithm: str = "ES256", *, rsa_bits: int = 2048, kid: str = "own", **public: Any) -> None:
        self._algorithm = algorithm
        self._bits = rsa_bits
        self._key: Any
        if algorithm in CURVES:
            self._key = ec.generate_private_key(CURVES[algorithm][0]())
        elif algorithm == "EdDSA":
            self._key = ed25519.Ed25519PrivateKey.generate()
        else:
            self._key = rsa.generate_private_key(65537, rsa_bits)
        self._kid = kid
        general = {"alg": algorithm, "use": "sig", "key_ops": ["verify"], "kid": kid}
        self.public = without_nones({**general, **self._numbers(), **public})

    @property
    def secret(self) -> str:
        return _number(self._key.private_numbers().private_value, 32)

    def put(self, folder: Path, name: str = "test.jwk") -> None:
        (folder / name).write_text(json.dumps({"keys": [self.public]}))

    def activate(self, folder: Path, name: str = "test.jwk") -> None:
        """Returns when the emulator has listed the key."""
        before = len(read_active(folder))
        self.put(folder, name)
        wait_until(lambda: len(read_active(folder)) > before)

    def token(self, method: str = "getStatus", header: dict[str, Any] | None = None, **claims: Any) -> str:
        """`header` and `claims` replace what a good token has; None leaves it out."""
        now_s = int(time.time())
        good = {"iss": ISSUER, "aud": [SERVICE + method], "iat": now_s - 5, "exp": now_s + 600}
        head = without_nones({"alg": self._algorithm, "kid": self._kid, **(header or {})})
        parts = (head, without_nones({**good, **claims}))
        text = ".".join(base64url(json.dumps(part).encode()) for part in parts)
        return f"{text}.{base64url(self.signature(text.encode()))}"

    def signature(self, text: bytes) -> bytes:
        if self._algorithm in CURVES:
            _, hashing, _, length = CURVES[self._algorithm]
            r, s = decode_dss_signature(self._key.sign(text, ec.ECDSA(hashing())))
            return r.to_bytes(length, "big") + s.to_bytes(length, "big")
        if self._algorithm == "EdDSA":
            signed: bytes = self._key.sign(text)
            return signed
        scheme = padding.PKCS1v15() if self._algorithm == "RS256" else padding.PSS(padding.MGF1(hashes.SHA256()), 32)
        signature: bytes = self._key.sign(text, scheme, hashes.SHA256())
        return signature

    def der_signed(self, token: str) -> str:
        """`token` with its signature in the form that other formats use."""
        text = token.rpartition(".")[0]
        return f"{text}.{base64url(self._key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))}"

    def _numbers(self) -> dict[str, Any]:
        public = self._key.public_key()
        if self._algorithm == "EdDSA":
            return {"kty": "OKP", "crv": "Ed25519", "x": base64url(public.public_bytes_raw())}
        numbers = public.public_numbers()
        if self._algorithm in CURVES:
            _, _, curve, length = CURVES[self._algorithm]
            return {"kty": "EC", "crv": curve, "x": _number(numbers.x, length), "y": _number(numbers.y, length)}
        return {"kty": "RSA", "n": _number(numbers.n, self._bits // 8), "e": _number(numbers.e, 3)}


def read_active(folder: Path) -> list[dict[str, Any]]:
    """Waits while the emulator writes."""
    read: list[list[dict[str, Any]]] = []

    def is_read() -> bool:
        with suppress(ValueError):
            read.append(json.loads((folder / "active.jwk").read_text())["keys"])
        return bool(read)

    wait_until(is_read)
    return read[0]
