"""Conversion of an episode file, or of the annotations of a dataset folder, to another dialect."""

import os
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.dataset import layout
from odyssey_recorder.dataset.boxes import with_boxes
from odyssey_recorder.dataset.codec import Dialect, read_annotation, read_episode, write_episode
from odyssey_recorder.dataset.provenance import read_provenance
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import make_folder, refuse_link
from odyssey_recorder.model.episode import Episode


@dataclass(frozen=True, slots=True)
class Conversion:
    """The files that were written, and a message for each that was not."""

    written: tuple[Path, ...]
    failures: tuple[str, ...]


def convert(source: Path, target: Path, dialect: Dialect) -> Conversion:
    """Convert the episode file or the dataset folder `source` to `dialect`, at `target`.

    Of a folder, each ``annotations/*.json`` is written under its name to `target`; a bad file does not stop the others.
    The `RELEASE` dialect gets boxes: see `with_boxes`. An episode with a redaction is not converted.

    Raises DatasetError if there is nothing to convert. Never writes over what it reads.
    """
    if source.is_dir():
        return _convert_all(source, target, dialect)
    place = target / source.name if target.is_dir() else target
    _respell(source, place, read_episode(source), dialect)
    return Conversion((place,), ())


def _convert_all(source: Path, target: Path, dialect: Dialect) -> Conversion:
    files = layout.annotation_files(source)
    if not files:
        raise DatasetError(f"{source} is not a dataset folder: {layout.ANNOTATIONS}/ with episode files is missing.")
    make_folder(target / layout.ANNOTATIONS, within=target)
    written: list[Path] = []
    failures: list[str] = []
    for file in files:
        place = target / layout.ANNOTATIONS / file.name
        try:
            refuse_link(file)
            _respell(file, place, read_annotation(file), dialect)
            written.append(place)
        except DatasetError as error:
            failures.append(str(error))
    return Conversion(tuple(written), tuple(failures))


def _respell(file: Path, place: Path, episode: Episode, dialect: Dialect) -> None:
    if place.exists() and place.samefile(file):
        raise DatasetError(f"{place} would overwrite itself. Choose another output.")
    root = file.absolute().parent.parent
    if os.path.lexists(root / layout.redaction_path(file.stem)):
        raise DatasetError(f"{file.name} has a redaction, which only `export` applies. Export the episode.")
    if dialect is Dialect.RELEASE:
        provenance = layout.EpisodeFiles.of(file.absolute()).provenance
        episode = with_boxes(episode, read_provenance(provenance) if provenance else None)
    write_episode(place, episode, dialect)
