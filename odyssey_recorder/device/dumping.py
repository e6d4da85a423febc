"""Reads the views of a screen by `uiautomator dump`, of which Android lets one run at a time on a device."""

import os
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import count
from textwrap import shorten

from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.view_hierarchy import LONGEST
from odyssey_recorder.errors import DeviceError

PAUSES_S = (0.5, 1.0, 2.0, 3.0)
"""Before each further try while another program is connected: another recorder's dump takes two seconds."""

KNOWN_TAKEN_S = 60.0
"""Once that was in vain, there is one try only for this time, because every step would wait for it."""

_PATH = f"/data/local/tmp/odyssey-recorder-{os.getpid()}"
_NUMBERS = count(1)
_PATIENCE = 2
"""Times the usual limit for a dump: `uiautomator` waits ten seconds for the screen to become idle."""

_TAKEN = "already registered"
_ADVICE = {
    _TAKEN: "Another program reads its views: Appium, uiautomator2 or another recorder. End that program.",
    "could not get idle state": "Its screen never settles.",
}
_NO_ROOT = re.compile("null root node")

_alone: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


def reading_alone(serial: str) -> threading.Lock:
    """Held while views are read. Also hold it to change the rotation, which Android restores after each reading."""
    return _alone[serial]


class ViewReader:
    """Safe from any thread. `now_s` is a monotonic clock."""

    def __init__(self, shell: AdbShell, now_s: Callable[[], float] = time.monotonic) -> None:
        self._shell = shell
        self._now_s = now_s
        self._taken_until_s: float | None = None

    def read(self, option: str = "") -> str:
        """As XML; waits until nobody else reads. Raises DeviceError, with the reason."""
        shell = self._shell
        with reading_alone(shell.serial):
            xml, said = self._try_in_turn(option)
            if len(xml) > LONGEST or _NO_ROOT.search(said):
                xml, said = _try(shell, f"--compressed {option}")
        if xml:
            return xml
        advice = next((advice for problem, advice in _ADVICE.items() if problem in said), "Look again.")
        quoted = f"Its output: {shorten(said, 200, placeholder=' …')}" if said.strip() else ""
        raise DeviceError(f"The view hierarchy of {shell.label} cannot be read. {advice} {quoted}".rstrip())

    def _try_in_turn(self, option: str) -> tuple[str, str]:
        xml, said = _try(self._shell, option)
        if _TAKEN in said and self._taken_until_s is not None and self._now_s() < self._taken_until_s:
            return xml, said
        for pause_s in PAUSES_S:
            if _TAKEN not in said or self._shell.closed.wait(pause_s):
                break
            xml, said = _try(self._shell, option)
        self._taken_until_s = self._now_s() + KNOWN_TAKEN_S if _TAKEN in said else None
        return xml, said


def _try(shell: AdbShell, option: str) -> tuple[str, str]:
    """The dump, or what the program said instead."""
    path = f"{_PATH}-{next(_NUMBERS)}.xml"
    command = f"rm -f {path}; uiautomator dump {option}{path}; cat {path}; rm -f {path}"
    result = shell.run(command, _PATIENCE * shell.answer_s)
    start = result.output.find("<?xml")
    return (result.output[start:], "") if start >= 0 else ("", result.text)
