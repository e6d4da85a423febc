"""Check of the actions against the provenance, for criterion (ii): each is what was sent, or what a fix made of it."""

from collections.abc import Sequence
from itertools import pairwise

from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.checking.finding_text import named
from odyssey_recorder.checking.one_episode.check import NO_PROVENANCE, CheckResults, Found, Unchecked, density_of
from odyssey_recorder.dataset.amendment import Amendment, DropSteps, NewEnd, NewPress, NewText
from odyssey_recorder.dataset.episode_json import UnreadableError, trajectory
from odyssey_recorder.dataset.provenance import EndRecord, KeyRecord, StepRecord, StrokeRecord, TextRecord
from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.model import action as actions
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.model.plain_text import step_number

_TODO = "Restore the annotation and its provenance. To correct a step, use a fix in the review."
_LOST = "Restore the file in provenance/ from a backup; without it the actions cannot be verified."
_NO_END = "the provenance does not say how the episode ended"
_NO_DENSITY = "the device's density is unknown, so clicks and scrolls cannot be told apart"


def check_against_provenance(evidence: EpisodeEvidence) -> CheckResults:
    """An action differs from what the recorder derives from its provenance and the fixes in the review file: kind and
    position of a touch, key, text, or the end with its note. Or the provenance is missing although the dataset has
    view hierarchies of the episode, cannot be read, or has other steps. Times that are not in the order of the steps
    are a warning. Without provenance nothing is checked."""
    if evidence.provenance is None:
        if evidence.provenance_problem:
            yield Found(None, f"The provenance cannot be used: {evidence.provenance_problem.rstrip('.')}.", _LOST)
        else:
            yield Unchecked(None, NO_PROVENANCE)
        return
    yield from _out_of_order(evidence)
    density = density_of(evidence)
    rules = TouchRules.for_density(density or 0, evidence.provenance.origin.long_press_ms)
    for step in evidence.steps:
        if step.record is None or (annotated := step.spelled.action) is None:
            continue
        if actions.is_terminal(annotated) and step.record.input is None and step.record.end is None:
            yield Unchecked(step.number, _NO_END)
        elif isinstance(step.record.input, StrokeRecord) and density is None:
            yield Unchecked(step.number, _NO_DENSITY)
        elif differs := _differs(annotated, _fixed(_done(step.record, rules), step.number, evidence.amendments)):
            yield Found(step.number, differs, _TODO)
        elif field := _contradictory_field(evidence, step.number, annotated):
            yield Found(step.number, f"Its {field} differs from the provenance.", _TODO)


def _out_of_order(evidence: EpisodeEvidence) -> CheckResults:
    """As a warning: a clock that was set back between two parts of a recording looks the same."""
    for before, step in pairwise(evidence.steps):
        if before.record and step.record and step.record.touched_us < before.record.touched_us:
            found = f"According to the provenance it was done before step {step_number(before.number)}."
            yield Found(step.number, found, "Check whether steps were moved or added.", Severity.WARNING)


def _differs(annotated: actions.Action, done: actions.Action | None) -> str:
    if annotated == done:
        return ""
    if done is None:
        return f"The action is {named(actions.describe(annotated))}; according to the provenance nothing was done."
    if actions.describe(annotated) == actions.describe(done):
        return f"The path of {named(actions.describe(annotated))} differs from the provenance."
    return (
        f"The action is {named(actions.describe(annotated))}; according to the provenance it was "
        f"{named(actions.describe(done))}."
    )


def _done(record: StepRecord, rules: TouchRules) -> actions.Action | None:
    match record.input:
        case StrokeRecord(samples=samples, duration_us=duration_us):
            size = record.frame.size
            if not samples or min(size.width, size.height) < 1:
                return None
            stroke = TouchStroke(tuple(TouchSample(Pixel(x, y), at_us) for x, y, at_us in samples), duration_us)
            return recognize(stroke, rules, size)
        case KeyRecord(key=key):
            return next((actions.Press(known) for known in actions.SystemKey if known.value == key), None)
        case TextRecord(text=text):
            return actions.Type(text)
        case None:
            return _end(record.end)


def _end(end: EndRecord | None) -> actions.Action | None:
    match end:
        case None:
            return None
        case EndRecord(action="COMPLETE", words=words):
            return actions.Complete(words)
        case EndRecord(words=words):
            return actions.Impossible(words)


def _contradictory_field(evidence: EpisodeEvidence, number: int, annotated: actions.Action) -> str:
    strict = evidence.episode.strict
    spelling = strict.steps[number].spelling if strict else {}
    if spelling.get("info"):
        return "info"
    match annotated:
        case actions.Click(point) | actions.LongPress(point):
            try:
                return "" if trajectory(spelling.get("ps")) in ((), (point,)) else "ps"
            except UnreadableError:
                return "ps"
        case actions.Type() | actions.Press():
            return "ps" if spelling.get("ps") else ""
        case actions.Scroll() | actions.Complete() | actions.Impossible():
            return ""  # it says the same as the action


def _fixed(action: actions.Action | None, number: int, amendments: Sequence[Amendment]) -> actions.Action | None:
    """What the fixes made of the action of a step: the newest fix counts, and drops moved later steps up."""
    for amendment in reversed(amendments):
        match amendment, action:
            case DropSteps(first=first, last=last), _ if number >= first:
                number += last - first + 1
            case NewPress(step=step, long=long), actions.Click(point) | actions.LongPress(point) if step == number:
                return actions.LongPress(point) if long else actions.Click(point)
            case NewText(step=step, text=text), actions.Type() if step == number:
                return actions.Type(text)
            case NewEnd(words=words), actions.Complete():
                return actions.Complete(words)
            case NewEnd(words=words), actions.Impossible():
                return actions.Impossible(words)
            case _:
                pass  # the action stays as it is, or the provenance has the change too
    return action
