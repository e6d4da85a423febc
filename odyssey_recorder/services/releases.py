"""The releases of a dataset: planned, made, listed, verified and compared."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from odyssey_recorder.curation.retired import read_retired
from odyssey_recorder.dataset.layout import annotation_path, episode_ids
from odyssey_recorder.dataset.provenance import by_agents
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.releases import folder, making
from odyssey_recorder.releases.folder import RECORD, FileDifference, ReleaseRecord, release_folder, releases, verify
from odyssey_recorder.releases.making import PlannedRelease, make_release
from odyssey_recorder.releases.manifest import ReleaseChanges
from odyssey_recorder.services.admission import reason_left_out
from odyssey_recorder.services.reviewed_dataset import ReviewedDataset

__all__ = ["FileDifference", "PlannedRelease", "ReleaseChanges", "ReleaseRecord", "make_release", "releases", "verify"]


@dataclass(frozen=True, slots=True)
class Comparison:
    old: str
    new: str
    changes: ReleaseChanges


def draft(
    reviews: ReviewedDataset, root: Path, name: str = "", progress: Progress = untold, cancelled: Cancelled = never
) -> PlannedRelease:
    """Plan a release of the accepted episodes without errors; without a `name` it is the next version.

    Raises DatasetError, also if nothing can be released or nothing has changed, and CancelledError.
    """
    if name:
        folder.checked_name(name)
    if not (present := sorted(episode_ids(root))):
        raise DatasetError(f"{root} has no episodes: expected a dataset folder with annotations/<id>.json.")
    revisions = {episode_id: folder.revision_of(root, episode_id) for episode_id in present}  # before the checks
    refuse, retired = reason_left_out(reviews, progress, cancelled), read_retired(root)
    left_out = {
        episode_id: f"{episode_id}.json is retired: {retired[episode_id].reason}"
        for episode_id in sorted(retired.keys() & present)
    }
    splits, _ = folder.splits_to_release(root)
    sides = {episode_id for split in splits for episode_id in (*split.train, *split.test)}
    agents = by_agents(root, {*present} - sides - left_out.keys())
    left_out |= {episode_id: f"{episode_id}.json is by an agent, and in no split." for episode_id in sorted(agents)}
    left_out |= {
        episode_id: why
        for episode_id in present
        if episode_id not in left_out and (why := refuse(root / annotation_path(episode_id)))
    }
    if not (ids := [episode_id for episode_id in present if episode_id not in left_out]):
        reason = next(iter(left_out.values()))
        raise DatasetError(
            f"Nothing to release: no episode of {root} is accepted and without errors. The first: {reason}"
        )
    planned = making.plan_release(root, name, ids, left_out, partial(folder.tell_read, progress, cancelled))
    return replace(planned, revisions={episode_id: revisions[episode_id] for episode_id in ids})


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


def compare(root: Path, old: str = "", new: str = "") -> Comparison:
    """What changed between two releases, by default the newest and the one before it. Raises DatasetError."""
    later = find(root, new)
    earlier = old or later.previous
    if not earlier:
        raise DatasetError(f"{later.name} is the first release. There is none before it to compare with.")
    return Comparison(earlier, later.name, making.changes_between(root, earlier, later.name))
