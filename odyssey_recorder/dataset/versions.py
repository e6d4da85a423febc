"""Amendments of published episodes: each earlier version stays in the dataset's history and can be restored."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from odyssey_recorder.dataset import layout
from odyssey_recorder.dataset.amending import Amended, amended, nothing_sent
from odyssey_recorder.dataset.amendment import Amendment, NewBox, Repair
from odyssey_recorder.dataset.change_journal import Change, Contents, Journal, Record, Recorded, do_not_record, never
from odyssey_recorder.dataset.codec import Dialect, decode, decode_annotation, dialect_of, encode
from odyssey_recorder.dataset.episode_files import version_name
from odyssey_recorder.dataset.lenient import read_damaged, with_end
from odyssey_recorder.dataset.png import read_png
from odyssey_recorder.dataset.provenance import EpisodeProvenance, read_provenance
from odyssey_recorder.errors import DatasetError, InvalidEpisodeError, ReviewError
from odyssey_recorder.files import Largest
from odyssey_recorder.model.action import Complete, Impossible, is_terminal
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.geometry import Size


class Versions:
    """Thread-safe, and safe across processes. `recorded` decides whether an interrupted change is completed."""

    def __init__(self, root: Path, recorded: Recorded = never) -> None:
        self._root = root.absolute()
        self._journal = Journal(self._root, recorded)

    def revision(self, episode_id: str) -> str:
        """The SHA-256 of the annotation file; waits for an amendment that is under way. Raises DatasetError."""
        annotation = self._root / layout.annotation_path(layout.checked_id(episode_id))
        try:
            data = layout.read_dataset_file(annotation, Largest.PROVENANCE)
        except DatasetError:
            if self.recover() != episode_id:
                raise
            data = layout.read_dataset_file(annotation, Largest.PROVENANCE)
        return hashlib.sha256(data).hexdigest()

    def recover(self) -> str | None:
        """Settle an interrupted change; returns the id of its episode, or None. Raises DatasetError."""
        return self._journal.recover()

    def amend(
        self, episode_id: str, amendment: Amendment, *, expected: str = "", record: Record = do_not_record
    ) -> Change:
        """Amend an episode atomically, and keep the version before. Raises ReviewError, DatasetError.

        `expected` is the revision that the reviewer saw; another one is refused. `record` is called last; if it raises,
        the episode is unchanged.
        """
        with self._journal.held():
            current = self._current(episode_id, expected)
            if isinstance(amendment, Repair):
                return self._carry_out(current, self._repaired(current, amendment), record)
            new_contents, removed = self._amended(current, amendment)
            return self._carry_out(current, new_contents, record, removed)

    def restore(self, episode_id: str, version: str, *, expected: str = "", record: Record = do_not_record) -> Change:
        """Restore a kept version byte for byte; the present one is kept too. Otherwise like `amend`."""
        if layout.VERSION_NAME.fullmatch(version) is None:
            raise ReviewError(f"{version!r} is not a saved version and cannot be restored.")
        with self._journal.held():
            current = self._current(episode_id, expected)
            kept: Contents = layout.files_of(self._folder(episode_id, version), episode_id)
            if version_name(kept, episode_id) != version:
                raise DatasetError(
                    f"{self._folder(episode_id, version)} is missing or damaged. The episode was not changed. "
                    "Restore that folder from a backup."
                )
            return self._carry_out(current, kept, record)

    def _carry_out(
        self,
        current: "_Current",
        new_contents: Contents,
        record: Record,
        removed: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
    ) -> Change:
        episode_id = current.episode_id
        source, target = version_name(current.contents, episode_id), version_name(new_contents, episode_id)
        if source == target:
            raise ReviewError(f"Episode {episode_id} is already like this. Nothing would change.")
        change = Change(
            episode_id=episode_id,
            source=layout.history_path(episode_id, source),
            target=layout.history_path(episode_id, target),
            removed=dict(removed),
        )
        self._journal.carry_out(change, {change.source: current.contents, change.target: new_contents}, record)
        return change

    def _current(self, episode_id: str, expected: str) -> "_Current":
        files = layout.files_of(self._root, layout.checked_id(episode_id))
        annotation = layout.read_dataset_file(self._root / layout.annotation_path(episode_id), Largest.PROVENANCE)
        if expected and hashlib.sha256(annotation).hexdigest() != expected:
            raise ReviewError(f"Episode {episode_id} has changed since it was opened. Open it again.")
        provenance = files.get(layout.provenance_path(episode_id))
        return _Current(
            episode_id,
            files,
            annotation,
            None if provenance is None else layout.read_dataset_file(provenance, Largest.PROVENANCE),
        )

    def _amended(self, current: "_Current", amendment: Amendment) -> tuple[Contents, Mapping[str, tuple[int, ...]]]:
        annotation = layout.annotation_path(current.episode_id)
        episode = decode_annotation(current.annotation, current.episode_id, source=annotation)
        provenance = read_provenance(self._root / layout.provenance_path(current.episode_id))
        screenshot_size = self._size_of(current.episode_id, amendment.step) if isinstance(amendment, NewBox) else None
        after = amended(episode, provenance, amendment, screenshot_size=screenshot_size)
        dialect = dialect_of(current.annotation, source=annotation)
        contents = _renumbered(current, after, len(episode.steps))
        contents[annotation] = encode(after.episode, dialect)
        if current.provenance is not None and after.provenance is not None and after.provenance != provenance:
            merged = _provenance_file(current.provenance, after.provenance, after.kept)
            contents[layout.provenance_path(current.episode_id)] = merged
        return contents, after.removed

    def _repaired(self, current: "_Current", repair: Repair) -> Contents:
        name, source = current.episode_id, layout.annotation_path(current.episode_id)
        damaged = read_damaged(current.annotation, name)
        if damaged is None:
            return self._newest_complete(name)
        count = len(damaged.steps)
        lacks_end = not count or not is_terminal(damaged.steps[-1].action)
        in_place = lacks_end and layout.screenshot_path(name, count) not in current.files
        try:
            end = _end(repair) if lacks_end and repair.end is not None else None
            episode = with_end(current.annotation, name, end, in_place=in_place)
        except InvalidEpisodeError as error:
            raise ReviewError(f"This is not enough: {error}") from error
        contents = current.contents
        contents[source] = encode(episode, _dialect(current.annotation))
        provenance = read_provenance(self._root / layout.provenance_path(name)) if in_place else None
        if current.provenance is not None and provenance is not None and len(provenance.steps) == count:
            shortened = nothing_sent(provenance, count - 1)
            contents[layout.provenance_path(name)] = _provenance_file(current.provenance, shortened, range(count))
        return contents

    def _newest_complete(self, episode_id: str) -> Contents:
        """The newest kept version whose files are unchanged."""
        folders = (self._root / layout.HISTORY / episode_id).glob("*-*")
        versions = [folder for folder in folders if layout.VERSION_NAME.fullmatch(folder.name)]
        for folder in sorted(versions, key=lambda version: version.stat().st_mtime_ns, reverse=True):
            kept = layout.files_of(folder, episode_id)
            with suppress(DatasetError):
                if version_name(kept, episode_id) == folder.name:
                    annotation = kept[layout.annotation_path(episode_id)]
                    decode(layout.read_dataset_file(annotation, Largest.PROVENANCE), source=folder.name)
                    return kept
        raise ReviewError(
            f"Nothing can be read from the annotation of episode {episode_id}, and no earlier version "
            "is saved. Restore the file from a backup, send the episode back, or reject it."
        )

    def _size_of(self, episode_id: str, step: int) -> Size:
        path = self._root / layout.screenshot_path(episode_id, step)
        try:
            return Size(*read_png(path, within=self._root).size)
        except OSError as error:
            raise ReviewError(f"{path} cannot be opened as an image, so boxes cannot be drawn on it.") from error

    def _folder(self, episode_id: str, version: str) -> Path:
        return self._root / layout.history_path(episode_id, version)


def _end(repair: Repair) -> Complete | Impossible:
    if repair.end == "COMPLETE":
        return Complete(repair.words)
    if not repair.words.strip():
        raise ReviewError("IMPOSSIBLE needs a reason. Enter what made the task impossible.")
    return Impossible(repair.words)


def _dialect(damaged: bytes) -> Dialect:
    try:
        return dialect_of(damaged, source="")
    except InvalidEpisodeError:
        return Dialect.CARD


@dataclass(frozen=True, slots=True)
class _Current:
    """The present files of an episode; those that may change in place are read already."""

    episode_id: str
    files: dict[str, Path]
    annotation: bytes
    provenance: bytes | None

    @property
    def contents(self) -> dict[str, Path | bytes]:
        read = {
            layout.annotation_path(self.episode_id): self.annotation,
            layout.provenance_path(self.episode_id): self.provenance,
        }
        return {**self.files, **{name: data for name, data in read.items() if data is not None}}


def _renumbered(current: _Current, after: Amended, before: int) -> dict[str, Path | bytes]:
    """The files under the steps' new numbers; `before` is the former number of steps."""
    episode_id = current.episode_id
    names = (layout.screenshot_path, layout.ui_tree_path)
    of_steps = {name(episode_id, number) for name in names for number in range(before)}
    contents = {name: source for name, source in current.contents.items() if name not in of_steps}
    for new, old in enumerate(after.kept):
        for name in names:
            if (source := current.files.get(name(episode_id, old))) is not None:
                contents[name(episode_id, new)] = source
    return contents


def _provenance_file(old: bytes, provenance: EpisodeProvenance, kept: Sequence[int]) -> bytes:
    """The new provenance, with the keys of the old file that the model does not know."""
    old_keys = json.loads(old)
    old_keys["steps"] = [old_keys["steps"][number] for number in kept]
    merged = _merged(old_keys, provenance.model_dump(mode="json"))
    return json.dumps(merged, ensure_ascii=False, indent=2).encode()


def _merged(old_keys: Json, known: Json) -> Json:
    match old_keys, known:
        case dict(), dict():
            return {**old_keys, **{key: _merged(old_keys.get(key), value) for key, value in known.items()}}
        case list(), list() if len(old_keys) == len(known):
            return [_merged(one, other) for one, other in zip(old_keys, known, strict=True)]
        case _:
            return known
