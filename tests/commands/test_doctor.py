import pytest

from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.cli import ESCAPES, CommandLine, SimulatedPhone


def findings(cli: CommandLine) -> dict[str, dict[str, str]]:
    return {finding["what"]: finding for finding in cli.json("doctor")}


def test_all_is_well_with_a_simulated_emulator(cli: CommandLine, phone: SimulatedPhone) -> None:
    cli.dataset.mkdir()
    output = cli.output("doctor")
    assert list(cli.dataset.iterdir()) == [], "nothing is left in the folders that were tried"
    assert f"Small Phone ({phone.serial}): ready" in output
    assert "missing" not in output
    assert f"server 41 on port {phone.emulators.server.port}" in output
    assert "screenshots by gRPC" in output
    assert f"Small Phone ({phone.serial}) is ready" in output, "it was started prepared"


def test_missing_sdk_is_a_note_and_android_home_is_used(cli: CommandLine, empty_adb_server: PrivateAdbServer) -> None:
    cli.use_server(empty_adb_server.port)
    found = findings(cli)
    assert found["Devices"]["level"] == found["Android SDK"]["level"] == "note"
    assert "odyssey-recorder simulate" in found["Devices"]["mend"]
    assert "ANDROID_HOME" in found["Android SDK"]["mend"]
    sdk = cli.folder / "sdk"
    (sdk / "emulator").mkdir(parents=True)
    (sdk / "emulator" / "emulator").touch(mode=0o755)
    cli.monkeypatch.setenv("ANDROID_HOME", str(sdk))
    sdk_findings = [one for one in cli.json("doctor") if one["what"] == "Android SDK"]
    assert [(one["level"], one["command"]) for one in sdk_findings] == [
        ("ok", ""), ("note", ""), ("note", ""),
    ]  # fmt: skip
    assert sdk_findings[0]["found"] == str(sdk)


def test_missing_adb_is_reported(cli: CommandLine) -> None:
    cli.monkeypatch.setenv("ODYSSEY_ADB", "/nowhere/adb")
    assert cli("doctor").exit_code == 1
    adb = findings(cli)["adb"]
    assert (adb["level"], adb["mend"]) == ("missing", "Set ODYSSEY_ADB to the adb of your Android SDK.")
    assert "/nowhere/adb" in adb["found"]


@pytest.mark.parametrize("variable", ["ODYSSEY_DATASET", "ODYSSEY_DRAFTS"])
def test_unwritable_folder_is_reported(cli: CommandLine, empty_adb_server: PrivateAdbServer, variable: str) -> None:
    cli.use_server(empty_adb_server.port)
    (cli.folder / "file").write_text("not a folder")
    cli.monkeypatch.setenv(variable, str(cli.folder / "file" / ESCAPES.replace("/", "_")))
    result = cli("doctor")
    assert result.exit_code == 1
    assert rf"{cli.folder / 'file'}/\x1b[31m[red]x[_]" in result.out
    assert "cannot be written: Not a directory" in result.out
    assert variable in result.out
    assert "\x1b" not in result.out


def test_window_that_cannot_open_is_reported_with_the_reason(
    cli: CommandLine, empty_adb_server: PrivateAdbServer
) -> None:
    cli.use_server(empty_adb_server.port)
    cli.monkeypatch.setenv("QT_QPA_PLATFORM", "no-such-platform")
    window = findings(cli)["Window (Qt)"]
    assert window["level"] == "missing"
    assert "no-such-platform" in window["found"]
    assert "apt-get install" in window["mend"]
    assert "libxcb-cursor0" in window["mend"]
    for variable in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        cli.monkeypatch.delenv(variable, raising=False)
    assert findings(cli)["Window (Qt)"]["found"].endswith(", but this session has no screen")
