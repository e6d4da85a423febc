"""The panels of the simulated device as SurfaceFlinger knows them: physical ids, ports, which one is lit."""

from dataclasses import dataclass

from odyssey_recorder.simulator.phone import PhoneState, Size
from odyssey_recorder.simulator.profile import Profile

_PHYSICAL_IDS = (4619827259835644672, 4619827551948147201)


@dataclass(frozen=True, slots=True)
class Panel:
    """One physical display; `size` is what a capture of it measures, as displayed where it is lit."""

    port: int
    physical_id: int
    size: Size
    lit: bool


def panels(profile: Profile, state: PhoneState) -> tuple[Panel, ...]:
    """All panels in the order of their ports; a foldable's inner one is the first, lit or not."""
    sizes = [profile.size]
    sizes += dict.fromkeys(posture.panel for posture in profile.postures if posture.panel != profile.size)
    return tuple(
        Panel(
            port,
            _PHYSICAL_IDS[port],
            state.size if size == state.physical_size else size,
            size == state.physical_size,
        )
        for port, size in enumerate(sizes)
    )


def lit_panel(profile: Profile, state: PhoneState) -> Panel:
    """The panel that shows the default display."""
    return next(panel for panel in panels(profile, state) if panel.lit)
