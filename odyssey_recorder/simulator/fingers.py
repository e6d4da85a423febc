"""The fingers that a program puts on the emulator's screen: which slot each has, and when it is forgotten."""

import math
import threading
import time
from dataclasses import dataclass

from odyssey_recorder.simulator.guest import Guest

EXPIRES_S = 120.0
"""After this time a finger that nobody moves is lifted."""

_SLOTS = range(10)


@dataclass(frozen=True, slots=True)
class _Contact:
    slot: int
    x: float
    y: float
    expires_s: float


class Fingers:
    """Fingers by the identifiers that whoever moves them has chosen; safe from any thread, which waits its turn."""

    def __init__(self, guest: Guest, *, expires_s: float = EXPIRES_S) -> None:
        self._guest = guest
        self._expires_s = expires_s
        self._lock = threading.Lock()
        self._contacts: dict[int, _Contact] = {}
        self._timer: threading.Timer | None = None
        self._stopped = False

    def put(self, identifier: int, x: float, y: float, *, expires: bool = True) -> None:
        """A finger comes down or moves, in pixels of the panel as it is built; an eleventh one is not felt."""
        with self._lock:
            known = self._contacts.get(identifier)
            slot = self._free_slot() if known is None else known.slot
            if slot is None:
                return
            end_s = time.monotonic() + self._expires_s if expires else math.inf
            self._contacts[identifier] = _Contact(slot, x, y, end_s)
            self._guest.window_touch(x, y, pressed=True, slot=slot)
            self._watch()

    def lift(self, identifier: int, x: float, y: float) -> None:
        """A finger lifts at a place; one that was not down does nothing."""
        with self._lock:
            known = self._contacts.pop(identifier, None)
            if known is not None:
                self._guest.window_touch(x, y, pressed=False, slot=known.slot)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._timer is not None:
                self._timer.cancel()

    def _free_slot(self) -> int | None:
        taken = {contact.slot for contact in self._contacts.values()}
        return next((slot for slot in _SLOTS if slot not in taken), None)

    def _watch(self) -> None:
        first_s = min((contact.expires_s for contact in self._contacts.values()), default=math.inf)
        if self._timer is None and not math.isinf(first_s):
            self._timer = threading.Timer(max(0.0, first_s - time.monotonic()), self._expire)
            self._timer.daemon = True
            self._timer.start()

    def _expire(self) -> None:
        with self._lock:
            if self._stopped:
                return
            self._timer = None
            for identifier, contact in list(self._contacts.items()):
                if contact.expires_s <= time.monotonic():
                    del self._contacts[identifier]
                    self._guest.window_touch(contact.x, contact.y, pressed=False, slot=contact.slot)
            self._watch()
