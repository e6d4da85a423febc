"""`odyssey-recorder avd` with stand-ins for the SDK's programs, and with a simulated emulator."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.command_line import CommandLine, LabPhone
from tests.device.sdk_bench import IMAGE, StandInSdk, free_console_port, stand_in_sdk


@pytest.fixture(scope="module")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(Path(find_adb()), tmp_path_factory.mktemp("avd-adb")) as server:
        yield server


@pytest.fixture
def sdk(command_line: CommandLine, adb_server: PrivateAdbServer, tmp_path: Path) -> StandInSdk:
    sdk = stand_in_sdk(tmp_path / "sdk")
    (tmp_path / "avd").mkdir()
    command_line.use_server(adb_server.port)
    command_line.monkeypatch.setenv("ANDROID_HOME", str(sdk.folder))
    command_line.monkeypatch.setenv("ANDROID_AVD_HOME", str(tmp_path / "avd"))
    return sdk


def test_a_device_is_made_listed_started_turned_and_stopped(command_line: CommandLine, sdk: StandInSdk) -> None:
    port = free_console_port()

    assert command_line("avd", "create", "small_phone", "--name", "Little").out == "Created: Little\n"
    started = command_line("avd", "start", "Little", "--no-window", "--port", port)
    try:
        assert (started.exit_code, started.out) == (0, f"emulator-{port}\n")
        assert started.err.splitlines()[:2] == ["Starting the emulator …", "Waiting for adb …"]
        assert f"Little                   small_phone      emulator-{port}\n" in command_line("avd", "list").out
        assert command_line("avd", "rotate").exit_code == 0
        assert command_line("avd", "snapshot", "save", "turned").exit_code == 0
        assert command_line("avd", "snapshot", "list", "--device", "Little").out == "turned\n"
    finally:
        assert command_line("avd", "stop", "Little").out == f"emulator-{port} has stopped.\n"

    assert "Little                   small_phone      stopped\n" in command_line("avd", "list").out


def test_the_list_names_what_is_missing_what_is_wrong_and_what_can_be_made(
    command_line: CommandLine, sdk: StandInSdk, tmp_path: Path
) -> None:
    command_line("avd", "create", "pixel_fold")
    config = tmp_path / "avd" / "pixel_fold.avd" / "config.ini"
    config.write_text(config.read_text().replace("hw.keyboard=yes", "hw.keyboard=no"))
    sdk.remove(IMAGE)

    listed = command_line("avd", "list").out
    tree = json.loads(command_line("avd", "list", "--json").out)

    assert f"sdkmanager '{IMAGE}'" in listed
    assert "    Its keyboard is no, the profile's yes.\n" in listed
    assert "odyssey-recorder avd create pixel_tablet\n" in listed
    assert "odyssey-recorder avd create pixel_fold\n" not in listed
    problems = ["Its keyboard is no, the profile's yes."]
    assert tree["devices"] == [{"name": "pixel_fold", "profile": "pixel_fold", "serial": None, "problems": problems}]
    assert [one["what"] for one in tree["missing"]] == ["System image"]
    assert command_line("avd", "amend", "pixel_fold").out == "pixel_fold matches the profile pixel_fold.\n"


def test_a_start_that_fails_says_why_and_a_reset_asks_first(command_line: CommandLine, sdk: StandInSdk) -> None:
    command_line("avd", "create", "small_phone")
    sdk.fail_emulators("FATAL | Not enough space to create userdata partition. Available: 7966.75 MB\n")

    ran = command_line("avd", "start", "small_phone", "--port", free_console_port())

    assert (ran.exit_code, ran.out) == (1, "")
    assert "Free some disk space: " in ran.err
    assert "Start one: odyssey-recorder avd start NAME" in command_line("avd", "rotate").err
    assert "No virtual device Little is running. Running: none." in command_line("avd", "stop", "Little").err
    command_line.monkeypatch.setattr("sys.stdin", StringIO("n\n"))
    ran = command_line("avd", "reset", "small_phone")
    assert (ran.exit_code, "All data on small_phone, including its snapshots, will be deleted" in ran.err) == (1, True)


@pytest.fixture
def simulated(command_line: CommandLine, phone: LabPhone) -> str:
    """The serial of a simulated emulator, in whose home the command line finds the console's token."""
    command_line.monkeypatch.setenv("HOME", phone.lab.server.environment["HOME"])
    return phone.serial


def test_a_simulated_emulator_is_saved_turned_and_brought_back_by_its_serial(
    command_line: CommandLine, simulated: str
) -> None:
    def snapshot(*words: str) -> list[str]:
        ran = command_line("avd", "snapshot", *words, "--device", simulated)
        assert (ran.exit_code, ran.err) == (0, "")
        return ran.out.split()

    snapshot("save", "home")
    assert command_line("avd", "rotate", simulated).exit_code == 0
    snapshot("load", "home")
    assert snapshot("list") == ["home"]
    snapshot("delete", "home")
    assert snapshot("list") == []


def test_a_phone_that_does_not_fold_says_so(command_line: CommandLine, simulated: str) -> None:
    for verb in ("fold", "unfold"):
        ran = command_line("avd", verb, simulated)
        assert (ran.exit_code, "it does not fold" in ran.err) == (1, True)
