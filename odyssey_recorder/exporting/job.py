"""Runs an export: written aside, resumed after a kill, hashed, and renamed when it is complete.

`OUT.part` holds what is being written, and `export.jsonl` in it the finished shards with their hashes.
"""

import hashlib
import json
import os
import shutil
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder import files
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting import card
from odyssey_recorder.exporting.episodes import fingerprint, read_exported
from odyssey_recorder.exporting.export_plan import Options, Planned, Shard
from odyssey_recorder.exporting.hashed_files import Hashes, sha256_of, write_file
from odyssey_recorder.exporting.layouts import JOURNAL, LAYOUTS, summary_row, write_shard
from odyssey_recorder.exporting.sums import SUMS, sums_text
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.progress import Cancelled, Progress, never, untold
from odyssey_recorder.splits.drawing import Split

FORMAT = 2
"""Changes when the same input gives other bytes."""

INDEX = {"v1": "all_anno.json", "v2": "all_annot.json"}
_SPARE = 1.05
_IN_FLIGHT = 8
"""Shards handed to the workers ahead of time."""

_POLL_S = 0.2


class ExportCancelledError(DatasetError):
    """The export was cancelled; what is finished stays for the next call."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """`splits` are the files for splits/, by name, as released. `about` is what the card says beyond the figures."""

    root: Path
    out: Path
    layout: str
    options: Options
    splits: Mapping[str, bytes]
    about: card.About


def run_export(
    request: ExportRequest,
    episodes: Sequence[Planned],
    executor: Executor,
    *,
    tell: Progress = untold,
    is_cancelled: Cancelled = never,
) -> Path:
    """Write the export and return its folder. The source is only read.

    The bytes depend on the input, the options and the versions of the libraries alone. Raises DatasetError: `out`
    exists, the disk has no room, or an episode cannot be read. What was finished is used by the next call.
    """
    layout = LAYOUTS[request.layout]
    if not episodes:
        raise DatasetError("No episode is to be exported. Check the filter, or use --all.")
    files.refuse_existing(request.out)
    part = request.out.with_name(f"{request.out.name}.part")
    ordered = sorted(episodes, key=lambda planned: planned.episode_id)
    shards = layout.plan(ordered, request.options)
    ids = tuple(planned.episode_id for planned in ordered)
    mark = _mark(request, fingerprint(request.root, ids), shards)
    finished = _resumed(part, mark)
    _ask_for_room(request, ordered, part)
    sizes = {planned.episode_id: planned.size for planned in ordered}
    weight = {shard.name: sum(sizes[episode_id] for episode_id in shard.ids) for shard in shards}

    def submit(shard: Shard) -> Future[Hashes] | None:
        if shard.name in finished:
            return None
        root, folder = request.root.absolute(), part.absolute()
        return executor.submit(write_shard, request.layout, root, shard, folder, request.options)

    with files.change_file(part / JOURNAL, within=part) as journal:
        journal.seek(0, 2)
        count = total = 0
        for shard, hashes in _written(shards, submit, is_cancelled):
            if shard.name not in finished:
                journal.write(json.dumps({"shard": shard.name, "files": hashes}).encode() + b"\n")
                journal.flush()
                finished[shard.name] = hashes
            count += len(shard.ids)
            total += weight[shard.name]
            text = f"{min(count, len(ids)):,} of {counted(ids)}, {total / 1e6:,.0f} MB"
            tell(total / max(sum(weight.values()), 1), text)
    with files.storage_errors(request.out, "written"):
        names = _complete(request, part, ids, [finished[shard.name] for shard in shards])
        _keep_only(part, {JOURNAL, *names})
    files.publish_folder(part, request.out, journal=part / JOURNAL)
    return request.out


def _mark(request: ExportRequest, of_input: str, shards: Sequence[Shard]) -> dict[str, object]:
    splits = hashlib.sha256(b"".join(name.encode() + data for name, data in sorted(request.splits.items())))
    return {
        "format": FORMAT,
        "layout": request.layout,
        "options": repr(request.options),
        "input": of_input,
        "splits": splits.hexdigest(),
        "shards": hashlib.sha256(repr(shards).encode()).hexdigest(),
    }


def _resumed(part: Path, mark: Mapping[str, object]) -> dict[str, Hashes]:
    """The finished shards of an earlier call for the same input; the other files of that call are removed."""
    done: dict[str, Hashes] = {}
    try:
        lines = files.read_file(part / JOURNAL, files.Largest.INDEX, within=part).decode().splitlines()
        head, *rest = (json.loads(line) for line in lines if line.endswith("}"))
        if head == mark:
            done = {
                shard["shard"]: shard["files"]
                for shard in rest
                if all(_is_intact(part, name, sha256) for name, sha256 in shard["files"].items())
            }
        is_ours = "format" in head
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        is_ours = part.is_dir() and all(path.name.startswith(JOURNAL) for path in part.iterdir())
    with files.storage_errors(part, "written"):
        if part.is_symlink() or (part.exists() and not is_ours):
            raise DatasetError(f"{part} is in the way. Move it away.")
        files.make_folder(part)
        _keep_only(part, {JOURNAL, *(name for hashes in done.values() for name in hashes)})
        entries = [mark, *({"shard": name, "files": hashes} for name, hashes in done.items())]
        files.write_durably(part / JOURNAL, b"".join(json.dumps(entry).encode() + b"\n" for entry in entries))
    return done


def _keep_only(part: Path, names: Collection[str]) -> None:
    """Remove what a killed worker left. Links are not followed."""
    for folder, folders, found in os.walk(part, topdown=False):
        for name in found:
            if (path := Path(folder, name)).relative_to(part).as_posix() not in names:
                path.unlink()
        for name in folders:
            path = Path(folder, name)
            if path.is_symlink():
                path.unlink()
            elif not any(path.iterdir()):
                path.rmdir()


def _is_intact(part: Path, name: str, sha256: str) -> bool:
    try:
        files.check_within(part / name, part)
        return sha256_of(part / name) == sha256
    except (OSError, DatasetError):
        return False


def _ask_for_room(request: ExportRequest, episodes: Sequence[Planned], part: Path) -> None:
    copies = LAYOUTS[request.layout].copies
    needed = int(sum(episode.size for episode in episodes) * _SPARE) if copies else 20_000 * len(episodes)
    used = sum(path.stat().st_size for path in part.rglob("*") if path.is_file()) if copies else 0
    free = shutil.disk_usage(part).free
    if needed - used > free:
        raise DatasetError(
            f"{part.parent} has {free / 1e9:.1f} GB free, and the export needs {(needed - used) / 1e9:.1f} GB. "
            "Free some space, or choose another disk."
        )


def _written(
    shards: Sequence[Shard], submit: Callable[[Shard], Future[Hashes] | None], is_cancelled: Callable[[], bool]
) -> Iterator[tuple[Shard, Hashes]]:
    """The shards in their order, submitted a few ahead; None for a job: the shard is there."""
    waiting: deque[tuple[Shard, Future[Hashes] | None]] = deque()
    left = deque(shards)
    try:
        while left or waiting:
            while left and len(waiting) < _IN_FLIGHT:
                waiting.append((left[0], submit(left.popleft())))
            shard, job = waiting[0]
            while not is_cancelled() and job is not None and not wait([job], _POLL_S).done:
                pass
            if is_cancelled():
                raise ExportCancelledError("The export was cancelled. The same command continues it.")
            yield shard, {} if job is None else job.result()
            waiting.popleft()
    except BrokenExecutor as error:
        raise DatasetError("A process of the export was killed. The same command continues it.") from error
    finally:
        for _, job in waiting:
            if job is not None:
                job.cancel()


def _complete(request: ExportRequest, part: Path, ids: Sequence[str], shards: Sequence[Hashes]) -> set[str]:
    """Write what describes the whole: splits, index, card, Croissant, hashes. Return the names of all files."""
    hashes = {name: sha256 for shard in shards for name, sha256 in shard.items()}
    more: dict[str, bytes] = {}
    if request.layout == "release":
        more |= {f"splits/{name}": data for name, data in request.splits.items()}
        rows = [summary_row(read_exported(request.root, episode_id)) for episode_id in ids]
        more[INDEX[request.options.like]] = json.dumps(rows, ensure_ascii=False, indent=4).encode() + b"\n"
    more["README.md"] = card.readme(request.layout, request.about, sorted(hashes)).encode()
    croissant = card.croissant(request.layout, request.about, hashes)
    more["croissant.json"] = json.dumps(croissant, ensure_ascii=False, indent=2).encode() + b"\n"
    for name, data in more.items():
        files.make_folder((part / name).parent, within=part)
        hashes[name] = write_file(part, name, data)
    files.write_durably(part / SUMS, sums_text(hashes), within=part)
    return {SUMS, *hashes}


def sides_of(splits: Iterable[Split]) -> dict[str, dict[str, str]]:
    """By episode: its part in each split."""
    sides: dict[str, dict[str, str]] = {}
    for split in splits:
        for episode_id, in_test in split.sides.items():
            sides.setdefault(episode_id, {})[split.kind] = "test" if in_test else "train"
    return sides
