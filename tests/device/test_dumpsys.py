from collections.abc import Callable
from pathlib import Path

import pytest

from odyssey_recorder.device import dumpsys
from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.model.geometry import Box, Rotation, Size

DATA = Path(__file__).parent / "data"


def fold_posture(heading: str) -> str:
    """The sections whose heading begins with `heading`."""
    sections = (DATA / "dumpsys_input_fold_excerpts.txt").read_text().split("\n## ")
    return "\n".join(section for section in sections if section.startswith(heading))


@pytest.mark.parametrize("end", ["\n", "\r\r\n"])
def test_override_of_size_and_density_wins(end: str) -> None:
    size, density = f"Physical size: 1440x3120{end}", f"Physical density: 560{end}"
    assert (dumpsys.screen_size(size), dumpsys.screen_density(density)) == (Size(1440, 3120), 560)
    size, density = f"{size}Override size: 1080x2340{end}", f"{density}Override density: 420{end}"
    assert (dumpsys.screen_size(size), dumpsys.screen_density(density)) == (Size(1080, 2340), 420)
    assert dumpsys.panel_size(size) == Size(1440, 3120)


def test_free_space_in_bytes() -> None:
    header = "Filesystem       1K-blocks    Used Available Use% Mounted on\n"
    df = f"{header}/dev/block/dm-34   6082144 1204560   4877584  20% /data/user/0\n"
    assert dumpsys.free_bytes(df) == 4877584 * 1024


@pytest.mark.parametrize(
    ("read", "answer", "message"),
    [
        (dumpsys.screen_size, "cmd: no service window\n", "no screen size in 'cmd: no service window'"),
        (dumpsys.screen_density, "", "no screen density in ''"),
        (dumpsys.free_bytes, "df: /data: Permission denied\n", "no free space in"),
        (dumpsys.recent_tasks, "Can't find service: activity", "no list of recent tasks, but \"Can't find service"),
        (dumpsys.default_display_contents, "", "no default display in"),
    ],
)
def test_unusable_answer_is_quoted(read: Callable[[str], object], answer: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(answer)


def test_properties_with_unusual_values() -> None:
    getprop = (
        "[ro.product.model]: [sdk_gphone64_x86_64]\r\n"
        "[ro.build.fingerprint]: [google/sdk:16/BP22/1:user/release-keys]\n"
        "[empty]: []\n"
        "[brackets]: [a [b] c]\n"
        "[two.lines]: [one\ntwo]\n"
        "[last]: [1]\n"
    )

    assert dumpsys.properties(getprop) == {
        "ro.product.model": "sdk_gphone64_x86_64",
        "ro.build.fingerprint": "google/sdk:16/BP22/1:user/release-keys",
        "empty": "",
        "brackets": "a [b] c",
        "two.lines": "one\ntwo",
        "last": "1",
    }


SETTINGS = "com.android.settings"
FOCUSED_APP = f"  mFocusedApp=ActivityRecord{{9f2 u0 {SETTINGS}/.Settings t8}}\n"
OLDER_FOCUSED_APP = "mFocusedApp=AppWindowToken{f token=Token{5 ActivityRecord{2d u0 com.shop/.Main t10}}}"


@pytest.mark.parametrize(
    ("focus", "app"),
    [
        (f"Window{{a7d4634 u0 {SETTINGS}/{SETTINGS}.Settings}}", FOCUSED_APP),
        ("null", FOCUSED_APP),
        ("Window{b1 u0 PopupWindow:3b1f0e1}", FOCUSED_APP),
        ("Window{b1 u0 Pop-Up Window}", FOCUSED_APP),
        ("Window{b1 u0 Fenêtre pop-up}", FOCUSED_APP),
        ("Window{b1 u0 Panel:com.other/com.other.MainActivity}", FOCUSED_APP),
        ("Window{b1 u0 SubPanel:com.other/com.other.MainActivity}", FOCUSED_APP),
        ("Window{b1 u0 AtchDlg:com.other/com.other.MainActivity}", FOCUSED_APP),
        ("Window{b1 u0 Media:com.other/com.other.MainActivity}", FOCUSED_APP),
        ("Window{b1 u0 com.other/com.other.MainActivity EXITING}", FOCUSED_APP),
        (f"Window{{a7d4634 u0 {SETTINGS}/.Settings}}", ""),
        (f"Window{{a7d4634 u10 {SETTINGS}/{SETTINGS}.Settings}}", "  mFocusedApp=null\n"),
    ],
)
def test_focused_activity_is_that_of_the_focused_app(focus: str, app: str) -> None:
    window = f"  mCurrentFocus={focus}\n{app}"
    assert dumpsys.focused_activity(window) == (SETTINGS, f"{SETTINGS}.Settings")


def test_focused_activity_of_android_10() -> None:
    window = f"  mCurrentFocus=Window{{a u0 PopupWindow:3b1f0e1}}\n  {OLDER_FOCUSED_APP}"
    assert dumpsys.focused_activity(window) == ("com.shop", "com.shop.Main")


@pytest.mark.parametrize(
    ("title", "app"),
    [
        ("NotificationShade", FOCUSED_APP),
        ("StatusBar", FOCUSED_APP),
        ("InputMethod", FOCUSED_APP),
        (f"Splash Screen {SETTINGS}", FOCUSED_APP),
        (f"Application Not Responding: {SETTINGS}", FOCUSED_APP),
        (f"Application Not Responding: {SETTINGS}/.Settings", FOCUSED_APP),
        (f"Application Error: {SETTINGS}", FOCUSED_APP),
        ("Panel:com.other/com.other.MainActivity", ""),
    ],
)
def test_windows_of_the_system_and_panels_without_an_app_have_no_activity(title: str, app: str) -> None:
    assert dumpsys.focused_activity(f"  mCurrentFocus=Window{{b1 u0 {title}}}\n{app}") == ("", "")


@pytest.mark.parametrize(
    ("title", "dialog"),
    [
        (f"Application Not Responding: {SETTINGS}", f"Application Not Responding: {SETTINGS}"),
        (f"Application Error: {SETTINGS}", f"Application Error: {SETTINGS}"),
        ("NotificationShade", ""),
        (f"{SETTINGS}/.Settings", ""),
    ],
)
def test_error_dialog_is_known_by_its_title(title: str, dialog: str) -> None:
    assert dumpsys.error_dialog(f"  mCurrentFocus=Window{{b1 u0 {title}}}\n{FOCUSED_APP}") == dialog


def display(number: int, *, package: str, rotation: int, bar: int) -> str:
    return (
        f"  Display: mDisplayId={number} rootTasks=3\n    init=1080x2400 420dpi\n"
        f"  mCurrentFocus=Window{{a u0 {package}/{package}.Main}}\n"
        f"    mRotation={rotation} mDeferredRotationPauseCount=0\n"
        f"      InsetsSource id=1 type=statusBars frame=[0,0][1080,{bar}] visible=true\n"
        "    WindowToken{1 type=2038 mDisplayId=0}\n"
    )


CONTENTS = "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n"
STALE = display(0, package="com.stuck", rotation=1, bar=99)
SECOND = display(7, package="com.second", rotation=3, bar=31)
LIVE = display(0, package="com.shop", rotation=2, bar=84)
LAST_ANR = (
    "WINDOW MANAGER LAST ANR (dumpsys window lastanr)\n  ANR time: 28 Sept 2026 19:58:10\n"
    "  mCurrentFocus=Window{b u0 com.stuck/com.stuck.Main}\n\nLast ANR continued\n"
)
ENDING = "WINDOW MANAGER WINDOWS (dumpsys window windows)\n  mCurrentFocus=Window{9 u0 com.last/.Last}\n"


@pytest.mark.parametrize(
    "window",
    [
        f"{CONTENTS}{LIVE}",
        f"{CONTENTS}{LIVE}{SECOND}",
        f"{CONTENTS}{SECOND}{LIVE}{ENDING}",
        f"{LAST_ANR}{CONTENTS}{STALE}{SECOND}\nWINDOW MANAGER POLICY STATE (dumpsys window policy)\n"
        f"{CONTENTS}{SECOND}{LIVE}{ENDING}",
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_only_the_live_default_display_counts(window: str, line_end: str) -> None:
    contents = dumpsys.default_display_contents(window.replace("\n", line_end))
    assert dumpsys.focused_activity(contents) == ("com.shop", "com.shop.Main")
    assert dumpsys.rotation(contents) is Rotation.R180
    assert dumpsys.status_bar_height(contents) == 84


def test_focus_of_another_display_is_ignored() -> None:
    window = f"{CONTENTS}  Display: mDisplayId=0 rootTasks=1\n  mCurrentFocus=null\n{SECOND}"
    assert dumpsys.focused_activity(dumpsys.default_display_contents(window)) == ("", "")
    with pytest.raises(ValueError, match="no default display in"):
        dumpsys.default_display_contents(f"{CONTENTS}{SECOND}")


def test_rotation_and_bars_of_android_10() -> None:
    contents = dumpsys.default_display_contents(
        "  Display: mDisplayId=0 stacks=5\n    DisplayFrames w=2280 h=1080 r=3\n"
        "      InsetsSource type=TYPE_TOP_BAR frame=[0,0][2280,66] visible=true\n"
        "      InsetsSource type=TYPE_NAVIGATION_BAR frame=[0,0][132,1080] visible=true\n"
        "      InsetsSource type=TYPE_IME frame=[132,500][2280,1080] visible=true\n"
        "      mCurrentRotation=ROTATION_0\n"
    )

    assert dumpsys.rotation(contents) is Rotation.R270
    assert dumpsys.status_bar_height(contents) == 66
    assert dumpsys.navigation_bar(contents) == Box(0, 0, 132, 1080)
    assert dumpsys.keyboard(contents) == Box(132, 500, 2280, 1080)


FRAMES_9 = """\
  Display: mDisplayId=0
    init=1080x1920 230dpi cur={cur}
    appTokens=[AppWindowToken{{12b963b token=Token{{3514ca ActivityRecord{{d784835 u0 com.other/.Main t5}}}}}}]
  DisplayFrames w={w} h={h} r={r}
    mStable=[0,0][1,1]
    mDock={dock}
    mCurrent={current}
    mSystem=[0,0][1,1]
"""


@pytest.mark.parametrize(
    ("values", "bar", "keyboard"),
    [
        (
            ("1080x1920", 1080, 1920, 0, "[0,63][1080,1794]", "[0,63][1080,948]"),
            (0, 1794, 1080, 1920),
            (0, 948, 1080, 1794),
        ),
        (("1920x1080", 1920, 1080, 1, "[0,63][1794,1080]", "[0,63][1794,1080]"), (1794, 63, 1920, 1080), None),
        (
            ("1920x1080", 1920, 1080, 3, "[126,63][1920,1080]", "[126,63][1920,500]"),
            (0, 63, 126, 1080),
            (126, 500, 1920, 1080),
        ),
        (("1080x1920", 1080, 1920, 0, "[0,63][1080,1920]", "[0,63][1080,1920]"), None, None),
    ],
)
def test_bars_of_android_9_are_what_its_frames_leave(
    values: tuple[object, ...], bar: tuple[int, int, int, int] | None, keyboard: tuple[int, int, int, int] | None
) -> None:
    names = ("cur", "w", "h", "r", "dock", "current")
    window = dumpsys.default_display_contents(FRAMES_9.format(**dict(zip(names, values, strict=True))))
    assert dumpsys.rotation(window) == values[3]
    assert dumpsys.status_bar_height(window) == 63
    assert dumpsys.navigation_bar(window) == (Box(*bar) if bar else None)
    assert dumpsys.keyboard(window) == (Box(*keyboard) if keyboard else None)
    assert not dumpsys.tells_focus(window)


@pytest.mark.parametrize("end", [" t5}}}", ", isShadow:false t5}}}"])
def test_focused_activity_of_android_9(end: str) -> None:
    token = f"AppWindowToken{{12b963b token=Token{{3514ca ActivityRecord{{d784835 u0 com.shop/.Main{end}"
    windows = f"  mCurrentFocus=Window{{fdec1cd u0 com.shop/com.shop.Main}}\n  mFocusedApp={token}\n"
    assert dumpsys.tells_focus(windows)
    assert dumpsys.focused_activity(windows) == ("com.shop", "com.shop.Main")


@pytest.mark.parametrize(
    ("window", "rotation"),
    [
        ("mCurrentRotation=ROTATION_90", Rotation.R90),
        ("    mRotation=3 mDeferredRotationPauseCount=0", Rotation.R270),
        ("mRotation=ROTATION_180", Rotation.R180),
        (
            "    mRotation=0 mDeferredRotationPauseCount=0\n mUserRotation=ROTATION_90\n"
            "    mLandscapeRotation=ROTATION_90\n    WindowOrientationListener\n"
            "      mCurrentRotation=ROTATION_90",
            Rotation.R0,
        ),
        ("no rotation", Rotation.R0),
    ],
)
def test_rotation_of_the_display_not_the_sensor(window: str, rotation: Rotation) -> None:
    assert dumpsys.rotation(window) is rotation


@pytest.mark.parametrize(
    ("title", "is_pop_up"),
    [
        ("com.app/com.app.MainActivity", False),
        ("com.app/com.app.MainActivity EXITING", False),
        *((title, True) for title in ("PopupWindow:1d2e3f", "Pop-Up Window", "Panel:com.app/com.app.MainActivity")),
        *((title, True) for title in ("AtchDlg:com.app/com.app.MainActivity", "NotificationShade")),
        ("Application Not Responding: com.app", True),
    ],
)
def test_focus_on_no_activity_is_a_pop_up(title: str, is_pop_up: bool) -> None:
    assert dumpsys.has_pop_up(f"  mCurrentFocus=Window{{a1b2c3 u0 {title}}}") is is_pop_up
    assert not dumpsys.has_pop_up("  mCurrentFocus=null")


LOW, BAR = "[0,2337][1080,2400]", Box(0, 2337, 1080, 2400)
TASKBAR = "type=ITYPE_EXTRA_NAVIGATION_BAR frame=[0,1480][2560,1600]"
"""Of a tablet with Android 12L or 13."""
EMPTY_BAR = "InsetsSource id=2 type=navigationBars frame=[0,0][0,0] visible=true"


@pytest.mark.parametrize(
    ("read", "source", "expected"),
    [
        (dumpsys.status_bar_height, "type=ITYPE_STATUS_BAR frame=[0,0][1080,84] visible=true", 84),
        (dumpsys.status_bar_height, "type=ITYPE_STATUS_BAR frame=[0,0][1200,54]", 54),
        (dumpsys.status_bar_height, "id=2e170000 type=statusBars frame=[0,0][1080,132] visible=true flags=", 132),
        (dumpsys.status_bar_height, ": {2e170000 mType=statusBars mFrame=[0,0][1080,136] mVisible=true}", 136),
        (dumpsys.status_bar_height, "id=2e170000 type=statusBars frame=[0,0][1080,132] visible=false flags=", 0),
        (dumpsys.status_bar_height, f"id=b5490001 type=navigationBars frame={LOW} visible=true", 0),
        (dumpsys.navigation_bar, f"type=ITYPE_NAVIGATION_BAR frame={LOW} visible=true", BAR),
        (dumpsys.navigation_bar, f"id=facc0001 type=navigationBars frame={LOW} visible=true flags= side=RIGHT", BAR),
        (dumpsys.navigation_bar, f": {{facc0001 mType=navigationBars mFrame={LOW} mVisible=true mFlags=[]}}", BAR),
        (dumpsys.navigation_bar, f"id=1 type=navigationBars frame={LOW} visible=true\n  {EMPTY_BAR}", BAR),
        (dumpsys.navigation_bar, f"id=1 type=navigationBars frame={LOW} visible=false", None),
        (dumpsys.navigation_bar, "type=ITYPE_NAVIGATION_BAR frame=[0,0][0,0] visible=true", None),
        (dumpsys.navigation_bar, f"{TASKBAR} visible=true insetsRoundedCornerFrame=true", Box(0, 1480, 2560, 1600)),
        (dumpsys.navigation_bar, f"{TASKBAR} visible=false", None),
        (dumpsys.navigation_bar, f"{TASKBAR}\n  InsetsSource id=1 type=navigationBars frame={LOW} visible=true", BAR),
        (dumpsys.navigation_bar, "no insets", None),
        (dumpsys.keyboard, f"id=3 type=ime frame={LOW} visible=true flags=", BAR),
        (dumpsys.keyboard, f"type=ITYPE_IME frame={LOW} visibleFrame={LOW} visible=true", BAR),
        (dumpsys.keyboard, f"type=ITYPE_IME frame=[0,0][0,0] visibleFrame={LOW} visible=false", None),
        (dumpsys.keyboard, f"id=3 type=ime frame={LOW} visible=false flags=", None),
    ],
)
def test_bars_and_keyboard_of_all_versions(read: Callable[[str], object], source: str, expected: object) -> None:
    assert read(f"InsetsSource{'' if source.startswith(':') else ' '}{source}") == expected


def test_keyboard_is_shown_on_the_default_display() -> None:
    assert dumpsys.keyboard_shown("  mShowRequested=true mInputShown=true\n")
    assert not dumpsys.keyboard_shown("  mShowRequested=false mInputShown=false\n")
    assert dumpsys.keyboard_shown("  mCurTokenDisplayId=0\n  mInputShown=true\n")
    assert not dumpsys.keyboard_shown("  mCurTokenDisplayId=7\n  mInputShown=true\n")


@pytest.mark.parametrize(
    ("answer", "posture"),
    [
        ("Committed state: DeviceState{identifier=2, name='OPENED', app_accessible=true}\n----\n", "OPENED"),
        ("Committed state: DeviceState{identifier=0, name='CLOSED'}\nBase state: DeviceState{…}", "CLOSED"),
        ("Committed state: DeviceState{identifier=0, name='DEFAULT'}", ""),
        ("cmd: Can't find service: device_state", ""),
    ],
)
def test_only_a_foldable_has_a_posture(answer: str, posture: str) -> None:
    assert dumpsys.posture(answer) == posture


@pytest.mark.parametrize(
    ("posture", "panel"),
    [("opened", "4619827259835644672"), ("closed", "4619827551948147201"), ("closed, Device 10", "")],
    ids=["opened", "closed", "a disabled touch node"],
)
def test_lit_panel_of_a_foldable(posture: str, panel: str) -> None:
    assert dumpsys.default_display(fold_posture(posture)) == panel


def test_devices_in_any_state_are_listed() -> None:
    answer = (
        "emulator-5554          device product:sdk_gphone64 model:sdk_phone device:emu64xa transport_id:3\n"
        "127.0.0.1:6001         offline transport_id:4\n"
        "R58M                   unauthorized usb:1-1 transport_id:5\n"
        "0124                   no permissions; see [http://example.org] usb:1-3\n"
        "0123                   no permissions (missing udev rules?); see [http://example.org] usb:1-2\n"
    )

    assert dumpsys.listed_devices(answer) == (
        ListedDevice("emulator-5554", "device", "sdk_gphone64", "sdk_phone"),
        ListedDevice("127.0.0.1:6001", "offline", "", ""),
        ListedDevice("R58M", "unauthorized", "", ""),
        ListedDevice("0124", "no permissions", "", ""),
        ListedDevice("0123", "no permissions", "", ""),
    )
    assert dumpsys.listed_devices("\n") == ()


RECENTS_14 = (DATA / "dumpsys_recents_android_14.txt").read_text()
RECENTS_9 = """ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)
  * Recent #0: TaskRecord{ca18582 #170 A=org.example.reader U=0 StackId=166 sz=1}
    activityType=1
  * Recent #1: TaskRecord{2d3345a #3 I=com.android.settings/.Wifi U=0 StackId=-1 sz=0}
    realActivity=com.android.settings/.Wifi
    activityType=1
  * Recent #2: TaskRecord{8f277ab #5 I=com.android.launcher3/.Launcher U=0 StackId=0 sz=1}
    activityType=2
"""
RECENTS_10 = (DATA / "dumpsys_recents_android_10.txt").read_text()
PACKAGELESS = "* Recent #0: Task{1 #5 visible=true type=standard mode=fullscreen}\n"
MALICIOUS = "* Recent #0: Task{1 #5 type=standard A=10:a;reboot}\n    mActivityComponent=$(reboot)b/.X\n"


@pytest.mark.parametrize(
    ("dump", "tasks"),
    [
        (RECENTS_14, [(141, "org.example.reader"), (12, "com.android.settings")]),
        (RECENTS_10, [(28, "com.android.settings")]),
        (RECENTS_9, [(166, ""), (3, "com.android.settings")]),
        (f"RECENT TASKS\n  {PACKAGELESS}", [(5, "")]),
        (f"RECENT TASKS\n  {MALICIOUS}", [(5, "")]),
        ("ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)\n", []),
    ],
    ids=["Android 14", "Android 10", "Android 9", "no package", "malicious package", "none"],
)
def test_recent_tasks(dump: str, tasks: list[tuple[int, str]]) -> None:
    assert dumpsys.recent_tasks(dump) == tuple(dumpsys.RecentTask(*task) for task in tasks)
