"""The layouts: how episodes are divided into shards, and what a shard's files are.

A shard is written by one process from the dataset alone, so its bytes depend neither on the others nor on the number
of processes.
"""

import hashlib
import json
import os
import secrets
import shutil
import socket
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal

from odyssey_recorder.annotation.exchange import Texts
from odyssey_recorder.dataset.codec import ANNOTATION_KEYS
from odyssey_recorder.dataset.layout import ANNOTATIONS, SCREENSHOTS
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting.episodes import ExportedEpisode, read_exported, step_rows
from odyssey_recorder.files import create_file, make_folder, refuse_link, storage_errors, write_durably
from odyssey_recorder.model.episode import Json
from odyssey_recorder.splits.drawing import KINDS, Kind

JOURNAL = "export.jsonl"
"""In the folder being written: what is exported, then a line for each finished shard."""

MIB = 1024 * 1024
_SIDES = {"train": "0", "test": "1"}
NEITHER = "2"


@dataclass(frozen=True, slots=True)
class Planned:
    """An episode to be exported: the bytes of its screenshots, and its side in each split."""

    episode_id: str
    size: int
    sides: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shard:
    """`name` is a path within the export; a layout of many files per shard uses it for the journal only."""

    name: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sampling:
    """The samples of a trainer's layout: for which kind of model, with which history, as `predict` asks.

    A step has a sample for each of `levels`: the task is the episode's instruction or, if "low", the step's. With
    `semantic`, it has three more, for its texts. With `pairs`, there are only samples of preference pairs. `split`
    empty: all episodes, in one part.
    """

    adapter: str = "odyssey-agent"
    history: str = "actions"
    levels: tuple[Literal["high", "low"], ...] = ("high",)
    semantic: bool = False
    pairs: bool = False
    split: Kind | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class Options:
    """`like`: the release whose keys an annotation has. `per_step`: a JSON line per step. `shard_bytes` and
    `group_bytes` bound shards and Parquet's row groups. `texts`: those of the steps. `samples`: in a layout of
    TRAINERS.
    """

    like: Literal["v1", "v2"] = "v2"
    per_step: bool = False
    shard_bytes: int = 500 * MIB
    group_bytes: int = 32 * MIB
    texts: Texts = "none"
    samples: Sampling = field(default_factory=Sampling)


Hashes = dict[str, str]
"""The SHA-256 of files by their paths within the export."""

Write = Callable[[Path, Shard, Path, Options], Hashes]
"""Writes a shard of the dataset into a folder; returns its files. Raises DatasetError, OSError."""


@dataclass(frozen=True, slots=True)
class Layout:
    """`copies`: whether the screenshots' bytes are written again, not linked."""

    name: str
    plan: Callable[[Sequence[Planned], Options], list[Shard]]
    write: Write
    copies: bool = True


def cell(sides: Mapping[str, str]) -> str:
    """The cell of an episode: its side in the four splits, as in r0t1d0a2. 2: the split does not name it."""
    return "".join(f"{kind[0]}{_SIDES.get(sides.get(kind, ''), NEITHER)}" for kind in KINDS)


def _by_bytes(episodes: Sequence[Planned], name: str, at_most: int) -> Iterator[Shard]:
    """Consecutive episodes, up to `at_most` bytes of screenshots each; `name` has a place for the number."""
    ids: list[str] = []
    size = number = 0
    for one in episodes:
        if ids and size + one.size > at_most:
            yield Shard(name.format(number), tuple(ids))
            ids, size, number = [], 0, number + 1
        ids.append(one.episode_id)
        size += one.size
    if ids:
        yield Shard(name.format(number), tuple(ids))


def by_count(name: str, ids: Sequence[str], count: int) -> list[Shard]:
    """Consecutive episodes, `count` each; `name` has a place for the number."""
    return [Shard(name.format(at // count), tuple(ids[at : at + count])) for at in range(0, len(ids), count)]


def _plan_by_count(name: str, count: int) -> Callable[[Sequence[Planned], Options], list[Shard]]:
    return lambda episodes, _: by_count(name, [one.episode_id for one in episodes], count)


class HashedWriter:
    """Writes to a file, and hashes on a thread of its own meanwhile, so that nothing is read a second time.

    At most one piece waits to be hashed. `sha256` is there once the block has ended.
    """

    closed = False  # pyarrow asks

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self._thread = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None
        self.size = 0
        self.sha256 = ""

    def __enter__(self) -> "HashedWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()
        self.sha256 = self._hash.hexdigest()

    def write(self, data: bytes) -> int:
        if self._last is not None:
            self._last.result()
        self._last = self._thread.submit(self._hash.update, data)
        self.size += len(data)
        return self._file.write(data)

    def beside(self, data: bytes) -> Future[str]:
        """The SHA-256 of other data, on the same thread."""
        return self._thread.submit(lambda: hashlib.sha256(data).hexdigest())

    def flush(self) -> None:
        self._file.flush()


def _write_file(folder: Path, name: str, data: bytes) -> str:
    """Its SHA-256."""
    write_durably(folder / name, data, within=folder)
    return hashlib.sha256(data).hexdigest()


# Release


def _write_release(root: Path, shard: Shard, folder: Path, options: Options) -> Hashes:
    for name in (ANNOTATIONS, SCREENSHOTS):
        make_folder(folder / name, within=folder)
    written: Hashes = {}
    for episode_id in shard.ids:
        exported = read_exported(root, episode_id, options.texts)
        written |= write_screenshots(exported, folder)
        name = f"{ANNOTATIONS}/{episode_id}.json"
        tree = exported.tree if options.like == "v2" else _without_annotations(exported.tree)
        written[name] = _write_file(folder, name, json.dumps(tree, ensure_ascii=False, indent=4).encode() + b"\n")
    return written


def write_screenshots(exported: ExportedEpisode, folder: Path) -> Hashes:
    """Hard links, where nothing is redacted and the disk allows it. Raises DatasetError."""
    written: Hashes = {}
    for number, step in enumerate(exported.episode.steps):
        name = f"{SCREENSHOTS}/{step.screenshot}"
        if exported.is_redacted(number):
            written[name] = _write_file(folder, name, exported.screenshot(number))
        else:
            _bring(exported.screenshots / step.screenshot, folder / name)
            written[name] = sha256_of(folder / name)
    return written


def _without_annotations(tree: dict[str, Json]) -> dict[str, Json]:
    steps = tree["steps"]
    assert isinstance(steps, list)
    kept = [{key: value for key, value in step.items() if key not in ANNOTATION_KEYS} for step in steps
            if isinstance(step, dict)]  # fmt: skip
    return {**tree, "steps": list[Json](kept)}


def summary_row(exported: ExportedEpisode) -> dict[str, Json]:
    """A row of all_annot.json."""
    episode = exported.episode
    return {
        "episode_id": episode.episode_id,
        "h": episode.device.size.height,
        "w": episode.device.size.width,
        "device_name": episode.device.device_name,
        "category": episode.task.category,
        "app": list(episode.task.apps),
        "meta_task": episode.task.meta_task,
        "task": episode.task.task,
        "instruction": episode.task.instruction,
        "step_length": len(episode.steps),
    }


def _bring(file: Path, place: Path) -> None:
    """A hard link, or a copy on another disk."""
    with storage_errors(place, "written"):
        refuse_link(file)
        link = _beside(place)
        with suppress(OSError):
            link.hardlink_to(file)
            link.replace(place)
            link.unlink(missing_ok=True)  # it stays if both already were the same file
            return
        with whole_file(place) as copy, file.open("rb") as original:
            shutil.copyfileobj(original, copy)


# JSON Lines


def _write_lines(root: Path, shard: Shard, folder: Path, options: Options) -> Hashes:
    lines: list[str] = []
    for episode_id in shard.ids:
        exported = read_exported(root, episode_id, options.texts)
        trees = list(step_rows(exported)) if options.per_step else [exported.tree]
        lines += (json.dumps(tree, ensure_ascii=False) + "\n" for tree in trees)
    make_folder((folder / shard.name).parent, within=folder)
    return {shard.name: _write_file(folder, shard.name, "".join(lines).encode())}


# WebDataset


def _plan_tars(episodes: Sequence[Planned], options: Options) -> list[Shard]:
    return list(_by_bytes(episodes, "data/episodes-{:06}.tar", options.shard_bytes))


def _write_tar(root: Path, shard: Shard, folder: Path, options: Options) -> Hashes:
    path = folder / shard.name
    make_folder(path.parent, within=folder)
    with whole_file(path) as copy, HashedWriter(copy) as tar:
        for episode_id in shard.ids:
            exported = read_exported(root, episode_id, options.texts)
            for row in step_rows(exported):
                number = row["step"]
                assert isinstance(number, int)
                key = f"{episode_id}_{number}"
                picture = _entry(f"{key}.png", exported.screenshot(number))
                tar.write(picture + _entry(f"{key}.json", json.dumps(row, ensure_ascii=False).encode()))
        end = 2 * tarfile.BLOCKSIZE
        tar.write(bytes(end + -(tar.size + end) % tarfile.RECORDSIZE))
    return {shard.name: tar.sha256}


def _entry(name: str, data: bytes) -> bytes:
    """For a tar; `tarfile.TarFile` would copy 16 kB at a time."""
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    return entry.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % tarfile.BLOCKSIZE)


# Parquet


def _plan_parquet(episodes: Sequence[Planned], options: Options) -> list[Shard]:
    cells: dict[str, list[Planned]] = {}
    for one in episodes:
        cells.setdefault(cell(one.sides), []).append(one)
    shards = [
        shard
        for name, found in sorted(cells.items())
        for shard in _by_bytes(found, f"data/{name}-{{:05}}.parquet", options.shard_bytes)
    ]
    ids = tuple(one.episode_id for one in episodes)
    return [*shards, Shard("episodes/episodes.parquet", ids)]


def _write_parquet(root: Path, shard: Shard, folder: Path, options: Options) -> Hashes:
    from odyssey_recorder.exporting import parquet

    make_folder((folder / shard.name).parent, within=folder)
    write = parquet.write_episodes if shard.name.startswith("episodes/") else parquet.write_steps
    with whole_file(folder / shard.name) as copy, HashedWriter(copy) as file:
        write(file, (read_exported(root, one, options.texts) for one in shard.ids), options.group_bytes)
    return {shard.name: file.sha256}


# For trainers

TRAINERS: Mapping[str, str] = {
    "official-chat": "odyssey-agent",
    "llamafactory": "odyssey-agent",
    "ms-swift": "odyssey-agent",
    "qwen": "qwen2.5-vl",
    "trl": "odyssey-agent",
    "ui-tars": "ui-tars-1.5",
}
"""The layouts with a sample for each step, with their usual adapters."""


def _for_trainer(name: str) -> Layout:
    def plan(episodes: Sequence[Planned], options: Options) -> list[Shard]:
        from odyssey_recorder.exporting import trainers

        return trainers.plan(name, episodes, options)

    def write(root: Path, shard: Shard, folder: Path, options: Options) -> Hashes:
        from odyssey_recorder.exporting import trainers

        return trainers.write(name, root, shard, folder, options)

    return Layout(name, plan, write, copies=False)


LAYOUTS: Mapping[str, Layout] = {
    one.name: one
    for one in (
        Layout("release", _plan_by_count("release-{:05}", 64), _write_release, copies=False),
        Layout("parquet", _plan_parquet, _write_parquet),
        Layout("webdataset", _plan_tars, _write_tar),
        Layout("jsonl", _plan_by_count("data/episodes-{:05}.jsonl", 1000), _write_lines, copies=False),
        *map(_for_trainer, TRAINERS),
    )
}


def write_shard(layout: str, root: Path, shard: Shard, folder: Path, options: Options) -> Hashes:
    """Write a shard; return its files, on the disk by then, with their SHA-256.

    For a worker of any kind: a function of values that can be sent to another process. Two workers may write the same
    shard, as when a cluster has lost one of them. Raises DatasetError.
    """
    for wanted in (root / ANNOTATIONS, folder / JOURNAL):
        if not wanted.exists():
            raise DatasetError(
                f"{wanted} is missing on {socket.gethostname()}. Mount the dataset and the folder to write at the same "
                "path on every machine."
            )
    with storage_errors(folder / shard.name, "written"):
        return LAYOUTS[layout].write(root, shard, folder, options)


def sha256_of(path: Path) -> str:
    """Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that has its name once it is complete and on the disk. Raises DatasetError."""
    aside = _beside(path)
    with storage_errors(path, "written"):
        try:
            with create_file(aside) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    """A name that no other worker uses."""
    return path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
