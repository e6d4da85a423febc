from pathlib import Path

import pytest

from odyssey_recorder.device.device import DeviceProperties
from odyssey_recorder.device.profile import DeviceProfile, device_name, profiles, read_profiles
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.model.geometry import Size
from odyssey_simulator.profile import PROFILES


def properties(size: Size, *, avd_name: str = "", model: str = "sdk_gphone64_x86_64") -> DeviceProperties:
    return DeviceProperties(
        serial="emulator-5554", product="sdk_gphone64_x86_64", model=model, release_version="14", sdk_version="34",
        fingerprint="", avd_name=avd_name, size=size, density=420,
    )  # fmt: skip


@pytest.mark.parametrize("profile", profiles(), ids=lambda profile: profile.name)
def test_device_with_a_profiles_screen_has_its_name(profile: DeviceProfile) -> None:
    for screen in profile.screens:
        assert device_name(properties(screen, avd_name="My_Phone")) == profile.name


def test_other_device_is_named_by_avd_or_model() -> None:
    odd = Size(1000, 2000)
    assert device_name(properties(odd, avd_name="My_Phone", model="sdk")) == "My Phone"
    assert device_name(properties(odd, model="Fairphone 5")) == "Fairphone 5"


@pytest.mark.parametrize("profile", profiles(), ids=lambda profile: profile.key)
def test_simulated_emulator_has_the_screens_of_its_profile(profile: DeviceProfile) -> None:
    simulated = PROFILES[profile.key]
    panels = {simulated.size, *(posture.panel for posture in simulated.postures)}
    assert {(panel.width, panel.height) for panel in panels} == {(one.width, one.height) for one in profile.screens}
    assert simulated.density == profile.density


PHONE = 'name = "Phone"\navd_device = "phone"\nandroid_sdk = "34"\nwidth = 720\nheight = 1280\ndensity = 320\n'


def test_profile_values_have_defaults(tmp_path: Path) -> None:
    (tmp_path / "phone.toml").write_text(PHONE)
    [profile] = read_profiles(tmp_path)
    assert (profile.key, profile.avd, profile.prepare) == ("phone", profiles()[0].avd, profiles()[0].prepare)


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ("[prepare]\ntime_zone = 'Oslo; reboot'", "invalid at prepare.time_zone"),
        ("[prepare]\nlocale = '-english'", "invalid at prepare.locale"),
        ("[avd]\nimage = '../x'", "invalid at avd.image"),
        ("[avd]\ngpu = 'a b'", "invalid at avd.gpu"),
        ("[avd]\nram_mb = 4", "invalid at avd.ram_mb"),
        ("[fold]\nouter_width = 1080", "invalid at fold.outer_height"),
        ("not toml", "cannot be read"),
    ],
)
def test_invalid_profile_is_rejected_with_file_and_place(tmp_path: Path, more: str, complaint: str) -> None:
    file = tmp_path / "phone.toml"
    file.write_text(PHONE + more)
    with pytest.raises(SettingsError, match=f"The device profile {file} (is )?{complaint}"):
        read_profiles(tmp_path)
