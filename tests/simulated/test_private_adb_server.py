import os
from pathlib import Path

import pytest

from odyssey_recorder.errors import DeviceError
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.simulator.bench import ADB


def test_private_server_owns_its_port_and_exits(tmp_path: Path) -> None:
    with PrivateAdbServer(ADB, tmp_path / "home") as server:
        pid = server.pid
        assert pid is not None
        assert server.adb("devices").stdout.strip() == b"List of devices attached"
        assert (tmp_path / "home" / ".android").is_dir(), "its keys are its own"

    assert server.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_server_killed_externally_can_be_stopped(tmp_path: Path) -> None:
    server = PrivateAdbServer(ADB, tmp_path / "home")
    server.start()
    server.adb("kill-server")
    server.stop()
    assert server.pid is None


def test_program_that_is_not_adb_is_reported(tmp_path: Path) -> None:
    server = PrivateAdbServer(Path("/bin/false"), tmp_path / "home")
    with pytest.raises(DeviceError, match="did not start"):
        server.start()


def test_adb_that_does_not_end_is_reported_and_stopped(tmp_path: Path) -> None:
    frozen = tmp_path / "adb"
    frozen.write_text("#!/bin/sh\nexec sleep 600\n")
    frozen.chmod(0o755)
    with pytest.raises(DeviceError, match=r"adb devices did not end within 0\.1 s"):
        PrivateAdbServer(frozen, tmp_path / "home").adb("devices", timeout_s=0.1)
