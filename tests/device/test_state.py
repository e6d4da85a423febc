"""The state of a device for goals: over the real adb, and with answers that only other devices give."""

import pytest

from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.state import read_state
from odyssey_recorder.errors import DeviceError
from tests.device.bench import DeviceBench
from tests.device.scripted_adb_server import ScriptedAdbServer, printed, shell

SMS = "content://sms/sent?x='; reboot"
ROWS = b"""Row: 0 _id=7, address=555-0100, body=See you, Ada, at 10
Row: 1 _id=8, address=NULL, body=a=b
and more
"""


@pytest.fixture
def device(bench: DeviceBench) -> AdbShell:
    return AdbShell(bench.device.serial, bench.server)


def test_settings_files_and_screen_are_read(device: AdbShell) -> None:
    device.run("echo 'two lines' > /sdcard/it\\'s.txt; echo more >> /sdcard/it\\'s.txt")
    files = "/sdcard/it's.txt", "/sdcard/missing; reboot"
    state = read_state(device, [("settings", "global"), ("screen", "text"), *(("files", one) for one in files)])
    assert state["settings"]["global"]["airplane_mode_on"] == "0"
    assert state["files"] == {files[0]: "two lines\nmore\n"}
    assert "Clock" in [view["text"] for view in state["screen"]]


@pytest.mark.parametrize(
    "source", [("clock", "alarms"), ("settings", "system; reboot"), ("files", ""), ("content", "")]
)
def test_unknown_state_source_is_refused(source: tuple[str, str]) -> None:
    with pytest.raises(DeviceError, match=r"can be asked for settings, content, files and screen, not for"):
        read_state(AdbShell("lone", AdbServer(port=1)), [source])


def test_missing_content_provider_is_named(device: AdbShell) -> None:
    with pytest.raises(DeviceError, match=r"could not carry out content query --uri content://sms\. .*not found"):
        read_state(device, [("content", "content://sms")])


def test_content_rows_are_objects_and_the_uri_is_quoted() -> None:
    command = shell("content query --uri 'content://sms/sent?x='\"'\"'; reboot'")
    with ScriptedAdbServer({command: printed(ROWS)}) as server:
        state = read_state(AdbShell("lone", AdbServer(port=server.port)), [("content", SMS)])
    assert state["content"][SMS] == [
        {"_id": "7", "address": "555-0100", "body": "See you, Ada, at 10"},
        {"_id": "8", "address": "NULL", "body": "a=b\nand more"},
    ]


def test_content_provider_error_is_reported() -> None:
    answer = {shell("content query --uri content://no"): printed(b"[ERROR] Unsupported argument: no\n")}
    message = r"could not carry out content query .*Unsupported argument"
    with ScriptedAdbServer(answer) as server, pytest.raises(DeviceError, match=message):
        read_state(AdbShell("lone", AdbServer(port=server.port)), [("content", "content://no")])
