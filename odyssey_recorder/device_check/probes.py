"""The probes of a device check: each finds out one thing, and yields what it found."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from odyssey_recorder.device.adb_keyboard import CHOSEN_KEYBOARD
from odyssey_recorder.device.device import DeviceProperties
from odyssey_recorder.device.profile import profile_of
from odyssey_recorder.device.repair import WHILE_RECORDING
from odyssey_recorder.device.view_hierarchy import focused_text
from odyssey_recorder.device_check.checked import SETTINGS, CheckedDevice, in_field
from odyssey_recorder.device_check.found import CheckLine, different, expected, impossible
from odyssey_recorder.device_check.screens import buttons, screens
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, InputRefusedError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.model.plain_text import counted

Probe = Callable[[CheckedDevice], Iterator[CheckLine]]

_SLOW_DUMP_S = 5.0
_TEXTS = {"ASCII": "Wi-Fi 5%s", "Unicode": "Größe Ærø 東京", "Emoji": "👍🏽🎉"}
_SNAPSHOT = "odyssey-recorder-check"
_WITHOUT_VIEWS = "Steps are recorded without the texts of their views."
_SWITCHED_OFF = "It is switched off while Odyssey Recorder records."
_LONG_PRESS_MS = 500
"""Android's default, 400 in newer versions."""
_LONGER_MS = (700, 1000, 1500, 2000)
_SURELY_MS = 100
_SHORT = 0.6
"""Of the setting: such a press must not be long."""
_LONG_WORD = "odyssey" * 4
_TOAST = re.compile(r"Window\{\S+ u\d+ Toast\}")
_DELETE = 67
_TO_END = 123


def facts_of(checked: CheckedDevice) -> Mapping[str, str]:
    properties, state = checked.device.properties(), checked.device.screen_state()
    profile = profile_of(properties, state.panel)
    modes = {"0": "three buttons", "1": "two buttons", "2": "gestures"}
    mode = checked.device.setting("secure", "navigation_mode") or "0"
    nodes = checked.device.input_nodes()
    has_keys = any("KEY_BACK" in node.keys for node in nodes)
    return {
        "Device": _kind(properties) + (f", {profile.name}" if profile is not None else ""),
        "Product": properties.product,
        "Android": f"{properties.release_version} (API {properties.sdk_version})",
        "Image": properties.fingerprint,
        "Emulator": properties.emulator_version or "version unknown",
        "Screen": f"{properties.size} at {properties.density} dpi",
        "Posture": state.posture or "does not fold",
        "Navigation": modes.get(mode, "unknown"),
        "Hardware keyboard": ("yes" if has_keys else "no") if nodes else "unknown: getevent shows no input",
        "Keyboard": checked.device.setting(*CHOSEN_KEYBOARD) or "none",
        "Screenshots": checked.device.capture_path,
    }


def _kind(properties: DeviceProperties) -> str:
    if properties.is_simulated:
        return "simulated emulator"
    return "emulator" if properties.serial.startswith("emulator-") or properties.avd_name else "no emulator"


def view_hierarchy(checked: CheckedDevice) -> Iterator[CheckLine]:
    checked.open_settings()
    started_s = time.monotonic()
    try:
        nodes = checked.views()
    except DeviceDisconnectedError:
        raise
    except DeviceError as error:
        yield different("View hierarchy", str(error), _WITHOUT_VIEWS)
        return
    took_s = time.monotonic() - started_s
    windows = counted(len({node.window for node in nodes}), "window")
    found = f"{len(nodes)} views of {windows} in {took_s:.1f} s"
    if not any(node.package == SETTINGS for node in nodes):
        yield different("View hierarchy", f"{found}, none of them of Settings", _WITHOUT_VIEWS)
    elif took_s > _SLOW_DUMP_S:
        todo = "Each step waits that long for its texts. Turn off view hierarchies in the settings if that disturbs."
        yield different("View hierarchy", f"{found}, which is slow", todo)
    else:
        yield expected("View hierarchy", found)


def notices(checked: CheckedDevice) -> Iterator[CheckLine]:
    """What Android and its keyboard show over an app, unless that is switched off as it is while recording."""
    checked.tap_field()
    checked.act("a")
    if focused_text(checked.views()) != "a":
        found = "after the first tap on a text field, something takes the typed text, such as the offer of a stylus"
        yield different("Notices", found, _SWITCHED_OFF)
        return
    windows = ""
    if checked.device.sends_frames:  # over adb nothing is pasted
        checked.device.type_text("ä")
        windows = checked.run("dumpsys window windows")
    if _TOAST.search(windows):
        yield different("Notices", "a message covers the app after a text was pasted", _SWITCHED_OFF)
    else:
        yield expected("Notices", "nothing covers the app while text is typed and pasted")


def typing(checked: CheckedDevice) -> Iterator[CheckLine]:
    with checked.device.changed_settings(WHILE_RECORDING):
        checked.open_search()
        for kind, text in _TEXTS.items():
            what = f"Typing: {kind}"
            try:
                checked.device.check_text(text)
            except InputRefusedError:
                todo = "Such text is refused before it is typed. Install ADBKeyBoard to type it."
                yield impossible(what, "Neither gRPC nor ADBKeyBoard is there to type it.", todo)
                continue
            checked.act(text)
            read = focused_text(checked.views())
            if read == text:
                yield expected(what, f"{len(text)} characters typed and read back")
            else:
                found = "no field had the focus" if read is None else f"{len(read)} characters were read back"
                yield different(what, f"{len(text)} characters typed, but {found}", "Type it on the device itself.")
            _clear(checked, text)


def _clear(checked: CheckedDevice, text: str) -> None:
    checked.run(f"input keyevent {_TO_END} " + f"{_DELETE} " * len(text.encode()))


def long_press(checked: CheckedDevice) -> Iterator[CheckLine]:
    """Only presses that are longer than the setting may select a word; otherwise the time is searched for."""
    setting = checked.device.setting("secure", "long_press_timeout")
    expected_ms = int(setting) if setting.isdecimal() else _LONG_PRESS_MS
    told = f"the setting is {setting} ms" if setting else "the setting was never changed"
    with checked.device.changed_settings(WHILE_RECORDING):
        took_ms = _shortest_ms(partial(_selects, checked, in_field(checked.open_search().box)), expected_ms)
    known_ms = took_ms if setting or took_ms != expected_ms else None
    checked.note(long_press_ms=known_ms)
    if took_ms is None:
        yield impossible("Long press", f"No press selected a word; {told}.")
    elif took_ms == expected_ms:
        yield expected(
            "Long press",
            f"a press of {took_ms + _SURELY_MS} ms is long, one of {int(took_ms * _SHORT)} ms is not; {told}",
        )
    else:
        found = f"{'only' if took_ms > expected_ms else 'already'} a press of about {took_ms} ms is long; {told}"
        todo = f"From now on, presses of {took_ms} ms and more count as long presses on this device."
        yield different("Long press", found, todo)


def _shortest_ms(selects: Callable[[int], bool], expected_ms: int) -> int | None:
    """How long the shortest long press is, to within 100 ms; `expected_ms` if that may be, None without any."""

    def is_long(held_ms: int) -> bool:
        """Twice: the computer may once have lifted the finger too late."""
        return selects(held_ms) and selects(held_ms)

    longer = (ms for ms in _LONGER_MS if ms > expected_ms + _SURELY_MS)
    tried = [int(expected_ms * _SHORT), expected_ms + _SURELY_MS, *longer]
    found = next((number for number, ms in enumerate(tried) if is_long(ms)), None)
    if found is None:
        return None
    if tried[found] == expected_ms + _SURELY_MS:
        return expected_ms
    short_ms, long_ms = [0, *tried][found], tried[found]
    while long_ms - short_ms > _SURELY_MS:
        middle_ms = (short_ms + long_ms) // 2
        short_ms, long_ms = (short_ms, middle_ms) if is_long(middle_ms) else (middle_ms, long_ms)
    return long_ms


def _selects(checked: CheckedDevice, field: Pixel, held_ms: int) -> bool:
    """Whether a press on a word selects it: then what is typed next replaces it."""
    for action in (_LONG_WORD, TouchStroke.press(field, duration_ms=held_ms), "x"):
        checked.act(action)
    text = focused_text(checked.views())
    _clear(checked, text or _LONG_WORD)
    return text == "x"


def snapshot(checked: CheckedDevice) -> Iterator[CheckLine]:
    device = checked.device
    if not device.keeps_snapshots:
        why = "Only an emulator on this computer has snapshots."
        yield impossible("Snapshot", why, "After an undo you restore the screen yourself.")
        return
    before = checked.open_settings()
    try:
        started_s = time.monotonic()
        device.save_snapshot(_SNAPSHOT)
        saved_s = time.monotonic()
        checked.act(SystemKey.HOME)
        loading_s = time.monotonic()
        device.load_snapshot(_SNAPSHOT)
        took = f"saved in {saved_s - started_s:.1f} s, loaded in {time.monotonic() - loading_s:.1f} s"
        top = before.screen.status_bar_px
        after = checked.look(lambda seen: seen.frame.shows_same_as(before.frame, ignore_top_px=top))
    finally:
        device.delete_snapshot(_SNAPSHOT)
    if after.frame.shows_same_as(before.frame, ignore_top_px=top):
        yield expected("Snapshot", took)
    else:
        todo = "Turn off step snapshots in the settings, and restore screens yourself after an undo."
        yield different("Snapshot", f"{took}, but it shows another screen", todo)


PROBES: Mapping[str, Probe] = {
    "Screens": screens,
    "Navigation buttons": buttons,
    "View hierarchy": view_hierarchy,
    "Notices": notices,
    "Typing": typing,
    "Long press": long_press,
    "Snapshot": snapshot,
}
"""In the order of the check, by what they look at."""
