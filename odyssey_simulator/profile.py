"""The six devices that can be simulated: panels, densities and postures."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from odyssey_simulator.errors import SimulatorError
from odyssey_simulator.ui.geometry import Size


@dataclass(frozen=True, slots=True)
class Posture:
    """With the panel that is lit in it, in natural orientation."""

    id: int
    name: str
    panel: Size


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of device; sizes in pixels in natural orientation, density in dpi.

    Without a `keyboard` the guest has no keyboard node, and keys of the emulator's toolbar do nothing. `avd_name` is
    the name of the virtual device; empty for a default that describes it. An emulator of another `vendor` has no
    console, no gRPC service, no virtual device and Android 9.
    """

    name: str
    title: str
    size: Size
    density: int
    postures: tuple[Posture, ...] = ()
    keyboard: bool = True
    avd_name: str = ""
    vendor: str = ""

    @property
    def virtual_device(self) -> str:
        return "" if self.vendor else self.avd_name or f"Simulated_{self.name}"

    @property
    def is_android_9(self) -> bool:
        return bool(self.vendor)

    @property
    def first_posture(self) -> Posture | None:
        """A foldable starts in the posture whose panel has `size`."""
        return next((posture for posture in self.postures if posture.name == "OPENED"), None)

    def posture(self, name: str) -> Posture:
        """Raises SimulatorError if the device has no such posture."""
        for posture in self.postures:
            if posture.name == name:
                return posture
        known = ", ".join(posture.name for posture in self.postures) or "none: it does not fold"
        raise SimulatorError(f"The simulated {self.title} has no posture {name!r}; it has {known}.")


_FOLD_OUTER = Size(1080, 2092)
_FOLD_INNER = Size(2208, 1840)
_FOLD_POSTURES = (
    Posture(0, "CLOSED", _FOLD_OUTER),
    Posture(1, "HALF_OPENED", _FOLD_INNER),
    Posture(2, "OPENED", _FOLD_INNER),
    Posture(3, "REAR_DISPLAY_MODE", _FOLD_OUTER),
)

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            Profile("small_phone", "Small Phone", Size(720, 1280), 320),
            Profile("medium_phone", "Medium Phone", Size(1080, 2400), 420),
            Profile("pixel_7_pro", "Pixel 7 Pro", Size(1440, 3120), 560),
            Profile("pixel_8_pro", "Pixel 8 Pro", Size(1344, 2992), 480),
            Profile("pixel_fold", "Pixel Fold", _FOLD_INNER, 420, _FOLD_POSTURES),
            Profile("pixel_tablet", "Pixel Tablet", Size(2560, 1600), 320),
        )
    }
)


OTHER_VENDOR = Profile("other_vendor", "Other Vendor", Size(1920, 1080), 240, vendor="samsung")
"""As BlueStacks, LDPlayer and MuMu: with the name of a phone."""


def profile_named(name: str) -> Profile:
    """Raises SimulatorError, listing the known names."""
    try:
        return PROFILES[name]
    except KeyError as error:
        raise SimulatorError(f"No simulated device {name!r}; there are {', '.join(PROFILES)}.") from error
