import re
import xml.etree.ElementTree as ET

import pytest

from tests.simulator.bench import Bench, Launch

SETTINGS = "com.android.settings"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ro.product.name", "sdk_gphone64_x86_64"),
        ("ro.build.version.release", "14"),
        ("ro.build.version.sdk", "34"),
        ("ro.boot.qemu", "1"),
        ("ro.boot.qemu.avd_name", "Simulated_small_phone"),
        ("ro.boot.hardware", "ranchu"),
        ("sys.boot_completed", "1"),
        ("ro.simulated", "odyssey-recorder"),
        ("no.such.property", ""),
    ],
)
def test_a_property_is_printed_by_its_name(bench: Bench, name: str, value: str) -> None:
    assert bench.shell(f"getprop {name}") == value + "\n"


def test_all_properties_are_listed_in_brackets(bench: Bench) -> None:
    lines = bench.shell("getprop").splitlines()

    assert "[ro.build.version.sdk]: [34]" in lines
    assert all(re.fullmatch(r"\[[\w.]+\]: \[.*\]", line) for line in lines)


def test_the_fingerprint_names_the_same_product(bench: Bench) -> None:
    assert bench.shell("getprop ro.build.fingerprint").startswith("google/sdk_gphone64_x86_64/emu64xa:14/")


def test_the_size_is_the_panels_own_until_it_is_overridden(own: Bench) -> None:
    assert own.shell("wm size; wm density") == "Physical size: 720x1280\nPhysical density: 320\n"

    own.shell("wm size 600x1000")
    assert own.shell("wm size") == "Physical size: 720x1280\nOverride size: 600x1000\n"
    own.shell("wm size reset")

    assert own.shell("wm size") == "Physical size: 720x1280\n"


def test_what_is_written_to_the_phone_takes_room_on_its_disk(own: Bench) -> None:
    def available_kib() -> int:
        heading, data = own.shell("df -k /data").splitlines()
        assert heading.split()[3] == "Available"
        return int(data.split()[3])

    before = available_kib()
    own.emulator.guest.files.write("/data/local/tmp/film", bytes(5 * 1024**2))
    assert available_kib() == before - 5 * 1024


def test_the_size_does_not_turn_with_the_phone(own: Bench) -> None:
    own.shell("wm user-rotation lock 1")

    assert own.shell("wm size") == "Physical size: 720x1280\n"
    assert "  mCurrentRotation=ROTATION_90" in own.shell("dumpsys window").splitlines()
    viewport = next(line for line in own.shell("dumpsys input").splitlines() if "isActive=[1]" in line)
    assert "orientation=1, logicalFrame=[0, 0, 1280, 720]" in viewport


def test_an_old_anr_comes_first_and_a_second_display_beside_the_default_one(own: Bench) -> None:
    assert "  <no ANR has occurred since boot>" in own.shell("dumpsys window").splitlines()
    home = own.emulator.phone.state().title

    assert own.console("fault", "anr") == ["OK"]
    assert own.console("fault", "second-display", "on") == ["OK"]
    own.shell(f"am start -n {SETTINGS}/.Settings")

    window = own.shell("dumpsys window")
    stale, live = window.split("WINDOW MANAGER POLICY STATE")
    assert stale.startswith("WINDOW MANAGER LAST ANR (dumpsys window lastanr)\n")
    assert stale.index("Last ANR continued\nWINDOW MANAGER DISPLAY CONTENTS") < stale.rindex(home)
    assert home not in live
    assert live.index("mDisplayId=7") < live.index("mDisplayId=0") < live.index(f"{SETTINGS}/")
    assert own.shell("dumpsys window displays").startswith("WINDOW MANAGER DISPLAY CONTENTS")
    assert own.shell("dumpsys window lastanr") in stale
    assert own.shell("dumpsys window windows") in live
    assert "mCurTokenDisplayId=7" in own.shell("dumpsys input_method")
    own.console("fault", "clear")
    assert home not in own.shell("dumpsys window")
    assert own.console("fault", "second-display")[0].startswith("KO: usage")


def test_the_focus_is_told_by_window_and_activity(own: Bench) -> None:
    own.shell(f"am start -n {SETTINGS}/.Settings")
    state = own.emulator.phone.state()

    window, activities = own.shell("dumpsys window"), own.shell("dumpsys activity activities")

    assert re.search(rf"^  mCurrentFocus=Window\{{[0-9a-f]+ u0 {re.escape(state.title)}\}}$", window, re.M)
    assert re.search(rf"^  mFocusedApp=ActivityRecord\{{[0-9a-f]+ u0 {SETTINGS}/\S+ t\d+\}}$", window, re.M)
    assert re.search(rf"topResumedActivity=ActivityRecord\{{[0-9a-f]+ u0 {SETTINGS}/\S+ t\d+\}}", activities)


def test_the_bars_are_told_as_insets(bench: Bench) -> None:
    state = bench.emulator.phone.state()
    found = re.findall(
        r"InsetsSource id=\w+ type=(\w+) frame=\[(\d+),(\d+)\]\[(\d+),(\d+)\] visible=(\w+)",
        bench.shell("dumpsys window"),
    )

    bars = {kind: ([int(edge) for edge in edges], shown) for kind, *edges, shown in found}
    status, navigation = state.status_bar, state.navigation_bar
    assert bars["statusBars"] == ([status.left, status.top, status.right, status.bottom], "true")
    assert bars["navigationBars"] == (
        [navigation.left, navigation.top, navigation.right, navigation.bottom],
        "true",
    )


def test_the_keyboard_is_told_by_the_input_method_service(bench: Bench) -> None:
    shown = "true" if bench.emulator.phone.state().keyboard_shown else "false"

    assert f"mInputShown={shown}" in bench.shell("dumpsys input_method")


def test_a_phone_has_one_panel_and_a_foldable_has_two_in_every_posture(bench: Bench, start: Launch) -> None:
    one = 'Display 4619827259835644672 (HWC display 0): port=0 pnpId=GGL displayName="EMU_display_0"\n'
    two = 'Display 4619827551948147201 (HWC display 1): port=1 pnpId=GGL displayName="EMU_display_1"\n'
    fold = start("pixel_fold")

    assert bench.shell("dumpsys SurfaceFlinger --display-id") == one
    assert fold.shell("dumpsys SurfaceFlinger --display-id") == one + two
    fold.console("fold")
    assert fold.shell("dumpsys SurfaceFlinger --display-id") == one + two


def test_a_folded_phones_touch_nodes_serve_the_outer_panel(start: Launch) -> None:
    bench = start("pixel_fold")
    bench.console("fold")

    text = bench.shell("dumpsys input")

    modes = dict(re.findall(r"Device \d+: virtio_input_multi_touch_(\d+)\n.*mode - (\w+)", text))
    assert {number for number, mode in modes.items() if mode == "DIRECT"} == {"1", "7"}
    assert text.count("uniqueId=local:4619827551948147201, port=1") == 2
    assert "displayId='virtual:com.android.emulator.multidisplay:1234563'" in text


def test_a_foldable_warns_of_its_panels_when_none_is_named(start: Launch) -> None:
    bench = start("pixel_fold")
    bench.console("fold")

    unnamed = bench.adb("shell", "screencap")
    merged = bench.adb("exec-out", "screencap")
    named = bench.adb("shell", "screencap -d 4619827551948147201")

    assert len(unnamed.stderr) == 347
    assert merged.stdout == unnamed.stderr + unnamed.stdout
    assert unnamed.stdout[16:] == b"\0\0\0\xff" * (2208 * 1840), "the inner panel is dark"
    assert (named.stderr, named.stdout[16:]) == (b"", bench.emulator.phone.screen().rgba)
    assert bench.adb("shell", "screencap -d 7").returncode == 1


def test_postures_are_listed_and_changed(start: Launch) -> None:
    bench = start("pixel_fold")
    listed = bench.shell("cmd device_state print-states")

    assert listed.startswith("Supported states: [\n  DeviceState{identifier=0, name='CLOSED'")
    assert bench.shell("cmd device_state print-state") == "2\n"
    bench.shell("cmd device_state state 0")
    assert bench.shell("cmd device_state state").startswith("Committed state: DeviceState{identifier=0, name='CLOSED'")
    bench.shell("cmd device_state state reset")
    assert bench.shell("cmd device_state print-state") == "2\n"
    assert bench.adb("shell", "cmd device_state state 9").returncode == 255


def test_settings_are_kept(own: Bench) -> None:
    assert own.shell("settings get system no_such_key") == "null\n"
    own.shell("settings put secure show_ime_with_hard_keyboard 1")
    assert own.shell("settings get secure show_ime_with_hard_keyboard; cmd settings get secure x") == "1\nnull\n"


def test_the_navigation_bar_has_three_buttons_unless_told_otherwise(bench: Bench) -> None:
    command = "cmd overlay enable-exclusive --category com.android.internal.systemui.navbar"

    assert bench.shell(f"{command}.threebutton") == ""
    assert bench.adb("shell", f"{command}.twobutton").returncode == 1
    assert "[x] com.android.internal.systemui.navbar.threebutton" in bench.shell("cmd overlay list")


def test_there_is_no_clipboard_command_as_on_a_real_device(bench: Bench) -> None:
    assert bench.adb("shell", "cmd clipboard get").stderr == b"No shell command implementation.\n"


def test_packages_are_listed_by_kind(bench: Bench) -> None:
    infos = bench.emulator.phone.packages()

    def lines(*packages: str) -> str:
        return "".join(f"package:{package}\n" for package in sorted(packages))

    assert bench.shell("pm list packages") == lines(*(info.package for info in infos))
    assert bench.shell("pm list packages -3") == lines(*(info.package for info in infos if not info.system))
    assert bench.shell("cmd package list packages -s") == lines(*(info.package for info in infos if info.system))
    assert bench.shell(f"pm list packages {SETTINGS}") == lines(SETTINGS)
    assert bench.shell(f"pm path {SETTINGS}").startswith("package:/system/app/")
    assert bench.adb("shell", "pm path no.such.app").returncode == 1


def test_apps_are_started_and_stopped(own: Bench) -> None:
    started = own.shell(f"am start -W -n {SETTINGS}/.Settings")

    assert started.splitlines()[:2] == [f"Starting: Intent {{ cmp={SETTINGS}/.Settings }}", "Status: ok"]
    assert own.emulator.phone.state().package == SETTINGS
    own.shell(f"am force-stop {SETTINGS}; am force-stop no.such.app")
    assert own.emulator.phone.state().package != SETTINGS


def test_an_app_gets_what_an_intent_carries(own: Bench) -> None:
    said = own.shell(
        "am start -n com.odyssey.notes -a android.intent.action.SEND -t text/plain --es extra 1 -d 'for a note'"
    )

    assert (
        said
        == "Starting: Intent { act=android.intent.action.SEND dat=for a note cmp=com.odyssey.notes (has extras) }\n"
    )
    assert own.emulator.phone.state().package == "com.odyssey.notes"


def test_an_intent_that_an_app_does_not_take_is_said_so_and_opens_nothing(own: Bench) -> None:
    before = own.emulator.phone.state().package

    done = own.adb("shell", "am start -a android.intent.action.VIEW -d https://a.example com.odyssey.notes")

    wanted = "Intent { act=android.intent.action.VIEW dat=https://a.example cmp=com.odyssey.notes }"
    assert (done.returncode, done.stderr.decode()) == (1, f"Error: Activity not started, unable to resolve {wanted}\n")
    assert own.emulator.phone.state().package == before


def test_settings_are_listed_and_deleted(own: Bench) -> None:
    own.shell("settings put system my_key 'a value'")

    listed = own.shell("settings list system").splitlines()
    deleted = own.shell("settings delete system my_key; settings delete system my_key")

    assert "my_key=a value" in listed
    assert "font_scale=1.0" in listed
    assert listed == sorted(listed)
    assert deleted == "Deleted 1 rows\nDeleted 0 rows\n"
    assert own.shell("settings get system my_key") == "null\n"


def test_another_density_makes_everything_larger_until_it_is_reset(own: Bench) -> None:
    before = own.emulator.phone.state()

    own.shell("wm density 480")
    told = own.shell("wm density")
    during = own.emulator.phone.state()
    own.shell("wm density reset")

    assert told == "Physical density: 320\nOverride density: 480\n"
    assert during.navigation_bar.height == before.navigation_bar.height * 1.5
    assert own.emulator.phone.state().navigation_bar == before.navigation_bar


def test_small_questions_are_answered(bench: Bench) -> None:
    assert bench.shell("am get-current-user") == "0\n"
    assert bench.shell("am broadcast -a X").endswith("Broadcast completed: result=0\n")
    assert "UserInfo{0:" in bench.shell("pm list users")
    assert bench.shell("pm list packages -f com.android.settings").endswith(".apk=com.android.settings\n")
    assert bench.shell(f"cmd package resolve-activity --brief {SETTINGS}").splitlines()[1].startswith(f"{SETTINGS}/")
    assert bench.shell("cmd package resolve-activity --brief no.such") == "No activity found\n"
    assert "window" in bench.shell("cmd -l")
    assert "SurfaceFlinger" in bench.shell("dumpsys -l")
    assert bench.shell("wm user-rotation") == "free\n"
    assert bench.shell("settings --user 0 get system no_such") == "null\n"


def test_monkey_launches_an_app_by_its_package(own: Bench) -> None:
    assert own.shell(f"monkey -p {SETTINGS} -c android.intent.category.LAUNCHER 1").startswith("Events injected: 1\n")
    assert own.emulator.phone.state().package == SETTINGS


def test_an_app_there_is_not_cannot_be_started(bench: Bench) -> None:
    by_am = bench.adb("shell", "am start -n no.such/.App")
    by_monkey = bench.adb("shell", "monkey -p no.such -c android.intent.category.LAUNCHER 1")

    assert (by_am.returncode, by_am.stdout) == (1, b"Starting: Intent { cmp=no.such/.App }\n")
    assert by_am.stderr == b"Error type 3\nError: Activity class {no.such/.App} does not exist.\n"
    assert (by_monkey.returncode, by_monkey.stderr) == (252, b"** No activities found to run, monkey aborted.\n")


def test_the_views_on_the_screen_are_dumped_as_xml(bench: Bench) -> None:
    said = bench.shell("uiautomator dump")
    dumped = bench.shell("cat /sdcard/window_dump.xml")
    at_once = bench.shell("uiautomator dump /dev/tty")

    assert said == "UI hierchary dumped to: /sdcard/window_dump.xml\n"
    assert at_once == dumped + "UI hierchary dumped to: /dev/tty\n"
    tree = list(bench.emulator.phone.view_hierarchy().walk())
    nodes = list(ET.fromstring(dumped).iter("node"))
    assert [node.get("text") for node in nodes] == [view.text for view in tree]
    assert all(re.fullmatch(r"\[\d+,\d+\]\[\d+,\d+\]", node.get("bounds", "")) for node in nodes)
    assert list(nodes[0].attrib)[:4] == ["index", "text", "resource-id", "class"]


def test_windows_over_the_front_one_are_dumped_when_asked_for(bench: Bench) -> None:
    dumped = bench.shell("uiautomator dump --windows /dev/tty").partition("</displays>")

    windows = list(ET.fromstring(dumped[0] + dumped[1]).iter("window"))
    tree = bench.emulator.phone.view_hierarchy(all_windows=True)
    assert len(windows) == len(tree.children) > 1
    assert "Overview" in [node.get("content-desc") for node in windows[-1].iter("node")]


def test_the_only_keyboard_can_be_chosen_and_no_other(bench: Bench) -> None:
    keyboard = bench.shell("ime list -s").strip()

    assert bench.shell(f"ime enable {keyboard}; ime set {keyboard}").count("for user #0") == 2
    assert bench.shell("settings get secure default_input_method").strip() == keyboard
    assert bench.shell("ime list -s -a").strip() == keyboard
    assert bench.adb("shell", "ime enable com.android.adbkeyboard/.AdbIME").returncode == 255
    assert bench.adb("shell", "ime set com.android.adbkeyboard/.AdbIME").returncode == 255
    assert "com.android.adbkeyboard" not in bench.shell("pm list packages")


@pytest.mark.parametrize("service", ["battery", "display", "power", "package", "activity top"])
def test_other_services_tell_something(bench: Bench, service: str) -> None:
    assert len(bench.shell(f"dumpsys {service}")) > 20


def test_a_service_there_is_not_is_said_to_be_missing(bench: Bench) -> None:
    done = bench.adb("shell", "dumpsys no_such_service")

    assert (done.stdout, done.stderr) == (b"", b"Can't find service: no_such_service\n")


@pytest.mark.parametrize(
    "line",
    [
        *(
            "wm",
            "wm size big",
            "wm size 10x10",
            "wm size 99999x99999",
            "wm density 50",
            "wm density \u0664\u0660\u0660",
            "settings list nowhere",
            "settings get nowhere x",
            "cmd",
            "cmd no_such",
            "cmd device_state state",
        ),
        *("cmd overlay enable", "pm install x.apk", "pm", "am", "am start", "monkey 500", "ime", "uiautomator events"),
        *(
            "getevent -z",
            "sendevent 1 2 3",
            "sendevent /dev/input/event99 1 2 3",
            "screencap -z",
            "grep",
            "grep [",
            "grep x /no/such",
            "sleep long",
        ),
    ],
)
def test_what_a_program_does_not_do_is_refused_with_a_word(bench: Bench, line: str) -> None:
    done = bench.adb("shell", line)

    assert done.returncode != 0
    assert done.stderr


def test_the_time_zone_is_kept_with_the_phone(own: Bench) -> None:
    assert own.shell("getprop persist.sys.timezone") == "GMT\n"

    own.shell("cmd alarm set-timezone Europe/Oslo")

    assert own.shell("getprop persist.sys.timezone") == "Europe/Oslo\n"
    assert own.adb("shell", "cmd alarm set-time 0").stderr == b"Unknown command: set-time 0\n"
