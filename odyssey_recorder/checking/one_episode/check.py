"""A check: a function of the evidence of one episode that yields its findings and what it could not check."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from odyssey_recorder.checking.evidence import EpisodeEvidence, StepEvidence
from odyssey_recorder.checking.screenshot import bars
from odyssey_recorder.checking.thresholds import NO_EFFECT_DP2, NO_EFFECT_SHARE
from odyssey_recorder.device.profile import profiles
from odyssey_recorder.model.finding import Criterion, Finding, NotChecked, Severity
from odyssey_recorder.model.geometry import Size

NO_PROVENANCE = "there is no provenance"


@dataclass(frozen=True, slots=True)
class Found:
    """Something wrong at a step, or in the whole episode for None; `severity` overrides that of the check."""

    step: int | None
    found: str
    todo: str
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Unchecked:
    step: int | None
    why: str


CheckResults = Iterator[Found | Unchecked]

Look = Callable[[EpisodeEvidence], CheckResults]


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the table of checks; `look` is None for a check of the whole dataset."""

    id: str
    severity: Severity
    criterion: Criterion | None
    title: str
    look: Look | None = None

    def run(self, evidence: EpisodeEvidence) -> Iterator[Finding | NotChecked]:
        """Findings of one episode; steps that could not be checked for the same reason are merged."""
        unchecked: defaultdict[str, list[int]] = defaultdict(list)
        for result in self.look(evidence) if self.look else ():
            match result:
                case Found(step, found, todo, severity):
                    severity_here = severity or self.severity
                    yield Finding(
                        self.id, severity_here, self.criterion, evidence.episode.episode_id, step, found, todo
                    )
                case Unchecked(step, why):
                    unchecked[why] += [] if step is None else [step]
        for why, steps in unchecked.items():
            yield NotChecked(self.id, why, tuple(steps))


def after(evidence: EpisodeEvidence, step: StepEvidence) -> StepEvidence | None:
    return evidence.steps[step.number + 1] if step.number + 1 < len(evidence.steps) else None


def no_provenance(evidence: EpisodeEvidence) -> str:
    return f"{NO_PROVENANCE}: {evidence.provenance_problem}" if evidence.provenance_problem else NO_PROVENANCE


def no_screen(evidence: EpisodeEvidence) -> str:
    """Why it is unknown which app was in front."""
    return (
        no_provenance(evidence) if evidence.provenance is None else "the device did not report which app was in front"
    )


_DP_PER_INCH = 160


def is_without_effect(evidence: EpisodeEvidence, step: StepEvidence) -> bool | None:
    """Whether the next screenshot equals that of `step`, a blinking cursor aside; None if unknown."""
    if step.change is None or step.screenshot is None or step.screenshot.size is None:
        return None
    density = density_of(evidence)
    if density is None:
        return step.change < NO_EFFECT_SHARE
    return area_dp2(step.change, step.screenshot.size, density) < NO_EFFECT_DP2


def area_dp2(share: float, size: Size, density: int) -> float:
    """The area in dp² of a share (0..1) of the measured pixels, on a screen of `density` dpi."""
    return share * size.width * (size.height - sum(bars(size))) * (_DP_PER_INCH / density) ** 2


def density_of(evidence: EpisodeEvidence) -> int | None:
    """The density by the provenance or else the device's name; None if it is not a device of the dataset."""
    if evidence.provenance is not None and evidence.provenance.origin.density > 0:
        return evidence.provenance.origin.density
    device = evidence.episode.device
    name = "" if device is None else device.device_name
    return next((profile.density for profile in profiles() if profile.name == name), None)
