"""Which device is meant."""

import pytest

from odyssey_recorder.device.adb_server import AdbServer
from odyssey_recorder.device.connector import chosen_device
from odyssey_recorder.errors import DeviceError
from tests.device.scripted_adb_server import ScriptedAdbServer, block


@pytest.mark.parametrize(
    ("listed", "serial", "expected"),
    [
        ("emulator-5600 offline\nemulator-5602 device product:x model:y\n", None, "emulator-5602"),
        ("emulator-5600 device\nemulator-5602 device\n", "emulator-5602", "emulator-5602"),
        ("emulator-5600 offline\n", None, "emulator-5600"),
    ],
)
def test_ready_or_named_device_is_chosen(listed: str, serial: str | None, expected: str) -> None:
    with ScriptedAdbServer({"host:devices-l": block(listed)}) as server:
        assert chosen_device(AdbServer(port=server.port).devices(), serial) == expected


@pytest.mark.parametrize(
    ("listed", "serial", "message"),
    [
        ("emulator-5600 device\n", "pixel", r"does not list the device pixel\. It lists emulator-5600\."),
        ("", "pixel", r"does not list the device pixel\. It lists no devices\."),
        (
            "emulator-5600 unauthorized\n",
            None,
            r"No device is ready\. emulator-5600 is unauthorized\. It does not trust this",
        ),
        (
            "emulator-5600 device\nemulator-5602 device\n",
            None,
            r"2 devices are ready\. Choose one with --device \(emulator-5600, emulator-5602\)",
        ),
    ],
)
def test_missing_or_ambiguous_device_is_explained(listed: str, serial: str | None, message: str) -> None:
    server = ScriptedAdbServer({"host:devices-l": block(listed)})
    with server, pytest.raises(DeviceError, match=message):
        chosen_device(AdbServer(port=server.port).devices(), serial)
