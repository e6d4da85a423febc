"""What a reviewer has filled in of one episode and not submitted yet; it waits while another episode is looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from odyssey_recorder.quality.finding import Criterion
from odyssey_recorder.quality.reviewing.review import REASONS, Judgement, Rating

QUESTIONS = {
    Criterion.PICTURES: "Are all screenshots there and right?",
    Criterion.SEQUENCE: "Do the steps carry the instruction out?",
    Criterion.INSTRUCTION: "Is the rewritten instruction equivalent to the task?",
}
"""The three questions of the paper in plain words, in the order in which they are asked."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The answers given so far, the note, the steps that were seen, and how long the episode was looked at."""

    judgements: tuple[Judgement, ...] = ()
    note: str = ""
    seen: frozenset[int] = frozenset()
    seconds: float = 0.0

    def judgement(self, criterion: Criterion) -> Judgement | None:
        """What was said to one question; None where it is not answered yet."""
        return next((one for one in self.judgements if one.criterion is criterion), None)

    def judged(self, judgement: Judgement) -> "Sheet":
        """The sheet with another answer to one question."""
        others = [one for one in self.judgements if one.criterion is not judgement.criterion]
        places = list(QUESTIONS)
        answers = sorted([*others, judgement], key=lambda one: places.index(one.criterion))
        return replace(self, judgements=tuple(answers))

    def moved(self, numbers: Mapping[int, int]) -> "Sheet":
        """The sheet once the steps have other `numbers`, by those they had: what named one that is gone names none, and
        a step that has come anew was not seen."""
        judgements = [
            one if one.step is None else one.model_copy(update={"step": numbers.get(one.step)})
            for one in self.judgements
        ]
        seen = frozenset(numbers[one] for one in self.seen if one in numbers)
        return replace(self, judgements=tuple(judgements), seen=seen)

    @property
    def named(self) -> frozenset[int]:
        """The steps that the answers name."""
        return frozenset(one.step for one in self.judgements if one.step is not None)

    def lacking(self) -> tuple[Criterion, str] | None:
        """The first question that is not answered in full, and what to do; None where all are."""
        for criterion, question in QUESTIONS.items():
            given = self.judgement(criterion)
            if given is None:
                return criterion, f"Answer this first: {question}"
            if given.answer is not Rating.PASS and given.reason not in REASONS[criterion]:
                return criterion, f"Choose a reason: {question}"
            if given.answer is not Rating.PASS and given.reason == "other" and not given.words.strip():
                return criterion, f"Say in words what it is: {question}"
        return None

    def all_three(self) -> tuple[Judgement, Judgement, Judgement]:
        """The answers; for a sheet that lacks nothing."""
        pictures, sequence, instruction = self.judgements
        return pictures, sequence, instruction


def unseen(seen: frozenset[int], steps: int) -> tuple[int, ...]:
    """The steps that were not seen yet."""
    return tuple(number for number in range(steps) if number not in seen)


def steps_in_words(numbers: Sequence[int]) -> str:
    """Steps as a reviewer says them: ``step 3``, ``steps 3, 7 to 9``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    told = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    return f"{'step' if len(numbers) == 1 else 'steps'} {', '.join(told)}"
