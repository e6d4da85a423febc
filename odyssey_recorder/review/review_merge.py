"""Merges reviews of another checkout, another tool, or copies that a shared drive left; see docs/reviews.md."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from odyssey_recorder.dataset.episode_row import read_row
from odyssey_recorder.dataset.layout import CONTROLS, POLICY, REVIEW_NAME, REVIEWS
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse, shown
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import DatasetError, ReviewError, UnfitFileError
from odyssey_recorder.files import Largest, read_json, refuse_link, storage_error
from odyssey_recorder.model.episode import Json, is_episode_id
from odyssey_recorder.review.controls import ControlStore
from odyssey_recorder.review.review import ReviewFile
from odyssey_recorder.review.review_file import REVIEW_FORM, completed
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import decision_fault, same_person
from odyssey_recorder.review.views import subject_of


@dataclass(slots=True)
class Merged:
    """The number of new entries by episode, and messages about what was unreadable or not stored."""

    came: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def check_reviews(store: ReviewStore) -> Iterator[str]:
    """Unreadable or suspicious places in a dataset's reviews. Raises DatasetError."""
    try:
        store.policy()
    except ReviewError as error:
        yield str(error)
    for path in store.copies():
        yield f"{path} is a conflict copy left by a shared drive. Merge it with: odyssey-recorder reviews merge"
    for episode_id in store.ids():
        episode = read_row(store.root, episode_id)
        try:
            file = store.read(episode_id)
        except DatasetError as error:
            yield str(error)
            continue
        yield from file_faults(file, "" if episode is None else episode.annotator, place=REVIEWS)


def check_elsewhere(path: Path) -> Iterator[str]:
    """Like `check_reviews`, for a file or a folder that is to be merged. Raises DatasetError, ReviewError."""
    for found in _found_at(path, None):
        yield from [found] if isinstance(found, str) else file_faults(found, "", place=str(path))


def merge_reviews(store: ReviewStore, path: Path) -> Merged:
    """Add the entries at `path` (dataset, folder of reviews, or file) once. Raises DatasetError, ReviewError."""
    merged = Merged()
    for found in _found_at(path, store):
        _merge_one(store, found, merged)
    if (path / REVIEWS).is_dir():
        ControlStore(store.root).add_from(ControlStore(path))
    return merged


def merge_copies(store: ReviewStore) -> Merged:
    merged = Merged()
    for path in store.copies():
        problems = len(merged.problems)
        for found in _read(path, store, store.root):
            _merge_one(store, found, merged)
        if len(merged.problems) == problems:
            path.unlink(missing_ok=True)
    return merged


def _merge_one(store: ReviewStore, found: ReviewFile | str, merged: Merged) -> None:
    if isinstance(found, str):
        merged.problems.append(found)
        return
    merged.problems += found.problems
    before = store.read(found.episode_id)
    try:
        after = store.unite(ReviewFile(found.episode_id, found.entries, found.extra))
    except ReviewError as error:
        merged.problems.append(str(error))
        return
    new = len(after.entries) - len(before.entries)
    if new:
        merged.came[found.episode_id] = merged.came.get(found.episode_id, 0) + new


def _found_at(path: Path, store: ReviewStore | None) -> Iterator[ReviewFile | str]:
    """The review files at `path`; strings are problems. A verdict without a revision gets that in `store`."""
    if not path.exists():
        raise ReviewError(f"Nothing found at {path}.")
    if not path.is_dir():
        yield from _read(path, store, None)
        return
    folder = path / REVIEWS if (path / REVIEWS).is_dir() else path
    others = (POLICY, CONTROLS)
    files = (file for file in folder.iterdir() if file.suffix in (".json", ".jsonl") and file.name not in others)
    for file in sorted(files):
        try:
            refuse_link(file)
            yield from _read(file, store, path)
        except UnfitFileError as error:
            yield str(error)


def _read(path: Path, store: ReviewStore | None, within: Path | None) -> Iterator[ReviewFile | str]:
    try:
        data = read_json(path, Largest.REVIEWS, within=within)
    except UnfitFileError:
        raise
    except OSError as error:
        raise storage_error(error, path, "read") from error
    ours = REVIEW_NAME.fullmatch(path.name)
    if ours is not None:
        yield REVIEW_FORM.read(data, episode_id=ours[1], source=str(path))
        return
    try:
        trees = _verdicts(data, lines=path.suffix == ".jsonl")
    except NotPlainJsonError as error:
        yield f"{path}: {error}."
        return
    for number, tree in enumerate(trees, 1):
        try:
            yield from _from_other_tool(tree, store, place=f"{path}, entry {number}")
        except (ReviewError, DatasetError) as error:
            yield str(error)


def _verdicts(data: bytes, *, lines: bool) -> list[Json]:
    """The output of another tool: a verdict, a list of them, an object with a list of them, or JSON lines."""
    if lines:
        return [parse(line) for line in data.split(b"\n") if line.strip()]
    tree = parse(data)
    if isinstance(tree, dict) and isinstance(tree.get("verdicts"), list):
        tree = tree["verdicts"]
    return tree if isinstance(tree, list) else [tree]


def _from_other_tool(tree: Json, store: ReviewStore | None, *, place: str) -> Iterator[ReviewFile]:
    keys = tree if isinstance(tree, dict) else {}
    episode_id = keys.get("episode_id")
    if not isinstance(episode_id, str) or not is_episode_id(episode_id):
        raise ReviewError(f"{place}: episode_id: expected 16 decimal digits, found {shown(episode_id)}.")
    own = completed({key: value for key, value in keys.items() if key != "episode_id"})
    if store is None:
        yield ReviewFile(episode_id, (REVIEW_FORM.read_entry({"revision": "", **own}, place=place),))
        return
    entry = REVIEW_FORM.read_entry({**_known(store, episode_id, place), **own}, place=place)
    if all(known.id != entry.id for known in store.read(episode_id).entries):
        yield ReviewFile(episode_id, (entry,))


def _known(store: ReviewStore, episode_id: str, place: str) -> dict[str, Json]:
    episode = read_row(store.root, episode_id)
    if episode is None:
        raise ReviewError(f"{place}: there is no episode {episode_id} in {store.root}.")
    revision = Versions(store.root, store.is_recorded).revision(episode_id)
    return {"revision": revision, "subject": subject_of(episode).model_dump()}


def file_faults(file: ReviewFile, recorder: str, *, place: str) -> Iterator[str]:
    """Unreadable or suspicious places in a review file; `recorder` is empty if unknown."""
    yield from file.problems
    where = f"{place}, {file.episode_id}"
    ids = Counter(entry.id for entry in file.entries)
    for repeated in (entry_id for entry_id, count in ids.items() if count > 1):
        yield f"{where}: 2 different entries have the id {repeated}. Change one of them"
    for verdict in file.verdicts:
        faults = [decision_fault(verdict.decision, verdict.judgements)]
        if any(same_person(verdict.by, name) for name in (recorder, verdict.subject.recorder)):
            faults.append("it is by the annotator of the episode.")
        for fault in filter(None, faults):
            which = f"of {shown(verdict.by)} at {verdict.at:%Y-%m-%d %H:%M} UTC"
            yield f"{where}: the verdict {which} does not count: {fault}"
