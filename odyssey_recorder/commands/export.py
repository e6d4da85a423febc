"""`export`: a dataset for others to load."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import get_context

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from odyssey_recorder.commands.cluster import cluster
from odyssey_recorder.commands.terminal import err, print_warning, say
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.services.exports import ExportProgress, ExportWanted, prepare_export, write_export
from odyssey_recorder.wiring.user import dataset_reviews

_TOLD = 10
_WORKERS = get_context("spawn")


def export_dataset(
    wanted: ExportWanted, ids: Sequence[str], workers: AbstractContextManager[Executor], *, only_ready: bool = True
) -> None:
    """Raises DatasetError."""
    prepared = prepare_export(dataset_reviews(wanted.root), wanted, ids, only_ready=only_ready)
    _print_left_out(prepared.left_out)
    with workers as executor, _progress() as on_progress:
        folder = write_export(prepared, executor, tell=on_progress)
    for limit in prepared.limits:
        print_warning(limit)
    say(f"{counted(prepared.episodes, 'episode')} exported to {folder}")


def _print_left_out(reasons: Sequence[str]) -> None:
    for why in reasons[:_TOLD]:
        print_warning(why)
    if reasons:
        more = f", {len(reasons) - _TOLD} not listed here" if len(reasons) > _TOLD else ""
        print_warning(f"{counted(reasons, 'episode')} left out{more}. Use --all to export every episode.")


def executor_of(jobs: int | None, address: str | None) -> AbstractContextManager[Executor]:
    """Processes of this computer, or those of the Dask scheduler at `address`."""
    if address is not None:
        return cluster(address)
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1:
        return ThreadPoolExecutor(1)
    ignore_interrupts = (signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    return ProcessPoolExecutor(jobs, mp_context=_WORKERS, initializer=signal.signal, initargs=ignore_interrupts)


@contextmanager
def _progress() -> Iterator[Callable[[ExportProgress], None]]:
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("Exporting")

        def tell(done: ExportProgress) -> None:
            description = f"Exporting {done.episodes} of {done.of_episodes} episodes"
            progress.update(task, description=description, completed=done.bytes, total=done.of_bytes)

        yield tell
