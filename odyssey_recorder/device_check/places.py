"""Every posture and rotation of a device, one after the other; then it is as before."""

from collections.abc import Generator

from odyssey_recorder.device.dumping import reading_alone
from odyssey_recorder.device.emulator_console import EmulatorConsole
from odyssey_recorder.device_check.checked import CheckedDevice
from odyssey_recorder.model.geometry import Rotation

_AUTO_ROTATE, _LOCKED_TO = ("system", "accelerometer_rotation"), ("system", "user_rotation")
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


def rotations(checked: CheckedDevice) -> Generator[None, None, None]:
    """Close the iterator to return to the present one. The screen may stay as it is in some: Android decides."""
    console = checked.console
    if console is None:
        for rotation in Rotation:
            with checked.device.changed_settings({_AUTO_ROTATE: "0", _LOCKED_TO: str(rotation.value)}):
                yield
        return
    turned = 0
    with checked.device.changed_settings({_AUTO_ROTATE: "1"}):
        try:
            for _ in Rotation:
                yield
                turned += 1
                _turn(checked, console)
        finally:
            with checked.undisturbed():
                for _ in range(-turned % len(Rotation)):
                    _turn(checked, console)


def _turn(checked: CheckedDevice, console: EmulatorConsole) -> None:
    before = checked.device.screen_state().rotation
    with reading_alone(checked.device.serial):
        console.rotate()
    checked.until(lambda state: state.rotation != before)
