"""Where the steps that a reviewer has looked at are once the episode was changed: which moved, and which are gone."""

from collections.abc import Iterable, Sequence

from odyssey_recorder.dataset.amendment import Amendment, DropSteps, DropTail
from odyssey_recorder.quality.reviewing.review import Entry, Fix
from odyssey_recorder.quality.reviewing.views import OpenedReview


def moved_steps(before: OpenedReview, after: OpenedReview) -> dict[int, int]:
    """The number in `after` of each step of `before` that is still there and shows the same picture.

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
