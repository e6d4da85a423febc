"""The folder of a release: planned, written at once and never changed, listed and verified."""

import hashlib
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from odyssey_recorder.dataset.change_journal import locked
from odyssey_recorder.dataset.layout import (
    HISTORY,
    RELEASES,
    SPLITS,
    SPLITS_RECORD,
    TRASH,
    annotation_path,
    read_dataset_file,
    split_path,
)
from odyssey_recorder.errors import CancelledError, DatasetError, MissingFileError
from odyssey_recorder.exporting.sums import SUMS, parse_sums, sums_text
from odyssey_recorder.files import (
    Largest,
    make_folder,
    publish_folder,
    read_file,
    refuse_link,
    storage_errors,
    write_durably,
)
from odyssey_recorder.model.plain_text import counted, step_number
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.releases.manifest import ReleaseChanges, ReleasedEpisode, read_released
from odyssey_recorder.splits.drawing import Split
from odyssey_recorder.splits.files import read_drawing, read_record, split_names
from odyssey_recorder.validation import FrozenModel, first_fault

FORMAT = 1
"""Changes when a consumer must read releases differently."""

RECORD, MANIFEST = "release.json", "manifest.jsonl"
_PART = ".part"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_VERSION = re.compile(r"(v?)([0-9]{1,6})\.([0-9]{1,6})\.([0-9]{1,6})", re.ASCII)


class ReleaseRecord(FrozenModel):
    """All of release.json; `number` counts the dataset's releases from 1, `previous` is the name of the one before."""

    format: int = FORMAT
    name: str
    number: int
    previous: str = ""
    episodes: int
    steps: int
    bytes: int
    with_splits: bool
    changes: ReleaseChanges


@dataclass(frozen=True, slots=True)
class FileDifference:
    """`kept` says where the released files still are, if the episode has changed since; otherwise they are lost."""

    what: str
    kept: str = ""


def checked_name(name: str) -> str:
    """A name that is a file name on every system. Raises DatasetError."""
    if not _NAME.fullmatch(name) or name.endswith((".", _PART)) or _DEVICES.fullmatch(name):
        raise DatasetError(
            f"{name!r} cannot name a release. Use at most 64 letters, digits, dots, hyphens and underscores, "
            "such as 1.2.0."
        )
    return name


def proposed_name(previous: ReleaseRecord | None, changed: ReleaseChanges) -> str:
    """The next semantic version: major for another format or moved sides, minor for episodes, patch for fixes.

    Raises DatasetError if the previous release is not named by one.
    """
    if previous is None:
        return "1.0.0"
    numbers = _VERSION.fullmatch(previous.name)
    if numbers is None:
        raise DatasetError(f"The previous release is {previous.name}, which is not a version such as 1.2.0. Name it.")
    major, minor, patch = map(int, numbers.groups()[1:])
    if changed.moved or previous.format != FORMAT:
        return f"{numbers[1]}{major + 1}.0.0"
    if changed.added or changed.removed:
        return f"{numbers[1]}{major}.{minor + 1}.0"
    return f"{numbers[1]}{major}.{minor}.{patch + 1}"


# Reading.


def releases(root: Path) -> list[ReleaseRecord]:
    """Oldest first. Raises DatasetError if one cannot be read."""
    with storage_errors(root / RELEASES, "read"):
        folders = sorted((root / RELEASES).iterdir()) if (root / RELEASES).is_dir() else []
    made = [
        folder.name
        for folder in folders
        if folder.is_dir() and folder.name[0] != "." and not folder.name.endswith(_PART)
    ]
    found = [read_release(root, name) for name in made]
    return sorted(found, key=lambda record: (record.number, record.name))


def read_release(root: Path, name: str) -> ReleaseRecord:
    """Raises DatasetError."""
    path = release_folder(root, name) / RECORD
    try:
        record = ReleaseRecord.model_validate_json(_read(path))
    except MissingFileError as error:
        raise DatasetError(f"{path.parent} is not a release: {RECORD} is missing. Move the folder away.") from error
    except ValidationError as error:
        raise DatasetError(f"{path} is damaged ({first_fault(error)}). Restore it from a backup.") from error
    if record.format > FORMAT:
        raise DatasetError(f"{path} was written by a newer version of Odyssey Recorder. Update this one.")
    if record.name != name:
        raise DatasetError(f"{path} is that of release {record.name!r}. Rename the folder back.")
    return record


def read_manifest(root: Path, name: str) -> list[ReleasedEpisode]:
    """Raises DatasetError."""
    path = release_folder(root, name) / MANIFEST
    try:
        return [ReleasedEpisode.model_validate_json(line) for line in _read(path).splitlines()]
    except ValidationError as error:
        raise DatasetError(f"{path} is damaged ({first_fault(error)}). Restore it from a backup.") from error


def released_splits(root: Path, name: str) -> list[Split]:
    """Raises DatasetError."""
    if not read_release(root, name).with_splits:
        return []
    return [drawn.split for drawn in read_drawing(release_folder(root, name))[1].drawn.values()]


def base_of_splits(root: Path) -> Path | None:
    """The folder of the newest release with splits, unless the dataset's splits continue it. Raises DatasetError."""
    found = [release_folder(root, release.name) for release in releases(root) if release.with_splits]
    now, released = read_record(root), read_record(found[-1]) if found else None
    continues = now is not None and released is not None and now.base == released.fingerprint
    return found[-1] if found and not continues else None


def release_folder(root: Path, name: str) -> Path:
    return root / RELEASES / checked_name(name)


def _read(path: Path) -> bytes:
    with storage_errors(path, "read"):
        return read_file(path, Largest.INDEX, within=path.parent.parent.parent)


# Making.


def splits_to_release(root: Path) -> tuple[list[Split], dict[str, bytes]]:
    """The dataset's splits, and the files that a release holds of them; none if there are none.

    Raises DatasetError if they were not made here or have changed since.
    """
    if not split_names(root / SPLITS)[0] and read_record(root) is None:
        return [], {}
    record, drawing = read_drawing(root)
    names = (*map(split_path, record.splits), SPLITS_RECORD)
    return [drawn.split for drawn in drawing.drawn.values()], {name: _read_in(root, name) for name in names}


def write_release(root: Path, record: ReleaseRecord, files: Mapping[str, bytes], revisions: Mapping[str, str]) -> Path:
    """Write all `files` and their hashes, and return the folder; a kill leaves nothing under the release's name.

    `revisions` are the hashes of the annotations that were checked. Raises DatasetError, also if one has changed since.
    """
    folder = release_folder(root, record.name)
    part = folder.with_name(folder.name + _PART)
    with locked(root):
        _refuse_taken(root, record)
        for episode_id, sha256 in revisions.items():
            if revision_of(root, episode_id) != sha256:
                raise DatasetError(f"Episode {episode_id} changed while the release was made. Make the release again.")
        make_folder(folder.parent, within=root)
        with storage_errors(part, "written"):
            refuse_link(part)
            shutil.rmtree(part, ignore_errors=True)
        all_files = {**files, RECORD: f"{record.model_dump_json(indent=2)}\n".encode()}
        sums = sums_text({name: _sha256(data) for name, data in all_files.items()})
        for name, data in {**all_files, SUMS: sums}.items():
            make_folder((part / name).parent, within=root)
            write_durably(part / name, data, within=root)
        if record.with_splits:
            read_drawing(part)  # they may have been replaced while they were read
        publish_folder(part, folder)
    return folder


def revision_of(root: Path, episode_id: str) -> str:
    return _sha256(read_dataset_file(root / annotation_path(episode_id), Largest.ANNOTATION))


def _refuse_taken(root: Path, record: ReleaseRecord) -> None:
    """Names are compared without case: some file systems do not know it."""
    made = releases(root)
    if any(earlier.name.casefold() == record.name.casefold() for earlier in made):
        raise DatasetError(f"There is a release {record.name} already, and releases never change. Use another name.")
    if record.number != (made[-1].number + 1 if made else 1):
        raise DatasetError("Another release was made meanwhile. Make the release again.")


# Verifying.


def verify(root: Path, name: str, progress: Progress = untold, cancelled: Cancelled = never) -> list[FileDifference]:
    """What differs from what was released, in its folder and in the dataset. Raises DatasetError, CancelledError."""
    found = list(_damage(release_folder(root, name)))
    manifest = read_manifest(root, name)
    for done, episode in enumerate(manifest, start=1):
        found += _verified(root, episode)
        tell_read(progress, cancelled, done, len(manifest))
    return found


def _damage(folder: Path) -> Iterator[FileDifference]:
    sums = parse_sums(_read(folder / SUMS), str(folder / SUMS))
    for path in sorted(found for found in folder.rglob("*") if not found.is_dir() or found.is_symlink()):
        if (inner := path.relative_to(folder).as_posix()) not in sums and inner != SUMS:
            yield FileDifference(f"{path} does not belong to the release. Move it away.")
    for inner, sha256 in sums.items():
        try:
            if _sha256(_read_in(folder, inner)) != sha256:
                yield FileDifference(f"{folder / inner} has changed. Restore it from a backup.")
        except DatasetError as error:
            yield FileDifference(str(error))


def tell_read(progress: Progress, cancelled: Cancelled, done: int, of: int) -> None:
    """Tell how many episodes were read, of how many. Raises CancelledError."""
    if cancelled():
        raise CancelledError("The work was cancelled.")
    progress(done / of, f"Read {done:,} of {counted(of, 'episodes')}")


def _read_in(folder: Path, name: str) -> bytes:
    with storage_errors(folder / name, "read"):
        return read_file(folder / name, Largest.INDEX, within=folder)


def _verified(root: Path, released: ReleasedEpisode) -> Iterator[FileDifference]:
    faults = list(_faults(root, released))
    if not faults:
        return
    earlier = sorted((root / HISTORY / released.episode_id).glob(f"{released.annotation}-*"))
    for place in (*earlier, *sorted((root / TRASH).glob(f"{released.episode_id}-*"))):
        if not any(_faults(place, released)):
            where = place.relative_to(root).as_posix()
            yield FileDifference(
                f"Episode {released.episode_id} has changed since; the released one is in {where}.", where
            )
            return
    for fault in faults:
        yield FileDifference(fault)


def _faults(folder: Path, released: ReleasedEpisode) -> Sequence[str]:
    try:
        now = read_released(folder, released.episode_id, released.verdict)
    except DatasetError as error:
        return [str(error)]
    episode = f"Episode {released.episode_id}"
    if now.annotation != released.annotation or len(now.screenshots) != len(released.screenshots):
        return [f"{episode}: the annotation is not the released one."]
    pairs = enumerate(zip(now.screenshots, released.screenshots, strict=True))
    return [
        f"{episode}: the screenshot of step {step_number(step)} is not the released one."
        for step, (a, b) in pairs
        if a != b
    ]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
