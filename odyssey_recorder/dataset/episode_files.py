"""The files of one episode in a dataset: which they are, how they are copied, kept and exchanged."""

import filecmp
import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from odyssey_recorder import files
from odyssey_recorder.dataset.layout import SCREENSHOTS, UI_TREES, annotation_path, files_of, provenance_path

PART = ".part"
"""Suffix of a file or folder that is being written or deleted."""


def version_name(contents: Mapping[str, Path | bytes], episode_id: str) -> str:
    """The SHA-256 of the annotation and 16 digits of a hash of all other files. Raises DatasetError."""
    hashes = {name: _sha256(source) for name, source in sorted(contents.items())}
    revision = hashes.pop(annotation_path(episode_id), "")
    rest = "\n".join(f"{digest} {name}" for name, digest in hashes.items())
    return f"{revision}-{_sha256(rest.encode())[:16]}"


def keep(contents: Mapping[str, Path | bytes], folder: Path, root: Path, origins: Sequence[Path] = ()) -> None:
    """Create `folder` in the dataset `root` atomically, unless it has these contents. Raises DatasetError.

    Screenshots and view hierarchies are hard-linked if possible; files that may change in place are copied. `origins`
    are other datasets that the files may be from.
    """
    if _has_contents(folder, contents):
        return
    part = folder.with_name(folder.name + PART)
    try:
        files.check_within(part, root)
        drop_folder(folder)
        shutil.rmtree(part, ignore_errors=True)
        for inner in {Path(name).parent for name in contents}:
            files.make_folder(part / inner, within=root)
        for name, source in contents.items():
            _put(source, part / name, root, origins)
        _sync({part / Path(name).parent for name in contents} | {part})
        files.make_folder(folder.parent, within=root)
        part.rename(folder)
        files.sync_folder(folder.parent)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise files.storage_error(error, folder, "kept") from error


def drop_folder(folder: Path) -> Path:
    """Rename a folder so that it is no longer in the trash, and return the new path, to be deleted later."""
    gone = folder.with_name(folder.name + PART)
    if folder.is_dir():
        shutil.rmtree(gone, ignore_errors=True)
        folder.rename(gone)
        files.sync_folder(folder.parent)
    return gone


def add(root: Path, episode_id: str, contents: Mapping[str, Path | bytes], origins: Sequence[Path]) -> None:
    """Add an episode that the dataset `root` lacks, the annotation last. Raises DatasetError.

    After a failure the episode is absent, and some of its files are there until the next call.
    """
    annotation = annotation_path(episode_id)
    for folder in {(root / name).parent for name in contents}:
        files.make_folder(folder, within=root)
    with files.storage_errors(root / annotation, "written"):
        for name in sorted(contents, key=lambda name: (name == annotation, name)):
            if name == annotation:
                _sync(root / Path(other).parent for other in contents if other != annotation)
            _write_part(contents[name], root / name, root, origins).replace(root / name)
        _sync({(root / annotation).parent})


def exchange(root: Path, episode_id: str, wanted: Mapping[str, Path]) -> None:
    """Replace the files of an episode in the dataset `root` by those in `wanted`. Raises DatasetError.

    While screenshots are added, removed or renumbered, the annotation is absent: a reader finds all screenshots that
    belong to it, or no episode. After a failure the episode may be absent and extra files may remain until a call
    succeeds for the same or for other `wanted`.
    """
    for stale in files_of(root, episode_id, ending=PART).values():
        _remove(stale)
    present = files_of(root, episode_id)
    annotation = annotation_path(episode_id)
    surplus = [name for name in present if name not in wanted]
    changed = [name for name in wanted if name not in present or not same_file(present[name], wanted[name])]
    is_hidden = bool({*surplus, *changed} - {annotation, provenance_path(episode_id)})
    if is_hidden and annotation in wanted:
        changed = [*(name for name in changed if name != annotation), annotation]
    with files.storage_errors(root / annotation, "changed"):
        for folder in {(root / name).parent for name in changed}:
            files.make_folder(folder, within=root)
        parts = {name: _write_part(wanted[name], root / name, root) for name in changed}
        if is_hidden and annotation in present:
            present[annotation].unlink()
            files.sync_folder(present[annotation].parent)
        for name in sorted(changed, key=lambda name: name == annotation):
            if name == annotation:
                _sync(root / Path(other).parent for other in (*changed, *surplus) if other != annotation)
            parts[name].replace(root / name)
        for name in surplus:
            _remove(root / name)
        _sync(root / Path(name).parent for name in (*changed, *surplus))


def _put(source: Path | bytes, path: Path, root: Path, origins: Sequence[Path] = ()) -> None:
    """Create a file: a hard link of a screenshot or view hierarchy if possible, else a copy synced to disk."""
    if isinstance(source, bytes):
        files.write_durably(path, source, within=root)
        return
    within = next((origin for origin in origins if source.is_relative_to(origin)), root)
    with files.open_file(source, files.Largest.SCREENSHOT, within=within) as original:
        if path.parent.name in (SCREENSHOTS, UI_TREES):
            with suppress(OSError):
                path.hardlink_to(source.resolve())
                return
        with files.create_file(path, within=root) as copy:
            shutil.copyfileobj(original, copy)
            copy.flush()
            os.fsync(copy.fileno())


def _write_part(source: Path | bytes, path: Path, root: Path, origins: Sequence[Path] = ()) -> Path:
    part = path.with_name(path.name + PART)
    _remove(part)
    _put(source, part, root, origins)
    return part


def _has_contents(folder: Path, contents: Mapping[str, Path | bytes]) -> bool:
    present = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return present.keys() == contents.keys() and all(
        same_file(present[name], source) for name, source in contents.items()
    )


def same_file(one: Path, other: Path | bytes) -> bool:
    """Whether their contents are equal. Raises DatasetError."""
    with files.storage_errors(one, "read"):
        if isinstance(other, bytes):
            return files.read_file(one, files.Largest.SCREENSHOT) == other
        return one.samefile(other) or filecmp.cmp(one, other, shallow=False)


def _remove(path: Path) -> None:
    with files.storage_errors(path, "removed"):
        path.unlink(missing_ok=True)


def _sync(folders: Iterable[Path]) -> None:
    for folder in set(folders):
        files.sync_folder(folder)


def _sha256(source: Path | bytes) -> str:
    if isinstance(source, bytes):
        return hashlib.sha256(source).hexdigest()
    with files.storage_errors(source, "read"), files.open_file(source, files.Largest.SCREENSHOT) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
