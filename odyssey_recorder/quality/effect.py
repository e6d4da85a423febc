"""How much of the screen an action changed, in what a person sees of it: dp², whatever the device."""

from odyssey_recorder.device.profile import profiles
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.quality.evidence import EpisodeEvidence, StepEvidence
from odyssey_recorder.quality.screenshot import bars
from odyssey_recorder.quality.thresholds import NO_EFFECT_DP2, NO_EFFECT_SHARE

_DP_PER_INCH = 160


def is_without_effect(evidence: EpisodeEvidence, step: StepEvidence) -> bool | None:
    """Whether the next picture shows the same as that of `step`, a blinking cursor aside; None where none can tell."""
    if step.change is None or step.picture is None or step.picture.size is None:
        return None
    density = density_of(evidence)
    if density is None:
        return step.change < NO_EFFECT_SHARE
    return area_dp2(step.change, step.picture.size, density) < NO_EFFECT_DP2


def area_dp2(share: float, size: Size, density: int) -> float:
    """The area of a share (0..1) of the pixels that are looked at, on a screen of `density` dots per inch."""
    return share * size.width * (size.height - sum(bars(size))) * (_DP_PER_INCH / density) ** 2


def density_of(evidence: EpisodeEvidence) -> int | None:
    """The density of the device, as its proof says or else its name; None where it is no device of the dataset."""
    if evidence.proof is not None and evidence.proof.origin.density > 0:
        return evidence.proof.origin.density
    device = evidence.episode.device
    return None if device is None else next((one.density for one in profiles() if one.name == device.device_name), None)
