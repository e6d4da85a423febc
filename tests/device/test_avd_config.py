import secrets
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.device.avd_config import (
    AvdFolder,
    amended,
    avd_home,
    created_from,
    entries,
    is_avd_name,
    problems,
    wanted_entries,
)
from odyssey_recorder.device.profile import DeviceProfile, profile_named, profiles
from odyssey_recorder.errors import DeviceError

HOME = Path("/home/ann")


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({}, "/home/ann/.android/avd"),
        ({"ANDROID_AVD_HOME": "/avds", "ANDROID_USER_HOME": "/user"}, "/avds"),
        ({"ANDROID_USER_HOME": "/user"}, "/user/avd"),
        ({"ANDROID_EMULATOR_HOME": "/emulator"}, "/emulator/avd"),
    ],
)
def test_avd_home_follows_the_environment(environment: dict[str, str], folder: str) -> None:
    assert avd_home(environment, HOME) == Path(folder)


def test_config_values_with_any_spacing() -> None:
    config = "a.b=1\n c = two words \nempty=\n# d=3\nnonsense\n=4\r\ne = x=y\n"
    assert entries(config) == {"a.b": "1", "c": "two words", "empty": "", "e": "x=y"}


def test_amending_changes_only_the_given_keys() -> None:
    config = "avd.ini.encoding=UTF-8\nhw.keyboard = no\n# by hand\nhw.keyboard=no\nvendor.key = 7\n"
    assert amended(config, {"hw.keyboard": "yes", "hw.lcd.width": "720"}) == (
        "avd.ini.encoding=UTF-8\nhw.keyboard=yes\n# by hand\nvendor.key = 7\nhw.lcd.width=720\n"
    )


@given(st.text(), st.dictionaries(st.sampled_from(["hw.keyboard", "hw.lcd.width", "x"]), st.sampled_from(["yes", "7"])))
def test_amending_any_text_changes_only_the_given_keys(text: str, wanted: dict[str, str]) -> None:
    assert entries(amended(text, wanted)) == {**entries(text), **wanted}
    assert amended(amended(text, wanted), wanted) == amended(text, wanted)


def test_config_of_tablet_and_fold() -> None:
    wanted = {profile.key: wanted_entries(profile) for profile in profiles()}
    assert [key for key, has in wanted.items() if has["hw.initialOrientation"] == "landscape"] == ["pixel_tablet"]
    assert [key for key, has in wanted.items() if "hw.sensor.hinge" in has] == ["pixel_fold"]

    fold = wanted["pixel_fold"]
    assert (fold["hw.lcd.width"], fold["hw.lcd.height"], fold["hw.lcd.density"]) == ("2208", "1840", "420")
    assert (fold["hw.sensor.hinge.areas"], fold["hw.sensor.posture_list"]) == ("1080-0-0-1840", "1, 2, 3")
    assert (fold["hw.displayRegion.0.1.width"], fold["hw.displayRegion.0.1.height"]) == ("1080", "2092")
    assert "fold" in fold["hw.device.name"], "by which the emulator knows that there are two screens"


@pytest.mark.parametrize("profile", profiles(), ids=lambda profile: profile.key)
def test_config_from_a_profile_has_no_problems(profile: DeviceProfile) -> None:
    config = {**wanted_entries(profile), "image.sysdir.1": "system-images/android-34/google_apis/x86_64/"}
    assert created_from(config) == profile
    assert problems(config, profile) == ()


def test_custom_device_is_recognized_by_its_screen() -> None:
    found = created_from({"hw.device.name": "my_own", "hw.lcd.width": "720", "hw.lcd.height": "1280"})
    assert found == profile_named("small_phone")
    assert created_from({"hw.device.name": "tv_4k"}) is None


def test_each_difference_from_the_profile_is_one_sentence() -> None:
    profile = profile_named("small_phone")
    config = {
        **wanted_entries(profile),
        "hw.keyboard": "no",
        "hw.lcd.density": "",
        "hw.ramSize": "2G",
        "hw.gpu.mode": "host",
        "image.sysdir.1": "system-images\\android-33\\google_apis_playstore\\x86_64\\",
    }
    assert problems(config, profile) == (
        "Its density is not set, the profile's 320.",
        "Its keyboard is no, the profile's yes.",
        "It has 2048 MB of memory, the profile 4096 MB.",
        "It has Android API 33 (google_apis_playstore), the profile 34 (google_apis). Create it again.",
    )


@pytest.mark.parametrize("memory", ["4096", "4096M", "4096MB", "4G", "8gb", "much"])
def test_enough_memory_in_any_unit_is_no_problem(memory: str) -> None:
    profile = profile_named("small_phone")
    assert problems({**wanted_entries(profile), "hw.keyboard": "true", "hw.ramSize": memory}, profile) == ()


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        *((name, True) for name in ("Pixel_7_Pro", "a.b-c", "7")),
        *((name, False) for name in ("", "a b", "../x", "-wipe-data", ".hidden", "a;b", "ä", "a\n")),
    ],
)
def test_avd_names(name: str, valid: bool) -> None:
    assert is_avd_name(name) == valid


def device(folder: Path, config: bytes) -> Path:
    home = folder / "somewhere else"
    home.mkdir()
    (home / "config.ini").write_bytes(config)
    (folder / "phone.ini").write_text(f"path = {home}\ntarget=android-34\n")
    return home / "config.ini"


@pytest.mark.parametrize("name", ["missing", "../etc/passwd", "a b"])
def test_config_is_found_through_the_ini_file(tmp_path: Path, name: str) -> None:
    device(tmp_path, b"hw.keyboard = no\r\n")
    folder = AvdFolder(tmp_path)
    assert folder.names() == ("phone",)
    assert folder.config("phone") == {"hw.keyboard": "no"}
    with pytest.raises(DeviceError, match=r"Existing devices: phone|is not a valid name"):
        folder.config(name)


def test_amending_a_file_keeps_undecodable_bytes(tmp_path: Path) -> None:
    config = device(tmp_path, b"avd.ini.displayname=Ann\xe9\nhw.keyboard=no\n")
    AvdFolder(tmp_path).amend("phone", {"hw.keyboard": "yes"})
    assert config.read_bytes() == b"avd.ini.displayname=Ann\xe9\nhw.keyboard=yes\n"
    assert [path.name for path in config.parent.iterdir()] == ["config.ini"]


def test_unwritable_config_is_left_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = device(tmp_path, b"hw.keyboard=no\n")
    monkeypatch.setattr(secrets, "token_hex", lambda _: "x")
    (config.parent / "config.ini.x.part").mkdir()  # blocks the path of the new file
    with pytest.raises(DeviceError, match=r"config.ini cannot be written: "):
        AvdFolder(tmp_path).amend("phone", {"hw.keyboard": "yes"})
    assert config.read_bytes() == b"hw.keyboard=no\n"
