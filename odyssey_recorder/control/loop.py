"""Control of a device: wait until the screen is settled, then perform an input.

Recording does not use it: there every input waits for the proof of its screenshot, see `recording.session`.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from odyssey_recorder.control.inputs import Input
from odyssey_recorder.device.device import ControllableDevice, ScreenState
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.settle import SettleRule, Stillness, StillnessWatch
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey

_INTERVAL_S = 0.03
"""Between two screenshots: taking one after the other would keep the device from drawing."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A frame, whether its screen was settled, and the screen state from before it."""

    frame: Frame
    screen: ScreenState
    settled: bool


class DeviceControl:
    """Observes one device and acts on it. Every method raises DeviceError.

    `patience_ms`: how long after an input an unexpected screen may still become the expected one.
    """

    def __init__(self, device: ControllableDevice, settle: SettleRule, *, patience_ms: int) -> None:
        self._device = device
        self._settle = settle
        self._patience_ns = patience_ms * 1_000_000
        self._acted_ns = time.monotonic_ns()

    def observe(self, expects: Callable[[Observation], bool] = lambda _: True) -> Observation:
        """Wait until the screen is settled (or restless) and expected; after the patience, return it as it is."""
        screen = self._device.screen_state()
        give_up_ns = self._acted_ns + self._patience_ns
        watch = StillnessWatch(self._settle, since_ns=self._acted_ns)
        judged: Frame | None = None
        expected = False
        while True:
            frame = self._device.capture()
            stillness = watch.see(frame, ignore_top_px=screen.status_bar_px)
            if stillness is not Stillness.MOVING:
                observation = Observation(frame, screen, settled=stillness is Stillness.STILL)
                if watch.anchor is not judged:
                    judged, expected = watch.anchor, expects(observation)
                if expected or frame.arrived_ns >= give_up_ns:
                    return observation
            time.sleep(_INTERVAL_S)

    def perform(self, action: Input) -> None:
        """Perform an input; later observations show its result."""
        if not action:
            return
        try:
            match action:
                case TouchStroke():
                    self._device.touch(action)
                case SystemKey():
                    self._device.press(action)
                case str():
                    self._device.type_text(action)
        finally:
            self._acted_ns = time.monotonic_ns()  # a failed input may have been carried out
