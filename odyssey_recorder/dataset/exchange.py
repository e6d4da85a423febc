"""Which files of a dataset are those of one episode, how they are kept elsewhere whole, and how they are exchanged.

A folder that keeps an episode is laid out as a dataset is: whatever reads a dataset reads it too.
"""

import filecmp
import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from odyssey_recorder.dataset.layout import SCREENSHOTS, UI_TREES, annotation_path, files_of, provenance_path
from odyssey_recorder.files import (
    Largest,
    check_within,
    create_file,
    make_folder,
    open_file,
    read_file,
    storage_error,
    sync_folder,
    write_durably,
)

PART = ".part"
"""What the name of a file or a folder ends in that is not yet, or no longer, what it is called."""


def version_name(contents: Mapping[str, Path | bytes], episode_id: str) -> str:
    """What a version of an episode is called: the SHA-256 of its annotation, and 16 digits that stand for all else.

    Raises DatasetError.
    """
    hashes = {name: _sha256(source) for name, source in sorted(contents.items())}
    revision = hashes.pop(annotation_path(episode_id), "")
    rest = "\n".join(f"{digest} {name}" for name, digest in hashes.items())
    return f"{revision}-{_sha256(rest.encode())[:16]}"


def keep(contents: Mapping[str, Path | bytes], folder: Path, root: Path) -> None:
    """Make `folder` in the dataset `root`, whole or not at all, unless it holds that already. Raises DatasetError.

    Pictures and view trees are linked where the disk allows it; what is sometimes changed in place is copied.
    """
    if _holds(folder, contents):
        return
    part = folder.with_name(folder.name + PART)
    try:
        check_within(part, root)
        drop_folder(folder)
        shutil.rmtree(part, ignore_errors=True)
        for inner in {Path(name).parent for name in contents}:
            make_folder(part / inner, within=root)
        for name, source in contents.items():
            _put(source, part / name, root)
        _sync({part / Path(name).parent for name in contents} | {part})
        make_folder(folder.parent, within=root)
        part.rename(folder)
        sync_folder(folder.parent)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise storage_error(error, folder, "kept") from error


def drop_folder(folder: Path) -> Path:
    """Take a folder's name away, so that it is no trash any more; what is to be deleted at leisure."""
    gone = folder.with_name(folder.name + PART)
    if folder.is_dir():
        shutil.rmtree(gone, ignore_errors=True)
        folder.rename(gone)
        sync_folder(folder.parent)
    return gone


def exchange(root: Path, episode_id: str, wanted: Mapping[str, Path]) -> None:
    """Make the files of an episode in the dataset `root` those of `wanted`, which lie elsewhere. Raises DatasetError.

    What needs room comes first, beside the files; then they are renamed. Where pictures or trees come, go or change
    places, the annotation is away meanwhile: whoever reads it finds all pictures that belong to it, or no episode.
    Where it fails, the episode may be away, and files beside its own may lie about, until it succeeds for the same or
    for other `wanted`.
    """
    for stale in files_of(root, episode_id, ending=PART).values():
        _remove(stale)
    present = files_of(root, episode_id)
    annotation = annotation_path(episode_id)
    surplus = [name for name in present if name not in wanted]
    changed = [name for name in wanted if name not in present or not _same(present[name], wanted[name])]
    hides = bool({*surplus, *changed} - {annotation, provenance_path(episode_id)})
    if hides and annotation in wanted:
        changed = [*(name for name in changed if name != annotation), annotation]
    try:
        parts = {name: _beside(wanted[name], root / name, root) for name in changed}
        if hides:
            _withdraw(present.get(annotation))
        for name in sorted(changed, key=lambda name: name == annotation):
            if name == annotation:
                _sync(root / Path(other).parent for other in (*changed, *surplus) if other != annotation)
            parts[name].replace(root / name)
        for name in surplus:
            _remove(root / name)
        _sync(root / Path(name).parent for name in (*changed, *surplus))
    except OSError as error:
        raise storage_error(error, root / annotation, "changed") from error


def _put(source: Path | bytes, path: Path, root: Path) -> None:
    """Put a file where none is: a link of a picture or tree if that can be, else a copy that is on the disk.

    Both lie in the dataset `root`.
    """
    if isinstance(source, bytes):
        write_durably(path, source, within=root)
        return
    with open_file(source, Largest.PICTURE, within=root) as original:
        if path.parent.name in (SCREENSHOTS, UI_TREES):
            with suppress(OSError):
                path.hardlink_to(source.resolve())
                return
        with create_file(path, within=root) as copy:
            shutil.copyfileobj(original, copy)
            copy.flush()
            os.fsync(copy.fileno())


def _beside(source: Path, path: Path, root: Path) -> Path:
    part = path.with_name(path.name + PART)
    make_folder(path.parent, within=root)
    _remove(part)
    _put(source, part, root)
    return part


def _withdraw(annotation: Path | None) -> None:
    if annotation is not None:
        annotation.unlink()
        sync_folder(annotation.parent)


def _holds(folder: Path, contents: Mapping[str, Path | bytes]) -> bool:
    there = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return there.keys() == contents.keys() and all(_same(there[name], source) for name, source in contents.items())


def _same(one: Path, other: Path | bytes) -> bool:
    try:
        if isinstance(other, bytes):
            return read_file(one, Largest.PICTURE) == other
        return one.samefile(other) or filecmp.cmp(one, other, shallow=False)
    except OSError as error:
        raise storage_error(error, one, "read") from error


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(error, path, "removed") from error


def _sync(folders: Iterable[Path]) -> None:
    for folder in set(folders):
        sync_folder(folder)


def _sha256(source: Path | bytes) -> str:
    if isinstance(source, bytes):
        return hashlib.sha256(source).hexdigest()
    try:
        with open_file(source, Largest.PICTURE) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise storage_error(error, source, "read") from error
