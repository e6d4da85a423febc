"""The device's panels as SurfaceFlinger knows them: physical ids, ports, and which one is lit."""

from dataclasses import dataclass

from odyssey_simulator.phone import ComposedFrame, PhoneState, Size
from odyssey_simulator.profile import Profile

_PHYSICAL_IDS = (4619827259835644672, 4619827551948147201)


@dataclass(frozen=True, slots=True)
class Panel:
    """`size` is that of a screen capture, in the current rotation if the panel is lit."""

    port: int
    physical_id: int
    size: Size
    lit: bool


def panels(profile: Profile, state: PhoneState) -> tuple[Panel, ...]:
    """By port; a foldable's inner panel comes first, lit or not."""
    return _panels(profile, state.physical_size, state.size)


def shown_panels(profile: Profile, screen: ComposedFrame) -> tuple[Panel, ...]:
    return _panels(profile, screen.panel.turned(screen.rotation), Size(screen.width, screen.height))


def _panels(profile: Profile, lit: Size, shown: Size) -> tuple[Panel, ...]:
    sizes = [profile.size]
    sizes += dict.fromkeys(posture.panel for posture in profile.postures if posture.panel != profile.size)
    return tuple(
        Panel(port, _PHYSICAL_IDS[port], shown if size == lit else size, size == lit) for port, size in enumerate(sizes)
    )


def lit_panel(profile: Profile, state: PhoneState) -> Panel:
    return next(panel for panel in panels(profile, state) if panel.lit)
