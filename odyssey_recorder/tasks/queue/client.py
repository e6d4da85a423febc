"""The client of a queue: annotator, computer and drafts folder, process, and whether that process is alive."""

import os
import platform
import secrets
import sys
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path

_PROCESS = secrets.token_hex(4)
_windows = count()


@dataclass(frozen=True, slots=True)
class QueueClient:
    """One annotator at one window.

    `place` is a computer and a drafts folder: drafts begun there can only be found there. `token` is unique to this
    client and marks its claims.
    """

    annotator: str
    place: str
    token: str

    @classmethod
    def of(cls, annotator: str, drafts: Path) -> "QueueClient":
        folder = sha256(os.fsencode(drafts.absolute())).hexdigest()[:12]
        return cls(annotator, f"{platform.node()}/{folder}", f"{os.getpid()}.{_PROCESS}.{next(_windows)}")


def computer(place: str) -> str:
    return place.rpartition("/")[0]


def is_gone(token: str) -> bool:
    """Whether the local process of a claim has certainly ended; its id may have been reused."""
    number, _, rest = token.partition(".")
    if not number.isdecimal() or sys.platform == "win32":
        return False  # on Windows, os.kill(pid, 0) ends the process
    if int(number) == os.getpid():
        return not rest.startswith(f"{_PROCESS}.")
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
