"""Conversion of an episode file or a whole dataset folder to another dialect."""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.dataset import layout
from odyssey_recorder.dataset.boxes import with_boxes
from odyssey_recorder.dataset.codec import Dialect, read_annotation, read_episode, write_episode
from odyssey_recorder.dataset.provenance import read_provenance
from odyssey_recorder.errors import DatasetError, UnfitFileError
from odyssey_recorder.files import Largest, create_file, make_folder, open_file, refuse_link, storage_error
from odyssey_recorder.model.episode import Episode


@dataclass(frozen=True, slots=True)
class Conversion:
    """The files that were written, and a message for each that was not."""

    written: tuple[Path, ...]
    failures: tuple[str, ...]


def convert(
    source: Path,
    target: Path,
    dialect: Dialect,
    *,
    with_screenshots: bool = False,
    refuse: Callable[[Path], str] = lambda _: "",
) -> Conversion:
    """Convert the episode file or the dataset folder `source` to `dialect`, at `target`.

    Of a folder, each ``annotations/*.json`` is written under its name to `target`; a bad file does not stop the others.
    `with_screenshots` puts screenshots and view hierarchies there too: as hard links, or as copies on another disk.
    `refuse` returns why a file is left out, or an empty string. The `RELEASE` dialect gets boxes: see `with_boxes`.

    Raises DatasetError if there is nothing to convert. Never writes over what it reads.
    """
    if source.is_dir():
        return _convert_all(source, target, dialect, with_screenshots=with_screenshots, refuse=refuse)
    if with_screenshots:
        raise DatasetError(f"{source} is not a dataset folder. Screenshots can only be copied from one.")
    place = target / source.name if target.is_dir() else target
    _respell(source, place, read_episode(source), dialect)
    return Conversion((place,), ())


def _convert_all(
    source: Path, target: Path, dialect: Dialect, *, with_screenshots: bool, refuse: Callable[[Path], str]
) -> Conversion:
    files = layout.annotation_files(source)
    if not files:
        raise DatasetError(f"{source} is not a dataset folder: {layout.ANNOTATIONS}/ with episode files is missing.")
    make_folder(target / layout.ANNOTATIONS, within=target)
    written: list[Path] = []
    failures: list[str] = []
    for file in files:
        place = target / layout.ANNOTATIONS / file.name
        try:
            if why := refuse(file):
                failures.append(why)
                continue
            refuse_link(file)
            episode = read_annotation(file)
            if with_screenshots:
                _bring_files(episode, source, target)
            _respell(file, place, episode, dialect)
            written.append(place)
        except DatasetError as error:
            failures.append(str(error))
    return Conversion(tuple(written), tuple(failures))


def _respell(file: Path, place: Path, episode: Episode, dialect: Dialect) -> None:
    if place.exists() and place.samefile(file):
        raise DatasetError(f"{place} would overwrite itself. Choose another output.")
    if dialect is Dialect.RELEASE:
        provenance = layout.EpisodeFiles.of(file.absolute()).provenance
        episode = with_boxes(episode, read_provenance(provenance) if provenance else None)
    write_episode(place, episode, dialect)


def _bring_files(episode: Episode, source: Path, target: Path) -> None:
    """Put the screenshots and view hierarchies into `target`; nothing if a screenshot is missing or is a link."""
    for step in episode.steps:
        screenshot = source / layout.SCREENSHOTS / step.screenshot
        if not screenshot.is_file():
            raise DatasetError(
                f"{episode.episode_id}.json: its screenshot {step.screenshot} is missing in {screenshot.parent}."
            )
        refuse_link(screenshot)
    names = [f"{layout.SCREENSHOTS}/{step.screenshot}" for step in episode.steps]
    trees = (layout.ui_tree_path(episode.episode_id, number) for number in range(len(episode.steps)))
    names += [tree for tree in trees if (source / tree).is_file()]
    for folder in {Path(name).parent for name in names}:
        make_folder(target / folder, within=target)
    for name in names:
        _bring(source / name, target / name)


def _bring(file: Path, place: Path) -> None:
    refuse_link(file)
    part = place.with_name(f"{place.name}.part")
    try:
        if place.exists() and place.samefile(file):
            return
        part.unlink(missing_ok=True)
        with open_file(file, Largest.SCREENSHOT, within=file.parent.parent) as original:
            try:
                os.link(file, part)
            except OSError:  # another disk, or one without links
                with create_file(part, within=place.parent.parent) as copy:
                    shutil.copyfileobj(original, copy)
        part.replace(place)
    except UnfitFileError:
        raise
    except OSError as error:
        raise storage_error(error, place, "written") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
