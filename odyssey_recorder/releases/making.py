"""Plans the next release of a dataset, and describes it: figures, card and changelog."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from odyssey_recorder.dataset.codec import read_annotation
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting.card import About, readme
from odyssey_recorder.exporting.job import sides_of
from odyssey_recorder.exporting.prepared import about_of, counted_reasons
from odyssey_recorder.figures.counting import Against, all_figures
from odyssey_recorder.figures.episodes import class_of_app, read_figures
from odyssey_recorder.figures.page import FiguresSource, figures_as_json
from odyssey_recorder.figures.published import V2
from odyssey_recorder.releases.folder import (
    MANIFEST,
    ReleaseRecord,
    checked_name,
    proposed_name,
    read_manifest,
    released_splits,
    releases,
    splits_to_release,
    write_release,
)
from odyssey_recorder.releases.manifest import ReleaseChanges, ReleasedEpisode, changes, moved_sides, read_released
from odyssey_recorder.reports import report_json
from odyssey_recorder.review.review import Move, ReviewFile
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.splits.drawing import Split


@dataclass(frozen=True, slots=True)
class PlannedRelease:
    """`files` are the manifest and the splits, by name. `left_out` says why other episodes are not released.

    `revisions` are the hashes of the annotations that were checked.
    """

    record: ReleaseRecord
    manifest: Sequence[ReleasedEpisode]
    splits: Sequence[Split]
    files: Mapping[str, bytes]
    left_out: Mapping[str, str]
    revisions: Mapping[str, str] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        return [episode.episode_id for episode in self.manifest]


def make_release(root: Path, planned: PlannedRelease) -> Path:
    """Write the release and return its folder. Raises DatasetError."""
    chosen = (read_annotation(root / annotation_path(episode_id)) for episode_id in planned.ids)
    limits = (*counted_reasons(len(planned.left_out)), *(() if planned.splits else ("No splits.",)))
    files = described(root, planned, about_of(root, chosen, limits), class_of_app(root))
    return write_release(root, planned.record, files, planned.revisions)


def plan_release(
    root: Path,
    name: str,
    ids: Sequence[str],
    left_out: Mapping[str, str],
    on_read: Callable[[int, int], object] = lambda _done, _of: None,
) -> PlannedRelease:
    """Hash the episodes `ids` and compare them with the newest release; writes nothing.

    An empty `name` is the next version. `left_out` says why other episodes are not released. Raises DatasetError, also
    if nothing has changed, or an episode is in no part of a split.
    """
    if name:
        checked_name(name)
    made = releases(root)
    previous = made[-1] if made else None
    splits, files = splits_to_release(root)
    _expect_sides(ids, splits)
    reviews = ReviewStore(root)
    with ThreadPoolExecutor() as threads:
        manifest = []
        for episode in threads.map(partial(_described, root, reviews), sorted(ids)):
            manifest.append(episode)
            on_read(len(manifest), len(ids))
    before, earlier_splits = _released(root, previous.name) if previous else ([], [])
    changed = changes(
        before, manifest, lambda episode_id: left_out.get(episode_id) or _why_gone(reviews.read(episode_id)),
        moved_sides(earlier_splits, splits),
    )  # fmt: skip
    if previous is not None and not changed:
        raise DatasetError(f"Nothing has changed since release {previous.name}.")
    record = ReleaseRecord(
        name=name or proposed_name(previous, changed),
        number=1 if previous is None else previous.number + 1,
        previous="" if previous is None else previous.name,
        episodes=len(manifest),
        steps=sum(len(episode.screenshots) for episode in manifest),
        bytes=sum(episode.bytes for episode in manifest),
        with_splits=bool(splits),
        changes=changed,
    )
    lines = b"".join(f"{episode.model_dump_json()}\n".encode() for episode in manifest)
    return PlannedRelease(record, manifest, splits, {MANIFEST: lines, **files}, left_out)


def described(root: Path, planned: PlannedRelease, about: About, class_of: Callable[[str], str]) -> dict[str, bytes]:
    """All files of the release but its record; `class_of` gives the class of an app. Raises DatasetError."""
    episodes = list(read_figures(root, sides_of(planned.splits), planned.ids))
    figures = figures_as_json(
        all_figures(episodes, Against(V2, class_of)), FiguresSource(about.name, len(episodes), V2.name)
    )
    card = readme("release", replace(about, name=f"{about.name} {planned.record.name}"), ())
    return {
        **planned.files,
        "stats.json": f"{report_json(figures)}\n".encode(),
        "README.md": card.encode(),
        "CHANGELOG.md": "".join(f"{line}\n" for line in _changelog(planned.record)).encode(),
    }


def changes_between(root: Path, old: str, new: str) -> ReleaseChanges:
    """Between any two releases. Raises DatasetError."""
    reasons = {episode_id: why for release in releases(root) for episode_id, why in release.changes.removed.items()}
    (before, earlier_splits), (after, splits) = (_released(root, name) for name in (old, new))
    return changes(before, after, lambda episode_id: reasons.get(episode_id, ""), moved_sides(earlier_splits, splits))


def _released(root: Path, name: str) -> tuple[list[ReleasedEpisode], list[Split]]:
    return read_manifest(root, name), released_splits(root, name)


def _described(root: Path, reviews: ReviewStore, episode_id: str) -> ReleasedEpisode:
    verdicts = reviews.read(episode_id).present_verdicts
    return read_released(root, episode_id, verdicts[-1].decision.value if verdicts else "")


def _why_gone(file: ReviewFile) -> str:
    moves = [entry.why for entry in file.entries if isinstance(entry, Move) and entry.to == "trash"]
    return f"moved to the trash: {moves[-1]}" if moves else "no longer in the dataset"


def _expect_sides(ids: Sequence[str], splits: Sequence[Split]) -> None:
    for split in splits:
        if lacking := [episode_id for episode_id in ids if episode_id not in split.sides]:
            raise DatasetError(
                f"Not all episodes are in the split {split.kind}: {len(lacking)} are missing, such as {lacking[0]}. "
                "Make the splits again."
            )


def _changelog(record: ReleaseRecord) -> Iterator[str]:
    changed = record.changes
    yield f"# {record.name}\n"
    yield f"Since {record.previous}:\n" if record.previous else "The first release.\n"
    yield f"- Added: {len(changed.added)} episodes"
    yield f"- Removed: {len(changed.removed)} episodes"
    yield from (f"  - {episode_id}: {_plain(why)}" for episode_id, why in changed.removed.items())
    yield f"- Changed: {len(changed.changed)} episodes"
    yield from (f"  - {episode_id}: {_plain(', '.join(names))}" for episode_id, names in changed.changed.items())
    yield from (f"- Moved to the other side of {kind}: {len(ids)} episodes" for kind, ids in changed.moved.items())


def _plain(text: str) -> str:
    """On one line, and nothing in it is markup."""
    return "".join(f"\\{letter}" if letter in "\\`*[]<>#|" else letter for letter in " ".join(text.split()))
