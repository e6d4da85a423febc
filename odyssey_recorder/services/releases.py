"""The releases of a dataset: planned, made, listed, verified and compared."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from odyssey_recorder.dataset.codec import Dialect
from odyssey_recorder.errors import CancelledError, DatasetError
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.releases import folder, making
from odyssey_recorder.releases.folder import RECORD, FileDifference, ReleaseRecord, release_folder, releases
from odyssey_recorder.releases.making import DraftedRelease, make_release
from odyssey_recorder.releases.manifest import ReleaseChanges
from odyssey_recorder.services.admission import READY, Reviews, reason_left_out

__all__ = ["DraftedRelease", "FileDifference", "ReleaseChanges", "ReleaseRecord", "make_release", "releases"]


@dataclass(frozen=True, slots=True)
class Comparison:
    old: str
    new: str
    changes: ReleaseChanges


def draft(
    reviews: Reviews, root: Path, name: str = "", progress: Progress = untold, cancelled: Cancelled = never
) -> DraftedRelease:
    """Plan a release of the accepted episodes without errors; without a `name` it is the next version.

    Raises DatasetError, CancelledError.
    """
    admit = partial(reason_left_out, reviews, READY, Dialect.RELEASE, progress, cancelled)
    return making.draft_release(root, name, admit, _telling(progress, cancelled))


def find(root: Path, name: str = "") -> ReleaseRecord:
    """The release of this name, by default the newest. Raises DatasetError."""
    if name:
        return folder.read_release(root, name)
    if not (made := releases(root)):
        raise DatasetError(f"{root} has no releases. Make one with: odyssey-recorder release make")
    return made[-1]


def written_at(root: Path, name: str) -> datetime:
    """When the release was written to this disk; a release itself contains no time."""
    return datetime.fromtimestamp((release_folder(root, name) / RECORD).stat().st_mtime, UTC).astimezone()


def verify(root: Path, name: str, progress: Progress = untold, cancelled: Cancelled = never) -> list[FileDifference]:
    """What differs from what was released, in its folder and in the dataset. Raises DatasetError, CancelledError."""
    return list(folder.verify(root, name, _telling(progress, cancelled)))


def compare(root: Path, old: str = "", new: str = "") -> Comparison:
    """What changed between two releases, by default the newest and the one before it. Raises DatasetError."""
    later = find(root, new)
    earlier = old or later.previous
    if not earlier:
        raise DatasetError(f"{later.name} is the first release. There is none before it to compare with.")
    return Comparison(earlier, later.name, making.changes_between(root, earlier, later.name))


def _telling(progress: Progress, cancelled: Cancelled) -> Callable[[int, int], None]:
    def tell(done: int, of: int) -> None:
        if cancelled():
            raise CancelledError("The work was cancelled.")
        progress(done / of, f"Read {done:,} of {counted(of, 'episodes')}")

    return tell
