"""Checks of criterion (i): each step has its own intact screenshot, taken in time, of a screen that shows something."""

from odyssey_recorder.checking.evidence import EpisodeEvidence, StepEvidence
from odyssey_recorder.checking.finding_text import listed, sentence
from odyssey_recorder.checking.one_episode.check import CheckResults, Found, Unchecked, is_without_effect, no_provenance
from odyssey_recorder.checking.one_episode.flags import flagged, flags_for
from odyssey_recorder.checking.thresholds import BLANK_DEVIATION, BLANK_FLAT, OLDEST_SCREENSHOT_US
from odyssey_recorder.dataset.lenient import Rule
from odyssey_recorder.model.action import is_terminal
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.model.flag import FlagCode

_NO_SCREENSHOT = "the screenshot is missing or cannot be decoded"
_RECORD_AGAIN = "Restore the file from a backup, or record the episode again."


def check_files(evidence: EpisodeEvidence) -> CheckResults:
    """The file of the screenshot is missing, empty or cannot be decoded completely, or its SHA-256 differs from the
    one in the provenance. Without provenance the hash is not checked."""
    for step in evidence.steps:
        screenshot = step.screenshot
        if screenshot is None:
            yield Found(step.number, "The screenshot is missing.", _RECORD_AGAIN)
        elif screenshot.problem:
            yield Found(step.number, sentence(f"The screenshot cannot be used: {screenshot.problem}"), _RECORD_AGAIN)
        elif step.record is None:
            yield Unchecked(step.number, f"the hash of the file cannot be compared: {no_provenance(evidence)}")
        elif screenshot.sha256 != step.record.frame.png_sha256:
            found = "The file is not the one that was recorded: its SHA-256 differs from the provenance."
            yield Found(step.number, found, _RECORD_AGAIN)


def check_names(evidence: EpisodeEvidence) -> CheckResults:
    """step_length differs from the number of steps, steps are not numbered 0..n-1, a screenshot is not named
    ``<episode_id>_<step>.png``, or a screenshot belongs to no step."""
    for breach in evidence.episode.breaches:
        if breach.rule in (Rule.COUNT, Rule.NUMBER, Rule.SCREENSHOT):
            todo = "Check whether a step was lost or added, and correct the count, the number or the name."
            yield Found(breach.step, sentence(breach.message), todo)
    if evidence.surplus:
        found = f"Screenshots without a step: {listed(evidence.surplus)}."
        yield Found(None, found, "Check whether steps are missing from the file; otherwise move the screenshots away.")


def check_sizes(evidence: EpisodeEvidence) -> CheckResults:
    """The screenshot has neither the size in device_info nor that size turned by 90 degrees; or it is turned although
    the device was not, or the reverse, by the rotation in the provenance; or its size differs from the provenance.
    device_info describes the first step. Without a rotation, as in released data, a turned screenshot is a warning.
    The recorder's flags on size and rotation only explain."""
    device = evidence.episode.device
    if device is None:
        yield Unchecked(None, "device_info has no size")
        return
    for step in evidence.steps:
        size = step.screenshot.size if step.screenshot else None
        if size is None:
            yield Unchecked(step.number, _NO_SCREENSHOT)
            continue
        proved = None if step.record is None else step.record.frame.size
        if proved is not None and size != proved:
            yield Found(step.number, f"The screenshot is {size}; its provenance says {proved}.", _RECORD_AGAIN)
            continue
        is_turned = _is_turned(evidence, step)
        turned = device.size.turned()
        allowed = (device.size, turned) if is_turned is None else (turned if is_turned else device.size,)
        if size not in allowed:
            why = "".join(f" ({flag})" for flag in flags_for("IMG03", step))
            by = "device_info" if is_turned is None else "device_info and the recorded rotation"
            found = f"The screenshot is {size}, expected {allowed[0]} by {by}{why}."
            todo = "If device_info is wrong for all steps, correct it; otherwise record the episode again."
            yield Found(step.number, found, todo)
        elif is_turned is None and size != device.size:
            found = (
                f"The screenshot is {size} and device_info says {device.size}: they are swapped, or the "
                "device was rotated."
            )
            todo = (
                "If the screenshot has the right orientation, correct device_info; positions refer to the screenshot."
            )
            yield Found(step.number, found, todo, Severity.WARNING)


def _is_turned(evidence: EpisodeEvidence, step: StepEvidence) -> bool | None:
    """Whether the device was rotated by a quarter turn since the first step; None if the provenance does not say."""
    first = evidence.steps[0].record
    if step.number == 0 and first is not None:
        return False
    if first is None or first.screen is None or step.record is None or step.record.screen is None:
        return None
    return (step.record.screen.rotation - first.screen.rotation) % 2 == 1


def check_not_blank(evidence: EpisodeEvidence) -> CheckResults:
    """Outside the system bars, the screenshot is blank: the standard deviation of its luma is below `BLANK_DEVIATION`,
    or more than `BLANK_FLAT` of it is one colour. Windows that forbid screenshots are black; the recorder does not
    store whether one did."""
    for step in evidence.steps:
        screenshot = step.screenshot
        if screenshot is None or screenshot.problem:
            yield Unchecked(step.number, _NO_SCREENSHOT)
        elif screenshot.deviation < BLANK_DEVIATION or screenshot.flat > BLANK_FLAT:
            share = f"{screenshot.flat:.1%} of it is one colour; its luma deviation is {screenshot.deviation:.1f}"
            todo = (
                "The window may forbid screenshots (FLAG_SECURE) or was not drawn yet. Record the "
                "episode again if possible."
            )
            yield Found(step.number, f"The screenshot is blank: {share}.", todo)


def check_time(evidence: EpisodeEvidence) -> CheckResults:
    """The frame was requested after touch-down; or it was older than `OLDEST_SCREENSHOT_US` then and no second frame
    proves it; or the recorder flagged it: the screen changed at the touch, nothing proves the screenshot, or the clocks
    disagreed. Flags that no other check reports are reported here."""
    todo = (
        "Compare the screenshot with the touched point. If it shows another screen, remove this "
        "step and those after it."
    )
    for step in evidence.steps:
        record = step.record
        if record is None:
            yield Unchecked(step.number, no_provenance(evidence))
            continue
        late_us = record.frame.started_us - record.touched_us
        words = list(flags_for("IMG05", step))
        if late_us > 0:
            words.append(f"the screenshot was taken {late_us / 1e6:.2f} s after the touch-down")
        elif record.check is None and (record.age_us or 0) > OLDEST_SCREENSHOT_US and not words:
            words.append(
                f"the screenshot is {(record.age_us or 0) / 1e6:.1f} s older than the touch-down, and unconfirmed"
            )
        if words:
            yield Found(step.number, sentence("; ".join(words)), todo)


def check_effect(evidence: EpisodeEvidence) -> CheckResults:
    """After an action other than the last, the next screenshot differs by less than a person would see
    (`NO_EFFECT_DP2`, `NO_EFFECT_SHARE`), without the system bars; or the recorder saw no change."""
    todo = (
        "If the action had no effect, drop the step. If it had, the next screenshot is outdated: "
        "record the episode again."
    )
    flags = flagged("IMG07", evidence)
    for step in evidence.steps[:-1]:
        if (action := step.spelled.action) is not None and is_terminal(action):
            continue
        no_effect = is_without_effect(evidence, step)
        if step.number in flags:
            yield Found(step.number, sentence(flags[step.number]), todo)
        elif no_effect:
            share = f"{step.change:.3%}" if step.change else "nothing"
            yield Found(
                step.number, f"The screen looks the same afterwards: {share} of the next screenshot differs.", todo
            )
        elif no_effect is None:
            yield Unchecked(step.number, "this screenshot and the next cannot be compared")


def check_settled(evidence: EpisodeEvidence) -> CheckResults:
    """The screen was still moving when the frame was taken, by the recorder's flag: it may show a spinner, or be half
    drawn. Without provenance this is not checked."""
    for step in evidence.steps:
        if step.record is None:
            yield Unchecked(step.number, no_provenance(evidence))
        elif not step.record.frame.settled or flags_for("IMG08", step):
            todo = "Check whether the screenshot shows a half-drawn or loading screen. If so, record the episode again."
            yield Found(step.number, sentence(FlagCode.MOVING.text), todo)
