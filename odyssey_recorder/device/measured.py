"""What `devices check` has measured on virtual devices, kept in one file for the recorder to use."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from odyssey_recorder.device.device import DeviceProperties
from odyssey_recorder.files import Largest, make_folder, read_json, write_durably
from odyssey_recorder.gesture.recognizer import LONG_PRESS_MS
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Box, Rotation, Size
from odyssey_recorder.validation import FrozenModel

if TYPE_CHECKING:
    from odyssey_recorder.device.device import ControllableDevice

_log = logging.getLogger(__name__)

Edges = tuple[int, int, int, int]
"""Left, top, right, bottom of a `Box`."""


class Measured(FrozenModel):
    """What is known of one device; empty or None where nothing was measured.

    `touch_scale`, by posture: the factors across and down by which a position must be multiplied before it is sent over
    gRPC, so that the touch lands on it; None if no factors do that, and touches go over adb. `frame_turns`, by posture
    and rotations (`place_of`): the quarter turns clockwise after which a gRPC frame equals a `screencap`, besides those
    between the rotations. `buttons`, by the frame's size and rotation (`screen_of`): where the navigation buttons are
    on the frame.
    """

    long_press_ms: int | None = None
    touch_scale: Mapping[str, tuple[float, float] | None] = {}
    frame_turns: Mapping[str, int] = {}
    buttons: Mapping[str, Mapping[str, Edges]] = {}

    def buttons_on(self, frame: Size, rotation: Rotation) -> Mapping[SystemKey, Box]:
        """Empty if they were not measured on such a screen."""
        found = self.buttons.get(screen_of(frame, rotation), {})
        return {SystemKey(name): Box(*edges) for name, edges in found.items()}


class _File(FrozenModel):
    devices: Mapping[str, Measured] = {}


@dataclass(frozen=True, slots=True)
class MeasuredDevices:
    """All measured devices of a user. Without a `path` none is known, and none is kept."""

    path: Path | None = None

    def of(self, device: DeviceProperties) -> Measured:
        """Measurements count for one virtual device, emulator version and system image only."""
        return self._read().devices.get(_key(device), Measured())

    def keep(self, device: DeviceProperties, measured: Measured) -> None:
        """Raises DatasetError."""
        if self.path is None:
            return
        devices = {**self._read().devices, _key(device): measured}
        make_folder(self.path.parent)
        write_durably(self.path, _File(devices=devices).model_dump_json(indent=1).encode())

    def _read(self) -> _File:
        """A file that cannot be read counts as empty: everything in it can be measured again."""
        if self.path is None:
            return _File()
        try:
            return _File.model_validate_json(read_json(self.path, Largest.WRITTEN_BY_HAND))
        except FileNotFoundError:
            return _File()
        except (OSError, ValidationError) as error:
            _log.warning("The measurements in %s are not used: %s", self.path, error)
            return _File()


NOTHING_MEASURED = MeasuredDevices()


def long_press_ms(device: "ControllableDevice") -> int:
    """How long a finger must stay for a long press: as measured, else by Android's setting. Raises DeviceError."""
    measured = device.measured().long_press_ms
    if measured is not None:
        return measured
    chosen = device.setting("secure", "long_press_timeout")
    return int(chosen) if chosen.isdecimal() and int(chosen) else LONG_PRESS_MS


def screen_of(frame: Size, rotation: Rotation) -> str:
    return f"{frame}/{rotation.value}"


def place_of(posture: str, shown: Rotation, held: Rotation) -> str:
    """`shown` is the rotation of Android, `held` that of the device: nobody knows what holds for another one."""
    return f"{posture}/{shown.value}/{held.value}"


def _key(device: DeviceProperties) -> str:
    return " | ".join((device.avd_name or device.model, device.emulator_version, device.fingerprint))
