from contextlib import suppress
from pathlib import Path

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.errors import DatasetError, DeviceDisconnectedError
from tests.device.bench import DeviceBench

SHOWN, SCALE = ("secure", "clipboard_show_access_notifications"), ("global", "window_animation_scale")
CHANGES = {SHOWN: "0", SCALE: "0.5"}


def connect(bench: DeviceBench, folder: Path) -> AdbDevice:
    return AdbDevice(AdbShell(bench.device.serial, bench.server, answer_s=20), kept=folder)


def values(bench: DeviceBench) -> list[str | None]:
    return [bench.emulator.phone.get_setting(*name) for name in CHANGES]


@pytest.fixture
def fresh(bench: DeviceBench) -> DeviceBench:
    bench.emulator.phone.delete_setting(*SHOWN)
    return bench


def test_settings_are_changed_for_the_block_only(fresh: DeviceBench, tmp_path: Path) -> None:
    with connect(fresh, tmp_path / "kept").changed_settings(CHANGES):
        assert values(fresh) == ["0", "0.5"]
    assert values(fresh) == [None, "1.0"]
    assert list((tmp_path / "kept").iterdir()) == []


def test_setting_that_has_its_value_already_stays(fresh: DeviceBench, tmp_path: Path) -> None:
    with connect(fresh, tmp_path).changed_settings({SCALE: "1.0"}):
        assert list(tmp_path.iterdir()) == []
    assert values(fresh) == [None, "1.0"]


@pytest.mark.parametrize("first_to_end", [0, 1])
def test_last_of_several_blocks_restores(fresh: DeviceBench, tmp_path: Path, first_to_end: int) -> None:
    blocks = [connect(fresh, tmp_path).changed_settings(CHANGES) for _ in range(2)]
    for block in blocks:
        block.__enter__()
    blocks.pop(first_to_end).__exit__(None, None, None)
    assert values(fresh) == ["0", "0.5"]
    blocks.pop().__exit__(None, None, None)
    assert values(fresh) == [None, "1.0"]
    assert list(tmp_path.iterdir()) == []


def test_what_somebody_else_has_chosen_meanwhile_is_kept(fresh: DeviceBench, tmp_path: Path) -> None:
    with connect(fresh, tmp_path).changed_settings(CHANGES):
        fresh.emulator.phone.put_setting(*SCALE, "2.0")
    assert values(fresh) == [None, "2.0"]


def test_settings_are_restored_at_next_connect_after_a_crash(fresh: DeviceBench, tmp_path: Path) -> None:
    crashing = connect(fresh, tmp_path)
    with suppress(DeviceDisconnectedError), crashing.changed_settings(CHANGES):
        crashing.close()
    assert values(fresh) == ["0", "0.5"]

    connect(fresh, tmp_path).wait_until_ready(20)

    assert values(fresh) == [None, "1.0"]
    assert list(tmp_path.iterdir()) == []


def test_other_connections_leave_them_while_they_are_in_use(fresh: DeviceBench, tmp_path: Path) -> None:
    with connect(fresh, tmp_path).changed_settings(CHANGES):
        connect(fresh, tmp_path).wait_until_ready(20)
        assert values(fresh) == ["0", "0.5"]
    assert values(fresh) == [None, "1.0"]


def test_nothing_is_changed_if_it_cannot_be_kept(fresh: DeviceBench, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file in its place")
    with (
        pytest.raises(DatasetError, match="kept cannot be"),
        connect(fresh, tmp_path / "kept").changed_settings(CHANGES),
    ):
        pytest.fail("the block began")
    assert values(fresh) == [None, "1.0"]
