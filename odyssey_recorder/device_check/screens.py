"""Probes of a device's screen in each posture and rotation: frames, touches, and the navigation buttons."""

from collections.abc import Iterator
from contextlib import closing

from odyssey_recorder.device.calibration import measure_frames, measure_touch
from odyssey_recorder.device.device import ScreenState
from odyssey_recorder.device.emulator import EmulatorDevice
from odyssey_recorder.device.measured import place_of, screen_of
from odyssey_recorder.device.view_hierarchy import navigation_buttons
from odyssey_recorder.device_check.checked import SETTINGS, CheckedDevice
from odyssey_recorder.device_check.found import CheckLine, Outcome, guarded
from odyssey_recorder.device_check.places import postures, rotations
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.model.action import SystemKey

_EXACT = 0.01
"""How far a factor may be from 1 before a touch lands elsewhere: raw positions are rounded."""


def screens(checked: CheckedDevice) -> Iterator[CheckLine]:
    with closing(postures(checked)) as all_postures:
        for posture in all_postures:
            checked.open_settings()
            name = f" ({posture})" if posture else ""
            yield from guarded(f"Touches{name}", checked.device, _touches(checked, f"Touches{name}", posture))
            yield from guarded(f"Frames{name}", checked.device, _frames(checked, f"Frames{name}", posture))
    if checked.console is None:
        why = "Only an emulator on this computer can be turned and folded from here."
        yield CheckLine("Device held otherwise", Outcome.NOT_POSSIBLE, why)


def _touches(checked: CheckedDevice, what: str, posture: str) -> Iterator[CheckLine]:
    if not isinstance(checked.device, EmulatorDevice):
        yield CheckLine(what, Outcome.NOT_POSSIBLE, _OVER_ADB)
        return
    if not any(node.is_touchscreen for node in checked.device.input_nodes()):
        yield CheckLine(what, Outcome.NOT_POSSIBLE, "getevent shows no touch screen.", "Passive mode is not possible.")
        return
    across, down = measure_touch(checked.device)
    scales = {**checked.measured.touch_scale, posture: (across, down)}
    checked.measured = checked.measured.model_copy(update={"touch_scale": scales})
    if max(abs(across - 1), abs(down - 1)) < _EXACT:
        yield CheckLine(what, Outcome.EXPECTED, "a finger that was dragged over the screen went where it was sent")
    else:
        found = f"positions must be multiplied by {across:.2f} across and {down:.2f} down to arrive where they should"
        yield CheckLine(what, Outcome.DIFFERENT, found, "From now on they are, on this device.")


_OVER_ADB = "The device is used over adb alone, where Android itself takes frames and places touches."


def _frames(checked: CheckedDevice, what: str, posture: str) -> Iterator[CheckLine]:
    equal: list[str] = []
    with closing(rotations(checked)) as all_rotations:
        for _ in all_rotations:
            checked.look()
            state = checked.device.screen_state()
            _keep_buttons(checked, state)
            if not isinstance(checked.device, EmulatorDevice):
                continue
            turns, degrees = measure_frames(checked.device), f"{90 * state.rotation}°"
            if turns == 0:
                equal.append(degrees)
            elif turns is None:
                found = f"at {degrees}, frames over gRPC do not show what apps see"
                yield CheckLine(what, Outcome.DIFFERENT, found, "There, screenshots are taken over adb.")
            else:
                found = f"at {degrees}, frames over gRPC are turned by {-90 * turns % 360}°"
                yield CheckLine(what, Outcome.DIFFERENT, found, "From now on they are turned back, on this device.")
            if turns is not None:
                known = {**checked.measured.frame_turns, place_of(posture, state.rotation): turns}
                checked.measured = checked.measured.model_copy(update={"frame_turns": known})
    if equal:
        rotated = ", ".join(dict.fromkeys(equal))
        yield CheckLine(what, Outcome.EXPECTED, f"frames over gRPC are equal to those of screencap at {rotated}")
    elif not isinstance(checked.device, EmulatorDevice):
        yield CheckLine(what, Outcome.NOT_POSSIBLE, _OVER_ADB)


def _keep_buttons(checked: CheckedDevice, state: ScreenState) -> None:
    """Where the navigation buttons are on such a screen, for the recorder; without views nobody knows."""
    try:
        found = navigation_buttons(checked.views())
    except DeviceError:
        return
    if found:
        boxes = {key.value: (box.left, box.top, box.right, box.bottom) for key, box in found.items()}
        size = checked.device.capture().size
        buttons = {**checked.measured.buttons, screen_of(size, state.rotation): boxes}
        checked.measured = checked.measured.model_copy(update={"buttons": buttons})


def buttons(checked: CheckedDevice) -> Iterator[CheckLine]:
    """Each key and each button leaves Settings: HOME and BACK for the home screen, RECENT for the overview."""
    home = checked.act(SystemKey.HOME).frame
    state = checked.device.screen_state()
    places = checked.measured.buttons_on(home.size, state.rotation)
    if not places:
        has_buttons = checked.device.setting("secure", "navigation_mode") in ("", "0")
        why = "They are not among the views of the screen." if has_buttons else "It is navigated by gestures."
        todo = "Their places are computed from the size of the screen." if has_buttons else ""
        yield CheckLine("Navigation buttons", Outcome.NOT_POSSIBLE, why, todo)
    for key in SystemKey:
        failed = []
        for way in ("key", "button")[: 2 if key in places else 1]:
            before = checked.open_settings()
            checked.act(key) if way == "key" else checked.tap(places[key])
            after = checked.until(lambda state: state.package != SETTINGS)
            top = before.screen.status_bar_px
            is_home = checked.look().frame.shows_same_as(home, ignore_top_px=top)
            if after.package == SETTINGS or is_home is (key is SystemKey.RECENT):
                failed.append(way)
        what, ways = f"{key.value} button", "the key and the button" if key in places else "the key"
        if failed:
            found = f"the {' and the '.join(failed)} did not do what {key.value} does"
            yield CheckLine(what, Outcome.DIFFERENT, found, "Do not use it in passive mode: send this report.")
        else:
            yield CheckLine(what, Outcome.EXPECTED, f"{ways} did what {key.value} does")
