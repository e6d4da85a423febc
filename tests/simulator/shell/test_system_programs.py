import re
import xml.etree.ElementTree as ET

import pytest

from tests.simulator.bench import Bench

SETTINGS = "com.android.settings"
ONE_PANEL = 'Display 4619827259835644672 (HWC display 0): port=0 pnpId=GGL displayName="EMU_display_0"\n'
OUTER_PANEL = 'Display 4619827551948147201 (HWC display 1): port=1 pnpId=GGL displayName="EMU_display_1"\n'
NAVIGATION = "cmd overlay enable-exclusive --category com.android.internal.systemui.navbar"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("getprop ro.product.name", "sdk_gphone64_x86_64\n"),
        ("getprop ro.build.version.release", "14\n"),
        ("getprop ro.boot.qemu.avd_name", "Simulated_small_phone\n"),
        ("getprop ro.boot.hardware", "ranchu\n"),
        ("getprop ro.simulated", "odyssey-recorder\n"),
        ("getprop no.such.property", "\n"),
        ("wm user-rotation", "free\n"),
        ("settings --user 0 get system no_such", "null\n"),
        ("am get-current-user", "0\n"),
        ("cmd package resolve-activity --brief no.such", "No activity found\n"),
        ("dumpsys SurfaceFlinger --display-id", ONE_PANEL),
        (f"{NAVIGATION}.threebutton", ""),
    ],
)
def test_program_prints_exact_output(bench: Bench, line: str, expected: str) -> None:
    assert bench.shell(line) == expected


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("getprop", "[ro.build.version.sdk]: [34]\n"),
        ("getprop ro.build.fingerprint", "google/sdk_gphone64_x86_64/emu64xa:14/"),
        ("cmd overlay list", "[x] com.android.internal.systemui.navbar.threebutton"),
        ("am broadcast -a X", "Broadcast completed: result=0\n"),
        ("pm list users", "UserInfo{0:"),
        ("pm list packages -f com.android.settings", ".apk=com.android.settings\n"),
        (f"cmd package resolve-activity --brief {SETTINGS}", f"\n{SETTINGS}/"),
        (f"pm path {SETTINGS}", "package:/system/app/"),
        ("cmd -l", "window"),
        ("dumpsys -l", "SurfaceFlinger"),
        ("dumpsys battery", "level"),
        ("dumpsys display", "Display"),
        ("dumpsys power", "mWakefulness"),
        ("dumpsys package", "com.android.settings"),
        ("dumpsys activity top", "ACTIVITY"),
    ],
)
def test_program_output_contains_text(bench: Bench, line: str, part: str) -> None:
    assert part in bench.shell(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("dumpsys no_such_service", "Can't find service: no_such_service\n"),
        ("cmd clipboard get", "No shell command implementation.\n"),
        ("cmd alarm set-time 0", "Unknown command: set-time 0\n"),
    ],
)
def test_unknown_service_is_reported_on_stderr(bench: Bench, line: str, expected: str) -> None:
    assert bench.adb("shell", line).stderr.decode() == expected


@pytest.mark.parametrize(
    "line",
    [
        *("wm", "wm size big", "wm size 10x10", "wm size 99999x99999", "wm density 50"),
        *("wm density \u0664\u0660\u0660", "settings list nowhere", "settings get nowhere x", "cmd", "cmd no_such"),
        *("cmd device_state state", "cmd overlay enable", "pm install x.apk", "pm", "am", "am start", "monkey 500"),
        *("ime", "uiautomator events", "getevent -z", "sendevent 1 2 3", "sendevent /dev/input/event99 1 2 3"),
        *("screencap -z", "grep", "grep [", "grep x /no/such", "sleep long", f"{NAVIGATION}.twobutton"),
    ],
)
def test_unsupported_arguments_are_rejected_with_a_message(bench: Bench, line: str) -> None:
    completed = bench.adb("shell", line)
    assert completed.returncode != 0
    assert completed.stderr


# Settings


def test_settings_are_stored_listed_and_deleted(fresh_bench: Bench) -> None:
    fresh_bench.shell("settings put system my_key 'a value'")

    listed = fresh_bench.shell("settings list system").splitlines()
    assert fresh_bench.shell("settings get system my_key; cmd settings get secure x") == "a value\nnull\n"
    assert {"my_key=a value", "font_scale=1.0"} <= set(listed)
    assert listed == sorted(listed)
    deleted = fresh_bench.shell(
        "settings delete system my_key; settings delete system my_key; settings get system my_key"
    )
    assert deleted == "Deleted 1 rows\nDeleted 0 rows\nnull\n"


def test_time_zone_is_stored(fresh_bench: Bench) -> None:
    assert fresh_bench.shell("getprop persist.sys.timezone") == "GMT\n"
    fresh_bench.shell("cmd alarm set-timezone Europe/Oslo")
    assert fresh_bench.shell("getprop persist.sys.timezone") == "Europe/Oslo\n"


def test_written_files_reduce_free_disk_space(fresh_bench: Bench) -> None:
    def available_kib() -> int:
        heading, data = fresh_bench.shell("df -k /data").splitlines()
        assert heading.split()[3] == "Available"
        return int(data.split()[3])

    before = available_kib()
    fresh_bench.emulator.guest.files.write("/data/local/tmp/film", bytes(5 * 1024**2))
    assert available_kib() == before - 5 * 1024


# The screen


def test_size_and_density_can_be_overridden_and_reset(fresh_bench: Bench) -> None:
    before = fresh_bench.phone.state()
    assert fresh_bench.shell("wm size; wm density") == "Physical size: 720x1280\nPhysical density: 320\n"

    fresh_bench.shell("wm size 600x1000; wm density 480")
    assert fresh_bench.shell("wm size") == "Physical size: 720x1280\nOverride size: 600x1000\n"
    assert fresh_bench.shell("wm density") == "Physical density: 320\nOverride density: 480\n"
    assert fresh_bench.phone.state().navigation_bar.height == before.navigation_bar.height * 1.5
    assert fresh_bench.phone.screen().width == 600
    fresh_bench.shell("wm size reset; wm density reset")

    assert fresh_bench.shell("wm size") == "Physical size: 720x1280\n"
    assert fresh_bench.phone.state().navigation_bar == before.navigation_bar


def test_wm_size_does_not_rotate(fresh_bench: Bench) -> None:
    fresh_bench.shell("wm user-rotation lock 1")
    assert fresh_bench.shell("wm size") == "Physical size: 720x1280\n"
    assert "  mCurrentRotation=ROTATION_90" in fresh_bench.shell("dumpsys window").splitlines()
    viewport = next(line for line in fresh_bench.shell("dumpsys input").splitlines() if "isActive=[1]" in line)
    assert "orientation=1, logicalFrame=[0, 0, 1280, 720]" in viewport


def test_dumpsys_shows_old_anr_and_second_display(fresh_bench: Bench) -> None:
    assert "  <no ANR has occurred since boot>" in fresh_bench.shell("dumpsys window").splitlines()
    home = fresh_bench.phone.state().title

    assert fresh_bench.console("fault", "anr") == ["OK"]
    assert fresh_bench.console("fault", "second-display", "on") == ["OK"]
    fresh_bench.shell(f"am start -n {SETTINGS}/.Settings")

    window = fresh_bench.shell("dumpsys window")
    stale, live = window.split("WINDOW MANAGER POLICY STATE")
    assert stale.startswith("WINDOW MANAGER LAST ANR (dumpsys window lastanr)\n")
    assert stale.index("Last ANR continued\nWINDOW MANAGER DISPLAY CONTENTS") < stale.rindex(home)
    assert home not in live
    assert live.index("mDisplayId=7") < live.index("mDisplayId=0") < live.index(f"{SETTINGS}/")
    assert fresh_bench.shell("dumpsys window displays").startswith("WINDOW MANAGER DISPLAY CONTENTS")
    assert fresh_bench.shell("dumpsys window lastanr") in stale
    assert fresh_bench.shell("dumpsys window windows") in live
    assert "mCurTokenDisplayId=7" in fresh_bench.shell("dumpsys input_method")
    fresh_bench.console("fault", "clear")
    assert home not in fresh_bench.shell("dumpsys window")


def test_dumpsys_reports_focus_bars_and_keyboard(fresh_bench: Bench) -> None:
    fresh_bench.shell(f"am start -n {SETTINGS}/.Settings")
    state = fresh_bench.phone.state()

    window, activities = fresh_bench.shell("dumpsys window"), fresh_bench.shell("dumpsys activity activities")

    assert re.search(rf"^  mCurrentFocus=Window\{{[0-9a-f]+ u0 {re.escape(state.title)}\}}$", window, re.M)
    assert re.search(rf"^  mFocusedApp=ActivityRecord\{{[0-9a-f]+ u0 {SETTINGS}/\S+ t\d+\}}$", window, re.M)
    assert re.search(rf"topResumedActivity=ActivityRecord\{{[0-9a-f]+ u0 {SETTINGS}/\S+ t\d+\}}", activities)
    matches = re.findall(r"InsetsSource id=\w+ type=(\w+) frame=\[(\d+),(\d+)\]\[(\d+),(\d+)\] visible=(\w+)", window)
    insets = {kind: ([int(edge) for edge in edges], shown) for kind, *edges, shown in matches}
    for kind, bar in (("statusBars", state.status_bar), ("navigationBars", state.navigation_bar)):
        assert insets[kind] == ([bar.left, bar.top, bar.right, bar.bottom], "true")
    assert "mInputShown=false" in fresh_bench.shell("dumpsys input_method")


def test_view_hierarchy_is_dumped_as_xml(bench: Bench) -> None:
    expected = bench.shell("uiautomator dump")
    dumped = bench.shell("cat /sdcard/window_dump.xml")
    at_once = bench.shell("uiautomator dump /dev/tty")

    assert expected == "UI hierchary dumped to: /sdcard/window_dump.xml\n"
    assert at_once == dumped + "UI hierchary dumped to: /dev/tty\n"
    tree = list(bench.phone.view_hierarchy().walk())
    nodes = list(ET.fromstring(dumped).iter("node"))
    assert [node.get("text") for node in nodes] == [view.text for view in tree]
    assert all(re.fullmatch(r"\[\d+,\d+\]\[\d+,\d+\]", node.get("bounds", "")) for node in nodes)
    assert list(nodes[0].attrib)[:4] == ["index", "text", "resource-id", "class"]


def test_all_windows_are_dumped_on_request(bench: Bench) -> None:
    dumped = bench.shell("uiautomator dump --windows /dev/tty").partition("</displays>")
    windows = list(ET.fromstring(dumped[0] + dumped[1]).iter("window"))
    assert len(windows) == len(bench.phone.windows()) > 1
    assert "Overview" in [node.get("content-desc") for node in windows[0].iter("node")]


# Foldables


def test_touch_nodes_of_a_folded_phone_serve_the_outer_panel(fold: Bench) -> None:
    assert fold.shell("dumpsys SurfaceFlinger --display-id") == ONE_PANEL + OUTER_PANEL
    fold.console("fold")
    assert fold.shell("dumpsys SurfaceFlinger --display-id") == ONE_PANEL + OUTER_PANEL

    text = fold.shell("dumpsys input")

    modes = dict(re.findall(r"Device \d+: virtio_input_multi_touch_(\d+)\n.*mode - (\w+)", text))
    assert {number for number, mode in modes.items() if mode == "DIRECT"} == {"1", "7"}
    assert text.count("uniqueId=local:4619827551948147201, port=1") == 2
    assert "displayId='virtual:com.android.emulator.multidisplay:1234563'" in text


def test_screencap_on_a_foldable_warns_if_no_panel_is_named(fold: Bench) -> None:
    fold.console("fold")

    unnamed = fold.adb("shell", "screencap")
    merged = fold.adb("exec-out", "screencap")
    named = fold.adb("shell", "screencap -d 4619827551948147201")

    assert len(unnamed.stderr) == 347
    assert merged.stdout == unnamed.stderr + unnamed.stdout
    assert unnamed.stdout[16:] == b"\0\0\0\xff" * (2208 * 1840), "the inner panel is dark"
    assert (named.stderr, named.stdout[16:]) == (b"", fold.phone.screen().rgba)
    assert fold.adb("shell", "screencap -d 7").returncode == 1


def test_postures_are_listed_and_changed(fold: Bench) -> None:
    listed = fold.shell("cmd device_state print-states")

    assert listed.startswith("Supported states: [\n  DeviceState{identifier=0, name='CLOSED'")
    assert fold.shell("cmd device_state print-state") == "2\n"
    fold.shell("cmd device_state state 0")
    assert fold.shell("cmd device_state state").startswith("Committed state: DeviceState{identifier=0, name='CLOSED'")
    fold.shell("cmd device_state state reset")
    assert fold.shell("cmd device_state print-state") == "2\n"
    assert fold.adb("shell", "cmd device_state state 9").returncode == 255


# Apps


def test_packages_are_listed_by_kind(bench: Bench) -> None:
    infos = bench.phone.packages()

    def lines(*packages: str) -> str:
        return "".join(f"package:{package}\n" for package in sorted(packages))

    assert bench.shell("pm list packages") == lines(*(info.package for info in infos))
    assert bench.shell("pm list packages -3") == lines(*(info.package for info in infos if not info.system))
    assert bench.shell("cmd package list packages -s") == lines(*(info.package for info in infos if info.system))
    assert bench.shell(f"pm list packages {SETTINGS}") == lines(SETTINGS)


def test_apps_are_started_and_stopped(fresh_bench: Bench) -> None:
    started = fresh_bench.shell(f"am start -W -n {SETTINGS}/.Settings")
    assert started.splitlines()[:2] == [f"Starting: Intent {{ cmp={SETTINGS}/.Settings }}", "Status: ok"]
    assert fresh_bench.phone.state().package == SETTINGS
    assert fresh_bench.phone.state().title == f"{SETTINGS}/{SETTINGS}.MainActivity"
    fresh_bench.shell(f"am force-stop {SETTINGS}; am force-stop no.such.app")
    assert fresh_bench.phone.state().package != SETTINGS

    launched = fresh_bench.shell(f"monkey -p {SETTINGS} -c android.intent.category.LAUNCHER 1")
    assert launched.startswith("Events injected: 1\n")
    assert fresh_bench.phone.state().package == SETTINGS


def test_clearing_an_app_ends_it_and_forgets_what_it_has_stored(fresh_bench: Bench) -> None:
    before = fresh_bench.phone.facts()
    fresh_bench.shell("am start -n com.odyssey.notes -a android.intent.action.SEND -d milk")
    fresh_bench.phone.press_key(4)
    assert fresh_bench.phone.facts() != before
    fresh_bench.shell("am start -n com.odyssey.notes")
    assert fresh_bench.shell("pm clear --user 0 com.odyssey.notes") == "Success\n"
    assert fresh_bench.phone.facts() == before
    assert fresh_bench.phone.state().package != "com.odyssey.notes"
    failed = fresh_bench.adb("shell", "pm clear no.such.app")
    assert (failed.returncode, failed.stderr) == (1, b"Failed\n")


def test_intent_starts_only_an_app_that_accepts_it(fresh_bench: Bench) -> None:
    refused = fresh_bench.adb("shell", "am start -a android.intent.action.VIEW -d https://a.example com.odyssey.notes")
    assert fresh_bench.phone.state().package != "com.odyssey.notes"
    expected = fresh_bench.shell(
        "am start -n com.odyssey.notes -a android.intent.action.SEND --es extra 1 -d 'for a note'"
    )

    wanted = "Intent { act=android.intent.action.VIEW dat=https://a.example cmp=com.odyssey.notes }"
    assert refused.returncode == 1
    assert refused.stderr.decode() == f"Error: Activity not started, unable to resolve {wanted}\n"
    sent = "act=android.intent.action.SEND dat=for a note cmp=com.odyssey.notes (has extras)"
    assert expected == f"Starting: Intent {{ {sent} }}\n"
    assert fresh_bench.phone.state().package == "com.odyssey.notes"


def test_unknown_app_cannot_be_started(bench: Bench) -> None:
    by_am = bench.adb("shell", "am start -n no.such/.App")
    by_monkey = bench.adb("shell", "monkey -p no.such -c android.intent.category.LAUNCHER 1")
    assert (by_am.returncode, by_am.stdout) == (1, b"Starting: Intent { cmp=no.such/.App }\n")
    assert by_am.stderr == b"Error type 3\nError: Activity class {no.such/.App} does not exist.\n"
    assert (by_monkey.returncode, by_monkey.stderr) == (252, b"** No activities found to run, monkey aborted.\n")
