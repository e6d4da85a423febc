"""The files of splits: those of anyone are read; ours are planned, written together, and known again by their hash."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from odyssey_recorder.dataset.change_journal import locked, under_way
from odyssey_recorder.dataset.layout import METADATA, SPLITS, SPLITS_RECORD, TRAIN_IN_ALL, split_path
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse, shown
from odyssey_recorder.errors import DatasetError, showable
from odyssey_recorder.files import (
    Largest,
    check_within,
    make_folder,
    read_json,
    refuse_link,
    storage_errors,
    sync_folder,
    write_durably,
)
from odyssey_recorder.splits.drawing import (
    KINDS,
    VERSION,
    DrawnSplit,
    DrawRules,
    Split,
    SplitDraw,
    draw,
    moved,
    train_in_all,
)
from odyssey_recorder.splits.episodes import SplitEpisode, app_classes, fingerprint
from odyssey_recorder.splits.leaks import LeakReport, leak_report
from odyssey_recorder.validation import FrozenModel, first_fault

_FORMAT = 1
_STAGE = f"{METADATA}/splits.part"


class InvalidSplitError(DatasetError):
    """`why` follows the file's name in a sentence."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path} {why}.")
        self.why = why


class SplitRecord(FrozenModel):
    """`sha256` is that of the split file; `counts` are episodes by part, category and device."""

    sha256: str
    train: int
    test: int
    seed: int | None = None
    target: float | None = None
    is_near: bool = True
    held: tuple[str, ...] = ()
    counts: Mapping[str, Mapping[str, Mapping[str, int]]]


class SplitsRecord(FrozenModel):
    """How splits were made; all of metadata/splits.json.

    `fingerprint` stands for the episodes, `base` for those of the release whose sides were kept. `moved` is how many
    episodes a reshuffle moved, by split; `missing` says why a split was not made.
    """

    format: int = _FORMAT
    algorithm: int = VERSION
    rules: DrawRules
    episodes: int
    fingerprint: str
    base: str | None = None
    moved: Mapping[str, int]
    splits: Mapping[str, SplitRecord]
    missing: Mapping[str, str]
    leaks: LeakReport


@dataclass(frozen=True, slots=True)
class PlannedSplits:
    """`files` are all files to write, by path in the dataset."""

    record: SplitsRecord
    drawing: SplitDraw
    files: Mapping[str, bytes]


# Reading.


def split_names(folder: Path) -> tuple[list[str], list[str]]:
    """The names of split files in a folder, and of all that does not belong there. Raises DatasetError."""
    with storage_errors(folder, "read"), suppress(FileNotFoundError), os.scandir(folder) as entries:
        names = sorted(showable(entry.name) for entry in entries)
        splits = [name for name in names if name.endswith(".json") and name[0] != "."]
        return splits, [name for name in names if name not in splits]
    return [], []


def read_split(path: Path) -> Split:
    """Any split file: its entries may be ids or file names, of episodes that exist or not, and may repeat.

    Raises InvalidSplitError, and DatasetError if the file cannot be read at all.
    """
    return _parsed(path, _read(path))


def read_splits(folder: Path) -> list[Split]:
    """All split files in a folder. Raises DatasetError, also if there is none."""
    names, _ = split_names(folder)
    if not names:
        raise DatasetError(f"{folder} has no splits: expected files such as random_split.json.")
    return [read_split(folder / name) for name in names]


def read_record(root: Path) -> SplitsRecord | None:
    """How the dataset's splits were made; None if it does not say. Raises DatasetError."""
    return _record_in(root, _current_path(root, SPLITS_RECORD))


def _record_in(root: Path, path: Path) -> SplitsRecord | None:
    if not path.exists():
        return None
    with storage_errors(path, "read"):
        data = read_json(path, Largest.INDEX, within=root)
    try:
        record = SplitsRecord.model_validate_json(data)
    except ValidationError as error:
        raise DatasetError(f"{path} was not made by this program. Move it away ({first_fault(error)}).") from error
    if record.format > _FORMAT:
        raise DatasetError(f"{path} was written by a newer version of Odyssey Recorder. Update this one.")
    return record


def read_drawing(root: Path) -> tuple[SplitsRecord, SplitDraw]:
    """The splits that were made for a dataset. Raises DatasetError, also if a file has changed since."""
    record = read_record(root)
    if record is None:
        raise DatasetError(f"{root} does not say how its splits were made: {SPLITS_RECORD} is missing.")
    drawn = {}
    for kind, split in record.splits.items():
        path = _current_path(root, split_path(kind))
        if _sha256(data := _read(path)) != split.sha256:
            raise DatasetError(f"{path} has changed since it was made. Restore it, or make the splits again.")
        drawn[kind] = DrawnSplit(_parsed(path, data), split.held, split.seed, split.target)
    return record, SplitDraw(record.rules, drawn, record.missing)


def _current_path(root: Path, name: str) -> Path:
    """Where a file is: staged, if it was about to be put in its place when that was interrupted."""
    return root / _STAGE / Path(name).name if _staged(root, name) else root / name


def _staged(root: Path, name: str) -> bool:
    """Whether the file is staged, and all others were: the record comes last."""
    stage = root / _STAGE
    return (stage / Path(SPLITS_RECORD).name).exists() and (stage / Path(name).name).exists()


def _read(path: Path) -> bytes:
    with storage_errors(path, "read"):
        return read_json(path, Largest.INDEX, within=path.parent.parent)


def _parsed(path: Path, data: bytes) -> Split:
    try:
        tree = parse(data)
    except NotPlainJsonError as error:
        raise InvalidSplitError(path, f"cannot be read: {error}") from error
    parts = [tree.get(part) for part in ("train", "test")] if isinstance(tree, dict) else []
    train, test = (_ids(part) if isinstance(part, list) else None for part in (parts or (None, None)))
    if train is None or test is None:
        raise InvalidSplitError(path, "needs 2 lists of episodes, train and test")
    return Split(showable(path.stem).removesuffix("_split"), train, test)


def _ids(entries: Iterable[object]) -> tuple[str, ...]:
    return tuple(sorted(entry.removesuffix(".json") if isinstance(entry, str) else shown(entry) for entry in entries))


# Making.


def plan_splits(
    root: Path,
    facts: Sequence[SplitEpisode],
    rules: DrawRules | None = None,
    *,
    base: Path | None = None,
    reshuffle: bool = False,
) -> PlannedSplits:
    """Draw splits for the dataset `root`; writes nothing. Raises DatasetError.

    `base` is a dataset folder whose splits are released; without `rules`, its rules hold, or the usual ones.
    Splits that continue a release do so from then on, with or without `base`, until they are reshuffled. Others keep
    the sides of `random` as long as the rules are the same.
    """
    before = _previous(root, base, reshuffle=reshuffle)
    released = None if before is None or reshuffle else before
    if released is not None and rules not in (None, released[1].rules):
        raise DatasetError("The splits continue released ones, whose rules hold. Other rules need a reshuffle.")
    rules = rules or DrawRules()
    random = None if reshuffle or released is not None else _own_random(root, rules)
    drawing = draw(facts, rules, app_classes(root), None if released is None else released[1], random)
    if not drawing.drawn:
        raise DatasetError(" ".join(drawing.missing.values()))
    splits = {kind: drawn.split for kind, drawn in drawing.drawn.items()}
    files = {split_path(kind): split_as_json(split) for kind, split in splits.items()}
    usual = [split for kind, split in splits.items() if kind in KINDS]
    replaced = {} if before is None or released is not None else before[1].drawn
    record = SplitsRecord(
        rules=drawing.rules,
        episodes=len(facts),
        fingerprint=fingerprint(facts),
        base=None if released is None else released[0],
        moved={kind: moved(replaced[kind].split, splits[kind]) for kind in splits if kind in replaced},
        splits={kind: _recorded(drawn, files[split_path(kind)], facts) for kind, drawn in drawing.drawn.items()},
        missing=drawing.missing,
        leaks=leak_report(usual, facts, unit=drawing.rules.unit),
    )
    files[TRAIN_IN_ALL] = "".join(f"{episode_id}\n" for episode_id in train_in_all(usual)).encode()
    files[SPLITS_RECORD] = f"{record.model_dump_json(indent=4)}\n".encode()
    return PlannedSplits(record, drawing, files)


def _previous(root: Path, base: Path | None, *, reshuffle: bool) -> tuple[str | None, SplitDraw] | None:
    """The splits to continue or to reshuffle, with the fingerprint of the release that they are or continue."""
    if base is not None:
        record, drawing = read_drawing(base)
        return record.fingerprint, drawing
    own = read_record(root)
    if own is None or (own.base is None and not reshuffle):
        return None
    return own.base, read_drawing(root)[1]


def _own_random(root: Path, rules: DrawRules) -> DrawnSplit | None:
    """The dataset's random split, if it was drawn by the same rules and is as it was made."""
    with suppress(DatasetError):
        record, drawing = read_drawing(root)
        return drawing.drawn.get("random") if record.rules == rules else None
    return None


def _recorded(drawn: DrawnSplit, data: bytes, facts: Iterable[SplitEpisode]) -> SplitRecord:
    split, tested = drawn.split, {*drawn.split.test}
    times = Counter(
        ("test" if episode.episode_id in tested else "train", episode.category, episode.device) for episode in facts
    )
    counts: dict[str, dict[str, dict[str, int]]] = {}
    for (part, category, device), count in sorted(times.items()):
        counts.setdefault(part, {}).setdefault(category, {})[device] = count
    return SplitRecord(
        sha256=_sha256(data), train=len(split.train), test=len(split.test), seed=drawn.seed, target=drawn.target,
        is_near=drawn.is_near, held=drawn.held, counts=counts,
    )  # fmt: skip


def split_as_json(split: Split) -> bytes:
    """As in the released files."""
    parts = {"train": split.train, "test": split.test}
    tree = {part: [f"{episode_id}.json" for episode_id in ids] for part, ids in parts.items()}
    return (json.dumps(tree, indent=4) + "\n").encode()


# Writing.


def write_splits(root: Path, planned: PlannedSplits) -> None:
    """Replace the dataset's splits, all or none: if that is interrupted, the next call completes it first.

    Raises DatasetError, before any change, if a file in splits/ is not one that was made here.
    """
    if (change := under_way(root)) is not None:
        raise DatasetError(
            f"A fix of episode {change.episode_id} was interrupted. Open the episode in Review to finish or undo it, "
            "then make the splits."
        )
    with locked(root):
        with storage_errors(root / _STAGE, "written"):
            check_within(root / _STAGE, root)
            refuse_link(root / _STAGE)
        if (root / _STAGE).exists():
            _settle(root)
        _refuse_foreign(root)
        for folder in (root / SPLITS, root / _STAGE):
            make_folder(folder, within=root)
        for name, data in planned.files.items():
            write_durably(root / _STAGE / Path(name).name, data, within=root)
        _settle(root)


def _settle(root: Path) -> None:
    """Put staged files in their places if all were staged, the record last; otherwise drop them."""
    stage, record, before = root / _STAGE, read_record(root), _record_in(root, root / SPLITS_RECORD)
    with storage_errors(stage, "written"):
        if record is not None and _staged(root, SPLITS_RECORD):
            kinds = {*KINDS, *record.splits, *(() if before is None else before.splits)}
            for name in (*map(split_path, kinds), TRAIN_IN_ALL, SPLITS_RECORD):
                if _staged(root, name):
                    sync_folder(root / SPLITS)
                    (stage / Path(name).name).replace(root / name)
                elif name in {split_path(kind) for kind in kinds - record.splits.keys()}:
                    (root / name).unlink(missing_ok=True)
        for path in stage.iterdir():
            path.unlink()
        stage.rmdir()
        sync_folder(root / METADATA)


def _refuse_foreign(root: Path) -> None:
    record = read_record(root)
    ours = {} if record is None else {split_path(kind): split.sha256 for kind, split in record.splits.items()}
    names, others = split_names(root / SPLITS)
    for path in (f"{SPLITS}/{name}" for name in sorted([*others, *names])):
        if path not in ours or _sha256(_read(root / path)) != ours[path]:
            raise DatasetError(f"{root / path} was not made here, or has changed since. Move it away, then try again.")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
