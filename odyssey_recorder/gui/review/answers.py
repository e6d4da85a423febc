"""Unsubmitted review answers: their values, the time spent, and the file that keeps them."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from threading import Lock
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from PySide6.QtCore import QObject, QTimer

from odyssey_recorder.dataset.amendment import DropSteps, DropTail
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.window_state import KeptFile
from odyssey_recorder.model.finding import Criterion
from odyssey_recorder.model.moment import LARGEST_WHOLE
from odyssey_recorder.review.review import MOST_STEPS, REASONS, Entry, Fix, Judgement, Rating, Reopening, Verdict
from odyssey_recorder.review.status import comparable_name, same_person
from odyssey_recorder.review.views import OpenedReview
from odyssey_recorder.services.review import ReviewService
from odyssey_recorder.validation import faults


class Stopwatch:
    """Can be paused and resumed; `clock` returns seconds from any origin."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._gathered_s = 0.0
        self._since_s: float | None = None

    @property
    def seconds(self) -> float:
        running_s = 0.0 if self._since_s is None else self._clock() - self._since_s
        return self._gathered_s + running_s

    def set(self, seconds: float) -> None:
        self._gathered_s = seconds
        if self._since_s is not None:
            self._since_s = self._clock()

    def run(self, on: bool) -> None:
        self._gathered_s = self.seconds
        self._since_s = self._clock() if on else None


QUESTIONS = {
    Criterion.SCREENSHOTS: "Are all screenshots present and correct?",
    Criterion.SEQUENCE: "Do the steps complete the instruction?",
    Criterion.INSTRUCTION: "Does the instruction mean the same as the task?",
}
"""The paper's three questions in plain words, in the order they are asked."""


@dataclass(frozen=True, slots=True)
class ReviewAnswers:
    """Unsubmitted answers, note, seen steps and time spent on an episode."""

    judgements: tuple[Judgement, ...] = ()
    note: str = ""
    seen: frozenset[int] = frozenset()
    seconds: float = 0.0

    def judgement(self, criterion: Criterion) -> Judgement | None:
        return next((judgement for judgement in self.judgements if judgement.criterion is criterion), None)

    def judged(self, judgement: Judgement) -> "ReviewAnswers":
        """A copy with `judgement` in place of the earlier one on the same question."""
        others = [other for other in self.judgements if other.criterion is not judgement.criterion]
        places = list(QUESTIONS)
        answers = sorted([*others, judgement], key=lambda answer: places.index(answer.criterion))
        return replace(self, judgements=tuple(answers))

    def moved(self, numbers: Mapping[int, int]) -> "ReviewAnswers":
        """A copy after the steps were renumbered; `numbers` maps old to new.

        A judgement on a removed step no longer names a step; new steps count as unseen.
        """
        judgements = [
            judgement if judgement.step is None else judgement.model_copy(update={"step": numbers.get(judgement.step)})
            for judgement in self.judgements
        ]
        seen = frozenset(numbers[key] for key in self.seen if key in numbers)
        return replace(self, judgements=tuple(judgements), seen=seen)

    @property
    def named(self) -> frozenset[int]:
        return frozenset(judgement.step for judgement in self.judgements if judgement.step is not None)

    def incomplete(self) -> tuple[Criterion, str] | None:
        """The first incomplete question and what to do about it; None if all are complete."""
        for criterion, question in QUESTIONS.items():
            given = self.judgement(criterion)
            if given is None:
                return criterion, f"Answer this first: {question}"
            if given.answer is not Rating.PASS and given.reason not in REASONS[criterion]:
                return criterion, f"Choose a reason: {question}"
            if given.answer is not Rating.PASS and given.reason == "other" and not given.words.strip():
                return criterion, f"Describe it: {question}"
        return None

    def all_three(self) -> tuple[Judgement, Judgement, Judgement]:
        """Requires that `incomplete` returns None."""
        screenshots, sequence, instruction = self.judgements
        return screenshots, sequence, instruction


def unseen(seen: frozenset[int], steps: int) -> tuple[int, ...]:
    return tuple(number for number in range(steps) if number not in seen)


def taken_back_answers(review: OpenedReview, reviewer: str) -> ReviewAnswers | None:
    """The answers of the reviewer's own verdict, if that was taken back last."""
    reopenings = [entry for entry in review.entries if isinstance(entry, Reopening)]
    for entry in review.entries:
        if isinstance(entry, Verdict) and same_person(entry.by, reviewer) and entry.id == reopenings[-1].verdict:
            steps = frozenset(range(len(review.opened.episode.steps)))
            return ReviewAnswers(entry.judgements, entry.note, steps, entry.seconds)
    return None


def moved_steps(before: OpenedReview, after: OpenedReview) -> dict[int, int]:
    """Map the steps of `before` to their numbers in `after`; removed steps and changed screenshots are left out.

    Uses the fixes between the two, or compares the steps where these are not known.
    """
    fixes = _fixes_between(before, after)
    if fixes is None:
        return _equal_steps(before, after)
    numbers = {number: number for number in range(len(before.opened.episode.steps))}
    for fix in fixes:
        numbers = {old: number for old, now in numbers.items() if (number := _moved(fix, after.entries, now)) >= 0}
    return numbers


def _fixes_between(before: OpenedReview, after: OpenedReview) -> Sequence[Fix] | None:
    """The fixes that turn one into the other; None if something else changed the episode."""
    known = {entry.id for entry in before.entries}
    fixes = [entry for entry in after.entries if isinstance(entry, Fix) and entry.id not in known]
    revisions = [before.revision, *(fix.after for fix in fixes)]
    is_chain = all(fix.before == revision for fix, revision in zip(fixes, revisions, strict=False))
    return fixes if is_chain and revisions[-1] == after.revision else None


def _equal_steps(before: OpenedReview, after: OpenedReview) -> dict[int, int]:
    """Equal steps; if the counts differ, only those before the first difference."""
    olds, news = before.opened.episode.steps, after.opened.episode.steps
    same = {number: number for number, (old, new) in enumerate(zip(olds, news, strict=False)) if old == new}
    if len(olds) == len(news):
        return same
    return {number: number for place, number in enumerate(same) if place == number}


def _moved(fix: Fix, entries: Iterable[Entry], number: int) -> int:
    """A step's new number after a fix or its undo; -1 if it was removed."""
    if is_undo := bool(fix.undoes):
        fix = next((entry for entry in entries if isinstance(entry, Fix) and entry.id == fix.undoes), fix)
    match fix.amendment:
        case DropSteps(first=first, last=last) if number >= first and is_undo:
            return number + (last - first + 1)
        case DropSteps(first=first, last=last) if number >= first:
            return number - (last - first + 1) if number > last else -1
        case DropTail(at=at) if number >= at:
            return -1
        case _:
            return number


_REST_MS = 500
_MOST = 1000
_log = logging.getLogger(__name__)
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class StoredAnswers:
    """`revision` is that of the episode when it was answered."""

    revision: str
    sheet: ReviewAnswers


class ReviewAnswerStore:
    """One reviewer's unsubmitted answers for a dataset, by episode.

    Another window may use the same file, so only the changes made here are written.
    """

    def __init__(self, file: KeptFile, reviewing: ReviewService, background: Background, parent: QObject) -> None:
        self._file = file
        self._reviewing = reviewing
        self._background = background
        self._writing = Lock()
        self._sheets: dict[_Key, StoredAnswers | None] = dict(_read(file))
        self._changed: dict[_Key, None] = {}
        self._rest = QTimer(parent, interval=_REST_MS, singleShot=True)
        self._rest.timeout.connect(self._write_later)

    def get(self, episode_id: str) -> StoredAnswers | None:
        return self._sheets.get(self._key(episode_id))

    def put(self, episode_id: str, revision: str, sheet: ReviewAnswers) -> None:
        self._set(episode_id, StoredAnswers(revision, sheet))

    def drop(self, episode_id: str) -> None:
        """Forget an episode's answers once they are submitted."""
        self._set(episode_id, None)

    def close(self) -> None:
        """Write all changes before returning; at exit a background write may never start."""
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
        """All changes since the start, so that a failed write is repeated with the next."""
        return {key: self._sheets[key] for key in self._changed}

    def _write_later(self) -> None:
        changes = self._changes()
        self._background.run(lambda: self._write(changes), lambda _: None, lambda error: _log.error("%s", error))

    def _write(self, changes: Mapping[_Key, StoredAnswers | None]) -> None:
        with self._writing:
            sheets = {**{key: answers for key, answers in _read(self._file).items() if key not in changes}, **changes}
            kept = [_tree(key, sheet) for key, sheet in sheets.items() if sheet is not None]
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
    found: dict[_Key, StoredAnswers] = {}
    trees = file.read().get("sheets")
    for tree in trees if isinstance(trees, list) else ():
        try:
            entry = _Entry.model_validate(tree)
        except ValidationError as error:
            wrong = sorted({str(fault.place[0]) for fault in faults(error) if fault.place}) or ["all of it"]
            _log.warning("Saved answers of an episode cannot be read and are ignored: %s", ", ".join(wrong))
            continue
        sheet = ReviewAnswers(note=entry.note, seen=entry.seen, seconds=entry.seconds)
        for judgement in entry.judgements:
            sheet = sheet.judged(judgement)
        found[entry.dataset, entry.reviewer, entry.episode] = StoredAnswers(entry.revision, sheet)
    return found


def _tree(key: _Key, kept: StoredAnswers) -> dict[str, object]:
    dataset, reviewer, episode = key
    answers = {field.name: getattr(kept.sheet, field.name) for field in fields(kept.sheet)}
    entry = _Entry(dataset=dataset, reviewer=reviewer, episode=episode, revision=kept.revision, **answers)
    return entry.model_dump(mode="json")
