"""Runs an export: written aside, resumed after a kill, hashed, and renamed when it is complete.

`OUT.part` holds what is being written, and `export.jsonl` in it the finished shards with their hashes.
"""

import hashlib
import json
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder import files
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting import card
from odyssey_recorder.exporting.episodes import fingerprint, read_exported
from odyssey_recorder.exporting.layouts import LAYOUTS, Files, Options, Planned, Shard, summary_row, write_shard
from odyssey_recorder.splits.drawing import Split

FORMAT = 1
"""Changes when the same input gives other bytes."""

JOURNAL = "export.jsonl"
SUMS = "SHA256SUMS"
INDEX = {"v1": "all_anno.json", "v2": "all_annot.json"}
_SPARE = 1.05
_IN_FLIGHT = 8
"""Shards handed to the workers ahead of time."""


@dataclass(frozen=True, slots=True)
class Progress:
    episodes: int
    of_episodes: int
    bytes: int
    of_bytes: int


class ExportCancelledError(DatasetError):
    """The export was cancelled; what is finished stays for the next call."""


@dataclass(frozen=True, slots=True)
class Request:
    """`splits` are the files for splits/, by name, as released. `about` is what the card says beyond the figures."""

    root: Path
    out: Path
    layout: str
    options: Options
    splits: Mapping[str, bytes]
    about: card.About


@dataclass(frozen=True, slots=True)
class _Done:
    name: str
    files: Mapping[str, str]


def run_export(
    request: Request,
    episodes: Sequence[Planned],
    executor: Executor,
    *,
    tell: Callable[[Progress], object] = lambda _: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Path:
    """Write the export and return its folder. The source is only read.

    The bytes depend on the input, the options and the versions of the libraries alone. Raises DatasetError: `out`
    exists, the disk has no room, or an episode cannot be read. What was finished is used by the next call.
    """
    layout = LAYOUTS[request.layout]
    if not episodes:
        raise DatasetError("No episode is to be exported. Check the filter, or use --all.")
    _refuse_existing(request.out)
    part = request.out.with_name(f"{request.out.name}.part")
    ordered = sorted(episodes, key=lambda one: one.episode_id)
    shards = layout.plan(ordered, request.options)
    ids = tuple(one.episode_id for one in ordered)
    mark = _mark(request, fingerprint(request.root, ids))
    finished = _resumed(part, mark)
    _ask_for_room(request, ordered, part)
    sizes = {one.episode_id: one.size for one in ordered}
    weight = {shard.name: sum(sizes[one] for one in shard.ids) for shard in shards}

    def submit(shard: Shard) -> Future[Files] | None:
        if shard.name in finished:
            return None
        root, folder = request.root.absolute(), part.absolute()
        return executor.submit(write_shard, request.layout, root, shard, folder, request.options)

    with files.change_file(part / JOURNAL, within=part) as journal:
        journal.seek(0, 2)
        count = total = 0
        for shard, written in _written(shards, submit, is_cancelled):
            if shard.name not in finished:
                hashes = {name: _sha256(part / name) for name in written}
                journal.write(json.dumps({"shard": shard.name, "files": hashes}).encode() + b"\n")
                journal.flush()
                finished[shard.name] = hashes
            count += len(shard.ids)
            total += weight[shard.name]
            tell(Progress(min(count, len(ids)), len(ids), total, sum(weight.values())))
    _complete(request, part, ids, [finished[shard.name] for shard in shards])
    _publish(part, request.out)
    return request.out


def _refuse_existing(out: Path) -> None:
    if out.exists() or out.is_symlink():
        raise DatasetError(f"{out} already exists. Choose another folder, or move it away.")


def _mark(request: Request, of_input: str) -> dict[str, object]:
    splits = hashlib.sha256(b"".join(name.encode() + data for name, data in sorted(request.splits.items())))
    return {
        "format": FORMAT,
        "layout": request.layout,
        "options": repr(request.options),
        "input": of_input,
        "splits": splits.hexdigest(),
    }


def _resumed(part: Path, mark: Mapping[str, object]) -> dict[str, Mapping[str, str]]:
    """The finished shards of an earlier call for the same input; anything else in `part` is removed."""
    done: dict[str, Mapping[str, str]] = {}
    try:
        lines = files.read_file(part / JOURNAL, files.Largest.INDEX, within=part).decode().splitlines()
        head, *rest = (json.loads(line) for line in lines if line.endswith("}"))
        if head == mark:
            done = {
                one["shard"]: one["files"]
                for one in rest
                if all(_is_intact(part, name, sha256) for name, sha256 in one["files"].items())
            }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass  # nothing to resume
    with files.storage_errors(part, "written"):
        if not done:
            shutil.rmtree(part, ignore_errors=True)
            if part.is_symlink() or part.exists():
                raise DatasetError(f"{part} is in the way. Move it away.")
            files.make_folder(part)
        entries = [mark, *({"shard": name, "files": hashes} for name, hashes in done.items())]
        files.write_durably(part / JOURNAL, b"".join(json.dumps(one).encode() + b"\n" for one in entries))
    return done


def _is_intact(part: Path, name: str, sha256: str) -> bool:
    try:
        files.check_within(part / name, part)
        return _sha256(part / name) == sha256
    except (OSError, DatasetError):
        return False


def _ask_for_room(request: Request, episodes: Sequence[Planned], part: Path) -> None:
    copies = LAYOUTS[request.layout].copies
    needed = int(sum(one.size for one in episodes) * _SPARE) if copies else 20_000 * len(episodes)
    used = sum(path.stat().st_size for path in part.rglob("*") if path.is_file()) if copies else 0
    free = shutil.disk_usage(part).free
    if needed - used > free:
        raise DatasetError(
            f"{part.parent} has {free / 1e9:.1f} GB free, and the export needs {(needed - used) / 1e9:.1f} GB. "
            "Free some space, or choose another disk."
        )


def _written(
    shards: Sequence[Shard], submit: Callable[[Shard], Future[Files] | None], is_cancelled: Callable[[], bool]
) -> Iterator[tuple[Shard, Files]]:
    """The shards in their order, submitted a few ahead; None for a job: the shard is there."""
    waiting: deque[tuple[Shard, Future[Files] | None]] = deque()
    left = deque(shards)
    try:
        while left or waiting:
            while left and len(waiting) < _IN_FLIGHT:
                waiting.append((left[0], submit(left.popleft())))
            if is_cancelled():
                raise ExportCancelledError("The export was cancelled. The same command continues it.")
            shard, job = waiting.popleft()
            yield shard, [] if job is None else job.result()
    except BrokenProcessPool as error:
        raise DatasetError("A process of the export was killed. The same command continues it.") from error
    finally:
        for _, job in waiting:
            if job is not None:
                job.cancel()


def _complete(request: Request, part: Path, ids: Sequence[str], shards: Sequence[Mapping[str, str]]) -> None:
    """What describes the whole: splits, index, card, Croissant, hashes."""
    hashes = {name: sha256 for shard in shards for name, sha256 in shard.items()}
    more: dict[str, bytes] = {}
    if request.layout == "release":
        more |= {f"splits/{name}": data for name, data in request.splits.items()}
        rows = [summary_row(read_exported(request.root, one)) for one in ids]
        more[INDEX[request.options.like]] = json.dumps(rows, ensure_ascii=False, indent=4).encode() + b"\n"
    more["README.md"] = card.readme(request.layout, request.about, sorted(hashes)).encode()
    croissant = card.croissant(request.layout, request.about, hashes)
    more["croissant.json"] = json.dumps(croissant, ensure_ascii=False, indent=2).encode() + b"\n"
    for name, data in more.items():
        files.make_folder((part / name).parent, within=part)
        files.write_durably(part / name, data, within=part)
        hashes[name] = hashlib.sha256(data).hexdigest()
    lines = "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(hashes.items()))
    files.write_durably(part / SUMS, lines.encode(), within=part)


def _publish(part: Path, out: Path) -> None:
    with files.storage_errors(out, "written"):
        (part / JOURNAL).unlink()
        for folder in {path for path in part.rglob("*") if path.is_dir()} | {part}:
            files.sync_folder(folder)
        _refuse_existing(out)
        part.rename(out)
        files.sync_folder(out.parent)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sides_of(splits: Iterable[Split]) -> dict[str, dict[str, str]]:
    """By episode: its part in each split."""
    sides: dict[str, dict[str, str]] = {}
    for split in splits:
        for episode_id, in_test in split.sides.items():
            sides.setdefault(episode_id, {})[split.kind] = "test" if in_test else "train"
    return sides
