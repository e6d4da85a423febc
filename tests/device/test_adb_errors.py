import struct
import subprocess

import adbutils
import pytest
from adbutils import AdbError
from adbutils.errors import AdbConnectionError, AdbInstallError, AdbSyncError, AdbTimeout

from odyssey_recorder.device.adb_server import device_errors
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError, DeviceTimeoutError


def adbutils_exceptions() -> list[type[Exception]]:
    members = [member for module in (adbutils, adbutils.errors) for member in vars(module).values()]
    kinds = {member for member in members if isinstance(member, type) and issubclass(member, Exception)}
    return sorted(kinds, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", adbutils_exceptions())
def test_every_adbutils_exception_names_the_device(kind: type[Exception]) -> None:
    assert kind in {AdbConnectionError, AdbError, AdbInstallError, AdbSyncError, AdbTimeout}
    with pytest.raises(DeviceError, match="emulator-6000") as caught, device_errors("emulator-6000"):
        raise kind("its message")
    assert isinstance(caught.value.__cause__, kind)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (AdbTimeout("adb read timeout"), DeviceTimeoutError),
        (TimeoutError(), DeviceTimeoutError),
        (subprocess.TimeoutExpired("adb", 20), DeviceTimeoutError),
        (AdbConnectionError("connect to adb server failed"), DeviceDisconnectedError),
        (ConnectionRefusedError(111, "Connection refused"), DeviceDisconnectedError),
        (ConnectionResetError(104, "Connection reset by peer"), DeviceDisconnectedError),
        (BrokenPipeError(32, "Broken pipe"), DeviceDisconnectedError),
        (OSError(9, "Bad file descriptor"), DeviceDisconnectedError),
        (EOFError("Expected 8 bytes, got 0"), DeviceDisconnectedError),
        (AdbError("closed"), DeviceDisconnectedError),
        (AdbError("Unknown data: b''"), DeviceDisconnectedError),
        (AdbError("Unknown data: b'HTTP'"), DeviceError),
        (struct.error("unpack requires a buffer of 5 bytes"), DeviceError),
        (ValueError("invalid literal for int() with base 16: 'HTTP'"), DeviceError),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), DeviceError),
    ],
)
def test_failures_map_to_our_error_types(error: Exception, expected: type[DeviceError]) -> None:
    with pytest.raises(DeviceError) as caught, device_errors("emulator-6000"):
        raise error
    assert type(caught.value) is expected


def test_long_adb_message_is_shortened() -> None:
    with pytest.raises(DeviceError) as caught, device_errors("emulator-6000"):
        raise AdbError("no\nend " * 1000)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_our_errors_and_bugs_pass_unchanged() -> None:
    expected = DeviceError("already ours")
    with pytest.raises(DeviceError) as caught, device_errors("emulator-6000"):
        raise expected
    assert caught.value is expected
    with pytest.raises(ZeroDivisionError), device_errors("emulator-6000"):
        raise ZeroDivisionError
