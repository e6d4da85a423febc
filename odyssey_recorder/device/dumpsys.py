"""Parsers for the output of Android's own tools, as printed by Android 9 to 16."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.model.geometry import Box, Rotation, Size

_LISTED = re.compile(
    r"(\S.*?)\s+(device|offline|unauthorized|authorizing|connecting|recovery|rescue|sideload|bootloader|host|detached|"
    r"no permissions|no device)(?=\s+\w+:|\s*$|\s+\(|;)|(\S+)\s+(\S.*?)(?=\s+\w+:|\s*$)"
)
_TAG = re.compile(r" (usb|product|model|device|transport_id):(\S+)")
_PROPERTY = re.compile(r"^\[([^\]\r\n]+)\]: \[(.*?)\]\r*$", re.MULTILINE | re.DOTALL)
_WM_SIZE = re.compile(r"(?:Physical|Override) size: (\d+)x(\d+)")
_PANEL_SIZE = re.compile(r"Physical size: (\d+)x(\d+)")
_WM_DENSITY = re.compile(r"(?:Physical|Override) density: (\d+)")
_FOCUS = re.compile(r"mCurrentFocus=Window\{\S+ u\d+ ([^}]*)\}")
_FOCUSED_APP = re.compile(r"mFocusedApp=.*?ActivityRecord\{\S+ u\d+ (\S+/[^\s},]+)")
_ACTIVITY = re.compile(r"[\w.]+/[\w.$]+")
_ERROR_DIALOGS = ("Application Not Responding: ", "Application Error: ")
_SYSTEM_WINDOWS = ("NotificationShade", "StatusBar", "InputMethod", "Splash Screen ", *_ERROR_DIALOGS)
_DISPLAY_CONTENTS = re.compile(
    r"^ *Display: mDisplayId=(\d+)\b.*?(?=^ *Display: mDisplayId=|^WINDOW MANAGER |\Z)", re.M | re.S
)
_ROTATION = re.compile(r"\bmRotation=(?:ROTATION_)?(\d+)")
_FRAMES_ROTATION = re.compile(r"\bDisplayFrames w=\d+ h=\d+ r=(\d)")
_SENSED_ROTATION = re.compile(r"\bmCurrentRotation=(?:ROTATION_)?(\d+)")
_INSETS_SOURCE = re.compile(
    r"[tT]ype=(?P<kind>\w+) m?[fF]rame=\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]"
    r"(?: m?[vV]isibleFrame=\S+)?(?: m?[vV]isible=(?P<visible>true|false))?"
)
_STATUS_BAR = {"TYPE_TOP_BAR", "ITYPE_STATUS_BAR", "statusBars"}
_NAVIGATION_BAR = {"TYPE_NAVIGATION_BAR", "ITYPE_NAVIGATION_BAR", "navigationBars"}
_TASKBAR = {"ITYPE_EXTRA_NAVIGATION_BAR"}
"""Of Android 12L and 13, without a navigation bar of its own."""
_KEYBOARD = {"TYPE_IME", "ITYPE_IME", "ime"}
_FRAMES = re.compile(
    r"\bDisplayFrames w=(\d+) h=(\d+).*?\bmDock=\[(\d+),(\d+)\]\[(\d+),(\d+)\].*?\bmCurrent=\[\d+,\d+\]\[\d+,(\d+)\]",
    re.S,
)
"""Of Android 9, without insets: mDock is what the visible bars leave, mCurrent what the keyboard leaves of that."""
_KEYBOARD_ELSEWHERE = re.compile(r"\bmCurTokenDisplayId=0*[1-9]")
_POSTURE = re.compile(r"Committed state: DeviceState\{identifier=\d+, name='(\w+)'")
_DISPLAY = re.compile(r"^Display (\d+) \(HWC display \d+\)", re.MULTILINE)
_FREE_KIB = re.compile(r"\s\d+\s+\d+\s+(\d+)\s+\d+%\s")
_DEFAULT_VIEWPORT = re.compile(r"Viewport INTERNAL: displayId=0, uniqueId=local:(\d+),(?:.*isActive=\[(\d)\])?")
_RECENT = re.compile(r"Recent #\d+: Task(?:Record)?\{\S+ #(?P<id>\d+)\b(?P<rest>.*)")
_STACK = re.compile(r"\bStackId=(\d+)")
_TASK_TYPE = re.compile(r"\btype=(\w+)")
_ACTIVITY_TASK_TYPE = re.compile(r"\bactivityType=(\d+)")
_APP_TYPES = ("standard", "1")
_TASK_PACKAGE = re.compile(r"\b(?:mActivityComponent|realActivity|cmp|I)=([\w.]+)/")
_INTENT_FLAGS = re.compile(r"\bintent=\{.*\bflg=0x([0-9a-f]+)")
_VERSION_NAME = re.compile(r"^\s*versionName=(\S+)", re.M)
_VERSION_CODE = re.compile(r"^\s*versionCode=(\d+)", re.M)
_EXCLUDED = 0x00800000
"""Intent.FLAG_ACTIVITY_EXCLUDE_FROM_RECENTS."""


@dataclass(frozen=True, slots=True)
class RecentTask:
    """`id` is what `am stack remove` wants: before Android 11 the stack's number, then the task's own.

    `package` is a valid package name or empty.
    """

    id: int
    package: str


def listed_devices(devices: str) -> tuple[ListedDevice, ...]:
    """A serial may have spaces, and a state too; the tags after it are ``name:value``."""
    found = []
    for line in devices.splitlines():
        if listed := _LISTED.match(line):
            serial, state = (part for part in listed.groups() if part)
            tags = dict(_TAG.findall(line[listed.end() :]))
            found.append(ListedDevice(serial, state, tags.get("product", ""), tags.get("model", "")))
    return tuple(found)


def properties(getprop: str) -> Mapping[str, str]:
    return dict(_PROPERTY.findall(getprop))


def screen_size(wm_size: str) -> Size:
    """The natural size from `wm size`; an override comes after the physical size and wins. Raises ValueError."""
    return Size(*map(int, _last(_WM_SIZE, wm_size, "screen size").groups()))


def panel_size(wm_size: str) -> Size:
    """The lit panel's own size. Raises ValueError."""
    return Size(*map(int, _last(_PANEL_SIZE, wm_size, "panel size").groups()))


def screen_density(wm_density: str) -> int:
    """Dots per inch from `wm density`; an override wins. Raises ValueError."""
    return int(_last(_WM_DENSITY, wm_density, "screen density")[1])


def default_display_contents(window: str) -> str:
    """The section on the default display; the functions below parse it. Raises ValueError.

    Other displays have a focus, a rotation and bars of their own. `dumpsys window` may also begin with a copy from
    the last "Application Not Responding", which stays until the next boot: the last section is the live one.
    """
    found = [contents[0] for contents in _DISPLAY_CONTENTS.finditer(window) if contents[1] == "0"]
    if not found:
        raise ValueError(f"no default display in {window.strip()[:80]!r}")
    return found[-1]


def tells_focus(window: str) -> bool:
    """False for the displays of Android 9, which tells the focus with its windows: `dumpsys window windows`."""
    return "mCurrentFocus=" in window


def focused_activity(window: str) -> tuple[str, str]:
    """Package and full activity name; two empty strings for none.

    The focused window counts only if it belongs to the system, such as the notification shade. The title of a pop-up
    or a panel may be anything, and a window that closes may still have the focus.
    """
    focus, app = _FOCUS.search(window), _FOCUSED_APP.search(window)
    title = focus[1] if focus else ""
    if title.startswith(_SYSTEM_WINDOWS):
        return "", ""
    package, _, activity = (app[1] if app else title if _ACTIVITY.fullmatch(title) else "").partition("/")
    return package, package + activity if activity.startswith(".") else activity


def has_pop_up(window: str) -> bool:
    """Whether a window has the focus that is no activity's: a menu, the notification shade, a message of Android."""
    focus = _FOCUS.search(window)
    return focus is not None and _ACTIVITY.match(focus[1]) is None


def error_dialog(window: str) -> str:
    """The title of Android's own dialog about an app that failed, if it has the focus; otherwise empty."""
    focus = _FOCUS.search(window)
    return focus[1] if focus and focus[1].startswith(_ERROR_DIALOGS) else ""


def rotation(window: str) -> Rotation:
    """`mCurrentRotation` is the sensor's and `mRotation` the display's, which wins.

    Android 10 has no `mRotation` but prints the rotation of the display's frames.
    """
    found = _ROTATION.search(window) or _FRAMES_ROTATION.search(window) or _SENSED_ROTATION.search(window)
    turn = int(found[1]) if found else 0
    return Rotation(turn // 90 if turn >= 90 else turn)


def status_bar_height(window: str) -> int:
    """In pixels of the frame; 0 while hidden."""
    bar = _insets_source(window, _STATUS_BAR)
    return bar.bottom - bar.top if bar else 0


def navigation_bar(window: str) -> Box | None:
    """None while hidden. Gesture navigation has a thin bar; in landscape the bar may be at the left or right."""
    return _insets_source(window, _NAVIGATION_BAR) or _insets_source(window, _TASKBAR)


def keyboard(window: str) -> Box | None:
    """None while hidden."""
    return _insets_source(window, _KEYBOARD)


def keyboard_shown(input_method: str) -> bool:
    """On the default display, from `dumpsys input_method`."""
    return "mInputShown=true" in input_method and not _KEYBOARD_ELSEWHERE.search(input_method)


def posture(device_state: str) -> str:
    """From `cmd device_state state`; empty for a device that does not fold."""
    found = _POSTURE.search(device_state)
    return found[1] if found and found[1] != "DEFAULT" else ""


def physical_displays(surface_flinger: str) -> tuple[str, ...]:
    """The ids of all panels, from `dumpsys SurfaceFlinger --display-id`."""
    return tuple(_DISPLAY.findall(surface_flinger))


def default_display(dumpsys_input: str) -> str:
    """The id of the panel that shows the default display; empty if `dumpsys input` does not say which it is."""
    found = {panel for panel, active in _DEFAULT_VIEWPORT.findall(dumpsys_input) if active != "0"}
    return found.pop() if len(found) == 1 else ""


def free_bytes(df: str) -> int:
    """Raises ValueError."""
    return int(_last(_FREE_KIB, df, "free space")[1]) * 1024


def app_version(package: str) -> str:
    """From `dumpsys package PACKAGE`, which lists an updated app before the version in the system image."""
    name, code = _VERSION_NAME.search(package), _VERSION_CODE.search(package)
    return f"{name[1]} ({code[1]})" if name and code else ""


def recent_tasks(dump: str) -> tuple[RecentTask, ...]:
    """The last used first, without home screens and hidden tasks. Raises ValueError."""
    if "RECENT TASKS" not in dump:
        raise ValueError(f"no list of recent tasks, but {dump[:80]!r}")
    return tuple(_listed_tasks(re.split(r"^\s*\* ", dump, flags=re.MULTILINE)))


def _insets_source(window: str, kinds: Collection[str]) -> Box | None:
    """The first source of a kind is the display's own; None if hidden or empty."""
    if "InsetsSource" not in window:
        return next((box for kind, box in _frames(window) if kind in kinds and box.area), None)
    found = next((found for found in _INSETS_SOURCE.finditer(window) if found["kind"] in kinds), None)
    if found is None or found["visible"] == "false":
        return None
    box = Box(*map(int, found.group(2, 3, 4, 5)))
    return box if box.area else None


def _frames(window: str) -> Iterator[tuple[str, Box]]:
    if found := _FRAMES.search(window):
        width, height, left, top, right, bottom, free = map(int, found.groups())
        beside = Box(0, top, left, bottom) if left else Box(right, top, width, bottom)
        yield "statusBars", Box(0, 0, width, top)
        yield "navigationBars", Box(0, bottom, width, height) if bottom < height else beside
        yield "ime", Box(left, free, right, bottom)


def _last(pattern: re.Pattern[str], text: str, what: str) -> re.Match[str]:
    found = list(pattern.finditer(text))
    if not found:
        raise ValueError(f"no {what} in {text.strip()[:80]!r}")
    return found[-1]


def _listed_tasks(blocks: list[str]) -> Iterator[RecentTask]:
    for block in blocks:
        header = _RECENT.match(block)
        if header is None or "inRecents=false" in block:
            continue
        kind = _TASK_TYPE.search(header["rest"]) or _ACTIVITY_TASK_TYPE.search(block)
        flags = _INTENT_FLAGS.search(block)
        is_excluded = flags is not None and int(flags[1], 16) & _EXCLUDED
        if kind is not None and kind[1] in _APP_TYPES and not is_excluded:
            package = _TASK_PACKAGE.search(block)
            stack = _STACK.search(header["rest"])
            yield RecentTask(int(stack[1] if stack else header["id"]), package[1] if package is not None else "")
