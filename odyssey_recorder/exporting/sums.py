"""SHA256SUMS, as `sha256sum` writes it: the files of an export or a release, and their hashes."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from odyssey_recorder.errors import DatasetError

SUMS = "SHA256SUMS"
_HASH = re.compile(r"[0-9a-f]{64}")


def sums_text(hashes: Mapping[str, str]) -> bytes:
    return "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(hashes.items())).encode()


def parse_sums(data: bytes, source: str) -> dict[str, str]:
    """The hashes by name; no name leads out of the folder. Raises DatasetError."""
    hashes: dict[str, str] = {}
    for number, line in enumerate(data.decode(errors="replace").splitlines(), start=1):
        sha256, _, name = line.partition("  ")
        path = PurePosixPath(name)
        if not _HASH.fullmatch(sha256) or str(path) != name or path.is_absolute() or ".." in path.parts or "\\" in name:
            raise DatasetError(f"{source}, line {number}: expected a hash and a name. Restore it from a backup.")
        hashes[name] = sha256
    return hashes
