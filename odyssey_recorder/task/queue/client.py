"""Who uses a queue: the annotator, the place of their drafts, the window and its process, and whether that lives."""

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

    `place` is a computer and a folder of drafts: what was begun there can only be found there. `token` is of this
    client alone: its claims carry it.
    """

    annotator: str
    place: str
    token: str

    @classmethod
    def of(cls, annotator: str, drafts: Path) -> "QueueClient":
        """A client in this process, for the drafts in this folder."""
        folder = sha256(os.fsencode(drafts.absolute())).hexdigest()[:12]
        return cls(annotator, f"{platform.node()}/{folder}", f"{os.getpid()}.{_PROCESS}.{next(_windows)}")


def computer(place: str) -> str:
    """The name of the computer of a place."""
    return place.rpartition("/")[0]


def is_gone(token: str) -> bool:
    """Whether the process of a claim, one on this computer, has certainly ended; another may have its number by now."""
    number, _, rest = token.partition(".")
    if not number.isdecimal() or sys.platform == "win32":
        return False  # there, asking a process for its life ends it
    if int(number) == os.getpid():
        return not rest.startswith(f"{_PROCESS}.")
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
