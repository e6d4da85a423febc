"""What people do with the review files of a dataset alone: check and merge them, reply, look into the trash."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from odyssey_recorder.dataset.episode_row import read_row
from odyssey_recorder.dataset.trash import Trash, TrashedEpisode
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.review import status as statuses
from odyssey_recorder.review.review import Move
from odyssey_recorder.review.review_log import ReviewLog
from odyssey_recorder.review.review_merge import Merged, check_elsewhere, check_reviews, merge_copies, merge_reviews
from odyssey_recorder.review.review_store import ReviewStore


@dataclass(frozen=True, slots=True)
class InTrash:
    """An episode in the trash, and who moved it there, when and why; empty texts if that is unknown."""

    episode_id: str
    instruction: str
    moved_at: datetime
    by: str = ""
    why: str = ""


def review_faults(root: Path, path: Path | None = None) -> Iterator[str]:
    """Problems of the dataset's review files, or of those at `path`. Raises DatasetError, ReviewError."""
    return check_reviews(ReviewStore(root)) if path is None else check_elsewhere(path)


def add_reviews(root: Path, path: Path | None = None) -> Merged:
    """Add the reviews at `path` to the dataset, or those in conflict copies that a shared drive left.

    Raises DatasetError, ReviewError.
    """
    store = ReviewStore(root)
    return merge_copies(store) if path is None else merge_reviews(store, path)


def review_policy(root: Path, *, share: float | None = None, seed: int | None = None) -> statuses.ReviewPolicy:
    """The dataset's rule for second reviews, after changing what is given. Raises DatasetError, ReviewError."""
    store = ReviewStore(root)
    now = store.policy()
    wanted = statuses.ReviewPolicy(now.seed if seed is None else seed, now.second_share if share is None else share)
    if wanted != now:
        store.set_policy(wanted)
    return wanted


def add_reply(root: Path, by: str, episode_id: str, words: str) -> None:
    """Store what its annotator or a reviewer says about an episode that was sent back; the others see it.

    Raises DatasetError, ReviewError.
    """
    ReviewLog(root, lambda: by).reply(episode_id, words)


def review_thread(root: Path, episode_id: str) -> tuple[str, ...]:
    """Why an episode was sent back and the replies, a line for each.

    Raises DatasetError, ReviewError, also if it is not sent back.
    """
    if thread := ReviewStore(root).read_complete(episode_id).thread:
        return thread
    raise ReviewError("This episode is not sent back.")


def trashed_episodes(root: Path) -> Sequence[InTrash]:
    """Newest first. Raises DatasetError."""
    store = ReviewStore(root)
    return [_in_trash(store, trashed) for trashed in Trash(root).episodes()]


def _in_trash(store: ReviewStore, trashed: TrashedEpisode) -> InTrash:
    row = read_row(trashed.folder, trashed.episode_id)
    known = InTrash(trashed.episode_id, "" if row is None else row.instruction, trashed.moved_at)
    with suppress(DatasetError, ReviewError):
        for entry in reversed(store.read(trashed.episode_id).entries):
            if isinstance(entry, Move) and entry.to == "trash":
                return replace(known, by=entry.by, why=entry.why)
    return known
