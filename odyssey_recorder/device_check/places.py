"""Every posture of a device, one after the other; then it is as before."""

from collections.abc import Generator

from odyssey_recorder.device.emulator_console import EmulatorConsole
from odyssey_recorder.device_check.checked import CheckedDevice

_AWAKE = "input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard"
_CLOSED, _OPENED = "CLOSED", "OPENED"


def postures(checked: CheckedDevice) -> Generator[str, None, None]:
    """The present one first; close the iterator to return to it. Only a console can fold a device."""
    present, console = checked.device.screen_state().posture, checked.console
    yield present
    if console is None or present not in (_CLOSED, _OPENED):
        return
    try:
        other = _OPENED if present == _CLOSED else _CLOSED
        _bring_into(other, checked, console)
        yield other
    finally:
        with checked.undisturbed():
            _bring_into(present, checked, console)


def _bring_into(posture: str, checked: CheckedDevice, console: EmulatorConsole) -> None:
    (console.fold if posture == _CLOSED else console.unfold)()
    checked.until(lambda state: state.posture == posture)
    checked.shell.run(_AWAKE)
