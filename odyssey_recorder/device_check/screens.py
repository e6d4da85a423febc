"""Probes of a device's screen in each posture and rotation: frames, touches, and the navigation buttons."""

from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from functools import partial

from odyssey_recorder.device.calibration import measure_frames, measure_touch
from odyssey_recorder.device.device import ScreenState
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.emulator_console import EmulatorConsole
from odyssey_recorder.device.kept_settings import Undo, undone_afterwards
from odyssey_recorder.device.measured import screen_of
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.view_hierarchy import navigation_buttons
from odyssey_recorder.device_check.checked import SETTINGS, CheckedDevice
from odyssey_recorder.device_check.found import CheckLine, different, expected, guarded, impossible
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Rotation

AUTO_ROTATE, LOCKED_TO = ("system", "accelerometer_rotation"), ("system", "user_rotation")
_CLOSED, _OPENED = "CLOSED", "OPENED"
_WORDS = {_CLOSED: "folded", _OPENED: "open"}
_AWAKE = "input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard"
_EXACT = 0.01
"""How far a factor may be from 1 before a touch lands elsewhere: raw positions are rounded."""


def screens(checked: CheckedDevice) -> Iterator[CheckLine]:
    with closing(_postures(checked)) as all_postures:
        for posture in all_postures:
            checked.open_settings()
            touches, frames = (
                f"{what} ({_WORDS.get(posture, posture)})" if posture else what for what in ("Touches", "Frames")
            )
            yield from guarded(touches, checked.device, _touches(checked, touches, posture))
            yield from guarded(frames, checked.device, _frames(checked, frames))
    if posture and checked.console is None:
        yield impossible("Other posture", "Only an emulator on this computer can be folded from here.")


def _postures(checked: CheckedDevice) -> Generator[str, None, None]:
    """The present one first; close the iterator to return to it. Only a console can fold a device."""
    present, console = checked.device.screen_state().posture, checked.console
    yield present
    if console is None or present not in (_CLOSED, _OPENED):
        return
    other, back = (_OPENED, "fold") if present == _CLOSED else (_CLOSED, "unfold")
    with undone_afterwards(checked.shell, checked.connector.kept, [Undo("", "", back)], console):
        try:
            _bring_into(other, checked, console)
            yield other
        finally:
            with checked.undisturbed():
                _bring_into(present, checked, console)


def _bring_into(posture: str, checked: CheckedDevice, console: EmulatorConsole) -> None:
    (console.fold if posture == _CLOSED else console.unfold)()
    checked.until(lambda state: state.posture == posture)
    checked.shell.run(_AWAKE)


def _touches(checked: CheckedDevice, what: str, posture: str) -> Iterator[CheckLine]:
    device = _over_grpc(checked)
    if not any(node.is_touchscreen for node in checked.device.input_nodes()):
        yield impossible(what, "getevent shows no touch screen.", "Passive mode is not possible on this device.")
        return
    touch = measure_touch(device)
    scale = None if touch.strays else (touch.across, touch.down)
    checked.note(touch_scale={**checked.measured.touch_scale, posture: scale})
    if touch.strays:
        at = " and ".join(f"{stray.x}, {stray.y}" for stray in touch.strays)
        found = f"of ten touches, those sent to {at} landed elsewhere than the others let expect"
        yield different(what, found, "From now on touches are sent over adb, on this device.")
    elif max(abs(touch.across - 1), abs(touch.down - 1)) < _EXACT:
        yield expected(what, "ten touches landed where they were sent")
    else:
        factors = f"{touch.across:.2f} across and {touch.down:.2f} down"
        found = f"positions must be multiplied by {factors} to arrive where they should"
        yield different(what, found, "From now on they are, on this device.")


def _over_grpc(checked: CheckedDevice) -> EmulatorDevice:
    """Raises DeviceError if the device has no gRPC service."""
    if isinstance(checked.device, EmulatorDevice):
        return checked.device
    raise DeviceError("The device is used over adb alone, where Android itself takes frames and places touches.")


def _frames(checked: CheckedDevice, what: str) -> Iterator[CheckLine]:
    """Android is turned by its settings, which are restored even if the check is killed. It may refuse a rotation."""
    equal: dict[str, None] = {}
    problem: DeviceError | None = None
    for wanted in Rotation:
        with checked.device.changed_settings({AUTO_ROTATE: "0", LOCKED_TO: str(wanted.value)}):
            rotation = checked.until(partial(_is_turned, wanted)).rotation
            _note_buttons(checked, rotation)
            degrees = f"{90 * rotation}°"
            try:
                place, turns = measure_frames(_over_grpc(checked))
            except DeviceError as error:
                problem = error
                continue
            if turns is None:
                todo = "There, screenshots are taken over adb."
                yield different(what, f"at {degrees}, frames over gRPC do not show what apps see", todo)
                continue
            checked.note(frame_turns={**checked.measured.frame_turns, place: turns})
            if turns:
                todo = "From now on they are turned back, on this device."
                yield different(what, f"at {degrees}, frames over gRPC are turned by {-90 * turns % 360}°", todo)
            else:
                equal[degrees] = None
    if problem is not None:
        raise problem
    if equal:
        yield expected(what, f"frames over gRPC are equal to those of screencap at {', '.join(equal)}")


def _is_turned(rotation: Rotation, state: ScreenState) -> bool:
    return state.rotation == rotation


def _note_buttons(checked: CheckedDevice, rotation: Rotation) -> None:
    size = checked.look().frame.size
    with suppress(DeviceError):  # the probe of the view hierarchy says why
        if found := navigation_buttons(checked.views()):
            boxes = {key.value: (box.left, box.top, box.right, box.bottom) for key, box in found.items()}
            checked.note(buttons={**checked.measured.buttons, screen_of(size, rotation): boxes})


def buttons(checked: CheckedDevice) -> Iterator[CheckLine]:
    """Each key and each button leaves Settings: HOME and BACK for the home screen, RECENT for the overview."""
    home = checked.act(SystemKey.HOME)
    places = checked.measured.buttons_on(home.frame.size, home.screen.rotation)
    if not places and checked.device.setting("secure", "navigation_mode") in ("", "0"):
        todo = "Their places are computed from the size of the screen."
        yield impossible("Navigation buttons", "They are not among the views of the screen.", todo)
    elif not places:
        yield impossible("Navigation buttons", "The device is navigated by gestures.")
    for key in SystemKey:
        ways = ("key", "button") if key in places else ("key",)
        failed = [way for way in ways if not _navigates(checked, key, home.frame, by_touch=way == "button")]
        if failed:
            found = f"the {' and the '.join(failed)} did not do what {key.value} does"
            yield different(f"{key.value} button", found, "Do not use it in passive mode, and send this report.")
        else:
            yield expected(f"{key.value} button", f"the {' and the '.join(ways)} did what {key.value} does")


def _navigates(checked: CheckedDevice, key: SystemKey, home: Frame, *, by_touch: bool) -> bool:
    before = checked.open_settings()
    if by_touch:
        checked.tap(checked.measured.buttons_on(home.size, before.screen.rotation)[key])
    else:
        checked.act(key)
    if checked.until(lambda state: state.package != SETTINGS).package == SETTINGS:
        return False
    is_home = checked.look().frame.shows_same_as(home, ignore_top_px=before.screen.status_bar_px)
    return is_home is not (key is SystemKey.RECENT)
