"""Virtual devices, with stand-ins for the SDK's programs and the real adb."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from odyssey_recorder.device import avd
from odyssey_recorder.device.avd import Avd, BootStage, SdkEnvironment, Start, VirtualDevices
from odyssey_recorder.device.avd_tools import AvdTools
from odyssey_recorder.errors import CancelledError, DeviceError, SdkError, SettingsError
from odyssey_recorder.model.geometry import Rotation
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.device.sdk_bench import IMAGE, AvdBench


@pytest.fixture
def bench(adb_server: PrivateAdbServer, tmp_path: Path) -> Iterator[AvdBench]:
    bench = AvdBench(adb_server, tmp_path)
    yield bench
    for device in bench.devices.list():
        if device.serial is not None:
            bench.devices.stop(device.serial)


def test_life_of_a_foldable_virtual_device(bench: AvdBench) -> None:
    devices, serial, stages = bench.devices, f"emulator-{bench.port}", list[BootStage]()

    made = devices.create("pixel_fold", name="My_Fold")
    started = devices.start("My_Fold", Start(cold=True, window=False), progress=stages.append)

    assert made == Avd("My_Fold", "pixel_fold", None)
    assert started.serial == serial
    assert stages == list(BootStage)
    assert [finding.what for finding in started.findings if finding.fix] == ["Error dialogs"]
    assert devices.list() == (Avd("My_Fold", "pixel_fold", serial),)
    for call in (
        partial(devices.start, "My_Fold"),
        partial(devices.create, "pixel_fold", name="My_Fold", replace=True),
    ):
        with pytest.raises(DeviceError, match=f"My_Fold is already running as {serial}. Stop it first."):
            call()
    assert bench.prop("persist.sys.timezone") == "Etc/UTC"
    [start] = bench.sdk.emulator_commands()
    assert start.startswith(f"-avd My_Fold -port {bench.port} -grpc ")
    assert start.endswith(" -grpc-use-token -no-boot-anim -no-window -no-snapshot-load")

    device, console = bench.connector.connect(serial), devices.console(serial)
    console.save_snapshot("clean")
    console.fold()
    assert device.screen_state().posture == "CLOSED"
    console.rotate()
    assert device.screen_state().rotation is not Rotation(0)
    devices.load_snapshot(serial, "clean")
    assert (device.screen_state().posture, device.screen_state().rotation) == ("OPENED", Rotation(0))
    device.close()

    devices.stop(serial)
    assert devices.list() == (Avd("My_Fold", "pixel_fold", None),)


@pytest.mark.parametrize("by", [CancelledError, KeyboardInterrupt], ids=["cancel", "Ctrl-C"])
def test_cancelled_start_leaves_no_emulator(bench: AvdBench, by: type[BaseException]) -> None:
    bench.devices.create("small_phone")
    seen = list[BootStage]()

    def cancelled() -> bool:
        if by is KeyboardInterrupt:
            raise KeyboardInterrupt  # the emulator has no console yet
        return BootStage.WAITING_FOR_HOME in seen

    with pytest.raises(by):
        bench.devices.start("small_phone", progress=seen.append, cancelled=cancelled)

    assert (seen[-1] is BootStage.WAITING_FOR_HOME) == (by is CancelledError)
    assert bench.devices.create("small_phone", replace=True).serial is None


def test_emulator_that_exits_at_start_is_reported_with_advice(bench: AvdBench) -> None:
    last_line = "CPU acceleration status: This user doesn't have permissions to use KVM (/dev/kvm)."
    bench.devices.create("pixel_fold")
    bench.sdk.fail_emulators(f"ERROR | x86_64 emulation currently requires hardware acceleration!\n{last_line}")

    with pytest.raises(DeviceError) as error:
        bench.devices.start("pixel_fold", Start(snapshot="clean"))

    [command] = bench.sdk.emulator_commands()
    assert command.endswith(" -no-boot-anim -snapshot clean -no-snapshot-save")
    [log] = bench.logs.glob("emulator-pixel_fold-*.log")
    explanation = "The emulator pixel_fold stopped right after its start. Allow your user to use KVM: sudo gpasswd"
    assert [text for text in (explanation, last_line, str(log)) if text not in str(error.value)] == []
    assert last_line in log.read_text()


def test_taken_grpc_port_is_replaced_once(bench: AvdBench) -> None:
    bench.devices.create("small_phone")
    bench.sdk.take_grpc_port(1)

    started = bench.devices.start("small_phone", Start(window=False))

    first, second = (command.split(" -grpc ")[1].split()[0] for command in bench.sdk.emulator_commands())
    assert first != second
    device = bench.connector.connect(started.serial)
    assert device.capture_path == "gRPC"
    device.close()
    bench.devices.stop(started.serial)

    bench.sdk.take_grpc_port(2)
    with pytest.raises(DeviceError) as error:
        bench.devices.start("small_phone")
    port = bench.sdk.emulator_commands()[-1].split(" -grpc ")[1].split()[0]
    assert f"another program uses port {port}, which was meant for its gRPC service. Start small_phone again" in str(
        error.value
    )


def test_second_boot_after_a_change_of_language_is_awaited(bench: AvdBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(avd, "IMAGE_LOCALE", "de-DE")
    bench.devices.create("small_phone")
    starts = list[str]()

    def note(stage: BootStage) -> None:
        if stage is BootStage.WAITING_FOR_HOME:
            starts.append(bench.prop("sys.system_server.start_count"))

    bench.devices.start("small_phone", Start(cold=True, window=False), progress=note)

    assert bench.sdk.emulator_commands()[0].endswith(" -change-locale en-US")
    assert starts == ["2"]


def test_configuration_is_compared_with_the_profile_and_amended(bench: AvdBench) -> None:
    bench.devices.create("pixel_tablet")
    config = bench.avds / "pixel_tablet.avd" / "config.ini"
    config.write_text(config.read_text().replace("hw.keyboard=yes", "hw.keyboard = no"))

    [found] = bench.devices.list()
    amended = bench.devices.amend("pixel_tablet")

    assert found == Avd("pixel_tablet", "pixel_tablet", None, ("Its keyboard is no, the profile's yes.",))
    assert amended.problems == ()
    assert bench.config("pixel_tablet")["hw.cpu.ncore"] == "4", "keys that the profile does not set are kept"
    assert bench.config("pixel_tablet")["hw.initialOrientation"] == "landscape"


def test_foreign_and_broken_devices_are_listed(bench: AvdBench) -> None:
    (bench.avds / "Wear.ini").write_text(f"path={bench.avds / 'wear'}\n")
    (bench.avds / "wear").mkdir()
    (bench.avds / "wear" / "config.ini").write_text("hw.device.name=wearos_small_round\n")
    (bench.avds / "Gone.ini").write_text(f"path={bench.avds / 'gone'}\n")

    gone, wear = bench.devices.list()

    assert wear == Avd("Wear", None, None)
    assert (gone.name, gone.profile) == ("Gone", None)
    assert "write its folder into the line path=" in gone.problems[0]
    with pytest.raises(DeviceError, match=r"not created from one of the recorder's profiles"):
        bench.devices.amend("Wear")


def test_emulator_lists_its_devices_only_if_others_may_exist(bench: AvdBench) -> None:
    bench.devices.create("small_phone")
    assert [avd.name for avd in bench.devices.list()] == ["small_phone"]
    (bench.sdk.folder / "emulator" / "emulator").write_text("#!/bin/sh\necho no library >&2; exit 127\n")

    assert [avd.problems for avd in bench.devices.list()] == [()]
    bench.devices.create("medium_phone")

    problems = [avd.problems for avd in bench.devices.list()]
    assert len(problems) == 2
    assert all("emulator could not be started: no library. Install" in problem for [problem] in problems)


def test_invalid_and_taken_names_are_refused(bench: AvdBench) -> None:
    bench.devices.create("small_phone")

    with pytest.raises(DeviceError, match=r"A virtual device named small_phone already exists"):
        bench.devices.create("small_phone")
    with pytest.raises(DeviceError, match=r"is not a valid name"):
        bench.devices.create("small_phone", name="../a b; rm")
    with pytest.raises(SettingsError, match=r"No device profile is named 'nokia'. Existing profiles: medium_phone"):
        bench.devices.create("nokia")
    with pytest.raises(DeviceError, match=r"No virtual device is named nokia. Existing devices: small_phone"):
        bench.devices.start("nokia")
    assert bench.devices.create("small_phone", replace=True) == Avd("small_phone", "small_phone", None)


def test_missing_system_image_prevents_create_and_start(bench: AvdBench) -> None:
    bench.devices.create("small_phone")
    bench.sdk.remove(IMAGE)
    for call, name in ((bench.devices.start, "small_phone"), (bench.devices.create, "medium_phone")):
        with pytest.raises(SdkError, match=f"sdkmanager '{IMAGE}'"):
            call(name)
    assert [finding.what for finding in bench.devices.missing()] == ["System image"]


def test_missing_sdk_is_reported_with_advice(bench: AvdBench) -> None:
    environment = SdkEnvironment(bench.avds, (), bench.logs, bench.avds, {})
    devices = VirtualDevices(None, bench.connector.server, environment, bench.connector.connect)

    assert [finding.what for finding in devices.missing()] == ["Android SDK"]
    assert devices.list() == ()
    with pytest.raises(SdkError, match=r"No Android SDK was found. Install Android Studio"):
        devices.create("small_phone")
    with pytest.raises(DeviceError, match=r"R5CR10 is not an emulator on this computer"):
        bench.devices.console("R5CR10")


@pytest.fixture
def tools(bench: AvdBench) -> AvdTools:
    return AvdTools(bench.sdk.sdk, {"ANDROID_HOME": str(bench.sdk.folder), "ANDROID_AVD_HOME": str(bench.avds)})


def test_log_output_of_the_emulator_is_not_a_device(tools: AvdTools) -> None:
    assert tools.names() == frozenset()
    tools.create("Fold", image=IMAGE, device="pixel_fold", replace=False)
    assert tools.names() == {"Fold"}


LOG_LINE = "Loading local repository...\n"


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        (
            "ERROR: JAVA_HOME is not set and no 'java' command could be found in your PATH.",
            "Set JAVA_HOME to the jbr folder",
        ),
        ("The operation could not be completed. Unable to locate a Java Runtime.", "Set JAVA_HOME to the jbr folder"),
        ("java.lang.UnsupportedClassVersionError: com/android/prefs", "Set JAVA_HOME to the jbr folder"),
        (
            'Exception in thread "main" java.lang.NoClassDefFoundError: javax/xml/bind/annotation/XmlSchema',
            "command-line tools are too old: ",
        ),
        ("Error: No device found matching --device pixel_fold.\nnull", "sdkmanager 'cmdline-tools;latest'"),
        ("Error: Package path is not valid. Valid system image paths are:\nnull", "sdkmanager 'cmdline-tools;latest'"),
        ("Error: No space left on device", "Free some disk space"),
        (f"{LOG_LINE}Error: Something odd.", ""),
    ],
)
def test_avdmanager_errors_are_reported_with_advice(
    bench: AvdBench, tools: AvdTools, message: str, advice: str
) -> None:
    bench.sdk.fail_avdmanager(message)
    with pytest.raises(DeviceError) as error:
        tools.create("Fold", image=IMAGE, device="pixel_fold", replace=False)
    assert advice in str(error.value)
    assert f"Its output: {message.removeprefix(LOG_LINE).splitlines()[0]}" in str(error.value)
    assert "null" not in str(error.value)


def test_programs_that_cannot_run_are_sdk_errors(bench: AvdBench, tools: AvdTools) -> None:
    for program in ("emulator/emulator", "cmdline-tools/latest/bin/avdmanager"):
        (bench.sdk.folder / program).chmod(0o644)
    with pytest.raises(SdkError, match=r"emulator does not respond: .*Permission denied.*Install the emulator"):
        tools.names()
    with pytest.raises(SdkError, match=r"avdmanager could not be started: Permission denied\. .*JAVA_HOME"):
        tools.create("Fold", image=IMAGE, device="pixel_fold", replace=False)
