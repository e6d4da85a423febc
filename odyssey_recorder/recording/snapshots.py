"""The emulator's snapshots of one recording: one for each of the newest screens that steps are made on."""

import logging
import threading
import time
from typing import Literal

from odyssey_recorder.device.device import Snapshots
from odyssey_recorder.errors import DeviceError

MOST = 5
"""So many are kept: each holds the memory of the whole device, which can be a gigabyte."""
QUICK_S = 1.0
"""Where the first snapshot takes longer, "auto" makes no more: the annotator would wait for each."""

SnapshotPolicy = Literal["auto", "always", "never"]

_log = logging.getLogger(__name__)


class StepSnapshots:
    """Snapshots by the key of the step that comes after them. Every call but `wanted` blocks; from any thread."""

    def __init__(self, device: Snapshots, episode_id: str, policy: SnapshotPolicy) -> None:
        self._device = device
        self._prefix = f"odyssey-{episode_id}-"
        self._policy = policy
        self._makes_more = policy != "never"
        self._keys: list[int] = []
        self._turn = threading.Lock()

    @property
    def wanted(self) -> bool:
        """Whether a snapshot is to be made before the next step."""
        return self._makes_more and self._device.keeps_snapshots

    def save(self, key: int) -> None:
        """Save the device as it is before step `key`; what cannot be saved is led back by hand."""
        with self._turn:
            began_s = time.monotonic()
            try:
                self._device.save_snapshot(self._name(key))
            except DeviceError as error:
                _log.warning("No more snapshots are made for undo: %s", error)
                self._makes_more = False
                return
            if self._policy == "auto" and time.monotonic() - began_s > QUICK_S:
                self._makes_more = False
            self._keys = [*(known for known in self._keys if known != key), key]
            while len(self._keys) > MOST:
                self._forget(self._name(self._keys.pop(0)))

    def load(self, key: int) -> bool:
        """Bring the device back to before step `key`; whether there was a snapshot. Raises DeviceError."""
        with self._turn:
            if self._name(key) not in self._made():
                return False
            self._device.load_snapshot(self._name(key))
            return True

    def forget_all(self) -> None:
        """Leave none behind, not even those that an earlier process made of this recording."""
        with self._turn:
            try:
                made = self._made()
            except DeviceError as error:
                _log.info("Snapshots %s* may be left on the emulator: %s", self._prefix, error)
                return
            for name in made:
                self._forget(name)

    def _name(self, key: int) -> str:
        return f"{self._prefix}{key}"

    def _made(self) -> list[str]:
        if self._policy == "never" or not self._device.keeps_snapshots:
            return []
        return [name for name in self._device.snapshots() if name.startswith(self._prefix)]

    def _forget(self, name: str) -> None:
        try:
            self._device.delete_snapshot(name)
        except DeviceError as error:
            _log.info("The snapshot %s is left on the emulator: %s", name, error)
