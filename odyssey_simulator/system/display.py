"""The default display: which panel is lit, its rotation, and its logical size."""

from dataclasses import dataclass, replace

from odyssey_simulator.profile import Posture, Profile
from odyssey_simulator.ui.geometry import Rect, Size

CLOSED = "CLOSED"
"""The posture of a foldable in which its outer panel is lit."""
_TABLET_DP = 600
"""The smallest width from which Android's launcher shows a taskbar."""


@dataclass(frozen=True, slots=True)
class Display:
    """Sizes in pixels in natural orientation unless noted otherwise.

    `held` is how the device is held, as its accelerometer feels it: in quarter turns, counted like `rotation`, which
    is what Android shows.
    """

    profile: Profile
    posture: Posture | None
    rotation: int = 0
    held: int = 0
    override: Size | None = None
    override_density: int | None = None

    @classmethod
    def of(cls, profile: Profile) -> "Display":
        return cls(profile, profile.first_posture)

    @property
    def physical_size(self) -> Size:
        return self.posture.panel if self.posture else self.profile.size

    @property
    def natural_size(self) -> Size:
        return self.override or self.physical_size

    @property
    def size(self) -> Size:
        return self.natural_size.turned(self.rotation)

    @property
    def panel(self) -> Size:
        return self.physical_size.turned(self.rotation)

    @property
    def frame_on_panel(self) -> Rect:
        panel, size = self.panel, self.size
        if panel.width * size.height < panel.height * size.width:
            width, height = panel.width, size.height * panel.width // size.width
        else:
            width, height = size.width * panel.height // size.height, panel.height
        left, top = (panel.width - width) // 2, (panel.height - height) // 2
        return Rect(left, top, left + width, top + height)

    @property
    def folded(self) -> bool:
        return self.posture is not None and self.posture.name == CLOSED

    @property
    def density(self) -> int:
        return self.override_density or self.profile.density

    @property
    def is_large(self) -> bool:
        return min(self.size.width, self.size.height) * 160 >= _TABLET_DP * self.density

    @property
    def is_wide(self) -> bool:
        return self.size.width > self.size.height

    def turned(self, rotation: int) -> "Display":
        """Quarter turns, 0..3; raises ValueError for another number."""
        if rotation not in range(4):
            raise ValueError(f"A screen has the rotations 0 to 3, not {rotation}.")
        return replace(self, rotation=rotation)

    def tilted(self, quarters: int) -> "Display":
        """Held with so many more quarter turns; Android has not followed yet."""
        return replace(self, held=(self.held + quarters) % 4)

    def in_posture(self, name: str) -> "Display":
        """Raises SettingsError if there is no such posture."""
        return replace(self, posture=self.profile.posture(name))
