import shlex
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.preflight import PreflightFinding, PreflightReadings, findings, fix, prepare, take_readings
from odyssey_recorder.device.profile import Preparation, profile_named
from odyssey_recorder.device.repair import PutSetting, ResetScreen
from odyssey_recorder.errors import DeviceDisconnectedError
from odyssey_recorder.gesture.getevent import AxisRange, InputDeviceNode
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_recorder.simulated.private_emulators import PhoneProcesses
from tests.device.bench import DeviceBench, EmulatorPool
from tests.fakes import FakeDevice

AXES = {f"ABS_MT_{name}": AxisRange(0, 32767) for name in ("SLOT", "TRACKING_ID", "POSITION_X", "POSITION_Y")}
TOUCH = InputDeviceNode("/dev/input/event1", "virtio_input_multi_touch_1", frozenset(), AXES)
OUTER_TOUCH = replace(TOUCH, node="/dev/input/event7", name="virtio_input_multi_touch_7")
KEYBOARD = InputDeviceNode("/dev/input/event12", "qwerty2", frozenset({"KEY_HOME", "KEY_BACK"}), {})
POWER = InputDeviceNode("/dev/input/event0", "gpio-keys", frozenset({"KEY_POWER"}), {})

ANIMATIONS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")

READY = PreflightReadings(
    adb=("/my sdk/adb", "-s", "emulator-5554"),
    size=Size(1440, 3120),
    panel=Size(1440, 3120),
    density=560,
    profile=profile_named("pixel_7_pro"),
    free_bytes=4 * 1024**3,
    nodes=(POWER, TOUCH, KEYBOARD),
    sends_frames=True,
    follows_finger=True,
    navigation_mode="0",
    animation_scales=("0", "0.0", "0"),
    keyboard_beside_hardware="1",
    stays_on="15",
    hides_error_dialogs="1",
)


def by_name(readings: PreflightReadings) -> dict[str, PreflightFinding]:
    return {finding.what: finding for finding in findings(readings)}


def faults(readings: PreflightReadings) -> set[str]:
    return {finding.what for finding in findings(readings) if finding.fix}


def test_command_of_a_fix_quotes_the_serial() -> None:
    navigation = by_name(replace(READY, adb=("/my sdk/adb", "-s", "x; reboot"), navigation_mode="2"))["Navigation"]
    assert navigation.command in navigation.fix
    assert shlex.split(navigation.command)[:4] == ["/my sdk/adb", "-s", "x; reboot", "shell"]


@pytest.mark.parametrize(
    ("readings", "what"),
    [
        (replace(READY, nodes=(POWER, KEYBOARD)), "Touch screen"),
        (replace(READY, nodes=(TOUCH, KEYBOARD, replace(POWER, name="QEMU Virtio Mouse"))), "Touch screen"),
        (replace(READY, nodes=(TOUCH, KEYBOARD, replace(POWER, name="virtio_input_tablet"))), "Touch screen"),
        (replace(READY, nodes=(POWER, TOUCH)), "Keyboard"),
        (replace(READY, nodes=(TOUCH,), keyboard_beside_hardware=""), "Keyboard"),
        (replace(READY, keyboard_beside_hardware="0"), "On-screen keyboard"),
        (replace(READY, keyboard_beside_hardware=""), "On-screen keyboard"),
        (replace(READY, navigation_mode="2"), "Navigation"),
        (replace(READY, navigation_mode="1"), "Navigation"),
        (replace(READY, animation_scales=("0", "1.0", "0")), "Animations"),
        (replace(READY, animation_scales=("", "0", "0")), "Animations"),
        (replace(READY, animation_scales=("0", "0", "null")), "Animations"),
        (replace(READY, sends_frames=False), "Screenshots"),
        (replace(READY, follows_finger=False), "Screenshots"),
        (replace(READY, size=Size(1080, 2340)), "Screen"),
        (replace(READY, unmarked_panel="4619827551948147201 (1080x2092)"), "Panel"),
        (replace(READY, density=420), "Screen"),
        (replace(READY, size=Size(800, 600), panel=Size(800, 600), profile=None), "Screen"),
        (replace(READY, free_bytes=400 * 1024**2), "Free space"),
        (replace(READY, stays_on=""), "Stay awake"),
        (replace(READY, stays_on="0"), "Stay awake"),
        (replace(READY, hides_error_dialogs=""), "Error dialogs"),
    ],
)
def test_each_fault_is_found_alone(readings: PreflightReadings, what: str) -> None:
    assert faults(readings) == {what}


OUTER, FOLD = Size(1080, 2092), profile_named("pixel_fold")


@pytest.mark.parametrize(
    ("readings", "what", "text"),
    [
        (READY, "Screen", "as Pixel 7 Pro"),
        (replace(READY, nodes=(TOUCH, OUTER_TOUCH, KEYBOARD)), "Touch screen", "virtio_input_multi_touch_1 and 1 more"),
        (replace(READY, size=OUTER, panel=OUTER, density=FOLD.density, profile=FOLD), "Screen", "as Pixel Fold"),
    ],
    ids=["ready", "several touch screens", "outer screen of a fold"],
)
def test_correct_device_has_nothing_to_fix(readings: PreflightReadings, what: str, text: str) -> None:
    assert by_name(readings)[what].found.endswith(text)
    assert faults(readings) == set()
    assert not any(finding.prevents for finding in findings(readings))


def test_only_a_missing_touchscreen_prevents_recording() -> None:
    incomplete = replace(
        READY, nodes=(POWER,), navigation_mode="2", animation_scales=("1", "1", "1"), sends_frames=False
    )
    assert [finding.what for finding in findings(incomplete) if finding.prevents] == ["Touch screen"]


def test_protocol_a_touchscreen_prevents_recording() -> None:
    axes = {name: axis for name, axis in AXES.items() if name != "ABS_MT_SLOT"}
    older = InputDeviceNode("/dev/input/event3", "gslX680", frozenset(), axes)

    refused = by_name(replace(READY, nodes=(older, KEYBOARD)))["Touch screen"]

    assert refused.prevents
    assert refused.found == "gslX680 uses multi-touch protocol A (no ABS_MT_SLOT)"
    assert "Record in mirror mode." in refused.fix
    assert not by_name(replace(READY, nodes=(older, TOUCH, KEYBOARD)))["Touch screen"].prevents


def test_only_enabled_animations_are_switched_off() -> None:
    animations = by_name(replace(READY, animation_scales=("0", "1", "0.5")))["Animations"]

    assert animations.repairs == (
        PutSetting("global", "transition_animation_scale", "0"),
        PutSetting("global", "animator_duration_scale", "0"),
    )
    assert animations.fix.endswith(
        "Run: '/my sdk/adb' -s emulator-5554 shell "
        "'settings put global transition_animation_scale 0; settings put global animator_duration_scale 0'"
    )


def test_readings_are_taken_from_the_device() -> None:
    device = FakeDevice()
    device.streams = True
    device.settings = {
        ("secure", "navigation_mode"): "2",
        ("global", "transition_animation_scale"): "0.5",
        ("secure", "show_ime_with_hard_keyboard"): "1",
    }

    readings = take_readings(device)

    assert (readings.nodes, readings.sends_frames, readings.free_bytes) == (device.nodes, True, device.room_bytes)
    assert (readings.size, readings.density, readings.profile) == (device.state.size, 160, None)
    assert (readings.navigation_mode, readings.animation_scales) == ("2", ("", "0.5", ""))
    assert (readings.keyboard_beside_hardware, readings.stays_on) == ("1", "")


def test_only_an_overridden_screen_can_be_reset() -> None:
    overridden = by_name(replace(READY, size=Size(1080, 2340), density=420))["Screen"]
    assert overridden.repairs == (ResetScreen(),)
    wrong = by_name(replace(READY, size=Size(1080, 2340), panel=Size(1080, 2340)))["Screen"]
    assert wrong.repairs == ()
    assert "Pixel 7 Pro has 1440x3120 at 560 dpi" in wrong.fix


@pytest.fixture(scope="module")
def emulators(adb_server: PrivateAdbServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatorPool]:
    """With all pixels of the profiles, which are compared."""
    pool = EmulatorPool(adb_server, tmp_path_factory.mktemp("emulators"), form=lambda profile: profile)
    yield pool
    pool.stop()


@pytest.mark.parametrize("by", ["repair", "command"])
def test_repairs_and_commands_fix_the_simulated_emulator(bench: DeviceBench, by: str) -> None:
    bench.emulator.phone.put_setting("secure", "show_ime_with_hard_keyboard", "0")
    bench.emulator.phone.put_setting("secure", "navigation_mode", "2")
    bench.emulator.phone.override_size(600, 1000)
    before = take_readings(bench.device)
    assert {"Screen", "Navigation", "On-screen keyboard", "Animations"} <= faults(before)

    for finding in findings(before):
        if by == "repair":
            fix(bench.device, finding)
        elif finding.command:
            subprocess.run(finding.command, shell=True, check=True)

    assert faults(take_readings(bench.device)) == {"Screenshots"}


def test_simulated_emulator_starts_with_nothing_to_fix(adb_server: PrivateAdbServer) -> None:
    profile, phones = profile_named("pixel_fold"), PhoneProcesses(adb_server.environment)
    connector = DeviceConnector(AdbServer(port=adb_server.port), running=(phones.running_dir,))
    try:
        serial = phones.start(profile.key)
        with closing(connector.connect(serial)) as device:
            while not device.follows_finger:  # gRPC may take longer than a device is waited for
                device.screen_state()
            assert faults(take_readings(device)) == set()
            assert f"{profile.name} ({serial})" in {one.label for one in connector.devices()}
            phones.stop()
            with pytest.raises(DeviceDisconnectedError, match=rf"^{profile.name} \({serial}\) "):
                device.properties()
    finally:
        phones.stop()


def test_preparation_follows_the_profile() -> None:
    device = FakeDevice()
    device.settings["secure", "navigation_mode"] = "2"

    assert prepare(device, Preparation(time_zone="Europe/Oslo"), animations=False) == ()

    assert device.time_zone == "Europe/Oslo"
    assert device.settings["global", "auto_time_zone"] == "0", "or the network would set the time zone"
    offered = [finding.what for finding in findings(take_readings(device)) if finding.repairs]
    assert offered == ["Error dialogs"], "people decide about that one"

    prepare(device, Preparation(soft_keyboard=False, stay_awake=False), animations=True)

    assert [device.settings["global", name] for name in ANIMATIONS] == ["1", "1", "1"]
    assert device.settings["secure", "show_ime_with_hard_keyboard"] == "0"
    assert device.settings["global", "stay_on_while_plugged_in"] == "0"


def test_refused_preparation_is_a_finding() -> None:
    device = FakeDevice()

    refused = prepare(device, Preparation(navigation="gestural"), animations=False)

    assert [(finding.what, "refused the overlay" in finding.fix) for finding in refused] == [("Preparation", True)]
    assert "navbar.gestural" in refused[0].found
    assert device.time_zone == "Etc/UTC"
    device.settings["secure", "navigation_mode"] = "2"
    assert prepare(device, Preparation(navigation="gestural"), animations=False) == (), "already chosen"


@pytest.mark.parametrize(
    ("locales", "found"), [("nb-NO,en-US", ["nb-NO,en-US, not en-US"]), ("en-US,nb-NO", []), ("", [])]
)
def test_other_language_is_a_finding(locales: str, found: list[str]) -> None:
    device = FakeDevice()
    device.settings["system", "system_locales"] = locales
    assert [finding.found for finding in prepare(device, Preparation(), animations=False)] == found


def test_lost_device_ends_the_preparation() -> None:
    device = FakeDevice()
    device.disconnect()
    with pytest.raises(DeviceDisconnectedError):
        prepare(device, Preparation(), animations=False)
