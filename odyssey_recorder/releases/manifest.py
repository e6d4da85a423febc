"""What a release says of each episode, and what changed from one release to the next."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from odyssey_recorder.dataset.layout import ANNOTATIONS, SCREENSHOTS, annotation_path, read_dataset_file
from odyssey_recorder.dataset.lenient import read_leniently
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import Largest, open_file, storage_errors
from odyssey_recorder.model.episode import Json, screenshot_name
from odyssey_recorder.splits.drawing import Split
from odyssey_recorder.validation import FrozenModel

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}\z")]


class ReleasedEpisode(FrozenModel):
    """A line of manifest.jsonl; hashes are SHA-256.

    `screenshots` are in the order of the steps, `bytes` their size with the annotation, `fields` the first digits of
    the hash of each key of the annotation, so that later releases can say what changed.
    """

    episode_id: str = Field(pattern=r"^[0-9]{16}\z")
    annotation: Sha256
    screenshots: tuple[Sha256, ...]
    bytes: int
    verdict: str
    fields: Mapping[str, str]


class ReleaseChanges(FrozenModel):
    """From one release to the next: `removed` says why, `changed` names keys, `moved` are episodes by split."""

    added: tuple[str, ...] = ()
    removed: Mapping[str, str] = {}
    changed: Mapping[str, tuple[str, ...]] = {}
    moved: Mapping[str, tuple[str, ...]] = {}

    @property
    def by_kind(self) -> dict[str, Mapping[str, str]]:
        """The episodes by what happened to them, each with why or how, or an empty text."""
        return {
            "added": dict.fromkeys(self.added, ""),
            "removed": self.removed,
            "changed": {episode_id: ", ".join(names) for episode_id, names in self.changed.items()},
            **{f"moved in {kind}": dict.fromkeys(ids, "") for kind, ids in self.moved.items()},
        }

    def __bool__(self) -> bool:
        return any((self.added, self.removed, self.changed, self.moved))


def read_released(folder: Path, episode_id: str, verdict: str) -> ReleasedEpisode:
    """Describe an episode in `folder`, which is laid out as a dataset. Raises DatasetError."""
    path = folder / annotation_path(episode_id)
    data = read_dataset_file(path, Largest.ANNOTATION)
    try:
        tree = parse(data)
    except NotPlainJsonError as error:
        raise DatasetError(f"{path} cannot be read: {error}.") from error
    steps = read_leniently(data, source=str(path)).steps
    names = [screenshot_name(episode_id, number) for number in range(len(steps))]
    screenshots = [_hashed(folder, f"{SCREENSHOTS}/{name}") for name in names]
    return ReleasedEpisode(
        episode_id=episode_id,
        annotation=hashlib.sha256(data).hexdigest(),
        screenshots=tuple(sha256 for sha256, _ in screenshots),
        bytes=len(data) + sum(size for _, size in screenshots),
        verdict=verdict,
        fields={name: _short_hash(value) for name, value in sorted(_flat(tree).items())},
    )


def changes(
    before: Iterable[ReleasedEpisode],
    after: Iterable[ReleasedEpisode],
    why_removed: Callable[[str], str],
    moved: Mapping[str, tuple[str, ...]],
) -> ReleaseChanges:
    old, new = ({episode.episode_id: episode for episode in listed} for listed in (before, after))
    both = {episode_id: _changed(old[episode_id], new[episode_id]) for episode_id in sorted(old.keys() & new.keys())}
    return ReleaseChanges(
        added=tuple(sorted(new.keys() - old.keys())),
        removed={episode_id: why_removed(episode_id) for episode_id in sorted(old.keys() - new.keys())},
        changed={episode_id: names for episode_id, names in both.items() if names},
        moved=moved,
    )


def moved_sides(before: Sequence[Split], after: Sequence[Split]) -> dict[str, tuple[str, ...]]:
    """The episodes of both that are on another side, by split."""
    old = {split.kind: split.sides for split in before}
    moved = {}
    for split in after:
        was_in_test = old.get(split.kind, {})
        ids = (episode_id for episode_id, side in split.sides.items() if was_in_test.get(episode_id, side) != side)
        moved[split.kind] = tuple(sorted(ids))
    return {kind: ids for kind, ids in moved.items() if ids}


def _changed(old: ReleasedEpisode, new: ReleasedEpisode) -> tuple[str, ...]:
    if (old.annotation, old.screenshots) == (new.annotation, new.screenshots):
        return ()
    names = {*old.fields, *new.fields}
    changed = sorted(name for name in names if old.fields.get(name) != new.fields.get(name))
    if old.screenshots != new.screenshots:
        changed.append(SCREENSHOTS)
    return tuple(changed) or (f"layout of {ANNOTATIONS}",)


def _flat(tree: Json) -> dict[str, Json]:
    """Keys of the annotation with their values; those of steps with their values in all steps."""
    flat: dict[str, Json] = {}
    for key, value in tree.items() if isinstance(tree, dict) else ():
        match value:
            case dict():
                flat |= {f"{key}.{name}": inner for name, inner in value.items()}
            case list() if all(isinstance(row, dict) for row in value):
                rows = [row for row in value if isinstance(row, dict)]
                for name in {name for row in rows for name in row}:
                    flat[f"{key}.{name}"] = [row.get(name) for row in rows]
            case _:
                flat[key] = value
    return flat


def _short_hash(value: Json) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def _hashed(folder: Path, name: str) -> tuple[str, int]:
    with storage_errors(folder / name, "read"), open_file(folder / name, Largest.SCREENSHOT, within=folder) as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), file.tell()
