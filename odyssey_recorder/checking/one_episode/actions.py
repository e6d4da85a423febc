"""Checks of the actions, for criterion (ii): vocabulary, positions, ending, kinds, texts, repeats."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import hypot

from odyssey_recorder.checking import thresholds
from odyssey_recorder.checking.evidence import EpisodeEvidence, StepEvidence
from odyssey_recorder.checking.finding_text import named, sentence
from odyssey_recorder.checking.one_episode.check import (
    CheckResults,
    Found,
    Unchecked,
    after,
    is_without_effect,
    no_provenance,
)
from odyssey_recorder.checking.one_episode.flags import flagged
from odyssey_recorder.dataset.lenient import Rule
from odyssey_recorder.dataset.provenance import StrokeRecord
from odyssey_recorder.device.view_hierarchy import ViewNode, focused_field
from odyssey_recorder.model.action import Action, Click, LongPress, Press, Scroll, Type, describe
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.model.plain_text import steps_text

_CORRECT_FILE = "Correct the file or restore it from a backup; otherwise record the episode again."


def check_vocabulary(evidence: EpisodeEvidence) -> CheckResults:
    """An action or its info is not part of the format, or a value of the file is missing or of another type."""
    yield from _breaches(evidence, Rule.VOCABULARY, Rule.FORM)


def check_positions(evidence: EpisodeEvidence) -> CheckResults:
    """A coordinate is not a whole number from 0 to 1000, or an action has the wrong number of points: a SCROLL has
    two, a CLICK and a LONG_PRESS one."""
    yield from _breaches(evidence, Rule.PLACE)


def check_ending(evidence: EpisodeEvidence) -> CheckResults:
    """The last action is neither COMPLETE nor IMPOSSIBLE, or one of them comes earlier."""
    yield from _breaches(evidence, Rule.ENDING)


def _breaches(evidence: EpisodeEvidence, *rules: Rule) -> CheckResults:
    for breach in evidence.episode.breaches:
        if breach.rule in rules:
            yield Found(breach.step, sentence(breach.message), _CORRECT_FILE)


def check_kind(evidence: EpisodeEvidence) -> CheckResults:
    """A SCROLL is shorter than `SHORTEST_SCROLL` thousandths of the screen, the finger stayed longer than
    `LONGEST_CLICK_US` for a CLICK, or the recorder was not sure what the touch meant. Only provenance says how long a
    finger stayed."""
    flags = flagged("ACT04", evidence)
    for step in evidence.steps:
        match step.spelled.action:
            case Scroll(path=path) if _length(path) < thresholds.SHORTEST_SCROLL:
                found = f"The SCROLL is {_length(path):.0f} thousandths of the screen long, barely more than a tap."
                yield Found(step.number, found, "Check whether it was a CLICK. If it moved nothing, drop the step.")
            case Click() if step.number not in flags:
                yield from _check_duration(evidence, step)
        if step.number in flags:
            todo = "Check the next screenshot, and change the kind of action if it was another."
            yield Found(step.number, sentence(flags[step.number]), todo)


def check_order(evidence: EpisodeEvidence) -> CheckResults:
    """The recorder flagged that a step may not follow from the one before: the connection was lost, the recording was
    interrupted, a restored screen was accepted, or something else acted on the device. Without provenance this is not
    checked."""
    flags = flagged("ACT12", evidence)
    todo = (
        "Compare this screenshot and the next with the actions. If they do not fit, remove the step and those after it."
    )
    for step in evidence.steps:
        if step.record is None:
            yield Unchecked(step.number, no_provenance(evidence))
        elif step.number in flags:
            yield Found(step.number, sentence(flags[step.number]), todo)


def _check_duration(evidence: EpisodeEvidence, step: StepEvidence) -> CheckResults:
    if step.record is None:
        yield Unchecked(step.number, f"the duration of the touch is unknown: {no_provenance(evidence)}")
    elif isinstance(stroke := step.record.input, StrokeRecord) and stroke.duration_us > thresholds.LONGEST_CLICK_US:
        found = f"The finger stayed for {stroke.duration_us / 1000:.0f} ms, which Android treats as a long press."
        yield Found(step.number, found, "Check the next screenshot, and change the action to LONG_PRESS if it was one.")


def _length(path: Sequence[Point]) -> float:
    return sum(hypot(b.x - a.x, b.y - a.y) for a, b in pairwise(path))


# Texts.


def check_typed_text(evidence: EpisodeEvidence) -> CheckResults:
    """A TYPE has no text, or its text ends in a backslash; or no keyboard is shown and no field has the focus; or no
    view of the next screen shows the text. The last two need view hierarchies. A colon in the text is a note: the
    official evaluator compares only what is before it."""
    flags = flagged("ACT05", evidence)
    for step in evidence.steps:
        if not isinstance(action := step.spelled.action, Type):
            continue
        if wrong := _wrong_text(action.text) or flags.get(step.number, ""):
            yield Found(
                step.number, sentence(wrong), "Enter the text that was actually typed, as the next screenshot shows it."
            )
            continue
        if ":" in action.text:
            found = "The text has a colon; the official evaluator compares only what is before it."
            yield Found(step.number, found, "Nothing to do, but keep it in mind when reading scores.", Severity.NOTE)
        yield from _check_focus(evidence, step)
        yield from _check_shown(evidence, step, action.text)


def _wrong_text(text: str) -> str:
    if not text.strip():
        return "the TYPE has no text"
    return f"the text ends in a stray backslash: {named(text)}" if text.endswith("\\") else ""


def _check_focus(evidence: EpisodeEvidence, step: StepEvidence) -> CheckResults:
    screen = step.record.screen if step.record else None
    if screen is not None and screen.keyboard_shown:
        return
    if step.views is None:
        yield Unchecked(step.number, f"it is unknown whether a field had the focus: {step.no_views}")
    elif focused_field(step.views) is None:
        found = "No keyboard was shown and no field had the focus when the text was typed."
        yield Found(step.number, found, "Check whether a CLICK into the field is missing before it.")


def _check_shown(evidence: EpisodeEvidence, step: StepEvidence, text: str) -> CheckResults:
    following = after(evidence, step)
    if following is None:
        return
    if following.views is None:
        yield Unchecked(step.number, f"it is unknown whether the text arrived; for the next step, {following.no_views}")
    elif any(node.password for node in following.views):
        yield Unchecked(step.number, "a password field does not show its text")
    elif not _shows(following.views, text):
        found = f"No view of the next screen shows the text {named(text)}."
        yield Found(step.number, found, "Enter the text that was actually typed, as the next screenshot shows it.")


def _shows(views: Sequence[ViewNode], text: str) -> bool:
    wanted = _folded(text)
    active = (node for node in views if node.active)
    return any(wanted in _folded(shown) for node in active for shown in (node.text, node.description))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


# Repeats.


def check_repetition(evidence: EpisodeEvidence) -> CheckResults:
    """The same action at the same place `REPEATED_ACTIONS` times in a row, unless each is known to have had an effect;
    or two screens alternate until one is there, byte for byte, for the third time."""
    run = 1
    for before, step in pairwise(evidence.steps):
        may_be_idle = is_without_effect(evidence, before) is not False
        run = run + 1 if may_be_idle and _is_same_action(before.spelled.action, step.spelled.action) else 1
        if run == thresholds.REPEATED_ACTIONS and (action := step.spelled.action) is not None:
            found = f"{named(describe(action))} for the {run}rd time in a row, not always with an effect."
            yield Found(step.number, found, "Drop the steps that had no effect.")
    yield from _alternations(evidence)


def _is_same_action(one: Action | None, other: Action | None) -> bool:
    match one, other:
        case (Click(a), Click(b)) | (LongPress(a), LongPress(b)):
            return _near(a, b)
        case Scroll(a, b), Scroll(c, d):
            return _near(a, c) and _near(b, d)
        case (Type(), Type()) | (Press(), Press()):
            return one == other
        case _:
            return False


def _near(one: Point, other: Point) -> bool:
    return max(abs(one.x - other.x), abs(one.y - other.y)) <= thresholds.REPEATED_PLACE


def _alternations(evidence: EpisodeEvidence) -> Iterator[Found]:
    screens = [
        step.screenshot.sha256 if step.screenshot and not step.screenshot.problem else "" for step in evidence.steps
    ]
    until = -1
    for last in range(thresholds.REPEATED_SCREENS - 1, len(screens)):
        window = screens[last - thresholds.REPEATED_SCREENS + 1 : last + 1]
        if all(window) and len(set(window)) == 2 and all(a == b for a, b in zip(window, window[2:], strict=False)):
            if until < last - 1:
                steps = range(last - thresholds.REPEATED_SCREENS + 1, last + 1)
                found = f"{steps_text(steps).capitalize()} alternate between two screens."
                yield Found(last, found, "Drop these steps unless the task needs them.")
            until = last
