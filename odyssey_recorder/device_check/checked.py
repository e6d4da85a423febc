"""The device under a check, as the probes look at it and act on it. Calls raise DeviceError, CancelledError."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from odyssey_recorder.control.inputs import Input
from odyssey_recorder.control.loop import DeviceControl, Observation
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.device import Device, ScreenState
from odyssey_recorder.device.emulator_console import EmulatorConsole
from odyssey_recorder.device.measured import Measured
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.device.view_hierarchy import ViewNode, focused_field, parse
from odyssey_recorder.errors import CancelledError, DeviceError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Box, Pixel
from odyssey_recorder.progress import Cancelled, never

SETTINGS = "com.android.settings"
_TRIES = 2
_OPEN_SETTINGS = f"am force-stop {SETTINGS}; am start -W -a android.settings.SETTINGS"


@dataclass(frozen=True, slots=True)
class Patience:
    """When a screen has settled, and how long an action may take to show its effect."""

    settle: SettleRule = field(default_factory=SettleRule)
    effect_ms: int = 3000


@dataclass(slots=True)
class CheckedDevice:
    """`console` is None if it has none; `measured` is what was found so far."""

    device: Device
    shell: AdbShell
    console: EmulatorConsole | None
    connector: DeviceConnector
    patience: Patience
    is_cancelled: Cancelled
    measured: Measured = field(default_factory=Measured)
    _unread: list[DeviceError] = field(default_factory=list)

    def stop_if_cancelled(self) -> None:
        if self.is_cancelled():
            raise CancelledError("The check was cancelled.")

    @contextmanager
    def undisturbed(self) -> Iterator[None]:
        """For what must be restored: it is carried out although the check was cancelled."""
        asked, self.is_cancelled = self.is_cancelled, never
        try:
            yield
        finally:
            self.is_cancelled = asked

    def note(self, **measured: object) -> None:
        self.measured = self.measured.model_copy(update=measured)

    def keep_measured(self) -> None:
        self.connector.measured.keep(self.device.properties(), self.measured)

    def look(self, expects: Callable[[Observation], bool] = lambda _: True) -> Observation:
        """The settled screen; after the patience as it is."""
        return self.act("", expects)

    def act(self, action: Input, expects: Callable[[Observation], bool] = lambda _: True) -> Observation:
        self.stop_if_cancelled()
        control = DeviceControl(self.device, self.patience.settle, patience_ms=self.patience.effect_ms)
        control.perform(action)
        return control.observe(expects)

    def tap(self, box: Box) -> Observation:
        return self.act(TouchStroke.press(middle(box)))

    def until(self, wanted: Callable[[ScreenState], bool]) -> ScreenState:
        """The state of the screen once it is `wanted`; after the patience as it is."""
        expires_s = time.monotonic() + self.patience.effect_ms / 1000
        while True:
            self.stop_if_cancelled()
            state = self.device.screen_state()
            if wanted(state) or time.monotonic() > expires_s:
                return state

    def run(self, command: str) -> str:
        self.stop_if_cancelled()
        return self.shell.run(command).text

    def views(self) -> tuple[ViewNode, ...]:
        """After several failures it fails at once: each takes seconds."""
        self.stop_if_cancelled()
        if len(self._unread) >= _TRIES:
            raise self._unread[-1]
        try:
            return parse(self.device.view_hierarchy())
        except DeviceError as error:
            self._unread.append(error)
            raise

    def open_settings(self) -> Observation:
        """Settings as it is when it was just started."""
        self.run(_OPEN_SETTINGS)
        if self.until(lambda state: state.package == SETTINGS).package != SETTINGS:
            raise DeviceError("Settings does not come to the front.")
        return self.look()

    def tap_field(self) -> None:
        """Open Settings anew, and tap its search field once."""
        self.open_settings()
        found = self.search_view()
        self.tap(found.box)
        if not found.is_field:
            self.tap(self.search_view().box)

    def open_search(self) -> ViewNode:
        """The focused search field of Settings, which has just been started."""
        self.tap_field()
        found = focused_field(self.views())
        if found is None:
            raise DeviceError("The search field of Settings does not get the focus.")
        return found

    def search_view(self) -> ViewNode:
        """The search field on the present screen, or the button that opens one."""
        nodes = self.views()
        opens = (node for node in nodes if node.clickable and "search" in node.resource_id.lower())
        found = next((node for node in nodes if node.is_field), next(opens, None))
        if found is None:
            raise DeviceError("Settings shows no search field.")
        return found


def in_field(box: Box) -> Pixel:
    """On the text of a field, which begins at its left."""
    return Pixel(box.left + (box.right - box.left) // 4, middle(box).y)


def middle(box: Box) -> Pixel:
    return Pixel((box.left + box.right) // 2, (box.top + box.bottom) // 2)
