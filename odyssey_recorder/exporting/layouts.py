"""The layouts: how episodes are divided into shards, and what a shard's files are.

A shard is written by one process from the dataset alone, so its bytes depend neither on the others nor on the number
of processes.
"""

import json
import socket
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from odyssey_recorder.dataset.codec import ANNOTATION_KEYS
from odyssey_recorder.dataset.layout import ANNOTATIONS, SCREENSHOTS
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting import trainers
from odyssey_recorder.exporting.episodes import ExportedEpisode, read_exported, step_rows
from odyssey_recorder.exporting.export_plan import TRAINERS, Options, Planned, Shard, by_bytes, by_count
from odyssey_recorder.exporting.hashed_files import HashedWriter, Hashes, write_file, write_screenshots
from odyssey_recorder.files import make_folder, storage_errors, whole_file
from odyssey_recorder.model.episode import Json
from odyssey_recorder.splits.drawing import KINDS

JOURNAL = "export.jsonl"
"""In the folder being written: what is exported, then a line for each finished shard."""

Write = Callable[[Path, Shard, Path, Options], Hashes]
"""Writes a shard of the dataset into a folder; returns its files. Raises DatasetError, OSError."""


@dataclass(frozen=True, slots=True)
class Layout:
    """`copies`: whether the screenshots' bytes are written again, not linked."""

    name: str
    plan: Callable[[Sequence[Planned], Options], list[Shard]]
    write: Write
    copies: bool = True


def _plan_by_count(name: str, count: int) -> Callable[[Sequence[Planned], Options], list[Shard]]:
    return lambda episodes, _: by_count(name, [episode.episode_id for episode in episodes], count)


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
        written[name] = write_file(folder, name, json.dumps(tree, ensure_ascii=False, indent=4).encode() + b"\n")
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


# JSON Lines


def _write_lines(root: Path, shard: Shard, folder: Path, options: Options) -> Hashes:
    lines: list[str] = []
    for episode_id in shard.ids:
        exported = read_exported(root, episode_id, options.texts)
        trees = list(step_rows(exported)) if options.per_step else [exported.tree]
        lines += (json.dumps(tree, ensure_ascii=False) + "\n" for tree in trees)
    make_folder((folder / shard.name).parent, within=folder)
    return {shard.name: write_file(folder, shard.name, "".join(lines).encode())}


# WebDataset


def _plan_tars(episodes: Sequence[Planned], options: Options) -> list[Shard]:
    return by_bytes(episodes, "data/episodes-{:06}.tar", options.shard_bytes)


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
                screenshot = _entry(f"{key}.png", exported.screenshot(number))
                tar.write(screenshot + _entry(f"{key}.json", json.dumps(row, ensure_ascii=False).encode()))
        end = 2 * tarfile.BLOCKSIZE
        tar.write(bytes(end + -(tar.size + end) % tarfile.RECORDSIZE))
    return {shard.name: tar.sha256}


def _entry(name: str, data: bytes) -> bytes:
    """For a tar; `tarfile.TarFile` would copy 16 kB at a time."""
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    return entry.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % tarfile.BLOCKSIZE)


# Parquet

_SIDES = {"train": "0", "test": "1"}
NEITHER = "2"


def cell(sides: Mapping[str, str]) -> str:
    """The cell of an episode: its side in the four splits, as in r0t1d0a2. 2: the split does not name it."""
    return "".join(f"{kind[0]}{_SIDES.get(sides.get(kind, ''), NEITHER)}" for kind in KINDS)


def _plan_parquet(episodes: Sequence[Planned], options: Options) -> list[Shard]:
    cells: dict[str, list[Planned]] = {}
    for episode in episodes:
        cells.setdefault(cell(episode.sides), []).append(episode)
    shards = [
        shard
        for name, found in sorted(cells.items())
        for shard in by_bytes(found, f"data/{name}-{{:05}}.parquet", options.shard_bytes)
    ]
    ids = tuple(episode.episode_id for episode in episodes)
    return [*shards, Shard("episodes/episodes.parquet", ids)]


def _write_parquet(root: Path, shard: Shard, folder: Path, options: Options) -> Hashes:
    from odyssey_recorder.exporting import parquet

    make_folder((folder / shard.name).parent, within=folder)
    write = parquet.write_episodes if shard.name.startswith("episodes/") else parquet.write_steps
    with whole_file(folder / shard.name) as copy, HashedWriter(copy) as file:
        write(file, (read_exported(root, episode_id, options.texts) for episode_id in shard.ids), options.group_bytes)
    return {shard.name: file.sha256}


LAYOUTS: Mapping[str, Layout] = {
    layout.name: layout
    for layout in (
        Layout("release", _plan_by_count("release-{:05}", 64), _write_release, copies=False),
        Layout("parquet", _plan_parquet, _write_parquet),
        Layout("webdataset", _plan_tars, _write_tar),
        Layout("jsonl", _plan_by_count("data/episodes-{:05}.jsonl", 1000), _write_lines, copies=False),
        *(Layout(name, partial(trainers.plan, name), partial(trainers.write, name), copies=False) for name in TRAINERS),
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
