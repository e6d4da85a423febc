"""`odyssey-recorder avd` with stand-ins for the SDK's programs, and with a simulated emulator."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.cli import CommandLine, SimulatedPhone
from tests.device.sdk_bench import IMAGE, StandInSdk, stand_in_sdk
from tests.simulator.bench import free_console_port


@pytest.fixture(scope="module")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer(Path(find_adb()), tmp_path_factory.mktemp("avd-adb")) as server:
        yield server


@pytest.fixture
def sdk(cli: CommandLine, adb_server: PrivateAdbServer, tmp_path: Path) -> StandInSdk:
    sdk = stand_in_sdk(tmp_path / "sdk")
    (tmp_path / "avd").mkdir()
    cli.use_server(adb_server.port)
    cli.monkeypatch.setenv("ANDROID_HOME", str(sdk.folder))
    cli.monkeypatch.setenv("ANDROID_AVD_HOME", str(tmp_path / "avd"))
    return sdk


def test_avd_is_created_started_rotated_and_stopped(cli: CommandLine, sdk: StandInSdk) -> None:
    port = free_console_port()

    assert cli("avd", "create", "small_phone", "--name", "Little").out == "Created: Little\n"
    started = cli("avd", "start", "Little", "--no-window", "--port", port)
    try:
        assert (started.exit_code, started.out) == (0, f"emulator-{port}\n")
        assert started.err.splitlines()[:2] == ["Starting the emulator …", "Waiting for adb …"]
        assert f"Little                   small_phone      emulator-{port}\n" in cli("avd", "list").out
        assert cli("avd", "rotate").exit_code == 0
        assert cli("avd", "snapshot", "save", "turned").exit_code == 0
        assert cli("avd", "snapshot", "list", "--device", "Little").out == "turned\n"
    finally:
        assert cli("avd", "stop", "Little").out == f"emulator-{port} has stopped.\n"

    assert "Little                   small_phone      stopped\n" in cli("avd", "list").out


def test_list_shows_missing_parts_problems_and_possible_avds(cli: CommandLine, sdk: StandInSdk, tmp_path: Path) -> None:
    cli("avd", "create", "pixel_fold")
    config = tmp_path / "avd" / "pixel_fold.avd" / "config.ini"
    config.write_text(config.read_text().replace("hw.keyboard=yes", "hw.keyboard=no"))
    sdk.remove(IMAGE)

    listing = cli("avd", "list").out
    tree = cli.json("avd", "list")

    assert f"sdkmanager '{IMAGE}'" in listing
    assert "    Its keyboard is no, the profile's yes.\n" in listing
    assert "odyssey-recorder avd create pixel_tablet\n" in listing
    assert "odyssey-recorder avd create pixel_fold\n" not in listing
    problems = ["Its keyboard is no, the profile's yes."]
    assert tree["devices"] == [{"name": "pixel_fold", "profile": "pixel_fold", "serial": None, "problems": problems}]
    assert [one["what"] for one in tree["missing"]] == ["System image"]
    assert cli("avd", "amend", "pixel_fold").out == "pixel_fold matches the profile pixel_fold.\n"


def test_failed_start_is_explained_and_reset_asks_first(cli: CommandLine, sdk: StandInSdk) -> None:
    cli("avd", "create", "small_phone")
    sdk.fail_emulators("FATAL | Not enough space to create userdata partition. Available: 7966.75 MB\n")

    result = cli("avd", "start", "small_phone", "--port", free_console_port())

    assert (result.exit_code, result.out) == (1, "")
    assert "Free some disk space: " in result.err
    assert "Start one: odyssey-recorder avd start NAME" in cli("avd", "rotate").err
    assert "No virtual device Little is running. Running: none." in cli("avd", "stop", "Little").err
    cli.monkeypatch.setattr("sys.stdin", StringIO("n\n"))
    error = cli.error("avd", "reset", "small_phone", exit_code=1)
    assert "All data on small_phone, including its snapshots, will be deleted" in error


@pytest.fixture
def simulator_serial(cli: CommandLine, phone: SimulatedPhone) -> str:
    """The serial of a simulated emulator, in whose home the command line finds the console's token."""
    cli.monkeypatch.setenv("HOME", phone.emulators.server.environment["HOME"])
    return phone.serial


def test_simulated_emulator_is_rotated_and_restored_by_serial(cli: CommandLine, simulator_serial: str) -> None:
    def snapshot(*words: str) -> list[str]:
        result = cli("avd", "snapshot", *words, "--device", simulator_serial)
        assert (result.exit_code, result.err) == (0, "")
        return result.out.split()

    snapshot("save", "home")
    assert cli("avd", "rotate", simulator_serial).exit_code == 0
    snapshot("load", "home")
    assert snapshot("list") == ["home"]
    snapshot("delete", "home")
    assert snapshot("list") == []


def test_folding_an_ordinary_phone_is_rejected(cli: CommandLine, simulator_serial: str) -> None:
    for verb in ("fold", "unfold"):
        assert "Only a foldable device can be" in cli.error("avd", verb, simulator_serial, exit_code=1)
