"""The devices of the dataset: which name a screen of a certain size has in the data."""

import tomllib
from functools import cache

from pydantic import BaseModel, ConfigDict

from odyssey_recorder.device.device import DeviceProperties
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.resources import data_folder


class DeviceProfile(BaseModel):
    """One file of ``device_profiles/``: sizes in pixels, in natural orientation; its keys are explained there."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    width: int
    height: int

    @property
    def size(self) -> Size:
        """The screen, of a foldable the inner one."""
        return Size(self.width, self.height)


@cache
def profiles() -> tuple[DeviceProfile, ...]:
    """All profiles, in the order of their file names."""
    files = sorted(data_folder("device_profiles").glob("*.toml"))
    return tuple(DeviceProfile.model_validate(tomllib.loads(file.read_text(encoding="utf-8"))) for file in files)


def device_name(device: DeviceProperties) -> str:
    """The dataset's name of the device: its profile's by the screen's size, otherwise the AVD's or the model's."""
    named = next((profile.name for profile in profiles() if profile.size == device.size), "")
    return named or device.avd_name.replace("_", " ") or device.model
