"""Which check reports each flag of the provenance."""

from odyssey_recorder.checking.evidence import EpisodeEvidence, StepEvidence
from odyssey_recorder.model.flag import Flag, FlagCode, describe_flag

_CHECKS = {
    FlagCode.TURNED: "IMG03",
    FlagCode.RESIZED: "IMG03",
    FlagCode.UNCHANGED: "IMG07",
    FlagCode.MOVING: "IMG08",
    FlagCode.AREAS_CHANGED: "ACT04",
    FlagCode.AREAS_UNKNOWN: "ACT04",
    FlagCode.NO_KEY: "ACT04",
    FlagCode.UNSURE_PRESS: "ACT04",
    FlagCode.OTHER_EFFECT: "ACT04",
    FlagCode.TEXT_UNREAD: "ACT05",
    FlagCode.WRONG_TEXT: "ACT05",
    FlagCode.CONNECTION_BROKE: "ACT12",
    FlagCode.VOUCHED: "ACT12",
    FlagCode.UNLIKE: "ACT12",
    FlagCode.AFTER_LOSS: "ACT12",
    FlagCode.RESUMED_ELSEWHERE: "ACT12",
    FlagCode.RESUMED_UNSEEN: "ACT12",
    FlagCode.AFTER_DIALOG: "ACT12",
    FlagCode.FOREIGN_INPUT: "ACT12",
    FlagCode.OTHER_KEY: "ACT12",
    FlagCode.UNEXPLAINED: "ACT12",
}
_ALL_OTHERS = "IMG05"
"""They are doubts about what the screen showed; unknown flags of newer recorders are treated as such too."""


def reporting_check(flag: Flag) -> str:
    return _CHECKS.get(flag.code, _ALL_OTHERS)


def flags_for(check: str, step: StepEvidence) -> tuple[str, ...]:
    flags = step.record.flags if step.record is not None else ()
    return tuple(describe_flag(flag) for flag in flags if reporting_check(flag) == check)


def flagged(check: str, evidence: EpisodeEvidence) -> dict[int, str]:
    """The flags of each step that has any, by its number."""
    return {step.number: "; ".join(flags) for step in evidence.steps if (flags := flags_for(check, step))}
