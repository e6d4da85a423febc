"""Scores an attempt at a practice task by its trail, never by where the fingers were."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odyssey_recorder.model.action import Action, Complete, Impossible, Type, action_type
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.practice.tasks import Ending, Milestone, PracticeTask

if TYPE_CHECKING:
    from odyssey_recorder.practice.gold import PassedStep, Trail

PASS_MARK = 70
"""The least value of a passed attempt."""

WRONG_ENDING = 40  # or a missing answer
IDLE_STEP, MOST_FOR_IDLE_STEPS = 2, 10
HINT, MOST_FOR_HINTS = 1, 5
"""Deductions, of 100."""

_ENDINGS: dict[Ending, str] = {"COMPLETE": "Complete", "IMPOSSIBLE": "Impossible, with a reason"}


@dataclass(frozen=True, slots=True)
class Score:
    """The score of an attempt: `value` of 100, the milestones `passed` and `missed`, and remarks, as texts."""

    value: int
    passed: tuple[str, ...]
    missed: tuple[str, ...]
    has_right_ending: bool
    remarks: tuple[str, ...]

    @property
    def is_passed(self) -> bool:
        return self.value >= PASS_MARK


def score(task: PracticeTask, attempt: "Trail", gold: "Trail", *, hints: int = 0) -> Score:
    """Score `attempt` by the milestones that the gold episode passes.

    The value is the weighted share of milestones passed in the gold's order, minus deductions.
    """
    wanted = _passed_in_order(task.milestones, gold)
    passed = _passed_in_order(wanted, attempt)
    missed = tuple(milestone for milestone in wanted if milestone not in passed)
    passed_names, missed_names = [m.words for m in passed], [m.words for m in missed]
    is_answered = _plain(task.answer) in _plain(_ending_note(attempt[-1].action))
    if task.answer:
        (passed_names if is_answered else missed_names).append("the answer is in the note")
    has_right_ending = action_type(attempt[-1].action) == task.ending
    idle = sum(step.is_idle for step in attempt[:-1])
    deductions = 0 if has_right_ending and is_answered else WRONG_ENDING
    deductions += min(IDLE_STEP * idle, MOST_FOR_IDLE_STEPS) + min(HINT * hints, MOST_FOR_HINTS)
    return Score(
        value=max(0, round(100 * _weight(passed) / _weight(wanted)) - deductions),
        passed=tuple(passed_names),
        missed=tuple(missed_names),
        has_right_ending=has_right_ending,
        remarks=tuple(_remarks(task, attempt, idle=idle, hints=hints)),
    )


def _passed_in_order(milestones: Sequence[Milestone], trail: "Trail") -> tuple[Milestone, ...]:
    """The heaviest choice of milestones that the trail passes in order; one step may pass several."""
    best: list[tuple[Milestone, ...]] = [()] * (len(milestones) + 1)  # best[i]: of milestones[i:], from this step on
    for step in reversed(range(len(trail))):
        typed = _typed_by(trail, step)
        here: list[tuple[Milestone, ...]] = [()]
        for milestone, later in zip(reversed(milestones), reversed(best[:-1]), strict=True):
            passed = _is_passed(milestone, trail[step], typed)
            here.append((milestone, *here[-1]) if passed else max(later, here[-1], key=_weight))
        best = here[::-1]
    return best[0]


def _is_passed(milestone: Milestone, step: "PassedStep", typed: str) -> bool:
    if milestone.app and milestone.app != step.package:
        return False
    if milestone.does and milestone.does != action_type(step.action):
        return False
    if _plain(milestone.typed) not in typed:
        return False
    return all(_shows(step, wanted) for wanted in milestone.shows)


def _shows(step: "PassedStep", wanted: str) -> bool:
    """Whether the text is on the screen; an unreadable screen of a known app counts as showing it."""
    if step.texts is None:
        return bool(step.package)
    return any(_plain(wanted) in _plain(text) for text in step.texts)


def _typed_by(trail: "Trail", step: int) -> str:
    """All text typed in the step's app up to and including the step."""
    package = trail[step].package
    texts = [p.action.text for p in trail[: step + 1] if p.package == package and isinstance(p.action, Type)]
    return _plain("".join(texts))


def _remarks(task: PracticeTask, attempt: "Trail", *, idle: int, hints: int) -> list[str]:
    end = attempt[-1].action
    remarks = []
    if action_type(end) != task.ending:
        remarks.append(f"The right ending is {_ENDINGS[task.ending]}.")
    if idle:
        remarks.append(f"{counted(idle, 'steps')} changed nothing on the screen. Remove such steps with Undo.")
    if hints:
        remarks.append(f"{counted(hints, 'hints')} taken.")
    if unread := sum(step.texts is None for step in attempt):
        remarks.append(
            f"{counted(unread, 'screens')} could not be read and {'is' if unread == 1 else 'are'} counted as right."
        )
    return remarks


def _ending_note(end: Action) -> str:
    match end:
        case Complete(note) | Impossible(note):
            return note
        case _:
            return ""


def _weight(milestones: Sequence[Milestone]) -> int:
    return sum(milestone.weight for milestone in milestones)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
