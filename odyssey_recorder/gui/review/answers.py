"""What a reviewer has filled in and not submitted: the answers to an episode, the time, and where both are kept."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from PySide6.QtCore import QObject, QTimer

from odyssey_recorder.dataset.amendment import Amendment, DropSteps, DropTail
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.review.reviewing import Reviewing
from odyssey_recorder.gui.window_state import KeptFile
from odyssey_recorder.model.moment import LARGEST_WHOLE
from odyssey_recorder.quality.finding import Criterion
from odyssey_recorder.quality.reviewing.review import MOST_STEPS, REASONS, Entry, Fix, Judgement, Rating
from odyssey_recorder.quality.reviewing.status import comparable_name
from odyssey_recorder.quality.reviewing.views import OpenedReview
from odyssey_recorder.validation import faults


class Stopwatch:
    """Runs and rests; `clock` tells seconds from any beginning."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._gathered_s = 0.0
        self._since_s: float | None = None

    @property
    def seconds(self) -> float:
        """What was gathered since it was last set."""
        running_s = 0.0 if self._since_s is None else self._clock() - self._since_s
        return self._gathered_s + running_s

    def set(self, seconds: float) -> None:
        """Go on from `seconds`; it runs or rests as before."""
        self._gathered_s = seconds
        if self._since_s is not None:
            self._since_s = self._clock()

    def run(self, on: bool) -> None:
        """Run from now on, or rest."""
        self._gathered_s = self.seconds
        self._since_s = self._clock() if on else None


QUESTIONS = {
    Criterion.PICTURES: "Are all screenshots there and right?",
    Criterion.SEQUENCE: "Do the steps carry the instruction out?",
    Criterion.INSTRUCTION: "Is the rewritten instruction equivalent to the task?",
}
"""The three questions of the paper in plain words, in the order in which they are asked."""


@dataclass(frozen=True, slots=True)
class ReviewAnswers:
    """The answers given so far, the note, the steps that were seen, and how long the episode was looked at."""

    judgements: tuple[Judgement, ...] = ()
    note: str = ""
    seen: frozenset[int] = frozenset()
    seconds: float = 0.0

    def judgement(self, criterion: Criterion) -> Judgement | None:
        """What was said to one question; None where it is not answered yet."""
        return next((one for one in self.judgements if one.criterion is criterion), None)

    def judged(self, judgement: Judgement) -> "ReviewAnswers":
        """The answers with another answer to one question."""
        others = [one for one in self.judgements if one.criterion is not judgement.criterion]
        places = list(QUESTIONS)
        answers = sorted([*others, judgement], key=lambda one: places.index(one.criterion))
        return replace(self, judgements=tuple(answers))

    def moved(self, numbers: Mapping[int, int]) -> "ReviewAnswers":
        """The answers once the steps have other numbers: `numbers` maps old to new.

        What named a step that is gone names none; a step that is new was not seen.
        """
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
        """The answers; for answers that lack nothing."""
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


def moved_steps(before: OpenedReview, after: OpenedReview) -> dict[int, int]:
    """The number in `after` of each step of `before` that is still there and shows the same screenshot.

    Known from the fixes that led from one to the other; where none did, only steps that read the same are held to be.
    """
    fixes = _fixes_between(before, after)
    if fixes is None:
        return _alike(before, after)
    numbers = {number: number for number in range(len(before.opened.episode.steps))}
    for fix in fixes:
        numbers = {old: number for old, now in numbers.items() if (number := _moved(fix, after.entries, now)) >= 0}
    return numbers


def _fixes_between(before: OpenedReview, after: OpenedReview) -> Sequence[Fix] | None:
    """The fixes by which one became the other; None where something else has changed it."""
    known = {entry.id for entry in before.entries}
    fixes = [entry for entry in after.entries if isinstance(entry, Fix) and entry.id not in known]
    revisions = [before.revision, *(fix.after for fix in fixes)]
    is_chain = all(fix.before == revision for fix, revision in zip(fixes, revisions, strict=False))
    return fixes if is_chain and revisions[-1] == after.revision else None


def _alike(before: OpenedReview, after: OpenedReview) -> dict[int, int]:
    """The steps that are the same; from the first that is not, where there are more or fewer by now."""
    olds, news = before.opened.episode.steps, after.opened.episode.steps
    same = {number: number for number, (old, new) in enumerate(zip(olds, news, strict=False)) if old == new}
    if len(olds) == len(news):
        return same
    return {number: number for place, number in enumerate(same) if place == number}


def _moved(fix: Fix, entries: Iterable[Entry], number: int) -> int:
    """The number that a step has after a fix, or after one was taken back; -1 where it is gone."""
    if fix.undoes:
        undone = next((one for one in entries if isinstance(one, Fix) and one.id == fix.undoes), fix)
        return _moved_back(undone.amendment, number)
    match fix.amendment:
        case DropSteps(first=first, last=last) if number >= first:
            return number - (last - first + 1) if number > last else -1
        case DropTail(at=at) if number >= at:
            return -1
        case _:
            return number


def _moved_back(amendment: Amendment | None, number: int) -> int:
    match amendment:
        case DropSteps(first=first, last=last) if number >= first:
            return number + (last - first + 1)
        case DropTail(at=at) if number >= at:
            return -1
        case _:
            return number


_REST_MS = 500
"""So long after a change it is written, with all that was changed meanwhile."""
_MOST = 1000
"""So many answers are kept; those that were changed last."""
_log = logging.getLogger(__name__)
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class StoredAnswers:
    """The answers, and the revision of the episode that it was filled in for."""

    revision: str
    sheet: ReviewAnswers


class ReviewAnswerStore:
    """The answers of a reviewer and a dataset, by episode.

    Another window may keep answers in the same file: what is written is what was changed here.
    """

    def __init__(self, file: KeptFile, reviewing: Reviewing, background: Background, parent: QObject) -> None:
        self._file = file
        self._reviewing = reviewing
        self._background = background
        self._writing = Lock()
        self._sheets: dict[_Key, StoredAnswers | None] = dict(_read(file))
        self._changed: dict[_Key, None] = {}
        self._rest = QTimer(parent, interval=_REST_MS, singleShot=True)
        self._rest.timeout.connect(self._write_later)

    def get(self, episode_id: str) -> StoredAnswers | None:
        """What was filled in of an episode; None where nothing was."""
        return self._sheets.get(self._key(episode_id))

    def put(self, episode_id: str, revision: str, sheet: ReviewAnswers) -> None:
        """Keep what is filled in of an episode now."""
        self._set(episode_id, StoredAnswers(revision, sheet))

    def drop(self, episode_id: str) -> None:
        """Keep nothing of an episode any more: it was submitted."""
        self._set(episode_id, None)

    def close(self) -> None:
        """Write all that was changed, before this returns: what was handed to another thread may never begin."""
        self._rest.stop()
        if self._changed:
            self._write(self._changes())

    def _key(self, episode_id: str) -> _Key:
        return str(self._reviewing.root), comparable_name(self._reviewing.reviewer), episode_id

    def _set(self, episode_id: str, kept: StoredAnswers | None) -> None:
        key = self._key(episode_id)
        self._sheets[key] = kept
        self._changed.pop(key, None)
        self._changed[key] = None
        if not self._rest.isActive():
            self._rest.start()

    def _changes(self) -> Mapping[_Key, StoredAnswers | None]:
        """All that was changed since the beginning: what could not be written once is written with the next."""
        return {key: self._sheets[key] for key in self._changed}

    def _write_later(self) -> None:
        changes = self._changes()
        self._background.run(lambda: self._write(changes), lambda _: None, lambda error: _log.error("%s", error))

    def _write(self, changes: Mapping[_Key, StoredAnswers | None]) -> None:
        with self._writing:
            sheets = {**{key: one for key, one in _read(self._file).items() if key not in changes}, **changes}
            kept = [_tree(key, one) for key, one in sheets.items() if one is not None]
            self._file.write({"sheets": kept[-_MOST:]})


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True)

    dataset: str
    reviewer: str
    episode: str
    revision: str
    judgements: tuple[Judgement, ...]
    note: str
    seen: frozenset[Annotated[int, Field(ge=0, le=MOST_STEPS)]]
    seconds: float = Field(ge=0, le=LARGEST_WHOLE)


def _read(file: KeptFile) -> dict[_Key, StoredAnswers]:
    """The answers that can be read, the one that was changed last at the end."""
    found: dict[_Key, StoredAnswers] = {}
    trees = file.read().get("sheets")
    for tree in trees if isinstance(trees, list) else ():
        try:
            one = _Entry.model_validate(tree)
        except ValidationError as error:
            wrong = sorted({str(fault.place[0]) for fault in faults(error) if fault.place}) or ["all of it"]
            _log.warning("What was filled in of an episode cannot be read, it is left out: %s", ", ".join(wrong))
            continue
        sheet = ReviewAnswers(note=one.note, seen=one.seen, seconds=one.seconds)
        for judgement in one.judgements:
            sheet = sheet.judged(judgement)
        found[one.dataset, one.reviewer, one.episode] = StoredAnswers(one.revision, sheet)
    return found


def _tree(key: _Key, kept: StoredAnswers) -> dict[str, object]:
    dataset, reviewer, episode = key
    sheet = kept.sheet
    entry = _Entry(
        dataset=dataset,
        reviewer=reviewer,
        episode=episode,
        revision=kept.revision,
        judgements=sheet.judgements,
        note=sheet.note,
        seen=sheet.seen,
        seconds=sheet.seconds,
    )
    return entry.model_dump(mode="json")
