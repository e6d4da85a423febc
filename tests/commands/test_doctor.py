import json

import pytest

from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.command_line import ESCAPES, CommandLine, LabPhone


def findings(command_line: CommandLine) -> dict[str, dict[str, str]]:
    ran = command_line("doctor", "--json")
    return {finding["what"]: finding for finding in json.loads(ran.out)}


def test_with_a_simulated_emulator_nothing_is_missing_and_nothing_has_to_be_fixed(
    command_line: CommandLine, phone: LabPhone
) -> None:
    command_line.dataset.mkdir()
    ran = command_line("doctor")
    assert list(command_line.dataset.iterdir()) == [], "nothing is left in the folders that were tried"
    assert ran.exit_code == 0
    assert f"Small Phone ({phone.serial}): ready" in ran.out
    assert "missing" not in ran.out
    assert f"server 41 on port {phone.lab.server.port}" in ran.out
    assert "screenshots by gRPC" in ran.out
    assert f"Small Phone ({phone.serial}) is ready" in ran.out, "it was started prepared"


def test_an_sdk_is_found_by_its_variable_and_what_is_lacking_is_a_note_with_its_mend(
    command_line: CommandLine, lonely_server: PrivateAdbServer
) -> None:
    command_line.use_server(lonely_server.port)
    found = findings(command_line)
    assert found["Devices"]["level"] == found["Android SDK"]["level"] == "note"
    assert "odyssey-recorder simulate" in found["Devices"]["mend"]
    assert "ANDROID_HOME" in found["Android SDK"]["mend"]
    sdk = command_line.folder / "sdk"
    (sdk / "emulator").mkdir(parents=True)
    (sdk / "emulator" / "emulator").touch(mode=0o755)
    command_line.monkeypatch.setenv("ANDROID_HOME", str(sdk))
    told = [one for one in json.loads(command_line("doctor", "--json").out) if one["what"] == "Android SDK"]
    assert [(one["level"], one["command"]) for one in told] == [
        ("ok", ""), ("note", ""), ("note", ""),
    ]  # fmt: skip
    assert told[0]["found"] == str(sdk)


def test_an_adb_that_is_not_there_is_missing_and_named(command_line: CommandLine) -> None:
    command_line.monkeypatch.setenv("ODYSSEY_ADB", "/nowhere/adb")
    ran = command_line("doctor")
    assert ran.exit_code == 1
    adb = findings(command_line)["adb"]
    assert (adb["level"], adb["mend"]) == ("missing", "Set ODYSSEY_ADB to the adb of your Android SDK.")
    assert "/nowhere/adb" in adb["found"]


@pytest.mark.parametrize("variable", ["ODYSSEY_DATASET", "ODYSSEY_DRAFTS"])
def test_a_folder_that_cannot_be_written_is_missing(
    command_line: CommandLine, lonely_server: PrivateAdbServer, variable: str
) -> None:
    command_line.use_server(lonely_server.port)
    (command_line.folder / "file").write_text("not a folder")
    command_line.monkeypatch.setenv(variable, str(command_line.folder / "file" / ESCAPES.replace("/", "_")))
    ran = command_line("doctor")
    assert ran.exit_code == 1
    assert rf"{command_line.folder / 'file'}/\x1b[31m[red]x[_]" in ran.out
    assert "cannot be written: Not a directory" in ran.out
    assert variable in ran.out
    assert "\x1b" not in ran.out


def test_a_window_that_cannot_open_is_missing_and_the_reason_is_told(
    command_line: CommandLine, lonely_server: PrivateAdbServer
) -> None:
    command_line.use_server(lonely_server.port)
    command_line.monkeypatch.setenv("QT_QPA_PLATFORM", "no-such-platform")
    window = findings(command_line)["Window (Qt)"]
    assert window["level"] == "missing"
    assert "no-such-platform" in window["found"]
    assert "apt-get install" in window["mend"]
    assert "libxcb-cursor0" in window["mend"]
    for variable in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        command_line.monkeypatch.delenv(variable, raising=False)
    assert findings(command_line)["Window (Qt)"]["found"].endswith(", but this session has no screen")
