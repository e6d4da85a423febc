"""The device profiles of the dataset: names, screens and AVD configurations."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from odyssey_recorder.device.device import DeviceProperties
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.files import Largest, read_text
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.resources import data_folder
from odyssey_recorder.validation import FrozenModel, first_fault

_Pixels = Annotated[int, Field(gt=0)]
_Coordinate = Annotated[int, Field(ge=0)]


class Fold(FrozenModel):
    """The outer screen of a foldable, and the hinge area on the inner one: x, y, width, height."""

    outer_width: _Pixels
    outer_height: _Pixels
    hinge_area: tuple[_Coordinate, _Coordinate, _Coordinate, _Coordinate]


class AvdParts(FrozenModel):
    """`image` is the variant of the system image, such as ``google_apis``."""

    image: Annotated[str, Field(pattern=r"^[a-z0-9_-]+$")] = "google_apis"
    orientation: Literal["portrait", "landscape"] = "portrait"
    keyboard: bool = True
    gpu: Annotated[str, Field(pattern=r"^[a-z_]+$")] = "auto"
    ram_mb: Annotated[int, Field(ge=512)] = 4096


class Preparation(FrozenModel):
    """`locale` is like ``en-US``, `time_zone` like ``Europe/Oslo``."""

    navigation: Literal["three_button", "gestural"] = "three_button"
    soft_keyboard: bool = True
    stay_awake: bool = True
    time_zone: Annotated[str, Field(pattern=r"^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$")] = "Etc/UTC"
    locale: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$")] = "en-US"


class DeviceProfile(FrozenModel):
    """One file of ``device_profiles/``, where its keys are documented; sizes in pixels, in natural orientation."""

    key: str
    name: str
    avd_device: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_. -]*$")]
    android_sdk: Annotated[str, Field(pattern=r"^[0-9]+$")]
    width: _Pixels
    height: _Pixels
    density: _Pixels
    fold: Fold | None = None
    avd: AvdParts = AvdParts()
    prepare: Preparation = Preparation()

    @property
    def size(self) -> Size:
        """The inner one of a foldable."""
        return Size(self.width, self.height)

    @property
    def screens(self) -> tuple[Size, ...]:
        outer = (Size(self.fold.outer_width, self.fold.outer_height),) if self.fold is not None else ()
        return (self.size, *outer)


@cache
def profiles() -> tuple[DeviceProfile, ...]:
    return read_profiles(data_folder("device_profiles"))


def read_profiles(folder: Path) -> tuple[DeviceProfile, ...]:
    """In the order of the file names. Raises SettingsError."""
    return tuple(_profile(file) for file in sorted(folder.glob("*.toml")))


def profile_named(key: str) -> DeviceProfile:
    """Raises SettingsError with the available keys."""
    found = next((profile for profile in profiles() if profile.key == key), None)
    if found is None:
        existing = ", ".join(profile.key for profile in profiles())
        raise SettingsError(f"No device profile is named {key!r}. Existing profiles: {existing}.")
    return found


def profile_of(device: DeviceProperties, panel: Size | None = None) -> DeviceProfile | None:
    """By the name of the AVD, or else by `panel` or size."""
    name = device.avd_name.lower().replace(" ", "_")
    by_name = (profile for profile in profiles() if profile.key in name)
    by_size = (profile for profile in profiles() if profile.size in (panel, device.size))
    return next(by_name, None) or next(by_size, None)


def avd_title(avd: str) -> str:
    """A virtual device's name for people: its profile's if it is named after that, as simulated ones are."""
    key = avd.lower().removeprefix("simulated_")
    return next((profile.name for profile in profiles() if profile.key == key), avd.replace("_", " "))


def device_name(device: DeviceProperties) -> str:
    """The dataset's name for the device: its profile's by screen size, or else the AVD's or model's."""
    named = next((profile.name for profile in profiles() if device.size in profile.screens), "")
    return named or device.avd_name.replace("_", " ") or device.model


def _profile(file: Path) -> DeviceProfile:
    try:
        return DeviceProfile.model_validate(
            {**tomllib.loads(read_text(file, Largest.WRITTEN_BY_HAND)), "key": file.stem}
        )
    except ValidationError as error:
        raise SettingsError(f"The device profile {file} is invalid at {first_fault(error)}.") from error
    except ValueError as error:
        raise SettingsError(f"The device profile {file} cannot be read: {error}.") from error
