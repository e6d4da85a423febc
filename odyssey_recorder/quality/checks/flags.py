"""Which check takes up what the recorder itself found odd about a step: the flags of its proof, by how they begin."""

from collections.abc import Iterator

from odyssey_recorder.quality.evidence import EpisodeEvidence, StepEvidence

_TAKEN_BY = {
    "the screen was turned": "IMG03",
    "the screen had another size": "IMG03",
    "the screen changed just before the finger came down": "IMG05",
    "nothing proves that the screen was still the same": "IMG05",
    "the screen changed at about the moment of the touch": "IMG05",
    "what the screen showed just after the touch is not known": "IMG05",
    "the picture is ": "IMG05",
    "the device's clock was changed": "IMG05",
    "the device's clock could not be read": "IMG05",
    "taken for the screen of the step that was undone": "IMG05",
    "resumed ": "IMG05",
    "something else acted on the device": "IMG05",
    "the screen changed before this step": "IMG05",
    "nothing changed on the screen": "IMG07",
    "the connection broke while it was sent": "IMG07",
    "the recorder ended while it was sent": "IMG07",
    "the screen was still moving": "IMG08",
    "the keyboard, the bars or the screen's posture changed": "ACT04",
    "the device did not say in time how its screen is parted": "ACT04",
    "it looked like a swipe to another app": "ACT04",
    "what was typed could not be read": "ACT05",
    "the field shows another text": "ACT05",
}


_ALL_OTHERS = "IMG05"
"""A flag that is not known here, such as one of a newer recorder, is a doubt about what the screen showed."""


def taken_by(flag: str) -> str:
    """The id of the check that reports this flag."""
    return next((check for begins, check in _TAKEN_BY.items() if flag.startswith(begins)), _ALL_OTHERS)


def flags_for(check: str, step: StepEvidence) -> tuple[str, ...]:
    """What the recorder said of a step that is this check's to report."""
    flags = step.record.flags if step.record is not None else ()
    return tuple(flag for flag in flags if taken_by(flag) == check)


def flagged(check: str, evidence: EpisodeEvidence) -> Iterator[tuple[int, str]]:
    """The steps with flags for this check, and what they say."""
    for step in evidence.steps:
        if flags := flags_for(check, step):
            yield step.number, "; ".join(flags)
