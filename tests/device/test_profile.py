import tomllib

import pytest

from odyssey_recorder.device.device import DeviceProperties
from odyssey_recorder.device.profile import DeviceProfile, device_name, profiles
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.resources import data_folder


def properties(size: Size, *, avd_name: str = "", model: str = "sdk_gphone64_x86_64") -> DeviceProperties:
    return DeviceProperties(
        serial="emulator-5554", product="sdk_gphone64_x86_64", model=model, release_version="14", sdk_version="34",
        fingerprint="", avd_name=avd_name, size=size, density=420,
    )  # fmt: skip


def test_every_profile_of_the_folder_is_read_with_its_screen() -> None:
    sizes = {profile.name: str(profile.size) for profile in profiles()}
    assert sizes == {
        "Medium Phone": "1080x2400",
        "Pixel 7 Pro": "1440x3120",
        "Pixel 8 Pro": "1344x2992",
        "Pixel Fold": "2208x1840",
        "Pixel Tablet": "2560x1600",
        "Small Phone": "720x1280",
    }


@pytest.mark.parametrize("profile", profiles(), ids=lambda profile: profile.name)
def test_a_device_with_the_screen_of_a_profile_has_its_name(profile: DeviceProfile) -> None:
    assert device_name(properties(profile.size, avd_name="My_Phone")) == profile.name


def test_another_device_is_called_by_its_avd_or_else_by_its_model() -> None:
    odd = Size(1000, 2000)
    assert device_name(properties(odd, avd_name="My_Phone", model="sdk")) == "My Phone"
    assert device_name(properties(odd, model="Fairphone 5")) == "Fairphone 5"


def test_no_two_profiles_have_the_same_screen() -> None:
    assert len({profile.size for profile in profiles()}) == len(profiles())


def test_keys_that_the_recorder_does_not_need_are_left_to_others() -> None:
    texts = [file.read_text(encoding="utf-8") for file in data_folder("device_profiles").glob("*.toml")]
    assert all({"name", "width", "height", "density"} <= tomllib.loads(text).keys() for text in texts)
