"""`export`: a dataset for others to load."""

import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from odyssey_recorder.commands.convert import Admission, refusal
from odyssey_recorder.commands.listing import selected_ids
from odyssey_recorder.commands.terminal import counted, say
from odyssey_recorder.curation.redaction import read_redaction
from odyssey_recorder.dataset.codec import Dialect, read_annotation
from odyssey_recorder.dataset.layout import SCREENSHOTS, SPLITS, annotation_files, split_path
from odyssey_recorder.dataset.opened import summarise
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting.card import About
from odyssey_recorder.exporting.episodes import lacks_texts, read_exported
from odyssey_recorder.exporting.job import Progress as ExportProgress
from odyssey_recorder.exporting.job import Request, run_export, sides_of
from odyssey_recorder.exporting.layouts import Options, Planned
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.splits.drawing import Split
from odyssey_recorder.splits.files import read_split, split_as_json, split_names

_TOLD = 10
_CONNECT_S = 3
_WORKERS = get_context("spawn")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """`like` None: as the second release if every step has its texts, else as the first. `cluster`: the address of a
    Dask scheduler.
    """

    root: Path
    out: Path
    layout: str
    filter: str = ""
    admission: Admission = field(default_factory=lambda: Admission(checked=True, accepted=True))
    options: Options = field(default_factory=Options)
    like: Literal["v1", "v2"] | None = None
    jobs: int | None = None
    cluster: str | None = None


def export_dataset(request: ExportOptions, out: Console, err: Console) -> None:
    """Raises DatasetError."""
    files = annotation_files(request.root)
    if not files:
        raise DatasetError(f"{request.root} is not a dataset folder: annotations/ with episode files is missing.")
    selected = selected_ids(request.root, request.filter)
    files = [file for file in files if file.stem in selected]
    refuse = refusal(request.root, request.admission, Dialect.RELEASE)
    left_out = [(file.stem, why) for file in files if (why := refuse(file))]
    gone = {episode_id for episode_id, _ in left_out}
    _tell_left_out([why for _, why in left_out], err)
    unredacted = {file.stem: why for file in files if file.stem not in gone and (why := _unredacted(file))}
    for why in unredacted.values():
        say((f"{why} The episode is left out.", "red"), to=err)
    gone |= unredacted.keys()
    chosen = [read_annotation(file) for file in files if file.stem not in gone]
    splits = _splits(request.root, frozenset(one.episode_id for one in chosen))
    sides = sides_of(splits)
    planned = [_planned(request.root, one, sides.get(one.episode_id, {})) for one in chosen]
    like, limits = _likeness(request, chosen)
    about = about_of(request.root, chosen, (*limits, *counted_reasons(len(gone))))
    options = replace(request.options, like=like)
    names = {Path(split_path(one.kind)).name: split_as_json(one) for one in splits}
    with _executor(request) as executor, _progress(err) as tell:
        wanted = Request(request.root, request.out, request.layout, options, names, about)
        folder = run_export(wanted, planned, executor, tell=tell)
    for limit in limits:
        say((limit, "yellow"), to=err)
    say(f"{counted(chosen, 'episode')} exported to {folder}", to=out)


def _unredacted(annotation: Path) -> str:
    """Why the redaction of an episode cannot be applied; empty if it can, or if there is none."""
    root = annotation.parent.parent
    try:
        redaction = read_redaction(root, annotation.stem)
        if redaction is not None:
            exported = read_exported(root, annotation.stem)
            for step in {one.step for one in redaction.boxes}:
                exported.screenshot(step)
    except DatasetError as error:
        return str(error)
    return ""


def _splits(root: Path, ids: frozenset[str]) -> list[Split]:
    """The dataset's splits, of the exported episodes only."""
    names, _ = split_names(root / SPLITS)
    found = [read_split(root / SPLITS / name) for name in names]
    return [
        Split(one.kind, tuple(filter(ids.__contains__, one.train)), tuple(filter(ids.__contains__, one.test)))
        for one in found
    ]


def _tell_left_out(reasons: Sequence[str], err: Console) -> None:
    for why in reasons[:_TOLD]:
        say((why, "yellow"), to=err)
    if reasons:
        more = f", {len(reasons) - _TOLD} not listed here" if len(reasons) > _TOLD else ""
        say((f"{counted(reasons, 'episode')} left out{more}. Use --all to export every episode.", "yellow"), to=err)


def _planned(root: Path, episode: Episode, sides: dict[str, str]) -> Planned:
    try:
        size = sum((root / SCREENSHOTS / step.screenshot).stat().st_size for step in episode.steps)
    except OSError as error:
        raise DatasetError(f"{episode.episode_id}: {error.filename} cannot be read: {error.strerror}.") from error
    return Planned(episode.episode_id, size, sides)


def _likeness(request: ExportOptions, chosen: Sequence[Episode]) -> tuple[Literal["v1", "v2"], tuple[str, ...]]:
    """Which release the annotations follow, and what a consumer will miss."""
    if request.layout != "release":
        return "v2", ()
    lacking = sum(map(lacks_texts, chosen))
    if not lacking:
        return request.like or "v2", ()
    words = f"{counted(lacking, 'episode')} without low_level_instruction in every step"
    if request.like == "v2":
        return "v2", (f"{words}: the converter of the second release stops there. Use --like v1.",)
    return "v1", (f"{words}: written as in the first release, without texts and boxes.",)


def about_of(root: Path, chosen: Sequence[Episode], limits: tuple[str, ...]) -> About:
    categories = Counter(one.task.category for one in chosen)
    devices = Counter(one.device.device_name for one in chosen)
    dated = (summarise(root, one.episode_id) for one in chosen)
    days = sorted(one.recorded_at.date().isoformat() for one in dated if one is not None and one.recorded_at)
    return About(
        name=root.resolve().name,
        episodes=len(chosen),
        steps=sum(len(one.steps) for one in chosen),
        published=days[-1] if days else "1970-01-01",
        figures=(f"Categories: {_counts(categories)}", f"Devices: {_counts(devices)}"),
        limits=limits,
    )


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def counted_reasons(count: int) -> tuple[str, ...]:
    return (f"{counted(count, 'episode')} of the dataset left out: not accepted, or with errors.",) if count else ()


@contextmanager
def _executor(request: ExportOptions) -> Iterator[Executor]:
    if request.cluster is not None:
        with _cluster(request.cluster) as executor:
            yield executor
        return
    ignore_interrupts = (signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    with ProcessPoolExecutor(
        request.jobs, mp_context=_WORKERS, initializer=signal.signal, initargs=ignore_interrupts
    ) as pool:
        yield pool


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client, KilledWorker
    except ImportError as error:
        raise DatasetError("A cluster needs Dask. Install it: pip install 'odyssey-recorder[cluster]'") from error
    try:
        client = Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError) as error:
        raise DatasetError(f"The Dask scheduler {address} cannot be reached: {error}. Check the address.") from error
    with client:
        if not client.scheduler_info()["workers"]:
            raise DatasetError(f"The Dask scheduler {address} has no workers. Start some: dask worker {address}")
        try:
            yield client.get_executor()
        except (KilledWorker, CancelledError, OSError, ImportError) as error:
            raise DatasetError(
                f"The cluster did not finish: {error or type(error).__name__}. Check that every worker has this "
                "version of odyssey-recorder and enough memory. The same command continues the export."
            ) from error


@contextmanager
def _progress(err: Console) -> Iterator["_Teller"]:
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        yield _Teller(progress)


class _Teller:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("Exporting")

    def __call__(self, done: ExportProgress) -> None:
        words = f"Exporting {done.episodes} of {done.of_episodes} episodes"
        self._progress.update(self._task, description=words, completed=done.bytes, total=done.of_bytes)
