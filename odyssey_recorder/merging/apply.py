"""Carries out a merge: into a new folder, which appears when it is complete, or episode by episode into one of both."""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from odyssey_recorder.annotation.semantics import SemanticsStore
from odyssey_recorder.dataset.change_journal import Change, Journal, do_not_record
from odyssey_recorder.dataset.episode_files import add, keep, version_name
from odyssey_recorder.dataset.layout import (
    EPISODE_FOLDERS,
    METADATA,
    SOURCES,
    TRASH,
    annotation_path,
    files_of,
    history_path,
)
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import Largest, make_folder, publish_folder, read_file, storage_errors, write_durably
from odyssey_recorder.merging.plan import (
    Files,
    MergeDecisions,
    MergePlan,
    MergeSource,
    PlannedEpisode,
    contents_of,
    plan_merge,
    same_contents,
    same_files,
    saved,
)
from odyssey_recorder.review.controls import ControlStore
from odyssey_recorder.review.review_store import ReviewStore

_UNFINISHED = f"{METADATA}/merge.json"
"""While a merge is carried out: the version that was decided on, by episode."""

_SECOND_NS = 10**9


def prepare(first: Path, second: Path, target: Path, decisions: MergeDecisions) -> MergePlan:
    """The plan of a merge into `target`: one of both datasets, or a folder that does not exist yet.

    Raises DatasetError, ReviewError.
    """
    a, b = MergeSource(first), MergeSource(second)
    into = next((source for source in (a, b) if _is_same(target, source.root)), None)
    if into is not None:
        decisions = replace(decisions, versions=_unfinished(into.root))
        return plan_merge(a, b, decisions, keeps_id="A" if into is a else "B")
    if target.exists() or target.is_symlink():
        raise DatasetError(f"{target} already exists. Choose a new folder, or one of the two datasets.")
    for source in (a, b):
        if target.resolve().is_relative_to(source.root.resolve()):
            raise DatasetError(f"{target} is in {source.root}, which is not to be changed. Choose another folder.")
    return plan_merge(a, b, decisions)


def merge(first: Path, second: Path, target: Path, decisions: MergeDecisions) -> MergePlan:
    """Merge two datasets, and return what was done: nothing if there are conflicts.

    After an interruption the same call continues. Raises DatasetError, ReviewError.
    """
    into = next((source for source in (first, second) if _is_same(target, source)), None)
    if into is not None:
        with _journal(into).held():
            plan = prepare(first, second, target, decisions)
            if not plan.conflicts:
                root = into.absolute()
                _Merge(plan, root, next(source for source in plan.sources if source.root == root)).run()
        return plan
    plan = prepare(first, second, target, decisions)
    if not plan.conflicts:
        part = target.absolute().with_name(f"{target.name}.part")
        _empty(part)
        _Merge(plan, part, None).run()
        publish_folder(part, target)
    return plan


def _journal(root: Path) -> Journal:
    return Journal(root, ReviewStore(root).is_recorded)


def _empty(part: Path) -> None:
    """Make the folder, or empty that of an interrupted merge."""
    is_ours = any((part / name).is_file() for name in (_UNFINISHED, SOURCES))
    if part.is_symlink() or (part.exists() and not is_ours and any(entry.name != METADATA for entry in part.iterdir())):
        raise DatasetError(f"{part} is in the way. Move it away.")
    with storage_errors(part, "written"):
        make_folder(part / METADATA)
        write_durably(part / _UNFINISHED, b"{}")
        for path in part.iterdir():
            if path.name != METADATA:
                shutil.rmtree(path)
        (part / SOURCES).unlink(missing_ok=True)
        for name in EPISODE_FOLDERS:
            make_folder(part / name)


class _Merge:
    """Into `root`, which is the dataset `into`, or a new folder if that is None. Every step may be repeated."""

    def __init__(self, plan: MergePlan, root: Path, into: MergeSource | None) -> None:
        self._plan = plan
        self._root = root
        self._present = dict(into.files) if into is not None else {}
        self._trash = into.trash if into is not None else {}
        self._journal = _journal(root)
        self._origins = [source.root for source in plan.sources]

    def run(self) -> None:
        changed = [episode for episode in self._plan.episodes if self._differs(episode)]
        self._write_plan(changed)
        for episode in self._plan.episodes:
            if episode.former:
                self._keep_replaced(episode)
        for episode in changed:
            self._carry_out(episode)
        self._add_saved()
        reviews = ReviewStore(self._root)
        for file in self._plan.reviews.values():
            if reviews.read(file.episode_id) != file:
                reviews.unite(file)
        controls = ControlStore(self._root)
        for origin in self._origins:
            controls.add_from(ControlStore(origin))
        self._add_texts()
        if reviews.policy() != self._plan.policy:
            reviews.set_policy(self._plan.policy)
        with storage_errors(self._root / _UNFINISHED, "removed"):
            (self._root / _UNFINISHED).unlink(missing_ok=True)

    def _differs(self, episode: PlannedEpisode) -> bool:
        present = self._present.get(episode.episode_id, {})
        if episode.outcome == "in both" and present:
            return False
        if episode.renamed is not None and episode.renamed[0] not in self._present:
            return True
        return bool(present or episode.files) and not same_files(present, episode.files)

    def _write_plan(self, changed: list[PlannedEpisode]) -> None:
        """Write where episodes come from, and which versions were decided on, before anything changes."""
        if not changed:
            return
        lines = {line for origin in (*self._origins, self._root) for line in _origins_in(origin)}
        for episode in changed:
            lines.update(self._lines(episode.episode_id, episode.files, {}))
            if episode.renamed is not None:
                lines.update(self._lines(*episode.renamed, {"merged_from": episode.episode_id}))
        decided = {
            episode.episode_id: version_name(episode.files, episode.episode_id)
            for episode in changed
            if episode.former and episode.files
        }
        make_folder(self._root / METADATA, within=self._root)
        write_durably(self._root / _UNFINISHED, json.dumps(decided).encode(), within=self._root)
        data = "".join(f"{line}\n" for line in sorted(lines)).encode()
        write_durably(self._root / SOURCES, data, within=self._root)

    def _lines(self, episode_id: str, files: Files, more: Mapping[str, str]) -> Iterator[str]:
        """A line for each dataset, other than the one merged into, that has this annotation."""
        original = more.get("merged_from", episode_id)
        for source in self._plan.sources:
            annotation = source.episodes.get(original, {}).get(annotation_path(original))
            if source.root == self._root or annotation is None or not files:
                continue
            data = contents_of(annotation)
            if more or same_contents(files[annotation_path(episode_id)], data):
                row = {"episode_id": episode_id, "dataset": source.root.resolve().name}
                yield json.dumps({**row, "annotation": hashlib.sha256(data).hexdigest(), **more})

    def _carry_out(self, episode: PlannedEpisode) -> None:
        present = self._present.get(episode.episode_id, {})
        is_live = annotation_path(episode.episode_id) in present
        if episode.renamed is not None:
            self._add(*episode.renamed)
        if not episode.files:
            if is_live:
                self._change(episode.episode_id, self._trash_of(episode), "", {self._trash_of(episode): present})
        elif is_live and not same_files(present, episode.files):
            versions = [
                history_path(episode.episode_id, version_name(files, episode.episode_id))
                for files in (present, episode.files)
            ]
            keep(episode.files, self._root / versions[1], self._root, self._origins)
            self._change(episode.episode_id, versions[0], versions[1], {versions[0]: present})
        elif not is_live and episode.trash in self._trash:
            self._change(episode.episode_id, "", f"{TRASH}/{episode.trash}", {})
        elif not is_live:
            self._add(episode.episode_id, episode.files)

    def _add(self, episode_id: str, files: Files) -> None:
        for name, source in self._present.get(episode_id, {}).items():
            if name in files and not same_contents(source, files[name]):
                raise DatasetError(f"{self._root / name} is of no episode there. Move it away, then merge again.")
        add(self._root, episode_id, files, self._origins)

    def _change(self, episode_id: str, source: str, target: str, folders: Mapping[str, Files]) -> None:
        self._journal.carry_out(Change(episode_id=episode_id, source=source, target=target), folders, do_not_record)

    def _trash_of(self, episode: PlannedEpisode) -> str:
        """Where a trashed episode goes: if it differs from the one there, to a folder of its own, a second older."""
        moment = int(episode.trash[17:]) - (_SECOND_NS if episode.former else 0)
        return f"{TRASH}/{episode.episode_id}-{max(0, moment)}"

    def _keep_replaced(self, episode: PlannedEpisode) -> None:
        version = history_path(episode.episode_id, version_name(episode.former, episode.episode_id))
        folder = self._root / (version if episode.files else self._trash_of(episode))
        keep(episode.former, folder, self._root, self._origins)

    def _add_texts(self) -> None:
        """Also of an episode that got another id: its steps are known by their keys."""
        texts = SemanticsStore(self._root)
        renamed = {
            episode.episode_id: episode.renamed[0] for episode in self._plan.episodes if episode.renamed is not None
        }
        for file in self._plan.semantics.values():
            for episode_id in filter(None, (file.episode_id, renamed.get(file.episode_id))):
                texts.add(episode_id, file.entries)

    def _add_saved(self) -> None:
        """Copy versions and trashed episodes that the target lacks."""
        restored = {f"{TRASH}/{episode.trash}" for episode in self._plan.episodes if episode.files and episode.trash}
        folders: dict[str, list[Files]] = {}
        ids: dict[str, str] = {}
        for source in self._plan.sources:
            for path, episode_id, folder in saved(source):
                ids[path] = episode_id
                if path not in restored and not (self._root / path).is_dir() and (kept := files_of(folder, episode_id)):
                    folders.setdefault(path, []).append(kept)
        for path, found in sorted(folders.items()):
            files: Files = found[0]
            if not all(same_files(files, version) for version in found):
                complete = [version for version in found if version_name(version, ids[path]) == Path(path).name]
                if not complete:
                    raise DatasetError(f"{path} differs in the two datasets. Move one of the two away.")
                files = complete[0]
            keep(files, self._root / path, self._root, self._origins)


def _unfinished(root: Path) -> dict[str, str]:
    path = root / _UNFINISHED
    try:
        tree = parse(read_file(path, Largest.INDEX, within=root))
    except FileNotFoundError:
        return {}
    except (OSError, NotPlainJsonError) as error:
        raise DatasetError(f"{path} cannot be read: {error}. Move it away.") from error
    return (
        {name: version for name, version in tree.items() if isinstance(version, str)} if isinstance(tree, dict) else {}
    )


def _origins_in(root: Path) -> Iterator[str]:
    path = root / SOURCES
    try:
        lines = read_file(path, Largest.INDEX, within=root).splitlines()
        yield from (json.dumps(parse(line)) for line in lines)
    except FileNotFoundError:
        return
    except (OSError, NotPlainJsonError) as error:
        raise DatasetError(f"{path} cannot be read: {error}. Move it away.") from error


def _is_same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)
