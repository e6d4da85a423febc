"""Plans the merge of two datasets: which of two episodes with the same id is kept, and what a person must decide."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from odyssey_recorder.annotation.semantics import SemanticsFile, SemanticsStore
from odyssey_recorder.dataset.change_journal import under_way
from odyssey_recorder.dataset.codec import decode, dialect_of, encode
from odyssey_recorder.dataset.entry_file import union
from odyssey_recorder.dataset.episode_files import same_file, version_name
from odyssey_recorder.dataset.layout import (
    EPISODE_FOLDERS,
    FILE_NAMES,
    HISTORY,
    TRASH,
    TRASH_NAME,
    VERSION_NAME,
    annotation_path,
    files_of,
    history_path,
    names_in,
    provenance_path,
    read_dataset_file,
)
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.files import Largest
from odyssey_recorder.model.episode import screenshot_name
from odyssey_recorder.review.review import Move, ReviewFile
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy

Files = Mapping[str, Path | bytes]
"""An episode's files by path in the dataset."""

Preference = Literal["A", "B", "both"]
Outcome = Literal["from A", "from B", "in both", "completed", "A is newer", "B is newer", "A", "B", "both", "in trash"]


class MergeSource:
    """One of the two datasets, which is only read; its files are looked up once. Raises DatasetError."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        if not (self.root / EPISODE_FOLDERS[0]).is_dir():
            raise DatasetError(f"{root} is not a dataset folder: annotations/ with episode files is missing.")
        if (change := under_way(self.root)) is not None:
            raise DatasetError(
                f"A fix of episode {change.episode_id} in {root} was interrupted. Open the episode in Review to finish "
                "or undo it, then merge."
            )
        found: dict[str, dict[str, Path | bytes]] = {}
        for folder in EPISODE_FOLDERS:
            for name in names_in(self.root / folder):
                if match := FILE_NAMES[folder].fullmatch(name):
                    found.setdefault(match[1], {})[f"{folder}/{name}"] = self.root / folder / name
        self.files: Mapping[str, Files] = found
        self.episodes: Mapping[str, Files] = {
            episode_id: files for episode_id, files in found.items() if annotation_path(episode_id) in files
        }
        self.trash = {
            path.name: named[1] for path in _folders(self.root / TRASH) if (named := TRASH_NAME.fullmatch(path.name))
        }

    @cached_property
    def reviews(self) -> Mapping[str, ReviewFile]:
        """Raises ReviewError for a file with unreadable places, or conflict copies."""
        store = ReviewStore(self.root)
        for copy in store.copies():
            raise ReviewError(f"{copy} is a conflict copy. Merge it first: odyssey-recorder reviews merge")
        return {episode_id: store.read_complete(episode_id) for episode_id in store.ids()}

    @cached_property
    def semantics(self) -> Mapping[str, SemanticsFile]:
        """Raises ReviewError for a file with unreadable places."""
        store = SemanticsStore(self.root)
        return {episode_id: store.read_complete(episode_id) for episode_id in store.ids()}

    @cached_property
    def histories(self) -> Mapping[str, list[str]]:
        """The names of saved versions, by episode."""
        return {folder.name: [inner.name for inner in _folders(folder)] for folder in _folders(self.root / HISTORY)}

    def reviews_of(self, episode_id: str) -> ReviewFile:
        return self.reviews.get(episode_id, ReviewFile(episode_id))

    def holds(self, episode_id: str, version: str) -> bool:
        return version in self.histories.get(episode_id, ())

    def trashed(self, episode_id: str) -> str:
        """The name of the episode's newest folder in the trash, or an empty text."""
        return max(
            (name for name, value in self.trash.items() if value == episode_id),
            key=lambda name: int(name[17:]),
            default="",
        )


@dataclass(frozen=True, slots=True)
class PlannedEpisode:
    """`files` are its files after the merge, none if it is in the trash; `former` those of another version, which goes
    to the history; `renamed` is the other one under a new id. `trash` names its folder in the trash.
    """

    episode_id: str
    outcome: Outcome
    files: Files = field(default_factory=dict)
    former: Files = field(default_factory=dict)
    renamed: tuple[str, Files] | None = None
    trash: str = ""


@dataclass(frozen=True, slots=True)
class MergePlan:
    """`conflicts` say by episode what differs and was not decided; "" stands for the review policy."""

    sources: tuple[MergeSource, MergeSource]
    episodes: tuple[PlannedEpisode, ...]
    reviews: Mapping[str, ReviewFile]
    semantics: Mapping[str, SemanticsFile]
    policy: ReviewPolicy
    conflicts: Mapping[str, str]

    def counts(self) -> dict[str, int]:
        outcomes = [episode.outcome for episode in self.episodes]
        return {outcome: outcomes.count(outcome) for outcome in sorted({*outcomes})}


@dataclass(frozen=True, slots=True)
class MergeDecisions:
    """What people decided: in general, by episode, and on the review policy. `versions` are of an interrupted merge."""

    prefer: Preference | None = None
    by_episode: Mapping[str, Preference] = field(default_factory=dict)
    policy: Literal["A", "B"] | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    def on(self, episode_id: str) -> Preference | None:
        return self.by_episode.get(episode_id, self.prefer)


def plan_merge(
    first: MergeSource, second: MergeSource, decisions: MergeDecisions, *, keeps_id: Preference | None = None
) -> MergePlan:
    """Decide on every episode; writes nothing. Raises DatasetError, ReviewError.

    `keeps_id` is the dataset whose episode keeps its id where both are kept: the one that is merged into.
    """
    planner = _Planner(first, second, decisions, keeps_id)
    ids = sorted({*first.episodes, *second.episodes, *first.trash.values(), *second.trash.values()})
    planned = tuple(filter(None, map(planner.plan, ids)))
    reviewed = sorted({*first.reviews, *second.reviews})
    texts = {
        episode_id: union(*(source.semantics.get(episode_id, SemanticsFile(episode_id)) for source in (first, second)))
        for episode_id in sorted({*first.semantics, *second.semantics})
    }
    policies = [ReviewStore(source.root).policy() for source in (first, second)]
    if policies[0] != policies[1] and decisions.policy is None:
        planner.conflicts[""] = "The review policies differ. Choose one with --policy."
    return MergePlan(
        (first, second), planned,
        {episode_id: union(first.reviews_of(episode_id), second.reviews_of(episode_id)) for episode_id in reviewed},
        texts, policies[decisions.policy == "B"], planner.conflicts,
    )  # fmt: skip


class _Planner:
    def __init__(
        self, first: MergeSource, second: MergeSource, decisions: MergeDecisions, keeps_id: Preference | None
    ) -> None:
        self._a, self._b = first, second
        self._decisions = decisions
        self._keeps_id = keeps_id
        self.conflicts: dict[str, str] = {}

    def plan(self, episode_id: str) -> PlannedEpisode | None:
        a, b = self._a.episodes.get(episode_id), self._b.episodes.get(episode_id)
        if a is not None and b is not None:
            return self._both(episode_id, a, b)
        if a is None and b is None:
            return None
        if a is not None:
            return self._one(PlannedEpisode(episode_id, "from A", a), self._a, self._b)
        return self._one(PlannedEpisode(episode_id, "from B", b or {}), self._b, self._a)

    def _one(self, live: PlannedEpisode, here: MergeSource, there: MergeSource) -> PlannedEpisode | None:
        """An episode of one dataset, which may be in the other's trash: the last recorded move decides."""
        episode_id, folder = live.episode_id, there.trashed(live.episode_id)
        if not folder:
            return live
        reviews = union(self._a.reviews_of(episode_id), self._b.reviews_of(episode_id))
        moves = [entry for entry in reviews.entries if isinstance(entry, Move) and entry.to != "annotator"]
        trashed = files_of(there.root / TRASH / folder, episode_id)
        is_same = same_files(live.files, trashed)
        wanted = self._decisions.on(episode_id)
        in_trash = replace(live, outcome="in trash", files={}, former={} if is_same else live.files, trash=folder)
        if moves and is_same:
            return in_trash if moves[-1].to == "trash" else replace(live, trash=folder)
        if wanted is not None:
            is_preferred = wanted == "both" or wanted == live.outcome[-1]
            return live if is_preferred else in_trash
        why = "its files there differ" if moves else "no review says why"
        self._ask(episode_id, f"it is in {here.root}, and in the trash of {there.root}, but {why}")
        return None

    def _both(self, episode_id: str, a: Files, b: Files) -> PlannedEpisode | None:
        if _agree(a, b):
            return PlannedEpisode(episode_id, "in both" if a.keys() == b.keys() else "completed", {**a, **b})
        versions = version_name(a, episode_id), version_name(b, episode_id)
        newer = self._newer(episode_id, *versions)
        if newer is not None:
            files, former = (a, b) if newer == "A" else (b, a)
            return PlannedEpisode(episode_id, "A is newer" if newer == "A" else "B is newer", files, former)
        match self._decisions.on(episode_id):
            case "A":
                return PlannedEpisode(episode_id, "A", a, b)
            case "B":
                return PlannedEpisode(episode_id, "B", b, a)
            case "both":
                first = self._keeps_id or ("A" if versions[0] < versions[1] else "B")
                files, other, version = (a, b, versions[1]) if first == "A" else (b, a, versions[0])
                return PlannedEpisode(episode_id, "both", files, renamed=self._renamed(episode_id, other, version))
            case None:
                self._ask(episode_id, "the two differ, and neither history has the other")
                return None

    def _newer(self, episode_id: str, version_a: str, version_b: str) -> Literal["A", "B"] | None:
        """Whose history holds the other; if both do, since a fix was taken back, the one with more fixes on record."""
        decided = self._decisions.versions.get(episode_id)
        if decided in (version_a, version_b):
            return "A" if decided == version_a else "B"
        a_holds, b_holds = self._a.holds(episode_id, version_b), self._b.holds(episode_id, version_a)
        if a_holds and b_holds:
            a_fixes, b_fixes = (
                {fix.id for fix in source.reviews_of(episode_id).fixes} for source in (self._a, self._b)
            )
            a_holds, b_holds = a_fixes > b_fixes, b_fixes > a_fixes
        return "A" if a_holds else "B" if b_holds else None

    def _renamed(self, episode_id: str, files: Files, version: str) -> tuple[str, Files]:
        number = int(hashlib.sha256(version.encode()).hexdigest(), 16)
        while True:
            new = f"{number % 10**16:016}"
            contents = renamed(files, episode_id, new)
            taken = [source.files[new] for source in (self._a, self._b) if new in source.files]
            if all(_agree(kept, contents) for kept in taken):
                return new, contents
            number += 1

    def _ask(self, episode_id: str, why: str) -> None:
        self.conflicts[episode_id] = f"Episode {episode_id}: {why}. Choose with --prefer {episode_id}=A, B or both."


def renamed(files: Files, old: str, new: str) -> Files:
    """The files of an episode under another id. Raises DatasetError if it cannot be read."""
    contents = {name.replace(old, new): source for name, source in files.items()}
    data = contents_of(files[annotation_path(old)])
    episode = decode(data, source=annotation_path(old))
    steps = tuple(replace(step, screenshot=screenshot_name(new, place)) for place, step in enumerate(episode.steps))
    dialect = dialect_of(data, source=annotation_path(old))
    contents[annotation_path(new)] = encode(replace(episode, episode_id=new, steps=steps), dialect)
    if (source := files.get(provenance_path(old))) is not None:
        contents[provenance_path(new)] = _renamed_provenance(contents_of(source), old, new)
    return contents


def _renamed_provenance(data: bytes, old: str, new: str) -> bytes:
    try:
        tree = parse(data)
    except NotPlainJsonError as error:
        raise DatasetError(f"{provenance_path(old)} cannot be read: {error}. Keep only one of both.") from error
    steps = tree.get("steps") if isinstance(tree, dict) else None
    for step in steps if isinstance(steps, list) else ():
        if isinstance(step, dict) and isinstance(name := step.get("ui_tree"), str):
            step["ui_tree"] = name.replace(old, new)
    renamed_tree = {**tree, "episode_id": new} if isinstance(tree, dict) else tree
    return json.dumps(renamed_tree, ensure_ascii=False, indent=2).encode()


def saved(source: MergeSource) -> Iterator[tuple[str, str, Path]]:
    """Each saved version and trashed episode: its path in the dataset, its episode, its folder."""
    for episode_id, versions in source.histories.items():
        for version in versions:
            if VERSION_NAME.fullmatch(version):
                yield history_path(episode_id, version), episode_id, source.root / history_path(episode_id, version)
    for name, episode_id in source.trash.items():
        yield f"{TRASH}/{name}", episode_id, source.root / TRASH / name


def same_files(one: Files, other: Files) -> bool:
    return one.keys() == other.keys() and _agree(one, other)


def _agree(one: Files, other: Files) -> bool:
    """Whether the files that both have are equal, with the annotation among them."""
    return all(same_contents(one[name], other[name]) for name in sorted(one.keys() & other.keys()))


def same_contents(one: Path | bytes, other: Path | bytes) -> bool:
    if isinstance(one, bytes):
        return one == other if isinstance(other, bytes) else same_file(other, one)
    return same_file(one, other)


def contents_of(source: Path | bytes) -> bytes:
    return source if isinstance(source, bytes) else read_dataset_file(source, Largest.PROVENANCE)


def _folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
